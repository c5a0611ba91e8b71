"""A gate run as a code quality report of GitLab."""

import hashlib
from typing import Final

from certify.characters import json_text
from certify.gate.change import GateChange
from certify.gate.verdict import GateReport
from certify.model import Severity
from certify.untrusted_input import JsonObject

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
        "severity": _SEVERITIES[change.severity],
        "location": {"path": change.path or "certify.toml", "lines": {"begin": max(1, change.line)}},
    }
