# libfaketime, for processes whose wall clock is wrong: sets LIBFAKETIME to the library. Sourced after packages.sh.
# shellcheck shell=bash

need_faketime() {
  if [ -n "${LIBFAKETIME:-}" ]; then
    [ -r "$LIBFAKETIME" ] || fail "LIBFAKETIME=$LIBFAKETIME is no library."
  else
    find_faketime || { install_packages faketime && find_faketime; } ||
      fail "libfaketime is missing: install it (Debian: apt-get install faketime), or let LIBFAKETIME name libfaketimeMT.so.1."
  fi
  export LIBFAKETIME
}

find_faketime() {
  local library
  for library in /usr/lib/*/faketime/libfaketimeMT.so.1 /usr/lib64/faketime/libfaketimeMT.so.1 /usr/lib/faketime/libfaketimeMT.so.1; do
    if [ -r "$library" ]; then
      LIBFAKETIME=$library
      return
    fi
  done
  return 1
}
