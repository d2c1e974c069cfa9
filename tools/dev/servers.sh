# shellcheck shell=bash
# Private PostgreSQL and RabbitMQ servers: processes, ports, secrets.

# as_user USER: sets `prefix`, which runs a command as USER if the current user is root, and
# unchanged otherwise.
as_user() {
  prefix=(env)
  if [ "$(id -u)" = 0 ] && [ "$1" != root ]; then
    prefix=(setpriv --reuid="$1" --regid="$1" --clear-groups --)
  fi
}

# spawn NAME USER COMMAND...: runs it in the background in its own process group, as USER if root;
# records its process id and start time in $servers/run/NAME. A subshell waits for it and records
# its exit status in NAME.end, because the step that calls spawn ends long before the server does.
spawn() {
  local name=$1 user=$2
  shift 2
  local prefix
  as_user "$user"
  rm -f "$servers/run/$name"
  (
    # USER must be able to enter the folder: RabbitMQ does not start in an inaccessible one.
    cd "$servers" || exit
    setsid "${prefix[@]}" "$@" >>"$log_folder/$name.log" 2>&1 </dev/null &
    pid=$! code=0
    echo "$pid $(start_time "$pid")" >"$servers/run/$name.part"
    mv "$servers/run/$name.part" "$servers/run/$name"
    wait "$pid" || code=$?
    echo "$pid $code" >"$servers/run/$name.end.part"
    mv "$servers/run/$name.end.part" "$servers/run/$name.end"
    if [ -p "$servers/run/wake" ]; then echo "$name" 1<>"$servers/run/wake"; fi
  ) >/dev/null 2>&1 </dev/null &
  until [ -e "$servers/run/$name" ]; do sleep 0.01; done
}

# Empty for a process that is gone, or has ended and is waiting to be reaped.
start_time() { sed -n 's/.*) //; /^[^ZX]/p' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f20; }

# running FILE: the process id recorded in FILE, if that same process is still running.
running() {
  local pid started
  [ -e "$1" ] && read -r pid started <"$1" && [ -n "$started" ] && [ "$(start_time "$pid")" = "$started" ] &&
    echo "$pid"
}

own() { [ "$(id -u)" != 0 ] || chown -R "$1:$1" "$2"; }

port_taken() { [ -n "$(ss -Hltn "sport = :$1")" ]; }

# A chosen port stays free until its server listens. Until then a folder named after the port reserves it
# for all clones of all users.
port_folder=/tmp/auth-errors-ports
port_first=20000 port_count=12000
port_lease_minutes=10

share_port_folder() {
  mkdir -p "$port_folder" 2>/dev/null || true
  chmod 1777 "$port_folder" 2>/dev/null || true
  if [ ! -w "$port_folder" ]; then
    port_folder=$cache/ports
    mkdir -p "$port_folder"
  fi
  export AUTH_ERRORS_PORTS=$port_folder
}

# free_port [LAST]: the last one again if it is free, so that addresses survive a restart.
free_port() {
  local port=${1:-} folder=${AUTH_ERRORS_PORTS:-$port_folder} lock tries
  mkdir -p "$folder"
  exec {lock}<"$folder"
  flock "$lock"
  for tries in {1..1000}; do
    if [ -n "$port" ] && ! port_taken "$port" && claim_port "$folder/$port"; then
      exec {lock}<&-
      echo "$port"
      return
    fi
    port=$((port_first + RANDOM % port_count))
  done
  die "no free port found in $tries tries; see $folder"
}

# claim_port FOLDER: replaces an expired claim, unless it belongs to another user. REQUIRES: the
# caller holds the lock on the parent folder.
claim_port() {
  find "$1" -maxdepth 0 -mmin "+$port_lease_minutes" -exec rmdir {} + 2>/dev/null || true
  mkdir "$1" 2>/dev/null
}

# release_ports PORT...: called once their servers listen.
release_ports() {
  local port
  for port in "$@"; do rmdir "${AUTH_ERRORS_PORTS:-$port_folder}/$port" 2>/dev/null || true; done
}

# wait_for SECONDS NAME COMMAND...: waits until COMMAND succeeds; fails immediately if server NAME
# ends.
wait_for() {
  local deadline=$((SECONDS + $1)) name=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    if ! running "$servers/run/$name" >/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
      tail -n 20 "$log_folder/$name.log"
      echo "$name did not become ready"
      return 1
    fi
    sleep 0.1
  done
  # The answer may have come from another process on the same port.
  running "$servers/run/$name" >/dev/null || { echo "$name has ended; its port is used by another process"; return 1; }
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

# start_postgres [OPTIONS...]: sized for a database of a few gigabytes; with PostgreSQL's defaults
# every page of its indexes would be written out and logged repeatedly.
start_postgres() {
  spawn postgres postgres "$postgres_bin/postgres" -D "$servers/postgres" -p "$postgres_port" \
    -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 \
    -c shared_buffers=512MB -c max_wal_size=4GB "$@"
  wait_for 60 postgres pg_isready -q -h 127.0.0.1 -p "$postgres_port"
  release_ports "$postgres_port"
}

create_database() {
  psql -v ON_ERROR_STOP=1 -qd "$superuser_url" <<SQL
SELECT 'CREATE ROLE auth_errors LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'auth_errors') \gexec
ALTER ROLE auth_errors PASSWORD '$database_secret';
SELECT 'CREATE DATABASE auth_errors OWNER auth_errors'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'auth_errors') \gexec
SQL
}

