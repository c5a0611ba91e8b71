"""Approvals: read from TOML, written to TOML, matched to changes, never trusted further than they say."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import Any, Final

from certify.errors import InputError, Problem, SubmissionError
from certify.gate.change import BOUND, EVERY_CHANGE, Approval, GateChange, fingerprint
from certify.submission.locate import index_lines
from certify.untrusted_input import TomlError, bounded_toml, quoted, read_bounded, write_whole

SCHEMA: Final = "certify-approvals/2"
DEFAULT_NAME: Final = "certify-approvals.toml"
_HEADER: Final = f'''# Changes that may land, each bound to what the game meant before and after: another edit voids it.
# Written by `certify approve`.
schema = "{SCHEMA}"
'''
_OPTIONAL: Final = ("approved_by", "signature", "certificates")
_REQUIRED: Final = (*(name for name in BOUND if name not in _OPTIONAL), "binding")


def read_approvals(path: Path) -> tuple[Approval, ...]:
    """Returns the approvals of a file.

    Raises:
        SubmissionError: The file cannot be read, or an entry is not what it says it is; all mistakes are listed.
    """
    return parse_approvals(read_bounded(path), str(path))


def parse_approvals(data: bytes, path: str) -> tuple[Approval, ...]:
    """Returns the approvals that the bytes of a file state.

    Raises:
        SubmissionError: An entry is not what it says it is.
    """
    try:
        text = data.decode("utf-8")
        document = bounded_toml(text)
    except UnicodeDecodeError as error:
        raise SubmissionError([Problem(path, 0, f"not valid TOML: {error}")]) from error
    except TomlError as error:
        raise SubmissionError([Problem(path, error.line, error.message)]) from error
    if document.get("schema") != SCHEMA:
        raise SubmissionError(
            [
                Problem(
                    path, 1, f'schema: expected "{SCHEMA}"; entries of an earlier one are to be approved anew'
                )
            ]
        )
    unknown = sorted(set(document) - {"schema", "approvals"})
    entries = document.get("approvals", [])
    lines = index_lines(text)
    problems = [Problem(path, lines.line((name,)), f'unknown key "{name}"') for name in unknown]
    found: list[Approval] = []
    if not isinstance(entries, list):
        raise SubmissionError([Problem(path, 1, "approvals: expected tables [[approvals]]")])
    for position, entry in enumerate(entries):
        line = lines.line(("approvals", position))
        complaints = _complaints(entry)
        problems += [Problem(path, line, complaint) for complaint in complaints]
        if not complaints:
            found.append(_approval(entry, line))
    if problems:
        raise SubmissionError(problems)
    return tuple(found)


def _approval(entry: Mapping[str, Any], line: int) -> Approval:
    values = {
        name: entry[name].isoformat() if isinstance(entry[name], date) else entry[name] for name in entry
    }
    return Approval(**values, line=line)


def _complaints(entry: Any) -> list[str]:
    """Returns what is wrong with the form of one entry."""
    if not isinstance(entry, dict):
        return [f"expected a table, got {entry!r}"]
    found = [f'unknown key "{name}"' for name in sorted(set(entry) - {*_REQUIRED, *_OPTIONAL})]
    found += [f'key "{name}" is missing' for name in _REQUIRED if name not in entry]
    for name, value in entry.items():
        if name in ("until", "approved_on"):
            # A datetime is a date too; a day is asked.
            if type(value) is not date:
                found.append(f"{name}: expected a day such as 2026-12-31, without quotes")
        elif name in (*_REQUIRED, *_OPTIONAL) and not isinstance(value, str):
            found.append(f"{name}: expected text")
    if not found and not entry["reason"].strip():
        found.append("reason: an approval says why")
    if not found and entry["fingerprint"] != _fingerprint(entry):
        found.append(
            f"fingerprint {entry['fingerprint']} does not belong to this change and these digests: "
            "entries are written by certify approve, not by hand"
        )
    if not found:
        approval = _approval(entry, 0)
        if approval.binding != approval.expected_binding:
            found.append(
                "binding: the entry was edited after it was written: "
                "entries are written by certify approve, not by hand"
            )
    return found


def _fingerprint(entry: Mapping[str, Any]) -> str:
    return fingerprint(entry["change"], entry["game"], entry["subject"], entry["before"], entry["after"])


def covers(approval: Approval, change: GateChange) -> bool:
    """Tells whether an approval speaks of just this change: kind, subject, and both meanings."""
    if (approval.game, approval.before, approval.after) != (
        change.game,
        change.before_digest,
        change.after_digest,
    ):
        return False
    if approval.change == EVERY_CHANGE:
        return True
    return (approval.change, approval.subject) == (change.kind.id, change.subject)


def is_expired(approval: Approval, today: date) -> bool:
    """Tells whether the last day of an approval has passed."""
    return date.fromisoformat(approval.until) < today


def wrong_term(approval: Approval, longest: int, today: date) -> str:
    """Returns what is wrong with the term of an approval; an empty text where nothing is.

    Args:
        approval: The approval.
        longest: Longest term in days.
        today: The present day, in UTC.
    """
    if date.fromisoformat(approval.approved_on) > today:
        return f"is said to be given on {approval.approved_on}, which is still to come"
    if approval.days > longest:
        return (
            f"holds for {approval.days} days, from {approval.approved_on} to {approval.until}: "
            f"expected at most {longest} (max_approval_days of the policy)"
        )
    return ""


def append_approval(path: Path, approval: Approval) -> None:
    """Adds an entry to a file of approvals, which is made where there is none; nothing in it is rewritten.

    Raises:
        InputError: The file is not one of approvals, holds this approval already, or cannot be written.
    """
    before = _HEADER.encode()
    if path.exists():
        before = read_bounded(path)
        for other in parse_approvals(before, str(path)):
            if other.fingerprint == approval.fingerprint and other.until >= approval.until:
                raise InputError(
                    f"{path}:{other.line}: {approval.fingerprint} is approved until {other.until} already"
                )
    content = before + (b"" if before.endswith(b"\n") else b"\n") + _toml(approval).encode()
    # What we write we can read; a reason with odd characters is met here, not in the next pull request.
    parse_approvals(content, str(path))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from error
    write_whole(path, [content])


def _toml(approval: Approval) -> str:
    """Returns an entry as TOML."""
    lines = ["", "[[approvals]]"]
    for field in dataclasses.fields(approval):
        value = getattr(approval, field.name)
        if field.name == "line" or (value == "" and field.name in _OPTIONAL):
            continue
        if field.name in ("until", "approved_on"):
            lines.append(f"{field.name} = {value}")
        elif field.name == "certificates":
            lines.append(f"{field.name} = '''\n{value.strip()}\n'''")
        else:
            lines.append(f"{field.name} = {quoted(value)}")
    return "\n".join(lines) + "\n"
