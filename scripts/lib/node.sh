# Finds or installs Node, which runs the seed's webhook receiver, browsers, public linters and generators, and the scripts' probes.
# Sourced after packages.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by other files

# The oldest version that Redocly's linter supports. It supports no version between 21 and 22.12.
node_oldest=20.19
# The oldest version that the checkers of the Model Context Protocol support.
node_oldest_checked=22.19
# The version fetched from the npm registry if the distribution's is too old.
node_fetched=22.23.3

need_node() {
  node_ready && return
  command -v npm >/dev/null || install_packages nodejs npm || true
  node_ready && return
  if fetch_node; then
    PATH="$(dirname "$fetched"):$PATH"
    hash -r
    node_ready && return
  fi
  fail "Node $node_oldest or newer is missing ($(node --version 2>/dev/null || echo none found)): install it with npm (https://nodejs.org/)."
}

node_ready() {
  node -e 'const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19) ? 0 : 1);' 2>/dev/null
}

# Fetches Node from the npm registry into the cargo target folder, where the next run finds it; sets `fetched` to the program.
fetch_node() {
  local machine folder
  case $(uname -sm) in
    "Linux x86_64") machine=linux-x64 ;;
    "Linux aarch64") machine=linux-arm64 ;;
    *) return 1 ;;
  esac
  command -v npm >/dev/null || return 1
  folder="${CARGO_TARGET_DIR:-target}/node-$node_fetched"
  [[ $folder == /* ]] || folder="$root/$folder"
  fetched="$folder/node_modules/node-$machine/bin/node"
  if ! [ -x "$fetched" ]; then
    say "fetching Node $node_fetched from the npm registry (found: $(node --version 2>/dev/null || echo none))"
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
      "node-$machine@$node_fetched" </dev/null >"$scratch/node.log" 2>&1 || {
      last_words "$scratch/node.log"
      return 1
    }
  fi
}

need_node_packages() { install_node_packages tests/node; }

# The checkers of the Model Context Protocol, with a Node that is new enough for them; sets TEST_MCP_NODE to it.
need_mcp_checkers() {
  TEST_MCP_NODE=$(command -v node)
  if ! runs_checkers "$TEST_MCP_NODE"; then
    fetch_node || fail "Node $node_oldest_checked or newer is missing for the checkers of MCP: install it (https://nodejs.org/)."
    TEST_MCP_NODE=$fetched
  fi
  export TEST_MCP_NODE
  install_node_packages tests/node/mcp --ignore-scripts
}

runs_checkers() {
  "$1" -e 'const [major, minor] = process.versions.node.split("."), [most, least] = process.argv[1].split(".");
    process.exit(+major > +most || (+major === +most && +minor >= +least) ? 0 : 1)' "$node_oldest_checked"
}

# install_node_packages FOLDER [OPTION…]: installs the packages of a folder from its lock file; again if the lock file is newer.
install_node_packages() {
  local folder="$root/$1"
  local installed="$folder/node_modules/.package-lock.json"
  [ -e "$installed" ] && ! [ "$folder/package-lock.json" -nt "$installed" ] && return
  command -v npm >/dev/null || install_packages npm ||
    fail "npm is missing: install it (Debian: apt-get install npm), or run 'npm ci' in $1 elsewhere."
  say "installing the npm packages of $1"
  (cd "$folder" && npm ci --loglevel=error "${@:2}" </dev/null >"$scratch/npm.log" 2>&1) || {
    last_words "$scratch/npm.log"
    fail "'npm ci' failed in $1."
  }
  touch "$installed"
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}
