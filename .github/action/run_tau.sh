#!/usr/bin/env bash
# What action.yml runs: tau from the source beside it, with Deno from npm.
# Inputs are arguments and nothing else; no shell reads their text.
# Nothing of the checkout is run, and nothing in it tells npm, Deno or Node.js
# what to run: programs are looked for outside of it, and Deno and tau are put
# into a folder of their own, each by its lock. What fetches them sees no key.
set -euo pipefail

root=$GITHUB_ACTION_PATH
temp=${RUNNER_TEMP:-/tmp}

# PATH without the checkout: it may have a program of any name, for example in
# node_modules/.bin.
checkout=$(cd -P "${GITHUB_WORKSPACE:-$PWD}" && pwd -P)
IFS=: read -ra folders <<<"$PATH"
path=
for folder in "${folders[@]}"; do
  [[ $folder == /* ]] || continue
  real=$(cd -P "$folder" 2>/dev/null && pwd -P) || continue
  [[ $real/ == "$checkout"/* ]] || path+=${path:+:}$folder
done
PATH=$path

# What changes the code or the permissions that Node.js and Deno start with.
unset NODE_OPTIONS NODE_PATH NODE_CHANNEL_FD
for name in "${!DENO_@}"; do
  case $name in DENO_CERT | DENO_TLS_CA_STORE) ;; *) unset "$name" ;; esac
done

place=$(mktemp -d "$temp/tau-XXXXXX")
trap 'rm -rf "$place"' EXIT
record=$(mktemp "$temp/tau-result-XXXXXX")
# A cache that others can write could hold anything in the place of a package.
export DENO_DIR=$place/deno-dir DENO_NO_UPDATE_CHECK=1 DENO_NO_PACKAGE_JSON=1

# Runs a program with the variables that it needs to start and to reach npm's
# packages, and no other.
without_keys() {
  local name kept=()
  for name in PATH HOME TMPDIR LANG DENO_DIR DENO_NO_UPDATE_CHECK DENO_NO_PACKAGE_JSON \
    HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy \
    NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR DENO_CERT DENO_TLS_CA_STORE \
    NPM_CONFIG_REGISTRY npm_config_registry \
    SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT TEMP TMP APPDATA LOCALAPPDATA USERPROFILE; do
    if [[ -n ${!name+set} ]]; then kept+=("$name=${!name}"); fi
  done
  env -i "${kept[@]}" "$@"
}

# Fetches Deno and what tau imports.
prepare() {
  mkdir "$place/npm" "$place/tau" &&
    cp "$root"/.github/action/package*.json "$place/npm" &&
    cp -R "$root/src" "$root/deno.json" "$root/deno.lock" "$place/tau" &&
    cd "$place/npm" &&
    without_keys npm ci --ignore-scripts --include=optional \
      --no-audit --no-fund --loglevel=error &&
    cd "$place/tau" &&
    without_keys "$(program)" cache --quiet --frozen --config deno.json \
      src/main.ts src/kernel/main.ts src/mod.ts
}

# npm unpacks the one package with a Deno that runs here.
program() {
  local found=("$place"/npm/node_modules/@deno/*/deno*)
  if [[ ! -x ${found[0]} ]]; then echo "npm has no Deno for this machine" >&2; fi
  echo "${found[0]}"
}

args=(--print --output-format=json)
option() {
  if [[ -n $2 ]]; then args+=("$1=$2"); fi
}
option --model "${INPUT_MODEL:-}"
option --profile "${INPUT_PROFILE:-}"
option --max-turns "${INPUT_MAX_TURNS:-}"
option --max-budget-usd "${INPUT_MAX_BUDGET_USD:-}"
option --timeout "${INPUT_TIMEOUT:-}"
while IFS= read -r line; do
  line=${line%$'\r'}
  if [[ -n $line ]]; then args+=("$line"); fi
done <<<"${INPUT_ARGS:-}"

# Progress tells what model and tools said: no line of it may be a command to
# the runner. It goes to stderr, and so do the lines that see to that, to be
# read in this order.
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token" >&2
code=0
(prepare) >&2 || code=$?
if [[ $code == 0 ]]; then
  "$(program)" run -A --no-prompt --frozen --cached-only \
    --config "$place/tau/deno.json" "$place/tau/src/main.ts" \
    "${args[@]}" -- "${INPUT_PROMPT:-}" </dev/null >"$record" || code=$?
fi
echo "::$token::" >&2

# A JSON record has one line, so that nothing in it ends the value.
(cd "$place" && without_keys node - "$record" "$code") >>"$GITHUB_OUTPUT" <<'END'
const { readFileSync, statSync } = require("node:fs");
const [, , file, code] = process.argv;
const MAX_BYTES = 500_000;
let record;
try {
  record = JSON.parse(readFileSync(file, "utf8"));
} catch {
  // tau was not even started.
}
const isSmall = record !== undefined && statSync(file).size <= MAX_BYTES;
const line = (text) => String(text ?? "").replaceAll(/[\r\n]/g, " ");
console.log(`exit-code=${code}`);
console.log(`result-file=${line(file)}`);
console.log(`result=${isSmall ? JSON.stringify(record) : ""}`);
console.log(`session=${record?.session?.stored ? line(record.session.file) : ""}`);
END
exit "$code"
