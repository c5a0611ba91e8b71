"""Money terms: how the house reads them where neither the source nor the submission says it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from certify.clauses.jurisdiction import Regime
from certify.clauses.status import applicabilities, clauses_about
from certify.messages import english, say, worded
from certify.model.clause import Matter
from certify.model.game import MONEY_TERMS, Game, Reading
from certify.rounds.policy import JURISDICTIONS, MARKET, AfterSettlement, DayCount, Policy, VoidStakes


@dataclass(frozen=True, slots=True)
class _MoneyTerm:
    """A term that moves money, and what it can be.

    Args:
        printed: Key of the sentence that prints it.
        adopted: What it is taken to be.
        others: What else it could be.
    """

    printed: str
    adopted: str
    others: tuple[str, ...]


READINGS: Final = {
    "void_stakes": "void-returns-stakes",
    "after_settlement": "after-settlement",
    "day_count": "ninety-days",
}
"""Ids of the readings of money terms, by the key of the sentence that would print each."""


def adopted_readings(game: Game, regime: Regime) -> tuple[Reading, ...]:
    """Returns the readings of money terms that neither the source prints nor the submission reads itself.

    Args:
        game: The submission.
        regime: The jurisdictions, which may set a term.
    """
    own = {reading.id for reading in game.readings}
    return tuple(
        _reading(term, game, regime) for term in _unprinted(game, regime) if READINGS[term.printed] not in own
    )


def adopted_money_terms(game: Game, regime: Regime) -> tuple[Reading, ...]:
    """Returns the readings of every money term that the source does not print, the submission's own among them."""
    read = {reading.id: reading for reading in (*game.readings, *adopted_readings(game, regime))}
    return tuple(read[READINGS[term.printed]] for term in _unprinted(game, regime))


def _unprinted(game: Game, regime: Regime) -> Iterator[_MoneyTerm]:
    """Yields the money terms that nothing prints and no jurisdiction sets."""
    policy, printed = regime.policy(game.terms), game.terms.printed
    for name in MONEY_TERMS:
        if not printed.get(name) and not _is_set(name, policy):
            kinds = {"void_stakes": VoidStakes, "after_settlement": AfterSettlement, "day_count": DayCount}[
                name
            ]
            adopted = str(getattr(policy, name))
            yield _MoneyTerm(name, adopted, tuple(str(one) for one in kinds if str(one) != adopted))


def _is_set(name: str, policy: Policy) -> bool:
    """Tells whether a jurisdiction sets a term, or it does not arise: nothing is taken back where nothing is void."""
    return name == "after_settlement" and (
        policy.after_settlement is not JURISDICTIONS[MARKET] or not policy.malfunction_voids_all
    )


def _reading(term: _MoneyTerm, game: Game, regime: Regime) -> Reading:
    name = READINGS[term.printed]
    about = clauses_about(regime.catalogues, applicabilities(game), matters=(Matter.MONEY_TERMS,))
    return Reading(
        id=name,
        alternatives=tuple(english(say(f"reading.{name}.{one}")) for one in term.others),
        clauses=tuple(clause.id for clause in about),
        **worded(
            question=say(f"reading.{name}.question"),
            adopted=say(f"reading.{name}.{term.adopted}"),
            because=say(f"reading.{name}.because"),
        ),
    )
