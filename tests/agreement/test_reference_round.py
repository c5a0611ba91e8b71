"""Every reference round keeps its port, and campaigns play what is enumerated, here and on a cluster."""

import multiprocessing
import tomllib
from functools import cache
from pathlib import Path
from random import Random

import pytest
from cli_support import refuses
from dealing import stream_decks
from executor_work import Square
from hypothesis import given, strategies as st
from representatives import only

from certify.errors import InputError
from certify.executors import WorkerError, open_executor, parse_executor
from certify.executors.dask_cluster import DaskCluster
from certify.executors.port import Pooled
from certify.families import Chance, Settled, driver, family, reachable_rows, witnesses
from certify.mathematics import analyze
from certify.model.points import SearchGivenUpError, walk
from certify.simulation import run_campaign
from certify.submission import read_game


def family_named(path):
    """The family of a game, which needs no more of its file than the id; each worker would read all of them."""
    return family(tomllib.loads(path.read_text("utf-8"))["game"]["family"])


FAMILIES = {
    path.parent.name: found
    for path in sorted(Path("fixtures/games").glob("*/game.toml"))
    # Rounds that win many times come to more points than are walked: their tests are their family's.
    if "paytable" not in (found := family_named(path)).form.derives
}


@cache
def game_of(name):
    return read_game(Path("fixtures/games") / name / "game.toml")


@cache
def reference_of(name):
    return FAMILIES[name].reference(game_of(name))


HEAVY = {"let-it-ride", "mississippi-stud", "keno-card", "roulette-layout", "craps-layout"}
"""Games whose texts take half a minute to be walked, and wide layouts of games that stand here with fewer wagers."""

FIRST = {
    "casino-war",
    "roulette-en-prison",
    *{found.id: name for name, found in sorted(FAMILIES.items(), reverse=True) if name not in HEAVY}.values(),
}
"""The first game of each family, one more with decisions and one that waits: what a quick run looks at."""


def of_each_family(games):
    return [pytest.param(game, marks=[pytest.mark.slow] * (game not in FIRST)) for game in sorted(games)]


every_game = pytest.mark.parametrize("game", of_each_family(FAMILIES))
TOO_MANY_POINTS = {
    *("deuces-wild-full-pay", "jacks-or-better-8-5", "jacks-or-better-9-6", "joker-poker-kings"),
    *("three-card-poker", "caribbean-stud", "three-card-bonuses", "blackjack-no-hole-card"),
    *("casino-holdem", "texas-holdem-bonus", "ultimate-texas-holdem"),
}
"""Games whose rounds have more points than a walk looks at: recipes, or hands found by counting, show their rows."""


def rows_of(equipment):
    """Rows that the pieces of a game can give, at random, so that rounds which wait for a face come to an end."""

    def row(seed):
        chance = Random(seed)  # noqa: S311 - any rows will do
        return tuple(
            item
            for piece in equipment
            for item in (
                chance.choices(range(piece.size), k=piece.supply)
                if piece.replaced
                else chance.sample(range(piece.size), piece.supply)
            )
        )

    return st.integers(0, 2**64).map(row)


@every_game
@given(data=st.data())
def test_a_round_is_its_draws_and_decisions_and_replays_from_them(game, data):
    reference = reference_of(game)
    row = data.draw(rows_of(reference.equipment))
    decided = driver.play(reference, row, lambda choice: data.draw(st.sampled_from(choice.ids)))
    again = driver.play(reference, row, decided.decisions)
    assert (again, again.trace) == (decided, decided.trace)
    assert driver.position(reference, row, decided.decisions).results == decided.results
    for taken in range(len(decided.decisions)):
        position = driver.position(reference, row, decided.decisions[:taken])
        assert decided.decisions[taken] in position.choice.ids
    with pytest.raises(InputError, match="nothing was left to decide"):
        driver.position(reference, row, (*decided.decisions, "stand"))


@every_game
@given(data=st.data())
def test_faces_that_are_alike_lead_to_states_that_matter_alike(game, data):
    reference = reference_of(game)
    row = data.draw(rows_of(reference.equipment))
    drawn = []
    for step in driver.steps(reference, row, lambda choice: data.draw(st.sampled_from(choice.ids))):
        if not isinstance(step.node, Chance):
            continue
        (piece,) = reference.equipment
        left = [
            face for face, copies in enumerate(piece.copies) if piece.replaced or copies > drawn.count(face)
        ]
        groups = {}
        for face in left:
            after = reference.matters(reference.drawn(step.state, face))
            groups.setdefault(reference.alike(step.state, face), set()).add(after)
        assert all(len(after) == 1 for after in groups.values())
        assert step.face is not None
        drawn.append(step.face)


