# Packs the SDKs, and unpacks what was packed for their tests; sets TEST_SDK. Sourced after node.sh and python.sh.
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by other files

# Leaves in the cargo target folder, for each state of the folder sdk:
#   python/                          the wheel, installed, for PYTHONPATH
#   node/node_modules/buildtrack/    the tarball, unpacked
#   node/tests/                      the tests, beside it, because a package's own tests would find its sources first
need_sdks() {
  local folder name
  # Type checkers read the sources, also where the packages of an earlier run are complete.
  node "$root/sdk/generate.mjs"
  name=$(cd "$root/sdk" && find . -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -path '*/__pycache__/*' \
    -not -path '*/.mypy_cache/*' | LC_ALL=C sort | xargs cksum | cksum | tr ' ' -)
  folder="${CARGO_TARGET_DIR:-target}/sdk-$name"
  [[ $folder == /* ]] || folder="$root/$folder"
  TEST_SDK=$folder
  export TEST_SDK
  [ -e "$folder/complete" ] && return
  say "packing the SDKs"
  rm -rf -- "$folder"
  {
    PYTHON="$TEST_PYTHON" "$root/sdk/pack" "$folder" &&
      "$TEST_PYTHON" -m pip install --quiet --disable-pip-version-check --no-input --no-index --no-deps \
        --target "$folder/python" "$folder"/*.whl &&
      mkdir -p "$folder/node/node_modules/buildtrack" &&
      tar -xzf "$folder"/buildtrack-*.tgz -C "$folder/node/node_modules/buildtrack" --strip-components=1 &&
      cp -R "$root/sdk/typescript/tests" "$folder/node/tests" && touch "$folder/complete"
  } >"$scratch/sdk.log" 2>&1 </dev/null || {
    last_words "$scratch/sdk.log"
    fail "the SDKs cannot be packed."
  }
}
