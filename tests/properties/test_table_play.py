"""Play-through of a table: compiled code, its twin and a walk by hand come to the same, whatever is drawn from."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from round_tables import tables, walked_by_hand

from certify.errors import InputError
from certify.model.joint_counts import JointCounts
from certify.simulation import table_arrays, table_play
from certify.simulation.decks import StreamDecks
from certify.simulation.table_counter import TableCounter, play_rows

ROUNDS = 150


def compared(table, seed):
    counter = TableCounter.of(table)
    source = StreamDecks(seed, table.equipment)
    rows = source.deal(0, ROUNDS)
    ended = [walked_by_hand(table, row) for row in rows.tolist()]
    if None in ended:
        for play in (counter.count, counter.outcomes, counter.twin):
            with pytest.raises(InputError, match=f"round {ended.index(None)} asks"):
                play(rows)
        return
    expected = [tuple(outcomes[wager] for wager, _ in counter.axes) for outcomes in ended if outcomes]
    assert counter.outcomes(rows) == counter.twin(rows) == expected
    assert counter.count(rows) == JointCounts.of_outcomes(counter.axes, expected)
    played, starts = counter.play_rounds(source.words(1), ROUNDS)
    twin, words = source.words(1), source.words(1)
    ended = list(play_rows(table, (counter.row(twin) for _ in range(ROUNDS))))
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
