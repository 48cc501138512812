#!/usr/bin/env bash
# Puts the binary for this runner in place and says where it is and what its checksum is. From the
# input `binary-path`, the tool cache, or the release; never without a checksum that was known before.
# It needs no token and has none.
set -euo pipefail

readonly release=https://github.com/org/bench-action/releases/download
here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)"

# shellcheck source=action/common.sh
. "$here/common.sh"

# The target that the binary was built for: on Linux static, so that it runs on any.
target() {
  local system machine
  case "${RUNNER_OS:-}" in
    Linux) system=unknown-linux-musl ;;
    macOS) system=apple-darwin ;;
    Windows) system=pc-windows-msvc ;;
    *) fail "RUNNER_OS is \`${RUNNER_OS:-}\`: there are binaries for Linux, macOS and Windows; build one and pass it as \`binary-path\`" ;;
  esac
  case "${RUNNER_ARCH:-}" in
    X64) machine=x86_64 ;;
    ARM64) machine=aarch64 ;;
    *) fail "RUNNER_ARCH is \`${RUNNER_ARCH:-}\`: there are binaries for X64 and ARM64; build one and pass it as \`binary-path\`" ;;
  esac
  printf '%s-%s\n' "$machine" "$system"
}

# The checksum that the binary must have: the input, else the one listed here.
expected() {
  local asset=$1 sum name
  if [ -n "${INPUT_CHECKSUM:-}" ]; then
    [[ "$INPUT_CHECKSUM" =~ ^[0-9a-fA-F]{64}$ ]] || fail "input \`checksum\`: not a SHA-256 in 64 hexadecimal digits"
    printf '%s\n' "$INPUT_CHECKSUM" | tr 'A-F' 'a-f'
    return
  fi
  while read -r sum name; do
    if [ "$name" = "$asset" ]; then
      printf '%s\n' "$sum"
      return
    fi
  done <"$here/checksums.txt"
  fail "$asset is not listed in action/checksums.txt: take a version that is, or give the SHA-256 of its binary as \`checksum\`"
}

# fetch ADDRESS FILE
fetch() {
  local address=$1 file=$2 protocols='=https'
  # An address that somebody has given may be a mirror within their own network.
  if [ -n "${INPUT_DOWNLOAD_BASE_URL:-}" ]; then protocols='=https,http,file'; fi
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --proto "$protocols" --proto-redir "$protocols" --tlsv1.2 \
      --connect-timeout 20 --max-time 300 --retry 5 --output "$file" -- "$address"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --tries=5 --timeout=60 --output-document="$file" -- "$address"
  else
    fail "neither curl nor wget is here: install one, or pass \`binary-path\`"
  fi
}

# download ASSET CHECKSUM BINARY: the binary appears whole and verified, or not at all.
download() {
  local asset=$1 sum=$2 binary=$3 base part
  base="${INPUT_DOWNLOAD_BASE_URL:-$release}"
  mkdir -p "$(dirname -- "$binary")"
  part="$(mktemp "$binary.XXXXXX")"
  trap 'rm -f -- "$part"' EXIT
  fetch "${base%/}/$asset" "$part" ||
    fail "${base%/}/$asset could not be downloaded: see the network, \`download-base-url\`, or pass \`binary-path\`"
  [ "$(sha256 "$part")" = "$sum" ] ||
    fail "what ${base%/}/$asset gives has the SHA-256 $(sha256 "$part"), and not $sum: it is not installed"
  chmod 755 "$part"
  mv -f -- "$part" "$binary"
  trap - EXIT
}

install() {
  local version asset sum binary place built_for
  version="${INPUT_VERSION:-$(cat "$here/VERSION")}"
  version="${version#v}"
  [[ "$version" =~ ^[0-9A-Za-z][0-9A-Za-z.+-]*$ ]] || fail "input \`version\`: \`$version\` is none"
  built_for="$(target)"
  asset="v$version/bench-action-$built_for"
  binary=bench-action
  if [ "${RUNNER_OS:-}" = Windows ]; then asset="$asset.exe" binary=bench-action.exe; fi
  sum="$(expected "$asset")"
  place="${RUNNER_TOOL_CACHE:-${RUNNER_TEMP:-/tmp}}/bench-action/$version/${RUNNER_ARCH:-}"
  binary="$place/$binary"
  # The tool cache of a machine of one's own is written to by earlier jobs, so a hit is checked too.
  if [ -f "$place.complete" ] && [ -f "$binary" ]; then
    if [ "$(sha256 "$binary")" = "$sum" ]; then
      say "bench-action $version was here already"
      found "$binary" "$sum"
      return
    fi
    warn "$binary is not the file that was installed: it is replaced"
  fi
  download "$asset" "$sum" "$binary"
  : >"$place.complete"
  say "bench-action $version is installed"
  found "$binary" "$sum"
}

# found BINARY CHECKSUM
found() {
  case "$1" in *$'\n'*) fail "the path of the binary has a line break" ;; esac
  { printf 'binary=%s\n' "$1"; printf 'sha256=%s\n' "$2"; } >>"$GITHUB_OUTPUT"
}

if [ -n "${INPUT_BINARY_PATH:-}" ]; then
  [ -f "$INPUT_BINARY_PATH" ] || fail "input \`binary-path\`: there is no file $INPUT_BINARY_PATH"
  sum="$(sha256 "$INPUT_BINARY_PATH")"
  if [ -n "${INPUT_CHECKSUM:-}" ]; then
    wanted="$(expected '')"
    [ "$sum" = "$wanted" ] || fail "$INPUT_BINARY_PATH has the SHA-256 $sum, and not $wanted"
  fi
  found "$INPUT_BINARY_PATH" "$sum"
else
  install
fi
