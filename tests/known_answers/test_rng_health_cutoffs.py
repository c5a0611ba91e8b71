"""The cut-offs of the health tests against published tables."""

from fractions import Fraction

import pytest

from rng.entropy import critbinom, proportion_cutoff, proportion_window, repetition_cutoff
from rng.errors import RangeError

# The table jent_apt_cutoff_lookup of the Linux kernel's crypto/jitterentropy.c: window 512,
# alpha 2^-30, H = 1/osr for osr 1 to 15. That table counts the first sample of the window, which
# always equals itself, apart: 2 + critbinom(511, p, 1 - alpha).
JITTERENTROPY = (325, 422, 459, 477, 488, 494, 499, 502, 505, 507, 508, 509, 510, 511, 512)


def test_against_jitterentropy():
    alpha = Fraction(1, 1 << 30)
    ours = tuple(
        min(512, 2 + critbinom(511, Fraction(2.0 ** (-1 / osr)), alpha))
        for osr in range(1, len(JITTERENTROPY) + 1)
    )
    assert ours == JITTERENTROPY


@pytest.mark.parametrize(
    ("entropy", "alarm", "cutoff"), [(1.0, 20, 21), (8.0, 20, 4), (2.0, 30, 16), (0.5, 40, 81)]
)
def test_against_sp800_90b_repetition_formula(entropy, alarm, cutoff):
    assert repetition_cutoff(entropy, alarm) == cutoff


def test_against_scipy_binomial():
    from scipy.stats import binom

    for entropy, window, alarm in ((1.0, 1024, 20), (1.0, 512, 30), (4.0, 512, 20), (8.0, 512, 40)):
        expected = 1 + int(binom.isf(2.0**-alarm, window, 2.0**-entropy))
        assert proportion_cutoff(entropy, window, alarm) == expected


def test_windows_are_those_of_the_standard():
    assert (proportion_window(2), proportion_window(256)) == (1024, 512)


@pytest.mark.parametrize(("entropy", "alarm"), [(0.0, 30), (8.5, 30), (1.0, 19), (1.0, 41)])
def test_claims_outside_the_standard_are_refused(entropy, alarm):
    with pytest.raises(RangeError):
        repetition_cutoff(entropy, alarm)
