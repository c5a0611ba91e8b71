"""What was submitted, in the evidence: rules, readings, terms, paytables, printed returns and witnesses.

All of it follows from the submission and its exact figures, so that verification computes it again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

from certify.analysis import Identification
from certify.exact import format_odds, fraction_text
from certify.families.witnesses import witnesses
from certify.model.equipment import row_names
from certify.model.figures import Analysis, Exposure
from certify.model.game import Claim, Game, Wager
from certify.model.provenance import Origin
from certify.model.witness import Witness


def submitted_evidence(game: Game) -> dict[str, Any]:
    """Returns the objects ``rules``, ``readings``, ``terms`` and ``wagers`` of the evidence."""
    return {
        "rules": [
            {"id": rule.id, "title": rule.title, "value": rule.value, **_origin(rule.origin)}
            for rule in game.rule_values
        ],
        "readings": [
            asdict(reading) | {"alternatives": list(reading.alternatives)} for reading in game.readings
        ],
        "terms": _terms(game),
        "wagers": [_wager(wager) for wager in game.wagers],
    }


def claims_evidence(
    game: Game,
    analyses: Mapping[str, Analysis],
    strategy_of: Mapping[str, str],
    identifications: Mapping[str, Identification],
) -> list[dict[str, Any]]:
    """Returns the ``claims`` of the evidence: every printed return beside the exact one.

    Args:
        game: The submission.
        analyses: Exact figures by strategy.
        strategy_of: For each wager, the strategy under which its printed return is read.
        identifications: Recovery of the lost pays by wager.
    """
    return [
        _claim(
            game,
            claim,
            claim.strategy or strategy_of[claim.wager],
            analyses[claim.strategy or strategy_of[claim.wager]],
            unique=claim.wager in identifications and identifications[claim.wager].fits_count == 1,
        )
        for claim in game.claims
    ]


def all_witnesses(game: Game) -> tuple[Witness, ...]:
    """Returns a round for every paytable row."""
    return witnesses(game, [(wager.id, row.id) for wager in game.wagers for row in wager.paytable.rows])


def _origin(origin: Origin) -> dict[str, Any]:
    return {"provenance": str(origin.provenance), "by": origin.by, "unique": origin.unique}


def _terms(game: Game) -> dict[str, Any]:
    terms = game.terms
    return {
        "malfunction_voids_all": terms.malfunction_voids_all,
        "unresolved_void_after_days": terms.unresolved_void_after_days,
        "resume_after_disconnection": terms.resume_after_disconnection,
        "previous_wins_paid": terms.previous_wins_paid,
        "history_available": terms.history_available,
        "printed": dict(terms.printed),
    }


def _wager(wager: Wager) -> dict[str, Any]:
    limits = wager.limits
    return {
        "id": wager.id,
        "title": wager.title,
        "description": wager.description,
        "limits": {
            "minimum": limits.minimum,
            "maximum": limits.maximum,
            "currency": limits.currency,
            "provenance": str(limits.origin.provenance),
            "by": limits.origin.by,
        },
        "paytable": [
            {"id": row.id, "title": row.title, "pays": format_odds(row.pays), **_origin(row.origin)}
            for row in wager.paytable.rows
        ],
    }


def _claim(game: Game, claim: Claim, strategy: str, analysis: Analysis, *, unique: bool) -> dict[str, Any]:
    exact = analysis.wager(claim.wager).return_to_player
    low, high = claim.printed.interval
    recovered = game.wager(claim.wager).pays_are_recovered
    if not recovered:
        independent = "The pays are printed in the source; the return follows from them."
    elif unique:
        independent = (
            "The pay was recovered from this figure, so that it agrees by construction; that no other of the "
            "candidates fits is what speaks for it."
        )
    else:
        independent = (
            "The pays were recovered from this figure, so that it agrees by construction; other pays fit as well. "
            "Only the rules, not the pays, are confirmed independently."
        )
    return {
        "wager": claim.wager,
        "metric": claim.metric,
        "printed": claim.text,
        "interval": [fraction_text(low), fraction_text(high)],
        "source": claim.source,
        "strategy": strategy,
        "exact": fraction_text(exact),
        "distance_to_edges": [fraction_text(exact - low), fraction_text(high - exact)],
        "holds": claim.printed.stands_for(exact),
        "by_construction": recovered,
        "independent_evidence": independent,
    }


def witnesses_evidence(game: Game, witnesses: Iterable[Witness]) -> list[dict[str, Any]]:
    """Returns the ``witnesses`` of the evidence: a deal for every paytable row."""
    return [
        {
            "wager": witness.wager,
            "row": witness.row,
            "deck": list(witness.deck),
            "deck_names": list(row_names(game.equipment, witness.deck)),
            "decisions": list(witness.decisions),
        }
        for witness in witnesses
    ]


def exposure_evidence(exposure: Exposure, game: Game) -> dict[str, Any]:
    """Returns the ``exposure`` object of the evidence."""
    return {
        "amount": exposure.amount,
        "currency": exposure.currency,
        "wins": [[wager, amount] for wager, amount in exposure.wins],
        "stakes": [[wager, amount] for wager, amount in exposure.stakes],
        "deck": list(exposure.deck),
        "deck_names": list(row_names(game.equipment, exposure.deck)),
        "decisions": list(exposure.decisions),
    }
