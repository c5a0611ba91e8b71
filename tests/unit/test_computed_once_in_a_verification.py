"""What two steps of one verification need is computed once for both, and anew for the next verification."""

import pytest

from certify.issue.data import once, one_verification


def test_one_verification_computes_once_for_each_key_and_the_next_one_anew():
    asked = []

    @once(lambda number: number % 10)
    def counted(number):
        asked.append(number)
        return number

    with one_verification():
        assert [counted(number) for number in (1, 11, 2)] == [1, 1, 2]
    with one_verification():
        assert counted(21) == 21
    assert asked == [1, 2, 21]
    # Beyond a verification nothing is kept, and nothing is left of one that broke off.
    with pytest.raises(ZeroDivisionError), one_verification():  # noqa: PT012 - it is left by an error
        counted(0)
        1 / 0  # noqa: B018
    assert [counted(0), counted(0)] == [0, 0]
    assert asked == [1, 2, 21, 0, 0, 0]
