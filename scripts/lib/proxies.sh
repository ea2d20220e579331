# The proxies in front of the servers: nginx runs the block of docker-compose.yml, Caddy reads docs/examples/Caddyfile. Sourced
# after packages.sh.
# shellcheck shell=bash

# NGINX and CADDY, where they are given; otherwise what is installed, or Debian's packages.
need_proxies() {
  need_proxy NGINX nginx nginx-light
  need_proxy CADDY caddy caddy
  export NGINX CADDY
}

# need_proxy VARIABLE PROGRAM PACKAGE
need_proxy() {
  if [ -n "${!1:-}" ]; then
    [ -x "${!1}" ] || fail "$1=${!1} is no program."
    return
  fi
  find_proxy "$1" "$2" || { install_quietly "$3" && find_proxy "$1" "$2"; } ||
    fail "$2 is missing: install it (Debian: apt-get install $3), or name it in $1."
}

# Debian keeps nginx off the path of those who are not root.
find_proxy() {
  local program
  program=$(PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" command -v "$2") && printf -v "$1" %s "$program"
}

# Their packages would start them on the standard ports: a policy of this moment forbids that where there is none yet.
install_quietly() {
  local policy=/usr/sbin/policy-rc.d status=0
  if [ "$(id -u)" -ne 0 ] || [ -e "$policy" ]; then
    install_packages "$@"
    return
  fi
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod 755 "$policy"
  install_packages "$@" || status=$?
  rm -f "$policy"
  return "$status"
}
