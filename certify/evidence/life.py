"""The life of a round: the terms exercised at every point of it, and rounds recalled from a ledger."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from certify.model import Timestamp, Verdict, origins

SITUATIONS: Final[tuple[tuple[str, str, tuple[str, ...]], ...]] = (
    ("malfunction", "malfunction_voids_all", ("malfunction", "void-is-final")),
    ("disconnection", "resume_after_disconnection", ("resume", "settled-while-disconnected")),
    ("disconnection", "previous_wins_paid", ("previous-wins",)),
    (
        "clock",
        "unresolved_void_after_days",
        ("unresolved", "settle-after-term", "expired-once", "clock-set-back", "result-known-at-term"),
    ),
    ("restart", "resume_after_disconnection", ("restart",)),
    ("generator", "", ("unavailable", "open-round-while-unavailable")),
    ("repetition", "", ("settlement", "settled-once", "one-round-at-a-time", "bets-")),
)
"""What is injected, the term of the source that speaks about it, and how the ids of these situations begin."""


@origins()
@dataclass(frozen=True, slots=True)
class Situation:
    """How one situation ended over all its trials.

    Args:
        id: Id of the situation.
        situation: What happened, in words.
        expected: What the terms demand, in words.
        observed: What the system showed, in words.
        verdict: How it ended.
        trials: Number of comparisons.
        failures: Number of comparisons that did not hold.
        evidence: The story of one trial: the shortest failing one, else the first.
        clauses: Clauses that it exercises.
        adopted_terms: Whether the source prints no term for it, so that what was expected is adopted.
    """

    id: str
    situation: str
    expected: str
    observed: str
    verdict: Verdict
    trials: int
    failures: int
    evidence: tuple[str, ...]
    clauses: tuple[str, ...]
    adopted_terms: bool


@origins()
@dataclass(frozen=True, slots=True)
class Exercise:
    """The terms exercised.

    Args:
        situations: What was tried.
        policy: The terms as parameters, by name.
        stakes: Stakes bet in every round, minor units.
        decks: Number of decks exercised.
        points: Number of points of rounds on those decks.
        rounds: Number of rounds that were dealt.
    """

    situations: tuple[Situation, ...]
    policy: Mapping[str, str]
    stakes: Mapping[str, int]
    decks: int
    points: int
    rounds: int

    @property
    def verdict(self) -> Verdict:
        """The verdict over all situations: the worst of those that apply."""
        verdicts = {one.verdict for one in self.situations}
        worst = (Verdict.NOT_SATISFIED, Verdict.INCONCLUSIVE, Verdict.SATISFIED)
        return next((verdict for verdict in worst if verdict in verdicts), Verdict.NOT_APPLICABLE)

    def result(self, situation_id: str) -> Situation:
        """Returns the result of one situation.

        Raises:
            KeyError: There is no such situation.
        """
        return {one.id: one for one in self.situations}[situation_id]


@origins()
@dataclass(frozen=True, slots=True)
class ToldStep:
    """One step of a round reported in full, amounts in minor units.

    Args:
        at: When.
        action: What was requested.
        wager: Wager of a bet; else empty.
        amount: Amount of a bet; else 0.
        decision: Decision taken; else empty.
        done: Whether it was done; what was not is refused and changed nothing.
        hands: What lay open then, holder by holder.
        phase: Phase of the round then.
        balance: Balance of the player then.
        held: Held for the round then.
    """

    at: Timestamp
    action: str
    wager: str
    amount: int
    decision: str
    done: bool
    hands: tuple[str, ...]
    phase: str
    balance: int
    held: int


@origins()
@dataclass(frozen=True, slots=True)
class ToldRound:
    """A round reported in full.

    Args:
        ending: ``voided`` by a malfunction, or ``expired`` at its term.
        currency: Currency of the amounts (ISO 4217).
        opening: Balance before the first step, minor units.
        steps: Its steps.
    """

    ending: str
    currency: str
    opening: int
    steps: tuple[ToldStep, ...]


@origins()
@dataclass(frozen=True, slots=True)
class Rounds(Exercise):
    """The terms exercised, rounds reported in full, and rounds recalled.

    Args:
        told: One round void by a malfunction and one void by its term.
        recalled: Rounds of a ledger with every field that recall requires of the game.
    """

    told: tuple[ToldRound, ...]
    recalled: tuple[Mapping[str, str], ...]
