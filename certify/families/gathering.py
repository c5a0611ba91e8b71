"""Several people at one table, one of whom holds the bank: rounds with stakes, cover, absence, voiding and history.

How a round is played is the family's; the table is the same for all. No source prints terms for any of this: every term
is adopted, is a parameter, and is named so wherever it shows (``AdoptedTerms``). A gathering is frozen; every step
returns the next one, and the same steps lead to the same one, so that a ledger keeps the steps alone.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, Protocol

from certify.errors import InputError, OperationError
from certify.evidence.life import PersonRound
from certify.families.port import Chance, Choice, Hand, ReferenceRound, Settled
from certify.model.equipment import Equipment, Row, split_row
from certify.model.game import Game

MOST_PEOPLE: Final = 12
"""People at a table, the banker among them."""

ADOPTED: Final = "adopted: no source prints this term"


class RoundEnd(StrEnum):
    """How a round ended."""

    SETTLED = "settled"
    VOID_MALFUNCTION = "void by malfunction"
    VOID_TERM = "void at its term"


class SeatedRound(ReferenceRound[Any], Protocol):
    """A round of several seats against a bank that one of the people holds, as its family plays it."""

    @property
    def seats(self) -> int:
        """How many play against the bank."""
        ...

    @property
    def granted(self) -> Collection[str]:
        """Options taken for everybody where nothing else is offered: what they cost is held from the deal on."""
        ...

    def acting(self, state: Any) -> int | None:
        """Returns the seat that decides, none where it is the bank."""
        ...

    def laid_open(self, state: Any) -> tuple[Hand, ...]:
        """Returns every hand as somebody who holds none sees it."""
        ...

    def place_of(self, holder: str) -> tuple[int | None, str]:
        """Returns the seat that holds a hand, none for the bank, and what is written behind its name."""
        ...

    def cover(self, stakes: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
        """Returns what each seat and the bank put up before a card is dealt, minor units."""
        ...

    def added(self, option: str, stake: int) -> int:
        """Returns what an option adds to what a seat put up, minor units."""
        ...

    def results(self, state: Any) -> Sequence[tuple[str, Fraction, Fraction]]:
        """Returns for each seat of a finished round how it ended, its net result and what it staked, in units."""
        ...

    def next_bank(self, state: Any) -> int | None:
        """Returns the seat that banks the next round, none where the bank stays."""
        ...


@dataclass(frozen=True, slots=True)
class AdoptedTerms:
    """Terms of a table; none of them is printed by a source.

    Args:
        void_after: An unresolved round is void after this time.
        decide_within: Whoever has not decided after this time is taken to be away, and the least committing option
            is taken for them, the banker included.
        origin: Said wherever the terms are shown.
    """

    void_after: timedelta = timedelta(days=90)
    decide_within: timedelta = timedelta(minutes=2)
    origin: str = ADOPTED


@dataclass(frozen=True, slots=True)
class OpenRound:
    """A round that is being played.

    Args:
        number: Its number, from 1.
        banker: Who banks.
        seats: Who sits, in the order of play.
        stakes: Stake of each seat, minor units.
        held: What is held of each person until the round is complete.
        row: Everything that chance gives the round.
        drawn: How many items of each deck have come.
        table: How it stands.
        decisions: (Person, option) so far; options taken for the absent with ``*`` in front.
        opened: When the stakes were accepted.
        asked: Since when the present decision is open.
    """

    number: int
    banker: str
    seats: tuple[str, ...]
    stakes: tuple[int, ...]
    held: tuple[tuple[str, int], ...]
    row: tuple[int, ...]
    drawn: tuple[int, ...]
    table: Any
    decisions: tuple[tuple[str, str], ...]
    opened: datetime
    asked: datetime


@dataclass(frozen=True)
class Gathering:
    """People, their money, the round that is open, and everything that was played.

    Args:
        rules: The reference round, with a seat for everybody but the bank.
        balances: Money of each person that is not held, minor units.
        banker: Who banks the next round.
        terms: The adopted terms.
        round: The round that is open, if one is.
        history: Entries in the order in which rounds ended.
        number: Rounds begun.
        latest: How the latest round stood when it ended.
    """

    rules: SeatedRound
    balances: Mapping[str, int]
    banker: str
    terms: AdoptedTerms = AdoptedTerms()
    round: OpenRound | None = None
    history: tuple[PersonRound, ...] = ()
    number: int = 0
    latest: OpenRound | None = None

    @property
    def held(self) -> Mapping[str, int]:
        """What is held of each person for the round that is open, minor units."""
        return dict(self.round.held) if self.round else {}

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the draws of a round come from."""
        return self.rules.equipment

    @property
    def origin(self) -> str:
        """Where the terms come from."""
        return self.terms.origin

    @property
    def void_at(self) -> datetime | None:
        """When the round that is open is void; none where none is open."""
        return self.round.opened + self.terms.void_after if self.round else None

    def hands(self) -> tuple[Hand, ...]:
        """Returns every hand of the open or latest round, by who holds it, covered faces hidden."""
        current = self.round or self.latest
        if current is None:
            return ()
        found = []
        for hand in self.rules.laid_open(current.table):
            place, behind = self.rules.place_of(hand.holder)
            person = current.banker if place is None else current.seats[place]
            found.append(replace(hand, holder=person + behind))
        return tuple(found)

    def history_of(self, person: str) -> tuple[PersonRound, ...]:
        """Returns every round of a person."""
        return tuple(entry for entry in self.history if entry.person == person)

    def order(self) -> tuple[str, ...]:
        """Returns the seats in the order of play: from the banker's side on, as they sit."""
        people = list(self.balances)
        place = people.index(self.banker)
        return (*people[place + 1 :], *people[:place])

    def opened(self, stakes: Mapping[str, int], row: Sequence[int], now: datetime) -> Gathering:
        """Accepts the stakes, holds what everybody answers for, and deals the first cards.

        The bank answers for the worst round of these stakes, a seat for what it can lose without splitting.

        Raises:
            OperationError: A round is open, somebody has not staked, or somebody's money does not cover it.
        """
        if self.round is not None:
            raise OperationError(f"cannot deal: round {self.round.number} is open")
        seats = self.order()
        if set(stakes) != set(seats) or len(seats) != self.rules.seats:
            raise OperationError(
                f"cannot deal: stakes of {sorted(stakes)}, expected one of each of {sorted(seats)}"
            )
        staked = tuple(stakes[seat] for seat in seats)
        split_row(self.rules.equipment, row)
        covers, worst = self.rules.cover(staked)
        held = dict(zip(seats, covers, strict=True)) | {self.banker: worst}
        for person, amount in held.items():
            if self.balances[person] < amount:
                what = (
                    "the worst round costs the bank"
                    if person == self.banker
                    else "the stake and its cover are"
                )
                raise OperationError(f"cannot deal: {what} {amount}, {person} has {self.balances[person]}")
        balances = {person: has - held.get(person, 0) for person, has in self.balances.items()}
        begun = OpenRound(
            self.number + 1, self.banker, seats, staked, tuple(held.items()), tuple(row),
            (0,) * len(self.rules.equipment), self.rules.start(), (), now, now,
        )  # fmt: skip
        return replace(self, balances=balances, number=self.number + 1)._with(begun, now)

    def waits_for(self) -> tuple[str, Choice] | None:
        """Returns who has to decide, and what; none where nothing is open."""
        if self.round is None:
            return None
        node = self.rules.node(self.round.table)
        if not isinstance(node, Choice):
            return None
        acting = self.rules.acting(self.round.table)
        return (self.round.banker if acting is None else self.round.seats[acting]), node

    def decided(self, person: str, option: str, now: datetime) -> Gathering:
        """Takes a decision; what it stakes besides is held with it.

        Raises:
            OperationError: Nothing is open, it is somebody else's turn, the option is not offered, or the person's
                money does not cover what it adds, or what it may cost the bank.
        """
        return self._decided(person, option, option, now)

    def away(self, now: datetime) -> Gathering:
        """Takes the least committing option for whoever has not decided within the term, seat or banker.

        Raises:
            OperationError: Nothing is open, or the time to decide is not over.
        """
        waiting = self.waits_for()
        if waiting is None or self.round is None:
            raise OperationError("nobody is waited for: no decision is open")
        person, choice = waiting
        until = self.round.asked + self.terms.decide_within
        if now < until:
            raise OperationError(f"{person} may decide until {until.isoformat()} ({self.terms.origin})")
        option = choice.ids[0]
        return self._decided(person, option, f"*{option}", now)

    def malfunction(self) -> Gathering:
        """Voids the round that is open: everybody has back what was held (adopted term).

        Raises:
            OperationError: No round is open.
        """
        return self._void(RoundEnd.VOID_MALFUNCTION)

    def expired(self, now: datetime) -> Gathering:
        """Voids the round that is open once its term is over (adopted term).

        Raises:
            OperationError: No round is open, or its term is not over.
        """
        if self.round is not None and now < self.round.opened + self.terms.void_after:
            until = (self.round.opened + self.terms.void_after).isoformat()
            raise OperationError(
                f"round {self.round.number} is not void before {until} ({self.terms.origin})"
            )
        return self._void(RoundEnd.VOID_TERM)

    def _decided(self, person: str, option: str, recorded: str, now: datetime) -> Gathering:
        waiting = self.waits_for()
        if self.round is None or waiting is None:
            raise OperationError(f"cannot {option}: no decision is open")
        if now >= self.round.opened + self.terms.void_after:
            raise OperationError(f"cannot {option}: round {self.round.number} is void ({self.terms.origin})")
        turn, choice = waiting
        if person != turn:
            raise OperationError(f"cannot {option}: it is {turn}'s turn, not {person}'s")
        if option not in choice.ids:
            raise OperationError(f"cannot {option}: {person} is offered {', '.join(choice.ids)}")
        gathering = self._staked(person, option)
        current = gathering.round or self.round
        after = replace(
            current,
            table=self.rules.decided(current.table, option),
            decisions=(*current.decisions, (person, recorded)),
        )
        return gathering._with(after, now)

    def _staked(self, person: str, option: str) -> Gathering:
        """Holds what an option adds to what a seat put up."""
        current = self._open()
        if person == current.banker:
            return self
        stake = self.rules.added(option, current.stakes[current.seats.index(person)])
        if self.balances[person] < stake:
            raise OperationError(
                f"cannot {option}: it stakes {stake} with its cover, {person} has {self.balances[person]}"
            )
        if not stake:
            return self
        held = tuple((who, amount + stake if who == person else amount) for who, amount in current.held)
        balances = {**self.balances, person: self.balances[person] - stake}
        return replace(self, balances=balances, round=replace(current, held=held))

    def _with(self, current: OpenRound, now: datetime) -> Gathering:
        """Deals on until somebody has to decide or the round is over."""
        pieces = [piece.id for piece in self.rules.equipment]
        supplies = split_row(self.rules.equipment, current.row)
        table, drawn = current.table, list(current.drawn)
        while True:
            node = self.rules.node(table)
            if isinstance(node, Choice) and len(node.ids) == 1 and node.ids[0] in self.rules.granted:
                table = self.rules.decided(table, node.ids[0])
                continue
            if not isinstance(node, Chance):
                break
            place = pieces.index(node.equipment)
            item = supplies[node.equipment][drawn[place]]
            drawn[place] += 1
            table = self.rules.drawn(table, self.rules.equipment[place].shows[item])
        current = replace(current, table=table, drawn=tuple(drawn), asked=now)
        if isinstance(node, Settled):
            return replace(self, round=current)._settled()
        return replace(self, round=current)

    def _settled(self) -> Gathering:
        current = self._open()
        results = self.rules.results(current.table)
        # A fraction of the smallest coin stays with the bank.
        nets = {
            seat: (net * stake).numerator // (net * stake).denominator
            for seat, stake, (_, net, _) in zip(current.seats, current.stakes, results, strict=True)
        }
        outcomes = {seat: outcome for seat, (outcome, _, _) in zip(current.seats, results, strict=True)}
        nets[current.banker] = -sum(nets.values())
        taker = self.rules.next_bank(current.table)
        banker = current.banker if taker is None else current.seats[taker]
        return replace(self._ended(RoundEnd.SETTLED, nets, outcomes), banker=banker)

    def _void(self, how: RoundEnd) -> Gathering:
        current = self._open()
        return self._ended(how, dict.fromkeys((*current.seats, current.banker), 0), {})

    def _open(self) -> OpenRound:
        if self.round is None:
            raise OperationError("no round is open")
        return self.round

    def _ended(self, how: RoundEnd, nets: Mapping[str, int], outcomes: Mapping[str, str]) -> Gathering:
        current, held = self._open(), dict(self._open().held)
        stakes = dict(zip(current.seats, current.stakes, strict=True))
        balances = {
            person: has + held.get(person, 0) + nets.get(person, 0) for person, has in self.balances.items()
        }
        entries = tuple(
            PersonRound(
                current.number, person, person == current.banker, stakes.get(person, held[person]),
                nets[person], outcomes.get(person, ""), str(how),
                tuple(
                    option for who, option in current.decisions if who == person
                ),
                self.terms.origin,
            )
            for person in (*current.seats, current.banker)
        )  # fmt: skip
        history = (*self.history, *entries)
        return replace(self, balances=balances, round=None, history=history, latest=current)


