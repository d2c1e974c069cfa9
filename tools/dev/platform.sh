# shellcheck shell=bash
# The Debian 14 platform: its packages, the private root, and running commands on it.

suite=forky
packages=(
  g++ cmake ninja-build ccache mold clang libclang-rt-dev clang-format clang-tidy clang-tools shellcheck
  libdrogon-dev libtrantor-dev libjsoncpp-dev uuid-dev zlib1g-dev libpq-dev libsqlite3-dev
  libmariadb-dev libbrotli-dev libhiredis-dev libyaml-cpp-dev libc-ares-dev
  libamqpcpp-dev libssl-dev libcli11-dev prometheus-cpp-dev libre2-dev
  libgtest-dev libgmock-dev libbenchmark-dev nlohmann-json3-dev libnlohmann-json-schema-validator-dev
  postgresql postgresql-client rabbitmq-server
  dpkg-dev patch ca-certificates curl jq openssl wrk procps iproute2 git
)

# Additional packages of single verifications. They are in a second root, created only for
# verifications, so that the one for `run` and the tests stays small.
workshop_packages=(slowhttptest python3-venv json-test-data)

# Works without HOME, as under some service managers and in containers.
cache_place() {
  local home=${HOME:-}
  [ -n "$home" ] || home=$(getent passwd "$(id -u)" | cut -d: -f6)
  [ -n "${AUTH_ERRORS_CACHE:-}${XDG_CACHE_HOME:-}$home" ] ||
    die "no folder for the cache: set HOME, XDG_CACHE_HOME or AUTH_ERRORS_CACHE"
  realpath -m "${AUTH_ERRORS_CACHE:-${XDG_CACHE_HOME:-$home/.cache}/auth-errors}"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else die "this needs root, and sudo is not installed: $*"
  fi
}

# shellcheck source=/dev/null  # not part of the project
on_debian_14() { (. /etc/os-release && [ "${VERSION_CODENAME:-}" = "$suite" ]); }

# platform_key [PACKAGE...]: identifies the platform with these additional packages.
platform_key() { printf '%s\n' "$suite" "${packages[@]}" "$@" | sha256sum | cut -c1-12; }

# missing PACKAGE...: prints those that are not installed.
missing() {
  # shellcheck disable=SC2016  # dpkg-query's own format
  printf '%s\n' "$@" | grep -vxF -f \
    <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null | sed -n 's/^installed //p') || true
}

install() {
  as_root apt-get update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}

