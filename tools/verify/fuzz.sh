# shellcheck shell=bash
# shows: ten minutes of fuzzing find nothing in any target
# takes: 35 min
# where: platform
verify() {
  export AUTH_ERRORS_FUZZ_SECONDS=600
  verify_tests Fuzz ': seed '
}
