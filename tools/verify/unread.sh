# shellcheck shell=bash
# shows: 200 clients of each kind that never read use at most 150 MiB, which are released, and at most double the p99 of others
# takes: 4 min
# where: platform
verify() {
  local code=0
  export AUTH_ERRORS_UNREAD_CONNECTIONS=200 AUTH_ERRORS_UNREAD_SECONDS=20
  verify_tests 'Unread.*TakeBoundedMemory' 'unread connections' || code=1
  # The tests check the memory; times only count on a quiet machine, so not in every run.
  awk -F'p99 of others ' '
    NF == 2 { split($2, time, / ms[a-z, ]*/); if (time[2] > 2 * time[1]) slow = 1; kinds++ }
    END { exit slow || kinds != 4 }' "$evidence" || { row "p99 more than doubled, or a kind is missing"; code=1; }
  return "$code"
}
