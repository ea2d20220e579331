# Where a thing that the tests need comes from. Sourced after steps.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by its neighbours

# provide SERVICE: the first of these that works, as functions of the service's own file.
#   SERVICE_given    the environment names one; where it names one that does not answer, this fails
#   SERVICE_running  one answers on the standard port with the usual credentials (skipped with TEST_SERVICES=private)
#   SERVICE_private  installed programs, started on a free port
#   SERVICE_docker   a container on a free port
#   the distribution's packages, SERVICE_packages, then SERVICE_private again
# Each says what it did. SERVICE_wanted is the sentence for when nothing does.
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

# start_container NAME PORT ARGUMENT…: runs a container until the script ends; answers with the host's port for PORT.
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

# install_packages NAME…: Debian's packages, where this user may install any.
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
