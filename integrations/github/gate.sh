#!/usr/bin/env bash
# Run the gate in a job of GitHub Actions: annotations and text into the log, the table into the summary,
# every form into a folder. Whatever goes wrong, the step fails: its exit code is that of certify gate.
set -uo pipefail

certify=${INPUT_CERTIFY:-${RUNNER_TEMP:?}/certify-venv/bin/certify}
report=${RUNNER_TEMP:?}/certify-gate
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
rm -rf "$report" && mkdir -p "$report" || exit 3

output() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }

fail() {
  echo "::error title=certify gate::$1"
  printf '### ❌ certify gate: nothing was compared\n\n```\n%s\n```\n' "$1" >>"$summary"
  output status error
  output exit-code "$2"
  exit "$2"
}

base=${INPUT_BASE:-}
if [ -z "$base" ]; then
  [ -n "${EVENT_BASE:-}" ] || fail "this event names no state to compare with: set the input base" 2
  base=git:$EVENT_BASE
fi

# Figures are kept only where the owner of the runner names a folder for them: see the guide.
cache=(--no-cache)
[ -z "${CERTIFY_CACHE:-}" ] || cache=(--cache "$CERTIFY_CACHE")

arguments=("$base" "${INPUT_HEAD:-git:HEAD}" "${cache[@]}"
  --format text --format "json:$report/gate.json" --format "markdown:$report/gate.md"
  --format "junit:$report/gate.xml" --format "sarif:$report/gate.sarif" --format "annotations:$report/annotations.txt")
[ -z "${INPUT_FAIL_ON:-}" ] || arguments+=(--fail-on "$INPUT_FAIL_ON")
[ -z "${INPUT_APPROVALS:-}" ] || arguments+=(--approvals "$INPUT_APPROVALS")
[ -z "${INPUT_CONFIG:-}" ] || arguments+=(--config "$INPUT_CONFIG")

"$certify" gate "${arguments[@]}" 2>"$report/stderr.txt"
code=$?
cat "$report/stderr.txt" >&2
if [ "$code" -gt 1 ]; then
  fail "$(head -c 4000 "$report/stderr.txt" | tr '`' "'")" "$code"
fi
# A pass without its report is no pass.
[ -s "$report/gate.json" ] && [ -s "$report/gate.md" ] || fail "certify gate left no report" 3

cat "$report/annotations.txt"
cat "$report/gate.md" >>"$summary"
output exit-code "$code"
output report "$report"
if [ "$code" -eq 0 ]; then output status may-land; else output status may-not-land; fi
deltas=$(python3 -c '
import json, sys
games = json.load(open(sys.argv[1], encoding="utf-8"))["games"]
moved = {}
for game in games:
    for wager, figures in game["wagers"].items():
        for name, key in ((wager, "return"), (f"{wager}/total-wagered", "return_on_total_wagered")):
            delta = (figures[key] or {}).get("delta")
            if delta not in (None, "0"):
                moved.setdefault(game["game"], {})[name] = delta
print(json.dumps(moved))' "$report/gate.json") || fail "the report cannot be read" 3
output delta-return "$deltas"

comment() {
  local issues="repos/${GITHUB_REPOSITORY:?}/issues"
  local found
  found=$(gh api "$issues/$EVENT_NUMBER/comments" --paginate \
    --jq '.[] | select(.body | startswith("<!-- certify-gate -->")) | .id' | head -n 1) || return 1
  if [ -n "$found" ]; then
    gh api --method PATCH "$issues/comments/$found" -F "body=@$report/gate.md" --silent
  else
    gh api --method POST "$issues/$EVENT_NUMBER/comments" -F "body=@$report/gate.md" --silent
  fi
}
if [ "${INPUT_COMMENT:-false}" = true ] && [ -n "${EVENT_NUMBER:-}" ]; then
  # The verdict stands whether or not it can be told: pull requests of forks may not write comments.
  comment || echo "::warning title=certify gate::the comment could not be written (a pull request of a fork?)"
fi
exit "$code"
