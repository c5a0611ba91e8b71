"""The rules that ledger rounds are settled by and the reference round end every line of every deck alike."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from rounds_game import deck_from, decks
from rounds_open_card_game import CASINO, DEALER_KING, HOME, KING, LOSES, TIES, WINS

from certify.clock import SteppedClock
from certify.errors import InputError
from certify.families.open_card.round import play_open_card_round
from certify.families.open_card.rules import ANY_NUMBER, OpenCardRules, OpenCardTie, rules_of
from certify.model.paytable import Paytable
from certify.rounds.conformance.conform import conform
from certify.rounds.events import SessionOpened
from certify.rounds.play import edition_of, play_of
from certify.rounds.ledger import Ledger, Request
from certify.rounds.open_card import OpenCardPlay
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.system import view_of
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
FACES = deck_from(28, 4, 29, 30, 31, 32, 33, 34, 35, 37)
DECKS = (*decks(25), WINS, LOSES, TIES, KING, DEALER_KING, FACES)

PAYS = CASINO.wagers[0].paytable
THREE_TO_TWO = Paytable(
    tuple(replace(row, pays=Fraction(3, 2)) if row.id == "win" else row for row in PAYS.rows)
)
RULES = {
    "casino": rules_of(CASINO),
    "home": rules_of(HOME),
    "ante returned on a tie": replace(rules_of(CASINO), tie=OpenCardTie.ANTE_RETURNED),
    "ties lose": replace(rules_of(CASINO), tie=OpenCardTie.LOSE),
    "other final bets": replace(rules_of(CASINO), final_bets=(1, 3)),
    "final bet, then any number of cards": replace(rules_of(CASINO), player_maximum_cards=ANY_NUMBER),
    "no standing on one card": replace(rules_of(HOME), player_may_stand_on_first_card=False),
    "no standing at all": replace(rules_of(CASINO), player_may_stand_on_first_card=False),
    "dealer always draws": replace(rules_of(HOME), dealer_always_draws=True),
    "dealer draws on six": replace(rules_of(HOME), dealer_stands_on=13),
}


def lines(play, deck, prefix=()):
    options = play.position(deck, prefix).options
    if not options:
        yield prefix
    for option in options:
        yield from lines(play, deck, (*prefix, option))


def reference_of(deck, rules, paytable, line):
    taken = iter(line)
    return play_open_card_round(deck, rules, paytable, lambda cards, open_card: next(taken))


@pytest.mark.parametrize("paytable", [PAYS, THREE_TO_TWO], ids=["1:1", "3:2"])
@pytest.mark.parametrize("name", RULES)
def test_every_line_of_decisions_ends_as_in_the_reference_round(name, paytable):
    play = OpenCardPlay(RULES[name], paytable)
    outcomes, offered = set(), set()
    for deck in DECKS:
        for line in lines(play, deck):
            reference = reference_of(deck, RULES[name], paytable, line)
            (settled,) = play.settle(deck, line).values()
            assert (("ante", settled.outcome),) == reference.outcomes
            assert (("ante", settled.net),) == reference.net
            position = play.position(deck, line)
            assert (position.player, position.dealer) == (reference.player, reference.dealer)
            assert reference.decisions == line
            outcomes.add(settled.outcome.partition("-final-")[0])
            offered.update(line)
    assert {"king-of-diamonds", "dealer-king-of-diamonds", "win", "lose", "bust"} <= outcomes
    assert ("fold" in outcomes) is bool(RULES[name].final_bets)
    assert offered == set(play.decisions)


@pytest.mark.parametrize("name", RULES)
def test_the_open_card_lies_there_from_the_deal_on(name):
    play = OpenCardPlay(RULES[name], PAYS)
    for deck in DECKS:
        for line in lines(play, deck):
            for taken in range(len(line) + 1):
                position = play.position(deck, line[:taken])
                assert position.dealer[0] == deck[1]
                assert len(position.dealer) == 1 or not position.options


@pytest.mark.parametrize("name", RULES)
def test_decks_made_for_a_game_end_in_different_rows(name):
    play = OpenCardPlay(RULES[name], PAYS)
    reached = {
        play.settle(deck, line)["ante"].outcome.partition("-final-")[0]
        for deck in play.witnesses()
        for line in lines(play, deck)
    }
    assert {"king-of-diamonds", "dealer-king-of-diamonds", "win", "bust"} <= reached
    if name in ("casino", "home"):
        assert {"push", "lose"} <= reached


def test_lines_that_the_rules_do_not_know_are_refused():
    play = play_of(CASINO)
    for deck, line, message in (
        (WINS, (), "expected another one"),
        (WINS, ("hit",), "decision 1 was 'hit', expected one of fold, stand-1"),
        (WINS, ("hit-3",), "decision 1 was 'hit-3'"),
        (WINS, ("fold", "stand-1"), "2 decisions were recorded, expected 1: the hand was done"),
        (KING, ("stand-1",), "1 decisions were recorded, expected 0: the hand was done"),
    ):
        with pytest.raises(InputError, match=message):
            play.settle(deck, line)
    assert [play.final_bet(text) for text in ("fold", "hit", "hit-", "hit-0", "hit-3", "stand-x")] == [0] * 6
    assert OpenCardPlay(OpenCardRules(final_bets=()), PAYS).final_bet("hit-2") == 0


class LedgerSystem:
    """A ledger behind the port for systems under test, closed and opened again before every command."""

    def __init__(self, path, edition, balance, instant):
        self.path = path
        self.clock = SteppedClock(instant)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.ledger = self.open()
        self.ledger.open("a", SessionOpened("p", "s", "US", "market"), balance)

    def open(self):
        return Ledger(SqliteStore(self.path), self.machine, Vault(bytes(32)), lambda: self.deck)

    def set_clock(self, instant):
        self.clock.instant = instant

    def set_deck(self, deck):
        self.deck = deck

    def perform(self, command, key=""):
        self.ledger.close()
        self.ledger = self.open()
        return self.ledger.perform(Request("a", command, key))

    def view(self):
        return view_of(self.ledger.seat("a"))


def test_stories_on_a_ledger_that_restarts_before_every_command(tmp_path):
    numbers, latest = itertools.count(), []

    def make(edition, balance, instant):
        for old in latest:
            old.ledger.close()
        latest[:] = [LedgerSystem(tmp_path / f"{next(numbers)}.db", edition, balance, instant)]
        return latest[0]

    report = conform(make, edition_of(CASINO), (*decks(6), KING), START, count=20)
    latest[0].ledger.close()
    assert report.breach is None
    assert report.steps > 150
