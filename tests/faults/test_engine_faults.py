"""Reference rounds and tables that are wrong are refused, or differ from their twin."""

import json
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from cli_support import refuses
from engine_rounds import (
    ForgetfulTable,
    HiddenCard,
    Keno,
    MergedHiddenCard,
    PassLine,
    PressOn,
    Roulette,
    merged_states,
    result,
)
from round_tables import table_of

from certify.analysis.engine import distribution
from certify.analysis.engine.beliefs import beliefs_of, check_some, fold
from certify.analysis.engine.best import solve
from certify.analysis.engine.distribution import counting_order, decide_by, visits
from certify.analysis.engine.strategies import ConstantChoice
from certify.analysis.engine.walk import walk
from certify.errors import InputError
from certify.families import Chance, Choice, Option, Settled
from certify.model import ENDED, Kind, cage, shoe, strip
from certify.simulation import StreamDecks, TableCounter, table_arrays
from rng.draws import draw_many

ONE = Fraction(1)


def best(round_, **stakes):
    graph = walk(round_)
    placed = {wager: Fraction(stake) for wager, stake in stakes.items()}
    return solve(graph, counting_order(graph.offsets, graph.targets), placed).value


class ForgetsTheCards(MergedHiddenCard):
    """Totals alone are said to matter, though the cards that are gone do too."""

    def matters(self, state):
        return (
            self.total(state.player),
            self.total(state.dealer),
            len(state.player),
            state.phase,
            state.doubled,
        )


class AllAlike(MergedHiddenCard):
    """All cards are said to be alike."""

    def alike(self, state, face):
        return None


class Counts(PassLine):
    """The number of throws is said to matter: there is no end of states."""

    def matters(self, state):
        return object()


class NeverEnds(PressOn):
    """Whatever is thrown and decided, the die is thrown again."""

    def node(self, state):
        return (
            Chance("die", "player")
            if state[1] == "throws"
            else Choice("player", (Option("on"), Option("again")), 0)
        )

    def decided(self, state, option):
        return (0, "throws")


class AsksElsewhere(Roulette):
    def node(self, state):
        return Chance("reel", "table") if state < 0 else super().node(state)


class DrawsTooMany(Keno):
    def __init__(self):
        super().__init__(5, 3, 2)
        self.draws = 4


class SettlesOtherwise(Roulette):
    def node(self, state):
        node = super().node(state)
        return Settled(node.results[:1]) if state == 5 and isinstance(node, Settled) else node


class SettlesNothing(Roulette):
    def node(self, state):
        return super().node(state) if state < 0 else Settled(())


class OffersTwice(PressOn):
    def node(self, state):
        node = super().node(state)
        return replace(node, options=(Option("stop"), Option("stop"))) if isinstance(node, Choice) else node


class OffersByWhatIsHidden(HiddenCard):
    """The player may double only where the hidden card is a 1: the offer tells what lies hidden."""

    def node(self, state):
        node = super().node(state)
        if isinstance(node, Choice) and self.rank(state.dealer[0]) == 1:
            return replace(node, options=(*node.options, Option("double", (("main", ONE),))))
        return node


class TwoSeats(PressOn):
    def node(self, state):
        node = super().node(state)
        return replace(node, seat="bank") if isinstance(node, Choice) and state[0] > 3 else node


@pytest.mark.parametrize(
    ("round_", "message"),
    [
        (lambda: AsksElsewhere(), "draws from 'reel': expected one of wheel"),
        (lambda: DrawsTooMany(), "takes more than 3 draws from cage"),
        (lambda: SettlesOtherwise(), "expected every wager of the game once"),
        (lambda: SettlesNothing(), "a round settles nothing"),
        (lambda: OffersTwice(), "a choice offers stop, stop"),
        (lambda: NeverEnds(), "no draws and no decisions end this round"),
        (lambda: OffersByWhatIsHidden(3, 2, 4, 3), "what is offered can be seen"),
        (lambda: ForgetfulTable(4, 2, 6, 5), "forgets something that matters"),
        (lambda: TwoSeats(), "bank, player decide in this game"),
    ],
)
def test_a_faulty_reference_round_is_refused(round_, message):
    with pytest.raises(InputError, match=message):
        best(made := round_(), **({"main": 1, "bonus": 1} if isinstance(made, HiddenCard) else {}))


