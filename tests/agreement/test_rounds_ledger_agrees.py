"""Rounds on a durable ledger and on given rows are those of the state machine and of the reference round."""

import itertools
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from representatives import firsts, only
from rounds_game import decks, game
from rounds_open_card_game import CASINO, KING

from certify.certification import cross_checks
from certify.certification.output_tests import draw_of
from certify.clock import SteppedClock
from certify.mathematics import analyze
from certify.model import MAIN_OPTIMAL
from certify.rounds import (
    AfterSettlement,
    Ledger,
    LedgerRequest,
    Machine,
    Policy,
    SessionOpened,
    Vault,
    VoidStakes,
    edition_of,
    ledger_at,
    view_of,
)
from certify.rounds.conformance.conform import conform
from certify.simulation import ReferenceVolume
from certify.submission import read_game
from rng.battery.result import TestResult
from rng.battery.verdict import conclude
from rng.draws import draw_many
from rng.streams import stream

START = datetime(2026, 1, 1, 12, tzinfo=UTC)


class LedgerSystem:
    """A ledger behind the port for systems under test; a restart precedes every command where asked for."""

    def __init__(self, paths, edition, balance, instant, restarts):
        self.path, self.restarts = next(paths), restarts
        self.clock = SteppedClock(instant)
        self.machine = Machine({edition.sha256: edition}, edition.sha256, self.clock)
        self.ledger = self.open()
        self.ledger.open("a", SessionOpened("p", "s", "IT", "EU"), balance)

    def open(self):
        return Ledger(ledger_at(self.path), self.machine, Vault(bytes(32)), lambda _: self.deck)

    def view(self):
        return view_of(self.ledger.seat("a"))

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
        return self.ledger.perform(LedgerRequest("a", command, key))


@pytest.fixture
def systems(place, request, tmp_path):
    """Returns a factory of ledgers, each in a file or schema of its own that the next one closes."""
    files = (tmp_path / f"{number}.db" for number in itertools.count())
    others = (request.getfixturevalue("server").fresh() for _ in itertools.count())
    paths, latest = files if isinstance(place, Path) else others, []

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
@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("after", list(AfterSettlement))
@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_many_stories_under_every_policy(systems, restarts, after, stakes):
    edition = edition_of(game(), Policy(after_settlement=after, void_stakes=stakes))
    assert conform(systems(restarts), edition, decks(20), START, count=60, fixed=not restarts).breach is None


GAMES = Path("fixtures/games")
ROUNDS = 4_000


@pytest.mark.parametrize(
    "name",
    only(sorted(p.parent.name for p in GAMES.glob("*/game.toml")), "big-six", "us5632489-casino"),
)
def test_rounds_of_every_family_are_looked_at_in_order(name):
    game = read_game(GAMES / name / "game.toml")
    analysis = analyze(game, MAIN_OPTIMAL)
    rows = np.asarray(draw_many(stream(bytes(32), "battery-calibration", 5), draw_of(game.equipment), ROUNDS))
    good = list(cross_checks.wager_tests(game, analysis, rows))
    assert {"between-rounds", "over-time"} <= {one.test for one in good}
    assert conclude(good).word != "not satisfied"
    # Every fourth round is dealt as the one before.
    rows[4::4] = rows[3:-1:4]
    found = {one.test: one for one in cross_checks.wager_tests(game, analysis, rows)}
    between = found["between-rounds"]
    assert isinstance(between, TestResult)
    assert min(between.p_values) * len(between.p_values) < 1e-6


def test_the_reference_round_comes_to_the_same(monkeypatch):
    game = read_game(GAMES / "big-six" / "game.toml")
    analysis = analyze(game, MAIN_OPTIMAL)
    rows = np.asarray(draw_many(stream(bytes(32), "battery-calibration", 6), draw_of(game.equipment), 500))
    compiled = cross_checks.played(game, analysis, rows)
    monkeypatch.setattr(cross_checks, "volume_of", lambda _game: ReferenceVolume())
    monkeypatch.setattr(cross_checks, "has_own_volume", lambda _game: False)
    monkeypatch.setattr(cross_checks, "MOST_PLAIN", 300)
    plain = cross_checks.played(game, analysis, rows)
    for one, other in zip(compiled, plain, strict=True):
        assert (one.name, one.outcomes, one.law) == (other.name, other.outcomes, other.law)
        assert one.seen[:300].tolist() == other.seen.tolist()
