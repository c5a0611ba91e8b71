"""The durable ledger, closed and opened again between any two commands, is the state machine."""

import itertools
from datetime import UTC, datetime
from pathlib import Path

import pytest
from representatives import firsts
from rounds_game import decks, game
from rounds_open_card_game import CASINO, KING

from certify.clock import SteppedClock
from certify.rounds.conformance.conform import at_tables, conform, explore
from certify.rounds.conformance.extras import Extra
from certify.rounds.conformance.setting import Setting
from certify.rounds.events import SessionOpened, Sitting
from certify.rounds.ledger import Ledger, LedgerRequest, id_of
from certify.rounds.play import edition_of
from certify.rounds.policy import AfterSettlement, Policy, VoidStakes
from certify.rounds.sqlite_store import SqliteStore
from certify.rounds.table import view_of
from certify.rounds.vault import Vault
from certify.rounds.voiding import Machine
from certify.submission import read_game

START = datetime(2026, 1, 1, 12, tzinfo=UTC)
OF_SEVERAL = read_game(Path(__file__).parents[2] / "fixtures/games/sept-et-demi/game.toml")


class LedgerSystem:
    """A ledger behind the port for systems under test; a restart precedes every command where asked for."""

    def __init__(self, paths, edition, balance, instant, restarts):
        self.path, self.restarts = next(paths), restarts
        self.clock = SteppedClock(instant)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.ledger = self.open()
        self.seat, self.view = "a", lambda: view_of(self.ledger.seat("a"))
        self.ledger.open("a", SessionOpened("p", "s", "IT", "EU"), balance)

    def open(self):
        return Ledger(SqliteStore(self.path), self.machine, Vault(bytes(32)), lambda _: self.deck)

    def set_clock(self, instant):
        self.clock.instant = instant

    def set_deck(self, deck):
        self.deck = deck

    def restart(self):
        self.ledger.close()
        self.ledger = self.open()

    def perform(self, command, key=""):
        if self.restarts:
            self.restart()
        return self.ledger.perform(LedgerRequest(self.seat, command, key))

    def gather(self, people, banker):
        self.ledger.gather("friends", dict(people), banker, Sitting("s", "IT", "EU"))
        self.seat, self.view = id_of("friends"), lambda: self.ledger.table("friends")
        return self


@pytest.fixture
def systems(tmp_path):
    """Returns a factory of ledgers, each in a file of its own that the next one closes."""
    paths, latest = (tmp_path / f"{number}.db" for number in itertools.count()), []

    def factory(restarts):
        def make(edition, balance, instant):
            for old in latest:
                old.ledger.close()
            latest[:] = [LedgerSystem(paths, edition, balance, instant, restarts)]
            return latest[0]

        return make

    yield factory
    for old in latest:
        old.ledger.close()


@pytest.mark.parametrize(
    ("played", "given", "count"),
    firsts([(game(), decks(8), 5), (game(), decks(8), 25), (CASINO, (*decks(6), KING), 25)]),
)
def test_stories_on_a_ledger_that_restarts_before_every_command(systems, played, given, count):
    report = conform(systems(restarts=True), edition_of(played), given, START, count=count, fixed=False)
    assert report.breach is None
    assert report.steps > 8 * count


@pytest.mark.slow
def test_stories_of_several_people_on_a_ledger_that_restarts_before_every_command(systems):
    offers = frozenset({Extra.TABLE})
    setting = Setting(edition_of(OF_SEVERAL), decks(6), START, 1000, offers, frozenset())
    search = at_tables(setting, systems(restarts=True))
    explore(search, 12, 7)
    assert search.shortest() == (None, (), True)
    assert search.setting.offers == {Extra.RESTART}
    assert search.steps > 60


@pytest.mark.slow
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("after", list(AfterSettlement))
@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_many_stories_under_every_policy(systems, restarts, after, stakes):
    edition = edition_of(game(), Policy(after_settlement=after, void_stakes=stakes))
    assert conform(systems(restarts), edition, decks(20), START, count=60, fixed=not restarts).breach is None
