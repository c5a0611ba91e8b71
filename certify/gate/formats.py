"""The forms in which a run of the gate is written, by name; those that code hosts read are here."""

from __future__ import annotations

import hashlib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Final, Protocol
from urllib.parse import quote

from certify import __version__
from certify.characters import json_text, shown
from certify.gate.change import ChangeKind, GateChange, kinds
from certify.gate.compare import GameComparison
from certify.gate.document import gate_json
from certify.gate.markdown import gate_markdown
from certify.gate.text import gate_text
from certify.gate.verdict import GateReport
from certify.model.finding import Severity
from certify.untrusted_input import JsonObject

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


SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT: Final = "certifyChange/v1"
_LEVELS: Final = {
    Severity.NOTE: "note",
    Severity.MINOR: "warning",
    Severity.MAJOR: "error",
    Severity.CRITICAL: "error",
}


def gate_sarif(report: GateReport) -> str:
    """Returns a gate run as SARIF 2.1.0.

    Source: OASIS SARIF 2.1.0 plus Errata 01, sections 3.13, 3.14 and 3.27.
    """
    rules = list(kinds())
    run = {
        "tool": {
            "driver": {
                "name": "certify gate",
                "semanticVersion": __version__,
                "rules": [_rule(kind) for kind in kinds().values()],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": 0 if report.passes else 1}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(change, rules.index(change.kind.id)) for change in report.changes],
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_text(document)


def _rule(kind: ChangeKind) -> JsonObject:
    return {
        "id": kind.id,
        "name": "".join(part.capitalize() for part in kind.id.split("-")),
        "shortDescription": {"text": f"{kind.title}."},
        "fullDescription": {"text": kind.why},
        "help": {"text": f"{kind.remedy} Asked by {kind.clause}."},
        "defaultConfiguration": {"level": _LEVELS[kind.severity]},
    }


def _result(change: GateChange, rule: int) -> JsonObject:
    """Returns one result; an approved change is suppressed with its reason, not left out."""
    result: JsonObject = {
        "ruleId": change.kind.id,
        "ruleIndex": rule,
        "level": _LEVELS[change.severity],
        "message": {"text": change.message},
        "partialFingerprints": {FINGERPRINT: change.stable_id},
        "properties": {
            "game": change.game,
            "subject": change.subject,
            "severity": change.severity.name.lower(),
            "before": change.before,
            "after": change.after,
            "approvalFingerprint": change.fingerprint,
        },
        "suppressions": [],
    }
    if change.path:
        result["locations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(change.path),
                    "region": {"startLine": max(1, change.line)},
                }
            }
        ]
    if change.approval is not None:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": change.approval.reason}
        ]
    return result


def _artifact(path: str) -> dict[str, str]:
    """Returns where a file is: below the root of the sources, or by its absolute name."""
    if PurePath(path).is_absolute():
        return {"uri": PurePath(path).as_uri()}
    return {"uri": quote(path, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


_SEVERITIES: Final = {
    Severity.NOTE: "info",
    Severity.MINOR: "minor",
    Severity.MAJOR: "major",
    Severity.CRITICAL: "critical",
}


def gate_code_quality(report: GateReport) -> str:
    """Returns the changes that are not approved as a code quality report.

    Every field is there for every entry, as GitLab leaves out what lacks one without a word.

    Source: GitLab documentation, "Code Quality report format".
    """
    entries: list[JsonObject] = []
    seen: set[str] = set()
    for change in report.changes:
        if change.approval is None:
            entries.append(_entry(change, seen))
    return json_text(entries)


def _entry(change: GateChange, seen: set[str]) -> JsonObject:
    fingerprint = change.stable_id
    while fingerprint in seen:
        fingerprint = hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
    seen.add(fingerprint)
    return {
        "description": change.message,
        "check_name": change.kind.id,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[change.severity],
        "location": {"path": change.path or "certify.toml", "lines": {"begin": max(1, change.line)}},
    }


SHOWN: Final = 10
"""GitHub shows ten annotations of a kind for each step; more would hide the worst."""


def gate_annotations(report: GateReport) -> str:
    """Returns the worst ten changes as workflow commands, one line each."""
    changes = [
        change for change in report.changes if change.approval is None and change.severity > Severity.NOTE
    ]
    worst = sorted(changes, key=lambda change: -change.severity)[:SHOWN]
    return "".join(f"{_command(change, change in report.against)}\n" for change in worst)


def _command(change: GateChange, against: bool) -> str:
    """Returns one workflow command.

    Source: GitHub Actions, workflow commands: percent, line ends, and in properties colon and comma are escaped.
    """
    level = "error" if against else "warning"
    properties = {"file": change.path, "line": str(change.line), "title": f"certify: {change.kind.id}"}
    listed = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {listed}::{_data(change.message)}"


def _data(text: str) -> str:
    return shown(text, "\n").replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


class Format(Protocol):
    """What writes a run of the gate in one form."""

    def __call__(self, report: GateReport) -> str:
        """Returns the run, complete and ready to be written to a file."""


FORMATS: Final[Mapping[str, Format]] = {
    "text": gate_text,
    "json": gate_json,
    "markdown": gate_markdown,
    "junit": gate_junit,
    "sarif": gate_sarif,
    "gitlab": gate_code_quality,
    "annotations": gate_annotations,
}
"""Every form by the name under which it is ordered."""
