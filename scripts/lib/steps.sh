# Output, failure and cleanup functions of the scripts. Sourced, never run.
# shellcheck shell=bash
# shellcheck disable=SC2034 # read by other files

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

# Progress goes to stderr, so that functions can print results on stdout.
say() { printf '%s\n' "· $*" >&2; }
fail() { printf '%s\n' "✗ $*" >&2; exit 1; }

# A folder for this run's private servers and logs. Other users may pass through it, because servers run under other users.
make_scratch() {
  scratch=$(mktemp -d "${TMPDIR:-/tmp}/buildtrack-test.XXXXXX")
  chmod 711 "$scratch"
  at_exit remove_scratch
}
remove_scratch() { rm -rf -- "$scratch"; }

# at_exit FUNCTION [WORD]: runs the function when the script ends, in reverse order of registration.
leavings=()
at_exit() { leavings+=("$*"); }
clean_up() {
  local status=$? index
  trap - EXIT
  trap '' INT TERM HUP
  set +e
  for ((index = ${#leavings[@]} - 1; index >= 0; index--)); do
    # shellcheck disable=SC2086 # a function and its arguments, split on purpose
    ${leavings[index]}
  done
  exit "$status"
}
clean_up_at_exit() {
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  trap 'exit 129' HUP
}

need_cargo() {
  command -v cargo >/dev/null || PATH="$PATH:$HOME/.cargo/bin"
  command -v cargo >/dev/null || fail "cargo is missing: install Rust 1.94 or newer."
}

# Where cargo builds. Needs Node.
cargo_target() {
  cargo metadata --format-version 1 --no-deps --locked |
    node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).target_directory'
}

random_hex() { od -An -N"$1" -tx1 /dev/urandom | tr -d ' \n'; }

# as_user USER COMMAND…: for servers that refuse to run as root. Other users run the command themselves.
as_user() {
  local user=$1
  shift
  if [ "$(id -u)" -ne 0 ]; then
    "$@"
  elif command -v runuser >/dev/null; then
    runuser -u "$user" -- "$@"
  else
    su -s /bin/sh "$user" -c "$(printf '%q ' "$@")"
  fi
}

# first_user NAME…: prints the first of these users that exists.
first_user() {
  local user
  for user in "$@"; do
    if id "$user" >/dev/null 2>&1; then
      echo "$user"
      return
    fi
  done
  return 1
}

# owned_folder FOLDER USER: creates a folder that only USER may read.
owned_folder() {
  mkdir -p "$1" && chmod 700 "$1" || return 1
  if [ "$(id -u)" -eq 0 ]; then chown "$2" "$1"; fi
}

# stop_process PID SECONDS: sends SIGTERM, and SIGKILL after this time.
stop_process() {
  local tries=$(($2 * 5))
  kill -TERM "$1" 2>/dev/null || return 0
  while kill -0 "$1" 2>/dev/null && [ "$tries" -gt 0 ]; do
    sleep 0.2
    tries=$((tries - 1))
  done
  kill -KILL "$1" 2>/dev/null || true
}

# Prints the last lines of a log, indented, after a failed start.
last_words() { tail -n "${2:-8}" "$1" 2>/dev/null | sed 's/^/    /' >&2; }
