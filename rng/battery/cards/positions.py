"""Cards and positions: each card at each place, two places together, and correlations of places."""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from rng.battery import dispersion, goodness
from rng.battery.cards import kernels
from rng.battery.cards.decks import (
    SMALL,
    CardTest,
    Decks,
    DeckShoe,
    Fewest,
    a_cell,
    column_chunks,
    grouped,
    of_shoe,
    pieces,
    plain,
    positions,
    values_by_place,
)
from rng.battery.cell_sums import two_sided, worst
from rng.battery.result import TestResult
from rng.battery.suite import at_least


def _classes(decks: Decks, shoe: DeckShoe) -> Iterator[tuple[str, NDArray[np.integer], Sequence[float]]]:
    """Yields ranks and suits at the first places, and whether the first two cards are alike in them."""
    for what, groups in (("rank", shoe.ranks), ("suit", shoe.suits)):
        if not groups:
            continue
        sizes, table = np.bincount(groups), np.array(groups)
        first = [table[decks[:, place]] for place in range(GROUPED)]
        for place, column in enumerate(first, 1):
            yield f"{what} at place {place}", column, (sizes / shoe.cards).tolist()
        alike = float((sizes * (sizes - 1)).sum() / (shoe.cards * (shoe.cards - 1)))
        yield f"first two of one {what}", (first[0] == first[1]).astype(np.int64), (1 - alike, alike)


