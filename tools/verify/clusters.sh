# shellcheck shell=bash
# shows: 50,000 errors of 200 shapes, two instances and six kills make 200 clusters with exact counts
# takes: 1 min
# where: platform
verify() {
  export AUTH_ERRORS_CLUSTER_ERRORS=50000
  verify_tests ClusterDelivery shapes
}
