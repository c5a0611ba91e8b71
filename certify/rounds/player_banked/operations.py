"""Who sits at a table of several people, one of whom holds the bank, and what a deal holds of each."""

from __future__ import annotations

from collections.abc import Mapping

from certify.errors import InputError, OperationError
from certify.families.registry import family_of
from certify.rounds.betting import Betting
from certify.rounds.events import PeopleSeated, PersonLeft, PersonReturned, RulesInForce, Sitting
from certify.rounds.money import Account, transfer
from certify.rounds.operations import Step
from certify.rounds.player_banked.people import People, people_of
from certify.rounds.state import OPEN, Seat


class SeveralPeople(Betting):
    """Operations at a table of several people: who sits there, what a deal holds of everybody, who leaves."""

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
        player_banked = family_of(edition.game).player_banked
        if player_banked is None:
            raise InputError(
                f"{edition.game.id}: its family plays no rounds of several people with a bank of theirs"
            )
        if not all(name and name.isprintable() and len(name) <= 40 for name in people):
            raise InputError("a person has no name of 1 to 40 characters that can be printed")
        there = people_of(player_banked, edition.game, people, banker, rules or edition.rules)
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

    def move(self, seat: Seat, person: str, *, leaves: bool) -> Step:
        """Records that a person left the table, or came back to it; nothing of the round changes."""
        people, how = people_at(seat), "leave" if leaves else "return"
        if person not in people.balances:
            raise OperationError(f"cannot {how}: {person!r} does not sit at the table")
        if leaves == (person in people.absent):
            raise OperationError(f"cannot {how}: {person} {'left already' if leaves else 'is there'}")
        body = PersonLeft(person, "connection lost") if leaves else PersonReturned(person)
        return self.happen(seat, seat.round.id if seat.round and people.held else "", body)


def people_at(seat: Seat) -> People:
    """Returns the people at a table.

    Raises:
        OperationError: It is the seat of one player.
    """
    if seat.people is None:
        raise OperationError(f"{seat.id} is a seat of one player: expected a table of several people")
    return seat.people
