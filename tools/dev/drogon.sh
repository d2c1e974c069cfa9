# shellcheck shell=bash
# Drogon and trantor with the project's patches, built once for each flavour.

drogon_source() { dpkg-query -W -f '${source:Package}_${source:Version}' "$1"; }

# fetch_source PACKAGE FOLDER: unpacks the source of exactly the installed version.
fetch_source() {
  local apt=$cache/apt name version codename
  IFS=_ read -r name version <<<"$(drogon_source "$1")"
  # shellcheck source=/dev/null  # not part of the project
  codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$2"
  { awk '$1 == "deb" { print "deb-src", $2, $3, $4; exit }' /etc/apt/sources.list 2>/dev/null || true
    # shellcheck disable=SC2016  # apt's own format
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
      awk -v suite="$codename" '$1 == "Debian" && $2 == "Debian" { print "deb-src", $3, suite, "main"; exit }'
  } | head -n 1 >"$apt/sources.list"
  local options=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=-
    -o "Dir::State::lists=$apt/lists" -o "Dir::Cache=$apt" -o APT::Sandbox::User=)
  apt-get "${options[@]}" update
  (cd "$2" && apt-get "${options[@]}" source --download-only "$name=$version" &&
    dpkg-source --no-check -x "$name"_*.dsc source)
}

# build_library SOURCE PREFIX COMPILER-FLAGS LINKER-FLAGS CMAKE-OPTIONS...
build_library() {
  local source=$1 prefix=$2 compile=$3 link=$4
  shift 4
  # A unity build without debug information takes 2.4 minutes of CPU instead of 6.
  cmake -S "$source" -B "$source/build" -G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON \
    -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCMAKE_SKIP_INSTALL_RPATH=ON -DCMAKE_CXX_STANDARD=20 -DCMAKE_CXX_SCAN_FOR_MODULES=OFF \
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_CXX_FLAGS="$compile" -DCMAKE_SHARED_LINKER_FLAGS="$link" \
    -DCMAKE_CXX_COMPILER_LAUNCHER=ccache -DBUILD_TESTING=OFF -DBUILD_DOC=OFF "$@"
  cmake --build "$source/build" --target install
}

# apply_patches LIBRARY SOURCE
apply_patches() {
  local patch
  for patch in "$here/patches/$1"/*.patch; do
    patch -d "$2" -p1 --no-backup-if-mismatch -F0 <"$patch"
  done
}

# build_drogon PREFIX FLAVOUR: builds trantor and Drogon. The tsan flavour is instrumented, because
# TSan cannot see the atomics of an uninstrumented library.
build_drogon() {
  local prefix=$1 flavour=$2 work=$1.work compile link
  rm -rf "$work" "$prefix.part"
  export DEB_BUILD_MAINT_OPTIONS=hardening=+all
  compile="$(dpkg-buildflags --get CXXFLAGS | sed 's#-ffile-prefix-map=[^ ]*##; s#-g ##') $(dpkg-buildflags --get CPPFLAGS)"
  link=$(dpkg-buildflags --get LDFLAGS)
  if [ "$flavour" = tsan ]; then
    compile='-O1 -g -fsanitize=thread' link=-fsanitize=thread
  fi
  fetch_source libtrantor-dev "$work/trantor"
  apply_patches trantor "$work/trantor/source"
  build_library "$work/trantor/source" "$prefix.part" "$compile" "$link"
  fetch_source libdrogon-dev "$work/drogon"
  apply_patches drogon "$work/drogon/source"
  build_library "$work/drogon/source" "$prefix.part" "$compile" "$link" -DUSE_SUBMODULE=OFF \
    -DBUILD_CTL=OFF -DBUILD_EXAMPLES=OFF -DBUILD_ORM=OFF -DBUILD_BROTLI=OFF -DBUILD_YAML_CONFIG=OFF
  rm -rf "$work"
  mv "$prefix.part" "$prefix"
}

# Sets drogon_prefix and drogon_version; falls back to Debian's binary with a prominent warning.
ensure_drogon() {
  local flavour=$1 key version count
  version=$(drogon_source libdrogon-dev)
  version=${version#*_}
  count=$(find "$here/patches" -name '*.patch' | wc -l)
  key=$({ echo "$flavour $version $(drogon_source libtrantor-dev)"
    cat "$here"/patches/*/*.patch; } | sha256sum | cut -c1-12)
  drogon_prefix=$cache/drogon-$key
  drogon_version="$version, $count patches, $key"
  [ -d "$drogon_prefix" ] && return
  exec 8>"$cache/drogon.lock"
  flock 8
  local status=0
  [ -d "$drogon_prefix" ] ||
    attempt "build Drogon with our patches${flavour:+ ($flavour)} (once)" build_drogon "$drogon_prefix" "$flavour"
  exec 8>&-
  if [ "$status" != 0 ]; then
    drogon_prefix='' drogon_version="$version, UNPATCHED"
    warn 'Drogon is UNPATCHED: one hostile request can end the service (patches/drogon/README.md)'
  fi
}
