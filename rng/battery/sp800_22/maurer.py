"""Exact mean and variance of Maurer's statistic for random bits.

Source: Coron and Naccache, "An accurate evaluation of Maurer's universal test", SAC 1998, whose figures these
equal; derived here from the joint law of two distances.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft


@lru_cache(maxsize=16)
def exact_moments(width: int, blocks: int) -> tuple[float, float]:
    """Return mean and standard deviation of the mean logarithm of ``blocks`` distances.

    Let V = 2^width, p = 1/V, q = 1 - p, r = 1 - 2p and g = log2. The distance A at one place back to the
    last equal pattern is geometric: P(A = i) = p q^(i-1). For places k apart the second distance j is
    independent of the first distance i unless j > k. For j = k + t, the two patterns differ, and

        P(i, j) = q^k p² r^(min(i,t)-1) q^(|i-t|-1) for i ≠ t, and 0 for i = t,

    against q^k p² q^(i+t-2) if they were independent. Hence the covariance of the logarithms at k places
    apart is q^k Σ_t g(k+t) h(t) with one function h for all k.
    """
    patterns = 2**width
    p = 1 / patterns
    q, r = 1 - p, 1 - 2 * p
    # Beyond forty times the mean distance what is left out is below e^-40.
    i = np.arange(1, 40 * patterns + 1, dtype=np.float64)
    g = np.log2(i)
    weight = p * q ** (i - 1)
    mean = float(weight @ g)
    variance = float(weight @ (g - mean) ** 2)

    shorter = np.concatenate(([0.0], np.cumsum(g * (r / q) ** (i - 1))[:-1])) * q ** (i - 2)
    beyond = np.concatenate((np.cumsum((g * q**i)[::-1])[::-1][1:], [0.0])) * r ** (i - 1) * q ** (-i - 1)
    independent = q ** (i - 1) * float((g * q ** (i - 1)).sum())
    h = p * p * (shorter + beyond - independent)

    k = np.arange(1, min(i.size, blocks))
    reached = np.log2(np.arange(1, 2 * i.size + 1, dtype=np.float64))
    # Σ_t g(k+t) h(t) for all k at once: a correlation by Fourier transforms.
    size = next_fast_len(reached.size + i.size, real=True)
    lagged = irfft(rfft(reached, size) * np.conj(rfft(h, size)), size)[1 : k.size + 1]
    covariances = q**k * lagged
    total = variance + 2 * float(((1 - k / blocks) * covariances).sum())
    return mean, math.sqrt(total / blocks)
