#!/usr/bin/env bash
# Builds the image that the Docker sandbox runs in.
#
#   docker/sandbox/build-image.sh [NAME]        (Default name: repgen-sandbox:bookworm.)
#
# Uses the Dockerfile. Where no image registry can be reached, the same packages are put together by debootstrap from
# a Debian mirror, which needs root. DEBIAN_MIRROR names another mirror.
set -euo pipefail

name=${1:-repgen-sandbox:bookworm}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if docker build --tag "$name" "$here"; then
  exit
fi

echo "docker build failed; trying debootstrap from $mirror" >&2
if ! command -v debootstrap >/dev/null || [ "$(id -u)" -ne 0 ]; then
  echo "debootstrap is not installed, or this is not root: apt-get install debootstrap, then run this as root" >&2
  exit 1
fi

root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
debootstrap --variant=minbase --include="$(paste -sd, "$here/packages.txt")" bookworm "$root" "$mirror"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
tar --directory "$root" --create . | docker import --change 'CMD ["python3"]' - "$name"
