# shellcheck shell=bash
# shows: with two million errors every rule holds, reads stay fast, the cost of background work depends on new rows only, and searches delay no decision
# takes: 25 min
# where: platform

# request PATH: its time in ms, the median of nine.
request() {
  local _
  for _ in 1 2 3 4 5 6 7 8 9; do
    curl -fsS -o /dev/null -w '%{time_total}\n' -H "Authorization: Bearer $operator_key" "$base_url$1"
  done | sort -n | awk 'NR == 5 { printf "%.1f", $1 * 1000 }'
}

measure_reads() {
  local error
  error=$(value 'SELECT max(id) FROM auth_error')
  row "$(printf '%-10s newest page %s ms, one error with its journey %s ms, clusters %s ms, dead letters %s ms' "$1" \
    "$(request /api/auth-errors)" "$(request "/api/auth-errors/$error")" "$(request /api/clusters)" \
    "$(request /api/dead-letters)")"
}

value() { psql -qtAX -v ON_ERROR_STOP=1 -c "$1" "$database_url"; }

# Through the service, so that they are analysed in addition to the filled errors.
post_errors() {
  local first=$1 now
  now=$(date -u +%FT%TZ)
  seq "$first" $((first + 499)) | sed "s#.*#{\"requestId\":\"growth-&\",\"occurredAt\":\"$now\",\"httpStatus\":401,\
\"exceptionClass\":\"GrowthException\",\"stacktrace\":\"GrowthException: refused\\\\n\\\\tat org.example.Login.check(Login.java:42)\"}#" |
    curl -fsS -o /dev/null -H "Authorization: Bearer $ingest_key" -H 'Content-Type: application/x-ndjson' \
      --data-binary @- "$base_url/api/auth-errors/batch"
  wait_for 60 service analysed
}

analysed() { [ "$(value "SELECT count(*) FROM auth_error WHERE status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED') AND exception_class = 'GrowthException'")" = 0 ]; }

reconciled() {
  local table code=0
  table=$(reconcile_database "$database_url") || code=1
  row "$(printf '%-10s %s rules checked, %s broken' "$1" "$(grep -c '| *[0-9]*$' <<<"$table")" \
    "$(awk -F'|' 'NF == 2 && $2 > 0 && $2 ~ /^ *[0-9]+ *$/' <<<"$table" | wc -l)")"
  [ "$code" = 0 ] || printf '%s\n' "$table" >&2
  return "$code"
}

# PostgreSQL logs the plan of every statement of sessions that start from now on.
log_plans() {
  psql -qX -v ON_ERROR_STOP=1 -d "$superuser_url" <<'SQL'
ALTER DATABASE auth_errors SET session_preload_libraries = 'auto_explain';
ALTER DATABASE auth_errors SET auto_explain.log_min_duration = 0;
ALTER DATABASE auth_errors SET auto_explain.log_analyze = on;
ALTER DATABASE auth_errors SET auto_explain.log_buffers = on;
SQL
}

# cost_of NAME TEXT: time and pages of the first logged statement with this text. Fails above 2,000
# pages (16 MB), more than any number of new errors explains.
cost_of() {
  local text code=0
  text=$(awk -v name="$1" -v text="$2" '
    BEGIN { RS = "LOG:  duration: " }
    !found && index($0, text) {
      found = 1
      pages = 0
      if (match($0, /Buffers: [^\n]*/)) {
        buffers = substr($0, RSTART, RLENGTH)
        while (match(buffers, /(hit|read)=[0-9]+/)) {
          pages += substr(buffers, RSTART + index(substr(buffers, RSTART), "="), RLENGTH)
          buffers = substr(buffers, RSTART + RLENGTH)
        }
      }
      printf "%-40s %7.2f ms, %d pages", name, $1, pages
      bad = pages > 2000
    }
    END {
      if (!found) { printf "%-40s did not run", name; bad = 1 }
      exit bad
    }' "$log_folder/postgres.log") || code=1
  row "$text"
  return "$code"
}

reanalysed() { [ "$(value 'SELECT emptied_up_to IS NULL AND placed_up_to > 0 FROM reanalysis_mark')" = t ]; }
rewound() { grep -q 'UPDATE reanalysis_mark SET rules_from = NULL' "$log_folder/postgres.log"; }

# The background work of the service after a restart, when there is nothing new.
measure_background() {
  wait_for 600 service reanalysed
  log_plans
  stop_server service >&2
  start_service >&2
  wait_for 120 service rewound
  local code=0
  cost_of 'first error too young to place' 'WITH RECURSIVE halving' || code=1
  cost_of 'how far the re-analysis came' 'FROM reanalysis_mark' || code=1
  cost_of 'rules that are behind' 'UPDATE reanalysis_mark SET rules_from = NULL' || code=1
  cost_of 'rules with an age that are due' 'FROM rule r CROSS JOIN LATERAL' || code=1
  if grep -q -e 'SELECT stack_hash FROM cluster_route WHERE version' "$log_folder/postgres.log"; then
    row 'routes of older versions were looked through again'
    code=1
  fi
  return "$code"
}

# decide COUNT: the median and maximum time, in ms, of COUNT decisions on different errors.
decide() {
  value "SELECT id FROM auth_error WHERE status = 'ANALYSIS_COMPLETED' ORDER BY id LIMIT $1" | while read -r error; do
    curl -fsS -o /dev/null -w '%{time_total}\n' -H "Authorization: Bearer $operator_key" \
      -H 'Content-Type: application/json' -d '{"type":"IGNORE"}' "$base_url/api/auth-errors/$error/decisions"
  done | sort -n | awk '{ time[NR] = $1 * 1000 } END { printf "median %.1f ms, longest %.1f ms", time[int((NR + 1) / 2)], time[NR] }'
}

measure_decisions() {
  local searches=() _ alone beside
  alone=$(decide 50)
  row "decisions alone: $alone"
  for _ in 1 2 3 4 5 6 7 8; do
    while :; do
      curl -sS -o /dev/null -H "Authorization: Bearer $operator_key" "$base_url/api/auth-errors?exceptionClass=nope" || true
    done &
    searches+=($!)
  done
  beside=$(decide 50)
  row "decisions during 8 searches without results: $beside"
  kill "${searches[@]}"
  wait "${searches[@]}" 2>/dev/null || true
  # Searches may use their share of the cores, but nothing waits for one to end.
  awk -v alone="${alone##*longest }" -v beside="${beside##*longest }" \
    'BEGIN { exit !(beside + 0 > 0 && beside + 0 <= 2 * (alone + 0) + 50) }' || {
    row "FAILED: searches hold decisions up"
    return 1
  }
}

verify() {
  local errors=${AUTH_ERRORS_FILL:-2000000} filled code=0
  start_installation >&2
  post_errors 1
  measure_reads empty
  filled=$(fill_database "$database_url" "$errors" "$servers/postgres" | tee /dev/stderr | tail -n 2) || return 1
  row "$filled"
  reconciled filled || code=1
  measure_reads filled
  post_errors 1001
  measure_decisions || code=1
  reconciled afterwards || code=1
  measure_background || code=1
  row "$(grep -c -E '"level":"(warn|error)"' "$log_folder/service.log" || true) warnings or errors in the service's log"
  return "$code"
}
