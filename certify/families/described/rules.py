"""A described game as its submission states it: turns, decisions and settlements, still as text."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Final, TypeAlias

from certify.analysis.hands.strength import HandKinds
from certify.by_key import gathered, summed

NO_BOUND: Final = 1 << 60
"""Above every number that can be read."""


class Measure(StrEnum):
    """What is read from the cards of places, one card after the other."""

    SUM = "sum"
    ALIKE = "alike"
    DIFFERENT = "different"
    HIGHEST = "highest"
    LOWEST = "lowest"
    SPREAD = "spread"
    NTH = "nth"
    LAST = "last"
    NUMBER = "number"
    HAND = "hand"
    MATCHES = "matches"


Numbers: TypeAlias = tuple[tuple[str, tuple[int, ...]], ...]
"""For each piece and face a number: what it counts, its label, or whether it is in a set."""


@dataclass(frozen=True, slots=True)
class Measurement:
    """A number that is read from the cards of places, in the order in which they come.

    Args:
        kind: What is read.
        words: What it is called, as written.
        places: Places by number; their cards count together.
        numbers: What each face counts here.
        number: Which card, of the n-th; what the sum is taken modulo, where it is.
        beside: Places whose cards are matched.
        order: How hands rank.
    """

    kind: Measure
    words: str
    places: tuple[int, ...]
    numbers: Numbers = ()
    number: int = 0
    beside: tuple[int, ...] = ()
    order: HandKinds | None = None


@dataclass(frozen=True, slots=True)
class Staked:
    """What was staked in addition on one stake, in whole units."""

    stake: str


@dataclass(frozen=True, slots=True)
class Within:
    """Whether a number is within bounds, both included."""

    reading: Measurement | Staked
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Against:
    """Whether a number is above, below or equal to another: ``sign`` is 1, -1 or 0."""

    one: Measurement
    sign: int
    other: Measurement


@dataclass(frozen=True, slots=True)
class Decided:
    """Whether an option was taken in this round."""

    option: str


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: "tuple[Condition, ...]"


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: "Condition"


Condition = Within | Against | Decided | All | Some | Not

Asked: TypeAlias = tuple[Any, ...]
"""A condition as stages read it: the reading, then places among the values that are kept, bounds or parts."""


def parts_of(condition: Condition) -> Iterator[Within | Against | Decided]:
    """Yields the tests of a condition, in the order written."""
    if isinstance(condition, All | Some):
        for part in condition.parts:
            yield from parts_of(part)
    elif isinstance(condition, Not):
        yield from parts_of(condition.part)
    else:
        yield condition


def readings_of(condition: Condition) -> Iterator[Measurement]:
    """Yields the readings that a condition rests on."""
    for part in parts_of(condition):
        if isinstance(part, Within) and isinstance(part.reading, Measurement):
            yield part.reading
        elif isinstance(part, Against):
            yield from (part.one, part.other)


UNSTATED: Final = -1
"""Number of a settlement that no submission states: what no condition names is lost."""


@dataclass(frozen=True, slots=True)
class Ending:
    """What happens to a wager when a condition holds: it ends in a row, or goes on in a stage."""

    number: int
    wager: int
    after: str
    when: Condition | Asked
    row: str
    then: str


def lost_at_once(endings: Sequence[Ending]) -> list[Ending]:
    """Returns for each stage of each wager of a game of one turn that it is lost where no condition of it holds."""
    stages = gathered(
        ((one.wager, one.after), one.when) for one in endings if not isinstance(one.when, tuple)
    )
    return [
        Ending(UNSTATED, wager, after, Not(Some(tuple(held))), LOSE, "")
        for (wager, after), held in stages.items()
    ]


def drawn_of(dealt: Iterable[tuple[str, str, int, bool]]) -> Mapping[str, int]:
    """Returns how many draws each place shows of what one turn deals: place, piece, count, and whether covered.

    >>> dict(drawn_of([("cup", "dice", 3, False), ("cup", "dice", 2, False)]))
    {'cup': 5}
    """
    return summed((place, count) for place, _, count, _ in dealt)


LOSE: Final = "lose"
"""The row of a wager that no condition names: the stake is lost."""

END: Final = "end"
"""Where a round leads that is over: what is not settled by then is lost."""

PLAYER: Final = "player"
"""Who decides where nothing else is stated."""


NOT_COUNTED: Final = {
    **dict.fromkeys(
        ("multiplies", "multiplier", "multipliers", "times"),
        "a win that is multiplied on the way is not counted: missing are pays by what was drawn (HiLo, a wheel whose "
        "multipliers spin again); where the number of steps alone decides, each step has a row, as in mines",
    ),
    **dict.fromkeys(
        ("arranges", "sets", "house_way"),
        "cards that are set in two hands are not counted: missing is which cards of a deal go where (Pai Gow)",
    ),
}
"""Keys that games of cards have elsewhere, each with what is missing here."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One ``[[each_turn]]``: what is put away, turned up and dealt, and where the round leads then.

    Args:
        id: Id of the turn.
        deals: What is dealt, such as ``2 to player`` or ``1 to dealer covered from shoe``.
        shows: Covered cards that are turned up, such as ``dealer`` or ``1 of board``.
        clears: Places whose cards are put away first.
        seat: Who decides.
        sees: Places that the seat looks at, and ``stakes``; everything open where left out.
        then: The turn that follows; the next one of the file where left out.
    """

    NOT_SUPPORTED: ClassVar = NOT_COUNTED

    id: str
    deals: list[str] = field(default_factory=list)
    shows: list[str] = field(default_factory=list)
    clears: list[str] = field(default_factory=list)
    seat: str = PLAYER
    sees: list[str] = field(default_factory=list)
    then: str = ""


@dataclass(frozen=True, slots=True)
class Lead:
    """One ``[[turn_leads]]``: where a turn leads when a condition holds; the first that holds decides.

    Args:
        after: Turn that has ended.
        when: Condition under which it leads there.
        to: Turn that follows.
    """

    after: str
    when: str
    to: str


@dataclass(frozen=True, slots=True)
class Offer:
    """One ``[[may_decide]]``: an option of a decision, the least committing one first.

    Args:
        at: Turn after which it is offered.
        option: Id of the option.
        stakes: What it stakes in addition, such as ``1 on raise``.
        when: When it is offered; always where left out.
        to: Where the round leads then; as the turn leads where left out.
        wager: The wager that it adds to or settles; the first one where left out.
        row: Row in which that wager ends by it.
        returns: What comes back of the stake then, where the paytable does not name the row.
    """

    NOT_SUPPORTED: ClassVar = NOT_COUNTED

    at: str
    option: str
    stakes: list[str] = field(default_factory=list)
    when: str = "always"
    to: str = ""
    wager: str = ""
    row: str = ""
    returns: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedSettling:
    """One ``[[settled_by]]``: in which row a wager ends, or in which stage it goes on, when a condition holds.

    Args:
        wager: Id of the wager.
        when: Condition under which it is settled.
        row: Row in which it ends.
        returns: Part of the stake that comes back, where no row of the paytable says it.
        after: Stage in which the wager is; the first where left out.
        then: Stage in which it goes on, instead of an end.
    """

    wager: str
    when: str
    row: str = ""
    returns: str = ""
    after: str = ""
    then: str = ""


@dataclass(frozen=True, slots=True)
class SettledBy(SubmittedSettling):
    """One ``[[settled_by]]``: in which row a wager ends, or in which stage it goes on, when a condition holds.

    Args:
        at: Turns after which this is decided; the last of the file where left out.
        besides: How further stakes end that do not end as the row, such as ``raise returned``, ``raise lost`` or
            ``raise as blind``.
    """

    NOT_SUPPORTED: ClassVar = NOT_COUNTED

    at: list[str] = field(default_factory=list)
    besides: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bonus:
    """One ``[[paid_besides]]``: a row that is paid on the first stake of a wager however the wager ends.

    Args:
        wager: Id of the wager.
        when: Condition under which it is paid.
        row: Row of the paytable that is paid.
        at: Turns after which it is looked at; the end of the round where left out.
    """

    wager: str
    when: str
    row: str
    at: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Group:
    """One ``[[face_groups]]``: faces, ranks, suits or spans of numbers under one name.

    Args:
        id: Name of the group, as conditions write it.
        piece: Id of the equipment.
        faces: Its faces.
    """

    id: str
    piece: str
    faces: list[str]


@dataclass(frozen=True, slots=True)
class Worth:
    """One ``[[face_worth]]``: what some faces count; a table has a name where a game has several.

    Args:
        piece: Id of the equipment.
        faces: Faces that count so.
        counts: What each of them counts.
        table: Name of the table, where a game has several.
    """

    piece: str
    faces: list[str]
    counts: str
    table: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """One ``[[hand_rankings]]``: kinds of hands of so many cards, from the lowest.

    Args:
        id: Name of the ranking, as conditions write it.
        cards: How many cards a hand has.
        order: Kinds of hands, from the lowest.
        wild: Ranks or cards that are wild.
        joker: What a joker stands for.
    """

    id: str
    cards: str
    order: list[str]
    wild: list[str] = field(default_factory=list)
    joker: str = ""


@dataclass(frozen=True, slots=True)
class DescribedRules:
    """A game as its submission describes it; what is written there means nothing before it is read.

    Args:
        turns: Turns, the first one first.
        leads: Where turns lead.
        offers: What may be decided.
        settlings: How wagers are settled.
        bonuses: What is paid in addition.
        groups: Named faces.
        worths: What faces count.
        rankings: Named rankings of hands.
        wagers: Ids of the wagers as submitted.
        one_turn: Whether one turn is drawn again and again until every wager is settled, as in games of one draw: a
            wager that no condition of its stage names is lost at once.
    """

    turns: tuple[Turn, ...] = ()
    leads: tuple[Lead, ...] = ()
    offers: tuple[Offer, ...] = ()
    settlings: tuple[SettledBy, ...] = ()
    bonuses: tuple[Bonus, ...] = ()
    groups: tuple[Group, ...] = ()
    worths: tuple[Worth, ...] = ()
    rankings: tuple[Ranking, ...] = ()
    wagers: tuple[str, ...] = ()
    one_turn: bool = False

    def __hash__(self) -> int:
        """Returns a number that equal rules share."""
        return hash((self.wagers, len(self.turns), len(self.settlings), repr(self.turns[:2])))
