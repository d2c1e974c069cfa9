# shellcheck shell=bash
# The command verify: checks that take too long for every run. Each file in tools/verify is one
# verification: its header says what it shows, how long it takes and where it runs, and its function
# `verify` prints a table with `row` and fails when something does not hold. The latest result of
# each is kept in docs/evidence.md.

# verification_field NAME FIELD
verification_field() { sed -n "s/^# $2: //p" "$here/tools/verify/$1.sh"; }

list_verifications() {
  local file name
  echo 'usage: ./dev verify NAME'
  echo
  for file in "$here"/tools/verify/*.sh; do
    name=$(basename "$file" .sh)
    printf '  %-10s %-8s %s\n' "$name" "$(verification_field "$name" takes)" "$(verification_field "$name" shows)"
  done
  echo
  echo 'The latest result of each is kept in docs/evidence.md.'
}

# row TEXT...: a line of the result.
row() { printf '%s\n' "$*" | tee -a "$evidence"; }

# verify_tests FILTER PATTERN: runs the tests whose names match FILTER; the lines of their output
# that match PATTERN are the result.
verify_tests() {
  local code=0 preset=release
  case $1 in *Fuzz*) preset=fuzz ;; esac
  # In a separate shell: in a condition, bash would ignore errors inside.
  "$here/dev" inner_test "$1" >&2 || code=1
  grep -hE "$2" "$here/build/$preset/Testing/Temporary/LastTest.log" | sed 's/^ *//' | tee -a "$evidence" || code=1
  return "$code"
}

inner_verify() {
  log_folder=$here/build/log evidence=$here/build/verify/$1.txt
  # shellcheck source=/dev/null  # each is checked as a script of its own
  . "$here/tools/verify/$1.sh"
  trap 'exit 130' TERM INT
  verify
}

# The properties of the machine that its figures depend on.
machine() {
  awk -v cores="$(nproc)" -v model="$(awk -F': ' '/^model name/ { print $2; exit }' /proc/cpuinfo)" \
    '/^MemTotal/ { printf "%d cores (%s), %.0f GiB of memory", cores, model, $2 / 1048576 }' /proc/meminfo
}

# The revision being verified; the evidence itself may have changed since.
revision() {
  local dirty=
  git -C "$here" diff --quiet HEAD -- . ':!docs/evidence.md' || dirty=-dirty
  echo "$(git -C "$here" rev-parse --short=12 HEAD)$dirty"
}

# keep_evidence NAME VERDICT SECONDS: replaces the verification's section in docs/evidence.md.
# shellcheck disable=SC2016  # Markdown's own quotes
keep_evidence() {
  local file=$here/docs/evidence.md section=$here/build/verify/$1.md
  { printf '## %s\n\n%s\n\n' "$1" "$(verification_field "$1" shows)"
    printf '| | |\n| --- | --- |\n| verdict | **%s** |\n| command | `./dev verify %s`, %s |\n' "$2" "$1" "$(elapsed "$3")"
    printf '| revision | %s, %s |\n| machine | %s |\n\n' \
      "$(revision)" "$(date -u +%F)" "$(machine)"
    printf '```\n%s\n```\n' "$(cat "$here/build/verify/$1.txt")"
  } >"$section"
  awk -v name="$1" -v section="$section" '
    function put(  line) { while ((getline line < section) > 0) print line; placed = 1 }
    /^## / { skipping = $0 == "## " name; if (skipping) { put(); print "" } }
    !skipping { print }
    END { if (!placed) { print ""; put() } }' "$file" | cat -s >"$file.part"
  mv "$file.part" "$file"
}

command_verify() {
  local name=${1:-} where verdict=holds started=$SECONDS code=0
  [ -n "$name" ] || { list_verifications; return; }
  [ -e "$here/tools/verify/$name.sh" ] || { list_verifications >&2; die "there is no verification '$name'"; }
  where=$(verification_field "$name" where)
  data=$here/build/verify/data
  rm -rf "$data"
  mkdir -p "$data"
  : >"$here/build/verify/$name.txt"
  case $where in
    host) inner_verify "$name" & ;;
    *) ensure_platform "$where"
      prepare_entrance
      inside inner_verify "$name" & ;;
  esac
  trap 'kill "$!" 2>/dev/null' TERM INT
  wait $! || code=$?
  [ "$code" -lt 128 ] || die "verify $name was interrupted; docs/evidence.md is unchanged"
  [ "$code" = 0 ] || verdict=fails
  keep_evidence "$name" "$verdict" $((SECONDS - started))
  rm -rf "$data"
  printf '\n%s: %s (%s; docs/evidence.md)\n' "$name" "$verdict" "$(elapsed $((SECONDS - started)))"
  return "$code"
}
