"""The rows of a slot's paytable, as they follow from what its tables pay."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Final

from certify.families.slot.rules import BASE, ScatterPay, SlotRules, award_unit
from certify.model import Paytable, PaytableRow

NOTHING: Final = "nothing"
BELOW_BET: Final = "win-below-1"

BANDS: Final = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
"""Where the bands of wins begin, in total bets; a band reaches up to the next one, that one left out."""

CLASSES: Final = (NOTHING, BELOW_BET, *(f"win-from-{edge}" for edge in BANDS))
"""What rounds are called that begin no feature."""

LIMIT: Final = "limit"
"""Row under which a limit on the win takes away what is above it."""

MULTIPLIED: Final = "multiplied-window"
"""Row under which a window adds what its full reels, or the fall that it came by, multiply its line wins by."""

AND: Final = "+"
"""Between the features that one spin has begun."""


def outcome_of(won: Fraction, begun: Iterable[str] = ()) -> str:
    """Returns the outcome of a round: the features that its paid spin began, or else the band of its win.

    Args:
        won: Everything that the round won, in total bets.
        begun: Ids of the features that the paid spin began, in the order of the rules.

    >>> [outcome_of(Fraction(won, 4)) for won in (0, 1, 4, 7, 20_000)]
    ['nothing', 'win-below-1', 'win-from-1', 'win-from-1', 'win-from-5000']
    >>> outcome_of(Fraction(2), ["free-games"])
    'free-games'
    """
    features = AND.join(begun)
    if features:
        return features
    if won < BANDS[0]:
        return BELOW_BET if won else NOTHING
    return f"win-from-{max(edge for edge in BANDS if edge <= won)}"


def base_features(rules: SlotRules) -> tuple[str, ...]:
    """Returns the features that a paid spin can begin, in the order of the rules."""
    games = tuple(one.id for one in rules.free_games if BASE in one.begins_in)
    return (*games, *(one.id for one in rules.bonuses if BASE in one.begins_in))


def outcome_ids(rules: SlotRules) -> tuple[str, ...]:
    """Returns every outcome of a round: bands, then features and what of them one spin may begin together."""
    features = base_features(rules)
    begun = (
        AND.join(some) for number in range(1, len(features) + 1) for some in combinations(features, number)
    )
    return (*CLASSES, *begun)


Lines = Callable[[tuple[str | int, ...]], int]
"""Line of the submission of a key."""


def paytable_of(rules: SlotRules, line: Lines = lambda key: 0) -> Paytable:
    """Returns every row that pays, as an award in total bets, before multipliers; features pay rows of their own."""
    return Paytable(tuple(_placed(rules, line)))


@lru_cache(maxsize=64)
def row_ids(rules: SlotRules) -> tuple[str, ...]:
    """Returns the ids of all rows in printed order."""
    return paytable_of(rules).ids


def added_rows(rules: SlotRules) -> tuple[str, ...]:
    """Returns the rows of awards that stand in no table of pays."""
    multiplied = (MULTIPLIED,) if rules.full_reels or rules.cascades else ()
    limited = () if rules.most is None else (LIMIT,)
    return (*multiplied, *limited, *(bonus.id for bonus in rules.bonuses))


def _placed(rules: SlotRules, line: Lines) -> list[PaytableRow]:
    made: dict[str, PaytableRow] = {}

    def add(row: str, title: str, coins: int, at: int) -> None:
        if coins:
            made.setdefault(row, PaytableRow(row, title, Fraction(coins, rules.cost), line=at))

    for n, one in enumerate(rules.line_pays):
        for count, pays in enumerate(one.pays, start=1):
            add(f"{one.id}-{count}", f"{count} {one.id}", pays * rules.line_bet, line(("line_pays", n)))
    for n, pattern in enumerate(rules.patterns):
        title = " ".join("|".join(cell) or "any" for cell in pattern.cells)
        add(pattern.id, title, pattern.pays * rules.line_bet, line(("pattern_pays", n)))
    for n, scatter in enumerate(rules.scatter_pays):
        for count, pays in enumerate(scatter.pays, start=1):
            coins = pays * award_unit(rules, scatter.per)
            add(
                scatter_row(scatter, count),
                f"{count} {scatter.id} anywhere",
                coins,
                line(("scatter_pays", n)),
            )
    return list(made.values())


def scatter_row(scatter: ScatterPay, count: int) -> str:
    """Returns the id of the row of so many scatters."""
    return f"{scatter.id}-{min(count, len(scatter.pays))}"
