"""Campaigns: the same totals whoever plays, resumable, and each different row counted once."""

import json
from dataclasses import replace
from functools import cache
from math import prod
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from cli_support import refuses
from dealing import stream_decks
from whole_decks import WholeDecks

from certify.certification.cross_checks import card_by_card
from certify.errors import InputError, NothingCheckedError
from certify.executors import Execution, WorkerError
from certify.families import LazyCounter, TwinnedCounter, family
from certify.families.one_decision.play import CellCounter
from certify.kit.agreement import _as_faces
from certify.mathematics import exact_of
from certify.model import JointCounts, Kind, strip
from certify.simulation import CampaignTally, ChunkResult, PlayedPoint, log_spaced, run_campaign, volume_of
from certify.submission import read_game

DECKS = stream_decks(b"tests of the campaign, 32 bytes.")
GAME = read_game(Path("fixtures/games/playtech-7-e-mezzo/game.toml"))
ROUNDS = 2_500


@cache
def strategy(total="4.5"):
    return exact_of(GAME).analyze(GAME, f"stand-on:{total}").strategy


@cache
def counter():
    """What plays the game: made when a test wants it, for a text is proved first."""
    return volume_of(GAME).counter(GAME, strategy())


@pytest.fixture(scope="module")
def game():
    return GAME


def campaign(game, **options):
    return run_campaign(game, strategy(), ROUNDS, deal=DECKS, chunk_rounds=400, **options)  # type: ignore[arg-type]


class Backwards:
    """Plays the chunks in reverse, as a cluster might, and hands them back in order unless told otherwise."""

    name = "backwards"

    def __init__(self, *, in_order=True):
        self.in_order = in_order

    def map(self, work, items):
        played = [work(item) for item in reversed(list(items))]
        return reversed(played) if self.in_order else iter(played)

    def execution(self):
        return Execution(self.name)


@pytest.mark.slow
def test_totals_do_not_depend_on_workers(game):
    assert campaign(game, workers=2) == campaign(game)


def test_totals_do_not_depend_on_order(game):
    alone = campaign(game)
    assert campaign(game, executor=Backwards()) == alone
    assert alone.streams == 7
    assert alone.joint.rounds == alone.rounds == ROUNDS


def test_totals_are_those_of_the_reference_round(game):
    played = campaign(game)
    lazy = counter()
    assert isinstance(lazy, LazyCounter)
    ended = [
        outcomes
        for index, size in enumerate([400] * 6 + [100])
        for outcomes in card_by_card(game.port.reference(game), lazy, strategy(), DECKS.words(index), size)
    ]
    assert played.joint == JointCounts.of_outcomes(counter().axes, ended)
    assert sum(played.counts("main").values()) == ROUNDS


def test_a_campaign_on_decks_shuffled_by_others_plays_each_deck_once(game):
    whole, twinned = (
        run_campaign(game, strategy(), ROUNDS, deal=WholeDecks(DECKS), chunk_rounds=1_400),
        counter(),
    )
    assert isinstance(twinned, TwinnedCounter)
    ended = [
        outcomes
        for index, size in enumerate([1_400, 1_100])
        for outcomes in twinned.twin(DECKS.deal(index, size))
    ]
    assert whole.joint == JointCounts.of_outcomes(counter().axes, ended)
    lazy = run_campaign(game, strategy(), ROUNDS, deal=DECKS, chunk_rounds=1_400)
    assert whole.configuration != lazy.configuration


def test_a_source_of_too_few_decks_is_refused(game):
    class Short:
        purpose, seed = DECKS.purpose, DECKS.seed

        def deal(self, stream_index, count):
            return DECKS.deal(stream_index, count - 1)

    with pytest.raises(InputError, match="dealt 2499 decks, expected 2500"):
        run_campaign(game, strategy(), ROUNDS, deal=WholeDecks(Short()))


