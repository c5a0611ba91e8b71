"""The formats in which a run of the gate is written, by name; here those that build servers read.

Annotations and code quality of GitHub and GitLab, JUnit XML, and SARIF for code scanning.
"""

import hashlib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import PurePath
from typing import Final
from urllib.parse import quote

from certify import __version__
from certify.characters import json_text, shown
from certify.gate.change import ChangeKind, GateChange, kinds
from certify.gate.document import gate_document
from certify.gate.text import gate_markdown, gate_text
from certify.gate.verdict import GateReport
from certify.model import Severity
from certify.untrusted_input import JsonObject

SHOWN: Final = 10
"""GitHub shows ten annotations of a kind for each step; more would hide the worst."""


def gate_annotations(report: GateReport) -> str:
    """Returns the worst ten changes as workflow commands, one line each."""
    changes = [change for change in report.unapproved if change.severity > Severity.NOTE]
    worst = sorted(changes, key=lambda change: -change.severity)[:SHOWN]
    return "".join(f"{_command(one, 'error' if report.stops(one) else 'warning')}\n" for one in worst)


def _command(change: GateChange, level: str) -> str:
    """Returns one workflow command.

    Source: GitHub Actions, workflow commands: percent, line ends, and in properties colon and comma are escaped.
    """
    properties = {"file": change.path, "line": str(change.line), "title": f"certify: {change.kind.id}"}
    listed = ",".join(
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items()
    )
    return f"::{level} {listed}::{_data(change.message)}"


def _data(text: str) -> str:
    return _clean(text).replace("%", "%25").replace("\n", "%0A")


_SEVERITIES: Final = {
    Severity.NOTE: ("note", "info"),
    Severity.MINOR: ("warning", "minor"),
    Severity.MAJOR: ("error", "major"),
    Severity.CRITICAL: ("error", "critical"),
}
"""How much a change matters in the words of SARIF, and in those of a code quality report."""


def gate_code_quality(report: GateReport) -> str:
    """Returns the changes that are not approved as a code quality report.

    Every field is there for every entry, as GitLab leaves out what lacks one without a word.

    Source: GitLab documentation, "Code Quality report format".
    """
    seen: set[str] = set()
    return json_text([_entry(change, seen) for change in report.unapproved])


def _entry(change: GateChange, seen: set[str]) -> JsonObject:
    fingerprint = change.stable_id
    while fingerprint in seen:
        fingerprint = hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
    seen.add(fingerprint)
    return {
        "description": change.message,
        "check_name": change.kind.id,
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[change.severity][1],
        "location": {"path": change.path or "certify.toml", "lines": {"begin": max(1, change.line)}},
    }


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


SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
FINGERPRINT: Final = "certifyChange/v1"


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
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(kind: ChangeKind) -> JsonObject:
    return {
        "id": kind.id,
        "name": "".join(part.capitalize() for part in kind.id.split("-")),
        "shortDescription": {"text": f"{kind.title}."},
        "fullDescription": {"text": kind.why},
        "help": {"text": f"{kind.remedy} Required by {kind.clause}."},
        "defaultConfiguration": {"level": _SEVERITIES[kind.severity][0]},
    }


def _result(change: GateChange, rule: int) -> JsonObject:
    """Returns one result; an approved change is suppressed with its reason, not left out."""
    approval = change.approval
    place: JsonObject = {
        "artifactLocation": _artifact(change.path),
        "region": {"startLine": max(1, change.line)},
    }
    return {
        "ruleId": change.kind.id,
        "ruleIndex": rule,
        "level": _SEVERITIES[change.severity][0],
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
        "suppressions": []
        if approval is None
        else [{"kind": "external", "status": "accepted", "justification": approval.reason}],
        **({"locations": [{"physicalLocation": place}]} if change.path else {}),
    }


def _artifact(path: str) -> dict[str, str]:
    """Returns where a file is: below the root of the sources, or by its absolute name."""
    if PurePath(path).is_absolute():
        return {"uri": PurePath(path).as_uri()}
    return {"uri": quote(path, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}


FORMATS: Final[Mapping[str, Callable[[GateReport], str]]] = {
    "text": gate_text,
    "json": lambda report: json_text(gate_document(report)),
    "markdown": gate_markdown,
    "junit": gate_junit,
    "sarif": gate_sarif,
    "gitlab": gate_code_quality,
    "annotations": gate_annotations,
}
"""What writes a run in each form, complete and ready to be written to a file, by the name of the form."""
