#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the named Debian packages that are missing; as root, or through sudo.
set -eu
missing=""
for package in "$@"; do
    status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
    case "$status" in ii*) ;; *) missing="$missing $package" ;; esac
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
as_root="env"
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || {
        echo "cannot install without root or sudo; ask an administrator for: apt-get install$missing" >&2
        exit 1
    }
    as_root="sudo env" # sudo takes no variables along
fi
as_root="$as_root DEBIAN_FRONTEND=noninteractive RUNLEVEL=1" # servers are not started
# shellcheck disable=SC2086 # package names are words
$as_root apt-get install -y --no-install-recommends $missing >/dev/null 2>&1 || {
    $as_root apt-get update -qq
    $as_root apt-get install -y -qq --no-install-recommends $missing
}
