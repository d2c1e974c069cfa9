# shellcheck shell=bash
# shows: the service on a million errors: every rule of the policy holds, reads and ingestion stay fast
# takes: 10 min
# where: platform

# request PATH: its time in ms, the middle one of nine.
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

# Through the service, so that each is analysed on top of what was filled in.
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

verify() {
  local errors=${AUTH_ERRORS_FILL:-1000000} filled code=0
  start_installation >&2
  post_errors 1
  measure_reads empty
  filled=$(fill_database "$database_url" "$errors" "$servers/postgres" | tee /dev/stderr | tail -n 2) || return 1
  row "$filled"
  reconciled filled || code=1
  measure_reads filled
  post_errors 1001
  reconciled afterwards || code=1
  row "$(grep -c -E '"level":"(warn|error)"' "$log_folder/service.log" || true) warnings or errors in the service's log"
  return "$code"
}
