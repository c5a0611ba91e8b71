"""What the stages of a described game look at: its readings as they are kept, and its turns."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from certify.analysis.hands.strength import HandKinds
from certify.families.described.drawing import Drawing
from certify.families.described.reading import ReadOption
from certify.families.described.rules import Asked, Ending, Measure
from certify.model import Option, Plain

WITHIN, STAKED, AGAINST, TAKEN, EVERY, ANY, NO = range(7)
"""What a condition asks, as stages ask it."""

KEEP, RESET, REDUCE, DROP = range(4)
"""What happens to a reading when a turn begins."""


@dataclass(frozen=True, slots=True)
class Register:
    """A reading as it is kept.

    Args:
        kind: What is read.
        word: What it is called where its place is named, empty where a card itself is named.
        attribute: Attribute of a card that it adds.
        number: Which card, what the sum is taken modulo, or 1 where a card that others are matched with comes late.
        order: How hands rank.
        suits: For a hand whether suits decide: 0 no, 1 until they cannot, 2 as long as cards come, 3 of every card, as
            long as so many of the suit may come as are a flush.
        cuts: Numbers from which conditions change their answer; none where the number is compared with another.
        names: Names of numbers and labels.
        places: Names of the places.
        most: Cards of such a hand, at most.
        flush: Cards of one suit that are a flush; more than come where none is ranked.
    """

    kind: Measure
    word: str
    attribute: str
    number: int
    order: HandKinds | None
    suits: int
    cuts: tuple[int, ...] | None
    names: tuple[tuple[int, str], ...]
    places: str
    most: int = 0
    flush: int = 0

    def __hash__(self) -> int:
        """Returns a number that equal readings share, found at once: they are looked up a million times."""
        return hash((self.places, self.word, self.attribute, self.number))


@dataclass(frozen=True, slots=True)
class Step:
    """A turn as the stages play it.

    Args:
        id: Its id.
        begins: For each reading what happens to it first.
        lost: Wagers that nothing settles from here on.
        draws: What is drawn, in order.
        endings: What is required of wagers, by wager.
        bonuses: What is required of bonuses.
        choices: What may be decided.
        options: The same as options.
        seat: Who decides.
        ends: Readings that get no more cards and that nobody sees once everything of the turn was dealt.
        sees: Readings that the seat looks at.
        stakes: Whether it looks at what it has staked.
        leads: Where the round goes.
    """

    id: str
    begins: tuple[int, ...]
    lost: tuple[int, ...]
    draws: tuple[Drawing, ...]
    endings: tuple[Ending, ...]
    bonuses: tuple[Ending, ...]
    choices: tuple[ReadOption, ...]
    options: tuple[Option, ...]
    seat: str
    ends: tuple[int, ...]
    sees: tuple[int, ...]
    stakes: bool
    leads: tuple[tuple[Asked, int], ...]


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that the stages of a described game look at.

    Args:
        wagers: Ids of the wagers.
        offered: Places of the wagers that are bet on; which are changes no draw and no decision.
        registers: Readings, by place.
        steps: Turns.
        stakes: Further stakes with the places of their wagers.
        options: Ids of options that conditions ask for.
        kept_stakes: Further stakes that conditions ask for.
        stakes_seen: Whether some seat looks at what is staked: then it is counted for wagers that are not bet on too,
            so that which wagers are bet on changes nothing that is seen.
        told: Whether what is seen names the turn.
        stakes_at: Where units of further stakes stand among what is kept; readings stand before.
        options_at: The place of the options taken.
        wagers_at: The place of the stage of each wager, none of one that is settled.
        bonuses_at: The place of the bonus of each wager.
    """

    wagers: tuple[str, ...]
    offered: tuple[int, ...]
    registers: tuple[Register, ...]
    steps: tuple[Step, ...]
    stakes: tuple[tuple[str, int], ...]
    options: tuple[str, ...]
    kept_stakes: tuple[str, ...]
    stakes_seen: bool
    told: bool
    stakes_at: int
    options_at: int
    wagers_at: int
    bonuses_at: int

    def __hash__(self) -> int:
        """Returns a number that equal programs share, found at once: stages are called a million times."""
        return hash((self.wagers, self.wagers_at))


_EMPTY: Final[Mapping[Measure, Plain]] = {
    Measure.ALIKE: (),
    Measure.DIFFERENT: (),
    Measure.NTH: (0, None),
    Measure.SPREAD: (None, None),
    Measure.SUM: 0,
    Measure.NUMBER: 0,
}
"""Readings before a card came; of what is not named here nothing."""


def initial(register: Register) -> Plain:
    """Returns a reading before a card came."""
    if register.kind is Measure.HAND:
        return () if register.suits == 3 else ((), None if register.suits else "")
    if register.kind is Measure.MATCHES:
        return ((), () if register.number else 0)
    return _EMPTY.get(register.kind)
