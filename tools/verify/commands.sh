# shellcheck shell=bash
# shows: ./dev works as root, as an ordinary user, in inaccessible folders, in paths with spaces and next to another clone
# takes: 10 min
# where: host
verify() {
  local code=0
  "$here/tests/dev/commands_test" --all | tee /dev/stderr | grep -E '^(ok|FAILED)|passed' | tee -a "$evidence" >/dev/null || code=1
  return "$code"
}
