# shellcheck shell=bash
# Fills a database with errors and reconciles it: docs/growth.md. Sourced; requires bash 5 and psql.

fill_tools=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fill_bytes_per_error=5200
fill_chunk_errors=20000
fill_tables=(auth_error outbox_message processed_message auth_error_transition decision dead_letter delivery_attempt
  cluster cluster_route cluster_member cluster_facet cluster_activity cluster_transition job)

fill_refuse() { printf 'fill: %s\n' "$*" >&2; return 1; }

fill_query() { psql -X -qtA -v ON_ERROR_STOP=1 -v VERBOSITY=terse "$@"; }

# fill_has_room FOLDER ERRORS: whether the disk of FOLDER has room for them, plus a third for the
# log.
fill_has_room() {
  local free needed
  free=$(df --output=avail -B1 "$1" | tail -n 1 | tr -d ' ')
  needed=$(($2 * fill_bytes_per_error * 13 / 10))
  [ "$free" -ge "$needed" ] || fill_refuse "$2 errors need $(fill_gigabytes "$needed") on the disk of $1, which has \
$(fill_gigabytes "$free") free; nothing was written"
}

fill_gigabytes() { awk -v bytes="$1" 'BEGIN { printf "%.1f GB", bytes / 1e9 }'; }

# fill_session URL NUMBER SESSIONS CHUNKS PSQL-OPTIONS...: creates each SESSIONS-th chunk, printing
# its errors.
fill_session() {
  local url=$1 number=$2 sessions=$3 chunks=$4
  shift 4
  seq -f 'SELECT pg_temp.fill_chunk(%.0f);' "$number" "$sessions" "$((chunks - 1))" |
    fill_query "$@" -v instance="fill-$((number + 1))" -f "$fill_tools/fill.sql" -f - "$url"
}

# fill_sessions SESSIONS ARGUMENTS...: runs all of them concurrently; fails if one fails.
fill_sessions() {
  local sessions=$1 url=$2 chunks=$3 number code=0 children=()
  shift 3
  for ((number = 0; number < sessions; ++number)); do
    fill_session "$url" "$number" "$sessions" "$chunks" "$@" &
    children+=($!)
  done
  for number in "${children[@]}"; do wait "$number" || code=1; done
  [ "$code" = 0 ] || echo failed
}

# As autovacuum would leave the tables: measurements must not suffer from missing statistics and
# unsummarised block ranges.
fill_vacuum() {
  vacuumdb --quiet --analyze --jobs="$(nproc)" "${fill_tables[@]/#/--table=}" "--dbname=$1"
}

# fill_database URL ERRORS [FOLDER]: FOLDER is on the disk of the server's data, if that is local.
# Each chunk is one transaction, so that an interrupted fill leaves a consistent database.
fill_database() {
  local url=$1 total=${2:-} folder=${3:-} began=$EPOCHREALTIME
  [[ $total =~ ^[1-9][0-9]{0,8}$ ]] || { fill_refuse "wants a number of errors, not '$total'"; return 1; }
  if [ -n "$folder" ]; then
    fill_has_room "$folder" "$total" || return 1
  else
    echo "the server's disk can't be seen from here; it needs $(fill_gigabytes $((total * fill_bytes_per_error * 13 / 10)))"
  fi
  local plan run first from until since letters
  plan=$(fill_query -v total="$total" -f "$fill_tools/fill_begin.sql" "$url") || return 1
  IFS='|' read -r run first from until since letters <<<"$plan"

  local chunks=$(((total + fill_chunk_errors - 1) / fill_chunk_errors)) sessions
  sessions=$(nproc)
  [ "$sessions" -le "$chunks" ] || sessions=$chunks
  local line errors=0 done=0 ended=yes interrupted=no
  trap 'interrupted=yes' INT TERM
  while read -r line; do
    if [ "$line" = failed ]; then ended=no; continue; fi
    done=$((done + 1)) errors=$((errors + line))
    awk -v done="$done" -v all="$chunks" -v errors="$errors" -v began="$began" -v now="$EPOCHREALTIME" 'BEGIN {
      printf "[%d/%d] %d errors, %d a second, %.0f s\n", done, all, errors, errors / (now - began), now - began }'
  done < <(fill_sessions "$sessions" "$url" "$chunks" -v total="$total" -v chunk="$fill_chunk_errors" -v run="$run" \
    -v first_id="$first" -v received_from="$from" -v received_until="$until" -v occurred_from="$since" \
    -v open_letters="$letters")
  trap - INT TERM
  if [ "$interrupted" = yes ] || [ "$ended" = no ]; then
    fill_refuse "stopped after $errors of $total errors; the database is consistent, and another fill adds to it"
    return 1
  fi
  fill_query -o /dev/null -f "$fill_tools/fill_finish.sql" "$url" || return 1
  fill_vacuum "$url" || return 1
  awk -v errors="$errors" -v began="$began" -v now="$EPOCHREALTIME" \
    -v size="$(fill_query -c 'SELECT pg_database_size(current_database())' "$url")" 'BEGIN {
    printf "%d errors in %.0f s, vacuum included; the database has %.2f GB\n", errors, now - began, size / 1e9 }'
}

# reconcile_database URL: prints each rule with the number of violations; fails if there are any.
reconcile_database() {
  local table broken
  table=$(psql -X -q -v ON_ERROR_STOP=1 -f "$fill_tools/reconcile.sql" "$1") || return 1
  printf '%s\n' "$table"
  broken=$(awk -F'|' 'NF == 2 && $2 ~ /^ *[0-9]+ *$/ && $2 > 0' <<<"$table" | wc -l)
  [ "$broken" = 0 ] || { printf 'reconcile: %s rules are broken\n' "$broken" >&2; return 1; }
}

# inner_fill ERRORS: fills the database of the service running with the data in $AUTH_ERRORS_DATA.
inner_fill() {
  local folder=$AUTH_ERRORS_DATA/postgres
  # shellcheck disable=SC1091  # written by run
  . "$AUTH_ERRORS_DATA/env"
  [ -d "$folder" ] || folder=
  fill_database "$DATABASE_URL" "${1:-}" "$folder"
}

inner_reconcile() {
  # shellcheck disable=SC1091  # written by run
  . "$AUTH_ERRORS_DATA/env"
  reconcile_database "$DATABASE_URL"
}
