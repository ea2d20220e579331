# Python, under which the tests run the verifier of Standard Webhooks from PyPI: sets TEST_PYTHON. Sourced after
# packages.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by its neighbours

need_python() {
  python_ready && return
  install_packages python3 python3-venv && python_ready && return
  fail "Python 3.9 or newer with venv is missing ($(python3 --version 2>/dev/null || echo none found)): install it (Debian: apt-get install python3 python3-venv)."
}

# Debian has python3 without what venv needs.
python_ready() { python3 -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; }

# The packages of tests/python, just as its list has them, in an environment of this run's own.
need_python_packages() {
  local folder="$scratch/python"
  say "installing the PyPI packages of tests/python"
  {
    python3 -m venv "$folder" &&
      "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --no-deps --only-binary :all: \
        --require-hashes --requirement "$root/tests/python/requirements.txt"
  } >"$scratch/pip.log" 2>&1 </dev/null || {
    last_words "$scratch/pip.log"
    fail "'pip install' failed for tests/python/requirements.txt."
  }
  TEST_PYTHON="$folder/bin/python"
  export TEST_PYTHON
}
