# shellcheck shell=bash
# The commands test and check.

# run_suite PRESET CTEST-OPTIONS...: adds to `passed`, `failed`, `tested` (seconds) and `results`.
run_suite() {
  local result=$here/build/$1/tests.xml code=0 tests bad began=$EPOCHREALTIME started=$SECONDS
  rm -f "$result"
  ctest --test-dir "$here/build/$1" -j 2 --output-on-failure --no-tests=error \
    --output-junit "$result" "${@:2}" &
  wait $! || code=$?
  [ -e "$result" ] || die 'ctest wrote no results'
  record_step "run the tests ($1)" "$began"
  tested=$((tested + SECONDS - started)) results+=("$result")
  count() { grep -m1 -o "$1=\"[0-9]*\"" "$result" | tr -dc 0-9; }
  tests=$(count tests) bad=$(($(count failures) + $(count skipped) + $(count disabled)))
  [ "$code" = 0 ] || [ "$bad" != 0 ] || die "ctest failed with $code"
  passed=$((passed + tests - bad)) failed=$((failed + bad))
}

# Seconds for each target: AUTH_ERRORS_FUZZ_SECONDS, default 10.
run_fuzzers() {
  run_suite fuzz "$@"
  grep -h ': seed ' "$here/build/fuzz/Testing/Temporary/LastTest.log" || true
}

inner_test() {
  local preset=release filter='' label='' passed=0 failed=0 suite=yes fuzz=no tested=0 results=()
  while [ $# -gt 0 ]; do
    case $1 in
      --preset) preset=${2:?}; shift ;;
      --label) label=${2:?}; shift ;;
      -*) die "test: unknown argument '$1'; see ./dev help" ;;
      *) filter=$1 ;;
    esac
    shift
  done
  # The fuzz targets have a separate build, so they are part of the whole test run and of runs by
  # their name.
  if [ "$preset$label" = release ]; then
    case $filter in
      '') fuzz=yes ;;
      *Fuzz*) fuzz=yes suite=no ;;
    esac
  fi
  log_folder=$here/build/log
  mkdir -p "$log_folder"
  if [ -z "${AUTH_ERRORS_STEPS:-}" ]; then
    export AUTH_ERRORS_STEPS=$log_folder/steps.tsv
    : >"$AUTH_ERRORS_STEPS"
  fi
  [ "$suite" = no ] || build "$preset"
  [ "$fuzz" = no ] || build fuzz --target fuzzers
  trap 'exit 130' TERM INT
  if [ "$suite" = yes ]; then
    trap stop_servers EXIT
    prepare_servers "$(mktemp -d)"
    ensure_postgres
    step 'start RabbitMQ' start_rabbitmq
    export DATABASE_URL=$superuser_url AMQP_URL=$amqp_url
    export ASAN_OPTIONS=detect_container_overflow=0:abort_on_error=1 UBSAN_OPTIONS=print_stacktrace=1
    export TSAN_OPTIONS="suppressions=$here/tests/tsan.supp:halt_on_error=1:second_deadlock_stack=1"
    run_suite "$preset" ${filter:+-R "$filter"} ${label:+-L "$label"}
  fi
  [ "$fuzz" = no ] || run_fuzzers ${filter:+-R "$filter"}
  print_summary
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}

# The slowest tests and, unless .ci/run collects them, the slowest steps.
print_summary() {
  echo
  if [ "$AUTH_ERRORS_STEPS" = "$log_folder/steps.tsv" ]; then
    echo 'slowest steps:'
    slowest 6 <"$AUTH_ERRORS_STEPS"
  fi
  echo 'slowest tests:'
  sed -nE 's/.*<testcase name="([^"]*)".* time="([0-9.]*)".*/\2\t\1/p' "${results[@]}" | slowest 8
  within "$tested" 12 'tests, without the build'
}

# Every tracked file with a shebang or named *.sh. Files without a shebang are sourced: they share
# variables with the sourcing script and are also checked as part of it.
check_scripts() {
  local file programs=() parts=()
  while IFS= read -r -d '' file; do
    case $(head -c 128 "$here/$file" | head -n 1 | tr -d '\0') in
      '#!'*sh | '#!'*'sh '*) programs+=("$here/$file") ;;
      *) case $file in *.sh) parts+=("$here/$file") ;; esac ;;
    esac
  done < <(git -C "$here" ls-files -z)
  [ ${#programs[@]} != 0 ] || { echo "git lists no scripts in $here"; return 1; }
  shellcheck --check-sourced "${programs[@]}"
  shellcheck --exclude=SC2034,SC2154 "${parts[@]}"
}

inner_check() {
  log_folder=$here/build/log
  local sources
  mapfile -t sources < <(cd "$here" && git ls-files -- '*.cc' '*.h')
  [ ${#sources[@]} != 0 ] || die "git lists no sources in $here"
  step 'format' clang-format --dry-run -Werror "${sources[@]}"
  step 'shell scripts' check_scripts
  step 'layers' "$here/tools/check_layers"
  # Not piped into mapfile, which would not notice a failure.
  local listed
  listed=$(cd "$here" && sources_to_lint)
  if [ -n "$listed" ]; then
    mapfile -t sources <<<"$listed"
    configure lint
    lint "${sources[@]}"
  fi
}

# lint SOURCE...: with the commands of the preset `lint`, which compiles each source separately.
lint() {
  local pattern
  pattern=$(printf '%s\n' "$@" | sed 's/[.+]/\\&/g' | paste -sd'|')
  step "clang-tidy ($# sources)" run-clang-tidy -quiet -p "$here/build/lint" -j "$(nproc)" "/($pattern)$"
}

# The last revision known to be clean under clang-tidy.
lint_revision() { sed -n '/^## lint$/,/^## /s/^| revision | \([0-9a-f]*\),.*/\1/p' "$here/docs/evidence.md"; }

# Reads `git diff -M -U0` and prints the files that have changed in more than comments and the names of the headers they
# include: these cause no findings, unless a comment suppresses one.
really_changed() {
  awk '
    /^diff --git / { if (changed) print file; file = $4; sub(/^b\//, "", file); changed = 0; next }
    /^(\+\+\+|---) / { next }
    /^new file / { changed = 1 }
    /^[+-](#include |HeaderFilterRegex:|$)/ || (/^[+-] *\/\// && !/NOLINT/) || (file == ".clang-tidy" && /^[+-]#/) { next }
    /^[+-]/ { changed = 1 }
    END { if (changed) print file }'
}

# The sources changed since that revision; for a changed header, one source that includes it. All
# sources if the revision is unknown.
sources_to_lint() {
  local since changed file includer
  since=$(lint_revision)
  if [ -z "$since" ] || ! changed=$(git diff -M -U0 "$since" -- '*.cc' '*.h' .clang-tidy 2>/dev/null); then
    git ls-files -- '*.cc'
    return
  fi
  changed=$(really_changed <<<"$changed" && git ls-files --others --exclude-standard)
  while IFS= read -r file; do
    [ -e "$file" ] || continue
    case $file in
      *.cc) echo "$file" ;;
      *.h) includer=${file%.h}.cc
        [ -e "$includer" ] || includer=$(git grep -lF "#include \"$file\"" -- '*.cc' | sed -n 1p)
        [ -z "$includer" ] || echo "$includer" ;;
      .clang-tidy) git ls-files -- '*.cc' ;;
    esac
  done <<<"$changed" | sort -u
}