class CompanyPort(Protocol):
    """What a family brings where several people sit at one table and one of them holds the bank."""

    def seated(self, game: Game, seats: int) -> SeatedRound:
        """Returns the round of a game for a number of seats, whatever that of the submission.

        Raises:
            InputError: So many do not play it.
        """
        ...

    def rows(self, rows: Sequence[Row], most: int) -> Sequence[Row]:
        """Returns rows of draws of a table, made of rows of a round of one seat."""
        ...

    def put_up(self, seated: Any, stake: int, options: Sequence[str]) -> int:
        """Returns what a seat must have put up after its decisions, written apart from what the round holds."""
        ...

    def expected(
        self, seated: Any, state: Any, stakes: tuple[int, ...]
    ) -> tuple[tuple[int, ...], int | None]:
        """Returns what each seat must have won at the end, and which takes the bank, written apart from the round."""
        ...


def gather(
    company: CompanyPort, game: Game, money: Mapping[str, int], banker: str, void_after: timedelta
) -> Gathering:
    """Returns a table before its first round.

    Args:
        company: What the family brings.
        game: The submission, whatever its number of seats.
        money: What each person brings, in the order in which they sit, minor units.
        banker: Who of them banks first.
        void_after: Term of an unresolved round.

    Raises:
        InputError: So many people do not play it, one brings nothing, or the banker is none of them.
    """
    if not 2 <= len(money) <= MOST_PEOPLE:
        raise InputError(f"{len(money)} people: expected 2 to {MOST_PEOPLE}, the banker among them")
    if banker not in money:
        raise InputError(f"{banker!r} banks and does not sit there: expected one of {', '.join(money)}")
    if min(money.values()) < 1:
        raise InputError("somebody brings no money: expected a positive number of minor units of each")
    return Gathering(company.seated(game, len(money) - 1), dict(money), banker, AdoptedTerms(void_after))
