"""What is done at a table of several people, one of whom holds the bank, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from certify.clock import SteppedClock
from certify.errors import InputError, OperationError
from certify.exact import fraction_text
from certify.families.driver import Standing
from certify.families.port import Choice
from certify.families.registry import family_of
from certify.rounds.events import (
    Body,
    CardsDealt,
    CoverHeld,
    Event,
    PeopleSeated,
    PersonDecided,
    PersonLeft,
    PersonReturned,
    RoundSettled,
    RulesInForce,
    SettledWager,
    Sitting,
    deck_commitment,
)
from certify.rounds.money import Account, Posting, transfer
from certify.rounds.operations import Operations, Step, next_round_id
from certify.rounds.people import People, people_of
from certify.rounds.play import shown
from certify.rounds.state import OPEN, Phase, Round, Seat

Steps = tuple[Seat, tuple[Event, ...]]
"""A seat or table after a command, and the record of it."""


def single(done: Step) -> Steps:
    """Returns an operation that is one event in the form of those that may be more."""
    return done[0], (done[1],)


class SeveralPeople(Operations):
    """Operations at a table of several people: who sits there, the deal, decisions, absence and settlement."""

    __slots__ = ()

    def seat_people(
        self,
        table: str,
        people: Mapping[str, int],
        banker: str,
        sitting: Sitting,
        rules: RulesInForce | None = None,
    ) -> Step:
        """Records who sits down with what, and who banks first.

        Args:
            table: Id of the table.
            people: What each brings, in the order in which they sit, minor units.
            banker: Who banks first.
            sitting: Where they sit.
            rules: Rules as they were recorded, where a record is played again.

        Raises:
            InputError: The game knows no table of several people, or these people do not make one.
        """
        edition = self.editions[rules.submission_sha256] if rules else self.edition
        company = family_of(edition.game).company
        if company is None:
            raise InputError(
                f"{edition.game.id}: its family plays no rounds of several people with a bank of theirs"
            )
        if not all(name and name.isprintable() and len(name) <= 40 for name in people):
            raise InputError("a person has no name of 1 to 40 characters that can be printed")
        there = people_of(company, edition.game, people, banker, rules or edition.rules)
        body = PeopleSeated(tuple(people.items()), banker, there.rules, there.terms.origin, sitting)
        brought = transfer(sum(people.values()), Account.CASHIER, Account.PLAYER)
        return self.happen(Seat(table, people=there), "", body, brought)

    def cover(self, seat: Seat, stakes: Mapping[str, int]) -> Mapping[str, int]:
        """Returns what a deal holds of everybody, verified before a row of draws is taken for it.

        The bank answers for the worst round of these stakes, a seat for what it can lose without splitting.

        Raises:
            OperationError: The game is unavailable, a round is open, somebody has not staked, or somebody's money does
                not cover it.
        """
        people = people_at(seat)
        if seat.suspended:
            raise OperationError(f"cannot deal: the game is unavailable ({seat.suspended})")
        if seat.round is not None and seat.round.phase in OPEN:
            raise OperationError(f"cannot deal: round {seat.round.id} is open")
        if min(stakes.values(), default=0) < 1:
            raise OperationError("cannot deal: a stake is nothing or less, expected minor units of each seat")
        seats = people.order()
        if set(stakes) != set(seats) or len(seats) != people.seated.seats:
            raise OperationError(
                f"cannot deal: stakes of {sorted(stakes)}, expected one of each of {sorted(seats)}"
            )
        covers, worst = people.seated.cover(tuple(stakes[one] for one in seats))
        held = dict(zip(seats, covers, strict=True)) | {people.banker: worst}
        for person, amount in held.items():
            if people.balances[person] < amount:
                bank = person == people.banker
                what = "the worst round costs the bank" if bank else "the stake and its cover are"
                raise OperationError(f"cannot deal: {what} {amount}, {person} has {people.balances[person]}")
        return held

    def deal_to_all(self, seat: Seat, stakes: Mapping[str, int], row: Sequence[int]) -> Steps:
        """Accepts the stakes of all seats, holds what everybody answers for, and deals."""
        held, people, deck = self.cover(seat, stakes), people_at(seat), tuple(row)
        found, round_id = _standing(people, deck, (), "deal"), next_round_id(seat)
        dealt = CardsDealt(
            stakes=tuple((one, stakes[one]) for one in people.order()),
            rules=people.rules,
            deck=deck,
            hands=shown(people.hands(found.state)),
            options=found.node.ids if isinstance(found.node, Choice) else (),
            how="deal",
            currency=people.play.game.wagers[0].limits.currency,
            deck_sha256=deck_commitment(round_id, deck),
        )
        moved = transfer(sum(held.values()), Account.PLAYER, Account.HELD)
        return self._and_ended(
            seat, round_id, (CoverHeld(people.banker, tuple(held.items())), moved), (dealt, ())
        )

    def decide_as(self, seat: Seat, person: str, option: str) -> Steps:
        """Takes a decision of a person who is at the table; what it stakes besides is held with it."""
        if person in people_at(seat).absent:
            raise OperationError(f"cannot {option}: {person} left the table, expected return first")
        return self._decided(seat, person, option)

    def away(self, seat: Seat) -> Steps:
        """Takes what commits to least for whoever has not decided in time, seat or banker."""
        people = people_at(seat)
        waiting = people.waits_for(seat.round)
        if waiting is None or people.asked is None:
            raise OperationError("nobody is waited for: no decision is open")
        person, choice = waiting
        until = people.asked + people.terms.decide_within
        if self.now(seat) < until:
            raise OperationError(f"{person} may decide until {until.isoformat()} ({people.terms.origin})")
        return self._decided(seat, person, choice.ids[0], away=True)

    def move(self, seat: Seat, person: str, *, leaves: bool) -> Step:
        """Records that a person left the table, or came back to it; nothing of the round changes."""
        people, how = people_at(seat), "leave" if leaves else "return"
        if person not in people.balances:
            raise OperationError(f"cannot {how}: {person!r} does not sit at the table")
        if leaves == (person in people.absent):
            raise OperationError(f"cannot {how}: {person} {'left already' if leaves else 'is there'}")
        body = PersonLeft(person, "connection lost") if leaves else PersonReturned(person)
        return self.happen(seat, seat.round.id if seat.round and people.held else "", body)

    def settle_all(self, seat: Seat) -> Step:
        """Pays every seat against the bank; a fraction of the smallest coin stays with the bank."""
        people, current = people_at(seat), open_round(seat, "settle")
        held = people.held or {}
        found = people.seated.results(_standing(people, current.deck, current.decisions, "settle").state)
        nets, outcomes = {}, {people.banker: "bank"}
        for (one, stake), (outcome, net, _) in zip(current.stakes, found, strict=True):
            nets[one] = (net * stake).numerator // (net * stake).denominator
            outcomes[one] = outcome
        nets[people.banker] = -sum(nets.values())
        stakes = {**held, **dict(current.stakes)}
        results = tuple(
            SettledWager(
                wager=one,
                stake=stakes[one],
                outcome=outcomes[one],
                net=fraction_text(Fraction(net, stakes[one])),
                returned=held[one] + net,
            )
            for one, net in nets.items()
        )
        total = sum(held.values())
        moved = transfer(total, Account.HELD, Account.PLAYER)
        return self.happen(seat, current.id, RoundSettled(results, total), moved)

    def _decided(self, seat: Seat, person: str, option: str, *, away: bool = False) -> Steps:
        people, current = people_at(seat), open_round(seat, option)
        self.verify_alive(seat, current, option)
        waiting = people.waits_for(current)
        if waiting is None:
            raise OperationError(f"cannot {option}: no decision is open")
        turn, choice = waiting
        if person != turn:
            raise OperationError(f"cannot {option}: it is {turn}'s turn, not {person}'s")
        if option not in choice.ids:
            raise OperationError(f"cannot {option}: {person} is offered {', '.join(choice.ids)}")
        stakes = dict(current.stakes)
        added = people.seated.added(option, stakes[person]) if person in stakes else 0
        if people.balances[person] < added:
            raise OperationError(
                f"cannot {option}: it stakes {added} with its cover, {person} has {people.balances[person]}"
            )
        found = _standing(people, current.deck, (*current.decisions, option), option)
        waits = isinstance(found.node, Choice)
        body = PersonDecided(
            person=person,
            decision=option,
            away=away,
            added=added,
            offered=choice.ids,
            hands=shown(people.hands(found.state)),
            turn=people.acting(found.state) if waits else "",
            options=found.node.ids if isinstance(found.node, Choice) else (),
        )
        return self._and_ended(seat, current.id, (body, transfer(added, Account.PLAYER, Account.HELD)))

    def _and_ended(self, seat: Seat, round_id: str, *parts: tuple[Body, tuple[Posting, ...]]) -> Steps:
        """Records a step, and the settlement that it leads to where nothing is left to decide."""
        events = []
        # All of a step happens at one time, whatever the clock does meanwhile.
        then = replace(self, clock=SteppedClock(self.clock.now()))
        for body, moved in parts:
            seat, event = then.happen(seat, round_id, body, moved)
            events.append(event)
        if seat.round is not None and seat.round.phase is Phase.RESOLVED:
            seat, event = then.settle_all(seat)
            events.append(event)
        return seat, tuple(events)


def people_at(seat: Seat) -> People:
    """Returns the people at a table.

    Raises:
        OperationError: It is the seat of one player.
    """
    if seat.people is None:
        raise OperationError(f"{seat.id} is a seat of one player: expected a table of several people")
    return seat.people


def open_round(seat: Seat, operation: str) -> Round:
    """Returns the round of a table that is open.

    Raises:
        OperationError: None is.
    """
    if seat.round is None or seat.round.phase not in OPEN:
        raise OperationError(f"cannot {operation}: no decision is open")
    return seat.round


def _standing(
    people: People, row: Sequence[int], decisions: Sequence[str], operation: str
) -> Standing[object]:
    try:
        return people.play.standing(row, decisions)
    except InputError as error:
        raise OperationError(f"cannot {operation}: the deck is not whole: {error}") from error
