#!/usr/bin/env bash
# Runs the measuring step, keeps its log, and says how it ended without ending so: what was found is
# still to be told. Signals reach the binary, which then writes what it has.
set -euo pipefail

here="$(dirname -- "${BASH_SOURCE[0]}")"
mkdir -p "$PLAN_OUT"

# Lines that a benchmark writes are no commands to the runner.
stop="$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
printf '::stop-commands::%s\n' "$stop"

exec 3>&1
exec > >(exec tee -- "$PLAN_OUT/log.txt" >&3) 2>&1
log="${!:-}"

bash -p "$here/start.sh" measure &
run=$!
trap 'kill -INT "$run" 2>/dev/null || true' INT
trap 'kill -TERM "$run" 2>/dev/null || true' TERM

# A signal ends the waiting, not what is waited for.
while :; do
  status=0
  wait "$run" || status=$?
  kill -0 "$run" 2>/dev/null || break
done

exec >&3 2>&3
[ -z "$log" ] || wait "$log" || true
printf '\n::%s::\n' "$stop"
printf 'exit=%s\n' "$status" >>"$GITHUB_OUTPUT"
