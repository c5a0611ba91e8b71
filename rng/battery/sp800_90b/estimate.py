"""What one estimator reports, and the upper bounds that all of them share."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

# 6.3: the upper end of the 99 % interval of a normal variable. The text prints 2.576, NIST's program has all digits
# of the 99.5 % quantile, which is followed so that results can be compared with it.
Z_ALPHA = 2.5758293035489008
ALPHA = 0.99
BISECTIONS = 200


@dataclass(frozen=True, slots=True)
class Estimate:
    """One estimator on one sequence.

    Args:
        estimator: Name, in kebab case.
        section: Of SP 800-90B.
        min_entropy: Estimate in bits for each sample of the sequence.
        details: Intermediate values as the standard names them, to compare with other programs.
    """

    estimator: str
    section: str
    min_entropy: float
    details: Mapping[str, float] = field(default_factory=dict)


def upper_bound(share: float, trials: int) -> float:
    """Upper end of the interval of a probability of which a share was seen.

    Source: SP 800-90B 6.3.1 step 2 (the divisor is one less than the number of trials).

    Example:
        >>> round(upper_bound(0.4, 20), 4)
        0.6895
    """
    return min(1.0, share + Z_ALPHA * math.sqrt(share * (1 - share) / (trials - 1)))


def bits(probability: float) -> float:
    """Min-entropy of an outcome of this probability.

    Example:
        >>> bits(0.25)
        2.0
    """
    return max(0.0, -math.log2(probability))


def bisect(falling: Callable[[float], float], wanted: float, low: float, high: float) -> float | None:
    """The argument at which a falling function takes a value; None if it takes none between the ends."""
    if not falling(high) <= wanted <= falling(low):
        return None
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if falling(middle) > wanted else (low, middle)
    return (low + high) / 2