# ensure_packages TITLE PACKAGE...
ensure_packages() {
  local title=$1 needed
  shift
  mapfile -t needed < <(missing "$@")
  [ ${#needed[@]} != 0 ] || return 0
  command -v apt-get >/dev/null || die "please install ${needed[*]}: apt-get is not available"
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "please install ${needed[*]}: this needs root, and sudo is not installed"
    # Ask for the password here: progress output would overwrite a prompt inside the step.
    sudo -n true 2>/dev/null || { echo "sudo, to install ${needed[*]}:" && sudo -v; }
  fi
  step "$title" install "${needed[@]}"
}

# The host's own mirror; without one mmdebstrap uses Debian's.
host_mirror() {
  # shellcheck disable=SC2016  # apt's own format
  apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# make_root FOLDER PACKAGE...
make_root() {
  local root=$1 part=$1.part mirror
  shift
  rm -rf "$part"
  mirror=$(host_mirror)
  # Other distributions do not trust Debian's archive keys by default.
  local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -e "$keyring" ] || { echo "$keyring is missing: install debian-archive-keyring"; return 1; }
  local options=(--variant=minbase --keyring="$keyring"
    --include="$(IFS=,; echo "$*")"
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*')
  # The host's proxies and the like; one by one, because mmdebstrap's own user cannot read files in
  # an inaccessible home.
  local setting
  while IFS= read -r setting; do options+=(--aptopt="$setting")
  done < <(apt-config dump | grep -E '^Acquire::(https?|Check-|Retries|Force)')
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

# ensure_platform [workshop]
ensure_platform() {
  local title='create the Debian 14 root (once, takes minutes)' extra=()
  if [ "${1:-}" = workshop ]; then
    title='create the second root, for verifications' extra=("${workshop_packages[@]}")
  fi
  mkdir -p "$cache"
  if on_debian_14; then
    exec 8>"$cache/platform.lock"
    flock 8
    ensure_packages 'install packages' "${packages[@]}" "${extra[@]}"
    exec 8>&-
    return
  fi
  root=$cache/root-$(platform_key "${extra[@]}")
  if [ ! -d "$root" ] || ! command -v bwrap >/dev/null; then
    exec 8>"$cache/platform.lock"
    flock 8
    local tools=(mmdebstrap bubblewrap debian-archive-keyring)
    [ "$(id -u)" = 0 ] || tools+=(uidmap)
    ensure_packages 'install mmdebstrap and bubblewrap' "${tools[@]}"
    check_namespaces
    local progress_folder=$root.part
    [ -d "$root" ] || step "$title" make_root "$root" "${packages[@]}" "${extra[@]}"
    exec 8>&-
  fi
}

# The requirements for an ordinary user, checked before spending minutes on the root.
check_namespaces() {
  [ "$(id -u)" != 0 ] || return 0
  bwrap --ro-bind / / --unshare-pid true 2>/dev/null || die "this system forbids ordinary users the" \
    "namespaces of a sandbox: run ./dev as root, or allow them (sysctl" \
    "kernel.apparmor_restrict_unprivileged_userns=0 on Ubuntu)"
  if ! grep -q "^$(id -un):" /etc/subuid || ! grep -q "^$(id -un):" /etc/subgid; then
    die "$(id -un) has no subordinate ids:" \
      "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 $(id -un)"
  fi
}

# Sets `enter`, the command line that runs this script's inner commands on the platform. The
# servers' data folder is bound to a path that their users can always traverse.
prepare_entrance() {
  export AUTH_ERRORS_SHOWN_DATA=$data AUTH_ERRORS_CACHE=$cache LANG=C.UTF-8 LC_ALL=C.UTF-8 TMPDIR=/tmp
  # psql and RabbitMQ's scripts would use these settings, which are meant for other servers; the
  # locale would be part of the compiler cache's keys.
  unset "${!PG@}" "${!RABBITMQ_@}" LANGUAGE LC_CTYPE LC_MESSAGES
  share_port_folder
  if on_debian_14; then
    export AUTH_ERRORS_INSIDE=native AUTH_ERRORS_DATA=$data
    enter=("$here/dev")
    if [ -d "$data" ] && ! reachable "$data"; then bind_natively; fi
    return
  fi
  export AUTH_ERRORS_INSIDE=sandbox AUTH_ERRORS_DATA=/run/auth-errors
  install_passwd
  # The root is read-only and shared by every clone; mount points live on bubblewrap's own tmpfs.
  enter=(bwrap --ro-bind "$root/usr" /usr --ro-bind "$root/etc" /etc
    --ro-bind "$cache/passwd" /etc/passwd --dev /dev --proc /proc
    --perms 1777 --tmpfs /tmp --perms 1777 --tmpfs /dev/shm --tmpfs /run --tmpfs /var
    --ro-bind "$root/var/lib/dpkg" /var/lib/dpkg --perms 1777 --dir /var/tmp
    --bind "$port_folder" "$port_folder" --bind "$cache" "$cache" --bind "$here" "$here"
    --unshare-pid --as-pid-1 --chdir "$here" --setenv HOME /tmp)
  local name
  for name in bin sbin lib lib64; do
    if [ -e "$root/$name" ]; then enter+=(--symlink "usr/$name" "/$name"); fi
  done
  if [ -e /etc/resolv.conf ]; then
    enter+=(--ro-bind "$(readlink -f /etc/resolv.conf)" /etc/resolv.conf)
  fi
  # Behind a proxy that signs its own certificates, only the host knows the trusted CAs.
  local certificates=etc/ssl/certs/ca-certificates.crt
  if [ -e "/$certificates" ] && [ -e "$root/$certificates" ]; then
    enter+=(--ro-bind "$(readlink -f "/$certificates")" "/$certificates")
  fi
  # The git folder of a work tree is elsewhere.
  local git
  if [ -f "$here/.git" ] && git=$(cd "$here" && realpath "$(git rev-parse --git-common-dir)" 2>/dev/null); then
    enter+=(--ro-bind "$git" "$git")
  fi
  if [ -d "$data" ]; then enter+=(--bind "$data" "$AUTH_ERRORS_DATA"); fi
}

# The root's users and the current one, world-readable, because the servers look up their own users.
install_passwd() {
  { cat "$root/etc/passwd"
    [ "$(id -u)" = 0 ] || echo "dev:x:$(id -u):$(id -g)::/tmp:/bin/bash"
  } >"$cache/passwd.$$"
  chmod 0644 "$cache/passwd.$$"
  mv "$cache/passwd.$$" "$cache/passwd"
}

# reachable FOLDER: whether the servers' users can access it. They are the current user unless it is
# root.
reachable() {
  local prefix user
  for user in postgres rabbitmq; do
    as_user "$user"
    "${prefix[@]}" test -x "$(dirname "$1")" || return 1
  done
}

# For root on Debian 14, in a folder inaccessible to others: the same bind mount as in the sandbox,
# in its own mount namespace.
bind_natively() {
  export AUTH_ERRORS_DATA=/run/auth-errors
  mkdir -p "$AUTH_ERRORS_DATA"
  unshare --mount true 2>/dev/null || die "the users of PostgreSQL and RabbitMQ cannot enter" \
    "$(dirname "$data"), and this system forbids a mount that would help: choose --data in a folder" \
    "that others may enter"
  # shellcheck disable=SC2016  # expanded by the inner shell
  enter=(unshare --mount bash -c 'mount --bind "$0" "$1" && exec "${@:2}"' "$data" "$AUTH_ERRORS_DATA" "$here/dev")
}

# inside COMMAND...: runs it on the platform; it ends with this script in any case.
inside() {
  if on_debian_14; then "${enter[@]}" "$@"
  else "${enter[@]}" --die-with-parent bash "$here/dev" "$@"
  fi
}

inner_shell() { if [ $# = 0 ]; then bash; else "$@"; fi; }
