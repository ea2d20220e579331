# Finds or installs a browser for the tests of the pages. Sourced after packages.sh.
# shellcheck shell=bash

# Uses BROWSER if it is set; otherwise an installed browser, or Debian's Chromium.
need_browser() {
  if [ -n "${BROWSER:-}" ]; then
    [ -x "$BROWSER" ] || fail "BROWSER=$BROWSER is not a program."
    return
  fi
  find_browser || { install_packages chromium && find_browser; } ||
    fail "A browser is missing: install Chromium (Debian: apt-get install chromium), or set BROWSER to one."
  export BROWSER
}

find_browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    BROWSER=$(command -v "$name") && return
  done
}