def run_dispersion(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Dispersion of what is dealt at each of the first places: decks from a bag of decks, hot and cold stretches.

    The cards at one place are independent from deck to deck and equally likely, as numbers drawn are; so is whatever
    one deck shows, with its own probability: a rank, a suit, a pair.

    Source: Fisher, Statistical Methods for Research Workers (1925), section 16.
    """
    places = min(decks.shape[1], SMALL)
    columns = {f"position {place + 1}": decks[:, place].astype(np.int64) for place in range(places)}
    found = dispersion.over_blocks(columns, decks.shape[1], {"positions": places})
    return found.with_bounds(dispersion.even_classes(_classes(decks, shoe)))


# Ranks and suits are looked at on so many places.
GROUPED = 4


OVER_TIME = (of_shoe("dispersion", at_least(dispersion.LEAST_SAMPLE), run_dispersion),)


def position_counts(decks: Decks) -> NDArray[np.int64]:
    """How often each card lay in each position: ``counts[position, card]``."""
    return values_by_place(pieces(decks), decks.shape[1])


def table_statistic(counts: NDArray[np.int64]) -> float:
    """Chi-square statistic of a position-by-group table, corrected for dealing without replacement.

    Each deck puts every card in exactly one position, so the cells are not independent: Pearson's sum
    exceeds a chi-square variable by the factor n/(n-1), which is taken out here (39/40 for forty cards).

    Args:
        counts: ``counts[position, group]``; every row sums to the number of decks.
    """
    n = counts.shape[0]
    decks = int(counts[0].sum())
    expected = counts.sum(axis=0, keepdims=True) / n
    pearson = float((np.square(counts - expected) / expected).sum()) if decks else 0.0
    return pearson * float(n - 1) / float(n)


def _table_result(counts: NDArray[np.int64]) -> TestResult:
    n, groups = counts.shape
    decks = int(counts[0].sum())
    freedom = (n - 1) * (groups - 1)
    statistic = table_statistic(counts)
    return TestResult(
        p_values=(goodness.chi_square_tail(statistic, freedom),),
        statistic=statistic,
        degrees_of_freedom=freedom,
        null="(n-1)/n · X² is chi-square with (n-1)(g-1) degrees of freedom: cards without replacement",
        detectable=goodness.describe_deviation(freedom, decks * (n - 1)),
    )


def _by(name: str, minimum: Fewest, groups: Callable[[DeckShoe], Sequence[int]]) -> CardTest:
    """Groups of cards × position: T = (n-1)/n · X², chi-square with (n-1)(g-1) degrees of freedom."""

    def run(decks: Decks, shoe: DeckShoe) -> TestResult:
        group = np.array(groups(shoe))
        members = group[:, None] == np.arange(group.max() + 1)
        return _table_result(position_counts(decks) @ members.astype(np.int64))

    return of_shoe(name, minimum, run)


def run_each_position(decks: Decks) -> TestResult:
    """Each position by itself: the cards dealt there are independent from deck to deck and equally likely."""
    counts = position_counts(decks)
    fits = [goodness.uniform_fit(row) for row in counts]
    n = decks.shape[1]
    return goodness.fitted(
        fits,
        labels=positions(n),
        null="multinomial with equal probabilities; X² is chi-square with n-1 degrees of freedom",
        detectable=goodness.describe_deviation(n - 1, len(decks)),
    )


def run_fullest(decks: Decks) -> TestResult:
    """The fullest cell of the card × position table: a card that keeps to one place shows in a few decks."""
    counts = position_counts(decks)
    n, size = decks.shape[1], len(decks)
    position, card = np.unravel_index(int(counts.argmax()), counts.shape)
    return TestResult(
        p_values=(goodness.fullest_cell(counts, size, 1 / n),),
        parameters={"position": int(position) + 1, "card": int(card)},
        statistic=float(counts.max()),
        null="exact binomial tail of each cell, Bonferroni over all cells (an upper bound)",
        discrete=True,
        detectable="a card that lies in one position in every deck"
        if size < 400
        else goodness.describe_count(size / n, "times in one cell"),
    )


def _by_group(expected: int, what: str) -> Callable[[DeckShoe], int | str]:
    def minimum(shoe: DeckShoe) -> int | str:
        groups = shoe.ranks if what == "ranks" else shoe.suits
        if not groups:
            return f"the cards have no {what} to compare"
        return -(-expected * shoe.cards // min(Counter(groups).values()))

    return minimum


# Expectations of ten and more: N/n a card, and N times its share of the cards a rank or a suit.
CARD_POSITION = (
    _by("card-position", a_cell(10), lambda shoe: range(shoe.cards)),
    _by("rank-position", _by_group(16, "ranks"), lambda shoe: shoe.ranks),
    _by("suit-position", _by_group(25, "suits"), lambda shoe: shoe.suits),
    plain("each-position", a_cell(10), run_each_position),
    plain("fullest-cell", 16, run_fullest),
)


# In a large shoe: neighbours everywhere, and all pairs among the positions that the first rounds use.
FIRST_POSITIONS = 20


def paired(cards: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The pairs of positions that are compared: all, or in a large shoe the neighbours and the first ones."""
    first, second = np.triu_indices(cards, 1)
    kept = (
        (second - first == 1) | (second < FIRST_POSITIONS) if cards > SMALL else np.ones(first.size, np.bool_)
    )
    return first[kept].astype(np.int64), second[kept].astype(np.int64)


def pair_labels(cards: int) -> tuple[str, ...]:
    """Labels of the pairs of positions, counted from one."""
    return tuple(f"positions {i + 1} and {j + 1}" for i, j in zip(*paired(cards), strict=True))


def pair_tables(decks: Decks, groups: tuple[int, ...]) -> NDArray[np.int64]:
    """How often a card of group a lay in the first and of group b in the second position: ``counts[pair, a, b]``."""
    first, second = paired(decks.shape[1])
    counts = np.zeros((first.size, max(groups) + 1, max(groups) + 1), dtype=np.int64)
    for columns in column_chunks(decks):
        kernels.pair_counts(grouped(columns, groups), first, second, counts)
    return counts


def pair_probabilities(groups: tuple[int, ...]) -> NDArray[np.float64]:
    """Probability of each ordered pair of groups in two positions of one deck."""
    cards, sizes = len(groups), np.bincount(groups)
    return (np.outer(sizes, sizes) - np.diag(sizes)) / (cards * (cards - 1))


def _by_card(shoe: DeckShoe, size: int) -> bool:
    return shoe.cards <= SMALL and size >= goodness.LEAST_EXPECTED * shoe.cards * (shoe.cards - 1)


def _fewest(shoe: DeckShoe) -> int | str:
    """Ten expectations in the rarest pair of ranks that can be; of cards, where they have no ranks."""
    groups = shoe.ranks or tuple(range(shoe.cards))
    if not shoe.ranks and shoe.cards > SMALL:
        return "the cards have no ranks to compare, and are too many to compare each"
    rarest = min(p for p in pair_probabilities(groups).flat if p > 0)
    return math.ceil(goodness.LEAST_EXPECTED / rarest - 1e-6)


def alike(decks: Decks, groups: tuple[int, ...]) -> tuple[str, float]:
    """The two positions that hold two cards of one group most or least often: their names, and a p-value for all."""
    counts = np.trace(pair_tables(decks, groups), axis1=1, axis2=2)
    law = np.full(counts.size, float(np.trace(pair_probabilities(groups))))
    return worst(two_sided(counts, len(decks), law), pair_labels(len(groups)))


def run_position_pairs(decks: Decks, shoe: DeckShoe) -> TestResult:
    """Ordered pairs of cards in pairs of positions: n(n-1) equally likely outcomes; and two ranks, or suits, alike.

    Below ten expectations a cell, and in large shoes, the ranks are compared instead of the cards. How often two
    positions hold one rank, or one suit, is binomial; Bonferroni over the pairs.

    Source: South Dakota 48:02:08:02(3) and GLI-19 3.2.4: values inside one draw, without replacement.
    """
    size = len(decks)
    by_card = _by_card(shoe, size)
    groups = tuple(range(shoe.cards)) if by_card else shoe.ranks
    tables = pair_tables(decks, groups)
    expected = size * pair_probabilities(groups)
    possible = expected > 0
    freedom = int(possible.sum()) - 1
    squares = np.square(tables[:, possible] - expected[possible]) / expected[possible]
    return TestResult(
        p_values=tuple(goodness.chi_square_tail(float(x), freedom) for x in squares.sum(axis=1)),
        labels=pair_labels(shoe.cards),
        parameters={"by": "card" if by_card else "rank"},
        degrees_of_freedom=freedom,
        null="multinomial over ordered pairs drawn without replacement; chi-square",
        detectable=goodness.describe_deviation(freedom, size, len(squares)),
    ).with_bounds(
        {
            f"{where}: {name} alike": p_value
            for name, groups in (("ranks", shoe.ranks), ("suits", shoe.suits))
            if groups and 1 < len(set(groups)) < shoe.cards
            for where, p_value in [alike(decks, groups)]
        }
    )


POSITION_PAIRS = (of_shoe("position-pairs", _fewest, run_position_pairs),)