# Our own epmd in the foreground: one started by Erlang itself would outlive the broker.
start_epmd() {
  if running "$servers/run/epmd" >/dev/null; then return; fi
  spawn epmd rabbitmq env HOME="$servers/rabbitmq" epmd -port "$epmd_port" -address 127.0.0.1
  wait_for 10 epmd port_taken "$epmd_port"
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
  start_epmd
  spawn rabbitmq rabbitmq "${settings[@]}" RUNNING_UNDER_SYSTEMD=1 \
    RABBITMQ_NODENAME=auth-errors@localhost RABBITMQ_DIST_PORT="$dist_port" \
    RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/log" \
    RABBITMQ_PID_FILE="$folder/pid" RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
    RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" RABBITMQ_CONF_ENV_FILE="$folder/none" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}' \
    "$lib/rabbitmq-server"
  wait_for 90 rabbitmq port_taken "$rabbitmq_port"
  release_ports "$rabbitmq_port" "$epmd_port" "$dist_port"
}

write_secrets() {
  local name
  (umask 077 && for name in superuser_secret database_secret broker_secret postgres_port rabbitmq_port \
    epmd_port dist_port actor_keys ingest_key viewer_key operator_key; do
    echo "$name=${!name}"
  done >"$servers/secrets")
}

# actor_keys_of URL: the same for all installations that share a database, which must have the same
# keys. Derived from user, password and database name, because host and port may change.
actor_keys_of() {
  printf '1:%s' "$(sed -E 's#@[^/]*/#@/#' <<<"$1" | sha256sum | cut -c1-64)"
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
  ingest_key=${ingest_key:-} viewer_key=${viewer_key:-} operator_key=${operator_key:-}
  superuser_url=postgresql://postgres:$superuser_secret@127.0.0.1:$postgres_port/postgres
  database_url=postgresql://auth_errors:$database_secret@127.0.0.1:$postgres_port/auth_errors
  actor_keys=${actor_keys:-$(actor_keys_of "$database_url")}
  write_secrets
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

stop_server() {
  case $1 in
    service) end_server service TERM 40 ;;
    rabbitmq) end_server rabbitmq TERM 30 ;;
    epmd) end_server epmd TERM 5 ;;
    postgres) end_server postgres INT 30 ;;
  esac
}

stop_servers() {
  local name
  for name in service rabbitmq epmd postgres; do stop_server "$name"; done
}

# address_of URL PORT: host:port without user and password; PORT is the default. Empty if the URL
# names no host, as for a Unix socket.
address_of() {
  local rest=$1 host
  case $rest in
    amqps://*) set -- "$1" 5671 ;;
    *://*) ;;
    *) # libpq's keywords and values
      host=$(grep -oP "(^|\\s)host\\s*=\\s*'?\\K[^'\\s]+" <<<"$rest") || return 0
      rest=x://$host:$(grep -oP "(^|\\s)port\\s*=\\s*'?\\K[0-9]+" <<<"$rest" || echo "$2") ;;
  esac
  rest=${rest#*://}
  rest=${rest%%[/?]*}
  rest=${rest##*@}
  case $rest in
    '' | %2[Ff]*) ;;
    *\]:* | *,*) echo "$rest" ;;
    *\]) echo "$rest:$2" ;;
    *:*) echo "$rest" ;;
    *) echo "$rest:$2" ;;
  esac
}

# answers ADDRESS: whether a server listens on it, or on one of several separated by commas.
answers() {
  local address host addresses
  IFS=, read -ra addresses <<<"$1"
  for address in "${addresses[@]}"; do
    host=${address%:*} host=${host#[} host=${host%]}
    # shellcheck disable=SC2016  # expanded by the inner shell
    ! timeout 5 bash -c 'exec 3<>"/dev/tcp/$0/$1"' "$host" "${address##*:}" 2>/dev/null || return 0
  done
  return 1
}

# explain_server TITLE VARIABLE PORT: prints which server is used and why; fails if the one named in
# the environment does not respond.
explain_server() {
  local url=${!2:-} address
  if [ -z "$url" ]; then
    echo "$1: its own, started here"
    return
  fi
  address=$(address_of "$url" "$3")
  echo "$1: external, from $2 (${address:-no TCP address})"
  [ -z "$address" ] || answers "$address" ||
    die "$2 is set, but no $1 responds at $address: start it, or unset $2 to let ./dev start one"
}
