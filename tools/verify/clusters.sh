# shellcheck shell=bash
# shows: 50,000 errors with 200 stack hashes, two instances and six kills result in 200 clusters with exact counts
# takes: 1 min
# where: platform
verify() {
  export AUTH_ERRORS_CLUSTER_ERRORS=50000
  verify_tests ClusterDelivery shapes
}
