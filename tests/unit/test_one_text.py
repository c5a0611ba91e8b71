"""What rests on one text is said: in what is volume, in what is independent and as a condition of the certificate."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from engine_rounds import DiceRound, Roulette
from report_evidence import stored

from certify.analysis.engine.distribution import counting_order
from certify.analysis.engine.walk import walk
from certify.certification import findings
from certify.certification.exact import not_established
from certify.clauses.checks.generator import state_size
from certify.errors import InputError
from certify.families import SteppedRound
from certify.families.slot.reference import SlotRound
from certify.kit.run import missing
from certify.mathematics import possible as module
from certify.mathematics.possible import LookedAt, looked_at, most_draws, some_events
from certify.messages import speaking
from certify.model import Verdict
from certify.report.chapters.simulation import simulation
from certify.report.view import read_evidence
from certify.simulation import volume
from certify.submission import read_game

GAMES = Path(__file__).parents[2] / "fixtures/games"
AT_HAND = 384


@pytest.fixture(scope="module")
def eight_decks():
    return read_game(GAMES / "baccarat-ez/game.toml")


def answered(game, state_bits=AT_HAND):
    facts = SimpleNamespace(
        rng=SimpleNamespace(stated=SimpleNamespace(state_bits=state_bits, seed_bits=AT_HAND)), game=game
    )
    (answer,) = state_size(facts)
    return answer


def test_a_shoe_of_416_cards_is_looked_at_six_cards_deep_though_nobody_says_so(eight_decks):
    assert not hasattr(eight_decks.port, "looked_at")
    (seen,) = looked_at(eight_decks, AT_HAND).equipment
    assert (seen.size, seen.supply) == (416, 6)
    answer = answered(eight_decks)
    assert (answer.verdict, answer.reason) == (Verdict.SATISFIED, "")
    assert answer.expected.startswith("at least log2(416!/410!) = 52.15 bits of state")


def test_a_state_too_small_for_six_cards_is_still_found(eight_decks):
    assert answered(eight_decks, 52).verdict is Verdict.NOT_SATISFIED


def test_a_round_that_cannot_be_walked_is_inconclusive_and_says_why(eight_decks, monkeypatch):
    def gives_up(family):
        raise InputError("the round has more than 10 states")

    monkeypatch.setattr(module, "engine_of", gives_up)
    answer = answered(replace(eight_decks, id="not-walked-before"))
    assert answer.verdict is Verdict.INCONCLUSIVE
    assert answer.reason.endswith("the round has more than 10 states")


def test_a_round_that_bounds_its_rows_is_not_walked(monkeypatch):
    monkeypatch.setattr(module, "engine_of", None)
    game = read_game(GAMES / "blackjack-no-hole-card/game.toml")
    answer = answered(game)
    assert answer.verdict is Verdict.SATISFIED
    assert answer.expected.startswith("at least log2(1.13 × 10^102) = 339.00 bits of state")
    assert answered(game, 339).verdict is Verdict.NOT_SATISFIED


def test_one_deck_that_the_state_holds_whole_is_not_walked(monkeypatch):
    monkeypatch.setattr(module, "engine_of", None)
    game = read_game(GAMES / "playtech-7-e-mezzo/game.toml")
    assert looked_at(game, AT_HAND).equipment == game.equipment


@pytest.mark.parametrize(("reference", "draws"), [(Roulette(), 1), (DiceRound(40), 40)])
def test_a_round_without_end_draws_as_often_as_its_row_allows(reference, draws):
    graph = walk(reference)
    assert most_draws(graph, counting_order(graph.offsets, graph.targets)) == [draws]


def test_a_round_without_end_asks_for_256_bits_however_many_draws_its_row_holds(
    monkeypatch,
):
    craps = read_game(GAMES / "craps/game.toml")
    (dice,) = craps.equipment
    more = replace(craps, equipment=(replace(dice, supply=1_000),))
    answer = answered(more)
    assert (answer.verdict, answer.expected[:42]) == (
        Verdict.SATISFIED,
        "at least log2(6^100) = 258.50 bits of stat",
    )
    assert answered(more, 255).verdict is Verdict.NOT_SATISFIED


@pytest.fixture(scope="module")
def free_games():
    return read_game(GAMES.parent / "slots/slot-free-games/game.toml")


def test_a_row_of_many_spins_asks_for_256_bits_and_not_for_the_length_that_a_row_has(
    free_games,
):
    answer = answered(free_games)
    assert answer.verdict is Verdict.SATISFIED
    seen = looked_at(free_games, AT_HAND)
    assert 256 <= seen.bits < 256 + sum(LookedAt(one).bits for one in spins_of(free_games))
    for state_bits in (32, 128, 255, int(seen.bits)):
        assert answered(free_games, state_bits).verdict is Verdict.NOT_SATISFIED


def test_one_spin_of_more_than_256_bits_is_asked_for_whole(free_games):
    spins = [tuple(replace(piece, supply=40 * piece.supply) for piece in one) for one in spins_of(free_games)]
    row = [replace(piece, supply=1_000) for one in spins for piece in one]
    assert some_events(spins, row).bits == LookedAt(tuple(piece for one in spins for piece in one)).bits > 256


def test_a_row_that_no_event_draws_is_inconclusive(free_games, monkeypatch):
    monkeypatch.setattr(SlotRound, "events", spins_of(free_games)[:1])
    answer = answered(replace(free_games, id="an-event-kept-back"))
    assert (answer.verdict, "no event of the round draws" in answer.reason) == (Verdict.INCONCLUSIVE, True)


def spins_of(game):
    reference = game.port.reference(game)
    assert isinstance(reference, SteppedRound)
    return reference.events


GAME = read_game(Path("fixtures/games/siete-y-media/game.toml"))


def family(*, text, second, own=False):
    """A family that brings its game as a text, alone or checked."""
    known = GAME.port
    stands_for = object()
    return replace(
        known,
        text=stands_for if text else None,
        second=stands_for if second else None,
        exact=known.exact if own else None,
        volume=None if text else known.volume,
    )


@pytest.mark.parametrize(
    ("brought", "titles"),
    [
        (family(text=True, second=False), ["finding.one-implementation.title"]),
        (family(text=True, second=True), []),
        (family(text=True, second=False, own=True), []),
        (replace(family(text=False, second=False), volume=None), ["finding.one-implementation.title"]),
    ],
    ids=["one text", "two texts", "one text and own counting", "neither"],
)
def test_one_text_alone_is_a_condition(brought, titles):
    game = replace(GAME, port=brought)
    found = list(findings._one_implementation(SimpleNamespace(game=game)))  # type: ignore[arg-type]
    assert [str(one.title.id) for one in found] == titles
    assert [one.status for one in found] == ["condition"] * len(titles)
    assert [one.condition for one in missing(brought) if one.condition] == [True] * len(titles)


def test_what_is_derived_says_that_it_shares_the_text():
    assert volume.DERIVED not in volume.shared_code(GAME)
    assert volume.SECOND_TEXT not in volume.independent_code(GAME)
    checked, alone = (replace(GAME, port=family(text=True, second=second)) for second in (True, False))
    assert volume.shared_code(checked)[0] == volume.DERIVED
    assert volume.SECOND_TEXT in volume.independent_code(checked)
    assert volume.SECOND_TEXT not in volume.independent_code(alone)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("us5632489-casino", "by a table computed from the implementation of the game"),
        ("three-card-poker", "by a separate implementation; what it shares with the enumeration is listed"),
        ("sept-et-demi", "by an implementation whose settlement was written separately"),
    ],
)
def test_a_report_says_by_what_its_rounds_were_played(name, said):
    kept, _ = read_evidence(stored(Path(f"fixtures/reports/{name}.json.xz")))
    with speaking("en", kept.item.family):
        assert said in simulation(kept).played_by


def test_what_production_was_not_examined_leaves_out_the_operators_items():
    (alone, *rest), (beyond, *others) = (
        [one.text for one in not_established(GAME, near=False, operators=given)] for given in (False, True)
    )
    assert "no production software, server or client was examined" in alone
    assert "nothing was examined but the operator's items" in beyond
    assert rest == others


@pytest.mark.parametrize("name", ["three-card-poker", "caribbean-stud", "jacks-or-better-9-6"])
def test_a_play_through_that_rests_on_the_text_of_its_family_says_so(name):
    game = read_game(Path("fixtures/games") / name / "game.toml")
    assert "toolkit of hands" in volume.shared_code(game)[0]
    assert any("second implementation" in one for one in volume.independent_code(game))
