"""A gate run as one JSON object, for scripts, and what of it is kept for ``certify approve``."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any, Final

from certify import __version__
from certify.children import source_digest
from certify.errors import InputError, Refusing
from certify.evidence import Moved, plain
from certify.exact import exact_text, fraction_text, percent_text, units
from certify.gate.change import EVERY_CHANGE, Approval, GateChange, fingerprint
from certify.gate.fact_changes import short
from certify.gate.facts import Submission
from certify.gate.figure_changes import FIGURES, FigureChanges, WagerChange, edge, top_award
from certify.gate.figure_inputs import tool
from certify.gate.snapshot import Snapshot
from certify.gate.verdict import GateReport
from certify.model import PrintedVerdict, WagerFigures
from certify.result_cache import find, keep
from certify.untrusted_input import JsonObject

SCHEMA: Final = "certify-gate/1"


def gate_document(report: GateReport) -> JsonObject:
    """Returns a gate run as a JSON object: exact fractions as text, with percentages next to them."""
    return {
        "schema": SCHEMA,
        "tool": {"name": "certify", "version": __version__, "source_sha256": source_digest()},
        "base": _state(report.base),
        "head": _state(report.head),
        "policy": report.policy or None,
        "policy_from": report.policy_from or None,
        "approvals": report.approvals or None,
        "fail_on": report.fail_on.name.lower(),
        "verdict": "satisfied" if report.passes else "not satisfied",
        "counts": report.counts,
        "approved": sum(change.approval is not None for change in report.changes),
        "games": [
            {
                "game": game.game,
                "status": game.status,
                "fingerprint": None if game.untouched else game.fingerprint,
                "before_digest": None if game.untouched else game.digests[0],
                "after_digest": None if game.untouched else game.digests[1],
                "before": _submission(game.before, game.untouched),
                "after": _submission(game.after, game.untouched),
                **_deltas(game.figure_changes),
            }
            for game in report.games
        ],
        "changes": [change_json(change) for change in report.changes],
    }


def _state(state: Snapshot) -> JsonObject:
    return {"state": state.label, "commit": state.commit or None, "note": state.note or None}


def change_json(change: GateChange) -> JsonObject:
    """Returns one change as a JSON object."""
    approval = change.approval
    return {
        "id": change.kind.id,
        "game": change.game,
        "subject": change.subject,
        "wager": change.wager or None,
        "severity": change.severity.name.lower(),
        "message": change.message,
        "before": change.before,
        "after": change.after,
        "path": change.path,
        "line": change.line,
        "clause": change.kind.clause,
        "fingerprint": change.fingerprint,
        "before_digest": change.before_digest,
        "after_digest": change.after_digest,
        "approved": approval is not None,
        "approval": None
        if approval is None
        else {
            "fingerprint": approval.fingerprint,
            "reason": approval.reason,
            "until": approval.until,
            "approved_by": approval.approved_by or None,
            "signed": bool(approval.signature),
        },
    }


def _submission(submission: Submission | None, untouched: bool) -> "JsonObject | None":
    """Returns what is submitted; of a file that nobody touched no meaning was read."""
    if submission is None:
        return None
    return {
        "path": submission.shown,
        "version": submission.version,
        "sha256": hashlib.sha256(submission.data).hexdigest(),
        "meaning": None if untouched else submission.digest,
    }


def _deltas(figure_changes: FigureChanges | None) -> JsonObject:
    if figure_changes is None:
        return {"wagers": {}, "exposure": None, "decisions_changed": [], "printed": []}
    return {
        "wagers": {delta.wager: _wager(delta) for delta in figure_changes.wagers},
        "exposure": _exposure(figure_changes),
        "decisions_changed": plain(figure_changes.flips),
        "printed": [
            {"subject": short(about), "before": _verdict(old), "after": _verdict(new)}
            for about, (old, new) in figure_changes.printed.items()
        ],
    }


def _verdict(verdict: PrintedVerdict | None) -> "JsonObject | None":
    """Returns what a printed figure is worth, none where it is not printed."""
    return None if verdict is None else {"holds": verdict.holds, **plain(verdict)}


def _exposure(figure_changes: FigureChanges) -> JsonObject:
    old, new = figure_changes.exposure
    was, now = figure_changes.currency
    return {
        "before": None if old is None else units(old, was),
        "after": None if new is None else units(new, now),
        "delta": units(new - old, now) if old is not None and new is not None and was == now else None,
        "currency": now or was,
    }


def _wager(delta: WagerChange) -> JsonObject:
    added = {"return_on_total_wagered", "total_wagered"}
    moved = {
        name: None if name in added and not delta.adds_to_stake else _pair(delta.moved(name))
        for name in FIGURES
    }
    return {
        "strategy": delta.strategy,
        **{
            name: moved[name] for name in ("return", "return_on_total_wagered", "total_wagered", "house_edge")
        },
        "edge": dict(zip(("before", "after"), delta.both(edge), strict=True)),
        **{name: moved[name] for name in ("hit_frequency", "variance")},
        "standard_deviation": _deviation(delta),
        "top_award": dict(zip(("before", "after"), delta.both(_award), strict=True)),
        "by_strategy": {name: _pair(one) for name, one in delta.by_strategy.items()},
        **({"near": True} if delta.moved("variance").near else {}),
    }


def _pair(one: Moved) -> JsonObject:
    """Returns a figure before and after with its difference, as fractions and in per cent; or what they lie between."""
    values = {"before": one.before, "after": one.after, "delta": one.difference}
    off = dict(zip(values, one.off or (Fraction(0),) * 3, strict=True))
    return {
        **{
            name: None if value is None else exact_text(value, off=off[name])
            for name, value in values.items()
        },
        **{
            _IN_PERCENT[name]: None if value is None else percent_text(value)
            for name, value in values.items()
        },
    }


_IN_PERCENT: Final = {"before": "before_percent", "after": "after_percent", "delta": "delta_points"}
"""The keys of a figure in per cent, by those of the figure."""


def _deviation(delta: WagerChange) -> dict[str, float | None]:
    old, new = delta.both(lambda figures: figures.standard_deviation)
    return {"before": old, "after": new, "delta": None if old is None or new is None else new - old}


def _award(figures: WagerFigures) -> JsonObject:
    award = top_award(figures)
    return {
        "outcome": award.id,
        "pays": fraction_text(award.pays),
        "probability": fraction_text(award.probability),
    }


_KIND: Final = "changes"
LEAST_DIGITS: Final = 8
"""Digits of a fingerprint that must be given; fewer could name another change one day."""


def keep_changes(report: GateReport) -> None:
    """Keeps each change of a run where the exact figures are kept, so that runs side by side lose none."""
    for entry in records_of(gate_document(report), "the gate"):
        keep(_KIND, f"{tool()} {entry['fingerprint'][:LEAST_DIGITS]}", dict(entry))


def recorded(fingerprints: Iterable[str]) -> list[Mapping[str, Any]]:
    """Returns the changes that runs found, as far as their fingerprints prove them.

    Args:
        fingerprints: What their fingerprints are, or begin with.
    """
    kept = (find(_KIND, f"{tool()} {text.lower()[:LEAST_DIGITS]}") for text in fingerprints)
    return [entry for entry in kept if entry and _sound(entry)]


def records_of(document: Any, name: str) -> list[Mapping[str, Any]]:
    """Returns the changes of the JSON of a gate run, those of whole games among them.

    Raises:
        InputError: It is not the JSON of a gate run, or a fingerprint does not belong to its change.
    """
    with Refusing(
        (KeyError, TypeError, AttributeError),
        InputError,
        f"{name}: expected the JSON of certify gate",
        words=repr,
    ):
        found: list[Mapping[str, Any]] = list(_records(document))
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
    """Returns whether an entry is what its fingerprint says."""
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
