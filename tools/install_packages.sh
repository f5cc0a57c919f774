#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the named Debian packages that are missing; as root, or through sudo.
#
#   tools/install_packages.sh PACKAGE...             each is needed
#   tools/install_packages.sh --optional PACKAGE...  those that the archive has; the others are named
#
# A name such as mlir-NN-tools stands for the highest version that there is.
set -eu
export LC_ALL=C # what apt prints is read

as_root() {
    # sudo takes no variables along. Servers are not started.
    set -- env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 "$@"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || {
            echo "cannot install without root or sudo; ask an administrator for: apt-get install$missing" >&2
            return 1
        }
        set -- sudo "$@"
    fi
    "$@"
}

# install PACKAGE...: waits for another package manager, since a new computer may be updating itself.
install() {
    as_root apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends "$@"
}

# Package lists of today need no update.
lists_are_old() {
    [ -z "$(find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' -mmin -1440 2>/dev/null | head -n 1)" ]
}

is_installed() {
    case $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null || true) in ii*) return 0 ;; esac
    return 1
}

# highest_version NAME_WITH_NN COMMAND...: the name with the highest number among what the command prints.
highest_version() {
    pattern=$(printf '%s' "$1" | sed 's/NN/[0-9][0-9]*/')
    shift
    "$@" 2>/dev/null | grep -x "$pattern" | sort -V | tail -n 1
}

# resolve NAME: the package that NAME stands for, installed or in the archive; nothing if there is none.
resolve() {
    case $1 in
    *NN*)
        highest_version "$1" sh -c "apt-cache pkgnames; dpkg-query -W -f '\${Package} \${db:Status-Abbrev}\n' | sed -n 's/ ii *$//p'"
        ;;
    *)
        if is_installed "$1" || apt-cache policy "$1" 2>/dev/null | grep -q 'Candidate: [^(]'; then printf '%s' "$1"; fi
        ;;
    esac
}

optional=
[ "${1-}" != --optional ] || { optional=1; shift; }
missing=
absent=
for package in "$@"; do
    if [ "$optional" ]; then
        name=$(resolve "$package")
        if [ -z "$name" ] && [ -z "${updated-}" ] && updated=1 && lists_are_old; then
            as_root apt-get update -qq >/dev/null 2>&1 || true
            name=$(resolve "$package")
        fi
        [ -n "$name" ] || { absent="$absent $package"; continue; }
        package=$name
    fi
    is_installed "$package" || missing="$missing $package"
done
[ -z "$absent" ] || echo "not in this archive, so their tests are skipped:$absent"
[ -n "$missing" ] || exit 0
echo "installing:$missing"
# shellcheck disable=SC2086 # package names are words
if install $missing >/dev/null 2>&1; then exit 0; fi
as_root apt-get update -qq || [ "$optional" ] || exit 1
if [ -z "$optional" ]; then
    # shellcheck disable=SC2086
    install $missing
    exit
fi
for package in $missing; do # one by one, so that each that can be installed is
    install "$package" >/dev/null 2>&1 ||
        echo "cannot install $package, so its tests are skipped"
done
