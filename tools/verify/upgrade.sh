# shellcheck shell=bash
# shows: a rolling upgrade and a rollback lose nothing: the previous version and this one share a database and a broker, with messages in flight in both directions
# takes: 8 min
# where: platform

# Errors per batch, and seconds between batches.
batch_errors=100 batch_interval=0.5
# Leases and claims of a killed instance last a minute; waiting for them takes 10 s at a time.
drain_seconds=300

# Not local: the servers are ended after `verify` has returned.
declare -gA checkouts=() ports=()
previous='' passed_over=0 load=''

# migration_changes REVISION: the changes to its migrations since then, as reported by git.
migration_changes() { git -C "$here" diff --no-renames --name-status "$1" -- migrations; }

only_added() { ! grep -qv '^A' <<<"$1"; }

# Sets `previous`: AUTH_ERRORS_PREVIOUS, or the newest revision with fewer migrations. Revisions
# with a migration that was changed later are skipped: they were never released, and `migrate` would
# refuse their database.
find_previous() {
  local wanted=${AUTH_ERRORS_PREVIOUS:-} commit changes
  # Not a setting of the service, which would warn about it.
  unset AUTH_ERRORS_PREVIOUS
  if [ -n "$wanted" ]; then
    previous=$(git -C "$here" rev-parse --verify --quiet "$wanted^{commit}") || die "unknown revision '$wanted'"
    changes=$(migration_changes "$previous")
    [ -z "$changes" ] || only_added "$changes" ||
      die "migrations of $wanted were changed later, so migrate would refuse them:" "$(grep -v '^A' <<<"$changes")"
    return
  fi
  while read -r commit; do
    changes=$(migration_changes "$commit")
    [ -n "$changes" ] || continue
    if only_added "$changes"; then
      previous=$commit
      return
    fi
    passed_over=$((passed_over + 1))
  done < <(git -C "$here" rev-list --first-parent HEAD)
  die 'no revision before this one has fewer migrations, all of them unchanged: set AUTH_ERRORS_PREVIOUS'
}

# Builds the previous version with its own ./dev, in a folder that is kept for the next run.
build_previous() {
  local folder=${checkouts[previous]}
  if [ "$(cat "$folder.revision" 2>/dev/null)" != "$previous" ]; then
    rm -rf "$folder" "$folder.revision"
    mkdir -p "$folder"
    git -C "$here" archive "$previous" | tar -x -C "$folder"
    echo "$previous" >"$folder.revision"
  fi
  # The folder is not a checkout: the revision of the surrounding one is not its own.
  GIT_CEILING_DIRECTORIES=$here/build/verify "$folder/dev" inner_build release --target auth-errors
}

build_versions() {
  checkouts=([previous]=$here/build/verify/previous [current]=$here)
  build_previous
  build release --target auth-errors
}

# as_version previous|current COMMAND...: with the checkout, binary, port, processes and logs of
# that version, so that the functions of ./dev for a single service work for both.
as_version() {
  local here=${checkouts[$1]} port=${ports[$1]} servers=$servers/$1 log_folder=$log_folder/upgrade-$1
  # shellcheck disable=SC2034  # read by what is called
  local binary=$here/build/release/bin/auth-errors base_url=http://127.0.0.1:$port
  "${@:2}"
}

start_servers() {
  local version
  prepare_servers "$AUTH_ERRORS_DATA"
  work=$AUTH_ERRORS_DATA/upgrade
  mkdir -p "$work"
  : >"$work/answers"
  : >"$work/given_up"
  : >"$log_folder/upgrade-load.log"
  for version in previous current; do
    mkdir -p "$servers/$version/run" "$log_folder/upgrade-$version"
    : >"$log_folder/upgrade-$version/service.log"
    ports[$version]=$(free_port)
  done
  trap end_all EXIT
  ensure_postgres
  step 'create role and database' create_database
  step 'start RabbitMQ' start_rabbitmq
}

