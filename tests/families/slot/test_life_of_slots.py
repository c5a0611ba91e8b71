"""A series of free games is lived game by game: broken off, resumed, void by a malfunction, left until its term."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
from representatives import firsts
from rounds_faulty import (
    DealsBesideAnOpenRound,
    DecidesAfterTerm,
    Faulty,
    NeverRefunds,
    faulty,
    with_days,
)
from small_slots import LINES, small
from test_hold_and_win import GAME as HOLD

from certify.certification.round_narratives import narrated_rounds
from certify.families.driver import play, standing
from certify.families.port import Choice
from certify.families.registry import family_of
from certify.model.finding import Verdict
from certify.model.game import Game
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.exercise import exercise
from certify.rounds.play import Play, edition_of
from certify.rounds.system import reference_system
from certify.rounds.table import Reply, SeatAction

FREE = small(LINES.replace("games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6"))
GAMBLED = small(f'{LINES}\n[gamble]\nchance = "1/3"\nmultiplies = "2"\nsteps = 3\n')
LIMITED = small(
    LINES.replace("[slot]", '[slot]\nmost = "12"').replace(
        "games = [0, 2, 4]", "games = [0, 2, 4]\nmost_games = 6"
    )
)
START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)


def rows(game: Game, many: int, seed: int = 1) -> list[tuple[int, ...]]:
    """Returns rows of draws of a game."""
    draw = random.Random(seed)  # noqa: S311 - a test repeats its rounds
    equipment = family_of(game).reference(game).equipment
    return [
        tuple(draw.randrange(piece.size) for piece in equipment for _ in range(piece.supply))
        for _ in range(many)
    ]


def series(game: Game) -> tuple[int, ...]:
    """Returns a row whose round plays free games and wins in the first two steps."""
    lived = edition_of(game).play
    return next(row for row in rows(game, 500) if won_early(lived, row))


def won_early(lived: Play, row: tuple[int, ...]) -> bool:
    before, after = lived.position(row, ()), None
    if before.options == ("go-on",):
        after = lived.position(row, ("go-on",))
    return (
        after is not None
        and after.options == ("go-on",)
        and 0 != dict(before.hands).get("coins won", ()) != dict(after.hands).get("coins won", ())
    )


@pytest.mark.parametrize(
    "game", firsts([GAMBLED, LIMITED, FREE, HOLD], 2), ids=["gamble", "limit", "free games", "hold and win"]
)
def test_a_round_that_is_lived_ends_as_the_round_that_is_counted(game: Game) -> None:
    lived, reference = edition_of(game).play, family_of(game).reference(game)
    paused = 0
    for row in rows(game, 200):
        # The least committing line collects what was won.
        line = next(lived.lines(row))
        (ended,) = play(reference, row, ()).results
        assert lived.settle(row, line)["main"] == ended
        paused += line.count("go-on")
    assert paused > 40


def test_between_two_games_the_window_the_win_and_the_games_left_are_in_sight() -> None:
    lived, row = edition_of(FREE).play, series(FREE)
    position = lived.position(row, ())
    assert [holder for holder, _ in position.hands] == [
        "reel 1",
        "reel 2",
        "reel 3",
        "coins won",
        "games left",
    ]
    (left,) = dict(position.hands)["games left"]
    assert dict(lived.position(row, ("go-on",)).hands)["games left"][0] >= left - 1
    window = [lived.names(dict(position.hands)[f"reel {reel}"], f"reel {reel}") for reel in (1, 2, 3)]
    told = play(family_of(FREE).reference(FREE), row, ()).trace[0]
    for names in window:
        for name in names:
            assert name.split()[0] in told or name.split()[0] in {"a", "b", "c", "star", "wild"}


def test_a_win_that_is_staked_again_is_multiplied_or_lost_and_can_be_left_open() -> None:
    lived = edition_of(GAMBLED).play
    ends: set[Fraction] = set()
    for row in rows(GAMBLED, 60):
        base = next(lived.lines(row))
        if not base or base[-1] != "collect":
            continue
        kept = 1 + lived.settle(row, base)["main"].net
        for line in lived.lines(row, base[:-1]):
            result = lived.settle(row, line)["main"]
            assert sum(award.contribution for award in result.awards) == 1 + result.net
            ends.add((1 + result.net) / kept)
    assert ends == {Fraction(0), Fraction(1), Fraction(2), Fraction(4), Fraction(8)}


def test_a_limit_that_is_reached_within_a_series_is_never_passed_in_sight() -> None:
    lived, reached = edition_of(LIMITED).play, 0
    most = 12 * 3  # total bets of three lines at a coin each
    for row in rows(LIMITED, 150):
        line = next(lived.lines(row))
        seen = [
            dict(lived.position(row, line[:place]).hands)["coins won"][0] for place in range(len(line) + 1)
        ]
        assert max(seen) <= most
        reached += bool(line) and max(seen) == most
        assert lived.settle(row, line)["main"].net == Fraction(seen[-1], 3) - 1
    assert reached


class ForgetsTheWin(Faulty):
    """Shows nothing won once its player is back."""

    def act(self, command: Any) -> Reply:
        reply = self.sound(command)
        current = self.seat.round
        if reply.done and command.action is SeatAction.RESUME and current and current.options:
            hands = tuple(
                (holder, (0,) if holder == "coins won" else faces) for holder, faces in current.hands
            )
            return self.change(round=replace(current, hands=hands))
        return reply


class PlaysAGameAgain(Faulty):
    """Takes back the last free game at a return."""

    def act(self, command: Any) -> Reply:
        reply = self.sound(command)
        current = self.seat.round
        if (
            reply.done
            and command.action is SeatAction.RESUME
            and current
            and current.options
            and current.decisions
        ):
            before = self.machine.edition.play.position(current.deck, current.decisions[:-1])
            return self.change(
                round=replace(
                    current,
                    decisions=current.decisions[:-1],
                    hands=before.hands,
                    options=before.options,
                )
            )
        return reply


class PaysTheSeriesSoFar(Faulty):
    """Pays what was won where a malfunction broke a series off."""

    def act(self, command: Any) -> Reply:
        current = self.seat.round
        reply = self.sound(command)
        if reply.done and command.action is SeatAction.MALFUNCTION and current and current.options:
            return self.change(balance=self.seat.balance + dict(current.hands)["coins won"][0])
        return reply


FAULTS = {
    "forgets what was won": (faulty(ForgetsTheWin), "resume"),
    "plays a game again": (faulty(PlaysAGameAgain), "resume"),
    "pays the series so far": (faulty(PaysTheSeriesSoFar), "malfunction-awaiting-decision"),
    "never refunds": (faulty(NeverRefunds), "malfunction-awaiting-decision"),
    "plays on after the term": (faulty(DecidesAfterTerm), "settle-after-term"),
    "keeps the feature 91 days": (with_days(91), "unresolved-at-term"),
    "spins beside an open series": (faulty(DealsBesideAnOpenRound), "one-round-at-a-time"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_system_that_breaks_a_series_is_found(name: str) -> None:
    system, situation = FAULTS[name]
    found = exercise(FREE, [series(FREE)], START, system=system)
    blamed = {one.id for one in found.situations if one.verdict is Verdict.NOT_SATISFIED}
    assert situation in blamed, blamed


@pytest.mark.parametrize("game", [FREE, GAMBLED, HOLD], ids=["free games", "gamble", "hold and win"])
def test_the_reference_keeps_every_promise_within_a_series(game: Game) -> None:
    found = exercise(game, [series(FREE)] if game is FREE else rows(game, 3), START)
    assert {one.verdict for one in found.situations} == {Verdict.SATISFIED}, [
        (one.id, one.observed) for one in found.situations if one.verdict is not Verdict.SATISFIED
    ]


STORIES = {
    "forgets what was won": PromiseId.CARDS,
    "pays the series so far": PromiseId.RETURNED_ONCE,
}


@pytest.mark.parametrize("name", firsts(STORIES))
def test_stories_find_it_too(name: str) -> None:
    decks = list(islice((row for row in rows(FREE, 500) if won_early(edition_of(FREE).play, row)), 4))
    found = conform(FAULTS[name][0], edition_of(FREE), decks, START, count=400)
    assert found.breach is not None
    assert found.breach.promise is STORIES[name]


@pytest.mark.parametrize("game", firsts([FREE, HOLD]), ids=["free games", "hold and win"])
def test_the_reference_keeps_every_promise_of_the_stories(game: Game) -> None:
    found = conform(reference_system, edition_of(game), rows(game, 4), START, count=20)
    assert found.verdict is Verdict.SATISFIED


def test_the_round_that_is_told_breaks_off_within_a_series() -> None:
    quiet = next(row for row in rows(FREE, 50) if not edition_of(FREE).play.position(row, ()).options)
    voided, expired = narrated_rounds(edition_of(FREE), quiet, START)
    assert [step.decision for step in voided.steps if step.action == "decide"] == ["go-on"]
    for told in (voided, expired):
        assert any(one.startswith("reel 1: ") for one in told.steps[-1].hands)
        assert any(one.startswith("games left: ") for one in told.steps[-1].hands)


def test_a_game_without_features_is_never_left_open() -> None:
    rules = replace(FREE.rules, free_games=())  # type: ignore[type-var]
    game = replace(FREE, rules=rules, id="without-features")
    lived = edition_of(game).play
    assert lived.decisions == ()
    assert not any(isinstance(standing(lived.reference, row, ()).node, Choice) for row in rows(game, 50))
    # A known result stands: no round void by its term is told of it.
    assert [told.ending for told in narrated_rounds(edition_of(game), rows(game, 1)[0], START)] == ["voided"]
