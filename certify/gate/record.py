"""What a gate run leaves behind for ``certify approve``: its changes, each proved by its own fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

from certify.errors import InputError
from certify.gate.cache import Cache
from certify.gate.change import EVERY_CHANGE, Approval, fingerprint
from certify.gate.document import gate_document
from certify.gate.verdict import GateReport

_KIND: Final = "changes"
_KEY: Final = "last"
_KEPT: Final = 500


def keep(report: GateReport, folder: Path | None) -> None:
    """Keeps the changes of a run where the exact figures are kept, the latest first and not for ever."""
    cache = Cache(folder)
    latest = records_of(gate_document(report), "the gate")
    seen = {entry["fingerprint"] for entry in latest}
    older = [entry for entry in recorded(folder) if entry["fingerprint"] not in seen]
    cache.write(_KIND, _KEY, {"changes": [*latest, *older][:_KEPT]})


def recorded(folder: Path | None) -> list[Mapping[str, Any]]:
    """Returns the changes that the last runs found, as far as their fingerprints prove them."""
    content = Cache(folder).read(_KIND, _KEY)
    return [entry for entry in content["changes"] if _sound(entry)] if content else []


def records_of(document: Any, name: str) -> list[Mapping[str, Any]]:
    """Returns the changes of the JSON of a gate run, those of whole games among them.

    Raises:
        InputError: It is not the JSON of a gate run, or a fingerprint does not belong to its change.
    """
    try:
        found: list[Mapping[str, Any]] = list(_records(document))
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(f"{name}: expected the JSON of certify gate: {error!r}") from error
    for entry in found:
        if not _sound(entry):
            raise InputError(f"{name}: the fingerprint {entry['fingerprint']} does not belong to its change")
    return found


def _records(document: Any) -> Iterator[dict[str, str]]:
    for change in document["changes"]:
        yield {
            "fingerprint": change["fingerprint"],
            "game": change["game"],
            "change": change["id"],
            "subject": change["subject"],
            "before": change["before_digest"],
            "after": change["after_digest"],
        }
    # Of a game that nobody touched there is nothing to approve.
    for game in (one for one in document["games"] if one["fingerprint"] is not None):
        yield {
            "fingerprint": game["fingerprint"],
            "game": game["game"],
            "change": EVERY_CHANGE,
            "subject": "",
            "before": game["before_digest"],
            "after": game["after_digest"],
        }


def _sound(entry: Any) -> bool:
    """Tells whether an entry is what its fingerprint says."""
    try:
        parts = [entry[name] for name in ("change", "game", "subject", "before", "after")]
        return bool(entry["fingerprint"] == fingerprint(*parts)) and all(
            isinstance(part, str) for part in parts
        )
    except (KeyError, TypeError):
        return False


def approval_from(
    entry: Mapping[str, Any], reason: str, until: date, approved_by: str, approved_on: date
) -> Approval:
    """Returns the approval of a recorded change."""
    approval = Approval(
        **{name: entry[name] for name in ("fingerprint", "game", "change", "subject", "before", "after")},
        reason=reason,
        until=until.isoformat(),
        approved_by=approved_by,
        approved_on=approved_on.isoformat(),
    )
    return replace(approval, binding=approval.expected_binding)