end_all() {
  local version
  [ -z "$load" ] || kill "$load" 2>/dev/null || true
  for version in previous current; do as_version "$version" stop_server service || true; done
  stop_servers
}

# take TITLE COMMAND...: a step that must succeed; if it does not, the result says so.
take() {
  local status
  attempt "$@" >&2
  [ "$status" = 0 ] || { row "failed: $1"; exit 1; }
}

start() { take "start the $1 version${2:+ $2}" as_version "$1" start_service; }
stop() { take "stop the $1 version" as_version "$1" stop_server service; }
kill_9() { take "kill the $1 version" as_version "$1" end_server service KILL 10; }

# Logs to the service's log, which is searched for warnings.
migrate_logged() { migrate 2>&1 | tee -a "$log_folder/service.log"; }

# write_batch NUMBER: errors that no other batch has, with seven stack hashes and twenty users.
write_batch() {
  jq -nc --arg batch "$1" --arg now "$(date -u +%FT%TZ)" --argjson errors "$batch_errors" 'range($errors) |
    { requestId: "upgrade-\($batch)-\(.)", occurredAt: $now, httpStatus: 401, serviceName: "upgrade",
      userId: "user\(. % 20)", exceptionClass: "UpgradeException\(. % 7)",
      stacktrace: "UpgradeException\(. % 7): refused\n\tat org.example.Login\(. % 7).check(Login.java:42)" }' >"$work/batch"
}

# send VERSION NUMBER: posts the batch and records a line "STATUS VERSION REQUEST-ID" for each
# error; fails unless all are stored, now or earlier.
send() {
  local answer
  answer=$(curl --noproxy '*' -fsS -m 10 -H "Authorization: Bearer $ingest_key" -H 'Content-Type: application/x-ndjson' \
    --data-binary @"$work/batch" "http://127.0.0.1:${ports[$1]}/api/auth-errors/batch" 2>>"$log_folder/upgrade-load.log" |
    jq -r --arg version "$1" --arg batch "$2" '.results[] | "\(.status) \($version) upgrade-\($batch)-\(.index)"') || return 1
  printf '%s\n' "$answer" >>"$work/answers"
  ! grep -qv '^20[01] ' <<<"$answer"
}

# deliver NUMBER: sends to one version or, if that fails, to the other with the same request ids, as
# clients do. Every fifth batch is also sent to the other one, which must recognise it.
deliver() {
  local number=$1 one=previous other=current turn
  [ $((number % 2)) = 0 ] || one=current other=previous
  write_batch "$number"
  for turn in "$one $other" "$other $one" "$one $other" "$other $one"; do
    send "${turn% *}" "$number" || continue
    [ $((number % 5)) != 0 ] || send "${turn#* }" "$number" || true
    return 0
  done
  return 1
}

# keep_delivering NUMBER: sends batches from that number on, until $work/stop exists.
keep_delivering() {
  local number=$1 pause
  until [ -e "$work/stop" ]; do
    sleep "$batch_interval" &
    pause=$!
    deliver "$number" || echo "$number" >>"$work/given_up"
    number=$((number + 1))
    wait "$pause" || true
  done
}

# The request ids that received a 2xx.
accepted() { awk '$1 ~ /^20[01]$/ { print $3 }' "$work/answers" | sort -u; }

# under_load SECONDS TITLE: fails if nothing is accepted meanwhile.
under_load() {
  local before after
  before=$(accepted | wc -l)
  sleep "$1"
  after=$(accepted | wc -l)
  row "$(printf '%-52s %5d errors accepted in %d s' "$2" $((after - before)) "$1")"
  [ "$after" -gt "$before" ]
}

