"""Linear equations over fractions, for rounds whose length is not bounded."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Final

from certify.by_key import reached, summed
from certify.errors import InputError

UNKNOWNS_LIMIT: Final = 1_000
"""Most equations that are solved together."""

Row = Mapping[int, Fraction]


def solve_loops(steps: Sequence[Row], ends: Sequence[Row]) -> list[dict[int, Fraction]]:
    """Returns x with x = steps · x + ends, each unknown a sum over what the ends name.

    Unknowns are eliminated one by one, those with the fewest others next to them first. Where rounds can go on
    for ever from an unknown, no such x exists.

    Args:
        steps: For each unknown the chance of coming to each unknown.
        ends: For each unknown what it comes to otherwise, by name (a number).

    Raises:
        InputError: There are too many unknowns, or from one of them the round never ends.

    >>> half = Fraction(1, 2)
    >>> solve_loops([{0: half}], [{7: Fraction(1, 6), 4: Fraction(1, 3)}])
    [{7: Fraction(1, 3), 4: Fraction(2, 3)}]
    """
    size = len(steps)
    if size > UNKNOWNS_LIMIT:
        raise InputError(
            f"{size} states of the round lead back to each other: expected at most {UNKNOWNS_LIMIT}, which is as "
            "many linear equations over fractions as are solved together"
        )
    rows = [dict(row) for row in steps]
    rests = [dict(row) for row in ends]
    users: list[set[int]] = [set() for _ in range(size)]
    for place, row in enumerate(rows):
        for other in row:
            users[other].add(place)
    order: list[int] = []
    open_ = set(range(size))
    while open_:
        pivot = min(open_, key=lambda place: (len(rows[place]) * len(users[place]), place))
        open_.remove(pivot)
        order.append(pivot)
        _eliminate(pivot, rows, rests, users, open_)
    solution: list[dict[int, Fraction]] = [{} for _ in range(size)]
    for place in reversed(order):
        total = dict(rests[place])
        for other, chance in rows[place].items():
            _add(total, solution[other], chance)
        solution[place] = total
    return solution


def visits_of_loop(
    entering: Mapping[int, Fraction], following: Callable[[int], Iterable[tuple[int, Fraction]]]
) -> dict[int, Fraction]:
    """Returns how often a round is expected to come to states that lead back to each other, those that it enters.

    Args:
        entering: How often each of them is entered from elsewhere.
        following: What follows on one of them with which chance; only needed of a state that a round comes to.

    Raises:
        InputError: As ``solve_loops``.
    """

    def inside(state: int) -> Iterator[int]:
        return (target for target, _ in following(state) if target in entering)

    entered = reached((state for state, often in entering.items() if often), inside)
    place = {state: at for at, state in enumerate(sorted(entered))}
    steps: list[dict[int, Fraction]] = [{} for _ in place]
    for state, at in place.items():
        inner = ((place[target], chance) for target, chance in following(state) if target in place)
        for to, chance in summed(inner).items():
            steps[to][at] = chance
    found = solve_loops(steps, [{0: entering[state]} for state in place])
    return {state: row[0] for state, row in zip(place, found, strict=True)}


def _eliminate(
    pivot: int,
    rows: list[dict[int, Fraction]],
    rests: list[dict[int, Fraction]],
    users: list[set[int]],
    open_: set[int],
) -> None:
    """Solves one equation for its own unknown and puts it into those that are still open."""
    stays = rows[pivot].pop(pivot, Fraction(0))
    if stays == 1:
        raise InputError(
            "the round can come to a state from which it never ends: nothing is ever settled there"
        )
    if stays:
        factor = 1 / (1 - stays)
        rows[pivot] = {other: chance * factor for other, chance in rows[pivot].items()}
        rests[pivot] = {name: value * factor for name, value in rests[pivot].items()}
    for user in users[pivot] & open_:
        chance = rows[user].pop(pivot)
        _add(rows[user], rows[pivot], chance)
        _add(rests[user], rests[pivot], chance)
        for other in rows[pivot]:
            users[other].add(user)


def _add(total: dict[int, Fraction], more: Row, factor: Fraction) -> None:
    for name, value in more.items():
        total[name] = total.get(name, Fraction(0)) + factor * value
