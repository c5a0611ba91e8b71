#!/usr/bin/env bash
# Install the certify of this very checkout of the action, every dependency by its locked digest.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
venv=${RUNNER_TEMP:?}/certify-venv
# Isolated (-I): the working directory is the checkout of a pull request, whose modules are not to be imported.
python3 -I -m venv "$venv"
"$venv/bin/python" -I -m pip install --quiet --disable-pip-version-check --require-hashes -r "$root/requirements.lock"
"$venv/bin/python" -I -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation "$root"
"$venv/bin/certify" --version
