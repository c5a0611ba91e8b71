"""What a submission of a described game states of its rows, and the text that its families play by."""

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Final
from zlib import crc32

from certify.analysis.engine.beliefs import beliefs_of, fold
from certify.analysis.engine.distribution import counting_order
from certify.analysis.hands.strength import SHIFT
from certify.by_key import gathered
from certify.errors import InputError, KeyPath
from certify.families.described.compiled_game import Program
from certify.families.described.compiler import Compiler
from certify.families.described.reading import Described, described_of
from certify.families.described.rules import (
    LOSE,
    DescribedRules,
    Group,
    Measurement,
    Ranking,
    Within,
    Worth,
    parts_of,
)
from certify.families.described.stages import TOGETHER, start
from certify.families.port import RuleReader, TableForm
from certify.families.stage_machine import StagedRound
from certify.model import Equipment, Game, Kind, Paytable, Plain, Price, RoundText, by_name, net_of

_OUTCOME: Final = re.compile(r"(?:(.+?)-and-)?(.+?)(?:-on-(\d+(?:-\d+)*))?")
"""A bonus, a row, and what is staked: in all where there is one further stake, else on each."""
_WITHOUT_A_ROW: Final = {"returned": Fraction(0), "lost": Fraction(-1)}
"""Ends of a further stake that are no row of its wager."""


def row_of(outcome: str) -> str:
    """Returns the row of an outcome: the bonus where one is paid, else how the wager ended.

    >>> row_of("win"), row_of("win-on-3"), row_of("straight-and-lose-on-2")
    ('win', 'win', 'straight')
    """
    bonus, row, _ = _parts(outcome)
    return bonus or row


def rows_of(found: Described, wager: str, outcome: str) -> tuple[str, ...]:
    """Returns every row that an outcome is paid by: a bonus, how the wager ended, then rows of further stakes."""
    if found.plain:
        return (outcome,)
    rows, further = _ends(found, wager, outcome)
    return tuple(dict.fromkeys((*rows, *(end for end, _ in further if end not in _WITHOUT_A_ROW))))


def _ends(found: Described, wager: str, outcome: str) -> tuple[list[str], list[tuple[str, int]]]:
    """Returns the rows of the first stake, and how each further stake ends with its units."""
    bonus, row, units = _parts(outcome)
    how = found.besides.get((wager, row), {})
    names = [stake.id for stake in found.stakes if found.wagers[stake.wager] == wager]
    further = [(how.get(name, row), staked) for name, staked in zip(names, units, strict=False) if staked]
    return ([bonus, row] if bonus else [row]), further


def _parts(outcome: str) -> tuple[str, str, tuple[int, ...]]:
    found = _OUTCOME.fullmatch(outcome)
    if found is None:
        return "", outcome, ()
    staked = tuple(map(int, found[3].split("-"))) if found[3] else ()
    return found[1] or "", found[2], staked[1:] if len(staked) > 1 else tuple(total - 1 for total in staked)


@dataclass(frozen=True, slots=True)
class DescribedPrice:
    """Prices of a described game: its rows by the paytables, further stakes as the row or as it is stated.

    Args:
        paytables: What each wager pays.
        found: The game as read.
        known: Prices found before: one outcome ends thousands of rounds.
    """

    paytables: Mapping[str, Paytable]
    found: Described
    known: dict[tuple[str, str], Price] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self, wager: str, outcome: str) -> Price:
        """Returns what an outcome comes to."""
        if (wager, outcome) not in self.known:
            self.known[wager, outcome] = self._price(wager, outcome)
        return self.known[wager, outcome]

    def _price(self, wager: str, outcome: str) -> Price:
        if self.found.plain:
            return Price(self._net(wager, outcome))
        rows, further = _ends(self.found, wager, outcome)
        nets = [self._net(wager, row) for row in rows]
        nets += [
            staked * (_WITHOUT_A_ROW[end] if end in _WITHOUT_A_ROW else self._net(wager, end))
            for end, staked in further
        ]
        return Price(sum(nets, Fraction(0)), Fraction(1 + sum(staked for _, staked in further)))

    def _net(self, wager: str, row: str) -> Fraction:
        if (wager, row) in self.found.returns and row not in self.paytables[wager].ids:
            return self.found.returns[wager, row] - 1
        return net_of(self.paytables, wager, row)


