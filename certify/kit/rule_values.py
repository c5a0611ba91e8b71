"""The rules of a submission with one of them otherwise, and the states that a text leads to."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from itertools import count
from typing import Any, Final

from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families import (
    Choice,
    Decide,
    PlayedRound,
    ReferenceRound,
    RoundStep,
    RuleReader,
    Settled,
    play,
    steps,
)
from certify.model import Game, PassingRound, RuleValue, Strategy, Wager

WAYS: Final = 4
"""Ways in which each row of draws is played: the option taken goes round from one decision to the next."""

ROWS: Final = 60
"""Rows of draws that are played so."""


@dataclass(frozen=True, slots=True)
class Taking:
    """A strategy that takes one option wherever it is offered, and else plays as another one does.

    Args:
        option: Id of the option.
        otherwise: The other strategy.
    """

    option: str
    otherwise: Strategy

    @property
    def name(self) -> str:
        """Name of the strategy."""
        return f"{self.option}, else {self.otherwise.name}"

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return self.otherwise.strategy_class

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the option where it is offered, else what the other strategy takes, or else the first."""
        if self.option in options:
            return self.option
        try:
            return self.otherwise.choose(sees, options)
        except InputError:
            return options[0]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["taking", self.option, self.otherwise.table()]


def explored(reference: ReferenceRound[Any], rows: Sequence[Sequence[int]]) -> Hashable:
    """Returns everything that is offered and seen, and how rounds end, where each option is taken in turn."""
    return tuple(
        _met(reference, step)
        for row in rows[:ROWS]
        for way in range(WAYS)
        for step in _steps(reference, row, way)
    )


def offered(reference: ReferenceRound[Any], rows: Sequence[Sequence[int]]) -> frozenset[str]:
    """Returns the ids of the options that are offered next to another one on some rows of draws."""
    return frozenset(
        option
        for row in rows[:ROWS]
        for way in range(WAYS)
        for step in _steps(reference, row, way)
        if isinstance(step.node, Choice) and len(step.node.options) > 1
        for option in step.node.ids
    )


def played_in_turn(reference: ReferenceRound[Any], row: Sequence[int]) -> Iterator[PlayedRound]:
    """Yields the rounds of one row of draws in which each option is taken in turn."""
    for way in range(WAYS):
        yield play(reference, row, _in_turn(way))


def _steps(reference: ReferenceRound[Any], row: Sequence[int], way: int) -> Iterator[RoundStep[Any]]:
    return steps(reference, row, _in_turn(way))


def _in_turn(way: int) -> Decide:
    turn = count(way)
    return lambda choice: choice.ids[next(turn) % len(choice.ids)]


def _met(reference: ReferenceRound[Any], step: RoundStep[Any]) -> Hashable:
    node = step.node
    if isinstance(node, Settled):
        passes = reference.next_bank(step.state) if isinstance(reference, PassingRound) else None
        return node.results, passes
    if isinstance(node, Choice):
        return (node.seat, node.options, node.sees, step.option)
    return (node.equipment, node.to, node.shown)


MOST: Final = 4
"""Other words that are tried for one rule."""


PAYS: Final = "pays"
"""What rules that state pays in place of a paytable call them."""

LOWEST: Final = 1
"""Half a point, at which rules about a first card are distinguished from those about a total."""


class RefusedError(InputError):
    """The family does not take such a rule."""


@dataclass(frozen=True, slots=True)
class RuleForm:
    """What one rule may be.

    Args:
        id: Id of the rule, as ``[[rules]]`` states it.
        values: The values it takes, in words.
        otherwise: What a game is played by whose submission is silent.
    """

    id: str
    values: str
    otherwise: str


