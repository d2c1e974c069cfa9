# shellcheck shell=bash
# shows: a re-scrub of a million errors during ingestion, with a kill, misses nothing, leaves no planted secret and at most doubles the p99 of requests
# takes: 40 min
# where: platform

secret=Tr0ub4dor3xPlanted

value() { psql -qtAX -v ON_ERROR_STOP=1 -c "$1" "$database_url"; }

operator() { curl -fsS -H "Authorization: Bearer $operator_key" "$@"; }

# As a version without the column would have left them: fast, and without dead rows from an update.
# One error in a hundred has a secret, and so has each kind of other text.
plant() {
  psql -qX -v ON_ERROR_STOP=1 -v leak="password=$secret" "$database_url" <<'SQL'
ALTER TABLE auth_error DROP COLUMN scrub_version;
ALTER TABLE auth_error ADD COLUMN scrub_version text;
UPDATE auth_error SET exception_message = left(exception_message, 900) || ' ' || :'leak',
                      stacktrace = left(stacktrace, 7900) || E'\n' || :'leak' WHERE id % 100 = 0;
UPDATE dead_letter SET error = left(error, 900) || ' ' || :'leak', headers = jsonb_build_object('x-note', :'leak'),
                       note = CASE WHEN status <> 'OPEN' THEN :'leak' END;
UPDATE delivery_attempt SET error = left(error, 900) || ' ' || :'leak';
UPDATE decision SET note = :'leak' WHERE id % 50 = 0;
UPDATE cluster SET title = left(title, 200) || ' ' || :'leak' WHERE id % 10 = 0;
UPDATE cluster_route SET fingerprint = fingerprint || jsonb_build_object('message', :'leak') WHERE cluster_id % 10 = 0;
UPDATE cluster_transition SET note = :'leak' WHERE cluster_id % 10 = 0;
UPDATE job SET note = :'leak';
VACUUM ANALYZE auth_error;
SQL
}

# Rows with the secret, over all columns of all tables.
rows_with_secret() {
  value "SELECT string_agg(format('SELECT count(*) AS n FROM %I t WHERE t::text LIKE %L', table_name, '%$secret%'), ' UNION ALL ')
         FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'" |
    { read -r counts; value "SELECT sum(n) FROM ($counts) AS counted"; }
}

# The 99th percentile of ingestion responses in ms, at 160 errors per second.
load() {
  INGEST_KEY=$ingest_key BENCH_PACE_MS=200 wrk -t 2 -c 32 -d "${seconds}s" --latency \
    -s "$here/bench/ingest.lua" "$base_url" | awk '$1 == "result" && $4 == 0 { print $3 }'
}

median() { printf '%s\n' "$@" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

job() { value "SELECT $1 FROM job WHERE id = $job"; }
ended() { [ "$(job status)" = DONE ]; }
is_at() { [ "$(job examined)" -ge "$1" ]; }

verify() {
  local errors=${AUTH_ERRORS_RESCRUB_ERRORS:-1000000} seconds=${AUTH_ERRORS_RESCRUB_SECONDS:-8} filled job total before alone=() beside=() _ code=0 planted took
  # Not settings of the service, which would warn about them.
  unset AUTH_ERRORS_RESCRUB_ERRORS AUTH_ERRORS_RESCRUB_SECONDS
  # The time after which another instance takes over from a killed one.
  export AUTH_ERRORS_JOBS_LEASE_MS=5000
  start_installation >&2
  filled=$(fill_database "$database_url" "$errors" "$servers/postgres" | tee /dev/stderr | tail -n 1) || return 1
  row "$filled"
  stop_server service >&2
  plant
  start_service >&2
  planted=$(rows_with_secret)
  row "$planted rows with a planted secret"

  # Pages left to be written by filling, and statements prepared at first use, must not affect
  # either measurement.
  psql -qX -c CHECKPOINT "$superuser_url"
  load >/dev/null
  for _ in 1 2 3; do alone+=("$(load)"); done

  job=$(operator -X POST "$base_url/api/scrub/reapply" | jq .jobId)
  total=$(job total)
  wait_for 600 service is_at $((errors / 10))
  row "alone: $(job "round(examined / extract(epoch FROM clock_timestamp() - started_at))") rows a second, of $total"
  end_server service KILL 10 >&2
  before=$(job examined)
  start_service >&2
  wait_for 60 service is_at $((before + 1))
  while ! ended; do
    before=$(job examined)
    beside+=("$(load)")
    [ "$(job examined)" -gt "$before" ] || beside=("${beside[@]:0:${#beside[@]}-1}")
  done
  took=$(job "round(extract(epoch FROM finished_at - started_at))")
  row "killed, resumed and done in $took s: $(job examined) rows examined, $(job changed) changed"
  row "p99 of ingestion alone: ${alone[*]}; during the job: ${beside[*]} ms"
  awk -v alone="$(median "${alone[@]}")" -v beside="$(median "${beside[@]}")" \
    'BEGIN { exit !(beside > 0 && beside <= 2 * alone) }' || { row 'p99 more than doubled, or not measured'; code=1; }

  local behind left
  behind=$(value "SELECT count(*) FROM auth_error WHERE scrub_version IS DISTINCT FROM (SELECT scrub_version FROM job WHERE id = $job)")
  left=$(rows_with_secret)
  row "$behind errors behind, $left rows with a planted secret left"
  if [ "$behind" != 0 ] || [ "$left" != 0 ] || [ "$(job changed)" != "$planted" ]; then code=1; fi
  reconcile_database "$database_url" >/dev/null || { row 'rules are broken'; code=1; }
  return "$code"
}
