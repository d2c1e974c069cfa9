# shellcheck shell=bash
# shows: clang-tidy over every source is clean; `./dev check` then looks at what has changed since
# takes: 28 min
# where: platform
verify() {
  local sources
  mapfile -t sources < <(git -C "$here" ls-files -- '*.cc')
  configure lint >&2
  lint "${sources[@]}" >&2
  row "${#sources[@]} sources, no finding"
}
