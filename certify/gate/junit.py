"""A gate run as JUnit XML: a suite for each game, a test for each kind of change."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence, Set
from typing import Final

from certify.characters import shown
from certify.gate.change import ChangeKind, GateChange, kinds
from certify.gate.verdict import GateReport

OF_THE_RUN: Final = (
    "policy-changed",
    "approval-unused",
    "approval-expired",
    "approval-untrusted",
    "approval-refused",
)
"""Kinds that are judged once for a run, not for each game."""

OF_ONE_STATE: Final = (
    "claim-stale",
    "printed-figure-wrong",
    "return-above-100",
    "recovered-from-nothing",
    "floor-crossed",
    "top-award-rare",
    "exposure-above-limit",
    "figures-missing",
    "texts-disagree",
    "second-text-missing",
    "game-added",
)
"""Kinds that can be judged of a game that is new."""


_TOTALS: Final = {"tests": "testcase", "failures": "failure", "errors": "error", "skipped": "skipped"}
"""What is counted of a suite and of the run, by the elements that are counted."""


def gate_junit(report: GateReport) -> str:
    """Returns a gate run as JUnit XML."""
    root = ElementTree.Element("testsuites", name="certify gate")
    for game in report.games:
        judged = [kind for kind in kinds().values() if kind.id not in OF_THE_RUN]
        # Most kinds need both states of a game.
        alone = {"added": OF_ONE_STATE, "removed": ("game-removed",)}.get(game.status, kinds())
        _suite(root, game.game, judged, game.changes, report, kinds().keys() - alone)
    of_the_run = [kinds()[name] for name in OF_THE_RUN]
    _suite(root, "policy and approvals", of_the_run, report.remarks, report, frozenset())
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
    skipped: Set[str],
) -> None:
    """Adds one suite with a test for each kind."""
    suite = ElementTree.SubElement(root, "testsuite", name=_clean(name))
    for kind in judged:
        found = [change for change in changes if change.kind.id == kind.id]
        against = [change for change in found if report.stops(change)]
        about = {"classname": _clean(f"{name} / {kind.clause}"), "name": f"{kind.id}: {kind.title}"}
        case = ElementTree.SubElement(suite, "testcase", about)
        if against:
            said = _clean("; ".join(change.message for change in against))
            failure = ElementTree.SubElement(case, "failure", type=kind.id, message=said)
            failure.text = _clean(f"{_lines(against)}\n{kind.remedy}")
        elif kind.id in skipped and not found:
            ElementTree.SubElement(case, "skipped", message="the game is in one of the states only")
        rest = [change for change in found if not report.stops(change)]
        if rest:
            ElementTree.SubElement(case, "system-out").text = _clean(_lines(rest))


def _lines(changes: Sequence[GateChange]) -> str:
    """Returns changes as text, a line each."""
    return "\n".join(
        f"{one.path}:{one.line}: {one.word}: {one.message} [{one.fingerprint}]" for one in changes
    )


def _clean(text: str) -> str:
    return shown(text, "\n")
