"""Evidence of quick packs, kept small for tests of the report: as a script it makes that of a pack."""

import json
import lzma
import sys
from functools import cache
from pathlib import Path
from types import SimpleNamespace

REPORTS = Path(__file__).parents[1] / "fixtures" / "reports"
GAMES = REPORTS.parent / "games"


@cache
def _text(path):
    return lzma.decompress(path.read_bytes())


def stored(path):
    """Returns stored evidence, each time anew: a test may change it."""
    return json.loads(_text(path))


def refresh():
    """Brings stored evidence to the present form: what names the code, the submission's texts, and all conclusions.

    What was played stays as it was computed; what follows from the submission, or from what was brought, is seen anew.
    """
    for path in sorted(REPORTS.glob("*.json.xz")):
        keep(concluded_again(stored(path)))


def concluded_again(evidence):
    """Returns evidence with everything that this software concludes from its observations, concluded anew."""
    from certify.certification.conclude import checks_for, conclude
    from certify.certification.evidence import (
        item_evidence,
        items_evidence,
        obligations_evidence,
        plan_evidence,
        regime_evidence,
    )
    from certify.certification.exact import exact_evidence, exact_results
    from certify.certification.submitted import family_evidence, rules_evidence
    from certify.clauses import ExactResults
    from certify.evidence import plain
    from certify.evidence.read import evidence_of
    from certify.issue.parties import GAME_FILE
    from certify.issue.recorded import recorded_issue, request_of
    from certify.model import OPERATOR
    from certify.submission import parse_game

    submission = (GAMES / evidence["item"]["game"] / "game.toml").read_bytes()
    game = parse_game(submission, GAME_FILE)
    evidence["item"] = plain(item_evidence(game, submission))
    evidence["family"] = plain(family_evidence(game))
    jurisdictions = [{**one, "limits": {}} for one in evidence["regime"]["jurisdictions"]]
    evidence["regime"]["jurisdictions"] = jurisdictions
    evidence["run"]["plan"] = evidence["clauses"] = evidence["findings"] = []
    evidence["report"]["statement"] |= {"counted": "", "clauses": {}}
    claimed = evidence_of(evidence)
    request = request_of(claimed)
    exact = exact_results(game, request.regime, thorough=False)
    planned = checks_for(exact)
    seen = {}
    for one in claimed.observations:
        seen.setdefault(one.check, []).append(one)
    known = SimpleNamespace(game=game, regime=request.regime, brought=claimed.brought)
    observed = []
    for name, check in planned.items():
        if check.function.__annotations__["results"] is ExactResults:
            observed += check.observe(exact)
        else:
            anew = check.item in OPERATOR or name.endswith("-printed")
            kept = [] if anew else seen.get(name)
            observed += kept or check.observe(known)
    conclusion = conclude(
        exact,
        observed,
        GAME_FILE,
        demonstration=claimed.report.demonstration_key,
        brought=claimed.brought,
    )
    told = exact_evidence(exact, sensitivity=False)
    issue = recorded_issue(claimed, request)
    evidence["report"] = plain(issue.head) | {"statement": plain(conclusion.statement)}
    evidence["run"] |= plain(plan_evidence(planned, claimed.simulation)) | {"command": issue.command}
    return evidence | {
        "items": plain(items_evidence(game, submission, claimed.brought, claimed.tool, claimed.family)),
        "rules": plain(rules_evidence(game)),
        "terms": plain(told.terms),
        "configurations": plain(told.configurations),
        "edge": plain(told.edge),
        "readings": plain(told.readings),
        "observations": plain(conclusion.observations),
        "regime": plain(regime_evidence(request.regime, game)),
        "clauses": [plain(status) for status in conclusion.clauses],
        "obligations": plain(obligations_evidence(conclusion.clauses)),
        "findings": plain(conclusion.findings),
    }


def main():
    """Keeps the evidence of a pack under the id of its game, or refreshes all that is kept (``--refresh``)."""
    if sys.argv[1] == "--refresh":
        refresh()
        return
    evidence = json.loads((Path(sys.argv[1]) / "evidence.json").read_bytes())
    tests = evidence["randomness"]["tests"]
    kept = {test["suite"]: test for test in tests}
    evidence["randomness"]["tests"] = list(kept.values())
    keep(evidence)


def keep(evidence):
    """Writes evidence under the id of its game."""
    REPORTS.mkdir(exist_ok=True)
    text = json.dumps(evidence, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    (REPORTS / f"{evidence['item']['game']}.json.xz").write_bytes(lzma.compress(text, preset=9))


if __name__ == "__main__":
    main()
