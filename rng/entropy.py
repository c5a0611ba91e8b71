"""Noise of the operating system, and the health tests that watch it (SP 800-90B 4.4).

The continuous health tests of an entropy source: repetition count and adaptive proportion.

Source: NIST SP 800-90B, clauses 4.3 and 4.4.

Entropy sources: the operating system, recordings, and combinations, each watched by health tests.

This is the only module of the product that may ask the operating system for randomness.
"""

import fcntl
import os
from collections import OrderedDict
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from hashlib import sha256
from math import ceil, comb
from pathlib import Path
from typing import Final, Protocol

from rng.drbg.envelope import EntropyInput
from rng.errors import EntropyError, RangeError

KEPT: Final = 1 << 16
"""So many latest inputs are remembered."""

LEAST_BYTES: Final = 16
"""Shorter inputs may repeat by chance and are not looked at."""

_DIGEST: Final = 32


class SeenInputs:
    """Digests of the entropy inputs taken so far; one that comes again is refused.

    In memory it finds a source that starts over: a device that was reset, a recording that is played
    twice. With a file that is outside of what a snapshot of the machine restores, it also finds the
    machine itself started twice from one snapshot with the noise that it had then. Digests are of
    at least 128 bits of noise and give none of it away.

    >>> seen = SeenInputs()
    >>> seen.take(bytes(range(32)))
    >>> seen.take(bytes(range(32)))
    Traceback (most recent call last):
    rng.errors.EntropyError: the source gave an entropy input for the second time: it was reset or cloned
    """

    __slots__ = ("_known", "_place", "_read")

    def __init__(self, place: Path | None = None) -> None:
        """A memory of inputs.

        Args:
            place: file that the digests are kept in, 32 bytes each, made if there is none; several
                processes may share it. Left out, the memory ends with the process.
        """
        self._place = place
        self._read = 0
        self._known: OrderedDict[bytes, None] = OrderedDict()

    def take(self, data: bytes) -> None:
        """Remember an input that is about to be used.

        Raises:
            EntropyError: it was used before, or the file cannot be read or written.
        """
        if len(data) < LEAST_BYTES:
            return
        digest = sha256(b"rng entropy input seen 1\0" + data).digest()
        if self._place is None:
            self._new(digest)
            return
        try:
            self._new_in_file(digest, self._place)
        except OSError as error:
            raise EntropyError(f"{self._place}: the inputs seen cannot be kept ({error.strerror})") from None

    def _new_in_file(self, digest: bytes, place: Path) -> None:
        """Under a lock, read what others added, and add this one; it is on the disk before it is used."""
        with place.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            size = file.seek(0, 2)
            if size % _DIGEST or size < self._read:
                raise EntropyError(
                    f"{place}: {size} bytes: digests of 32 bytes each expected, none taken away"
                )
            start = max(self._read, size - KEPT * _DIGEST)
            file.seek(start)
            added = file.read(size - start)
            for at in range(0, len(added), _DIGEST):
                self._remember(added[at : at + _DIGEST])
            self._read = size
            self._new(digest)
            file.write(digest)
            os.fsync(file.fileno())
            self._read += _DIGEST

    def _new(self, digest: bytes) -> None:
        if digest in self._known:
            raise EntropyError("the source gave an entropy input for the second time: it was reset or cloned")
        self._remember(digest)

    def _remember(self, digest: bytes) -> None:
        self._known[digest] = None
        if len(self._known) > KEPT:
            self._known.popitem(last=False)


ALARM_BITS: Final = 30
"""The default false-alarm rate is 2^-30 per test; SP 800-90B 4.3 recommends 2^-20 to 2^-40."""

STARTUP_SAMPLES: Final = 1024
"""SP 800-90B 4.3, item 4: start-up tests run over at least 1,024 consecutive samples."""


def repetition_cutoff(entropy_bits: float, alarm_bits: int = ALARM_BITS) -> int:
    """How many equal samples in a row are a failure: C = 1 + ceil(-log2(alpha) / H).

    >>> repetition_cutoff(8.0, 20)
    4

    Args:
        entropy_bits: the claimed min-entropy H per sample.
        alarm_bits: -log2 of the false-alarm rate alpha.

    Source: NIST SP 800-90B, 4.4.1.
    """
    _check_claim(entropy_bits, alarm_bits)
    return 1 + ceil(Fraction(alarm_bits) / Fraction(entropy_bits))


def proportion_window(sample_values: int) -> int:
    """W: 1,024 samples where there are two values, 512 where there are more (SP 800-90B, 4.4.2)."""
    return 1024 if sample_values == 2 else 512


@lru_cache(maxsize=64)
def critbinom(trials: int, p: Fraction, alpha: Fraction) -> int:
    """The smallest count whose cumulative binomial probability is at least 1 - alpha, in exact arithmetic.

    >>> critbinom(10, Fraction(1, 2), Fraction(1, 100))
    9
    """
    q = 1 - p
    # The upper tail is summed from above while it stays within alpha: P(X > k) <= alpha gives k.
    tail = Fraction(0)
    k = trials
    while k > 0:
        tail += comb(trials, k) * p**k * q ** (trials - k)
        if tail > alpha:
            break
        k -= 1
    return k


