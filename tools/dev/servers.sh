# shellcheck shell=bash
# Private PostgreSQL and RabbitMQ servers: processes, ports, secrets.

# as_user USER: sets `prefix`, which runs a command as USER when we are root and as ourselves when not.
as_user() {
  prefix=(env)
  if [ "$(id -u)" = 0 ] && [ "$1" != root ]; then
    prefix=(setpriv --reuid="$1" --regid="$1" --clear-groups --)
  fi
}

# spawn NAME USER COMMAND...: in the background and its own process group, as USER when root; noted by
# process id and start time in $servers/run/NAME.
spawn() {
  local name=$1 user=$2
  shift 2
  local prefix
  as_user "$user"
  setsid "${prefix[@]}" "$@" >>"$log_folder/$name.log" 2>&1 </dev/null &
  echo "$! $(start_time $!)" >"$servers/run/$name"
}

# Empty for a process that is gone or has ended and only waits to be reaped.
start_time() { sed -n 's/.*) //; /^[^ZX]/p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# running FILE: the process id noted in FILE, if that very process is still there.
running() {
  local pid started
  [ -e "$1" ] && read -r pid started <"$1" && [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] &&
    echo "$pid"
}

own() { [ "$(id -u)" != 0 ] || chown -R "$1:$1" "$2"; }

port_taken() { [ -n "$(ss -Hltn "sport = :$1")" ]; }

# free_port [LAST]: the last one again if it is free, so that addresses survive a restart.
free_port() {
  local port=${1:-}
  while [ -z "$port" ] || port_taken "$port"; do port=$((20000 + RANDOM % 12000)); done
  echo "$port"
}

# wait_for SECONDS NAME COMMAND...: until COMMAND succeeds; fails at once if server NAME ends.
wait_for() {
  local deadline=$((SECONDS + $1)) name=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! running "$servers/run/$name" >/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 20 "$log_folder/$name.log"
      echo "$name did not get ready"
      return 1
    fi
    sleep 0.1
  done
}

new_secret() { openssl rand -hex 16; }

init_postgres() {
  local folder=$servers/postgres
  rm -rf "$folder.part"
  mkdir -m 0700 "$folder.part"
  echo "$superuser_secret" >"$folder.part/secret"
  own postgres "$folder.part"
  local prefix
  as_user postgres
  "${prefix[@]}" "$postgres_bin/initdb" -D "$folder.part/cluster" -U postgres -E UTF8 --locale=C.UTF-8 \
    --auth=scram-sha-256 --pwfile="$folder.part/secret" --no-instructions
  mv "$folder.part/cluster" "$folder"
  rm -r "$folder.part"
}

# start_postgres [OPTIONS...]
start_postgres() {
  spawn postgres postgres "$postgres_bin/postgres" -D "$servers/postgres" -p "$postgres_port" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 "$@"
  wait_for 60 postgres pg_isready -q -h 127.0.0.1 -p "$postgres_port"
}

create_database() {
  psql -v ON_ERROR_STOP=1 -qd "$superuser_url" <<SQL
SELECT 'CREATE ROLE auth_errors LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth_errors') \gexec
ALTER ROLE auth_errors PASSWORD '$database_secret';
SELECT 'CREATE DATABASE auth_errors OWNER auth_errors'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'auth_errors') \gexec
SQL
}

start_rabbitmq() {
  local folder=$servers/rabbitmq lib
  lib=$(dirname "$(find /usr/lib/rabbitmq -path '*/sbin/rabbitmq-server' | head -n 1)")
  mkdir -p "$folder"
  cat >"$folder/rabbitmq.conf" <<CONF
listeners.tcp.1 = 127.0.0.1:$rabbitmq_port
default_user = auth_errors
default_pass = $broker_secret
log.file = false
log.console = true
CONF
  echo '[].' >"$folder/plugins"
  [ -e "$folder/.erlang.cookie" ] || new_secret >"$folder/.erlang.cookie"
  chmod 0400 "$folder/.erlang.cookie"
  own rabbitmq "$folder"
  local settings=(env HOME="$folder" ERL_EPMD_PORT="$epmd_port" ERL_EPMD_ADDRESS=127.0.0.1)
  # Our own epmd in the foreground: one that Erlang starts by itself would outlive the broker.
  spawn epmd rabbitmq "${settings[@]}" epmd -port "$epmd_port" -address 127.0.0.1
  spawn rabbitmq rabbitmq "${settings[@]}" RUNNING_UNDER_SYSTEMD=1 \
    RABBITMQ_NODENAME=auth-errors@localhost RABBITMQ_DIST_PORT="$dist_port" \
    RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/log" \
    RABBITMQ_PID_FILE="$folder/pid" RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" RABBITMQ_CONF_ENV_FILE="$folder/none" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}' \
    "$lib/rabbitmq-server"
  wait_for 90 rabbitmq port_taken "$rabbitmq_port"
}

write_secrets() {
  local name
  (umask 077 && for name in superuser_secret database_secret broker_secret postgres_port rabbitmq_port \
    epmd_port dist_port actor_keys ingest_key viewer_key operator_key; do
    echo "$name=${!name}"
  done >"$servers/secrets")
}

# prepare_servers FOLDER: secrets and ports, kept with the data so that they survive a restart.
prepare_servers() {
  servers=$1
  postgres_bin=$(pg_config --bindir)
  mkdir -p "$servers/run"
  chmod 0755 "$servers"
  # shellcheck disable=SC1091  # made here
  [ ! -e "$servers/secrets" ] || . "$servers/secrets"
  superuser_secret=${superuser_secret:-$(new_secret)}
  database_secret=${database_secret:-$(new_secret)}
  broker_secret=${broker_secret:-$(new_secret)}
  postgres_port=$(free_port "${postgres_port:-}")
  rabbitmq_port=$(free_port "${rabbitmq_port:-}")
  epmd_port=$(free_port "${epmd_port:-}")
  dist_port=$(free_port "${dist_port:-}")
  actor_keys=${actor_keys:-1:$(openssl rand -hex 32)}
  ingest_key=${ingest_key:-} viewer_key=${viewer_key:-} operator_key=${operator_key:-}
  write_secrets
  superuser_url=postgresql://postgres:$superuser_secret@127.0.0.1:$postgres_port/postgres
  database_url=postgresql://auth_errors:$database_secret@127.0.0.1:$postgres_port/auth_errors
  amqp_url=amqp://auth_errors:$broker_secret@127.0.0.1:$rabbitmq_port/
}

# ensure_postgres [OPTIONS...]
ensure_postgres() {
  [ -s "$servers/postgres/PG_VERSION" ] || step 'create the PostgreSQL cluster' init_postgres
  step 'start PostgreSQL' start_postgres "$@"
}

# end_server NAME SIGNAL SECONDS
end_server() {
  local pid deadline=$((SECONDS + $3))
  pid=$(running "$servers/run/$1") || return 0
  kill -s "$2" "$pid" 2>/dev/null || true
  while running "$servers/run/$1" >/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
  if running "$servers/run/$1" >/dev/null; then kill -s KILL "$pid" 2>/dev/null || true; fi
  rm -f "$servers/run/$1"
}

stop_servers() {
  end_server service TERM 40
  end_server rabbitmq TERM 30
  end_server epmd TERM 5
  end_server postgres INT 30
}
