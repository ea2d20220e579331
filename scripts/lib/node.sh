# Node, which runs the seed's webhook receiver and the scripts' own probes. Sourced after packages.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by its neighbours

need_node() {
  node_ready && return
  install_packages nodejs npm && node_ready && return
  fail "Node 18 or newer is missing ($(node --version 2>/dev/null || echo none found)): install it with npm (Debian: apt-get install nodejs npm)."
}

node_ready() { node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' 2>/dev/null; }

# The packages of tests/node, as its lock file has them; again where the lock file is newer.
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
