"""Balls drawn without putting any back: places, pairs, gaps, and balls that are drawn together."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, comb

import numpy as np
from scipy import special

from rng.array_types import Counts, Numbers as Rows
from rng.battery import dispersion, e_values, goodness, projections
from rng.battery.cards.dealt import minimum_sample
from rng.battery.cards.permutations import CODES
from rng.battery.cell_sums import two_sided, worst
from rng.battery.projections import Groups, ProjectedRows, each
from rng.battery.result import TestResult
from rng.battery.sequences import congruential
from rng.battery.sequences.draws import LARGEST_RANGE
from rng.battery.suite import Results, Running, Suite, Tell, Test
from rng.draws import OrderedSample, check_rows
from rng.errors import RangeError, SampleError

MOST_BALLS = 512
TRAY, TRAYS = 10, (3, 5, 7)
# As many as there are ranks of cards: those that count ten are four trays in a row.
RANKS, WIDTHS = 13, (1, 2, 3, 4)


def neighbour_law(balls: int, drawn: int) -> list[Fraction]:
    """Probabilities of 0, 1, … balls drawn together with the next higher number: by the runs of a subset.

    Source: Riordan, An Introduction to Combinatorial Analysis (1958), 8, problem 1 (k of n with r runs).

    Example:
        >>> neighbour_law(4, 2)  # 12, 23 and 34 of six pairs
        [Fraction(1, 2), Fraction(1, 2)]
    """
    return [
        Fraction(comb(drawn - 1, pairs) * comb(balls - drawn + 1, drawn - pairs), comb(balls, drawn))
        for pairs in range(drawn)
    ]


def marked_law(balls: int, drawn: int, marked: int) -> list[Fraction]:
    """Probabilities of 0, 1, … balls of a marked set: hypergeometric.

    Example:
        >>> marked_law(4, 2, 2)
        [Fraction(1, 6), Fraction(2, 3), Fraction(1, 6)]
    """
    return [
        Fraction(comb(marked, k) * comb(balls - marked, drawn - k), comb(balls, drawn))
        for k in range(drawn + 1)
    ]


def run_compositions(draw: OrderedSample, rows: Rows) -> TestResult:
    """Compositions of a draw: neighbouring numbers, odd numbers, low numbers, in distribution and in the mean.

    Source: 25 CFR 547.14(b)(1) (random in the combinations used under the rules of the game).
    """
    n, k = draw.items, draw.size
    ordered = np.sort(rows, axis=1).astype(np.int64)
    looked_at: dict[str, tuple[Counts, Sequence[Fraction]]] = {
        "odd numbers": ((ordered % 2).sum(axis=1), marked_law(n, k, n // 2)),
        "low numbers": ((ordered < n // 2).sum(axis=1), marked_law(n, k, n // 2)),
    }
    if k > 1:
        looked_at["neighbours"] = ((np.diff(ordered, axis=1) == 1).sum(axis=1), neighbour_law(n, k))
    fits, means = {}, {}
    for name, (values, law) in looked_at.items():
        counts = np.bincount(values, minlength=len(law)).astype(np.int64)
        if sorted(law)[-2] * len(rows) >= goodness.LEAST_EXPECTED:
            fits[name] = goodness.chi_square_fit(counts, law, ordered=True)
        means[f"mean of {name}"] = dispersion.mean_p(counts, np.array([float(p) for p in law]))
    result = goodness.fitted(
        list(fits.values()),
        labels=tuple(fits),
        null="exact probabilities of subsets: chi-square; Chernoff's bound on the exact moments of the mean; "
        "binomial tails of trays",
    )
    return result.with_bounds(means | _from_trays(draw, rows) | _held_back(draw, rows))


def _held_back(draw: OrderedSample, rows: Rows) -> dict[str, float]:
    """The trays in a row of which in the mean too few balls are drawn, or too many: corrected for all of them."""
    ends = np.arange(RANKS + 1) * draw.items // RANKS
    drawn = np.stack([(rows < end).sum(axis=1) for end in ends])
    found = {
        f"mean of balls {ends[first] + 1} to {ends[first + width]}": dispersion.mean_p(
            np.bincount(drawn[first + width] - drawn[first], minlength=draw.size + 1).astype(np.int64),
            np.array(marked_law(draw.items, draw.size, int(ends[first + width] - ends[first])), dtype=float),
        )
        for width in WIDTHS
        for first in range(RANKS - width + 1)
    }
    return dict([worst(np.array(list(found.values())), list(found))])


def trays(draw: OrderedSample) -> dict[str, Groups]:
    """The trays that balls may lie in, whichever way a cage is loaded from trays: the tray of each ball."""
    balls = range(draw.items)
    found = {f"trays of {TRAY}": tuple(ball // TRAY for ball in balls)}
    found |= {f"{many} trays in turn": tuple(ball % many for ball in balls) for many in TRAYS}
    found |= {f"{many} trays": tuple(ball * many // draw.items for ball in balls) for many in TRAYS}
    return {name: groups for name, groups in found.items() if 1 < max(groups) + 1 < draw.items}


def _from_trays(draw: OrderedSample, rows: Rows) -> dict[str, float]:
    """A p-value for the trays that the first balls come from."""
    known = trays(draw)
    places = list(combinations(range(min(3, draw.size)), 2))
    listed = [row for name in known for how in ("in order", "alike") for row in each(name, how, places)]
    if not listed:
        return {}
    result = projections.run(ProjectedRows(rows, lambda name, _place: known[name]), listed)
    return dict(zip(result.labels, result.p_values, strict=True))


def run_together(draw: OrderedSample, rows: Rows) -> TestResult:
    """Every two balls together: how often each pair is drawn, each by its exact binomial tails.

    Source: binomial, exact; Bonferroni over the pairs.
    """
    n, k, size = draw.items, draw.size, len(rows)
    counts = np.zeros((n, n), dtype=np.int64)
    for start in range(0, size, 1 << 14):
        piece = rows[start : start + (1 << 14)].astype(np.int64)
        held = np.zeros((len(piece), n), dtype=np.float32)
        held[np.arange(len(piece))[:, None], piece] = 1
        counts += np.rint(held.T @ held).astype(np.int64)
    pairs = np.triu_indices(n, 1)
    law = np.full(len(pairs[0]), k * (k - 1) / (n * (n - 1)))
    names = [f"balls {a} and {b}" for a, b in combinations(range(n), 2)]
    label, p_value = worst(two_sided(counts[pairs], size, law), names)
    return TestResult(
        p_values=(p_value,),
        labels=(label,),
        null="binomial tails of each pair, exact; Bonferroni over the pairs",
        discrete=True,
        detectable=goodness.describe_fullest(size, float(law[0]), law.size, "draws with one pair"),
    )


def run_due(draw: OrderedSample, rows: Rows) -> TestResult:
    """Due balls: bets on balls that have been missing for one to eight times their mean waiting time.

    Source: Ville, Étude critique de la notion de collectif (1939), chapter V; Shafer, J. R. Stat. Soc. A 184 (2021).
    """
    found = dict(e_values.by_waiting(rows[: e_values.MOST_DRAWN // draw.size].astype(np.int64), draw.items))
    return TestResult.of(
        found,
        null=e_values.NULL,
        detectable=e_values.detectable(
            len(rows) * draw.size * e_values.due_share(draw.items, draw.size), len(found)
        ),
    )


def for_compositions(draw: OrderedSample) -> int | str:
    """Fewest draws that leave the halves two classes expected ten times."""
    if draw.size == draw.items:
        return "every ball is drawn every time"
    law = sorted(marked_law(draw.items, draw.size, draw.items // 2))
    return -(-int(goodness.LEAST_EXPECTED) * law[-2].denominator // law[-2].numerator) + 1


def for_together(draw: OrderedSample) -> int | str:
    """Fewest draws of which pairs are worth counting."""
    if draw.size < 2 or draw.size == draw.items or draw.items > MOST_BALLS:
        return f"pairs are counted of two balls and more, not of all there are, up to {MOST_BALLS}"
    return 100


def for_due(draw: OrderedSample) -> int | str:
    """Fewest draws to bet on."""
    if draw.size == draw.items or draw.items > e_values.MOST_NUMBERS:
        return f"no ball is ever due where all are drawn, and of more than {e_values.MOST_NUMBERS} none is waited for"
    return e_values.LEAST_DRAWN


COMMON_LAGS = 16
# Draws times balls that are marked at once: as many bytes.
HELD = 1 << 23


@dataclass(frozen=True, slots=True, eq=False)
class DrawnBalls:
    """Draws of balls under test.

    Args:
        draw: How many balls there are and how many are drawn.
        rows: One draw a row, balls 0 to n - 1 in the order drawn.

    Raises:
        SampleError: A row is no such draw.
    """

    of: OrderedSample
    rows: Rows

    def __post_init__(self) -> None:
        try:
            check_rows(self.of, self.rows)
        except RangeError as error:
            raise SampleError(str(error)) from None

    @property
    def size(self) -> int:
        """How many draws there are."""
        return len(self.rows)


def _test(
    name: str,
    minimum: Callable[[OrderedSample], int | str],
    run: Callable[[OrderedSample, Rows], TestResult],
) -> Test[OrderedSample, DrawnBalls]:
    return Test(name, minimum, lambda drawn: run(drawn.of, drawn.rows))


def place_counts(draw: OrderedSample, rows: Rows) -> Counts:
    """How often each ball came at each place: ``counts[place, ball]``."""
    return np.stack([np.bincount(column, minlength=draw.items) for column in rows.T]).astype(np.int64)


def run_places(draw: OrderedSample, rows: Rows) -> TestResult:
    """Ball × place, and ball drawn or not.

    A sample is the front of a permutation whose other places are not looked at: one group of places more. So the
    statistic is that of cards by groups of places, (n-1)/n · X², chi-square with (places)(n-1) degrees.
    """
    n, k, size = draw.items, draw.size, len(rows)
    counts = place_counts(draw, rows)
    drawn = counts.sum(axis=0)
    p_values, labels = [], []
    for table, label in ((counts, "ball by place"), (drawn[None, :], "drawn or not")):
        expected = table.sum(axis=1, keepdims=True) / n
        pearson = float((np.square(table - expected) / expected).sum())
        freedom = (table.shape[0] - 1) * (n - 1)
        if k < n:  # the balls that were not drawn
            pearson += float(np.square(drawn - size * k / n).sum() / (size * (n - k) / n))
            freedom += n - 1
        if freedom:
            p_values.append(goodness.chi_square_tail(pearson * (n - 1) / n, freedom))
            labels.append(label)
    if k < n:  # one ball that is heavier, or lighter, than all others
        p_values.append(min(1.0, n * float(special.bdtrc(int(drawn.max()) - 1, size, k / n))))
        p_values.append(min(1.0, n * float(special.bdtr(int(drawn.min()), size, k / n))))
        labels += [f"most often ball {int(drawn.argmax())}", f"least often ball {int(drawn.argmin())}"]
    return TestResult(
        p_values=tuple(p_values),
        labels=tuple(labels),
        null="(n-1)/n · X² is chi-square: balls without replacement; one ball binomial with k/n, Bonferroni over all",
        detectable=goodness.describe_deviation(k * (n - 1), size * k),
    )


def common_law(draw: OrderedSample) -> tuple[Fraction, ...]:
    """Probability of 0, 1, …, k balls in common between two independent draws: hypergeometric."""
    return tuple(marked_law(draw.items, draw.size, draw.size))


def in_common(draw: OrderedSample, rows: Rows, lags: int) -> Counts:
    """How often a draw has 0, 1, … balls in common with one so many draws before: ``counts[lag - 1, balls]``."""
    counts = np.zeros((lags, draw.size + 1), dtype=np.int64)
    together = max(64, HELD // draw.items)
    for start in range(0, len(rows), together):
        first = max(0, start - lags)
        piece = rows[first : start + together]
        held = np.zeros((len(piece), draw.items), dtype=np.bool_)
        held[np.arange(len(piece))[:, None], piece] = True
        packed = np.packbits(held, axis=1)
        for lag in range(1, lags + 1):
            # Each draw of the piece with the one so many before it, which the piece before may hold.
            now = packed[max(lag, start - first) :]
            common = np.bitwise_count(now & packed[len(packed) - len(now) - lag : len(packed) - lag])
            counts[lag - 1] += np.bincount(common.sum(axis=1, dtype=np.int64), minlength=draw.size + 1)
    return counts


def run_common(draw: OrderedSample, rows: Rows) -> TestResult:
    """Balls in common with the draw before, and in the mean with each of sixteen draws before.

    Given the draws before, the number that the next has in common with one of them does not depend on which balls they
    are, so that the numbers are independent.

    Source: hypergeometric law; chi-square, and Chernoff's bound on the exact moments of the mean.
    """
    size = len(rows)
    counts, law = in_common(draw, rows, min(COMMON_LAGS, size - 1)), common_law(draw)
    fit = goodness.chi_square_fit(counts[0], law, ordered=True)
    floats = np.array([float(p) for p in law])
    means = {f"mean, {lag} before": dispersion.mean_p(row, floats) for lag, row in enumerate(counts, 1)}
    result = goodness.fitted(
        [fit],
        labels=("the draw before",),
        null="hypergeometric; chi-square; Chernoff's bound on the exact moments of the mean",
        detectable=goodness.describe_deviation(fit.degrees_of_freedom, size),
    )
    return result.with_bounds(means)


def run_dispersion(draw: OrderedSample, rows: Rows) -> TestResult:
    """Dispersion of the balls at each place within blocks of all sizes: too even, or hot and cold stretches.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    columns = {f"place {place + 1}": column.astype(np.int64) for place, column in enumerate(rows.T)}
    found = dispersion.over_blocks(columns, draw.items)
    marked = {"odd numbers": rows % 2 == 1, "low numbers": rows < draw.items // 2}
    law = marked_law(draw.items, draw.size, draw.items // 2)
    return found.with_bounds(
        dispersion.even_classes(
            (name, *_median_split(which.sum(axis=1), law)) for name, which in marked.items()
        )
    )


def _median_split(values: Counts, law: Sequence[Fraction]) -> tuple[Counts, tuple[float, float]]:
    """Whether each value is beyond the median of its law, and how likely that is."""
    beyond = next(value for value in range(len(law)) if 2 * sum(law[: value + 1]) >= 1) + 1
    more = float(sum(law[beyond:]))
    return (values >= beyond).astype(np.int64), (1 - more, more)


def _for_places(draw: OrderedSample) -> int | str:
    if draw.items < 2:
        return "one ball has no choice"
    return 10 * draw.items  # each ball is then expected ten times at each place


def _for_common(draw: OrderedSample) -> int | str:
    if draw.size == draw.items:
        return "every ball is drawn every time"
    return minimum_sample(list(common_law(draw))) + 1


def _for_dispersion(draw: OrderedSample) -> int | str:
    return "one ball has no choice" if draw.items < 2 else dispersion.LEAST_SAMPLE


def readings(draw: OrderedSample, rows: Rows) -> Iterator[tuple[str, Rows, tuple[int, ...], int]]:
    """How a generator may have drawn balls: the way, the numbers that it then gave, their ranges, and those left.

    A ball that was drawn already is drawn again, or the balls left are numbered anew or partly shuffled. Where balls
    are drawn again, the numbers of a draw leave each other fewer values than their range.
    """
    n, k = draw.items, draw.size
    yield "drawn again if drawn already", rows.astype(np.int64), (n,) * k, n - k + 1
    others = [np.setdiff1d(np.arange(n), row) for row in rows]
    order = np.hstack([rows, others]).astype(np.uint16)
    drawn = {
        "of the balls left in order": CODES["Lehmer code"](order),
        "shuffled from the last ball down": CODES["draws downwards"](np.ascontiguousarray(order[:, ::-1]))[
            :, ::-1
        ],
        "shuffled from the first ball up": CODES["draws upwards"](order)[:, ::-1],
    }
    for way, numbers in drawn.items():
        yield way, numbers[:, :k].astype(np.int64), tuple(range(n, n - k, -1)), LARGEST_RANGE


def run_known(draw: OrderedSample, rows: Rows) -> TestResult:
    """Known congruential generators behind the draws, whichever way balls are kept from coming twice.

    Source: Frieze, Hastad, Kannan, Lagarias and Shamir, SIAM J. Computing 17 (1988), 262-280.
    """
    together = ceil(congruential.LEAST_DRAWS / draw.size)
    times = min(congruential.ATTEMPTS, len(rows) // together)
    found: dict[str, float] = {}
    for way, numbers, ranges, fewest in readings(draw, rows[: times * together]):
        stretches = [
            (f"{way}: ", part * together * draw.size, numbers[part * together :][:together].ravel().tolist())
            for part in range(times)
        ]
        found |= congruential.best_of(stretches, ranges * together, congruential.GENERATORS, times, fewest)
    return TestResult.of(
        found,
        parameters={"foretold": congruential.FORETOLD},
        null="numbers foretold: each true with at most the probability of the fewest balls left, Bonferroni over "
        "attempts; lowest bits: union bound over states",
        detectable=f"any of {len(congruential.GENERATORS)} generators known by name, from {together} draws",
    )


def for_known(draw: OrderedSample) -> int | str:
    """Draws that hold as many numbers as a generator is sought from; small ranges tell too little of a state."""
    return (
        ceil(congruential.LEAST_DRAWS / draw.size)
        if draw.items - draw.size >= 3
        else "too few balls are left"
    )


TESTS = (
    _test("places", _for_places, run_places),
    _test("common-with-last", _for_common, run_common),
    _test("dispersion", _for_dispersion, run_dispersion),
    _test("compositions", for_compositions, run_compositions),
    _test("together", for_together, run_together),
    _test("due-balls", for_due, run_due),
    _test("known-generators", for_known, run_known),
)
BATTERY: Suite[OrderedSample, DrawnBalls] = Suite("balls", "draws", __name__, TESTS)


def run(
    draw: OrderedSample,
    rows: Rows,
    tests: Collection[str] | None = None,
    *,
    running: Running = map,
    tell: Tell | None = None,
) -> Results:
    """Runs statistical tests on draws of balls.

    Args:
        draw: How many balls there are and how many are drawn.
        rows: One draw a row, balls 0 to n - 1 in the order drawn.
        tests: Names of the tests to run; all of ``NAMES`` when left out.
        running: What runs each of them.
        tell: Receives how many of them are done.

    Raises:
        SampleError: A row is no such draw, or a test is not known.
    """
    return BATTERY.run(DrawnBalls(draw, rows), tests, running=running, tell=tell)
