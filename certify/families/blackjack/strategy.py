"""Strategy cards of blackjack: what to do on a total, a soft total or a pair against each open card."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from certify.analysis.strategy_file import StrategyFile, written
from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.side_bets import ACE, VALUE_NAMES, VALUES, Counts, Seen, total_of

OPEN_CARDS: Final = (*range(1, VALUES), ACE)
"""Open cards in the order in which cards are printed: two to ten, ace."""

LETTERS: Final[Mapping[str, tuple[str, ...]]] = {
    "S": (ids.STAND,),
    "H": (ids.HIT,),
    "D": (ids.DOUBLE, ids.HIT),
    "Dh": (ids.DOUBLE, ids.HIT),
    "Ds": (ids.DOUBLE, ids.STAND),
    "P": (ids.SPLIT,),
    "R": (ids.SURRENDER, ids.HIT),
    "Rh": (ids.SURRENDER, ids.HIT),
    "Rs": (ids.SURRENDER, ids.STAND),
    "Rp": (ids.SURRENDER, ids.SPLIT),
}
"""Letters of printed cards, with what they mean, the first that the rules allow: ``Ds`` doubles, else stands."""

Line = tuple[str, ...]
"""Letters against each open card, by the place of its value."""

_KEYS: Final = ("schema", "name", "insurance", "hard", "soft", "pairs", "hands", "rescue")
_NEVER, _ALWAYS = "never", "always"
_HARD: Final = range(4, 22)
_SOFT: Final = range(12, 22)


@dataclass(frozen=True)
class PrintedCard:
    """A complete strategy by totals, with exceptions by the cards of a hand where it has some.

    Args:
        name: Name of the strategy.
        hard: Line of each hard total.
        soft: Line of each soft total, an ace counting eleven.
        pairs: Line of each pair, by the place of its value; a pair without one is played by its total.
        hands: Letter for single hands: (cards by value, open card).
        insured: Whether insurance is taken.
        rescued: (Total, open card) on which a doubled hand is given up.
    """

    name: str
    hard: tuple[tuple[int, Line], ...] = field(repr=False)
    soft: tuple[tuple[int, Line], ...] = field(repr=False)
    pairs: tuple[tuple[int, Line], ...] = field(repr=False)
    hands: frozenset[tuple[Counts, int, str]] = field(default=frozenset(), repr=False)
    insured: bool = False
    rescued: frozenset[tuple[int, int]] = frozenset()

    @cached_property
    def _by_total(self) -> Mapping[tuple[bool, int], Line]:
        soft = {(True, total): line for total, line in self.soft}
        return {(False, total): line for total, line in self.hard} | soft

    @cached_property
    def _by_pair(self) -> Mapping[int, Line]:
        return dict(self.pairs)

    @cached_property
    def _by_hand(self) -> Mapping[tuple[Counts, int], str]:
        return {(hand, up): letter for hand, up, letter in self.hands}

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return "total-dependent, with exceptions by cards" if self.hands else "total-dependent"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns what the card does with a hand.

        Raises:
            InputError: The card names nothing for it that the rules allow.
        """
        if len(options) == 1:
            return options[0]
        if not isinstance(sees, Seen):
            raise InputError(f"strategy {self.name!r} is a card of blackjack: expected a hand, got {sees!r}")
        if ids.INSURE in options:
            return ids.INSURE if self.insured else ids.DECLINE
        if ids.RESCUE in options:
            return ids.RESCUE if (total_of(sees.hand)[0], sees.up) in self.rescued else ids.STAND
        meant = self._meant(sees)
        if ids.DECLINE in options:
            return ids.SURRENDER if meant[0] == ids.SURRENDER else ids.DECLINE
        for option in meant:
            if option in options:
                return option
        raise InputError(f"strategy {self.name!r} names nothing for {sees} among {', '.join(options)}")

    def _meant(self, sees: Seen) -> tuple[str, ...]:
        """Returns what is meant for a hand, first choice first."""
        total, soft = total_of(sees.hand)
        by_total = LETTERS[self._by_total[soft, total][sees.up]]
        exception = self._by_hand.get((sees.hand, sees.up))
        if exception is not None:
            return (*LETTERS[exception], *by_total)
        if sees.pair and 2 in sees.hand and (line := self._by_pair.get(sees.hand.index(2))):
            return (*LETTERS[line[sees.up]], *by_total)
        return by_total

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return [
            [list(map(list, part)) for part in (self.hard, self.soft, self.pairs)],
            sorted(map(list, self.hands)), self.insured, sorted(map(list, self.rescued)),
        ]  # fmt: skip

    def text(self) -> str:
        """Returns the card as a strategy file."""
        head = {"name": self.name, "insurance": _ALWAYS if self.insured else _NEVER}
        sections = [
            ("hard", [(str(total), _printed(line)) for total, line in self.hard]),
            ("soft", [(str(total), _printed(line)) for total, line in self.soft]),
            ("pairs", [(VALUE_NAMES[value], _printed(line)) for value, line in self.pairs]),
        ]
        return written(head, sections)


def _printed(line: Line) -> str:
    return " ".join(line[up] for up in OPEN_CARDS)


