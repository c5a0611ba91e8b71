"""What holds of any game that the engine walks, and of any table that is played."""

from dataclasses import dataclass
from fractions import Fraction

import pytest
from engine_rounds import MergedHiddenCard, Round, merged_states, result
from hypothesis import given, settings, strategies as st
from round_tables import tables, walked_by_hand

from certify.analysis.engine.beliefs import check_some
from certify.analysis.engine.best import SEEN, solve
from certify.analysis.engine.distribution import counting_order, decide_by, joint, solve_loops, visits
from certify.analysis.engine.walk import walk
from certify.errors import InputError
from certify.families import Chance, Choice, Option, Settled
from certify.model import ChoiceTable, JointCounts, Kind, strip
from certify.simulation import StreamDecks, TableCounter, play_rows, table_arrays, table_play

ONE = Fraction(1)
shoes = st.builds(
    MergedHiddenCard,
    st.integers(2, 3),
    st.integers(1, 2),
    st.integers(3, 6),
    st.integers(1, 5),
    doubling=st.booleans(),
    bonus=st.integers(1, 9),
).filter(lambda round_: round_.equipment[0].size >= 3)


def walked(round_):
    graph = walk(round_)
    return graph, counting_order(graph.offsets, graph.targets)


def value_under(graph, order, table, wager):
    found = visits(graph, order, decide_by(table))
    place = graph.wagers.index(wager)
    return sum(
        (p * results[place].net for results, p in zip(graph.results, found.results, strict=True)), Fraction(0)
    )


def some_strategy(graph, data):
    chosen = {choice.sees: data.draw(st.sampled_from(choice.ids)) for choice in graph.choices}
    return ChoiceTable("drawn", SEEN, frozenset(chosen.items()))


@settings(max_examples=25)
@given(round_=shoes, data=st.data())
def test_probabilities_sum_to_one_and_no_strategy_beats_best_or_is_below_worst(round_, data):
    graph, order = walked(round_)
    table = some_strategy(graph, data)
    assert sum(joint(graph, visits(graph, order, decide_by(table)), table).probabilities.values()) == 1
    worst = solve(graph, order, {"main": ONE}, worst=True)
    best = solve(graph, order, {"main": ONE})
    assert worst.value <= value_under(graph, order, table, "main") <= best.value
    assert value_under(graph, order, best.table("best"), "main") == best.value
    assert value_under(graph, order, worst.table("worst"), "main") == worst.value


@settings(max_examples=15)
@given(round_=shoes, stakes=st.tuples(st.integers(1, 5), st.integers(0, 5)))
def test_double_stakes_double_the_net_and_a_wager_not_bet_on_changes_nothing(round_, stakes):
    graph, order = walked(round_)
    placed = {"main": Fraction(stakes[0]), "bonus": Fraction(stakes[1])}
    once, twice = solve(graph, order, placed), solve(graph, order, {w: 2 * s for w, s in placed.items()})
    assert twice.value == 2 * once.value
    assert twice.table("t").choices == once.table("t").choices
    alone, beside = (
        solve(graph, order, {"main": ONE}),
        solve(graph, order, {"main": ONE, "bonus": Fraction(0)}),
    )
    assert (alone.value, alone.table("t")) == (beside.value, beside.table("t"))


@settings(max_examples=15)
@given(round_=shoes, bonus=st.integers(0, 3))
def test_what_an_option_is_worth_less_is_lost_by_taking_it(round_, bonus):
    graph, order = walked(round_)
    stakes = {"main": ONE, "bonus": Fraction(bonus)}
    best = solve(graph, order, stakes)

    def value(table):
        return sum((s * value_under(graph, order, table, wager) for wager, s in stakes.items()), Fraction(0))

    reached = dict(zip(graph.choices, visits(graph, order, decide_by(best.table("b"))).choices, strict=True))
    for one in best.decided:
        chance = sum(p for choice, p in reached.items() if choice.sees == one.sees)
        values = dict(zip(one.options, one.values, strict=True))
        for option, worth in values.items():
            choices = {d.sees: d.taken for d in best.decided} | {one.sees: option}
            table = ChoiceTable("deviates", SEEN, frozenset(choices.items()))
            assert value(table) == best.value - chance * (values[one.taken] - worth)


@settings(max_examples=10)
@given(round_=shoes)
def test_what_these_rounds_merge_may_be_merged(round_):
    assert check_some(round_, states := list(merged_states(round_))) == (len(states), [])


