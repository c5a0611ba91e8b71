"""``python -m certify``: the command line."""

import sys
from pathlib import Path

if __name__ == "__main__":
    # Python puts the folder called from first; that anything there is run before this line is the caller's to prevent
    # (docs/security.md): `certify` or `python -P -m certify`.
    if not sys.flags.safe_path and Path(sys.path[0]).resolve() != Path(__file__).resolve().parents[1]:
        del sys.path[0]
    from certify.cli.main import entry

    entry()
