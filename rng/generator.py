"""The live generator: seeded from tested entropy, reseeded by count and by bytes, stopped by any failure."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rng.drbg import MAX_REQUEST_BYTES, CtrDrbg, DrbgState, EntropyInput
from rng.errors import DrbgError
from rng.purposes import purpose as registered
from rng.words import WordSource

RESEED_REQUESTS: Final = 1 << 14
RESEED_BYTES: Final = 1 << 30
"""The generator is reseeded after 16,384 blocks or 1 GiB, far inside the 2^48 requests of the standard."""


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

    __slots__ = ("_drbg", "_entropy", "_on_event", "_reseed_bytes", "_reseed_requests", "events", "purpose")

    def __init__(
        self,
        entropy: EntropyInput,
        purpose: str,
        *,
        reseed_requests: int = RESEED_REQUESTS,
        reseed_bytes: int = RESEED_BYTES,
        on_event: Callable[[GeneratorEvent], None] | None = None,
    ) -> None:
        """Seed a generator.

        Args:
            entropy: the source, asked for 256 bits and for a nonce of 128 bits.
            purpose: the id of a registered purpose, which personalises the seed.
            reseed_requests: blocks of 64 KiB between two reseeds.
            reseed_bytes: bytes between two reseeds.
            on_event: told each event as it happens.

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

    def reseed(self) -> None:
        """Reseed now; words that were waiting are thrown away.

        Raises:
            EntropyError: the source failed; the generator is stopped.
        """
        self.discard()
        try:
            self._drbg.reseed()
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
        event = GeneratorEvent(self.drawn, kind, detail)
        self.events.append(event)
        if self._on_event is not None:
            self._on_event(event)
