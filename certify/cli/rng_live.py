"""Drawing from a live generator: seeded by the machine, reseeded between rounds, its entropy inputs remembered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from certify.clock import steady_seconds
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.cli.rng_export import DrawnOutput, Export
    from rng.generator import Generator, RoundLimits
    from rng.transcript import TranscriptRecorder

Array = TypeVar("Array", bound=NDArray[Any])
MOST_RESEEDS: Final = 1_000_000
"""Reseeds by number of rounds in one export; each is tested, remembered and may be written down."""


@dataclass(frozen=True, slots=True)
class Live:
    """How a live generator is asked for.

    Args:
        rounds: Rounds dealt from one seed; a round is one deck, or one number.
        seconds: Age of a seed from which on the next round begins with a new one.
        seen: File in which the entropy inputs taken so far are remembered.
    """

    rounds: int | None = None
    seconds: float | None = None
    seen: Path | None = None

    @property
    def limits(self) -> RoundLimits | None:
        """The limits between rounds, if any."""
        from rng.generator import RoundLimits

        if self.rounds is None and self.seconds is None:
            return None
        return RoundLimits(self.rounds, self.seconds, None if self.seconds is None else steady_seconds)

    def open(self, recorded: bool) -> tuple[Generator | None, TranscriptRecorder | None]:
        """Seeds a generator, plain or recorded.

        Raises:
            InputError: The source is not healthy, or gives what it, or a clone of it, gave before.
        """
        from rng.entropy import system_entropy
        from rng.errors import EntropyError
        from rng.generator import Generator
        from rng.seen import SeenInputs
        from rng.transcript import record_generator

        try:
            entropy = system_entropy(seen=None if self.seen is None else SeenInputs(self.seen))
            if recorded:
                return None, record_generator(entropy, "export", limits=self.limits)
            return Generator(entropy, "export", limits=self.limits), None
        except EntropyError as error:
            raise InputError(f"--live: {error}") from None


def live_of(
    live: bool,
    rounds: int | None,
    seconds: float | None,
    seen: Path | None,
    *,
    export: Export,
    seed: bytes | None,
    no_reveal: bool,
) -> Live | None:
    """Returns how a live generator is asked for, None where output is drawn from a master seed.

    Raises:
        UsageError: The options do not go together.
    """
    asked = (("--reseed-rounds", rounds), ("--reseed-seconds", seconds), ("--seen", seen))
    if not live:
        stray = next((option for option, value in asked if value is not None), None)
        if stray:
            raise click.UsageError(
                f"{stray} goes with --live only: what is drawn from a seed is never reseeded"
            )
        return None
    if seed is not None:
        raise click.UsageError("--live takes its seeds from the operating system, none from --seed")
    if no_reveal:
        raise click.UsageError(
            "--no-reveal: nothing beside the transcript keeps the entropy inputs of --live"
        )
    if export.kind == "bits" and (rounds is not None or seconds is not None):
        raise click.UsageError(
            "--reseed-rounds and --reseed-seconds go with --decks or --draws: bits have no rounds"
        )
    if rounds is not None and export.count // rounds > MOST_RESEEDS:
        raise click.UsageError(
            f"--reseed-rounds {rounds}: more than {MOST_RESEEDS} reseeds; draw fewer at once"
        )
    return Live(rounds, seconds, seen)


@dataclass(frozen=True, slots=True)
class RoundByRound:
    """Draws of which each begins a round of a live generator.

    Args:
        draws: The draws.
        begin_round: Tells the generator.
    """

    draws: DrawnOutput
    begin_round: Callable[[], None]

    def read(self, nbytes: int) -> bytes:
        """The next bytes, which belong to no round."""
        return self.draws.read(nbytes)

    def decks(self, count: int) -> NDArray[np.uint8]:
        """The next shuffled decks, a round each."""
        return self._each(self.draws.decks, count)

    def below(self, n: int, count: int) -> NDArray[np.uint64]:
        """The next integers below n, a round each."""
        return self._each(lambda one: self.draws.below(n, one), count)

    def _each(self, draw: Callable[[int], Array], count: int) -> Array:
        rounds = []
        for _ in range(count):
            self.begin_round()
            rounds.append(draw(1))
        return np.concatenate(rounds)  # type: ignore[return-value]


def events_of(generator: Generator) -> dict[str, int]:
    """Returns how often a generator was seeded and reseeded, by reason.

    A seed's own words say which mechanism and strength; a reseed's, why.
    """
    found = Counter(
        event.kind if event.kind == "seed" else f"{event.kind}: {event.detail}" for event in generator.events
    )
    return dict(sorted(found.items()))
