# PostgreSQL for the tests: sets TEST_DATABASE_URL, and drops this run's databases at the end. Sourced after node.sh.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # read and set by other files

postgres_packages="postgresql"
postgres_wanted="PostgreSQL 15 or newer is missing: set TEST_DATABASE_URL to a role that may create databases, or install it (Debian: apt-get install postgresql), or start Docker."

# Several tests at once each run three processes, which open about twenty connections each.
postgres_connections=200

need_postgres() {
  provide postgres
  export TEST_DATABASE_URL
}

ask_postgres() { node "$root/tests/node/postgres.mjs" "$@"; }

postgres_given() {
  local answer
  [ -n "${TEST_DATABASE_URL:-}" ] || return 1
  answer=$(ask_postgres check "$TEST_DATABASE_URL" 2>&1) ||
    fail "TEST_DATABASE_URL is set, but cannot be used: $answer"
  say "PostgreSQL: the server of TEST_DATABASE_URL ($answer)"
  if [ "$(ask_postgres connections "$TEST_DATABASE_URL")" -lt "$postgres_connections" ]; then
    say "PostgreSQL: max_connections is below $postgres_connections, so that tests with many processes may find no connection"
  fi
  at_exit drop_databases
}

postgres_running() {
  local answer url=postgres://postgres:postgres@127.0.0.1:5432/postgres
  if answer=$(ask_postgres check "$url" 2>&1); then
    if [ "$(ask_postgres connections "$url")" -lt "$postgres_connections" ]; then
      say "PostgreSQL: the server on 127.0.0.1:5432 allows fewer than $postgres_connections connections (max_connections), too few for these tests"
      return 1
    fi
    say "PostgreSQL: the server on 127.0.0.1:5432 ($answer)"
    TEST_DATABASE_URL=$url
    at_exit drop_databases
    return
  fi
  case $answer in *ECONNREFUSED*) ;; *) say "PostgreSQL: the server on 127.0.0.1:5432 cannot be used: $answer" ;; esac
  return 1
}

# Drops only this run's databases: the prefix contains the run's random id.
drop_databases() {
  ask_postgres drop "$TEST_DATABASE_URL" "bt_test_${BUILDTRACK_TEST_RUN}_" >/dev/null ||
    say "PostgreSQL: databases named bt_test_${BUILDTRACK_TEST_RUN}_… may remain"
}

# A private server, which no other user can access and which need not survive a power failure. Each test has a database of some 300
# files. Disks take most of the processor's time to create and delete them, so that they are in memory if there is room. MD5, because
# each server of a test opens some twenty connections, and SCRAM hashes the password 4096 times for each.
postgres_private() {
  local bin user port password folder="$scratch/postgres" memory
  if memory=$(memory_folder); then
    folder=$memory
    at_exit rm -rf "$folder"
  fi
  bin=$(postgres_programs) || return 1
  user=$(first_user postgres nobody) || return 1
  port=$(free_port) password=$(random_hex 16)
  owned_folder "$folder" "$user" || return 1
  # shellcheck disable=SC2016 # expanded by the inner shell
  (
    cd "$folder" || exit 1
    as_user "$user" sh -ec '
      umask 077
      printf %s "$2" >password
      "$1/initdb" --pgdata=data --username=postgres --pwfile=password --auth=md5 \
        --encoding=UTF8 --locale="$4" --no-sync
      printf "%s\n" >>data/postgresql.conf "port = $3" "listen_addresses = '\''127.0.0.1'\''" \
        "unix_socket_directories = '\'''\''" "max_connections = 300" \
        "fsync = off" "synchronous_commit = off" "full_page_writes = off" "max_wal_size = 256MB" \
        "wal_level = minimal" "max_wal_senders = 0"
      "$1/pg_ctl" --pgdata=data --log=server.log --wait --timeout=60 start
    ' sh "$bin" "$password" "$port" "$(postgres_locale)"
  ) >"$scratch/postgres.log" 2>&1 </dev/null || {
    say "PostgreSQL: a private server did not start"
    last_words "$scratch/postgres.log"
    last_words "$folder/server.log"
    return 1
  }
  at_exit stop_postgres "$user" "$bin" "$folder"
  TEST_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres"
  say "PostgreSQL: a private server on 127.0.0.1:$port ($(ask_postgres check "$TEST_DATABASE_URL"))"
}
# pg_ctl reads the pid from the data folder.
stop_postgres() {
  (cd "$3" && as_user "$1" "$2/pg_ctl" --pgdata=data --mode=immediate --wait stop) >/dev/null 2>&1
}

# A new folder in memory, if the system has such a file system with 4 GiB of room.
memory_folder() {
  local room
  room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 && $1 == "tmpfs" { print $4 }')
  [ "${room:-0}" -ge 4194304 ] && [ -w /dev/shm ] || return 1
  mktemp -d /dev/shm/buildtrack-test.XXXXXX
}

# The newest installed programs of a supported version; Debian keeps them outside PATH.
postgres_programs() {
  local folder major
  for folder in "$(dirname "$(command -v initdb || echo /nowhere/initdb)")" \
    $(printf '%s\n' /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /opt/homebrew/opt/postgresql*/bin | sort -rV); do
    if ! [ -x "$folder/initdb" ] || ! [ -x "$folder/pg_ctl" ] || ! [ -x "$folder/postgres" ]; then continue; fi
    major=$("$folder/postgres" --version | sed -E 's/[^0-9]*([0-9]+).*/\1/')
    if [ "$major" -ge 15 ]; then
      echo "$folder"
      return
    fi
  done
  return 1
}

postgres_locale() { if locale -a 2>/dev/null | grep -qiE '^C\.utf-?8$'; then echo C.UTF-8; else echo C; fi; }

postgres_docker() {
  local port password name="buildtrack-test-postgres-$BUILDTRACK_TEST_RUN" tries=120
  password=$(random_hex 16)
  say "PostgreSQL: starting a container"
  at_exit remove_container "$name"
  port=$(start_container "$name" 5432 --env "POSTGRES_PASSWORD=$password" postgres:17 \
    -c max_connections=300 -c fsync=off -c synchronous_commit=off -c full_page_writes=off) || return 1
  TEST_DATABASE_URL="postgres://postgres:$password@127.0.0.1:$port/postgres"
  until ask_postgres check "$TEST_DATABASE_URL" >/dev/null 2>&1; do
    tries=$((tries - 1))
    [ "$tries" -gt 0 ] || return 1
    sleep 0.5
  done
}
