"""The live generator: seeded from tested entropy, reseeded by count and by bytes, stopped by any failure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rng.drbg import MAX_REQUEST_BYTES, CtrDrbg, DrbgState, EntropyInput
from rng.errors import DrbgError, RangeError
from rng.words import WordSource


@dataclass(frozen=True, slots=True)
class Purpose:
    """One registered use of randomness: what is drawn, why, and by which module.

    Source: GLI-19 v3.0, 4.5.1 and AGCO 9.1.1 ask that every use of the generator be known.
    """

    id: str
    description: str
    used_by: str


PURPOSES: Final[dict[str, Purpose]] = {
    p.id: p
    for p in (
        Purpose(
            "simulation-decks",
            "Shuffled decks for the play-through of a game; the index is the number of the batch.",
            "certify.simulation",
        ),
        Purpose(
            "further-campaign-decks",
            "Shuffled decks for play-through under a further strategy; the index is the number of the batch.",
            "certify.simulation",
        ),
        Purpose(
            "configuration-decks",
            "Rounds of a wagering configuration that is played by itself; the index is the number of the batch.",
            "certify.simulation",
        ),
        Purpose(
            "fresh-campaign-decks",
            "Fresh shuffled decks of the campaign that decides where a first one was borderline.",
            "certify.simulation",
        ),
        Purpose(
            "randomness-decks",
            "Fresh decks that decide where the tests of the dealt decks were borderline.",
            "certify.certification",
        ),
        Purpose(
            "randomness-bits",
            "Raw generator output given to the statistical tests of bit streams.",
            "certify.certification",
        ),
        Purpose(
            "round-exercise",
            "Shuffled decks for rounds driven through the state machine; the index numbers the round.",
            "certify.cli",
        ),
        Purpose(
            "evidence-sample",
            "Choice of the simulated rounds that are printed in full as evidence.",
            "certify.certification",
        ),
        Purpose(
            "export",
            "Generator output written to a file for an outside laboratory (`certify rng generate`).",
            "certify.cli",
        ),
        Purpose(
            "battery-calibration",
            "Streams by which the statistical tests themselves are calibrated and self-tested.",
            "rng.battery",
        ),
        Purpose(
            "battery-labels",
            "Which copy is which among equal cards of a shoe under test, where the data does not say.",
            "rng.battery",
        ),
    )
}


def registered(purpose_id: str) -> Purpose:
    """The registered purpose of that name.

    >>> registered("simulation-decks").used_by
    'certify.simulation'

    Raises:
        RangeError: no use of randomness is registered under that name.
    """
    found = PURPOSES.get(purpose_id)
    if found is None:
        raise RangeError(f"purpose {purpose_id!r} is not registered; known: {', '.join(sorted(PURPOSES))}")
    return found


RESEED_REQUESTS: Final = 1 << 14
RESEED_BYTES: Final = 1 << 30
"""Reseeded after 16,384 blocks of 64 KiB, which are 1 GiB: one limit, far inside the 2^48 requests of the standard."""

ROUND_LIMIT: Final = "round limit reached"
TIME_LIMIT: Final = "time limit reached"


@dataclass(frozen=True, slots=True)
class RoundLimits:
    """When a generator is reseeded between two rounds, next to the limits on blocks and bytes.

    The clock is looked at when a round begins and never within one, so that a round is dealt from one seed
    unless a limit of blocks or bytes falls into it.

    Args:
        rounds: rounds dealt from one seed; 1 reseeds before every round but the first.
        seconds: age of a seed, from which on the next round begins with a new one.
        clock: seconds on a clock that never goes back, such as `time.monotonic`; given with `seconds`.

    Raises:
        RangeError: no limit is given, one is not positive, or a limit of time comes without a clock.
    """

    rounds: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] | None = None

    def __post_init__(self) -> None:
        if self.rounds is None and self.seconds is None:
            raise RangeError("limits between rounds: a number of rounds or of seconds expected")
        if self.rounds is not None and (type(self.rounds) is not int or self.rounds < 1):
            raise RangeError(f"{self.rounds!r} rounds between two reseeds: a whole number from 1 expected")
        if self.seconds is not None and not 0 < self.seconds < float("inf"):
            raise RangeError(f"{self.seconds!r} seconds between two reseeds: more than 0 expected")
        if (self.seconds is None) != (self.clock is None):
            raise RangeError("a limit of seconds and the clock that measures it are given together")


@dataclass(frozen=True, slots=True)
class GeneratorEvent:
    """Something that happened to a generator: when it had served so many words, and what."""

    words: int
    kind: str
    detail: str


class Generator(WordSource):
    """Words for live play from CTR_DRBG (AES-256, derivation function).

    Nothing is seeded from time. Entropy input and nonce come from the source, so two instances share
    a stream only if 384 bits of entropy coincide. After a failure of the source no word is served, not
    even one that was waiting, until `restart` has been given a healthy source.

    Source: GLI-19 v3.0, 3.3.3; AGCO 21.1.7 and 21.1.9; NIST SP 800-90A Rev. 1, clause 9.
    """

    __slots__ = (
        "_drbg",
        "_entropy",
        "_in_round",
        "_limits",
        "_on_event",
        "_reseed_bytes",
        "_reseed_requests",
        "_rounds",
        "_seeded_at",
        "events",
        "purpose",
    )

    def __init__(
        self,
        entropy: EntropyInput,
        purpose: str,
        *,
        reseed_requests: int = RESEED_REQUESTS,
        reseed_bytes: int = RESEED_BYTES,
        limits: RoundLimits | None = None,
        on_event: Callable[[GeneratorEvent], None] | None = None,
    ) -> None:
        """Seed a generator.

        Args:
            entropy: the source of 256 bits and for a nonce of 128 bits.
            purpose: the id of a registered purpose, which personalises the seed.
            reseed_requests: blocks of 64 KiB between two reseeds.
            reseed_bytes: bytes between two reseeds.
            limits: rounds or seconds between two reseeds; `begin_round` is then called for each round.
            on_event: receives each event as it happens.

        Raises:
            RangeError: the purpose is not registered.
            EntropyError: the source is not healthy.
        """
        registered(purpose)
        super().__init__(self._next_block)
        self.purpose = purpose
        self.events: list[GeneratorEvent] = []
        self._entropy = entropy
        self._on_event = on_event
        self._reseed_requests = reseed_requests
        self._reseed_bytes = reseed_bytes
        self._limits = limits
        self._in_round = False
        self._rounds = 0
        self._seeded_at = 0.0
        self._drbg = self._instantiate()

    @property
    def state(self) -> DrbgState:
        """Whether the generator is ready, failed or closed."""
        return self._drbg.state

    def restart(self, entropy: EntropyInput | None = None) -> None:
        """Seed afresh after a failure, from another source or from the same one made healthy again.

        Raises:
            EntropyError: the source is not healthy; the generator stays stopped.
        """
        self.discard()
        if entropy is not None:
            self._entropy = entropy
        self._drbg = self._instantiate()

    def begin_round(self) -> None:
        """Say that a round begins; the generator is reseeded first if one of its `RoundLimits` is reached.

        Raises:
            EntropyError: a reseed was due and the source failed; the generator is stopped.
        """
        limits = self._limits
        self._in_round = True
        if limits is not None and limits.rounds is not None and self._rounds >= limits.rounds:
            self.reseed(ROUND_LIMIT)
            self._rounds = 0
        elif (
            limits is not None
            and limits.seconds is not None
            and (0.0 if limits.clock is None else limits.clock() - self._seeded_at) >= limits.seconds
        ):
            self.reseed(TIME_LIMIT)
            self._rounds = 0
        self._rounds += 1

    def reseed(self, reason: str = "requested") -> None:
        """Reseed now; words that were waiting are thrown away.

        Args:
            reason: what the event says.

        Raises:
            EntropyError: the source failed; the generator is stopped.
        """
        self.discard()
        try:
            self._drbg.reseed(reason=reason)
        except Exception as error:
            self._record("failure", str(error))
            raise

    def close(self) -> None:
        """Overwrite the state; no word is served again."""
        self._drbg.uninstantiate()
        self.discard()

    def _instantiate(self) -> CtrDrbg:
        try:
            drbg = CtrDrbg(
                self._entropy,
                personalisation=b"rng generator: " + self.purpose.encode("ascii"),
                reseed_interval=self._reseed_requests,
                reseed_bytes=self._reseed_bytes,
                on_reseed=lambda reason: self._record("reseed", reason),
            )
        except Exception as error:
            self._record("failure", str(error))
            raise
        self._record("seed", f"{drbg.mechanism} AES-256, {drbg.security_strength} bits")
        return drbg

    def _next_block(self, block: memoryview) -> None:
        if self._limits is not None and not self._in_round:
            # Limits that nobody asks about would look as if they were kept.
            raise DrbgError(
                "this generator is reseeded between rounds: begin_round comes before the first draw"
            )
        was_ready = self._drbg.state is DrbgState.READY
        try:
            self._drbg.generate_into(block)
        except Exception as error:
            if was_ready:
                self._record("failure", str(error))
            if isinstance(error, DrbgError):
                raise DrbgError(f"{error}; the generator stays stopped until it is restarted") from None
            raise

    def repeat_event(self, kind: str, detail: str, inputs: int) -> None:
        """In a replay: pass over the entropy inputs of an event whose draw was never completed."""
        for _ in range(inputs):
            self._entropy.entropy_input(0, MAX_REQUEST_BYTES)
        self._record(kind, detail)

    def _record(self, kind: str, detail: str) -> None:
        if kind in ("seed", "reseed"):
            # A round into which a seed falls is counted for that seed too.
            self._rounds = int(self._in_round)
            if self._limits is not None and self._limits.clock is not None:
                self._seeded_at = self._limits.clock()
        event = GeneratorEvent(self.drawn, kind, detail)
        self.events.append(event)
        if self._on_event is not None:
            self._on_event(event)