def test_convergence_points_are_counts_of_the_first_rounds(game):
    fine = run_campaign(game, strategy(), 6_000, deal=DECKS, chunk_rounds=6_000)
    wanted = [1_000, 1_250, 1_600, 2_000, 2_500, 3_150, 4_000, 5_000, 6_000]
    assert [point.rounds for point in fine.points] == wanted
    first = run_campaign(game, strategy(), 2_000, deal=DECKS, chunk_rounds=2_000)
    assert fine.points[3].joint == first.joint
    assert [point.rounds for point in campaign(game).points] == [1_200, 1_600, 2_000, 2_500]
    assert log_spaced(1_000) == ()


def test_a_broken_campaign_goes_on_from_its_folder(game, tmp_path):
    whole = campaign(game, resume=tmp_path)
    (tmp_path / "chunk-000003.json").unlink()
    dealt = []

    class Counting:
        purpose, seed, dealing = DECKS.purpose, DECKS.seed, DECKS.dealing

        def rounds(self, stream_index, count):
            dealt.append(stream_index)
            return DECKS.rounds(stream_index, count)

    again = run_campaign(game, strategy(), ROUNDS, deal=Counting(), chunk_rounds=400, resume=tmp_path)
    assert again == whole == campaign(game)
    assert dealt == [3]
    assert not list(tmp_path.glob("*.part"))


def test_results_of_another_campaign_are_refused(game, tmp_path):
    campaign(game, resume=tmp_path)
    for other in (
        {"deal": stream_decks(bytes(32))},
        {"deal": DECKS, "chunk_rounds": 401},
        {"deal": WholeDecks(DECKS)},
    ):
        with pytest.raises(InputError, match="another campaign"):
            run_campaign(game, strategy(), ROUNDS, resume=tmp_path, **{"chunk_rounds": 400, **other})  # type: ignore[arg-type]
    with pytest.raises(InputError, match="another campaign"):
        run_campaign(game, strategy("4"), ROUNDS, deal=DECKS, chunk_rounds=400, resume=tmp_path)


@pytest.mark.parametrize("damage", ["count", "index", "text", "cell", "float"])
def test_a_damaged_result_is_refused(game, tmp_path, damage):
    campaign(game, resume=tmp_path)
    path = tmp_path / "chunk-000001.json"
    document = json.loads(path.read_text())
    counts = document["joint"]["cells"]
    cells = sorted(counts, key=counts.__getitem__)
    if damage == "count":
        counts[cells[-1]] -= 1
        counts[cells[-2]] += 1
    elif damage == "index":
        document["index"] = 2
    elif damage == "cell":
        counts[str(prod(len(outcomes) for _, outcomes in counter().axes))] = counts.pop(cells[-1])
    elif damage == "float":
        counts[cells[-1]] += 0.0
    path.write_text(json.dumps(document) if damage != "text" else "{")
    with pytest.raises(InputError, match=r"chunk-000001\.json"):
        campaign(game, resume=tmp_path)


def test_a_result_under_the_number_of_another_chunk_is_refused(game, tmp_path):
    campaign(game, resume=tmp_path)
    # Whole in itself, but counted twice it would stand for rounds that were never played.
    (tmp_path / "chunk-000002.json").write_bytes((tmp_path / "chunk-000001.json").read_bytes())
    with pytest.raises(InputError, match=r"chunk-000002\.json"):
        campaign(game, resume=tmp_path)


def result(index, cell):
    return ChunkResult(index, 10, JointCounts(counter().axes, ((cell, 10),)), ())


def made_up(result, **values):
    """A result as a worker may send it: written down by hand, its own checks never run."""
    forged = object.__new__(ChunkResult)
    for name in ("index", "rounds", "joint", "points"):
        object.__setattr__(forged, name, values.get(name, getattr(result, name)))
    return forged


def counts_of(axes, cells):
    forged = object.__new__(JointCounts)
    object.__setattr__(forged, "axes", axes)
    object.__setattr__(forged, "cells", cells)
    return forged


