"""Evidence of quick packs, kept small for tests of the report: as a script it makes that of a pack."""

from __future__ import annotations

import base64
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


def refresh() -> None:
    """Brings stored evidence to the present form in what names the code that computed; no figure is touched."""
    from certify.certification.items import items_evidence
    from certify.certification.tool import family_evidence
    from certify.evidence.plain import plain
    from certify.evidence.read import evidence_of
    from certify.issue.recorded import submission_of
    from certify.submission import parse_game

    for path in sorted(REPORTS.glob("*.json.xz")):
        evidence = stored(path)
        submission = base64.b64decode(evidence["item"]["files"][0]["base64"])
        game = parse_game(submission, "game.toml")
        evidence["family"] = plain(family_evidence(game))
        claimed = evidence_of(evidence)
        items = items_evidence(game, submission_of(claimed), claimed.brought, claimed.tool, claimed.family)
        evidence["items"] = plain(items)
        keep(evidence)


def main() -> None:
    """Keeps the evidence of a pack under the id of its game, or refreshes all that is kept (``--refresh``)."""
    if sys.argv[1] == "--refresh":
        refresh()
        return
    evidence = json.loads((Path(sys.argv[1]) / "evidence.json").read_bytes())
    tests = evidence["randomness"]["tests"]
    kept = {test["suite"]: test for test in tests}
    evidence["randomness"]["tests"] = list(kept.values())
    keep(evidence)


def keep(evidence: dict[str, Any]) -> None:
    """Writes evidence under the id of its game."""
    REPORTS.mkdir(exist_ok=True)
    text = json.dumps(evidence, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    (REPORTS / f"{evidence['item']['game']}.json.xz").write_bytes(lzma.compress(text, preset=9))


if __name__ == "__main__":
    main()
