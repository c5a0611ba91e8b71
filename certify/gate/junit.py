"""A gate run as JUnit XML: a suite for each game, a test for each kind of change."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Final

from certify.characters import shown
from certify.gate.change import ChangeKind, GateChange, kinds
from certify.gate.verdict import GateReport

_TOTALS: Final = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""What is counted of a suite and of the run, by the elements that are counted."""


def gate_junit(report: GateReport) -> str:
    """Returns a gate run as JUnit XML."""
    root = ElementTree.Element("testsuites", name="certify gate")
    known = {of: [kind for kind in kinds().values() if kind.of == of] for of in ("change", "state", "run")}
    for game in report.games:
        # Most kinds need both states of a game.
        alone = {"added": known["state"], "removed": [kinds()["game-removed"]]}.get(game.status)
        judged = [kind for kind in kinds().values() if kind.of != "run"]
        _suite(root, game.game, judged, game.changes, report, judged if alone is None else alone)
    _suite(root, "policy and approvals", known["run"], report.remarks, report, known["run"])
    for element in (root, *root):
        for total, counted in _TOTALS.items():
            element.set(total, str(sum(1 for _ in element.iter(counted))))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _suite(
    root: ElementTree.Element,
    name: str,
    judged: Sequence[ChangeKind],
    changes: Sequence[GateChange],
    report: GateReport,
    shows: Sequence[ChangeKind],
) -> None:
    """Adds one suite with a test for each kind; one that this game cannot show is skipped."""
    suite = ElementTree.SubElement(root, "testsuite", name=_clean(name))
    # Whatever is found has a test, listed there or not.
    for kind in dict.fromkeys((*judged, *(change.kind for change in changes))):
        found = [change for change in changes if change.kind.id == kind.id]
        against = [change for change in found if report.stops(change)]
        about = {"classname": _clean(f"{name} / {kind.clause}"), "name": f"{kind.id}: {kind.title}"}
        case = ElementTree.SubElement(suite, "testcase", about)
        if against:
            said = _clean("; ".join(change.message for change in against))
            failure = ElementTree.SubElement(case, "failure", type=kind.id, message=said)
            failure.text = _clean(f"{_lines(against)}\n{kind.remedy}")
        elif kind not in shows and not found:
            ElementTree.SubElement(case, "skipped", message="the game is in one of the states only")
        if rest := [change for change in found if not report.stops(change)]:
            ElementTree.SubElement(case, "system-out").text = _clean(_lines(rest))


def _lines(changes: Sequence[GateChange]) -> str:
    """Returns changes as text, a line each."""
    return "\n".join(
        f"{one.path}:{one.line}: {one.word}: {one.message} [{one.fingerprint}]" for one in changes
    )


def _clean(text: str) -> str:
    return shown(text, "\n")
