# shellcheck shell=bash
# The Debian 14 platform: its packages, the private root, and how a command gets onto it.

suite=forky
packages=(
  g++ cmake ninja-build ccache clang libclang-rt-dev clang-format clang-tidy clang-tools shellcheck
  libdrogon-dev libtrantor-dev libjsoncpp-dev uuid-dev zlib1g-dev libpq-dev libsqlite3-dev
  libmariadb-dev libbrotli-dev libhiredis-dev libyaml-cpp-dev libc-ares-dev
  libamqpcpp-dev libssl-dev libcli11-dev prometheus-cpp-dev
  libgtest-dev libgmock-dev libbenchmark-dev nlohmann-json3-dev libnlohmann-json-schema-validator-dev
  postgresql postgresql-client rabbitmq-server
  dpkg-dev patch ca-certificates curl jq openssl wrk procps iproute2 git
)

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "this needs root for: $* (and there is no sudo)"
  fi
}

# shellcheck source=/dev/null  # not part of the project
on_debian_14() { (. /etc/os-release && [ "${VERSION_CODENAME:-}" = "$suite" ]); }

platform_key() { printf '%s\n' "$suite" "${packages[@]}" | sha256sum | cut -c1-12; }

install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} = 0 ] && return
  command -v apt-get >/dev/null || die "please install ${missing[*]}: this machine has no apt-get"
  as_root apt-get update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
}

# The host's own mirror; mmdebstrap knows Debian's when the host has none.
host_mirror() {
  # shellcheck disable=SC2016  # apt's own format
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

make_root() {
  local root=$1 part=$1.part mirror
  rm -rf "$part"
  mirror=$(host_mirror)
  apt-config dump | grep -E '^Acquire::(https?|Check-|Retries|Force)' >"$cache/apt.conf" || true
  local options=(--variant=minbase --aptopt="$cache/apt.conf"
    --include="$(IFS=,; echo "${packages[*]}")"
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*')
  mkdir -p "$part"
  if [ "$(id -u)" = 0 ]; then
    mmdebstrap --mode=root "${options[@]}" "$suite" "$part" ${mirror:+"$mirror"}
  else
    # Through tar, so that every file belongs to the user and can be removed like any other.
    mmdebstrap --mode=unshare "${options[@]}" "$suite" - ${mirror:+"$mirror"} |
      tar -x --no-same-owner --exclude='./dev/*' -C "$part"
  fi
  mv "$part" "$root"
}

ensure_platform() {
  mkdir -p "$cache"
  if on_debian_14; then
    exec 8>"$cache/platform.lock"
    flock 8
    if [ ! -e "$cache/installed-$(platform_key)" ]; then
      step 'install packages' install_missing "${packages[@]}"
      touch "$cache/installed-$(platform_key)"
    fi
    exec 8>&-
    return
  fi
  root=$cache/root-$(platform_key)
  [ -d "$root" ] && command -v bwrap >/dev/null && return
  exec 8>"$cache/platform.lock"
  flock 8
  local tools=(mmdebstrap bubblewrap)
  [ "$(id -u)" = 0 ] || tools+=(uidmap)
  step 'install mmdebstrap and bubblewrap' install_missing "${tools[@]}"
  [ -d "$root" ] || step 'make the Debian 14 root (once, minutes)' make_root "$root"
  exec 8>&-
}

# Sets `enter`, the command line that runs this script's inner commands on the platform.
# The servers' data folder is bound to a path that their users can always traverse.
prepare_entrance() {
  export AUTH_ERRORS_SHOWN_DATA=$data AUTH_ERRORS_CACHE=$cache LC_ALL=C.UTF-8
  if on_debian_14; then
    export AUTH_ERRORS_INSIDE=native AUTH_ERRORS_DATA=$data
    enter=("$here/dev")
    return
  fi
  export AUTH_ERRORS_INSIDE=sandbox AUTH_ERRORS_DATA=/srv/auth-errors
  cp "$root/etc/passwd" "$cache/passwd.$$"
  [ "$(id -u)" = 0 ] || echo "dev:x:$(id -u):$(id -g)::/tmp:/bin/bash" >>"$cache/passwd.$$"
  mv "$cache/passwd.$$" "$cache/passwd"
  # The root is read-only and shared by every clone; mount points live on bubblewrap's own tmpfs.
  enter=(bwrap --ro-bind "$root/usr" /usr --ro-bind "$root/etc" /etc
    --ro-bind "$cache/passwd" /etc/passwd --dev /dev --proc /proc
    --perms 1777 --tmpfs /tmp --perms 1777 --tmpfs /dev/shm --tmpfs /run --tmpfs /var
    --ro-bind "$root/var/lib/dpkg" /var/lib/dpkg --perms 1777 --dir /var/tmp
    --bind "$cache" "$cache" --bind "$here" "$here"
    --unshare-pid --as-pid-1 --chdir "$here" --setenv HOME /tmp)
  local name
  for name in bin sbin lib lib64; do
    if [ -e "$root/$name" ]; then enter+=(--symlink "usr/$name" "/$name"); fi
  done
  if [ -e /etc/resolv.conf ]; then
    enter+=(--ro-bind "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf)
  fi
  if [ -d "$data" ]; then enter+=(--perms 0755 --dir /srv --bind "$data" "$AUTH_ERRORS_DATA"); fi
}

# inside COMMAND...: on the platform, ending with this script whatever happens.
inside() {
  if on_debian_14; then "${enter[@]}" "$@"
  else "${enter[@]}" --die-with-parent bash "$here/dev" "$@"
  fi
}

inner_shell() { if [ $# = 0 ]; then bash; else "$@"; fi; }
