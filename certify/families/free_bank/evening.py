"""An evening of several people who play against one of them: rounds with stakes, cover, absence, voiding and history.

No source prints terms for any of this. Every term here is adopted, is a parameter, and is named so wherever it
shows: ``AdoptedTerms``. An evening is frozen; every step returns the next one, so that it replays from its steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from typing import Final

from certify.errors import InputError, OperationError
from certify.evidence.life import PersonRound
from certify.families.free_bank import rulebook
from certify.families.free_bank.cover import worst_round
from certify.families.free_bank.reference import FreeBankRound
from certify.families.free_bank.strategy import BANK, COVER, SPLIT
from certify.families.free_bank.table import Table
from certify.families.port import Chance, Choice, Hand, Settled
from certify.model.equipment import Equipment, split_row

ADOPTED: Final = "adopted: no source prints this term"


class How(StrEnum):
    """How a round ended."""

    SETTLED = "settled"
    VOID_MALFUNCTION = "void by malfunction"
    VOID_TERM = "void at its term"


@lru_cache(maxsize=64)
def worst_of(table: FreeBankRound, stakes: tuple[int, ...]) -> int:
    """Returns what the bank answers for: the worst round for the stakes that lie there, minor units.

    Raises:
        InputError: Nothing is bet in the game.
    """
    if table.paytable is None:
        raise InputError("nothing is bet in this game: expected a paytable")
    return worst_round(table.rules, table.paytable, stakes).amount


@dataclass(frozen=True, slots=True)
class AdoptedTerms:
    """Terms of an evening; none of them is printed by a source.

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
    table: Table
    decisions: tuple[tuple[str, str], ...]
    opened: datetime
    asked: datetime


@dataclass(frozen=True)
class Evening:
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

    rules: FreeBankRound
    balances: Mapping[str, int]
    banker: str
    terms: AdoptedTerms = AdoptedTerms()
    round: OpenRound | None = None
    history: tuple[PersonRound, ...] = ()
    number: int = 0
    latest: OpenRound | None = None

    @property
    def money(self) -> int:
        """All money of the evening, what is held included: it never changes."""
        return sum(self.balances.values()) + sum(self.held.values())

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
        names = {self.rules.name(place): person for place, person in enumerate(current.seats)}
        return tuple(
            replace(hand, holder=_held_by(hand.holder, names, current.banker))
            for hand in self.rules.laid_open(current.table)
        )

    def history_of(self, person: str) -> tuple[PersonRound, ...]:
        """Returns every round of a person."""
        return tuple(entry for entry in self.history if entry.person == person)

    def order(self) -> tuple[str, ...]:
        """Returns the seats in the order of play: from the banker's side on, as they sit."""
        people = list(self.balances)
        place = people.index(self.banker)
        return (*people[place + 1 :], *people[:place])

    def opened(self, stakes: Mapping[str, int], row: Sequence[int], now: datetime) -> Evening:
        """Accepts the stakes, holds what everybody answers for, and deals the first cards.

        The bank answers for the worst round of these stakes, a seat for what it can lose without splitting.

        Raises:
            OperationError: A round is open, somebody has not staked, or somebody's money does not cover it.
        """
        if self.round is not None:
            raise OperationError(f"cannot deal: round {self.round.number} is open")
        seats = self.order()
        if set(stakes) != set(seats) or len(seats) != self.rules.rules.seats:
            raise OperationError(
                f"cannot deal: stakes of {sorted(stakes)}, expected one of each of {sorted(seats)}"
            )
        staked = tuple(stakes[seat] for seat in seats)
        split_row(self.rules.equipment, row)
        worst = worst_of(self.rules, staked)
        further = 1 + rulebook.cover(self.rules.rules)
        held = {seat: stake * further for seat, stake in zip(seats, staked, strict=True)} | {
            self.banker: worst
        }
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

    def decided(self, person: str, option: str, now: datetime) -> Evening:
        """Takes a decision; what it stakes besides is held with it.

        Raises:
            OperationError: Nothing is open, it is somebody else's turn, the option is not offered, or the person's
                money does not cover what it adds, or what it may cost the bank.
        """
        return self._decided(person, option, option, now)

    def away(self, now: datetime) -> Evening:
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

    def malfunction(self) -> Evening:
        """Voids the round that is open: everybody has back what was held (adopted term).

        Raises:
            OperationError: No round is open.
        """
        return self._void(How.VOID_MALFUNCTION)

    def expired(self, now: datetime) -> Evening:
        """Voids the round that is open once its term is over (adopted term).

        Raises:
            OperationError: No round is open, or its term is not over.
        """
        if self.round is not None and now < self.round.opened + self.terms.void_after:
            until = (self.round.opened + self.terms.void_after).isoformat()
            raise OperationError(
                f"round {self.round.number} is not void before {until} ({self.terms.origin})"
            )
        return self._void(How.VOID_TERM)

    def _decided(self, person: str, option: str, recorded: str, now: datetime) -> Evening:
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
        evening = self._staked(person) if option == SPLIT else self
        current = evening.round or self.round
        after = replace(
            current,
            table=self.rules.decided(current.table, option),
            decisions=(*current.decisions, (BANK if person == current.banker else person, recorded)),
        )
        return evening._with(after, now)

    def _staked(self, person: str) -> Evening:
        """Holds the equal stake of a hand that is split off, with its cover."""
        current = self.round
        if current is None:
            raise OperationError("no round is open")
        stake = current.stakes[current.seats.index(person)] * (1 + rulebook.cover(self.rules.rules))
        if self.balances[person] < stake:
            raise OperationError(
                f"cannot split: it stakes {stake} with its cover, {person} has {self.balances[person]}"
            )
        held = tuple((who, amount + stake if who == person else amount) for who, amount in current.held)
        balances = {**self.balances, person: self.balances[person] - stake}
        return replace(self, balances=balances, round=replace(current, held=held))

    def _with(self, current: OpenRound, now: datetime) -> Evening:
        """Deals on until somebody has to decide or the round is over."""
        pieces = [piece.id for piece in self.rules.equipment]
        supplies = split_row(self.rules.equipment, current.row)
        table, drawn = current.table, list(current.drawn)
        while True:
            node = self.rules.node(table)
            if isinstance(node, Choice) and node.ids == (COVER,):
                table = self.rules.decided(table, COVER)  # held with the stake when the round was opened
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

    def _settled(self) -> Evening:
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
        return replace(self._ended(How.SETTLED, nets, outcomes), banker=banker)

    def _void(self, how: How) -> Evening:
        current = self._open()
        return self._ended(how, dict.fromkeys((*current.seats, current.banker), 0), {})

    def _open(self) -> OpenRound:
        if self.round is None:
            raise OperationError("no round is open")
        return self.round

    def _ended(self, how: How, nets: Mapping[str, int], outcomes: Mapping[str, str]) -> Evening:
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
                    option for who, option in current.decisions
                    if who == (BANK if person == current.banker else person)
                ),
                self.terms.origin,
            )
            for person in (*current.seats, current.banker)
        )  # fmt: skip
        history = (*self.history, *entries)
        return replace(self, balances=balances, round=None, history=history, latest=current)


def _held_by(holder: str, names: Mapping[str, str], banker: str) -> str:
    """Returns the person who holds a hand; a hand that was split off keeps its number."""
    if holder == BANK:
        return banker
    seat = max((name for name in names if holder == name or holder.startswith(f"{name}-")), key=len)
    return names[seat] + holder[len(seat) :]
