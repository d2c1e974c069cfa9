# shellcheck shell=bash
# shows: PostgreSQL and its network fail 50 times and the service dies 20 times under load; nothing acknowledged is lost
# takes: 8 min
# where: platform
verify() {
  export AUTH_ERRORS_KILLS=50 AUTH_ERRORS_SERVICE_KILLS=20
  verify_tests Durability 'recoveries|attempts'
}