@dataclass(slots=True)
class RuleTexts(RuleReader):
    """Reads the rules of a game from their texts, and keeps what each may be; the port of the families.

    Args:
        values: Text of each rule by its id.
        forms: What each rule may be in words, by its id; filled while rules are read.
        others: Other texts of each rule, by its id; filled while rules are read.
    """

    values: dict[str, str]
    forms: dict[str, RuleForm] = field(default_factory=dict)
    others: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def _keep(self, form: RuleForm, *others: str) -> None:
        self.forms[form.id], self.others[form.id] = form, others

    def flag(self, name: str, otherwise: bool) -> bool:
        """Returns a yes/no rule."""
        value = self.values.get(name, "yes" if otherwise else "no") == "yes"
        self._keep(RuleForm(name, "true or false", str(otherwise).lower()), "no" if value else "yes")
        return value

    def points(self, name: str, otherwise: int) -> int:
        """Returns a rule that is a number of points, in half points."""
        value = parse_half_points(self.values[name]) if name in self.values else otherwise
        others = dict.fromkeys((value - 1, value + 1, LOWEST))
        self._keep(
            RuleForm(name, "points, such as 5½", format_half_points(otherwise)),
            *(format_half_points(one) for one in others if one > 0 and one != value),
        )
        return value

    def whole(self, name: str, otherwise: int, low: int, high: int) -> int:
        """Returns a rule that is a whole number written as text, within bounds."""
        value = int(self.values[name]) if name in self.values else otherwise
        self._keep(
            RuleForm(name, f"a whole number from {low} to {high}", str(otherwise)),
            *(str(number) for number in (value - 1, value + 1) if low <= number <= high),
        )
        return value

    def choice(self, name: str, otherwise: str, allowed: tuple[str, ...]) -> str:
        """Returns a rule that is one of several words."""
        value = self.values.get(name, otherwise)
        self._keep(
            RuleForm(name, " or ".join(f'"{word}"' for word in allowed), otherwise),
            *[word for word in allowed if word != value][:MOST],
        )
        return value

    def text(self, name: str, otherwise: str) -> str:
        """Returns a rule that is text of the family's own form; what else it could be only the family knows."""
        self._keep(RuleForm(name, "text in the family's own form", otherwise))
        return self.values.get(name, otherwise)

    def refuse(self, name: str, message: str) -> None:
        """Says why the value of a rule is not supported.

        Raises:
            RefusedError: Always.
        """
        raise RefusedError(f"{name}: {message}")


def altered_rules(game: Game) -> Iterator[tuple[str, str, Game]]:
    """Yields a rule, what is otherwise in words, and the game so changed; what the family refuses is left out."""
    texts = {rule.id: rule.value for rule in game.rule_values}
    read = RuleTexts(dict(texts))
    game.port.rules.read(read)
    for name, others in read.others.items():
        for other in others:
            try:
                rules = game.port.rules.read(RuleTexts({**texts, name: other}))
            except InputError:
                continue
            stated = tuple(_stated(rule, name, other) for rule in game.rule_values)
            yield name, f"rule {name} is {other}", _paying(replace(game, rules=rules, rule_values=stated))


def raised_in_rules(game: Game) -> Iterator[tuple[str, Game]]:
    """Yields a game whose rules state its pays, with one of these pays a unit higher, and where it is."""
    for words, rules in _raised(game.rules, ""):
        yield words, replace(game, rules=rules)


def _raised(value: Any, at: str, *, pays: bool = False) -> Iterator[tuple[str, Any]]:
    """Yields a value with one of the pays that lie in it a unit higher; all that it holds are pays, or only some."""
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            held, place = getattr(value, one.name), f"{at}.{one.name}" if at else one.name
            found = _raised(held, place, pays=one.name == PAYS)
            yield from ((words, replace(value, **{one.name: other})) for words, other in found)
    elif isinstance(value, tuple):
        for number, held in enumerate(value):
            for words, other in _raised(held, f"{at}[{number}]", pays=pays):
                yield words, (*value[:number], other, *value[number + 1 :])
    elif pays and value > 0:
        yield f"{at} is {value + 1}", value + 1


def _paying(game: Game) -> Game:
    """Returns a game that pays every row its rules ask for; a new one pays a unit more than any row above it."""
    return replace(
        game,
        wagers=tuple(_with_rows(wager, game.port.rules.paid_rows(game, wager.id)) for wager in game.wagers),
    )


def _with_rows(wager: Wager, asked: Sequence[str]) -> Wager:
    table = wager.paytable
    missing = [row for row in asked if row not in table.ids]
    if not missing or not table.rows:
        return wager
    pays = max(row.pays for row in table.rows)
    rows = [replace(table.rows[-1], id=row, title=row, pays=pays + 1 + n) for n, row in enumerate(missing)]
    return replace(wager, paytable=replace(table, rows=(*table.rows, *rows)))


def _stated(rule: RuleValue, name: str, value: str) -> RuleValue:
    return replace(rule, value=value) if rule.id == name else rule
