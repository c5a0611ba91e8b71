"""A gate run as SARIF 2.1.0, for code scanning."""

from pathlib import PurePath
from typing import Final
from urllib.parse import quote

from certify import __version__
from certify.characters import json_text
from certify.gate.change import GateChange, kinds
from certify.gate.verdict import GateReport
from certify.model import Severity
from certify.untrusted_input import JsonObject

_LEVELS: Final = {
    Severity.NOTE: "note",
    Severity.MINOR: "warning",
    Severity.MAJOR: "error",
    Severity.CRITICAL: "error",
}

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
                "rules": [
                    {
                        "id": kind.id,
                        "name": "".join(part.capitalize() for part in kind.id.split("-")),
                        "shortDescription": {"text": f"{kind.title}."},
                        "fullDescription": {"text": kind.why},
                        "help": {"text": f"{kind.remedy} Required by {kind.clause}."},
                        "defaultConfiguration": {"level": _LEVELS[kind.severity]},
                    }
                    for kind in kinds().values()
                ],
            }
        },
        "invocations": [{"executionSuccessful": True, "exitCode": 0 if report.passes else 1}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(change, rules.index(change.kind.id)) for change in report.changes],
    }
    return json_text({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]})


def _result(change: GateChange, rule: int) -> JsonObject:
    """Returns one result; an approved change is suppressed with its reason, not left out."""
    approval = change.approval
    place: JsonObject = {
        "artifactLocation": (
            {"uri": PurePath(change.path).as_uri()}
            if PurePath(change.path).is_absolute()
            else {"uri": quote(change.path, errors="surrogateescape"), "uriBaseId": "%SRCROOT%"}
        ),
        "region": {"startLine": max(1, change.line)},
    }
    return {
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
        "suppressions": []
        if approval is None
        else [{"kind": "external", "status": "accepted", "justification": approval.reason}],
        **({"locations": [{"physicalLocation": place}]} if change.path else {}),
    }
