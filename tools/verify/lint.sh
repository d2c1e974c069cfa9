# shellcheck shell=bash
# shows: clang-tidy is clean on all sources changed since its last full pass (everything: AUTH_ERRORS_LINT=all)
# takes: 28 min
# where: platform
verify() {
  local listed sources since
  since=$(lint_revision)
  if [ "${AUTH_ERRORS_LINT:-changed}" = all ] || [ -z "$since" ]; then
    listed=$(git -C "$here" ls-files -- '*.cc') since='the beginning'
  else
    listed=$(cd "$here" && sources_to_lint)
  fi
  mapfile -t sources <<<"$listed"
  configure lint >&2
  lint "${sources[@]}" >&2
  row "${#sources[@]} sources changed since $since, no finding"
}
