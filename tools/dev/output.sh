# shellcheck shell=bash
# Messages, and long steps with their noise kept in logs.

die() { printf 'dev: %s\n' "$*" >&2; exit 1; }
warn() { printf '\n*** %s\n\n' "$*" >&2; }

# attempt TITLE COMMAND...: runs it with its noise in a log, shows the title and the time it took, and
# leaves how it ended in `status`. Never call it in a condition: bash would ignore errors inside.
attempt() {
  local title=$1 started=$EPOCHREALTIME log
  shift
  log=${log_folder:?}/$(tr -cs '[:alnum:]' - <<<"$title" | sed 's/-*$//').log
  mkdir -p "$log_folder"
  printf '  %-46s ' "$title"
  set +e
  (set -e; "$@") >"$log" 2>&1 </dev/null
  status=$?
  set -e
  if [ "$status" = 0 ]; then
    awk -v a="$started" -v b="$EPOCHREALTIME" 'BEGIN { printf "%6.1f s\n", b - a }'
  else
    printf 'failed\n\n'
    # What a compiler or a linter found stands anywhere; what else failed stands at the end.
    { grep -A 3 -m 10 -E '(error|warning): ' "$log" || tail -n 25 "$log"; } | sed 's/^/    /' >&2
    printf '\n%s failed; the whole log: %s\n' "$title" \
      "${log/#${AUTH_ERRORS_DATA:-/}/${AUTH_ERRORS_SHOWN_DATA:-/}}" >&2
  fi
}

step() {
  local status
  attempt "$@"
  [ "$status" = 0 ] || exit 1
}
