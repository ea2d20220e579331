# A browser, which looks at the pages. Sourced after packages.sh.
# shellcheck shell=bash

# BROWSER, where it is given; otherwise one that is installed, or Debian's Chromium.
need_browser() {
  if [ -n "${BROWSER:-}" ]; then
    [ -x "$BROWSER" ] || fail "BROWSER=$BROWSER is no program."
    return
  fi
  find_browser || { install_packages chromium && find_browser; } ||
    fail "A browser is missing: install Chromium (Debian: apt-get install chromium), or name one in BROWSER."
  export BROWSER
}

find_browser() {
  local name
  for name in chromium chromium-browser google-chrome; do
    BROWSER=$(command -v "$name") && return
  done
}
