"""What was run: command, seed, sample sizes, and the plan that was fixed beforehand."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.form import Seed, origins


@origins()
@dataclass(frozen=True, slots=True)
class Profile:
    """Sample sizes of a run; the exact figures are the same in all of them.

    Args:
        name: ``quick``, ``standard`` or ``full``.
        rounds: Rounds of the campaign under the main strategy.
        further_rounds: Rounds of the campaign under every further strategy.
        twin_rounds: Rounds on which reference engine, kernel and twin are compared.
        decks: Decks given to the card tests.
        streams: Bit streams given to the tests of SP 800-22.
        stream_bits: Bits in each of them.
        exercise_decks: Decks on which the terms are exercised.
        replays: Rounds dealt and played again from their record.
        reference_rounds: Rounds of each campaign where the reference round itself is played, step by step.
        most_rounds: Rounds up to which a campaign is made longer, so that it shows the returns read from it.
        text_rounds: Rounds really dealt on which the two texts of a game are compared.
    """

    name: str
    rounds: int
    further_rounds: int
    twin_rounds: int
    decks: int
    streams: int
    stream_bits: int
    exercise_decks: int
    replays: int
    reference_rounds: int
    most_rounds: int = 0
    text_rounds: int = 0

    @property
    def thorough(self) -> bool:
        """Whether changed games are counted too: every changed pay and rule is a game of its own."""
        return self.name != "quick"


@origins()
@dataclass(frozen=True, slots=True)
class PlannedCheck:
    """A check of the plan.

    Args:
        check: Id of the check.
        title: What is checked, in one sentence.
        own: Why the harness runs it itself, whatever was chosen; empty where it runs for clauses alone.
    """

    check: str
    title: str
    own: str


@origins()
@dataclass(frozen=True, slots=True)
class PlannedRun:
    """What was planned before anything was computed.

    Args:
        plan: The checks in their order.
        alpha: Probability of a false rejection that is allowed over each family of tests.
        decision_rule: How verdicts are reached, in words.
        messages: The messages of its texts, by their names.
    """

    plan: tuple[PlannedCheck, ...]
    alpha: Fraction
    decision_rule: str
    messages: Worded


@origins()
@dataclass(frozen=True, slots=True)
class Run(PlannedRun):
    """What was run, with its plan.

    Args:
        command: Command that computes everything again.
        seed: Master seed.
        profile: Sample sizes.
    """

    command: str
    seed: Seed
    profile: Profile
