"""Entropy sources: the operating system, recordings, and combinations, each watched by health tests.

This is the only module of the product that may ask the operating system for randomness.
"""

import os
from collections.abc import Callable, Iterable
from math import ceil
from typing import Final, Protocol

from rng.drbg.envelope import EntropyInput
from rng.errors import EntropyError, RangeError
from rng.health import ALARM_BITS, STARTUP_SAMPLES, HealthTests
from rng.seen import LEAST_BYTES, SeenInputs

SEED_BYTES: Final = 32


class Noise(Protocol):
    """A raw source of one-byte samples."""

    def samples(self, count: int) -> bytes:
        """The next samples."""


class OperatingSystemNoise:
    """The operating system's generator, one byte a sample."""

    __slots__ = ()

    def samples(self, count: int) -> bytes:
        """The next bytes of the operating system's generator.

        Raises:
            EntropyError: the operating system refused.
        """
        try:
            return os.urandom(count)
        except (OSError, NotImplementedError) as error:
            raise EntropyError(f"the operating system gives no randomness ({error})") from None


class MonitoredEntropy:
    """Entropy inputs from a raw source that is tested at start-up and sample by sample ever after.

    Once a test has failed, or the source itself has, nothing more is given until `restart` has passed
    the start-up tests again. Samples that come a second time, at start-up or as an input of 128
    bits or more, are a failure too: the source starts over, or somebody has a clone of it.

    Source: NIST SP 800-90B, 4.3 and 4.4; GLI-19 v3.0, 3.3.3; AGCO 21.1.7 and 21.1.9.
    """

    __slots__ = ("_alarm_bits", "_entropy_bits", "_health", "_noise", "_on_event", "_seen", "_values")

    live: Final = True

    def __init__(
        self,
        noise: Noise,
        *,
        entropy_bits: float = 8.0,
        alarm_bits: int = ALARM_BITS,
        sample_values: int = 256,
        on_event: Callable[[str], None] | None = None,
        seen: SeenInputs | None = None,
    ) -> None:
        """Take over a source and put it through the start-up tests.

        Args:
            noise: the raw source.
            entropy_bits: min-entropy claimed for one sample, above 0 and at most 8.
            alarm_bits: -log2 of the false-alarm rate.
            sample_values: how many different samples the source can give.
            on_event: told every start-up and every failure.
            seen: what was taken before, from this source or another; nothing yet if left out.

        Raises:
            EntropyError: the source does not pass.
        """
        self._noise = noise
        self._entropy_bits = entropy_bits
        self._alarm_bits = alarm_bits
        self._values = sample_values
        self._on_event = on_event
        self._seen = SeenInputs() if seen is None else seen
        self._health = HealthTests(entropy_bits, alarm_bits=alarm_bits, sample_values=sample_values)
        self.restart()

    @property
    def failure(self) -> str | None:
        """What failed, or nothing while the source is healthy."""
        return self._health.failure

    def restart(self) -> None:
        """Forget a failure and run the start-up tests afresh; their samples are thrown away.

        Raises:
            EntropyError: the source does not pass.
        """
        self._health = HealthTests(
            self._entropy_bits, alarm_bits=self._alarm_bits, sample_values=self._values
        )
        self._take(STARTUP_SAMPLES, compared=True)
        self._tell("start-up tests passed")

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        """As many samples as hold 8 × `min_bytes` bits at the claimed entropy, each of them tested."""
        count = ceil(8 * min_bytes / self._entropy_bits)
        if count > max_bytes:
            raise EntropyError(
                f"{count} samples at {self._entropy_bits} bits each are needed, {max_bytes} bytes are taken"
            )
        return self._take(count, compared=min_bytes >= LEAST_BYTES)

    def _take(self, count: int, *, compared: bool) -> bytes:
        if self._health.failure is not None:
            raise EntropyError(f"the source has failed and was not restarted: {self._health.failure}")
        try:
            samples = self._noise.samples(count)
            if len(samples) != count:
                raise EntropyError(f"the source gave {len(samples)} samples, {count} were asked for")
            self._health.feed(samples)
            if compared:
                self._seen.take(samples)
        except Exception as error:  # noqa: BLE001 - raised again as an error of the source
            # A device may fail with any error of its own; whatever it was, the source has failed.
            own = isinstance(error, EntropyError)
            reason = str(error) if own else f"the source raised {type(error).__name__}: {error}"
            self._health.failure = reason
            self._tell(f"failed: {reason}")
            raise EntropyError(reason) from (None if own else error)
        return samples

    def _tell(self, event: str) -> None:
        if self._on_event is not None:
            self._on_event(event)


class RecordedEntropy:
    """Entropy inputs recorded earlier, given again in the same order for a replay."""

    __slots__ = ("_inputs",)

    live: Final = False

    def __init__(self, inputs: Iterable[bytes]) -> None:
        self._inputs = list(inputs)

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        """The next recorded input.

        Raises:
            EntropyError: the recording has ended.
        """
        if not self._inputs:
            raise EntropyError("the recording has no further entropy input")
        return self._inputs.pop(0)


class RecordingEntropy:
    """Passes entropy inputs through and keeps a copy of each for a later replay.

    The copies are as secret as the state that grows from them until they are revealed.
    """

    __slots__ = ("_source", "inputs")

    def __init__(self, source: EntropyInput) -> None:
        self._source = source
        self.inputs: list[bytes] = []

    @property
    def live(self) -> bool:
        """Whether the recorded source is live."""
        return self._source.live

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        """The source's next input."""
        taken = self._source.entropy_input(min_bytes, max_bytes)
        self.inputs.append(taken)
        return taken

    def __repr__(self) -> str:
        return f"<RecordingEntropy, {len(self.inputs)} inputs kept>"


_SEEN: Final = SeenInputs()
"""What this process took from the operating system, through whichever generator."""


def system_entropy(
    on_event: Callable[[str], None] | None = None, seen: SeenInputs | None = None
) -> MonitoredEntropy:
    """The operating system's generator under health tests: the product's default source.

    Args:
        on_event: told every start-up and every failure.
        seen: what was taken before; what this process took if left out. One with a file also finds
            a machine that is started twice from one snapshot.

    Raises:
        EntropyError: it does not pass its start-up tests.
    """
    return MonitoredEntropy(OperatingSystemNoise(), on_event=on_event, seen=_SEEN if seen is None else seen)


def fresh_master_seed(nbytes: int = SEED_BYTES) -> bytes:
    """A new master seed of at least 256 bits from the tested operating system source.

    Raises:
        RangeError: fewer than 32 bytes asked for.
        EntropyError: the source is not healthy.
    """
    if type(nbytes) is not int or not SEED_BYTES <= nbytes <= 1024:
        raise RangeError(f"master seed of {nbytes!r} bytes: {SEED_BYTES} to 1024 expected")
    return system_entropy().entropy_input(nbytes, nbytes)
