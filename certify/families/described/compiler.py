"""Makes a described game into what its stages look at: what each moment must keep, and nothing more.

Kept are readings: a reading that no later condition asks for is dropped, and one that gets no more cards and that
nobody sees is reduced to what conditions still ask of it. Cards are kept only where a seat needs them to play best.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from math import comb
from typing import Final

from certify.by_key import reached, summed
from certify.errors import InputError
from certify.families.described.compiled_game import (
    AGAINST,
    ANY,
    DROP,
    EVERY,
    KEEP,
    NO,
    REDUCE,
    RESET,
    STAKED,
    TAKEN,
    WITHIN,
    Program,
    Register,
    Step,
)
from certify.families.described.drawing import HOW, Drawing, bounds
from certify.families.described.reading import Described, ReadOption, ReadTurn
from certify.families.described.rules import (
    Against,
    All,
    Asked,
    Condition,
    Decided,
    Measure,
    Measurement,
    Not,
    Some,
    Staked,
    Within,
    parts_of,
    readings_of,
)
from certify.model import Equipment, Option

MOST_SHOWDOWN: Final = 5
"""Cards of two hands that are compared, at most."""

MOST_KEPT: Final = 500_000
"""Deals that are kept card by card where the best of more cards than a hand has is looked for, at most."""

MOST_CARDS: Final = 12
"""Cards of one hand, at most: the best of more are not looked for."""


class TooManyDealsError(InputError):
    """Whole hands are used whose deals are too many to be walked one by one."""


class Compiler:
    """Finds what every moment of a described game must keep.

    Args:
        found: The game as read.
        equipment: What it is dealt from.
        offered: Wagers that are bet on.
        whole: Whether hands are not walked card by card, so that their deals may be many.
        cards: Whether who decides sees every open card, not only the readings of them that conditions ask for.
    """

    def __init__(
        self,
        found: Described,
        equipment: Sequence[Equipment],
        offered: Sequence[str],
        *,
        whole: bool = False,
        cards: bool = False,
    ) -> None:
        self.found, self.equipment = found, {piece.id: piece for piece in equipment}
        self.whole = whole
        self.offered = tuple(place for place, wager in enumerate(found.wagers) if wager in offered)
        self.turns = found.turns
        self.following = [turn.following for turn in self.turns]
        self.conditions = [tuple(_conditions(turn)) for turn in self.turns]
        asked = [
            reading for conditions in self.conditions for one in conditions for reading in readings_of(one)
        ]
        self.readings = tuple(dict.fromkeys(asked))
        self.cards: dict[int, int] = {}
        if cards:
            self._see_cards()
        self.place = {reading: number for number, reading in enumerate(self.readings)}
        self._reached, self._cleared = cache(self._following), cache(self._clearing)
        self.asked_at = cache(self._asked_at)
        self.live = self._live()
        tests = [part for conditions in self.conditions for one in conditions for part in parts_of(one)]
        self.options = tuple(dict.fromkeys(test.option for test in tests if isinstance(test, Decided)))
        self.compared = {one for test in tests if isinstance(test, Against) for one in (test.one, test.other)}
        self.edges: dict[Measurement | Staked, set[int]] = {}
        for test in tests:
            if isinstance(test, Within):
                self.edges.setdefault(test.reading, set()).update((test.low, test.high + 1))
        staked = [test.reading for test in tests if isinstance(test, Within)]
        self.kept_stakes = tuple(dict.fromkeys(one.stake for one in staked if isinstance(one, Staked)))

    def _see_cards(self) -> None:
        """Adds the open cards that each deciding seat sees as readings, by the classes that conditions tell apart."""
        suits = any(one.order is not None and one.order.go_by_suits for one in self.readings)
        classes: dict[tuple[object, ...], int] = {}
        numbers = tuple(
            (
                piece.id,
                tuple(
                    classes.setdefault(
                        (
                            piece.replaced,
                            face.partition(" of ")[2] if suits else "",
                            *(dict(one.numbers).get(piece.id, (0,) * (at + 1))[at] for one in self.readings),
                        ),
                        len(classes),
                    )
                    for at, face in enumerate(piece.faces)
                ),
            )
            for piece in self.equipment.values()
        )
        dealt = {
            place for turn in self.turns for place, piece in turn.draws if not self.equipment[piece].replaced
        }
        for number, turn in enumerate(self.turns):
            places = tuple(sorted(dealt if turn.sees is None else dealt & turn.sees))
            if turn.choices and places:
                seen = Measurement(Measure.ALIKE, "open cards", places, numbers)
                self.readings = tuple(dict.fromkeys((*self.readings, seen)))
                self.cards[number] = self.readings.index(seen)

    # --- what is read when ---

    def _asked_at(self, turn: int) -> set[int]:
        """Returns the readings that conditions after a turn ask for, and the cards that its decision sees."""
        readings = (reading for one in self.conditions[turn] for reading in readings_of(one))
        asked = {self.place[reading] for reading in readings}
        return asked | ({self.cards[turn]} if turn in self.cards else set())

    def _clearing(self, turn: int) -> set[int]:
        gone = self.turns[turn].clears
        found = set()
        for number, reading in enumerate(self.readings):
            if number in self.cards.values():
                continue  # Cards that were open stay seen when they leave the table.
            own = {*reading.places, *reading.beside}
            if own & gone and not own <= gone:
                raise InputError(
                    f'turn "{self.turns[turn].id}" clears a part of what "{reading.words}" reads: expected all of its '
                    "places to be cleared together"
                )
            if own & gone:
                found.add(number)
        return found

    def _live(self) -> list[set[int]]:
        """Returns the readings that are needed after each turn."""
        after: list[set[int]] = [set() for _ in self.turns]
        for turn, wanted in enumerate(after):
            for reading in range(len(self.readings)):
                going = partial(self._going, through=reading)
                if any(reading in self.asked_at(to) for to in reached(going(turn), going)):
                    wanted.add(reading)
        return after

    def _going(self, turn: int, through: int | None = None) -> list[int]:
        """Returns the turns that follow one at once, those left out that clear a reading."""
        return [to for to in self.following[turn] if through is None or through not in self._cleared(to)]

    def _following(self, turn: int, through: int | None = None) -> set[int]:
        """Returns a turn and those that can follow it; beyond turns that clear a reading nothing of it matters."""
        return set(reached([turn], partial(self._going, through=through)))

    def _dealt_to(self, turn: int, reading: Measurement) -> bool:
        own = {*reading.places, *reading.beside}
        return any(place in own for place, _ in self.turns[turn].draws)

    def _seen(self, turn: int) -> tuple[int, ...]:
        """Returns the readings that a decision looks at."""
        here = self.turns[turn]
        if not here.choices:
            return ()
        wanted = self.live[turn] | {
            self.place[reading]
            for one in here.choices
            if not isinstance(one.when, tuple)
            for reading in readings_of(one.when)
        }
        wanted = wanted - set(self.cards.values()) | ({self.cards[turn]} if turn in self.cards else set())
        # A hand is seen by its cards: a place of it without an open card hides nothing.
        opened = {
            place for at, one in enumerate(self.turns) if turn in self._reached(at) for place, _ in one.draws
        }
        seen = [
            number
            for number in sorted(wanted)
            for reading in (self.readings[number],)
            for places in ({*reading.places, *reading.beside},)
            if here.sees is None
            or places <= here.sees
            or (reading.kind is Measure.HAND and set() < places & opened <= here.sees)
        ]
        hands = [self.readings[number] for number in seen if self.readings[number].kind is Measure.HAND]
        ends = {
            (self.readings[number].kind, self.readings[number].places, self.readings[number].numbers)
            for number in seen
        }
        seen = [
            number
            for number in seen
            if self.readings[number].kind is not Measure.SPREAD
            or not all(
                (kind, self.readings[number].places, self.readings[number].numbers) in ends
                for kind in (Measure.LOWEST, Measure.HIGHEST)
            )
        ]
        return tuple(number for number in seen if not self._explained_by(self.readings[number], hands))

    def _explained_by(self, reading: Measurement, hands: Sequence[Measurement]) -> bool:
        """Returns whether a hand that is seen says all that a reading does."""
        if reading.kind is Measure.HAND or reading.kind in (Measure.NTH, Measure.LAST, Measure.MATCHES):
            return (
                any(hand.places == reading.places for hand in hands[: hands.index(reading)])
                if reading in hands
                else False
            )
        for hand in hands:
            if hand.places == reading.places and all(
                _goes_by(numbers, dict(hand.numbers)[piece]) for piece, numbers in reading.numbers
            ):
                return True
        return False

    def _begins(self, turn: int) -> Iterator[int]:
        kept = (self.asked_at(turn) | self.live[turn]) - self._cleared(turn)
        for number, reading in enumerate(self.readings):
            ahead = self._reached(turn, number)
            if number in self._cleared(turn):
                yield RESET
            elif number not in kept:
                yield RESET if any(self._dealt_to(to, reading) for to in ahead) else DROP
            elif any(self._dealt_to(to, reading) or number in self._seen(to) for to in ahead):
                yield KEEP
            else:
                yield REDUCE

    def _ends(self, turn: int) -> tuple[int, ...]:
        """Returns the readings that get no more cards and that nobody sees from the end of a turn's dealing on."""
        found = []
        for number, reading in enumerate(self.readings):
            after = {
                one
                for to in self.following[turn]
                if number not in self._cleared(to)
                for one in self._reached(to, number)
            }
            again = any(self._dealt_to(to, reading) or number in self._seen(to) for to in after)
            if (
                number in self.asked_at(turn) | self.live[turn]
                and not again
                and number not in self._seen(turn)
            ):
                found.append(number)
        return tuple(found)

    # --- registers ---

    def register(self, number: int) -> Register:
        """Returns how a reading is kept."""
        reading = self.readings[number]
        places = " with ".join(self.found.places[place] for place in reading.places)
        if number in self.cards.values():
            places = reading.words
        suits = self._suits(reading)
        most = self._most_cards(reading) if suits == 3 else 0
        flush = reading.order.cards if reading.order and reading.order.go_by_suits else most + 1
        return Register(
            reading.kind, self._word(reading), f"m{number}", self._matched_late(reading) or reading.number,
            reading.order, suits, self._cuts(reading), self._names(reading), places, most, flush,
        )  # fmt: skip

    def _matched_late(self, reading: Measurement) -> int:
        """Returns 1 where a card that others are matched with may come after these: all are kept until then."""
        number = self.place[reading]
        for turn, here in enumerate(self.turns):
            places = [place for place, _ in here.draws]
            first = next((at for at, place in enumerate(places) if place in reading.places), None)
            if reading.beside and first is not None:
                ahead = {
                    to
                    for after in self.following[turn]
                    if number not in self._cleared(after)
                    for to in self._reached(after, number)
                }
                later = [*places[first:], *(place for to in ahead for place, _ in self.turns[to].draws)]
                if any(place in reading.beside for place in later):
                    return 1
        return 0

    def _suits(self, reading: Measurement) -> int:
        if reading.order is None:
            return 0
        most = self._most_cards(reading)
        if most > MOST_CARDS:
            raise InputError(
                f'"{reading.words}": more than {MOST_CARDS} cards may come there, expected fewer or "clears"'
            )
        if most > reading.order.cards:
            # All but the last card are kept, each by itself: which five are best is known at the end.
            kept = comb(min(len(self.equipment[piece].faces) for piece, _ in reading.numbers), most - 1)
            if kept > MOST_KEPT and not self.whole:
                raise TooManyDealsError(
                    f'"{reading.words}": the best {reading.order.cards} of {most} cards, {kept:,} deals of which would '
                    f"be kept one by one, expected at most {MOST_KEPT:,}: a hand of as many cards as it ranks, or a "
                    "smaller deck"
                )
            return 3
        return 0 if not reading.order.go_by_suits else 1 if reading.number else 2

    def _most_cards(self, reading: Measurement) -> int:
        """Returns the most cards that come to the places of a reading before they are cleared; loops count as many."""
        number = self.place.get(reading, -1)
        total = 0
        for turn in range(len(self.turns)):
            dealt = sum(place in reading.places for place, _ in self.turns[turn].draws)
            again = any(
                turn in self._reached(to, number)
                for to in self.following[turn]
                if number not in self._cleared(to)
            )
            total += dealt * (MOST_CARDS if again and number not in self._cleared(turn) else 1)
        cleared = any(number in self._cleared(turn) for turn in range(len(self.turns)))
        if cleared:
            # Between two clearings at most what the turns in between deal; the largest turn that clears counts alone.
            total = max(
                sum(
                    sum(place in reading.places for place, _ in self.turns[to].draws)
                    for to in self._reached(turn, number)
                )
                for turn in range(len(self.turns))
            )
        return total

    def _cuts(self, reading: Measurement) -> tuple[int, ...] | None:
        return None if reading in self.compared else tuple(sorted(self.edges.get(reading, ())))

    def _word(self, reading: Measurement) -> str:
        """Returns what a reading is called next to its places: a number alone where one card shows it."""
        if reading.kind in (Measure.SUM, Measure.HIGHEST, Measure.LOWEST) and self._most_cards(reading) == 1:
            return "" if self._names(reading) else reading.kind
        if reading.beside:
            return " with ".join(self.found.places[place] for place in reading.beside)
        return reading.words.partition(" of ")[0].partition(" in ")[0]

    def _names(self, reading: Measurement) -> tuple[tuple[int, str], ...]:
        """Returns the names of numbers: ranks where each is one, else faces."""
        if reading.kind in (Measure.NUMBER, Measure.HAND, Measure.SPREAD):
            return ()
        if reading.kind is Measure.SUM and self._most_cards(reading) > 1:
            return ()
        names: dict[int, dict[str, None]] = {}
        for piece, numbers in reading.numbers:
            for face, number in zip(self.equipment[piece].faces, numbers, strict=True):
                names.setdefault(number, {})[face] = None
        for part in (0, 2):
            parts = {
                number: {face.partition(" of ")[part] for face in faces} for number, faces in names.items()
            }
            if (
                all(len(own) == 1 for own in parts.values())
                and len(set(map(tuple, parts.values()))) == len(parts) > 0
            ):
                return tuple((number, next(iter(own))) for number, own in sorted(parts.items()))
        if self.place[reading] in self.cards.values() or set(names) == {0, 1}:
            ranks, suits = (
                {
                    number: {face.partition(" of ")[part]: None for face in faces}
                    for number, faces in names.items()
                }
                for part in (0, 2)
            )
            told = next(
                (own for own in (ranks, suits) if len(set(map(tuple, own.values()))) == len(own)), names
            )
            return tuple((number, "/".join(told[number])) for number in sorted(names))
        single = all(len(faces) == 1 for faces in names.values())
        return tuple((number, next(iter(faces))) for number, faces in sorted(names.items())) if single else ()

    # --- the program ---

    def program(self) -> Program:
        """Returns what the stages look at."""
        return Program(
            self.found.wagers,
            self.offered,
            tuple(map(self.register, range(len(self.readings)))),
            tuple(map(self._step, range(len(self.turns)))),
            tuple((stake.id, stake.wager) for stake in self.found.stakes),
            self.options,
            self.kept_stakes,
            any(turn.choices and turn.sees_stakes for turn in self.turns),
            sum(bool(turn.choices) for turn in self.turns) > 1,
            stakes_at := len(self.readings),
            options_at := stakes_at + len(self.found.stakes),
            wagers_at := options_at + len(self.options),
            wagers_at + len(self.found.wagers),
        )

    def _step(self, number: int) -> Step:
        turn = self.turns[number]
        asked = self.asked_at(number) | self.live[number]
        self._check_no_idle_loop(number)
        for condition in self.conditions[number]:
            self._check_showdown(condition)
        return Step(
            turn.id,
            tuple(self._begins(number)),
            self._lost(number),
            tuple(
                Drawing(
                    self.found.places[place],
                    piece,
                    HOW[self.equipment[piece].kind],
                    tuple(one for one in sorted(asked) if place in self.readings[one].places),
                    tuple(one for one in sorted(asked) if place in self.readings[one].beside),
                    tuple(
                        bounds(
                            self.equipment[piece], place, {one: self.readings[one] for one in sorted(asked)}
                        )
                    ),
                )
                for place, piece in turn.draws
            ),
            tuple(replace(one, when=self.asked(one.when)) for one in turn.endings),
            tuple(replace(one, when=self.asked(one.when)) for one in turn.bonuses),
            tuple(replace(one, when=self.asked(one.when)) for one in turn.choices),
            tuple(self._option(choice) for choice in turn.choices),
            turn.seat,
            self._ends(number),
            self._seen(number),
            turn.sees_stakes,
            tuple((self.asked(when), to) for when, to in turn.leads),
        )

    def asked(self, condition: Condition | Asked) -> Asked:
        """Returns a condition as stages ask it."""
        if isinstance(condition, tuple):
            return condition
        match condition:
            case Within(reading, low, high):
                if isinstance(reading, Staked):
                    names = [one.id for one in self.found.stakes]
                    return STAKED, len(self.readings) + names.index(reading.stake), low, high
                return WITHIN, self.place[reading], low, high
            case Against(one, sign, other):
                return AGAINST, self.place[one], sign, self.place[other]
            case Decided(option):
                return TAKEN, len(self.readings) + len(self.found.stakes) + self.options.index(option)
            case All(parts):
                return EVERY, *map(self.asked, parts)
            case Some(parts):
                return ANY, *map(self.asked, parts)
            case Not(part):
                return NO, self.asked(part)

    def _check_showdown(self, condition: Condition) -> None:
        """Refuses whole hands against each other: their deals are too many to be walked."""
        for test in parts_of(condition):
            if isinstance(test, Against) and test.one.order is not None and test.other.order is not None:
                apart = {*test.one.places, *test.other.places}
                cards = sum(self._most_cards(replace(test.one, places=(place,))) for place in apart)
                if cards > MOST_SHOWDOWN and not self.whole:
                    raise TooManyDealsError(
                        f'"{test.one.words}" against "{test.other.words}": {cards} cards lie there, expected at most '
                        f"{MOST_SHOWDOWN}, as more deals than that are not walked one by one"
                    )

    def _option(self, choice: ReadOption) -> Option:
        staked = ((self.found.stakes[stake].wager, units) for stake, units in choice.stakes)
        added = summed((self.found.wagers[wager], units) for wager, units in staked if wager in self.offered)
        return Option(
            choice.option, tuple((wager, Fraction(units)) for wager, units in added.items()), choice.gives_up
        )

    def _lost(self, number: int) -> tuple[int, ...]:
        """Returns the wagers that nothing settles from a turn on."""
        ahead = self._reached(number)
        settled = {one.wager for to in ahead for one in self.turns[to].endings}
        settled |= {one.wager for to in ahead for one in self.turns[to].choices if one.row}
        return tuple(wager for wager in range(len(self.found.wagers)) if wager not in settled)

    def _check_no_idle_loop(self, number: int) -> None:
        """Refuses turns that lead back to themselves and neither draw nor ask anything."""

        def idle(here: int) -> Sequence[int]:
            return () if self.turns[here].draws or self.turns[here].choices else self.following[here]

        if number in reached(idle(number), idle):
            raise InputError(
                f'turn "{self.turns[number].id}" leads back to itself and nothing is dealt on the way'
            )


def _conditions(turn: ReadTurn) -> Iterator[Condition]:
    asked = [one.when for one in (*turn.endings, *turn.bonuses)] + [one.when for one in turn.choices]
    for when in (*asked, *(when for when, _ in turn.leads)):
        if not isinstance(when, tuple):
            yield when


def _goes_by(numbers: Iterable[int], ranks: Sequence[int]) -> bool:
    """Returns whether a number depends on the rank alone."""
    known: dict[int, int] = {}
    return all(known.setdefault(rank, number) == number for number, rank in zip(numbers, ranks, strict=True))
