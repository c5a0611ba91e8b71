"""The continuous health tests of an entropy source: repetition count and adaptive proportion.

Source: NIST SP 800-90B, clauses 4.3 and 4.4.
"""

from fractions import Fraction
from functools import lru_cache
from math import ceil, comb
from typing import Final

from rng.errors import EntropyError, RangeError

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
