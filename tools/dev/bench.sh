# shellcheck shell=bash
# The command bench.

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
  build release --target auth-errors storage_off relay_rounds journey_client
  trap 'exit 130' TERM INT
  trap stop_servers EXIT
  prepare_servers "$AUTH_ERRORS_DATA"
  # As on a server that is meant for load: a checkpoint each quarter of a minute would be measured else.
  ensure_postgres -c max_wal_size=8GB -c checkpoint_timeout=30min
  step 'create role and database' create_database
  binary=$here/build/release/bin/auth-errors
  step 'migrate the database' migrate
  # Storing is measured without what follows it, and the relay without a service that does the same.
  if [ "$name" = ingest ]; then export AUTH_ERRORS_ROLES=api; else step 'start RabbitMQ' start_rabbitmq; fi
  if [ "$name" != relay ]; then
    port=$(free_port)
    base_url=http://127.0.0.1:$port
    ensure_keys
    step 'start the service' start_service
  fi
  BASE_URL=${base_url:-} DATABASE_URL=$database_url AMQP_URL=$amqp_url INGEST_KEY=$ingest_key OPERATOR_KEY=$operator_key \
    BENCH_BIN=$here/build/release/bin "$here/bench/$name"
}
