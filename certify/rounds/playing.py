"""Dealing, deciding and settling, for one player and for several people at a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from certify.clock import SteppedClock
from certify.errors import InputError, OperationError
from certify.exact import fraction_text
from certify.families.driver import RowExhaustedError
from certify.rounds.betting import multiplied
from certify.rounds.events import (
    Bets,
    Body,
    CardsDealt,
    CoverHeld,
    DecisionTaken,
    PersonDecided,
    RoundSettled,
    SettledWager,
    StakeAdded,
    deck_commitment,
)
from certify.rounds.money import Account, Posting, returned_on, transfer
from certify.rounds.operations import (
    Step,
    Steps,
    next_round_id,
    open_chips,
    round_of,
    single,
    verify_connected,
    verify_phase,
)
from certify.rounds.play import Play, RoundPosition
from certify.rounds.player_banked.operations import SeveralPeople, people_at
from certify.rounds.player_banked.people import People
from certify.rounds.state import Phase, Round, Seat, merged

DEAL: Final = "deal"
REBET_AND_DEAL: Final = "rebet-and-deal"
DOUBLE_AND_DEAL: Final = "double-and-deal"

_REPEATED: Final = {REBET_AND_DEAL: (1, "rebet and deal"), DOUBLE_AND_DEAL: (2, "double and deal")}
"""By how much each button multiplies the bets of the previous round, and what it does in words."""


class Playing(SeveralPeople):
    """Operations from the deal to the settlement."""

    __slots__ = ()

    def stakes_to_accept(self, seat: Seat, how: str, asked: Bets = ()) -> Bets:
        """Returns the stakes that a deal would accept, verified before a row of draws is taken for it.

        Args:
            seat: Who bets.
            how: The button pressed.
            asked: Stakes of several people; those of one player lie on the layout.

        Raises:
            OperationError: The game is unavailable, no valid bet lies there, or a limit or the balance forbids it.
        """
        if seat.people is not None:
            self.cover(seat, dict(asked))
            return asked
        if how == DEAL:
            self.verify_betting(seat, "deal")
            stakes = merged(open_chips(seat))
            if not stakes:
                raise OperationError(f"cannot deal: no bets lie on the layout at seat {seat.id}")
            operation = "deal"
        else:
            factor, operation = _REPEATED[how]
            self.verify_repeatable(seat, operation, factor)
            stakes = multiplied(seat.previous, factor)
        self.verify_stakes(seat, operation, stakes)
        return stakes

    def deal(
        self, seat: Seat, stakes: Bets | Mapping[str, int], deck: Sequence[int], how: str = DEAL
    ) -> Steps:
        """Accepts stakes, holds them, or what each of several people answers for, and deals the first cards.

        Args:
            seat: The table.
            stakes: What :meth:`stakes_to_accept` returned for the table as it stands.
            deck: The row of draws of the round.
            how: The button pressed.

        Raises:
            OperationError: The deck is not whole, or somebody's money does not cover a stake.
        """
        people, placed, edition = seat.people, dict(stakes), self.edition
        held: Mapping[str, int] = placed
        if people is not None:
            held = self.cover(seat, placed)
            placed = {one: placed[one] for one in people.order()}
        row, round_id = tuple(deck), next_round_id(seat)
        position = played_to(people or edition.play, row, (), how)
        game = people.play.game if people is not None else edition.game
        dealt = CardsDealt(
            stakes=tuple(placed.items()),
            rules=people.rules if people is not None else edition.rules,
            deck=row,
            hands=position.hands,
            options=position.options,
            how=how,
            currency=game.wagers[0].limits.currency,
            deck_sha256=deck_commitment(round_id, row),
        )
        moved = transfer(sum(held.values()), Account.PLAYER, Account.HELD)
        if people is None:
            return single(self.happen(seat, round_id, dealt, moved))
        return self._and_settled(
            seat, round_id, (CoverHeld(people.banker, tuple(held.items())), moved), (dealt, ())
        )

    def decide(self, seat: Seat, decision: str, person: str = "") -> Steps:
        """Takes a decision by its name; what it adds to the stakes is debited with it and held.

        Args:
            seat: The table.
            decision: What is decided.
            person: Who of several people decides; where nothing is left to decide between them, the round is settled.

        Raises:
            OperationError: It is not offered now, nor to that person, or exceeds the balance.
        """
        return self._decided(seat, decision, person)

    def away(self, seat: Seat) -> Steps:
        """Takes what commits to least for whoever of several people has not decided in time, seat or banker."""
        people = people_at(seat)
        waiting = people.waits_for(seat.round)
        if waiting is None or people.asked is None:
            raise OperationError("nobody is waited for: no decision is open")
        person, choice = waiting
        until = people.asked + people.terms.decide_within
        if self.now(seat) < until:
            raise OperationError(f"{person} may decide until {until.isoformat()} ({people.terms.origin})")
        return self._decided(seat, choice.ids[0], person, away=True)

    def _decided(self, seat: Seat, decision: str, person: str, *, away: bool = False) -> Steps:
        people, operation = seat.people, decision or "decide"
        current = self._decidable(seat, operation, decision, person, away=away)
        play = people.play if people is not None else self.edition_of(current).play
        taken = (*current.decisions, decision)
        position = played_to(people or play, current.deck, taken, decision)
        shown = (decision, current.options, position.hands, position.options)
        if people is None:
            added = play.added(decision, current.stakes)
            amount = sum([part for _, part in added])
            verify_covered(operation, amount, seat.balance)
            more = transfer(amount, Account.PLAYER, Account.HELD)
            body = StakeAdded(current.additions + 1, added, *shown) if added else DecisionTaken(*shown)
            return single(self.happen(seat, current.id, body, more))
        stakes = dict(current.stakes)
        amount = people.seated.added(decision, stakes[person]) if person in stakes else 0
        verify_covered(operation, amount, people.balances[person], person)
        turn = people.acting(play.standing(current.deck, taken).state) if position.options else ""
        told = PersonDecided(
            person, decision, away, amount, current.options, position.hands, turn, position.options
        )
        return self._and_settled(seat, current.id, (told, transfer(amount, Account.PLAYER, Account.HELD)))

    def _decidable(self, seat: Seat, operation: str, decision: str, person: str, *, away: bool) -> Round:
        """Returns the round in which a decision may be taken, by or for one of several people."""
        people, current = seat.people, round_of(seat, operation)
        verify_connected(seat, operation)
        if people is not None and person in people.absent and not away:
            raise OperationError(f"cannot {operation}: {person} left the table, expected return first")
        verify_phase(current, operation, Phase.DECISION)
        self.verify_alive(seat, current, operation)
        waiting = people.waits_for(current) if people is not None else None
        if waiting is not None and person != waiting[0]:
            raise OperationError(f"cannot {operation}: it is {waiting[0]}'s turn, not {person}'s")
        if decision not in current.options:
            offered = f"{person} is offered" if waiting is not None else f"round {current.id} offers"
            raise OperationError(f"cannot {operation}: {offered} {', '.join(current.options)}")
        return current

    def settle(self, seat: Seat) -> Step:
        """Pays every wager by the rules in force when it was accepted; the player need not be there (GLI-19 4.16.3(a)).

        Between several people every seat is paid against the bank.

        Raises:
            OperationError: A decision is open, the round is complete, or the bet is void by its term.
        """
        current = round_of(seat, "settle")
        verify_phase(current, "settle", Phase.RESOLVED)
        self.verify_alive(seat, current, "settle")
        results = self.results(current) if seat.people is None else seat.people.results(current)
        returned = sum([result.returned for result in results])
        if seat.people is None:
            moved = transfer(current.staked, Account.HELD, Account.HOUSE)
            moved += transfer(returned, Account.HOUSE, Account.PLAYER)
        else:
            moved = transfer(returned, Account.HELD, Account.PLAYER)
        return self.happen(seat, current.id, RoundSettled(results, returned), moved)

    def _and_settled(self, seat: Seat, round_id: str, *parts: tuple[Body, tuple[Posting, ...]]) -> Steps:
        """Records a step at a table, and the settlement that it leads to where nothing is left to decide."""
        events = []
        # All of a step happens at one time, whatever the clock does meanwhile.
        then = replace(self, clock=SteppedClock(self.clock.now()))
        for body, moved in parts:
            seat, event = then.happen(seat, round_id, body, moved)
            events.append(event)
        if seat.round is not None and seat.round.phase is Phase.RESOLVED:
            seat, event = then.settle(seat)
            events.append(event)
        return seat, tuple(events)

    def results(self, current: Round) -> tuple[SettledWager, ...]:
        """Returns how the wagers of a round without open decisions end, by its own edition."""
        edition = self.edition_of(current)
        settled = edition.play.settle(current.deck, current.decisions)
        added, rounding = dict(current.added), edition.policy.rounding
        results = []
        for wager, stake in current.stakes:
            net, more = settled[wager].net, added.get(wager, 0)
            returned = returned_on(stake, net, rounding, more)
            outcome = settled[wager].outcome
            results.append(SettledWager(wager, stake, outcome, fraction_text(net), returned, more))
        return tuple(results)


def verify_covered(operation: str, amount: int, balance: int, person: str = "") -> None:
    """Refuses a decision that adds more than somebody has.

    GLI-19 4.3.3: a wager never makes a balance negative. The deal demanded cover; other games of a shared wallet may
    have spent it since.
    """
    if amount > balance:
        more = f"it stakes {amount} with its cover, {person} has {balance}"
        own = f"the {amount} that it adds exceed the balance of {balance}"
        raise OperationError(f"cannot {operation}: {more if person else own}")


def played_to(
    at: Play | People, row: Sequence[int], decisions: Sequence[str], operation: str
) -> RoundPosition:
    """Returns how a round of one player, or of several people, stands after some decisions.

    Raises:
        OperationError: It asks for more draws than its row holds: it cannot be played on.
    """
    try:
        return at.position(row, decisions)
    except RowExhaustedError as error:
        raise OperationError(f"cannot {operation}: {error}") from error
    except InputError as error:
        raise OperationError(f"cannot {operation}: the deck is not whole: {error}") from error
