# shellcheck shell=bash
# The command bench, and an installation to measure on.

# start_installation [PART...]: a built service with servers of its own, in $AUTH_ERRORS_DATA, ended with
# this script. PART: broker, service; both unless told.
start_installation() {
  local wanted=${*:-broker service}
  binary=$here/build/release/bin/auth-errors
  build release --target auth-errors
  trap stop_servers EXIT
  prepare_servers "$AUTH_ERRORS_DATA"
  # As on a server that is meant for load: otherwise a checkpoint every few seconds would be measured.
  ensure_postgres -c max_wal_size=8GB -c checkpoint_timeout=30min
  step 'create role and database' create_database
  step 'migrate the database' migrate
  case $wanted in *broker*) step 'start RabbitMQ' start_rabbitmq ;; esac
  case $wanted in *service*)
    port=$(free_port)
    base_url=http://127.0.0.1:$port
    ensure_keys
    step 'start the service' start_service ;;
  esac
}

# On the disk that holds the checkout: a measurement without durable commits would say nothing.
inner_bench() {
  local name=${1:-ingest}
  log_folder=$here/build/log
  if [ -e "$here/bench/${name}_benchmark.cc" ]; then
    build release --target "${name}_benchmark"
    "$here/build/release/bin/${name}_benchmark"
    return
  fi
  [ -x "$here/bench/$name" ] || die "there is no bench '$name'; there is: $(cd "$here/bench" && find . -type f -executable) and *_benchmark.cc"
  build release --target storage_off relay_rounds journey_client
  trap 'exit 130' TERM INT
  # Storing is measured without what follows it, and the relay without a service that does the same.
  case $name in
    ingest) AUTH_ERRORS_ROLES=api start_installation service ;;
    relay) start_installation broker ;;
    *) start_installation ;;
  esac
  BASE_URL=${base_url:-} DATABASE_URL=$database_url AMQP_URL=$amqp_url INGEST_KEY=$ingest_key OPERATOR_KEY=$operator_key \
    BENCH_BIN=$here/build/release/bin "$here/bench/$name"
}
