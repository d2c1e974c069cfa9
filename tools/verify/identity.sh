# shellcheck shell=bash
# shows: after a restore of the database to an earlier point, with a running broker, every error is analysed; installations that share queues lose nothing
# takes: 4 min
# where: platform
verify() {
  export AUTH_ERRORS_RESTORE_SCALE=40
  verify_tests 'RestoreTest|InstallationTest|OnePoisonEventAmongFifty' 'restored under'
}
