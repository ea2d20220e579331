# Finds or installs the services and programs that the tests need. Sourced after steps.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by other files

# provide SERVICE: tries these functions of the service's file until one succeeds.
#   SERVICE_given    the service that the environment names; fails if it does not answer
#   SERVICE_running  the service on the standard port with the usual credentials (skipped with TEST_SERVICES=private)
#   SERVICE_private  installed programs, started on a free port
#   SERVICE_docker   a container on a free port
#   SERVICE_packages the distribution's packages, then SERVICE_private again
# Each prints its choice. SERVICE_wanted is the error message if all fail.
provide() {
  local service=$1 wanted packages
  wanted="$1_wanted" packages="$1_packages"
  "${service}_given" && return
  if [ "${TEST_SERVICES:-}" != private ]; then
    "${service}_running" && return
  fi
  "${service}_private" && return
  if docker_answers; then
    "${service}_docker" && return
  fi
  # shellcheck disable=SC2086 # a list of packages
  install_packages ${!packages} && "${service}_private" && return
  fail "${!wanted}"
}

docker_answers() { command -v docker >/dev/null && docker info >/dev/null 2>&1; }

# start_container NAME PORT ARGUMENT…: runs a container until the script ends; prints the host's port for PORT.
start_container() {
  local name=$1 port=$2
  shift 2
  docker run --detach --rm --name "$name" --publish "127.0.0.1::$port" "$@" >"$scratch/$name.log" 2>&1 || {
    last_words "$scratch/$name.log" 3
    return 1
  }
  docker port "$name" "$port/tcp" | head -n 1 | sed 's/.*://'
}
remove_container() { docker rm --force --volumes "$1" >/dev/null 2>&1; }

# install_packages NAME…: installs Debian packages, if this user may.
install_packages() {
  local as_root=() log="$scratch/packages.log"
  command -v apt-get >/dev/null || return 1
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n)
  fi
  say "installing $* (apt-get)"
  {
    ${as_root[@]+"${as_root[@]}"} apt-get update -q &&
      ${as_root[@]+"${as_root[@]}"} env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y --no-install-recommends "$@"
  } >"$log" 2>&1 </dev/null || {
    last_words "$log"
    return 1
  }
  hash -r
}
