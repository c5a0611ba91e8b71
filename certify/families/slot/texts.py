"""Short texts of a submission: strips, heights, lines, factors and prizes; and rules put back into its tables."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from math import lcm
from typing import Any, Final, get_type_hints

from certify.errors import InputError
from certify.families.slot.keys import SYMBOL, key_of, written
from certify.families.slot.rules import (
    ANY,
    TABLES,
    BonusPrizes,
    Cascade,
    FreeGames,
    Height,
    PatternPay,
    Prize,
    PrizeDraws,
    SlotRules,
    Strip,
    StripSet,
    Wild,
)


def stated_tables(rules: SlotRules) -> Mapping[str, Sequence[object]]:
    """Returns the tables that state these rules; reading them gives the rules back."""
    most = [max((height.rows for height in reel), default=1) for reel in rules.strip_sets[0].heights]
    lines = [" ".join(str(row + 1) for row in line) for line in rules.lines]
    made: dict[str, tuple[object, ...]] = {
        "slot": (_table(TABLES["slot"].form, rules, heights=most, lines=lines),)
    }
    for one in fields(rules):
        held, name = getattr(rules, one.name), key_of(one).name or one.name
        if name in TABLES and held:
            entries = held if TABLES[name].many else [held]
            made[name] = tuple(
                _table(TABLES[name].form, each, **_OWN.get(type(each), lambda one: {})(each))
                for each in entries
            )
    return {name: made[name] for name in TABLES if name in made}


def _table(form: Any, rule: Any, **own: object) -> object:
    """Returns the table that states a rule, of which some keys are text of their own form."""
    types = get_type_hints(form)
    found: dict[str, object] = {}
    for part in (rule, *([rule.trigger] if hasattr(rule, "trigger") else [])):
        found |= {
            one.name: written(getattr(part, one.name), types[one.name])
            for one in fields(part)
            if one.name in types and one.name not in own
        }
    symbols = found.get("symbols")
    if SYMBOL in types and isinstance(symbols, list) and len(symbols) == 1:
        found |= {SYMBOL: symbols[0], "symbols": []}
    stated: object = form(**found, **own)
    return stated


def stop_words(strip: Strip) -> Iterator[str]:
    """Yields the stops of a strip, with their weights where they have some."""
    for stop, name in enumerate(strip.symbols):
        yield f"{name}:{strip.weight(stop)}" if strip.weights else name


def heights_of(one: StripSet) -> list[str]:
    """Returns the heights of the window of each reel, as they are stated."""
    return [
        " ".join(f"{each.rows}:{each.weight}".removesuffix(":1") for each in reel) for reel in one.heights
    ]


def _strips(one: StripSet) -> dict[str, Any]:
    return {"reels": [" ".join(stop_words(reel)) for reel in one.reels], "heights": heights_of(one)}


def _wild(one: Wild) -> dict[str, Any]:
    drawn = " ".join(f"{factor}:{chance}" for factor, chance in one.multiplies)
    return {"multiplies": drawn.removesuffix(":1")}


def _free_games(one: FreeGames) -> dict[str, Any]:
    played = [name for name, _ in one.stages]
    retriggers = all(name in one.begins_in for name in played)
    return {
        "games": list(one.trigger.starts),
        "stage": played[0] if len(played) == 1 else "",
        "stages": [f"{name} {chance}" for name, chance in one.stages] if len(played) > 1 else [],
        "retriggers": retriggers,
        "begins_in": [name for name in one.begins_in if not (retriggers and name in played)],
    }


def _prize(one: Prize, draws: PrizeDraws) -> str:
    weight = f" x{one.weight}" if one.weight != 1 else ""
    step = f" {one.chance.numerator}/{one.chance.denominator}" if draws is PrizeDraws.LADDER else ""
    return f"{one.pays}{weight}{step}{' ends' if one.ends else ''}"


_OWN: Final[Mapping[type, Any]] = {
    StripSet: _strips,
    Wild: _wild,
    PatternPay: lambda one: {"cells": ["|".join(cell) or ANY for cell in one.cells]},
    FreeGames: _free_games,
    BonusPrizes: lambda one: {"prizes": [_prize(prize, one.draws) for prize in one.prizes]},
    Cascade: lambda one: {"refill": "strip above"},
}
"""What is stated otherwise than it is held, by the kind of the rule."""


MOST_STOPS: Final = 4_000
"""Stops of one strip, weights counted, at most."""

MOST_ROWS: Final = 20
"""Rows of a window, at most."""

MOST_WEIGHTS: Final = 10_000_000
"""Items of equal chance that prizes, factors, stages or the steps of a ladder or gamble are drawn from, at most."""

_PARTS: Final = f"in {MOST_WEIGHTS:,} equal parts at most"

_SYMBOL: Final = re.compile(r"[A-Za-z0-9]+(?:[-_][A-Za-z0-9]+)*", re.ASCII)
_STOP: Final = re.compile(r"([A-Za-z0-9_-]+)(?::(\d{1,4}))?(?:\*(\d{1,4}))?", re.ASCII)
_HEIGHT: Final = re.compile(r"(\d{1,2})(?:-(\d{1,2}))?(?::(\d{1,6}))?", re.ASCII)
_NUMBER: Final = re.compile(r"(\d{1,9})(?:/(\d{1,9})|\.(\d{1,9}))?", re.ASCII)
_PRIZE: Final = re.compile(r"(\S+?)(?: x(\d{1,9}))?(?: (\d{1,9}/\d{1,9}))?( ends)?", re.ASCII)


def number(text: str) -> Fraction:
    """Returns a number that is not below zero, written as ``80``, ``0.5`` or ``1/3``.

    Raises:
        InputError: It is none.

    >>> number("2.5"), number("1/3")
    (Fraction(5, 2), Fraction(1, 3))
    """
    found = _NUMBER.fullmatch(text)
    if found is None or (found[2] and not int(found[2])):
        raise InputError(f'"{text}": expected a number such as "80", "0.5" or "1/3"')
    return Fraction(text)


def symbol(text: str) -> str:
    """Returns the name of a symbol.

    Raises:
        InputError: It is none.
    """
    if not _SYMBOL.fullmatch(text) or text == ANY:
        raise InputError(f'"{text}": expected a symbol of letters, digits and hyphens, and not "{ANY}"')
    return text


def strip(text: str) -> Strip:
    """Returns a strip from its symbols: ``bar:3`` is a stop of weight three, ``bar*3`` three stops.

    Raises:
        InputError: A stop has the wrong form, or there are too many.

    >>> strip("seven bar:3 plum*2")
    Strip(symbols=('seven', 'bar', 'plum', 'plum'), weights=(1, 3, 1, 1))
    """
    symbols: list[str] = []
    weights: list[int] = []
    for word in text.replace(",", " ").split():
        found = _STOP.fullmatch(word)
        if found is None:
            raise InputError(
                f'the stop "{word}": expected a symbol, "symbol:weight" or "symbol*stops", each up to 9999'
            )
        times, weight = int(found[3] or 1), int(found[2] or 1)
        if not 1 <= times <= MOST_STOPS - len(symbols):
            raise InputError(f"more than {MOST_STOPS:,} stops, or none: expected 1 to {MOST_STOPS:,}")
        symbols += [symbol(found[1])] * times
        weights += [weight] * times
    if not symbols or not sum(weights) > 0 or 0 in weights:
        raise InputError(
            "no stops, or a stop of weight 0: expected one stop or more, each of weight 1 or more"
        )
    return Strip(tuple(symbols), tuple(weights) if set(weights) != {1} else ())


def heights(text: str) -> tuple[Height, ...]:
    """Returns the heights of a window: ``3``, ``2-7`` (each equally often), or ``2:5 3:1`` with weights.

    Raises:
        InputError: It has the wrong form.

    >>> heights("2-3 4:5")
    (Height(rows=2, weight=1), Height(rows=3, weight=1), Height(rows=4, weight=5))
    """
    made: list[Height] = []
    for word in text.split():
        found = _HEIGHT.fullmatch(word)
        low = int(found[1]) if found else 0
        high = int(found[2] or low) if found else 0
        if found is None or not 1 <= low <= high <= MOST_ROWS or found[3] == "0":
            raise InputError(
                f'"{word}": expected a height such as "3", "2-7" or "2:5", of 1 to {MOST_ROWS} rows'
            )
        made += [Height(rows, int(found[3] or 1)) for rows in range(low, high + 1)]
    if not made or len({height.rows for height in made}) != len(made):
        raise InputError(f'"{text}": expected each height once')
    return tuple(made)


def line(text: str, rows: tuple[int, ...]) -> tuple[int, ...]:
    """Returns the row of a line on each reel, from 0: ``2 2 1 2 2``, or ``22122``.

    Raises:
        InputError: It does not fit the window.

    >>> line("121", (3, 3, 3))
    (0, 1, 0)
    """
    words = text.replace(",", " ").split()
    cells = words if len(words) > 1 or len(rows) == 1 else list(text)
    if len(cells) != len(rows):
        raise InputError(f'the line "{text}" names {len(cells)} rows: expected {len(rows)}, one a reel')
    for place, (cell, height) in enumerate(zip(cells, rows, strict=True), start=1):
        if not cell.isdecimal() or not 1 <= int(cell) <= height:
            raise InputError(f'the line "{text}": row "{cell}" on reel {place}: expected 1 to {height}')
    return tuple(int(cell) - 1 for cell in cells)


def factors(text: str) -> tuple[tuple[int, Fraction], ...]:
    """Returns what a wild multiplies by: ``2``, or ``2:1/2 3:1/2`` with the chance of each.

    Raises:
        InputError: It has the wrong form, or chances do not sum to one.

    >>> factors("2:1/2 3:1/2")
    ((2, Fraction(1, 2)), (3, Fraction(1, 2)))
    """
    made: list[tuple[int, Fraction]] = []
    for word in text.split():
        factor, _, chance = word.partition(":")
        if not factor.isdecimal() or not 1 <= int(factor) <= 1000:
            raise InputError(
                f'"{word}": expected a factor of 1 to 1000, or factors with chances "2:1/2 3:1/2"'
            )
        made.append((int(factor), number(chance) if chance else Fraction(1)))
    if sum(chance for _, chance in made) != 1:
        raise InputError(f'"{text}": chances of the factors do not sum to 1')
    if not all(chance for _, chance in made) or len(dict(made)) < len(made) or _parts(made) > MOST_WEIGHTS:
        raise InputError(f'"{text}": expected each factor once, with a chance above 0, {_PARTS}')
    return tuple(made)


def drawn(words: list[str]) -> tuple[tuple[str, Fraction], ...]:
    """Returns names with their chances: ``a 1/3``; equal where none is stated.

    Raises:
        InputError: Some have a chance and others none, or they do not sum to one.

    >>> drawn(["a", "b"])
    (('a', Fraction(1, 2)), ('b', Fraction(1, 2)))
    """
    parts = [word.split() for word in words]
    if all(len(part) == 1 for part in parts):
        return tuple((part[0], Fraction(1, len(parts))) for part in parts)
    if not all(len(part) == 2 for part in parts):
        raise InputError('expected names alone, or each with its chance ("free 1/3")')
    made = tuple((name, number(chance)) for name, chance in parts)
    if sum(chance for _, chance in made) != 1:
        raise InputError("the chances do not sum to 1")
    if not all(chance for _, chance in made) or _parts(made) > MOST_WEIGHTS:
        raise InputError(f"expected a chance above 0 for each, or the name left out, {_PARTS}")
    return made


def _parts(drawn_from: Sequence[tuple[object, Fraction]]) -> int:
    """Returns the number of equal parts in which all chances are whole."""
    return lcm(*(chance.denominator for _, chance in drawn_from))


def prize(text: str, place: int, draws: PrizeDraws) -> Prize:
    """Returns a prize: ``10 x3`` (pays, weight), ``0 ends``, or of a ladder ``20 1/2`` (pays, chance of the step).

    Raises:
        InputError: It has the wrong form.

    >>> prize("10 x3", 0, PrizeDraws.WHEEL).weight
    3
    """
    found = _PRIZE.fullmatch(text)
    if found is None:
        raise InputError(f'the prize "{text}": expected such as "10 x3", "0 ends" or, of a ladder, "20 1/2"')
    if (found[3] is not None) != (draws is PrizeDraws.LADDER):
        raise InputError(
            f'the prize "{text}": the chance of a step is stated of ladders, and of nothing else'
        )
    if found[4] and draws is not PrizeDraws.PICK_UNTIL:
        raise InputError(f'the prize "{text}": "ends" is given where picks go on until one ends them')
    chance, weight = number(found[3] or "1"), int(found[2] or 1)
    if not 0 < chance <= 1 or not weight or chance.denominator > MOST_WEIGHTS:
        raise InputError(f'the prize "{text}": expected a weight of 1 or more and a chance up to 1, {_PARTS}')
    return Prize(f"prize-{place + 1}", number(found[1]), weight, chance, bool(found[4]))