def proportion_cutoff(entropy_bits: float, window: int, alarm_bits: int = ALARM_BITS) -> int:
    """How many samples equal to the first of a window are a failure: C = 1 + critbinom(W, 2^-H, 1 - alpha).

    It is never more than the window, so that the test can fail whatever is claimed.

    >>> proportion_cutoff(1.0, 512)
    325

    Source: NIST SP 800-90B, 4.4.2, step 4 and the footnote on critbinom.
    """
    _check_claim(entropy_bits, alarm_bits)
    return min(window, 1 + critbinom(window, Fraction(2.0**-entropy_bits), Fraction(1, 1 << alarm_bits)))


def _check_claim(entropy_bits: float, alarm_bits: int) -> None:
    if not 0 < entropy_bits <= 8:
        raise RangeError(f"claimed entropy of {entropy_bits!r} bits a sample: above 0 and at most 8 expected")
    if type(alarm_bits) is not int or not 20 <= alarm_bits <= 40:
        raise RangeError(f"false-alarm rate of 2^-{alarm_bits!r}: 2^-20 to 2^-40 expected (SP 800-90B 4.3)")


class HealthTests:
    """Both continuous tests over a run of samples; once one has failed, it stays failed.

    Source: NIST SP 800-90B, 4.4.1 (steps 1 to 3) and 4.4.2 (steps 1 to 4).
    """

    __slots__ = (
        "_count",
        "_first",
        "_last",
        "_repeats",
        "_seen",
        "failure",
        "proportion",
        "repetition",
        "window",
    )

    def __init__(
        self, entropy_bits: float = 8.0, *, alarm_bits: int = ALARM_BITS, sample_values: int = 256
    ) -> None:
        """Tests with cut-offs computed from the claim.

        Args:
            entropy_bits: claimed min-entropy per sample.
            alarm_bits: -log2 of the false-alarm rate.
            sample_values: how many different samples the source can give.
        """
        self.repetition = repetition_cutoff(entropy_bits, alarm_bits)
        self.window = proportion_window(sample_values)
        self.proportion = proportion_cutoff(entropy_bits, self.window, alarm_bits)
        self.failure: str | None = None
        self._last = -1
        self._repeats = 0
        self._first = -1
        self._seen = 0
        self._count = 0

    def feed(self, samples: bytes) -> None:
        """Test further samples.

        Raises:
            EntropyError: a test has failed, now or before; no sample of this run may be used.
        """
        for sample in samples:
            if self.failure is not None:
                break
            self._repetition(sample)
            self._proportion(sample)
        if self.failure is not None:
            raise EntropyError(self.failure)

    def _repetition(self, sample: int) -> None:
        if sample != self._last:
            self._last, self._repeats = sample, 1
            return
        self._repeats += 1
        if self._repeats >= self.repetition:
            self.failure = (
                f"repetition count test: one sample {self._repeats} times in a row (SP 800-90B 4.4.1)"
            )

    def _proportion(self, sample: int) -> None:
        if self._seen == 0:
            self._first, self._count = sample, 0
        self._count += sample == self._first
        if self._count >= self.proportion:
            self.failure = (
                f"adaptive proportion test: one sample {self._count} times among {self._seen + 1} "
                "(SP 800-90B 4.4.2)"
            )
        self._seen = (self._seen + 1) % self.window


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

    __slots__ = ("_entropy_bits", "_health", "_noise", "_on_event", "_seen")

    live: Final = True

    def __init__(
        self,
        noise: Noise,
        *,
        entropy_bits: float = 8.0,
        on_event: Callable[[str], None] | None = None,
        seen: SeenInputs | None = None,
    ) -> None:
        """Take over a source and put it through the start-up tests.

        Args:
            noise: the raw source.
            entropy_bits: min-entropy claimed for one sample, above 0 and at most 8.
            on_event: receives every start-up and every failure.
            seen: what was taken before, from this source or another; nothing yet if left out.

        Raises:
            EntropyError: the source does not pass.
        """
        self._noise = noise
        self._entropy_bits = entropy_bits
        self._on_event = on_event
        self._seen = SeenInputs() if seen is None else seen
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
        self._health = HealthTests(self._entropy_bits)
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
                raise EntropyError(f"the source gave {len(samples)} samples, {count} were requested")
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
        on_event: receives every start-up and every failure.
        seen: what was taken before; what this process took if left out. One with a file also finds
            a machine that is started twice from one snapshot.

    Raises:
        EntropyError: it does not pass its start-up tests.
    """
    return MonitoredEntropy(OperatingSystemNoise(), on_event=on_event, seen=_SEEN if seen is None else seen)


def fresh_master_seed(nbytes: int = SEED_BYTES) -> bytes:
    """A new master seed of at least 256 bits from the tested operating system source.

    Raises:
        RangeError: fewer than 32 bytes requested.
        EntropyError: the source is not healthy.
    """
    if type(nbytes) is not int or not SEED_BYTES <= nbytes <= 1024:
        raise RangeError(f"master seed of {nbytes!r} bytes: {SEED_BYTES} to 1024 expected")
    return system_entropy().entropy_input(nbytes, nbytes)
