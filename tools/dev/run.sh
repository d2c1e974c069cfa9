# shellcheck shell=bash
# The commands run, stop and psql, and the supervisor that owns what run starts.

migrate() { DATABASE_URL=$database_url "$binary" migrate --config "$here/config.json"; }

# One key of each role, without a rate limit. Made once; again when the database does not know them.
make_keys() {
  local role name key digest known taken secret
  for role in ingest viewer operator; do
    key=${role}_key name=dev-$role
    digest=$(printf %s "${!key}" | sha256sum | cut -c1-64)
    known=$(count_keys "secret_digest = decode('$digest', 'hex') AND revoked_at IS NULL")
    [ "$known" = 0 ] || continue
    taken=$(count_keys "name = '$name'")
    [ "$taken" = 0 ] || name=$name-$(openssl rand -hex 4)
    secret=$(DATABASE_URL=$database_url "$binary" keys create --config "$here/config.json" \
      --name "$name" --role "$role" --rate-limit 0)
    printf -v "$key" %s "$secret"
    write_secrets
  done
}

count_keys() { psql -v ON_ERROR_STOP=1 -qtAd "$database_url" -c "SELECT count(*) FROM api_key WHERE $1"; }

ensure_keys() {
  step 'make the API keys' make_keys
  # shellcheck disable=SC1091  # made here
  . "$servers/secrets"
}

start_service() {
  export DATABASE_URL=$database_url AMQP_URL=$amqp_url AUTH_ERRORS_PORT=$port AUTH_ERRORS_LISTEN=127.0.0.1
  export AUTH_ERRORS_ACTOR_KEYS=${AUTH_ERRORS_ACTOR_KEYS:-$actor_keys}
  spawn service root "$binary" serve --config "$here/config.json"
  wait_for 30 service curl -fsS "$base_url/health/ready"
}

write_env() {
  (umask 077 && cat >"$servers/env.part" <<ENV
BASE_URL=$base_url
DATABASE_URL='$database_url'
AMQP_URL='$amqp_url'
INGEST_KEY=$ingest_key
VIEWER_KEY=$viewer_key
OPERATOR_KEY=$operator_key
ENV
  )
  mv "$servers/env.part" "$servers/env"
}

print_welcome() {
  cat <<TEXT

auth-errors is ready at $base_url (data, logs and env in $AUTH_ERRORS_SHOWN_DATA). Try:

  curl -i $base_url/api/auth-errors -H 'Authorization: Bearer $ingest_key' \\
    -H 'Content-Type: application/json' -d '{"requestId": "demo-1",
    "occurredAt": "$(date -u +%FT%TZ)", "httpStatus": 401, "exceptionClass": "BadCredentialsException",
    "stacktrace": "BadCredentialsException: bad credentials\n\tat com.example.Login.check(Login.java:42)"}'

TEXT
}

# The process that owns everything `run` starts; it ends them in order when told to.
inner_supervise() {
  port=$1
  base_url=http://127.0.0.1:$port
  binary=$here/build/release/bin/auth-errors
  log_folder=$AUTH_ERRORS_DATA/log
  trap 'stop_servers; exit 0' TERM INT
  prepare_servers "$AUTH_ERRORS_DATA"
  database_url=${GIVEN_DATABASE_URL:-$database_url} amqp_url=${GIVEN_AMQP_URL:-$amqp_url}
  [ -n "${GIVEN_DATABASE_URL:-}" ] || { ensure_postgres; step 'create role and database' create_database; }
  [ -n "${GIVEN_AMQP_URL:-}" ] || step 'start RabbitMQ' start_rabbitmq
  step 'migrate the database' migrate
  ensure_keys
  step 'start the service' start_service
  write_env
  print_welcome
  touch "$servers/run/ready"
  while running "$servers/run/service" >/dev/null; do
    sleep 1 & wait $! || true
  done
  echo "the service has ended; its log: $AUTH_ERRORS_SHOWN_DATA/log/service.log"
  stop_servers
  exit 1
}

