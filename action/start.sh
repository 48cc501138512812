#!/usr/bin/env bash
# start.sh STEP: runs a step of the binary, if that is still the file that was installed. Between two
# steps code of a pull request has run on this machine.
set -euo pipefail

# shellcheck source=action/common.sh
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

[ "$(sha256 "$BENCH_ACTION_BINARY")" = "$BENCH_ACTION_SHA256" ] ||
  fail "$BENCH_ACTION_BINARY is not the file that was installed: it is not started"
exec "$BENCH_ACTION_BINARY" action "$@"
