# shellcheck shell=bash
# Builds the project with a CMake preset.

# configure PRESET
configure() {
  local preset=$1
  ensure_drogon "$([ "$preset" = tsan ] && echo tsan || true)"
  # Discards what CMake found earlier: the patches, and with them the prefix, may have changed. The
  # prefix is a link inside the checkout: its own name changes with each patch, which would
  # invalidate the compiler cache.
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