def parse_card(text: str, source: str, reserved: Callable[[str], bool] = lambda name: False) -> PrintedCard:
    r"""Returns the strategy card that a TOML text states, in the letters in which cards are printed.

    Args:
        text: The TOML text: ``[hard]``, ``[soft]`` and ``[pairs]`` give a line of ten letters for a total, a range of
            totals (``5-8``, ``17-21``) or the card of a pair, against 2 to 10 and an ace; ``[hands]`` gives a letter
            for single hands (``"10-2 against 4" = "H"``), ``[rescue]`` open cards against which a doubled total is
            given up; ``insurance`` is ``never`` or ``always``.
        source: Name of the text in messages.
        reserved: Which names are taken.

    Raises:
        InputError: The text is no TOML, has unknown keys or letters, or leaves a total undecided; all mistakes at once.
    """
    found = StrategyFile.parsed(text, source, _KEYS)
    name, problems = found.name(reserved), found.problems
    hard = _lines(found, "hard", _HARD)
    soft = _lines(found, "soft", _SOFT)
    pairs, hands, rescued = _pairs(found), _hands(found), _rescued(found)
    insurance = found.document.get("insurance", _NEVER)
    if insurance not in (_NEVER, _ALWAYS):
        problems.append(f'insurance is {insurance!r}: expected "{_NEVER}" or "{_ALWAYS}"')
    found.check()
    return PrintedCard(name, hard, soft, pairs, hands, insurance == _ALWAYS, rescued)


def _line(where: str, value: object, problems: list[str]) -> Line | None:
    letters = value.split() if isinstance(value, str) else []
    if len(letters) != VALUES:
        problems.append(f"{where}: expected ten letters, against 2 to 10 and A, got {value!r}")
        return None
    strange = sorted({letter for letter in letters if letter not in LETTERS})
    if strange:
        problems.append(f"{where}: no letter {', '.join(strange)}: expected some of {', '.join(LETTERS)}")
        return None
    return (letters[-1], *letters[:-1])


def _lines(found: StrategyFile, name: str, totals: range) -> tuple[tuple[int, Line], ...]:
    lines: dict[int, Line] = {}
    problems = found.problems
    for key, value in found.table(name, "table").items():
        where = f"[{name}] {key!r}"
        first, _, last = key.partition("-")
        if not (first.isdecimal() and (last or first).isdecimal() and len(key) <= 5):
            problems.append(f"{where}: expected a total from {totals[0]} to {totals[-1]}, or two such as 5-8")
            continue
        line = _line(where, value, problems)
        for total in range(int(first), int(last or first) + 1):
            if total not in totals:
                problems.append(f"{where}: no {name} total {total}: expected {totals[0]} to {totals[-1]}")
            elif total in lines:
                problems.append(f"{where}: {total} is decided twice")
            elif line is not None and any(LETTERS[letter] == (ids.SPLIT,) for letter in line):
                problems.append(f"{where}: a total cannot be split: expected the pair in [pairs]")
                break
            else:
                lines[total] = line or ("S",) * VALUES
    # Nobody decides on twenty-one by some cards; standing there is no choice.
    lines.setdefault(21, ("S",) * VALUES)
    lines.setdefault(totals[0], ("H",) * VALUES)
    missing = [str(total) for total in totals if total not in lines]
    if missing:
        problems.append(f"[{name}] nothing is decided on {', '.join(missing)}")
    return tuple(sorted(lines.items()))


def _pairs(found: StrategyFile) -> tuple[tuple[int, Line], ...]:
    lines: dict[int, Line] = {}
    for key, value in found.table("pairs", "table").items():
        if key not in VALUE_NAMES:
            found.problems.append(f"[pairs] {key!r}: expected one of {', '.join(VALUE_NAMES)}")
        elif (line := _line(f"[pairs] {key!r}", value, found.problems)) is not None:
            lines[VALUE_NAMES.index(key)] = line
    return tuple(sorted(lines.items()))


def _hands(file: StrategyFile) -> frozenset[tuple[Counts, int, str]]:
    found, problems = set(), file.problems
    for key, letter in file.table("hands", "table").items():
        cards, _, up = key.partition(" against ")
        names = cards.split("-")
        if up not in VALUE_NAMES or any(name not in VALUE_NAMES for name in names):
            problems.append(f'[hands] {key!r}: expected cards and an open card, such as "10-2 against 4"')
        elif letter not in LETTERS:
            problems.append(f"[hands] {key!r}: no letter {letter!r}: expected one of {', '.join(LETTERS)}")
        else:
            hand = tuple(names.count(name) for name in VALUE_NAMES)
            found.add((hand, VALUE_NAMES.index(up), letter))
    return frozenset(found)


def _rescued(file: StrategyFile) -> frozenset[tuple[int, int]]:
    found = set()
    for key, value in file.table("rescue", "table").items():
        ups = value.split() if isinstance(value, str) else [""]
        if not key.isdecimal() or int(key) not in _HARD or any(up not in VALUE_NAMES for up in ups):
            file.problems.append(f'[rescue] {key!r}: expected a total and open cards, such as 16 = "9 10 A"')
        else:
            found |= {(int(key), VALUE_NAMES.index(up)) for up in ups}
    return frozenset(found)
