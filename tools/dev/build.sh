# shellcheck shell=bash
# Building the project by a CMake preset.

# configure PRESET
configure() {
  local preset=$1
  ensure_drogon "$([ "$preset" = tsan ] && echo tsan || true)"
  # What CMake found the last time is forgotten: the patches, and so the prefix, may have changed.
  # A link inside the checkout: by its own name, which changes with each patch, the compiler's cache
  # would know nothing of what it has compiled before.
  local link=
  if [ -n "$drogon_prefix" ]; then
    link=$here/build/drogon-$preset
    mkdir -p "$here/build"
    ln -sfn "$drogon_prefix" "$link"
  fi
  step "configure ($preset)" cmake --preset "$preset" -S "$here" -UDrogon_DIR -UTrantor_DIR \
    -DCMAKE_PREFIX_PATH="$link" -DAUTH_ERRORS_DROGON="$drogon_version"
}

# build PRESET CMAKE-OPTIONS...
build() {
  configure "$1"
  step "build ($1)" cmake --build "$here/build/$1" "${@:2}"
}

inner_build() { log_folder=$here/build/log; build "$@"; }
