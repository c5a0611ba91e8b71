"""The exact graph of a text: states of its least automaton with what left the shoe and what is settled so far.

What left is counted in the classes of faces that no future of the state tells apart, so that few different contents of
the shoe remain. Weights are whole numbers of cards.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any, Final

from certify.analysis.engine.automaton import IMPOSSIBLE, SHIFT, TARGET, Automaton, Failed, Row
from certify.analysis.engine.walk import CHANCE, CHOICE, NO_MOVE, SETTLED, STATE_LIMIT, RoundGraph
from certify.errors import InputError
from certify.families.port import Choice, ReferenceRound, WagerResult
from certify.model.stages import Choose, Draw, Price, Won

GRAPH_LIMIT: Final = 6 * STATE_LIMIT
"""Most states of the exact graph; about 150 bytes each."""

Bag = tuple[int, ...]
"""Classes of what left, sorted."""


def graph_of(
    automaton: Automaton,
    reference: ReferenceRound[Any],
    price: Callable[[str, str], Price],
    limit: int = GRAPH_LIMIT,
) -> RoundGraph:
    """Returns the exact graph of a text.

    Args:
        automaton: The least automaton of the text.
        reference: The round that the same text plays, kept with the graph.
        price: What an outcome of a wager comes to.
        limit: Most states.

    Raises:
        InputError: There are more states than the limit; the round asks a piece for more than it holds, does not settle
            every wager once, or a stage failed on a draw that is possible.
    """
    return _Growing(automaton, reference, price, limit).run()


class _Growing:
    """The graph while it grows."""

    def __init__(
        self,
        automaton: Automaton,
        reference: ReferenceRound[Any],
        price: Callable[[str, str], Price],
        limit: int,
    ) -> None:
        self.automaton = automaton
        self.price = price
        self.reference = reference
        self.limit = limit
        text = automaton.text
        self.wagers = {wager: place for place, wager in enumerate(text.wagers)}
        self.classes = [_Classes(automaton, number) for number in range(len(automaton.partitions))]
        self.index: dict[tuple[int, int, int], int] = {}
        self.waiting: list[tuple[int, int, int]] = []
        self.bags: list[Bag] = []
        self.bag_numbers: dict[tuple[int, Bag], int] = {}
        self.coarser: dict[tuple[int, int], list[int]] = {}
        self.after: dict[tuple[int, int, int], int] = {}
        self.settled: list[tuple[Won, ...]] = [()]
        self.settled_numbers: dict[tuple[Won, ...], int] = {(): 0}
        self.adding: dict[tuple[int, int], int] = {}
        self.plans: dict[int, list[tuple[int, int, int]]] = {}
        self.kinds = bytearray()
        self.details, self.offsets = array("q"), array("q", [0])
        self.targets, self.weights, self.moves = array("q"), array("q"), array("q")
        self.parents = array("q", [NO_MOVE])
        self.choices: dict[Choice, int] = {}
        self.results: dict[tuple[Won, ...], int] = {}

    def run(self) -> RoundGraph:
        automaton = self.automaton
        empty = self.bag(automaton.partition[0], ())
        start = (0, empty, self.add(0, automaton.walked.begun))
        self.index[start] = 0
        self.waiting.append(start)
        done = 0
        while done < len(self.waiting):
            state, bag, settled = self.waiting[done]
            done += 1
            waiting = automaton.waiting[state]
            if type(waiting) is Draw:
                self.draw(state, bag, settled)
            elif type(waiting) is Choose:
                self.choose(state, bag, settled, waiting)
            elif type(waiting) is Failed:
                raise InputError(f"{waiting.message}: the round comes here")
            else:
                self.kinds.append(SETTLED)
                self.details.append(self.results.setdefault(self.settled[settled], len(self.results)))
            self.offsets.append(len(self.targets))
        if not self.results:
            raise InputError(
                "no draws and no decisions end this round: it never ends, and nothing is ever settled"
            )
        return RoundGraph(
            self.reference,
            bytes(self.kinds),
            self.details,
            self.offsets,
            self.targets,
            self.weights,
            self.moves,
            self.parents,
            tuple(self.choices),
            tuple(self.priced(won) for won in self.results),
            array("q", [state for state, _, _ in self.waiting]),
        )

    def draw(self, state: int, bag: int, settled: int) -> None:
        automaton = self.automaton
        plan = self.plans.get(state)
        if plan is None:
            plan = self.plans[state] = self.plan(state)
        partition = automaton.partition[state]
        place = automaton.text.piece_of(automaton.waiting[state])  # type: ignore[arg-type]
        piece = automaton.text.equipment[place]
        self.kinds.append(CHANCE)
        if piece.replaced:
            self.details.append(piece.size)
            groups: dict[int, tuple[int, int]] = {}
            for arrow, weight, face in plan:
                known = groups.get(arrow)
                groups[arrow] = (weight, face) if known is None else (known[0] + weight, known[1])
            for arrow, (weight, face) in groups.items():
                target = arrow & TARGET
                self.reach(
                    target, self.project(partition, target, bag), settled, arrow >> SHIFT, weight, face
                )
            return
        classes = self.classes[partition]
        held = self.bags[bag]
        drawn = sum(1 for one in held if classes.piece[one] == place)
        if drawn >= piece.supply:
            raise InputError(
                f"the round asks {piece.id} for more than {piece.supply} draws: it holds no more"
            )
        self.details.append(piece.size - drawn)
        here: dict[tuple[int, int, int], list[int]] = {}
        for one, arrow, face in plan:
            weight = classes.size[one] - held.count(one)
            if not weight:
                continue
            if arrow == IMPOSSIBLE:
                raise AssertionError(f"a card that is certainly gone can come: state {state}, face {face}")
            target = arrow & TARGET
            key = (bag, one, automaton.partition[target])
            after = self.after.get(key)
            if after is None:
                after = self.after[key] = self.projected(partition, automaton.partition[target], (*held, one))
            edge = (target, after, self.add(settled, arrow >> SHIFT))
            known_edge = here.get(edge)
            if known_edge is None:
                here[edge] = [weight, face]
            else:
                known_edge[0] += weight
        for (target, after, won), (weight, face) in here.items():
            self.edge((target, after, won), weight, face)

    def plan(self, state: int) -> list[tuple[int, int, int]]:
        """Returns (class, arrow, first face) of what may come; of a piece that puts back (arrow, items, face)."""
        automaton = self.automaton
        place = automaton.text.piece_of(automaton.waiting[state])  # type: ignore[arg-type]
        row = automaton.rows[state]
        first = automaton.first_face[place]
        if first < 0:
            copies = automaton.text.equipment[place].copies
            return [(arrow, copies[face], face) for face, arrow in enumerate(row)]
        names = automaton.partitions[automaton.partition[state]]
        plan: dict[int, tuple[int, int, int]] = {}
        for face, arrow in enumerate(row):
            one = names[first + face]
            known = plan.setdefault(one, (one, arrow, face))
            if known[1] != arrow:
                raise AssertionError(f"faces of one class lead apart: state {state}, face {face}")
        return list(plan.values())

    def choose(self, state: int, bag: int, settled: int, waiting: Choose) -> None:
        self.kinds.append(CHOICE)
        choice = Choice(waiting.seat, waiting.options, waiting.sees)
        self.details.append(self.choices.setdefault(choice, len(self.choices)))
        partition = self.automaton.partition[state]
        for place, arrow in enumerate(self.automaton.rows[state]):
            target = arrow & TARGET
            self.reach(target, self.project(partition, target, bag), settled, arrow >> SHIFT, 1, place)

    def reach(self, target: int, bag: int, settled: int, label: int, weight: int, move: int) -> None:
        self.edge((target, bag, self.add(settled, label)), weight, move)

    def edge(self, key: tuple[int, int, int], weight: int, move: int) -> None:
        place = self.index.get(key)
        if place is None:
            place = len(self.index)
            if place >= self.limit:
                raise InputError(
                    f"the exact graph of the round has more than {self.limit:,} states: too many to be counted in "
                    "memory. Expected stages that keep less and settle a wager where it is decided"
                )
            self.index[key] = place
            self.parents.append(len(self.targets))
            self.waiting.append(key)
        self.targets.append(place)
        self.weights.append(weight)
        self.moves.append(move)

    def bag(self, partition: int, held: Bag) -> int:
        key = (partition, held)
        number = self.bag_numbers.get(key)
        if number is None:
            number = self.bag_numbers[key] = len(self.bags)
            self.bags.append(held)
        return number

    def project(self, partition: int, target: int, bag: int) -> int:
        """Returns what left in the classes of the next state."""
        wanted = self.automaton.partition[target]
        if wanted == partition:
            return bag
        key = (bag, -1, wanted)
        number = self.after.get(key)
        if number is None:
            number = self.after[key] = self.projected(partition, wanted, self.bags[bag])
        return number

    def projected(self, partition: int, wanted: int, held: Bag) -> int:
        renamed = self.coarser.get((partition, wanted))
        if renamed is None:
            names = self.automaton.partitions[wanted]
            renamed = [names[face] for face in self.classes[partition].first]
            self.coarser[partition, wanted] = renamed
        return self.bag(wanted, tuple(sorted([renamed[one] for one in held])))

    def add(self, settled: int, label: int) -> int:
        """Returns what is settled once the wagers of an arrow are too."""
        key = (settled, label)
        number = self.adding.get(key)
        if number is None:
            won = (*self.settled[settled], *self.automaton.walked.labels[label].won)
            self.check(won)
            won = tuple(sorted(won, key=lambda one: self.wagers[one[0]]))
            number = self.settled_numbers.get(won)
            if number is None:
                number = self.settled_numbers[won] = len(self.settled)
                self.settled.append(won)
            self.adding[key] = number
        return number

    def check(self, won: tuple[Won, ...]) -> None:
        wagers = [wager for wager, _ in won]
        unknown = [wager for wager in wagers if wager not in self.wagers]
        if unknown:
            known = ", ".join(self.wagers)
            raise InputError(f"the round settles {unknown[0]!r}: expected one of the game's wagers, {known}")
        if len(set(wagers)) != len(wagers):
            twice = next(wager for wager in wagers if wagers.count(wager) > 1)
            raise InputError(f"the round settles {twice!r} twice: expected every wager of the game once")

    def priced(self, won: tuple[Won, ...]) -> tuple[WagerResult, ...]:
        if len(won) != len(self.wagers):
            missing = ", ".join(wager for wager in self.wagers if wager not in dict(won))
            raise InputError(
                f"a round ends without settling {missing}: expected every wager of the game once"
            )
        prices = ((wager, outcome, self.price(wager, outcome)) for wager, outcome in won)
        return tuple(WagerResult(wager, outcome, one.net, one.staked) for wager, outcome, one in prices)


class _Classes:
    """The classes of one partition: how many cards each holds, of which piece, and its first face."""

    def __init__(self, automaton: Automaton, number: int) -> None:
        names: Row = automaton.partitions[number]
        count = max(names, default=-1) + 1
        self.size = [0] * count
        self.first = [0] * count
        self.piece = [0] * count
        for place, piece in enumerate(automaton.text.equipment):
            first = automaton.first_face[place]
            if first < 0:
                continue
            copies = piece.copies
            for face in range(len(copies) - 1, -1, -1):
                one = names[first + face]
                self.size[one] += copies[face]
                self.first[one] = first + face
                self.piece[one] = place
