# shellcheck shell=bash
# shows: 100,000 invalid requests of 40 kinds leak no memory and delay no valid request
# takes: 6 min
# where: platform
verify() {
  export AUTH_ERRORS_INVALID_REQUESTS=100000
  verify_tests Flood 'invalid requests'
}
