"""Evidence of quick packs, kept small for tests of the report: as a script it makes that of a pack."""

from __future__ import annotations

import json
import lzma
import sys
from functools import cache
from pathlib import Path
from typing import Any

REPORTS = Path(__file__).parents[1] / "fixtures" / "reports"


@cache
def _text(path: Path) -> bytes:
    return lzma.decompress(path.read_bytes())


def stored(path: Path) -> dict[str, Any]:
    """Returns stored evidence, each time anew: a test may change it."""
    found: dict[str, Any] = json.loads(_text(path))
    return found


def main() -> None:
    """Keeps the evidence of a pack under the id of its game."""
    evidence = json.loads((Path(sys.argv[1]) / "evidence.json").read_bytes())
    tests = evidence["randomness"]["tests"]
    kept = {test["suite"]: test for test in tests}
    evidence["randomness"]["tests"] = list(kept.values())
    REPORTS.mkdir(exist_ok=True)
    text = json.dumps(evidence, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    (REPORTS / f"{evidence['item']['game']}.json.xz").write_bytes(lzma.compress(text, preset=9))


if __name__ == "__main__":
    main()