# Sets the caller's `code` if nothing was accepted in one of the phases. Must not be called in a
# condition, because of `take`.
upgrade_under_load() {
  keep_delivering 11 &
  load=$!
  under_load 4 'the previous version' || code=1
  take 'migrate under load' as_version current migrate_logged
  under_load 3 'the previous version, on the new schema' || code=1
  start current
  under_load 6 'both' || code=1
  kill_9 previous
  start previous 'after its kill'
  under_load 6 'both, the previous version killed before' || code=1
  kill_9 current
  under_load 2 'the previous version, this one just killed' || code=1
  start current 'after its kill'
  under_load 6 'both, this version killed before' || code=1
  stop previous
  under_load 6 'this version' || code=1
  start previous 'to go back'
  stop current
  under_load 8 'the previous version, after the rollback' || code=1
  start current 'for good'
  stop previous
  under_load 6 'this version, for good' || code=1
  touch "$work/stop"
  wait "$load" || code=1
  load=''
}

value() { psql -qtAX -v ON_ERROR_STOP=1 -c "$1" "$database_url"; }

# Errors, events and ledger rows that are not done.
unfinished() {
  value "SELECT (SELECT count(*) FROM auth_error WHERE status IN ('NEW', 'RETRY', 'ANALYSIS_REQUESTED'))
    || ' ' || (SELECT count(*) FROM outbox_message WHERE status IN ('PENDING', 'PROCESSING'))
    || ' ' || (SELECT count(*) FROM processed_message WHERE status IN ('PENDING', 'PROCESSING', 'RETRY_WAIT'))"
}

# In the environment of the broker, whose user owns the cookie.
list_queues() {
  local folder=$AUTH_ERRORS_DATA/rabbitmq prefix control
  control=$(find /usr/lib/rabbitmq -path '*/sbin/rabbitmqctl' | head -n 1)
  as_user rabbitmq
  (cd "$AUTH_ERRORS_DATA" && "${prefix[@]}" env HOME="$folder" ERL_EPMD_PORT="$epmd_port" ERL_EPMD_ADDRESS=127.0.0.1 \
    RABBITMQ_NODENAME=auth-errors@localhost RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/log" \
    RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" \
    RABBITMQ_CONF_ENV_FILE="$folder/none" timeout 60 "$control" --quiet --node auth-errors@localhost list_queues name messages)
}

# queued PATTERN: the number of messages in queues whose names match it.
queued() {
  local queues
  queues=$(list_queues 2>>"$log_folder/upgrade-queues.log" | awk '$2 ~ /^[0-9]+$/') && [ -n "$queues" ] || { echo unknown; return; }
  awk -v pattern="$1" '$1 ~ pattern { messages += $2 } END { print messages + 0 }' <<<"$queues"
}

work_queues='[.](work|dead|retry[.][0-9]+)$' parking_queue='[.]foreign$'

# Nothing is left that could still become an effect or a dead letter.
drained() { [ "$(unfinished)" = '0 0 0' ] && [ "$(queued "$work_queues")" = 0 ]; }

# log_of VERSION FILTER: applies jq, ignoring lines that are not JSON.
log_of() { jq -rR "fromjson? | $2" "$log_folder/upgrade-$1/service.log"; }

# Counts events by publishing and completing version: lines "VERSION VERSION COUNT".
crossings() {
  local version instance rows=''
  for version in previous current; do
    while read -r instance; do rows+="${rows:+, }('$instance', '$version')"
    done < <(log_of "$version" 'select(.event == "delivery.started") | .instance')
  done
  [ -n "$rows" ] || return 0
  value "WITH instance (name, version) AS (VALUES $rows)
    SELECT publisher.version || ' ' || consumer.version || ' ' || count(*)
    FROM outbox_message m JOIN processed_message p ON p.outbox_id = m.id
    JOIN instance publisher ON publisher.name = m.published_by JOIN instance consumer ON consumer.name = p.completed_by
    GROUP BY publisher.version, consumer.version ORDER BY 1"
}

warnings() {
  log_of "$1" 'select(.level == "warn" or .level == "error") | .event' | sort | uniq -c |
    awk '{ printf "%s%d %s", (NR > 1 ? ", " : ""), $1, $2 } END { if (!NR) printf "none" }'
}

