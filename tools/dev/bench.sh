# shellcheck shell=bash
# The commands bench and learn, and an installation to measure on.

# start_installation [PART...]: starts a built service with its own servers, in $AUTH_ERRORS_DATA,
# which end with this script. PART: broker, service; default both.
start_installation() {
  local wanted=${*:-broker service}
  binary=$here/build/release/bin/auth-errors
  build release --target auth-errors
  trap stop_servers EXIT
  prepare_servers "$AUTH_ERRORS_DATA"
  # As on a server under load: otherwise the benchmark would measure a checkpoint every few seconds.
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

# The reference for the scrubber's speed: the last version based only on labels and shapes.
scrubber_reference=3c8673548a1b320c31c4e1c322df90a0e91e854c

# compile_scrubber FOLDER PROGRAM: compiles the benchmark with the sources in FOLDER, with the same
# options for both.
compile_scrubber() {
  (cd "$1" && find domain -name '*.cc' -print0 |
    xargs -0 g++ -std=c++23 -O2 -I. bench/scrubber_benchmark.cc -o "$2" -lbenchmark -lpthread)
}

# The minimum of several runs, interleaved with those of the reference.
compare_scrubbers() {
  local folder=$here/build/bench-scrubber _ name
  rm -rf "$folder"
  mkdir -p "$folder/reference"
  git -C "$here" archive "$scrubber_reference" domain bench | tar -x -C "$folder/reference"
  step 'compile the reference' compile_scrubber "$folder/reference" "$folder/reference_benchmark"
  step 'compile the scrubber' compile_scrubber "$here" "$folder/scrubber_benchmark"
  for _ in 1 2 3 4 5; do
    for name in reference scrubber; do
      "$folder/${name}_benchmark" --benchmark_filter='sanitiseTrace/(2048|8192)' --benchmark_min_time=0.2s 2>/dev/null |
        awk -v name="$name" '/^sanitise/ { print name, $1, $2 }' >>"$folder/times"
    done
  done
  awk '{ key = $1 " " $2; if (!(key in least) || $3 < least[key]) least[key] = $3; traces[$2] }
    END { for (trace in traces) printf "%-22s %8d ns, reference %8d ns: %.2f of its speed\n", trace,
      least["scrubber " trace], least["reference " trace], least["reference " trace] / least["scrubber " trace] }' \
    "$folder/times" | sort
}

bench_scrubber() {
  build release --target scrubber_corpus scrubber_benchmark
  "$here/build/release/bin/scrubber_corpus"
  echo
  if git -C "$here" cat-file -e "$scrubber_reference^{commit}" 2>/dev/null; then compare_scrubbers
  else echo "no comparison: this clone does not have the revision $scrubber_reference"
  fi
  echo
  "$here/build/release/bin/scrubber_benchmark"
}

# The weights are only written when all of them are complete.
inner_learn() {
  log_folder=$here/build/log
  build release --target learn_scrubber
  "$here/build/release/bin/learn_scrubber" "$here/tests/corpus/open.tsv" >"$here/build/scrub_weights.cc"
  mv "$here/build/scrub_weights.cc" "$here/domain/scrub/weights.cc"
  build release --target scrubber_corpus
  "$here/build/release/bin/scrubber_corpus"
}

# On the disk of the checkout: without durable commits a measurement would be meaningless.
inner_bench() {
  local name=${1:-ingest}
  log_folder=$here/build/log
  if [ "$name" = scrubber ]; then
    bench_scrubber
    return
  fi
  if [ -e "$here/bench/${name}_benchmark.cc" ]; then
    build release --target "${name}_benchmark"
    "$here/build/release/bin/${name}_benchmark"
    return
  fi
  [ -x "$here/bench/$name" ] || die "there is no benchmark '$name'; available: $(cd "$here/bench" && find . -type f -executable) and *_benchmark.cc"
  build release --target storage_off relay_rounds journey_client
  trap 'exit 130' TERM INT
  # Ingestion is measured without the later stages, and the relay without a service that also
  # relays.
  case $name in
    ingest) AUTH_ERRORS_ROLES=api start_installation service ;;
    relay) start_installation broker ;;
    *) start_installation ;;
  esac
  BASE_URL=${base_url:-} DATABASE_URL=$database_url AMQP_URL=$amqp_url INGEST_KEY=$ingest_key OPERATOR_KEY=$operator_key \
    BENCH_BIN=$here/build/release/bin "$here/bench/$name"
}