@dataclass(frozen=True)
class Ladder(Round):
    """A coin moves a counter up or down until it leaves the ladder; the player may go on or leave with what stands.

    Gambler's ruin (Feller, An Introduction to Probability Theory, XIV.2): with a fair share p of heads, the chance to
    reach n from k is k/n where p is a half.
    """

    height: int
    heads: int
    tails: int
    leaves: bool

    @property
    def equipment(self):
        return (strip("coin", Kind.WHEEL, ["up"] * self.heads + ["down"] * self.tails),)

    def start(self):
        return (1, "moves")

    def node(self, state):
        place, phase = state
        if place in (0, self.height) or phase == "left":
            return Settled((result("bet", f"at-{place}", place - 1),))
        if phase == "decides" and self.leaves:
            return Choice("player", (Option("leave"), Option("go-on")), place)
        return Chance("coin", "table")

    def drawn(self, state, face):
        return (state[0] + (1 if face == 0 else -1), "decides")

    def decided(self, state, option):
        return (state[0], "left" if option == "leave" else "moves")

    def matters(self, state):
        return state if self.leaves else (state[0],)


@settings(max_examples=20)
@given(height=st.integers(2, 9), heads=st.integers(1, 4), tails=st.integers(1, 4))
def test_a_ladder_without_bounded_length_is_the_ruin_of_a_gambler(height, heads, tails):
    graph, order = walked(Ladder(height, heads, tails, leaves=False))
    table = solve(graph, order, {"bet": ONE}).table("t")
    up = joint(graph, visits(graph, order, decide_by(table)), table).probabilities[(f"at-{height}",)]
    ratio = Fraction(tails, heads)
    assert up == (Fraction(1, height) if ratio == 1 else (1 - ratio) / (1 - ratio**height))


@settings(max_examples=20)
@given(height=st.integers(2, 6), heads=st.integers(1, 3), tails=st.integers(1, 3), data=st.data())
def test_best_play_on_the_ladder_is_beaten_by_no_strategy(height, heads, tails, data):
    graph, order = walked(Ladder(height, heads, tails, leaves=True))
    best = solve(graph, order, {"bet": ONE})
    assert value_under(graph, order, best.table("best"), "bet") == best.value
    assert value_under(graph, order, some_strategy(graph, data), "bet") <= best.value


@settings(max_examples=20)
@given(data=st.data(), size=st.integers(1, 5))
def test_solved_loops_satisfy_their_equations(data, size):
    weights = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    rows = [data.draw(weights) for _ in range(size)]
    steps = [{place: Fraction(w, sum(row) + 1) for place, w in enumerate(row) if w} for row in rows]
    ends = [{data.draw(st.integers(7, 9)): Fraction(data.draw(st.integers(-5, 5)), 3)} for _ in rows]
    solved = solve_loops(steps, ends)
    for found, row, end in zip(solved, steps, ends, strict=True):
        for name in (7, 8, 9):
            others = sum((chance * solved[other].get(name, 0) for other, chance in row.items()), Fraction(0))
            assert found.get(name, 0) == end.get(name, 0) + others


ROUNDS = 150


def compared(table, seed):
    counter = TableCounter.of(table)
    source = StreamDecks(seed, table.equipment)
    rows = source.deal(0, ROUNDS)
    ended = [walked_by_hand(table, row) for row in rows.tolist()]
    if None in ended:
        for play in (counter.count, counter.outcomes, counter.twin):
            with pytest.raises(InputError, match=f"round {ended.index(None)} (needs|takes)"):
                play(rows)
        return
    expected = [tuple(outcomes[wager] for wager, _ in counter.axes) for outcomes in ended if outcomes]
    assert counter.outcomes(rows) == counter.twin(rows) == expected
    assert counter.count(rows) == JointCounts.of_outcomes(counter.axes, expected)
    twin, words = source.words(1), source.words(1)
    try:
        ended = list(play_rows(table, (counter.row(twin) for _ in range(ROUNDS))))
    except InputError:
        with pytest.raises(InputError, match="more"):
            counter.play_rounds(source.words(1), ROUNDS)
        return
    played, starts = counter.play_rounds(source.words(1), ROUNDS)
    assert played == [tuple(one[wager] for wager, _ in counter.axes) for one in ended]
    assert played == counter.outcomes(source.whole(1, starts))
    parts = [counter.count_rounds(words, rounds) for rounds in (1, 49, ROUNDS - 50)]
    assert sum(parts[1:], parts[0]) == JointCounts.of_outcomes(counter.axes, played)
    assert words.drawn == twin.drawn


@given(table=tables(), seed=st.binary(min_size=32, max_size=32))
def test_kernel_twin_and_walk_by_hand_agree(table, seed):
    compared(table, seed)


@settings(max_examples=15, deadline=None)
@given(table=tables(), seed=st.binary(min_size=32, max_size=32))
def test_interned_joint_outcomes_are_those_of_sums(table, seed):
    with pytest.MonkeyPatch.context() as patched:
        # Places of no bit: what is settled is interned, and begun anew all the time.
        patched.setattr(table_arrays._Settled, "weights", lambda self, bits: None)
        patched.setattr(table_play, "MOST_INTERNED", 20)
        compared(table, seed)


@settings(max_examples=15, deadline=None)
@given(table=tables(), seed=st.binary(min_size=32, max_size=32))
def test_counts_of_few_and_of_many_places_are_the_same(table, seed):
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table_play, "FEW_PLACES", 0)
        patched.setattr(table_play, "LONG", 0)
        compared(table, seed)
