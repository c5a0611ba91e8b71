"""What is required of a run, and who receives how far it is."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from certify.certification.generator import VECTORS
from certify.clauses import Regime, regime_of
from certify.errors import InputError, require_known
from certify.evidence import Brought, EarlierReport, Profile
from certify.executors import Background, Deferred, Executor, InTurn, Threads
from certify.mathematics import head_of, plan_of
from certify.model import RETURN, Analysis, Game

PROFILES: Final = {
    profile.name: profile
    for profile in (
        Profile(
            "quick", 4_000_000, 2_000_000, 500, 20_000, 2, 1_000_000, 4, 200, 20_000, 250_000_000, 50_000
        ),
        Profile(
            "standard",
            500_000_000,
            200_000_000,
            5_000,
            1_000_000,
            40,
            1_000_000,
            60,
            2_000,
            500_000,
            2_000_000_000,
            1_000_000,
        ),
        Profile(
            "full",
            4_000_000_000,
            1_000_000_000,
            50_000,
            4_000_000,
            100,
            1_000_000,
            500,
            20_000,
            5_000_000,
            20_000_000_000,
            1_000_000,
        ),
    )
}


def profile_named(name: str) -> Profile:
    """Returns a profile by its name.

    Raises:
        InputError: There is no such profile.
    """
    require_known(f'no profile "{name}"', name, PROFILES)
    return PROFILES[name]


PURPOSES: Final = ("simulation-decks", "further-campaign-decks")
"""Purposes of the draws of the first campaign and of the second: no two are played on the same."""


CONFIGURATIONS: Final = "configuration-decks"
"""Purpose of the draws of wagering configurations that are played by themselves: each is another game."""


def campaigns_of(game: Game, analyses: Mapping[str, Analysis], read: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the strategies that are played, each in a campaign: those that the family plans.

    Where a return is read under a strategy whose law for that wager none of them has, it takes the place of the
    further one.

    Args:
        game: The game.
        analyses: What was analysed, by strategy.
        read: For each wager, the strategy under which its printed return is read.

    Raises:
        InputError: The family plans more campaigns than there are purposes registered, or returns are read under more
            strategies than are played.
    """

    def unplayed() -> list[str]:
        return [
            name
            for wager, name in read.items()
            if analyses[name].wager(wager).outcomes
            not in [analyses[own].wager(wager).outcomes for own in played]
        ]

    played = [*plan_of(game).played]
    if lacking := unplayed():
        played[1:] = lacking[:1]
    if lacking := unplayed():
        raise InputError(
            f"{game.id}: returns are read under {', '.join((*played, *lacking))}, and two strategies are played: "
            "expected claims that name one of two, or wagers in submissions of their own"
        )
    if not 1 <= len(played) <= len(PURPOSES):
        raise InputError(f"{game.id}: {len(played)} campaigns are planned, expected 1 to {len(PURPOSES)}")
    return tuple(played)


def strategy_of(game: Game, analyses: Mapping[str, Analysis]) -> dict[str, str]:
    """Returns for each wager the strategy under which its printed return is read.

    That is the strategy that the source names, where it names one; otherwise the analysed strategy that is best for
    the wager, the first of equals, as GLI-19 v3.0 4.7.1(b) asks for the optimal method of play. Where a second party
    decides too, a pair in which that party plays badly says nothing: it is the pair at the head of the plan.
    """
    returns = [claim for claim in game.claims if claim.metric == RETURN]
    named = {claim.wager: claim.strategy for claim in returns if claim.strategy}
    if plan_of(game).banks:
        return {wager.id: named.get(wager.id) or head_of(game) for wager in game.wagers}
    return {
        wager.id: named.get(wager.id)
        or max(analyses, key=lambda name: analyses[name].wager(wager.id).return_to_player)
        for wager in game.wagers
    }


WORKERS: Final = 2


class Reporter(Protocol):
    """Receives how far the run is."""

    def step(self, text: str) -> None:
        """Announces the next step."""

    def at(self, done: int, total: int, unit: str) -> None:
        """Shows how far the present step is."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is required of a run.

    Args:
        game: The submission.
        profile: How much is computed.
        seed: Master seed.
        started: Time of the start; every clock of the run is set by it.
        workers: Threads to compute on.
        resume: Folder in which campaigns keep what they have done, to go on from after a break.
        vectors: Folder of published vectors.
        regime: The jurisdictions that the report is made for.
        brought: What the operator submitted, tested.
        since: The earlier report that this one is compared with; none where there is none.
        executor: Where chunks run, instead of threads of this process; no result depends on it.
        background: Where what waits for nothing else runs meanwhile; no result depends on it.
    """

    game: Game
    profile: Profile
    seed: bytes
    started: datetime
    workers: int = WORKERS
    resume: Path | None = None
    vectors: Path = VECTORS
    regime: Regime = field(default_factory=regime_of)
    brought: Brought = field(default_factory=Brought)
    since: EarlierReport | None = None
    executor: Executor | None = field(default=None, compare=False)
    background: Background = field(default_factory=Deferred, compare=False)

    @property
    def running(self) -> Executor:
        """Where chunks run."""
        return self.executor or (InTurn() if self.workers == 1 else Threads(self.workers))

    def __reduce__(self) -> "tuple[type[RunRequest], tuple[object, ...]]":
        """Leaves behind, on its way to another process, where this one runs its work and what was submitted to it."""
        sent = ("game", "profile", "seed", "started", "workers", "resume", "vectors", "regime")
        return RunRequest, tuple(getattr(self, name) for name in sent)