@dataclass(frozen=True, slots=True)
class DescribedFaces:
    """Attributes of faces: what readings add of each, by number of the reading.

    Args:
    Piece, name of the reading, and what each face counts.
    """

    numbers: tuple[tuple[str, str, tuple[int, ...]], ...]

    def __call__(self, piece: Equipment, face: int) -> Mapping[str, Plain]:
        """Returns the attributes of a face."""
        read = {name: counts[face] for of, name, counts in self.numbers if of == piece.id}
        return {**by_name(piece, face), **read}


def text_of(game: Game, rules: DescribedRules) -> RoundText:
    """Returns the implementation that plays a game; made once for games with the same play.

    Raises:
        InputError: The game asks for what cannot be played.
    """
    return _text(Kept(game, rules, paid=True))


class Kept:
    """A game, compared by what is played and, where wanted, by what is paid: a text is made once for it.

    Whatever is bet on and paid, only rules and equipment are compared where ``offered`` is false.
    """

    def __init__(
        self, game: Game, rules: DescribedRules, *, paid: bool = False, offered: bool = True
    ) -> None:
        self.game, self.rules = game, rules
        ids = tuple((wager.id, wager.paytable.ids) for wager in game.wagers)
        wagers = game.wagers if paid else ids if offered else ()
        self.key = (rules, game.equipment, wagers)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Kept) and self.key == other.key

    def __hash__(self) -> int:
        # Rules are long, and needed with every outcome that is priced; games under two names are read twice.
        return hash(self.game.id)


@lru_cache(maxsize=32)
def _text(kept: Kept) -> RoundText:
    game = kept.game
    _, program, faces = _compiled(Kept(game, kept.rules))
    wagers = tuple(wager.id for wager in game.wagers)
    return RoundText(
        program, start, game.equipment, wagers, price_of(game, kept.rules), faces, together=TOGETHER
    )


@lru_cache(maxsize=32)
def _compiled(kept: Kept) -> tuple[Described, Program, DescribedFaces]:
    """Returns a game as read and compiled, whatever its rows pay."""
    found = described_of(kept.game, kept.rules)
    offered = [wager.id for wager in kept.game.wagers]
    equipment = kept.game.equipment
    return found, *_program(
        found, equipment, offered, cards=_forgets(Kept(kept.game, kept.rules, offered=False))
    )


def _program(
    found: Described, equipment: Sequence[Equipment], offered: Sequence[str], *, cards: bool
) -> tuple[Program, DescribedFaces]:
    compiler = Compiler(found, equipment, offered, cards=cards)
    numbers = tuple(
        (piece, f"m{number}", counts)
        for number, reading in enumerate(compiler.readings)
        for piece, counts in reading.numbers
    )
    return _first_equal(compiler.program()), DescribedFaces(numbers)


@lru_cache(maxsize=64)
def _first_equal(program: Program) -> Program:
    """Returns the first program equal to this one: stages find what they kept by it, without comparing all of it."""
    return program


@lru_cache(maxsize=32)
def _forgets(kept: Kept) -> bool:
    """Returns whether the readings that conditions ask for leave a seat in doubt that its open cards would resolve.

    All that was drawn is open, so that a seat which sees enough knows which moment of the round it is in: each of its
    beliefs is one moment, of those that differ in what follows. Which wagers are bet on changes nothing that is seen.
    Where all wagers together are too many to be walked nothing is known of that, and the seat sees the cards.
    """
    text = text_by_readings(kept)
    if not any(step.choices for step in text.table.steps):
        return False
    stakes = dict.fromkeys(text.wagers, Fraction(1))
    try:
        graph = StagedRound(text).graph()
        folded = fold(graph, counting_order(graph.offsets, graph.targets), stakes)
        return any(len(belief.weights) > 1 for belief in beliefs_of(folded).beliefs)
    except InputError:
        return True


def text_by_readings(kept: Kept, *, cards: bool = False) -> RoundText:
    """Returns the implementation in which a seat sees what conditions read and no more, or the open cards."""
    found, equipment = described_of(kept.game, kept.rules), kept.game.equipment
    program, faces = _program(found, equipment, found.wagers, cards=cards)
    return RoundText(program, start, equipment, found.wagers, _told_apart, faces, together=TOGETHER)


