# shellcheck shell=bash
# shows: a database restored to an earlier point under a running broker has every error analysed; installations that share queues lose nothing
# takes: 4 min
# where: platform
verify() {
  export AUTH_ERRORS_RESTORE_SCALE=40
  verify_tests 'RestoreTest|InstallationTest|OnePoisonEventAmongFifty' 'restored under'
}