class StopsOrLoops(PressOn):
    """On a six the round goes round and round, whatever is decided."""

    def decided(self, state, option):
        return state if state[0] == 6 else super().decided(state, option)


def test_decisions_and_states_without_end_and_stakes_on_no_wager_are_refused():
    refuses(
        InputError,
        ("no play ends it", lambda: best(StopsOrLoops(), bet=1)),
        ("more than 500 states", lambda: walk(Counts(), limit=500)),
        ("stakes on moon: expected wagers bet", lambda: best(PressOn(), moon=1)),
    )


def test_more_beliefs_than_the_limit_are_refused():
    graph = walk(MergedHiddenCard(3, 2, 4, 3))
    folded = fold(graph, counting_order(graph.offsets, graph.targets), {"main": ONE})
    with pytest.raises(InputError, match="more than 2 different beliefs"):
        beliefs_of(folded, limit=2)


def test_more_equations_than_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr(distribution, "UNKNOWNS_LIMIT", 3)
    with pytest.raises(InputError, match="lead back to each other: expected at most 3"):
        best(PressOn(), bet=1)


def test_a_strategy_that_waits_for_ever_is_refused_and_one_that_stops_is_not():
    graph = walk(PressOn())
    order = counting_order(graph.offsets, graph.targets)
    with pytest.raises(InputError, match="never ends"):
        visits(graph, order, decide_by(ConstantChoice("wait")))
    assert sum(visits(graph, order, decide_by(ConstantChoice("stop"))).results) == 1
    assert sum(visits(graph, order, decide_by(ConstantChoice("throw"))).results) == 1


def test_a_decision_that_is_not_offered_is_refused():
    graph = walk(PressOn())
    with pytest.raises(InputError, match="'fold' was decided, expected one of wait, stop, throw"):
        visits(graph, counting_order(graph.offsets, graph.targets), lambda choice: (("fold", Fraction(1)),))


@pytest.mark.parametrize(
    ("round_", "message"),
    [
        (lambda: ForgetsTheCards(3, 2, 5, 4), r"matters \(.*/.*\.py:\d+\) forgets something"),
        (lambda: AllAlike(3, 2, 4, 3), r"alike \(.*/.*\.py:\d+\) merges too much"),
    ],
)
def test_what_must_not_be_merged_is_found(round_, message):
    compared, differing = check_some(sought := round_(), merged_states(sought))
    assert compared >= sum(bool(re.search(message, one)) for one in differing) == len(differing) > 1


def test_balls_are_not_put_back():
    class Same(Keno):
        def alike(self, state, face):
            return face

        def matters(self, state):
            return state

    graph = walk(Same(3, 3, 2))
    assert {results[0].outcome for results in graph.results} == {"catch-2"}
    assert cage("cage", ["1", "2"], 2).replaced is False
    assert result("keno", "catch-2", 1) in graph.results[0]


SEED = bytes(range(32))
GOLDEN = json.loads(Path("fixtures/vectors/redeal/golden-v1.json").read_text())["vectors"]
POINTS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0)


