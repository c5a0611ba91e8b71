"""Reference rounds that are wrong, too large or never end: each is refused with what is wrong, none is counted."""

from dataclasses import replace
from fractions import Fraction

import pytest
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

from certify.analysis.engine import linear
from certify.analysis.engine.beliefs import beliefs_of
from certify.analysis.engine.best import solve
from certify.analysis.engine.distribution import counting_order, decide_by, visits
from certify.analysis.engine.folding import check_some, fold
from certify.analysis.engine.strategies import ConstantChoice
from certify.analysis.engine.walk import walk
from certify.errors import InputError
from certify.families.port import Chance, Choice, Option, Settled
from certify.model.equipment import cage

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
        (lambda: AsksElsewhere(), "asks for 'reel': expected one of wheel"),
        (lambda: DrawsTooMany(), "asks cage for more than 3 draws"),
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
    made = round_()
    stakes = {"main": 1, "bonus": 1} if isinstance(made, HiddenCard) else {}
    with pytest.raises(InputError, match=message):
        best(made, **stakes)


class StopsOrLoops(PressOn):
    """On a six the round goes round and round, whatever is decided."""

    def decided(self, state, option):
        return state if state[0] == 6 else super().decided(state, option)


def test_a_decision_that_no_play_ends_is_refused():
    with pytest.raises(InputError, match="no play ends it"):
        best(StopsOrLoops(), bet=1)


def test_a_round_without_end_of_states_is_refused_at_the_limit():
    with pytest.raises(InputError, match="more than 500 states"):
        walk(Counts(), limit=500)


def test_more_beliefs_than_the_limit_are_refused():
    graph = walk(MergedHiddenCard(3, 2, 4, 3))
    folded = fold(graph, counting_order(graph.offsets, graph.targets), {"main": ONE})
    with pytest.raises(InputError, match="more than 2 different beliefs"):
        beliefs_of(folded, limit=2)


def test_more_equations_than_the_limit_are_refused(monkeypatch):
    monkeypatch.setattr(linear, "UNKNOWNS_LIMIT", 3)
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


def test_stakes_on_no_wager_are_refused():
    with pytest.raises(InputError, match="stakes on moon: expected wagers bet"):
        best(PressOn(), moon=1)


def test_one_seat_is_solved_against_a_given_strategy_of_the_other():
    graph = walk(TwoSeats())
    order = counting_order(graph.offsets, graph.targets)
    against = {
        option: solve(graph, order, {"bet": ONE}, others={"bank": ConstantChoice(option)}).value
        for option in ("stop", "throw")
    }
    # The bank stops on 4, 5, 6: as in best play. The bank throws on: v = (-6 + v - 1 + 3v) / 6, stopping on 3 alone.
    assert against["stop"] == 1
    assert against["throw"] == -Fraction(7, 2)


@pytest.mark.parametrize(
    ("round_", "message"),
    [
        (lambda: ForgetsTheCards(3, 2, 5, 4), "matters.. of the reference round forgets something"),
        (lambda: AllAlike(3, 2, 4, 3), "alike.. of the reference round tells too little apart"),
    ],
)
def test_what_must_not_be_merged_is_found(round_, message):
    with pytest.raises(InputError, match=message):
        check_some(sought := round_(), merged_states(sought))


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