command_run() {
  local detach=no given_port=8080
  while [ $# -gt 0 ]; do
    case $1 in
      --detach) detach=yes ;;
      --port) given_port=${2:?--port needs a number}; shift ;;
      --data) shift ;;
      *) die "run does not know '$1'; see ./dev help" ;;
    esac
    shift
  done
  [[ $given_port =~ ^[0-9]+$ ]] && [ "$given_port" -ge 1 ] && [ "$given_port" -le 65535 ] ||
    die "--port takes a number from 1 to 65535, not '$given_port'"
  mkdir -p "$data/run" "$data/log"
  if running "$data/run/supervisor" >/dev/null; then
    die "already running with the data in $data: ./dev stop first, or choose another --data"
  fi
  ! (exec 3<>"/dev/tcp/127.0.0.1/$given_port") 2>/dev/null ||
    die "port $given_port is taken: choose another with --port"
  ensure_platform
  prepare_entrance
  inside inner_build release --target auth-errors
  rm -f "$data/run/ready"
  export GIVEN_DATABASE_URL=${DATABASE_URL:-} GIVEN_AMQP_URL=${AMQP_URL:-}
  : >"$data/log/run.log"
  chmod 0600 "$data/log/run.log" # the curl in it has a key
  start_supervisor "$detach" "$given_port"
  tail -n +1 -f --pid="$supervisor" "$data/log/run.log" 2>/dev/null &
  local tail=$!
  trap 'trap - INT TERM; command_stop; exit 130' INT TERM
  while [ ! -e "$data/run/ready" ] && running "$data/run/supervisor" >/dev/null; do
    sleep 0.2 & wait $! || true
  done
  if [ ! -e "$data/run/ready" ]; then wait "$tail" || true; exit 1; fi
  if [ "$detach" = no ]; then
    while running "$data/run/supervisor" >/dev/null; do sleep 1 & wait $! || true; done
    exit 1
  fi
  sleep 0.3
  kill "$tail" 2>/dev/null || true
}

# Starts the supervisor in a session of its own, so that a terminal's Ctrl-C reaches only this script.
start_supervisor() {
  local line=("${enter[@]}") inner
  if ! on_debian_14; then
    [ "$1" = yes ] || line+=(--die-with-parent)
    line+=(--info-fd 6 bash "$here/dev")
  fi
  : >"$data/run/info"
  setsid "${line[@]}" inner_supervise "$2" >>"$data/log/run.log" 2>&1 </dev/null 6>"$data/run/info" &
  supervisor=$!
  if ! on_debian_14; then
    # The process inside, whose signals it can handle; bubblewrap itself would just die of them.
    until inner=$(grep -o '"child-pid": [0-9]*' "$data/run/info"); do
      kill -0 "$supervisor" 2>/dev/null || { cat "$data/log/run.log" >&2; die 'the sandbox did not start'; }
      sleep 0.05
    done
    supervisor=${inner##* }
  fi
  echo "$supervisor $(start_time "$supervisor")" >"$data/run/supervisor"
}

command_stop() {
  local pid name
  if ! pid=$(running "$data/run/supervisor"); then
    # A supervisor that was killed on Debian 14 leaves its servers; in a sandbox they die with it.
    ! on_debian_14 || { servers=$data; stop_servers; }
    echo "nothing is running with the data in $data"
    return
  fi
  kill -TERM "$pid"
  local deadline=$((SECONDS + 120))
  while running "$data/run/supervisor" >/dev/null && [ "$SECONDS" -lt "$deadline" ]; do sleep 0.1; done
  ! running "$data/run/supervisor" >/dev/null || die "process $pid does not end; its log: $data/log/run.log"
  rm -f "$data/run/supervisor" "$data/run/ready" "$data/env"
  echo 'stopped'
}

inner_psql() {
  # shellcheck disable=SC1091  # written by run
  . "$AUTH_ERRORS_DATA/env"
  psql "$DATABASE_URL" "$@"
}
