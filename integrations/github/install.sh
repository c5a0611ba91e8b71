#!/usr/bin/env bash
# Install the certify of this very checkout of the action, every dependency by its locked digest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
venv=${RUNNER_TEMP:?}/certify-venv
python3 -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes -r "$root/requirements.lock"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation "$root"
"$venv/bin/certify" --version
