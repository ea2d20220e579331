# Go, which builds the guide's receiver (docs/examples/receivers/go): sets TEST_GO. Sourced after packages.sh.
# shellcheck shell=bash

# Debian 12 has this one.
go_oldest=1.19

need_go() {
  if [ -n "${TEST_GO:-}" ]; then
    go_ready "$TEST_GO" || fail "TEST_GO=$TEST_GO is no Go $go_oldest or newer."
  else
    find_go || { install_packages golang-go && find_go; } ||
      fail "Go $go_oldest or newer is missing ($(go version 2>/dev/null || echo none found)): install it (Debian: apt-get install golang-go), or name it in TEST_GO."
  fi
  export TEST_GO
}

# On the path, or where Go's own archive puts it.
find_go() {
  local program
  for program in "$(command -v go)" /usr/local/go/bin/go; do
    if go_ready "$program"; then
      TEST_GO=$program
      return
    fi
  done
  return 1
}

# go_ready PROGRAM
go_ready() {
  local version
  version=$("$1" env GOVERSION 2>/dev/null) || return 1
  [ "$(printf 'go%s\n%s\n' "$go_oldest" "$version" | sort -V | head -n 1)" = "go$go_oldest" ]
}
