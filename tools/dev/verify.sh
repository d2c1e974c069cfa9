# shellcheck shell=bash
# The command soak: the long versions of tests and fuzz targets.

inner_soak() {
  export AUTH_ERRORS_KILLS=50 AUTH_ERRORS_SERVICE_KILLS=20 AUTH_ERRORS_FUZZ_SECONDS=600
  export AUTH_ERRORS_INVALID_REQUESTS=100000 AUTH_ERRORS_CLUSTER_ERRORS=50000
  local code=0
  # Each in a shell of its own: in a condition, bash would ignore errors inside.
  "$here/dev" inner_test 'Durability|Flood|ClusterDelivery' || code=1
  echo
  grep -hE 'recoveries|attempts|invalid requests|shapes' "$here/build/release/Testing/Temporary/LastTest.log" || true
  "$here/dev" inner_test Fuzz || code=1
  return "$code"
}