figure() { row "$(printf '%-52s %5s' "$1" "$2")"; }

# none TITLE VALUE: a figure that must be 0.
none() {
  figure "$1" "$2"
  [ "$2" = 0 ]
}

reconciled() {
  local table code=0
  table=$(reconcile_database "$database_url" 2>/dev/null) || code=1
  figure 'rules checked' "$(grep -c '| *[0-9]*$' <<<"$table")"
  none 'rules broken' "$(awk -F'|' 'NF == 2 && $2 > 0 && $2 ~ /^ *[0-9]+ *$/' <<<"$table" | tee -a "$evidence" | wc -l)" || code=1
  return "$code"
}

# Prints the counts; fails if one of them is wrong.
report() {
  local code=0 errors events ledger stored analysed crossed from to count
  read -r errors events ledger <<<"$(unfinished)"
  stored=$(value 'SELECT count(*) FROM auth_error')
  analysed=$(value "SELECT count(DISTINCT auth_error_id) FROM auth_error_transition WHERE cause = 'analysis_completed'")
  figure 'errors accepted' "$(accepted | wc -l)"
  figure 'errors stored' "$stored"
  figure 'errors analysed' "$analysed"
  [ "$analysed" = "$stored" ] || code=1
  none 'errors accepted and not stored (lost)' \
    "$(comm -23 <(accepted) <(value 'SELECT dedup_key FROM auth_error' | sort -u) | wc -l)" || code=1
  none 'errors unfinished' "$errors" || code=1
  none 'events unfinished' "$events" || code=1
  none 'ledger rows unfinished' "$ledger" || code=1
  none 'errors analysed more than once' "$(value "SELECT count(*) FROM (SELECT FROM auth_error_transition
    WHERE cause = 'analysis_completed' GROUP BY auth_error_id HAVING count(*) > 1) again")" || code=1
  none 'repeats taken for another error (409)' "$(grep -c '^409 ' "$work/answers" || true)" || code=1
  none 'dead letters' "$(value 'SELECT count(*) FROM dead_letter')" || code=1
  value "SELECT '  ' || count(*) || ' ' || source || ' ' || reason FROM dead_letter GROUP BY source, reason" | tee -a "$evidence"
  none 'messages parked as foreign' "$(queued "$parking_queue")" || code=1
  none 'messages left in the other queues' "$(queued "$work_queues")" || code=1
  reconciled || code=1
  crossed=$(crossings)
  for from in previous current; do
    for to in previous current; do
      count=$(awk -v from="$from" -v to="$to" '$1 == from && $2 == to { print $3 }' <<<"$crossed")
      figure "events published by $from, completed by $to" "${count:-0}"
      # Without these the verification would show nothing.
      [ -n "$count" ] || code=1
    done
  done
  figure 'batches given up by the client' "$(wc -l <"$work/given_up")"
  row "warnings of the previous version: $(warnings previous)"
  row "warnings of this version: $(warnings current)"
  return "$code"
}

verify() {
  local code=0 number
  find_previous
  row "from $(git -C "$here" rev-parse --short=12 "$previous")," \
    "$(git -C "$here" ls-tree --name-only "$previous" migrations/ | wc -l) migrations," \
    "to $(revision), $(find "$here/migrations" -name '*.sql' | wc -l) migrations"
  [ "$passed_over" = 0 ] || row "$passed_over revisions in between passed over: migrations of theirs have changed since"
  build_versions >&2
  start_servers >&2
  take 'migrate by the previous version' as_version previous migrate_logged
  as_version previous ensure_keys >&2
  start previous
  # In flight when the load begins.
  for number in 1 2 3; do deliver "$number" || { row "failed: batch $number, by the previous version alone"; return 1; }; done
  upgrade_under_load
  as_version current wait_for "$drain_seconds" service drained >&2 || row "not drained within $drain_seconds s"
  report || code=1
  return "$code"
}
