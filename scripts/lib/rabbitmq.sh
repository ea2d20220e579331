# RabbitMQ for the tests: sets TEST_AMQP_URL to a virtual host of this run. Sourced after node.sh.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # read and set by other files

rabbitmq_packages="rabbitmq-server"
rabbitmq_wanted="RabbitMQ is missing: set TEST_AMQP_URL, or install it (Debian: apt-get install rabbitmq-server), or start Docker."

need_rabbitmq() {
  provide rabbitmq
  export TEST_AMQP_URL
}

ask_rabbitmq() { node "$root/tests/node/rabbitmq.mjs" "$@"; }

rabbitmq_given() {
  local answer
  [ -n "${TEST_AMQP_URL:-}" ] || return 1
  answer=$(ask_rabbitmq check "$TEST_AMQP_URL" 2>&1) || fail "TEST_AMQP_URL is set, but cannot be used: $answer"
  say "RabbitMQ: the server of TEST_AMQP_URL ($answer)"
  own_vhost
}

rabbitmq_running() {
  local answer url=amqp://guest:guest@127.0.0.1:5672/%2f
  if answer=$(ask_rabbitmq check "$url" 2>&1); then
    say "RabbitMQ: the server on 127.0.0.1:5672 ($answer)"
    TEST_AMQP_URL=$url
    own_vhost
    return
  fi
  case $answer in *ECONNREFUSED*) ;; *) say "RabbitMQ: the server on 127.0.0.1:5672 cannot be used: $answer" ;; esac
  return 1
}

# Creates a virtual host for this run at the broker of TEST_AMQP_URL; if that is not permitted, uses the one in the URL.
# rabbitmqctl may control another broker than the URL names, so the new virtual host is checked through the URL.
own_vhost() {
  local vhost="buildtrack-test-$BUILDTRACK_TEST_RUN" url way named
  url=$(ask_rabbitmq url "$TEST_AMQP_URL" "$vhost")
  for way in rabbitmqctl management; do
    if "create_vhost_by_$way" "$vhost" && ask_rabbitmq check "$url" >/dev/null 2>&1; then
      at_exit "delete_vhost_by_$way" "$vhost" "$TEST_AMQP_URL"
      TEST_AMQP_URL=$url
      say "RabbitMQ: virtual host $vhost"
      return
    fi
    "delete_vhost_by_$way" "$vhost" "$TEST_AMQP_URL"
  done
  named=$(ask_rabbitmq vhost "$TEST_AMQP_URL")
  say "RabbitMQ: neither rabbitmqctl nor the management API can create a virtual host; using \"${named:-/}\""
}

create_vhost_by_rabbitmqctl() {
  run_rabbitmqctl add_vhost "$1" &&
    run_rabbitmqctl set_permissions -p "$1" "$(ask_rabbitmq user "$TEST_AMQP_URL")" '.*' '.*' '.*'
}
delete_vhost_by_rabbitmqctl() { run_rabbitmqctl delete_vhost "$1"; }
create_vhost_by_management() { ask_rabbitmq create-vhost "$TEST_AMQP_URL" "$1" >/dev/null 2>&1; }
delete_vhost_by_management() { ask_rabbitmq delete-vhost "$2" "$1" >/dev/null 2>&1; }

# Only root and the broker's user may run it.
run_rabbitmqctl() {
  command -v rabbitmqctl >/dev/null || return 1
  if rabbitmqctl --quiet "$@" >/dev/null 2>&1 </dev/null; then return; fi
  [ "$(id -u)" -ne 0 ] && sudo -n rabbitmqctl --quiet "$@" >/dev/null 2>&1 </dev/null
}

# A private broker.
rabbitmq_private() {
  local port password folder="$scratch/rabbitmq" name="buildtrack-test-$BUILDTRACK_TEST_RUN"
  rabbitmq_program >/dev/null && epmd_program >/dev/null || return 1
  port=$(free_port) password=$(random_hex 16)
  prepare_rabbitmq "$folder" "$name" "$port" "$password" || return 1
  at_exit stop_rabbitmq "$folder"
  TEST_AMQP_URL="amqp://buildtrack:$password@127.0.0.1:$port/$name"
  launch_rabbitmq "$folder" && await_rabbitmq "$folder" ask_rabbitmq check "$TEST_AMQP_URL" || return 1
  say "RabbitMQ: a private server on 127.0.0.1:$port ($(ask_rabbitmq check "$TEST_AMQP_URL"))"
}