def two_hands(decks=8):
    """Two cards each, the higher total wins, a third for a total below six; a bet on two equal first cards."""
    cards = shoe("shoe", [str(rank) for rank in range(13)], "abcd", decks=decks)

    def step(kept, face):
        if len(kept) < 2:
            return (*kept, face // 4), ()
        if len(kept) == 2:
            one, other = kept
            bet = (("pair", "win" if one == face // 4 else "lose"),)
            return ("four", POINTS[one], (POINTS[other] + POINTS[face // 4]) % 10), bet
        stage, own, dealt = kept
        own = (own + POINTS[face // 4]) % 10
        if stage == "four" and own < 6:
            return ("third", own, dealt), ()
        ahead = own - dealt
        return "over", (("main", "win" if ahead > 0 else "lose" if ahead else "push"),)

    return table_of((cards,), (), lambda kept: ENDED if kept == "over" else 0, step)


def drawn(piece, number):
    """A round that only says what was drawn."""

    def step(kept, face):
        return kept + 1, ((f"draw-{kept}", piece.faces[face]),)

    return table_of((piece,), 0, lambda kept: 0 if kept < number else ENDED, step)


@pytest.mark.parametrize("vector", range(len(GOLDEN)))
def test_known_words_give_the_cards_of_the_golden_vectors(vector):
    golden = GOLDEN[vector]
    cards = int(golden["cards"])
    table = drawn(shoe("shoe", [str(card) for card in range(cards)], "a"), 5)
    source = StreamDecks(bytes.fromhex(golden["master_seed"]), table.equipment, golden["purpose"])
    words = source.words(int(golden["index"]))
    draw_many(words, source.draw, int(golden["deck_number"]))
    played, _ = TableCounter.of(table).play_rounds(words, 1)
    assert played == [tuple(f"{card} of a" for card in golden["deck"][:5])]


RANKS = [str(rank) for rank in range(13)]


@pytest.mark.parametrize(
    ("piece", "number"),
    [
        pytest.param(strip("die", Kind.DICE, "123456", 80), 70, marks=pytest.mark.slow),
        (strip("wheel", Kind.WHEEL, [str(stop) for stop in range(37)], 5), 5),
        (strip("coin", Kind.WHEEL, "ab", 9), 7),
        (cage("cage", [str(ball) for ball in range(80)], 20), 20),
        (shoe("shoe", RANKS, "abcd", decks=6), 5),
        pytest.param(shoe("shoe", RANKS, "abcd", decks=6), 21, marks=pytest.mark.slow),
        (shoe("shoe", RANKS, "abcd"), 52),
        # The second word of a round on 150 cards is rejected six times in a thousand, more often than most.
        (shoe("shoe", [str(rank) for rank in range(150)], "a"), 9),
        (shoe("shoe", RANKS, "a"), 13),
        (shoe("shoe", ("one",), "a"), 1),
    ],
    ids=lambda value: getattr(value, "id", str(value)),
)
def test_what_is_drawn_is_what_whole_rows_hold(piece, number):
    counter = TableCounter.of(drawn(piece, number))
    source = StreamDecks(SEED, (piece,))
    played, starts = counter.play_rounds(source.words(3), 700)
    rows = source.whole(3, starts)
    assert played == [tuple(piece.name_of(item) for item in row) for row in rows[:, :number].tolist()]
    if piece.kind is not Kind.SHOE:
        assert (rows == source.deal(3, 700)).all()


def differing(counter):
    """Returns how many of a thousand rounds the compiled code and its twin settle differently."""
    source = StreamDecks(SEED, counter.table.equipment)
    played, starts = counter.play_rounds(source.words(0), 1_000)
    twin = counter.twin(source.whole(0, starts))
    return sum(one != other for one, other in zip(played, twin, strict=True))


def test_compiled_code_that_follows_a_wrong_arrow_differs_from_its_twin():
    counter = TableCounter.of(two_hands())
    assert differing(counter) == 0
    arrays = counter._arrays.arrows
    first = arrays.entries[0]
    arrays.entries[0] = arrays.entries[1]
    assert first != arrays.entries[0]
    assert differing(counter) > 0


def test_compiled_code_that_settles_wrongly_differs_from_its_twin():
    counter = TableCounter.of(two_hands())
    arrays = counter._arrays.arrows
    settled, times = np.unique(arrays.entries >> arrays.shift, return_counts=True)
    common = settled[1:][np.argmax(times[1:])]
    # What is settled most often is settled as nothing.
    arrays.entries[arrays.entries >> arrays.shift == common] &= (1 << arrays.shift) - 1
    assert differing(counter) > 0


def test_wrong_place_values_of_the_mixed_radix_differ_from_the_twin(monkeypatch):
    own = table_arrays._values
    # The last digit but one counts as the last: two outcomes then share a place.
    monkeypatch.setattr(table_arrays, "_values", lambda numbers: [own(numbers)[-1], *own(numbers)[1:]])
    counter = TableCounter.of(two_hands())
    assert differing(counter) > 0


def test_a_table_with_a_wrong_arrow_differs_from_the_table_of_the_game():
    table = two_hands()
    following = table.following.copy()
    following[0, 0] = following[0, 51]
    words = StreamDecks(SEED, table.equipment)
    right = TableCounter.of(table).count_rounds(words.words(0), 20_000)
    assert right != TableCounter.of(replace(table, following=following)).count_rounds(words.words(0), 20_000)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("settled", "pair is settled"),
        ("lost", "main is settled on one path and not on another"),
        ("begun", "pair is settled twice"),
    ],
)
def test_a_wager_that_is_settled_twice_or_never_is_refused(place, message):
    table = two_hands()
    pair = table.settled.index((("pair", "lose"),))
    settling = table.settling.copy()
    if place == "settled":
        # The bet on the main hand is settled as one on the pair, once more.
        settling[settling == table.settled.index((("main", "push"),))] = pair
    elif place == "lost":
        settling[settling == table.settled.index((("main", "win"),))] = 0
    begun = pair if place == "begun" else 0
    with pytest.raises(InputError, match=message):
        TableCounter.of(replace(table, settling=settling, begun=begun))._arrays  # noqa: B018


def test_rows_of_another_game_and_rounds_without_end_are_refused():
    counter = TableCounter.of(two_hands())
    refuses(
        InputError,
        ("416 a row", lambda: counter.count(np.zeros((1, 5), dtype=np.uint16))),
        ("an item that shoe lacks", lambda: counter.count(np.full((1, 416), 416, dtype=np.uint16))),
        ("settles pair, main, expected main", lambda: TableCounter.of(two_hands(), ["main"])),
    )
    die = strip("die", Kind.DICE, "12", 5)
    endless = table_of((die,), 0, lambda kept: 0, lambda kept, face: (0, ()))
    with pytest.raises(InputError, match="no draws lead to an end"):
        TableCounter.of(endless)._arrays  # noqa: B018


def test_a_table_too_large_for_memory_is_refused_with_what_to_do(monkeypatch):
    monkeypatch.setattr(table_arrays, "MOST_ENTRIES", 1_000)
    with pytest.raises(InputError, match="expected at most 1,000 entries"):
        TableCounter.of(two_hands())._arrays  # noqa: B018


def test_a_round_that_outlasts_its_row_is_refused_by_all():
    die = strip("die", Kind.DICE, "12", 2)
    table = table_of(
        (die,),
        0,
        lambda kept: 0 if kept == 0 else ENDED,
        lambda kept, face: (face, (("bet", "win"),) if face else ()),
    )
    counter = TableCounter.of(table)
    refuses(
        InputError,
        ("needs more draws", lambda: counter.count_rounds(StreamDecks(SEED, (die,)).words(0), 100)),
        ("takes more than the 2 draws of die", lambda: counter.twin(StreamDecks(SEED, (die,)).deal(0, 100))),
    )


def test_a_layout_of_forty_four_bets_is_played():
    die = strip("die", Kind.DICE, "123456", 3)

    def step(kept, face):
        dice = tuple(sorted((*kept, face + 1)))
        if len(dice) < 3:
            return dice, ()
        bets = {f"total-{total}": sum(dice) == total for total in range(3, 19)}
        bets |= {f"single-{side}": side in dice for side in range(1, 7)}
        bets |= {f"double-{side}": dice.count(side) >= 2 for side in range(1, 7)}
        bets |= {f"triple-{side}": dice.count(side) == 3 for side in range(1, 7)}
        bets |= {f"two-{a}-{b}": a in dice and b in dice for a in range(1, 4) for b in range(4, 7)}
        bets |= {"any-triple": len(set(dice)) == 1}
        return (0, 0, 0), tuple((bet, "win" if won else "lose") for bet, won in bets.items())

    table = table_of((die,), (), lambda kept: 0 if len(kept) < 3 else ENDED, step)
    assert len(table.outcomes) == 44
    counted = TableCounter.of(table).count_rounds(StreamDecks(SEED, (die,)).words(0), 100_000)
    assert counted.possible == 2**44
    assert len(counted.cells) == 56
    assert abs(counted.wager("any-triple")["win"] - 100_000 / 36) < 5 * 53
