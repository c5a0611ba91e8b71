#!/usr/bin/env bash
# Run the gate in a job of GitHub Actions: annotations and text into the log, the table into the summary,
# every form into a folder. Whatever goes wrong, the step fails: its exit code is that of certify gate.
set -uo pipefail

certify=${INPUT_CERTIFY:-${RUNNER_TEMP:?}/certify-venv/bin/certify}
report=${RUNNER_TEMP:?}/certify-gate
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
rm -rf "$report" && mkdir -p "$report" || exit 3

# Lines of a log that begin with two colons are commands to the runner: what others wrote must not become one.
silenced=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n') && [ "${#silenced}" -eq 32 ] || exit 3
quietly() {
  printf '::stop-commands::%s\n' "$silenced"
  cat "$1"
  printf '\n::%s::\n' "$silenced"
}

# Python away from the checkout: a module of the pull request by the name of one of its own is not taken for it.
isolated() { python3 -I "$@"; }

output() { printf '%s=%s\n' "$1" "$2" >>"${GITHUB_OUTPUT:-/dev/null}"; }

fail() {
  local said=${1//'%'/'%25'}
  said=${said//$'\r'/'%0D'}
  echo "::error title=certify gate::${said//$'\n'/'%0A'}"
  printf '### ❌ certify gate: nothing was compared\n\n```\n%s\n```\n' "$1" >>"$summary"
  output status error
  output exit-code "$2"
  exit "$2"
}

# A branch is held against what it would land on: where it parted from the default branch on a push, whatever was
# pushed to it before, and the policy is that of the branch that is merged into.
base=${INPUT_BASE:-}
head=${INPUT_HEAD:-git:HEAD}
policy_from=()
onto() { git rev-parse --quiet --verify --end-of-options "refs/remotes/origin/$1^{commit}" >/dev/null 2>&1; }
if [ -z "$base" ]; then
  [ -n "${EVENT_BASE:-}" ] || fail "this event names no state to compare with: set the input base" 2
  base=git:$EVENT_BASE
  if [ "${EVENT_NAME:-}" = push ] && [ "${GITHUB_REF:-}" != "refs/heads/${EVENT_DEFAULT:-}" ]; then
    onto "${EVENT_DEFAULT:-}" || fail "the default branch ${EVENT_DEFAULT:-} is not in this clone: fetch-depth: 0" 2
    base="git:refs/remotes/origin/$EVENT_DEFAULT...${head#git:}"
    policy_from=(--policy-from "git:refs/remotes/origin/$EVENT_DEFAULT")
  elif [ -n "${EVENT_TARGET:-}" ] && onto "$EVENT_TARGET"; then
    policy_from=(--policy-from "git:refs/remotes/origin/$EVENT_TARGET")
  fi
fi

# Figures are kept only where the owner of the runner names a folder for them: see the guide.
cache=(--no-cache)
[ -z "${CERTIFY_CACHE:-}" ] || cache=(--cache "$CERTIFY_CACHE")

arguments=("$base" "$head" "${policy_from[@]}" "${cache[@]}"
  --format "text:$report/gate.txt" --format "json:$report/gate.json" --format "markdown:$report/gate.md"
  --format "junit:$report/gate.xml" --format "sarif:$report/gate.sarif" --format "annotations:$report/annotations.txt")
[ -z "${INPUT_FAIL_ON:-}" ] || arguments+=(--fail-on "$INPUT_FAIL_ON")
[ -z "${INPUT_APPROVALS:-}" ] || arguments+=(--approvals "$INPUT_APPROVALS")
[ -z "${INPUT_CONFIG:-}" ] || arguments+=(--config "$INPUT_CONFIG")

"$certify" gate "${arguments[@]}" 2>"$report/stderr.txt"
code=$?
[ -s "$report/gate.txt" ] && quietly "$report/gate.txt"
[ -s "$report/stderr.txt" ] && quietly "$report/stderr.txt"
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
deltas=$(isolated -c '
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

# Only a comment by whoever writes here is updated: anybody may write one that begins as ours.
comment() {
  local issues="repos/${GITHUB_REPOSITORY:?}/issues"
  local author found
  author=${INPUT_COMMENT_AUTHOR:-$(gh api graphql -f query='{viewer{login}}' --jq .data.viewer.login)} || return 1
  [ -n "$author" ] || return 1
  gh api "$issues/$EVENT_NUMBER/comments?per_page=100" --paginate >"$report/comments.json" || return 1
  found=$(isolated -c '
import json, sys
text, decoder, position, author = open(sys.argv[1], encoding="utf-8").read(), json.JSONDecoder(), 0, sys.argv[2]
while text[position:].strip():
    position += len(text[position:]) - len(text[position:].lstrip())
    page, position = decoder.raw_decode(text, position)
    for comment in page:
        if comment["user"]["login"] == author and comment["body"].startswith("<!-- certify-gate -->"):
            print(int(comment["id"]))
            sys.exit()' "$report/comments.json" "$author") || return 1
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
