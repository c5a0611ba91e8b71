"""What is asked of a run, and who is told how far it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

from certify.certification.generator import VECTORS
from certify.certification.profile import Profile
from certify.clauses.jurisdiction import Regime, regime_of
from certify.evidence.operator import Brought
from certify.evidence.since import EarlierReport
from certify.executors import Executor, InTurn
from certify.executors.port import Threads
from certify.executors.spec import Background, Deferred
from certify.model.game import Game

WORKERS: Final = 2


class Reporter(Protocol):
    """Is told how far the run is."""

    def step(self, text: str) -> None:
        """Announces the next step."""

    def at(self, done: int, total: int, unit: str) -> None:
        """Shows how far the present step is."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What is asked of a run.

    Args:
        game: The submission.
        profile: How much is computed.
        seed: Master seed.
        started: Time of the start; every clock of the run is set by it.
        workers: Threads to compute on.
        resume: Folder in which campaigns keep what they have done, to go on from after a break.
        vectors: Folder of published vectors.
        regime: The jurisdictions that the report is made for.
        brought: What the operator brought, tested.
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

    def __reduce__(self) -> tuple[type[RunRequest], tuple[object, ...]]:
        """Leaves behind, on its way to another process, where this one runs its work and what was brought to it."""
        sent = ("game", "profile", "seed", "started", "workers", "resume", "vectors", "regime")
        return RunRequest, tuple(getattr(self, name) for name in sent)
