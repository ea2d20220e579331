# Python, under which the tests run the verifier of Standard Webhooks, the client of the two-party exchange and Schemathesis
# from PyPI: sets TEST_PYTHON. Sourced after packages.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by its neighbours

need_python() {
  python_ready && return
  install_packages python3 python3-venv && python_ready && return
  fail "Python 3.11 or newer with venv is missing ($(python3 --version 2>/dev/null || echo none found)): install it (Debian: apt-get install python3 python3-venv)."
}

# Debian has python3 without what venv needs.
python_ready() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

# The packages of tests/python, just as its lists have them, in an environment beside what cargo builds: 78 packages, which the
# next run finds there. Another list, or another Python, has another one.
need_python_packages() {
  local lists=("$root"/tests/python/{requirements,client,schemathesis}.txt) name folder
  name=$({ python3 -c 'import sys; print(sys.version, sys.prefix)' && cat "${lists[@]}"; } | cksum | tr ' ' -)
  folder="${CARGO_TARGET_DIR:-target}/python-$name"
  [[ $folder == /* ]] || folder="$root/$folder"
  TEST_PYTHON="$folder/bin/python"
  export TEST_PYTHON
  [ -e "$folder/complete" ] && return
  say "installing the PyPI packages of tests/python"
  # An environment does not move: it is made in its place, which is nobody else's until it is complete.
  rm -rf -- "$folder"
  {
    # The client says that it needs a Python before 3.13; nothing in it is known to.
    python3 -m venv "$folder" &&
      "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: \
        --ignore-requires-python --require-hashes "${lists[@]/#/--requirement=}" &&
      "$folder/bin/python" -c 'import agora, schemathesis, standardwebhooks' && touch "$folder/complete"
  } >"$scratch/pip.log" 2>&1 </dev/null || {
    last_words "$scratch/pip.log"
    fail "'pip install' failed for the lists in tests/python."
  }
}
