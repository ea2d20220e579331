# Finds or installs Python with the Standard Webhooks verifier, the clients of the two-party exchange, of MCP and of A2A, a checker of
# MCP, Schemathesis, a generator of clients, and what the sample agents and the tests of sdk/python import from PyPI; sets
# TEST_PYTHON. Sourced after packages.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by other files

need_python() {
  python_ready && return
  install_packages python3 python3-venv && python_ready && return
  fail "Python 3.11 or newer with venv is missing ($(python3 --version 2>/dev/null || echo none found)): install it (Debian: apt-get install python3 python3-venv)."
}

# Debian's python3 may lack the modules that venv needs.
python_ready() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# Installs the packages of tests/python, exactly as listed, in a virtual environment in the cargo target folder: some 130 packages,
# which the next run reuses. Each combination of lists and Python version has its own environment.
need_python_packages() {
  local lists=("$root"/tests/python/{requirements,client,arena,schemathesis,sdk,mcp,a2a,generator}.txt) name folder
  name=$({ python3 -c 'import sys; print(sys.version, sys.prefix)' && cat "${lists[@]}"; } | cksum | tr ' ' -)
  folder="${CARGO_TARGET_DIR:-target}/python-$name"
  [[ $folder == /* ]] || folder="$root/$folder"
  TEST_PYTHON="$folder/bin/python"
  export TEST_PYTHON
  [ -e "$folder/complete" ] && return
  say "installing the PyPI packages of tests/python"
  # A virtual environment cannot be moved, so it is created in place; the file `complete` marks it as finished.
  rm -rf -- "$folder"
  {
    # The client requires a Python before 3.13, but no part of it is known to need one.
    python3 -m venv "$folder" &&
      "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: \
        --ignore-requires-python --require-hashes "${lists[@]/#/--requirement=}" &&
      "$folder/bin/python" -c 'import a2a.client, agora, fastapi, flit_core, jwt, mcp, mcpcheck, mypy, openapi_python_client, schemathesis, standardwebhooks, websockets' && touch "$folder/complete"
  } >"$scratch/pip.log" 2>&1 </dev/null || {
    last_words "$scratch/pip.log"
    fail "'pip install' failed for the lists in tests/python."
  }
}
