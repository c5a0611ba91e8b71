"""A game of a family that nobody here has seen, without decisions and without cards, lives its rounds all the same."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from dice_until_seven import DiceRound
from rounds_game import TERMS, game, paytable, wager

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.rounds.events import CardsDealt, deck_commitment
from certify.rounds.machine import Machine
from certify.rounds.play import Edition, Play, calmest, funds_for
from certify.rounds.policy import Policy
from certify.rounds.recall import NOT_OFFERED, missing_fields, record_of
from certify.rounds.state import Phase, Seat
from certify.rounds.store import Vault
from certify.rounds.table import view_of

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
THROWS = 4
DICE = replace(
    game(),
    id="seven-before-eleven",
    family="dice",
    wagers=(wager("seven", 500, paytable(made=1)),),
    equipment=DiceRound(THROWS).equipment,
)


@pytest.fixture
def machine():
    edition = Edition(DICE, Play(DICE, DiceRound(THROWS)), Policy.of(TERMS))
    return Machine({edition.sha256: edition}, edition.sha256, SteppedClock(START))


def dealt(machine, row):
    seat, first = machine.deposit(Seat("s"), 1000)
    seat, second = machine.place(seat, "seven", 100)
    seat, third = machine.deal(seat, machine.stakes_to_accept(seat, "deal"), row, "deal")
    return seat, [first, second, third]


def test_a_round_without_decisions_is_resolved_by_its_deal_and_settled(machine):
    seat, events = dealt(machine, (1, 2, 3, 2))  # 2 and 3, then 4 and 3
    assert seat.round.phase is Phase.RESOLVED
    assert view_of(seat).hands == (("table", (1, 2, 3, 2)),)
    assert isinstance(events[-1].body, CardsDealt)
    seat, settled = machine.settle(seat)
    assert (settled.body.results[0].outcome, seat.balance) == ("made", 1100)
    record = record_of("s", [*events, settled], "s-000001", machine.edition.play)
    assert record.hands == "table 2, 3, 4, 3"
    assert (record.shown_at_deal, record.stakes_added) == (NOT_OFFERED, NOT_OFFERED)
    # No session was opened here, and no software is named.
    missing = {name.split()[0] for name in missing_fields(record)}
    assert missing == {"session_id", "player_id", "location", "software_sha256"}


def test_a_round_whose_row_runs_out_is_refused_with_the_reason(machine):
    with pytest.raises(OperationError, match="cannot deal: the round asks die for more than the 4 draws"):
        dealt(machine, (0, 0, 0, 0))


def test_a_row_that_the_equipment_cannot_give_is_refused(machine):
    for row in ((6, 0, 0, 0), (0, 0, 0)):
        with pytest.raises(OperationError, match="not whole"):
            dealt(machine, row)


def test_nothing_is_decided_and_nothing_is_added(machine):
    play = machine.edition.play
    assert (play.decisions, play.adds_stakes, play.shows_others, calmest(play)) == ((), False, False, "")
    assert funds_for(play, (("seven", 100),)) == 100
    assert list(play.lines((1, 2, 3, 2))) == [()]


def test_a_commitment_to_items_above_255_differs_from_every_one_of_bytes():
    assert deck_commitment("s", (1, 0, 44)) != deck_commitment("s", (300,))
    assert deck_commitment("s-000001", tuple(range(40))).startswith("8e8d44d1b779687d")


def test_rows_of_several_decks_are_sealed():
    row = tuple(range(416))
    vault = Vault(bytes(32))
    assert vault.open("s", vault.seal("s", row)) == row
