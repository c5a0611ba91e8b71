"""Reference engine, kernel and twin on the same decks: every outcome of every round must be the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.errors import AgreementError, NothingCheckedError
from certify.games.round import play_round
from certify.model.figures import StrategyTable
from certify.model.rules import SetteEMezzoRules
from certify.simulation import twin
from certify.simulation.decks import StreamDecks
from certify.simulation.outcomes import OUTCOMES, WAGERS
from certify.simulation.tables import compile_tables

REFERENCE: Final = "reference engine"
KERNEL: Final = "kernel"
TWIN: Final = "kernel twin"
KERNEL_LAZY: Final = "kernel, dealing card by card"
TWIN_LAZY: Final = "kernel twin, dealing card by card"

Outcomes = tuple[str, ...]
"""Outcome of each wager of one round, in the order of WAGERS."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One round on which the legs do not agree about a wager.

    Args:
        deck_index: Index of the deck among those compared.
        deck: The deck, card ids in dealing order.
        wager: Id of the wager.
        outcomes: What each leg says, by the name of the leg.
    """

    deck_index: int
    deck: tuple[int, ...]
    wager: str
    outcomes: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        """Returns the difference as a sentence."""
        said = ", ".join(f"{leg}: {outcome}" for leg, outcome in self.outcomes)
        return f"deck {self.deck_index}, {self.wager}: {said}"


@dataclass(frozen=True, slots=True)
class LegAgreement:
    """Whether several implementations settle the same decks alike.

    Args:
        decks: Number of decks compared.
        legs: Names of the implementations.
        compared: Ids of the wagers compared.
        differences: Every disagreement, by deck and wager.
    """

    decks: int
    legs: tuple[str, ...]
    compared: tuple[str, ...]
    differences: tuple[Difference, ...]

    def json(self) -> dict[str, Any]:
        """Returns the ``agreement`` object of the evidence, with up to twenty differences in words."""
        return {
            "decks": self.decks,
            "legs": list(self.legs),
            "compared": list(self.compared),
            "differences": len(self.differences),
            "listed": [str(difference) for difference in self.differences[:20]],
        }


def agreement(
    decks: NDArray[np.uint8],
    rules: SetteEMezzoRules,
    strategy: StrategyTable,
    further_legs: Mapping[str, Sequence[Outcomes]] | None = None,
) -> LegAgreement:
    """Plays the same decks through reference engine, kernel and twin and compares every outcome.

    Args:
        decks: uint8[rounds, 40], card ids in dealing order.
        rules: Rules of play.
        strategy: The player's strategy.
        further_legs: Outcomes of the same decks by other implementations, in the order of WAGERS.

    Raises:
        NothingCheckedError: No deck was offered.
        AgreementError: A further leg settled another number of decks.
    """
    legs = {
        REFERENCE: reference_outcomes(decks, rules, strategy),
        KERNEL: kernel_outcomes(decks, rules, strategy),
        TWIN: named(twin.play(decks, strategy, rules)),
        **(further_legs or {}),
    }
    return compare_legs(decks, legs)


def agreement_of_rounds(
    source: StreamDecks, rounds: int, rules: SetteEMezzoRules, strategy: StrategyTable
) -> LegAgreement:
    """Plays the first rounds of a campaign card by card, and on their whole decks by all legs, and compares.

    Args:
        source: Source of the campaign's rounds.
        rounds: Rounds to compare.
        rules: Rules of play.
        strategy: The player's strategy.

    Raises:
        NothingCheckedError: No round was asked for.
    """
    from certify.simulation import kernel  # Loading numba takes a moment that --help need not wait for.

    codes, starts = kernel.play_rounds(source.words(0), rounds, compile_tables(strategy, rules))
    lazy = {
        KERNEL_LAZY: named(codes),
        TWIN_LAZY: named(twin.play_rounds(source.words(0), rounds, strategy, rules)),
    }
    return agreement(source.whole(0, starts), rules, strategy, lazy)


def compare_legs(
    decks: NDArray[np.uint8], legs: Mapping[str, Sequence[Outcomes]], wagers: Sequence[str] = WAGERS
) -> LegAgreement:
    """Compares what several implementations say about the same decks, wager by wager.

    Raises:
        NothingCheckedError: No deck was offered.
        AgreementError: Fewer than two legs, or legs of different lengths.
    """
    if len(legs) < 2:
        raise AgreementError(f"{len(legs)} leg was offered, expected at least two that are independent")
    if not len(decks):
        raise NothingCheckedError("no deck was offered for comparison")
    for leg, outcomes in legs.items():
        if len(outcomes) != len(decks):
            raise AgreementError(f"{leg} settled {len(outcomes)} decks, expected {len(decks)}")
    differences = (_difference(decks, legs, index, column, wagers) for index, column in _disagreeing(legs))
    return LegAgreement(len(decks), tuple(legs), tuple(wagers), tuple(differences))


def reference_outcomes(
    decks: NDArray[np.uint8], rules: SetteEMezzoRules, strategy: StrategyTable
) -> list[Outcomes]:
    """Returns the outcomes of decks by the reference engine."""
    rounds = (play_round(deck.tolist(), rules, {}, strategy) for deck in decks)
    return [tuple(played.outcome(wager) for wager in WAGERS) for played in rounds]


def kernel_outcomes(
    decks: NDArray[np.uint8], rules: SetteEMezzoRules, strategy: StrategyTable
) -> list[Outcomes]:
    """Returns the outcomes of decks by the kernel."""
    from certify.simulation import kernel  # Loading numba takes a moment that --help need not wait for.

    return named(kernel.play(decks, compile_tables(strategy, rules)))


def named(codes: NDArray[np.uint8]) -> list[Outcomes]:
    """Returns outcome codes as outcome ids."""
    ids = [outcomes for _, outcomes in OUTCOMES]
    return [tuple(ids[column][code] for column, code in enumerate(row)) for row in codes.tolist()]


def _disagreeing(legs: Mapping[str, Sequence[Outcomes]]) -> Iterator[tuple[int, int]]:
    for index, said in enumerate(zip(*legs.values(), strict=True)):
        if any(outcomes != said[0] for outcomes in said):
            yield from (
                (index, column) for column, ids in enumerate(zip(*said, strict=True)) if len(set(ids)) > 1
            )


def _difference(
    decks: NDArray[np.uint8],
    legs: Mapping[str, Sequence[Outcomes]],
    index: int,
    column: int,
    wagers: Sequence[str],
) -> Difference:
    said = tuple((leg, outcomes[index][column]) for leg, outcomes in legs.items())
    return Difference(index, tuple(decks[index].tolist()), wagers[column], said)
