"""The combinations that decide a wager, against their exact probabilities; the caller knows the game."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from rng.battery import goodness
from rng.battery.result import NotRun, TestResult
from rng.errors import SampleError


def compare(
    name: str, counts: Mapping[str, int], probabilities: Mapping[str, Fraction]
) -> TestResult | NotRun:
    """Compares how often each outcome of a wager was dealt with its exact probability.

    Outcomes expected fewer than ten times are pooled, by their probabilities alone. An outcome of
    probability zero that was dealt fails the test outright.

    Args:
        name: Name of the wager or combination, in kebab case.
        counts: How often each outcome was dealt.
        probabilities: Exact probability of each outcome; they sum to one.

    Raises:
        SampleError: If counts and probabilities do not name the same outcomes or do not sum to one.

    Source: 25 CFR 547.14(b)(1): random in the combinations used under the rules of the game.

    Example:
        >>> half = Fraction(1, 2)
        >>> result = compare("colour", {"red": 520, "black": 480}, {"red": half, "black": half})
        >>> round(result.p_values[0], 4)
        0.2059
    """
    if set(counts) != set(probabilities):
        odd = sorted(set(counts) ^ set(probabilities))
        raise SampleError(f"{name}: outcomes without both a count and a probability: {', '.join(odd)}")
    order = sorted(probabilities)
    test, size = f"combinations-{name}", sum(counts.values())
    if min(probabilities.values()) < 0 or sum(probabilities.values()) != 1:
        raise SampleError(f"{name}: the probabilities of the outcomes do not sum to exactly 1")
    impossible = [outcome for outcome in order if counts[outcome] and not probabilities[outcome]]
    if impossible:
        what = f"probability zero for {', '.join(impossible)}, dealt nevertheless"
        return TestResult((0.0,), parameters=dict(counts), null=what).run_as("cards", test, size)
    minimum = minimum_sample([probabilities[outcome] for outcome in order])
    if size < minimum:
        return NotRun("cards", test, f"{size} outcomes, at least {minimum} are needed", minimum)
    fit = goodness.chi_square_fit(
        [counts[outcome] for outcome in order], [probabilities[outcome] for outcome in order], ordered=False
    )
    return goodness.fitted(
        [fit],
        parameters={outcome: counts[outcome] for outcome in order},
        null="multinomial with the exact probabilities of the outcomes; chi-square",
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size),
    ).run_as("cards", test, size)


def minimum_sample(probabilities: list[Fraction]) -> int:
    """Fewest observations that leave two classes expected ten times each after pooling.

    Example:
        >>> minimum_sample([Fraction(99, 100), Fraction(1, 100)])
        1000
    """
    possible = [q for q in probabilities if q > 0]
    if len(possible) < 2:
        raise SampleError("a combination test needs at least two possible outcomes")
    # The classes can always be split in two: the most probable one, and all others pooled.
    smaller = min(max(possible), 1 - max(possible))
    return -(-int(goodness.LEAST_EXPECTED) * smaller.denominator // smaller.numerator)
