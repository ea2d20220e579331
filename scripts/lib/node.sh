# Finds or installs Node, which runs the seed's webhook receiver and the scripts' probes. Sourced after packages.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by other files

# The oldest version that Playwright supports.
node_oldest=20
# The version fetched from the npm registry if the distribution's is too old.
node_fetched=22.23.3

need_node() {
  node_ready && return
  command -v npm >/dev/null || install_packages nodejs npm || true
  node_ready && return
  fetch_node && node_ready && return
  fail "Node $node_oldest or newer is missing ($(node --version 2>/dev/null || echo none found)): install it with npm (https://nodejs.org/)."
}

node_ready() { node -e "process.exit(parseInt(process.versions.node) >= $node_oldest ? 0 : 1)" 2>/dev/null; }

# Fetches Node from the npm registry into the cargo target folder, where the next run finds it.
fetch_node() {
  local machine folder program
  case $(uname -sm) in
    "Linux x86_64") machine=linux-x64 ;;
    "Linux aarch64") machine=linux-arm64 ;;
    *) return 1 ;;
  esac
  command -v npm >/dev/null || return 1
  folder="${CARGO_TARGET_DIR:-target}/node-$node_fetched"
  [[ $folder == /* ]] || folder="$root/$folder"
  program="$folder/node_modules/node-$machine/bin/node"
  if ! [ -x "$program" ]; then
    say "fetching Node $node_fetched from the npm registry (found: $(node --version 2>/dev/null || echo none))"
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-save --no-audit --no-fund --ignore-scripts --loglevel=error \
      "node-$machine@$node_fetched" </dev/null >"$scratch/node.log" 2>&1 || {
      last_words "$scratch/node.log"
      return 1
    }
  fi
  PATH="$(dirname "$program"):$PATH"
  hash -r
}

# Installs the packages of tests/node from its lock file; again if the lock file is newer.
need_node_packages() {
  local folder="$root/tests/node"
  local installed="$folder/node_modules/.package-lock.json"
  [ -e "$installed" ] && ! [ "$folder/package-lock.json" -nt "$installed" ] && return
  command -v npm >/dev/null || install_packages npm ||
    fail "npm is missing: install it (Debian: apt-get install npm), or run 'npm ci' in tests/node elsewhere."
  say "installing the npm packages of tests/node"
  (cd "$folder" && npm ci --loglevel=error </dev/null >"$scratch/npm.log" 2>&1) || {
    last_words "$scratch/npm.log"
    fail "'npm ci' failed in tests/node."
  }
  touch "$installed"
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close(); })'
}
