"""The table of a round refuses arrays that do not fit together."""

from dataclasses import replace

import numpy as np
import pytest

from certify.errors import InputError
from certify.model.equipment import Kind, strip
from certify.model.round_table import RoundTable

DIE = strip("die", Kind.DICE, "123456", 1)


def high_or_low():
    """Four and more wins."""
    return RoundTable(
        equipment=(DIE,),
        piece=np.array([0, -1], dtype=np.int8),
        following=np.array([[1] * 6, [0] * 6], dtype=np.int32),
        settling=np.array([[1, 1, 1, 2, 2, 2], [0] * 6], dtype=np.int32),
        ended=np.zeros(2, dtype=np.int32),
        settled=((), (("main", "lose"),), (("main", "win"),)),
    )


def test_a_table_knows_its_states_and_what_each_wager_can_come_to():
    assert high_or_low().states == 2
    assert high_or_low().outcomes == {"main": ("lose", "win")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"piece": np.array([1, -1], dtype=np.int8)}, "piece leads outside"),
        ({"following": np.array([[2] * 6, [0] * 6], dtype=np.int32)}, "following leads outside"),
        ({"settling": np.full((2, 6), 3, dtype=np.int32)}, "settling leads outside"),
        ({"ended": np.array([0, 3], dtype=np.int32)}, "ended leads outside"),
        ({"ended": np.zeros(3, dtype=np.int32)}, "arrays of"),
        ({"settled": ((("main", "lose"),), (), ())}, "must be empty"),
        ({"begun": 3}, "settled at first"),
    ],
)
def test_a_table_that_leads_outside_itself_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        replace(high_or_low(), **changes)  # type: ignore[arg-type]
