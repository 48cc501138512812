#!/usr/bin/env bash
# check-binary.sh FILE [MOST_MEGABYTES]: whether a binary is what is promised: it runs, is small, and
# on Linux needs nothing of the machine it runs on.
set -euo pipefail
file=$1 most=${2:-12}

refuse() {
  echo "error: $file: $*" >&2
  exit 1
}

"$file" --version || refuse "does not run"
size=$(wc -c <"$file")
[ "$size" -lt $((most * 1000 * 1000)) ] || refuse "$size bytes, and less than $most MB are promised"
if [ "$(uname -s)" = Linux ]; then
  # A static binary, position-independent or not, names no loader and no library.
  headers=$(readelf --wide --program-headers --dynamic "$file") || refuse "cannot be read"
  for entry in INTERP NEEDED; do
    ! grep -q "$entry" <<<"$headers" || refuse "is not static: $(grep "$entry" <<<"$headers")"
  done
fi
echo "$file: $size bytes"
