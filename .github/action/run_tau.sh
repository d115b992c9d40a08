#!/usr/bin/env bash
# What action.yml runs: tau from the source beside it, with Deno from npm.
# Inputs are arguments and nothing else; no shell reads their text.
set -euo pipefail

root=$GITHUB_ACTION_PATH
record=$(mktemp "${RUNNER_TEMP:-/tmp}/tau-result-XXXXXX")

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
npx -y deno@2.9.6 run -A --no-prompt --frozen --config "$root/deno.json" \
  "$root/src/main.ts" "${args[@]}" -- "${INPUT_PROMPT:-}" \
  </dev/null >"$record" || code=$?
echo "::$token::" >&2

# A JSON record has one line, so that nothing in it ends the value.
node - "$record" "$code" >>"$GITHUB_OUTPUT" <<'END'
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
