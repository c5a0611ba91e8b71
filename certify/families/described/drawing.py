"""What each turn draws, what one draw adds to, and how many of what is not put back can come."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from certify.by_key import unchanging
from certify.families.described.rules import END, DescribedRules, Measure, Measurement
from certify.model import Equipment, Kind

Dealt = tuple[str, str, int, bool]
"""Place, piece, count and whether they lie covered, of one entry of a turn."""
Refuse = Callable[[tuple[str | int, ...], str], None]

_SHOWS: Final = re.compile(r"(?:(\d{1,3}) of )?(\S+)", re.ASCII)

HOW: Final = {
    Kind.WHEEL: "spins",
    Kind.REEL: "stops",
    Kind.DICE: "throws",
    Kind.BALLS: "draws",
    Kind.SHOE: "is dealt",
}
"""What happens at a draw, for sentences."""


class Drawing(NamedTuple):
    """One draw of a turn.

    Args:
        holder: Who gets what is drawn.
        piece: What is drawn from.
        how: What happens, for sentences.
        adds: Readings that the card adds to.
        matched: Readings whose cards are matched with it.
        bounds: Readings that count items which are not put back: the reading, others that count a part of these each,
            and how many of the rest there are.
    """

    holder: str
    piece: str
    how: str
    adds: tuple[int, ...]
    matched: tuple[int, ...]
    bounds: tuple[tuple[int, tuple[int, ...], int], ...] = ()

    @property
    def changes(self) -> tuple[int, ...]:
        """Readings that the card changes."""
        return (*self.adds, *(number for number in self.matched if number not in self.adds))


def bounds(
    piece: Equipment, place: int, readings: Mapping[int, Measurement]
) -> Iterator[tuple[int, tuple[int, ...], int]]:
    """Yields how many of some items can come where none is put back: what is beyond need not be walked.

    Args:
        piece: What is drawn from.
        place: Where its items lie.
        readings: The readings that a draw adds to, by number.
    """
    if piece.replaced:
        return
    sets: dict[int, frozenset[int]] = {}
    for number, reading in readings.items():
        numbers = dict(reading.numbers).get(piece.id, ())
        own = reading.kind is Measure.SUM and reading.places == (place,) and not reading.number
        if own and len(reading.numbers) == 1 and set(numbers) <= {0, 1}:
            sets[number] = frozenset(face for face, counts in enumerate(numbers) if counts)
    for number, faces in sets.items():
        inner: list[int] = []
        left = faces
        for other in sorted(sets, key=lambda one: (-len(sets[one]), one)):
            if sets[other] < faces and sets[other] <= left:
                inner.append(other)
                left -= sets[other]
        yield number, tuple(inner), sum(piece.copies[face] for face in left)


def drawn_at(
    rules: DescribedRules, dealt: Sequence[Sequence[Dealt]], refuse: Refuse
) -> list[tuple[tuple[str, str], ...]]:
    """Returns place and piece of each draw of each turn: which card is covered is drawn once it is turned up.

    What is covered is followed from turn to turn as the round goes. Where two ways lead to a turn with other cards
    covered, and these are turned up from there on, how many that are would depend on the way: it is refused.
    """
    course = _Course(rules, dealt, refuse)
    waiting = [0] if dealt else []
    while waiting:
        here = waiting.pop()
        left = course.act(here, course.lying[here] or {})
        for to in course.following(here):
            if course.lying[to] is None:
                course.lying[to] = left
                waiting.append(to)
            else:
                course.compare(to, left)
    return [course.drawn.get(number, _open(entries)) for number, entries in enumerate(dealt)]


class _Course:
    """Covered cards, from turn to turn."""

    def __init__(self, rules: DescribedRules, dealt: Sequence[Sequence[Dealt]], refuse: Refuse) -> None:
        self.rules, self.dealt, self.refuse = rules, dealt, refuse
        self.order = [turn.id for turn in rules.turns]
        self.lying: list[dict[str, tuple[str, ...]] | None] = [None] * len(dealt)
        if dealt:
            self.lying[0] = {}
        self.drawn: dict[int, tuple[tuple[str, str], ...]] = {}
        self.told: set[tuple[int, str]] = set()
        self.shown_later = self._shown_later()

    def following(self, number: int) -> list[int]:
        """Returns the turns that may follow one."""
        turn = self.rules.turns[number]
        offers = [offer for offer in self.rules.offers if offer.at == turn.id]
        leads = [lead.to for lead in self.rules.leads if lead.after == turn.id]
        chosen = [offer.to for offer in offers]
        # Where something is always decided and every option says where it leads, the turn itself leads nowhere.
        if not (chosen and all(chosen) and any(offer.when == "always" for offer in offers)):
            leads.append(turn.then or [*self.order, END][number + 1])
        return [self.order.index(to) for to in dict.fromkeys((*leads, *chosen)) if to in self.order]

    def _shown_later(self) -> list[set[str]]:
        """Returns the places of which each turn, or one after it, turns up what lay covered before it."""
        shows = [
            {found[2] for text in turn.shows if (found := _SHOWS.fullmatch(text))}
            for turn in self.rules.turns
        ]

        def ahead(later: list[set[str]]) -> list[set[str]]:
            return [
                shows[number].union(*(later[to] for to in self.following(number))) - set(turn.clears)
                for number, turn in enumerate(self.rules.turns)
            ]

        return unchanging([set() for _ in self.order], ahead)

    def act(self, number: int, before: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """Returns what is covered after a turn, and keeps what it draws."""
        turn = self.rules.turns[number]
        lying = {place: pieces for place, pieces in before.items() if place not in turn.clears}
        own: list[tuple[str, str]] = []
        for entry, text in enumerate(turn.shows):
            key = ("each_turn", number, "shows", entry)
            found = _SHOWS.fullmatch(text)
            there = lying.get(found[2], ()) if found else ()
            if found is None or not there:
                known = ", ".join(place for place, pieces in lying.items() if pieces) or "no place"
                self.refuse(key, f'"{text}": nothing is covered there, expected {known}')
                continue
            count = int(found[1] or len(there))
            if not 1 <= count <= len(there):
                self.refuse(key, f'"{text}": {len(there)} lie covered there')
            own += [(found[2], piece) for piece in there[:count]]
            lying[found[2]] = there[count:]
        self.drawn[number] = (*own, *_open(self.dealt[number]))
        for place, piece, count, hidden in self.dealt[number]:
            if hidden:
                lying[place] = (*lying.get(place, ()), *[piece] * count)
        return {place: pieces for place, pieces in lying.items() if pieces}

    def compare(self, number: int, came: Mapping[str, tuple[str, ...]]) -> None:
        """Refuses a turn that is come to with other cards covered than by another way, where they are turned up."""
        first = self.lying[number] or {}
        for place in sorted(self.shown_later[number]):
            one, other = len(first.get(place, ())), len(came.get(place, ()))
            if first.get(place) != came.get(place) and (number, place) not in self.told:
                self.told.add((number, place))
                numbers = f"{one} or {other} cards" if one != other else "cards of other pieces"
                self.refuse(
                    ("each_turn", number, "id"),
                    f'{numbers} lie covered at {place} when turn "{self.order[number]}" begins, as ways lead there, '
                    "and are turned up from there on: expected the same by every way",
                )


def _open(entries: Sequence[Dealt]) -> tuple[tuple[str, str], ...]:
    """Returns what a turn deals open."""
    return tuple(
        (place, piece) for place, piece, count, hidden in entries if not hidden for _ in range(count)
    )