LIES = {
    "more rounds": lambda one: made_up(one, rounds=one.rounds + 1),
    "wins that nobody played": lambda one: made_up(one, joint=counts_of(one.joint.axes, ((0, 10**6),))),
    "a loss less than none": lambda one: made_up(
        one, joint=counts_of(one.joint.axes, ((0, one.rounds + 5), (1, -5)))
    ),
    "an outcome that the game does not have": lambda one: made_up(
        one, joint=counts_of(one.joint.axes, ((10**9, one.rounds),))
    ),
    "a chunk that is none": lambda one: made_up(one, index=-1),
    "counts on the way that nobody asked for": lambda one: made_up(
        one, points=(*one.points, PlayedPoint(one.rounds, one.joint))
    ),
    "no result": lambda one: None,
}


@pytest.mark.parametrize("lie", LIES)
def test_a_result_that_no_chunk_can_have_stops_the_run(game, lie):
    class Lies(Backwards):
        def map(self, work, items):
            return iter([LIES[lie](work(item)) for item in items])

    with pytest.raises(WorkerError, match="came back"):
        campaign(game, executor=Lies())


def test_the_result_of_another_chunk_stops_the_run(game):
    # The totals would be the same, and what they were on the way another one.
    with pytest.raises(WorkerError, match="chunk 0 came back with other rounds or outcomes than it has"):
        campaign(game, executor=Backwards(in_order=False))


def test_two_campaigns_in_one_folder_at_once_accuse_no_worker(game, tmp_path):
    class Beside(Backwards):
        def map(self, work, items):
            played = super().map(work, items)
            yield next(played)
            campaign(game, resume=tmp_path)
            yield from played

    assert campaign(game, executor=Beside(), resume=tmp_path) == campaign(game)


def test_a_tally_takes_a_chunk_once_and_refuses_a_conflict():
    tally = CampaignTally(JointCounts(counter().axes))
    tally.add(result(0, 3))
    tally.add(result(4, 3))
    tally.add(result(0, 3))
    assert (tally.rounds, tally.joint.cells, tally.chunks) == (20, ((3, 20),), (0, 4))
    refuses(
        InputError,
        ("chunk 0 has two results", lambda: tally.add(result(0, 5))),
        ("expected 11", lambda: replace(result(0, 3), rounds=11)),
    )


def test_an_empty_campaign_is_never_a_pass(game):
    with pytest.raises(NothingCheckedError, match="0 rounds"):
        run_campaign(game, strategy(), 0, deal=DECKS)
    with pytest.raises(InputError, match="siete-y-media"):
        run_campaign(replace(game, port=family("siete-y-media")), strategy(), 10, deal=DECKS)


def test_progress_is_told_after_every_chunk(game):
    told = []
    campaign(game, progress=lambda done, total: told.append((done, total)))
    assert told == [(min(400 * chunk, ROUNDS), ROUNDS) for chunk in range(1, 8)]


@pytest.mark.parametrize(("takes_faces", "noticed"), [(True, True), (False, False)])
def test_a_play_through_that_takes_items_for_faces_is_told_so(takes_faces, noticed):
    reel = strip("reel", Kind.REEL, ("bar", "7", "bar", "7"), 1)
    rows = [(item,) for item in range(4)]

    def codes(given):
        # A seven wins; whoever takes an item for a face knows the first two alone.
        return (given[:, 0] == 1 if takes_faces else given[:, 0] % 2 == 1).astype(np.int64)

    counter = CellCounter((("bet", ("lose", "win")),), {0: ("lose",), 1: ("win",)}, codes, 1)
    subject = SimpleNamespace(
        reference=SimpleNamespace(equipment=(reel,)),
        rows=rows,
        table=lambda rows: np.array(rows, dtype=np.uint8),
        played=lambda name: [
            SimpleNamespace(outcomes={"bet": "win" if reel.name_of(item) == "7" else "lose"})
            for (item,) in rows
        ],
    )
    compiled = counter.outcomes(subject.table(rows))
    assert _as_faces(subject, "any", counter, compiled) is noticed