# prepare_rabbitmq FOLDER NAME PORT PASSWORD: writes the settings of a broker with its own node name, ports, epmd, cookie,
# plugins and password, so that it does not collide with another. NAME is also its virtual host; its user is `buildtrack`.
prepare_rabbitmq() {
  local folder=$1 name=$2 port=$3 password=$4 user
  user=$(first_user rabbitmq nobody) || return 1
  owned_folder "$folder" "$user" || return 1
  printf '%s\n' HOME="$folder" ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="$(free_port)" \
    RABBITMQ_NODENAME="$name@localhost" RABBITMQ_DIST_PORT="$(free_port)" RABBITMQ_PID_FILE="$folder/pid" \
    RABBITMQ_MNESIA_BASE="$folder/data" RABBITMQ_LOG_BASE="$folder/logs" RABBITMQ_SCHEMA_DIR="$folder/schema" \
    RABBITMQ_CONF_ENV_FILE="$folder/env.conf" RABBITMQ_CONFIG_FILE="$folder/rabbitmq.conf" \
    RABBITMQ_ADVANCED_CONFIG_FILE="$folder/advanced.config" RABBITMQ_ENABLED_PLUGINS_FILE="$folder/plugins" \
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}" >"$folder.env"
  # shellcheck disable=SC2016 # expanded by the inner shell
  as_rabbitmq "$folder" sh -ec '
    umask 077
    printf "[].\n" >plugins
    : >env.conf
    printf "%s\n" >rabbitmq.conf "listeners.tcp.1 = 127.0.0.1:$1" "default_vhost = $2" \
      "default_user = buildtrack" "default_pass = $3" "disk_free_limit.absolute = 50MB"
  ' sh "$port" "$name" "$password"
}

# launch_rabbitmq FOLDER: starts the broker prepared there, with its existing data. The pids are in FOLDER.pid, pid (the
# broker's own) and epmd.pid.
launch_rabbitmq() {
  local folder=$1
  # shellcheck disable=SC2016 # expanded by the inner shell
  as_rabbitmq "$folder" sh -ec '
    if ! kill -0 "$(cat epmd.pid 2>/dev/null)" 2>/dev/null; then
      "$2" -port "$ERL_EPMD_PORT" &
      echo $! >epmd.pid
    fi
    rm -f pid
    exec "$1"
  ' sh "$(rabbitmq_program)" "$(epmd_program)" >"$folder.log" 2>&1 </dev/null &
  echo $! >"$folder.pid"
}

# await_rabbitmq FOLDER COMMAND…: waits until the command succeeds; fails if the broker exits before.
await_rabbitmq() {
  local folder=$1 tries=300
  shift
  until "$@" >/dev/null 2>&1; do
    tries=$((tries - 1))
    if [ "$tries" -eq 0 ] || ! kill -0 "$(cat "$folder.pid")" 2>/dev/null; then
      say "RabbitMQ: a private server did not start"
      last_words "$folder.log"
      return 1
    fi
    sleep 0.2
  done
}

# as_rabbitmq FOLDER COMMAND…: runs a command in that folder with that broker's environment, as its user.
as_rabbitmq() (
  folder=$1
  shift
  mapfile -t environment <"$folder.env"
  cd "$folder" || exit 1
  unset ERL_FLAGS NOTIFY_SOCKET
  as_user "$(first_user rabbitmq nobody)" env "${environment[@]}" "$@"
)

stop_rabbitmq() {
  local name
  for name in pid epmd.pid; do
    if [ -s "$1/$name" ]; then stop_process "$(cat "$1/$name")" 20; fi
  done
}

# Debian's program in PATH requires its own user and folder; the underlying one does not.
rabbitmq_program() {
  local program
  for program in /usr/lib/rabbitmq/bin/rabbitmq-server "$(command -v rabbitmq-server)"; do
    if [ -x "$program" ]; then
      echo "$program"
      return
    fi
  done
  return 1
}

# Erlang's port mapper is started here, because one started by Erlang would outlive the broker.
epmd_program() {
  command -v epmd && return
  erl -noinput -eval 'io:put_chars(filename:join([code:root_dir(), "bin", "epmd"])), halt().' 2>/dev/null
}

rabbitmq_docker() {
  local port password name="buildtrack-test-rabbitmq-$BUILDTRACK_TEST_RUN" tries=120
  password=$(random_hex 16)
  say "RabbitMQ: starting a container"
  at_exit remove_container "$name"
  port=$(start_container "$name" 5672 --env RABBITMQ_DEFAULT_USER=buildtrack --env "RABBITMQ_DEFAULT_PASS=$password" \
    --env "RABBITMQ_DEFAULT_VHOST=buildtrack-test-$BUILDTRACK_TEST_RUN" rabbitmq:4) || return 1
  TEST_AMQP_URL="amqp://buildtrack:$password@127.0.0.1:$port/buildtrack-test-$BUILDTRACK_TEST_RUN"
  until ask_rabbitmq check "$TEST_AMQP_URL" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.5
  done
}