def _told_apart(wager: str, outcome: str) -> Price:
    """Returns a pay of its own for every outcome, so that no two happen to be worth the same."""
    return Price(Fraction(crc32(f"{wager} {outcome}".encode())))


def price_of(game: Game, rules: DescribedRules) -> DescribedPrice:
    """Returns what the outcomes of a game come to."""
    return DescribedPrice({wager.id: wager.paytable for wager in game.wagers}, described_of(game, rules))


NAMES: Final[Mapping[str, TableForm]] = {
    "face_groups": TableForm(Group, many=True),
    "face_worth": TableForm(Worth, many=True),
    "hand_rankings": TableForm(Ranking, many=True),
}
"""Tables of what conditions speak of, in every described game: faces, what they count, hands."""


class DescribedSubmission:
    """Wagers and rows are the submission's own; what is played is in tables that a family reads."""

    rule_ids: tuple[str, ...] = ()
    optional_rules: tuple[str, ...] = ()
    wager_ids: tuple[str, ...] = ()
    bankers: tuple[str, ...] = ("house",)

    def read(self, rules: RuleReader) -> DescribedRules:
        """Returns rules without a turn: what is played is in tables of its own."""
        return DescribedRules()

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns none: what can be bet on is the submission's own."""
        return ()

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that something leads to and that the paytable must pay."""
        found = described(game)
        rows = self.reachable_rows(game, wager)
        return tuple(row for row in rows if found and row != LOSE and (wager, row) not in found.returns)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that a condition or an option names, winning ones first, and that of a lost stake."""
        found = described(game)
        if found is None or wager not in found.wagers:
            return ()
        return tuple(dict.fromkeys((*(row for row in found.rows_of(wager) if row != LOSE), LOSE)))

    def row_of(self, outcome: str) -> str:
        """Returns the row that an outcome is named after."""
        return row_of(outcome)

    def rows_of(self, game: Game, wager: str, outcome: str) -> tuple[str, ...]:
        """Returns every row that an outcome is paid by, that which it is named after first."""
        found = described(game)
        return (self.row_of(outcome),) if found is None else rows_of(found, wager, outcome)

    def remarks(self, game: Game, stated: Container[KeyPath]) -> Iterator[tuple[KeyPath, str]]:
        """Yields tickets that are drawn several times, though several bear one name."""
        turns = () if (found := described(game)) is None else found.turns
        for number, piece in enumerate(game.equipment):
            drawn = sum(of == piece.id for turn in turns for _, of in turn.draws)
            if piece.kind is Kind.BALLS and drawn > 1 and len(piece.faces) < piece.size:
                message = (
                    f"{drawn} tickets of {piece.id} leave one by one, so that one name may come twice. Where a name "
                    "leaves as a whole, as in a race by weights, turn a wheel of these copies again while it shows a "
                    "name again (certify new-game --like race)"
                )
                yield ("equipment", number), message

    def unnamed_kinds(self, game: Game, wager: str) -> Mapping[str, str]:
        """Returns kinds that no condition of a wager names though it names a lower one, each with the next lower."""
        found = described(game)
        if found is None or wager not in found.wagers:
            return {}
        parts = (
            part
            for turn in found.turns
            for one in (*turn.endings, *turn.bonuses)
            if one.wager == found.wagers.index(wager) and not isinstance(one.when, tuple)
            for part in parts_of(one.when)
        )
        spans = gathered(
            (part.reading.order, (part.low >> SHIFT, part.high >> SHIFT))
            for part in parts
            if isinstance(part, Within) and isinstance(part.reading, Measurement) and part.reading.order
        )
        forgotten = {}
        for order, own in spans.items():
            named = [any(low <= kind <= high for low, high in own) for kind in range(len(order.kinds))]
            first = named.index(True) if True in named else len(named)
            for kind in (kind for kind in range(first, len(named)) if not named[kind]):
                forgotten[order.kinds[kind]] = order.kinds[kind - 1]
        return forgotten


def described(game: Game) -> Described | None:
    """Returns a game as it was described; none where a mistake keeps it from being read."""
    if not isinstance(game.rules, DescribedRules):
        return None
    try:
        return _described(Kept(game, game.rules))
    except InputError:
        return None


@lru_cache(maxsize=4)
def _described(kept: Kept) -> Described:
    return described_of(kept.game, kept.rules)
