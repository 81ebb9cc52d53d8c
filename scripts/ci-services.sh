#!/usr/bin/env bash
# Makes a bare Debian machine ready for the tests: a Docker engine with the sandbox's image, bubblewrap, Redis.
# Needs root. Quick, and changes nothing, where everything is there.
set -euo pipefail

image=repgen-sandbox:bookworm
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
state=/var/lib/repgen-ci
wait_seconds=60

# Command that shows that a package is there, and the package.
packages() {
  cat <<'LIST'
dockerd docker.io
docker docker.io
bwrap bubblewrap
redis-server redis-server
debootstrap debootstrap
git git
setpriv util-linux
LIST
}

install_missing() {
  local missing
  missing=$(packages | while read -r command package; do
    command -v "$command" >/dev/null || echo "$package"
  done)
  # Debian's python3 has the module venv but not what it needs to make one.
  python3_makes_environments || missing+=$'\npython3-venv'
  missing=$(sort -u <<<"$missing" | xargs)
  if [ -n "$missing" ]; then
    apt-get update --quiet
    # shellcheck disable=SC2086
    DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends $missing
  fi
}

python3_makes_environments() {
  /usr/bin/python3 -c 'import ensurepip' 2>/dev/null
}

# wait_for NAME COMMAND...: until the command succeeds.
wait_for() {
  local name=$1 second
  shift
  for ((second = 0; second < wait_seconds; second++)); do
    if "$@" >/dev/null 2>&1; then return 0; fi
    sleep 1
  done
  echo "$name does not answer after $wait_seconds seconds" >&2
  return 1
}

# start_engine DRIVER: leaves nothing running where the engine can't use the driver.
start_engine() {
  local log=$state/dockerd-$1.log pid second
  setsid dockerd --storage-driver "$1" --iptables="$iptables" >"$log" 2>&1 </dev/null &
  pid=$!
  for ((second = 0; second < wait_seconds; second++)); do
    if docker info >/dev/null 2>&1; then return 0; fi
    if ! kill -0 "$pid" 2>/dev/null; then break; fi
    sleep 1
  done
  kill "$pid" 2>/dev/null || true
  wait "$pid" || true
  tail -n 5 "$log" >&2
  return 1
}

start_docker() {
  if docker info >/dev/null 2>&1; then return 0; fi
  # Sandboxes have no network: an engine that may not touch the firewall does as well.
  iptables=true
  iptables --list >/dev/null 2>&1 || iptables=false
  for driver in overlay2 vfs; do
    if start_engine "$driver"; then return 0; fi
  done
  echo "no Docker engine can be started here" >&2
  return 1
}

start_redis() {
  if redis-cli ping >/dev/null 2>&1; then return 0; fi
  setsid redis-server --port 6379 --bind 127.0.0.1 --save '' --dir "$state" >"$state/redis.log" 2>&1 </dev/null &
  wait_for Redis redis-cli ping
}

install_missing
mkdir -p "$state"
start_docker
docker image inspect "$image" >/dev/null 2>&1 || "$here/../docker/sandbox/build-image.sh" "$image"
start_redis
echo "Docker $(docker version --format '{{.Server.Version}}') with $image, Redis and bubblewrap are ready"
