#!/usr/bin/env bash
# What the scripts share. Messages go through the runner, which takes `%`, CR and LF of a command in
# another spelling.

say() { printf '%s\n' "$*"; }

command_text() {
  local text=$*
  text="${text//'%'/%25}"
  text="${text//$'\r'/}"
  printf '%s' "${text//$'\n'/%0A}"
}

warn() { printf '::warning title=bench-action::%s\n' "$(command_text "$*")" >&2; }

fail() {
  printf '::error title=bench-action::%s\n' "$(command_text "$*")" >&2
  exit 1
}

# macOS has shasum and not sha256sum. The backslash before the sum of an odd file name goes.
sha256() {
  local line
  if command -v sha256sum >/dev/null 2>&1; then line="$(sha256sum -- "$1")"; else line="$(shasum -a 256 -- "$1")"; fi
  line="${line#\\}"
  printf '%s\n' "${line%% *}"
}
