"""A gate run as JUnit XML: a suite for each game, a test for each kind of change, passed ones too."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Sequence
from typing import Final

from certify.characters import shown
from certify.gate.change import ChangeKind, GateChange, kinds
from certify.gate.compare import GameComparison
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


def gate_junit(report: GateReport) -> str:
    """Returns a gate run as JUnit XML."""
    root = ElementTree.Element("testsuites", name="certify gate")
    for game in report.games:
        judged = [kind for kind in kinds().values() if kind.id not in OF_THE_RUN]
        _suite(root, game.game, judged, game.changes, report, _not_judged(game))
    of_the_run = [kinds()[name] for name in OF_THE_RUN]
    _suite(root, "policy and approvals", of_the_run, report.remarks, report, frozenset())
    for total in ("tests", "failures", "errors", "skipped"):
        root.set(total, str(sum(int(suite.get(total, "0")) for suite in root)))
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _not_judged(game: GameComparison) -> frozenset[str]:
    """Returns the kinds that need both states of a game where there is one only."""
    if game.status == "added":
        return frozenset(kinds()) - {*OF_ONE_STATE}
    if game.status == "removed":
        return frozenset(kinds()) - {"game-removed"}
    return frozenset()


def _suite(
    root: ElementTree.Element,
    name: str,
    judged: Sequence[ChangeKind],
    changes: Sequence[GateChange],
    report: GateReport,
    skipped: frozenset[str],
) -> None:
    """Adds one suite with a test for each kind."""
    suite = ElementTree.SubElement(root, "testsuite", name=_clean(name))
    failures = left_out = 0
    for kind in judged:
        found = [change for change in changes if change.kind.id == kind.id]
        against = [change for change in found if change in report.against]
        case = ElementTree.SubElement(
            suite, "testcase", classname=_clean(f"{name} / {kind.clause}"), name=f"{kind.id}: {kind.title}"
        )
        if against:
            failures += 1
            failure = ElementTree.SubElement(
                case, "failure", type=kind.id, message=_clean("; ".join(change.message for change in against))
            )
            failure.text = _clean("\n".join(_lines(against)) + f"\n{kind.remedy}")
        elif kind.id in skipped and not found:
            left_out += 1
            ElementTree.SubElement(case, "skipped", message="the game is in one of the states only")
        rest = [change for change in found if change not in against]
        if rest:
            ElementTree.SubElement(case, "system-out").text = _clean("\n".join(_lines(rest)))
    for total, number in (
        ("tests", len(judged)),
        ("failures", failures),
        ("errors", 0),
        ("skipped", left_out),
    ):
        suite.set(total, str(number))


def _lines(changes: Sequence[GateChange]) -> Iterator[str]:
    for change in changes:
        word = "approved" if change.approval else change.severity.name.lower()
        yield f"{change.path}:{change.line}: {word}: {change.message} [{change.fingerprint}]"


def _clean(text: str) -> str:
    return shown(text, "\n")
