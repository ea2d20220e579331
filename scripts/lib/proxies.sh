# Proxies in front of the servers: nginx runs the configuration in docker-compose.yml, Caddy that in docs/examples/Caddyfile; both run
# those in docs/examples for a server below a path.
# Sourced after packages.sh.
# shellcheck shell=bash

# Uses NGINX and CADDY if they are set; otherwise installed programs, or Debian's packages.
need_proxies() {
  need_proxy NGINX nginx nginx-light
  need_proxy CADDY caddy caddy
  export NGINX CADDY
}

# need_proxy VARIABLE PROGRAM PACKAGE
need_proxy() {
  if [ -n "${!1:-}" ]; then
    [ -x "${!1}" ] || fail "$1=${!1} is not a program."
    return
  fi
  find_proxy "$1" "$2" || { install_quietly "$3" && find_proxy "$1" "$2"; } ||
    fail "$2 is missing: install it (Debian: apt-get install $3), or set $1 to it."
}

# Debian keeps nginx outside the PATH of ordinary users.
find_proxy() {
  local program
  program=$(PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin" command -v "$2") && printf -v "$1" %s "$program"
}

# The packages would start services on the standard ports: a temporary policy forbids that, unless one exists already.
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
