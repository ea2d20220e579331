# libfaketime, for processes whose wall clock is wrong: sets FAKETIME to the library. Sourced after packages.sh.
# shellcheck shell=bash

need_faketime() {
  if [ -n "${FAKETIME:-}" ]; then
    [ -r "$FAKETIME" ] || fail "FAKETIME=$FAKETIME is no library."
  else
    find_faketime || { install_packages faketime && find_faketime; } ||
      fail "libfaketime is missing: install it (Debian: apt-get install faketime), or let FAKETIME name libfaketimeMT.so.1."
  fi
  export FAKETIME
}

find_faketime() {
  local library
  for library in /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib64/faketime/libfaketimeMT.so.1 /usr/lib/faketime/libfaketimeMT.so.1; do
    if [ -r "$library" ]; then
      FAKETIME=$library
      return
    fi
  done
  return 1
}