@every_game
def test_what_a_choice_shows_never_depends_on_a_hidden_face(game):
    reference = reference_of(game)
    (piece,) = reference.equipment
    # Every item in turn: a row of one face alone would not end every wait.
    row = [draw % piece.size for draw in range(piece.supply)]
    first = driver.position(reference, row, ())
    for place in range(2, len(row)):
        other = [*row]
        other[1], other[place] = other[place], other[1]
        changed = driver.position(reference, other, ())
        if first.choice is None or changed.choice is None:
            continue
        hidden = [hand for hand in first.hands if hand.hidden]
        if hidden:
            assert changed.choice == first.choice


@pytest.mark.parametrize("game", of_each_family(set(FAMILIES) - TOO_MANY_POINTS))
def test_a_shortest_round_is_found_for_every_row_of_the_paytables(game):
    reference, row_of = reference_of(game), FAMILIES[game].rules.row_of
    missing = {(wager.id, row) for wager in game_of(game).wagers for row in wager.paytable.ids}
    for reached in walk(reference):
        if not isinstance(reached.node, Settled):
            continue
        new = {(result.wager, row_of(result.outcome)) for result in reached.node.results} & missing
        if new:
            played = driver.play(reference, reached.row(reference.equipment), reached.decisions)
            assert played.results == reached.node.results
            missing -= new
        if not missing:
            return
    pytest.fail(f"no round was found for {missing}")


@pytest.mark.parametrize("game", only(sorted(TOO_MANY_POINTS - {"caribbean-stud"}), "deuces-wild-full-pay"))
def test_where_a_walk_meets_too_many_points_recipes_show_every_row(game):
    reference, rules = reference_of(game), FAMILIES[game].rules
    with pytest.raises(SearchGivenUpError, match="more than 1,000 different points"):
        list(walk(reference, most=1_000))
    shown = {
        (found.wager, rules.row_of(driver.play(reference, found.deck, found.decisions).outcome(found.wager)))
        for found in witnesses(game_of(game), reachable_rows(game_of(game)))
    }
    assert shown >= {(wager.id, row) for wager in game_of(game).wagers for row in wager.paytable.ids}


def test_a_decision_that_is_not_offered_or_lacks_is_refused_by_name_and_hands():
    refuses(
        InputError,
        (
            "decision 1 of the player was 'swap', expected one of stand, hit",
            lambda: driver.play(reference_of("playtech-7-e-mezzo"), range(40), ("swap",)),
        ),
        (
            "holds 0 decisions, expected one more at player A of diamonds",
            lambda: driver.play(reference_of("us5632489-home"), range(40), ()),
        ),
    )


GAME = Path("fixtures/games/roulette-single-zero/game.toml")
"""A game that each process counts and begins to play at once."""
DECKS = stream_decks(b"tests of the cluster, thirty-two")


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("distributed")
    with DaskCluster("local:2") as pool:
        yield pool


def campaign(**options):
    game = read_game(GAME)
    return run_campaign(game, analyze(game).strategy, 20_000, deal=DECKS, chunk_rounds=500, **options)


def test_a_campaign_on_a_cluster_is_the_same(cluster):
    executor = Pooled(cluster, checked_in=4)
    assert campaign(executor=executor) == campaign()
    ran = executor.execution()
    assert (ran.executor, ran.chunks, len(ran.workers)) == ("dask:local:2", 40, 2)
    assert ran.checked >= 1


def test_a_worker_that_counts_otherwise_stops_the_run_by_its_name(cluster, tmp_path):
    with pytest.raises(WorkerError, match=r"chunk 5: \S+ counted otherwise"):
        list(Pooled(cluster, checked_in=1).map(Square(str(tmp_path), "lies"), range(20)))


def _scheduler(address):
    import time

    from distributed import LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        address.put(cluster.scheduler_address)
        time.sleep(600)


@pytest.mark.slow
def test_a_campaign_whose_scheduler_dies_goes_on_from_what_was_kept(tmp_path):
    context = multiprocessing.get_context("spawn")
    address = context.Queue()
    scheduler = context.Process(target=_scheduler, args=(address,))
    scheduler.start()
    try:
        with open_executor(parse_executor(f"dask:{address.get(timeout=60)}")) as executor:
            told = iter(range(100))

            def kill(done, total):
                if next(told) == 5:
                    scheduler.kill()

            with pytest.raises(WorkerError, match="what was done is kept with --resume"):
                campaign(executor=executor, resume=tmp_path, progress=kill)
    finally:
        scheduler.kill()
    assert 5 < len(list(tmp_path.iterdir())) < 40
    assert campaign(resume=tmp_path) == campaign()


def test_where_no_scheduler_answers_it_is_said(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("certify.executors.dask_cluster._CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match="no scheduler answers there"):
        open_executor(parse_executor("dask:tcp://127.0.0.1:9")).__enter__()
