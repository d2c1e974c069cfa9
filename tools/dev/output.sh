# shellcheck shell=bash
# Messages, and long steps whose output is kept in logs.

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }
warn() { printf '\n*** %s\n\n' "$*" >&2; }

# Seconds between checks of a running step, and between progress reports: a line on a terminal is
# rewritten, a log gets a line at most twice a minute.
progress_poll=1
if [ -t 1 ]; then progress_first=3 progress_period=1
else progress_first=30 progress_period=30
fi

# elapsed SECONDS
elapsed() {
  if [ "$1" -ge 86400 ]; then printf '%d d %d h' $(($1 / 86400)) $(($1 % 86400 / 3600))
  elif [ "$1" -ge 3600 ]; then printf '%d h %02d min' $(($1 / 3600)) $(($1 % 3600 / 60))
  elif [ "$1" -ge 60 ]; then printf '%d min %02d s' $(($1 / 60)) $(($1 % 60))
  else printf '%d s' "$1"
  fi
}

# progress_of LOG SECONDS: the progress of a step: the counter printed by ninja or clang-tidy, the
# time, the size of `progress_folder` for a step that fills one, and the last stage announced by
# mmdebstrap.
progress_of() {
  local counter stage size line
  counter=$(tail -c 16384 "$1" | grep -aoE '^\[ *[0-9]+/[0-9]+\]' | tail -n 1) || true
  stage=$(tail -c 16384 "$1" | sed -n 's/^I: //p' | tail -n 1)
  line=${counter:+$counter, }$(elapsed "$2")
  if [ -d "${progress_folder:-}" ]; then
    size=$(du -sm "$progress_folder" 2>/dev/null | cut -f 1) || true
    [ "${size:-0}" -lt 2 ] || line+=", $size MB"
  fi
  printf '%s' "$line${stage:+, $stage}"
}

# Reports on a running step until it is killed, or until this script has ended.
show_progress() {
  local title=$1 log=$2 began=$SECONDS next=$((SECONDS + progress_first)) pause line
  exec {pause}<> <(:) # to wait on without a process that outlives this one
  while kill -0 $$ 2>/dev/null; do
    read -r -t "$progress_poll" -u "$pause" || true
    [ "$SECONDS" -ge "$next" ] || continue
    line=$(progress_of "$log" $((SECONDS - began)))
    if [ -t 1 ]; then printf '\r\033[K  %-46s %s' "$title" "${line:0:$((${COLUMNS:-80} - 50))}"
    else printf '%s\n  %-46s ' "$line" "$title"
    fi
    next=$((SECONDS + progress_period))
  done
}

# attempt TITLE COMMAND...: runs the command with its output in a log, shows the title, progress and
# duration, and sets `status` to its exit status. Never call it in a condition: bash would ignore
# errors inside.
attempt() {
  local title=$1 started=$EPOCHREALTIME log reporter
  shift
  log=${log_folder:?}/$(tr -cs '[:alnum:]' - <<<"$title" | sed 's/-*$//').log
  mkdir -p "$log_folder"
  printf '  %-46s ' "$title"
  : >"$log"
  show_progress "$title" "$log" 2>/dev/null &
  reporter=$!
  set +e
  (set -e; "$@") >"$log" 2>&1 </dev/null
  status=$?
  kill "$reporter" 2>/dev/null
  wait "$reporter" 2>/dev/null
  set -e
  if [ -t 1 ]; then printf '\r\033[K  %-46s ' "$title"; fi
  record_step "$title" "$started"
  if [ "$status" = 0 ]; then
    awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { printf "%6.1f s\n", b - a }'
  else
    printf 'failed\n\n'
    # Findings of a compiler or a linter are anywhere in the log; other errors are at its end.
    { grep -A 3 -m 10 -E '(error|warning): |^E: ' "$log" || tail -n 25 "$log"; } | sed 's/^/    /' >&2
    printf '\n%s failed; the whole log: %s\n' "$title" "$(shown "$log")" >&2
  fi
}

# record_step TITLE BEGAN: for the summary at the end of a long run, if there is one.
record_step() {
  [ -z "${AUTH_ERRORS_STEPS:-}" ] ||
    awk -v a="$2" -v b="$EPOCHREALTIME" -v t="$1" 'BEGIN { printf "%.1f\t%s\n", b - a, t }' >>"$AUTH_ERRORS_STEPS"
}

step() {
  local status
  attempt "$@"
  [ "$status" = 0 ] || exit 1
}

# slowest N: the N lines of "seconds<tab>name" with the most seconds.
slowest() { sort -rn | awk -F'\t' -v count="$1" 'NR <= count { printf "  %8.1f s  %s\n", $1, $2 }'; }

# within SECONDS MINUTES WHAT: compares a time with its budget in CONTRIBUTING.md.
within() {
  local verdict='within its budget'
  [ "$1" -le $(($2 * 60)) ] || verdict='OVER ITS BUDGET'
  printf '%s: %s, %s of %d min\n' "$3" "$(elapsed "$1")" "$verdict" "$2"
}

# shown PATH: the path as the user knows it; on the platform the data folder has another name.
shown() {
  local data=${AUTH_ERRORS_DATA:-}
  if [ -n "$data" ] && [ "$1" != "${1#"$data"}" ]; then
    printf '%s\n' "${AUTH_ERRORS_SHOWN_DATA:-$data}${1#"$data"}"
  else
    printf '%s\n' "$1"
  fi
}
