"""A slot as a submission states it: its rules put back into the tables of ``game.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any

from certify.families.slot import forms
from certify.families.slot.rules import (
    ANY,
    BonusPrizes,
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


def tables_of(rules: SlotRules) -> Mapping[str, Sequence[object]]:
    """Returns the tables that state these rules; reading them gives the rules back."""
    special: dict[str, Iterable[object]] = {
        "slot": [_slot(rules)],
        "strips": map(_strips, rules.strip_sets),
        "wilds": map(_wild, rules.wilds),
        "pattern_pays": map(_pattern, rules.patterns),
        "free_games": map(_free_games, rules.free_games),
        "bonuses": map(_bonus, rules.bonuses),
        "cascades": (_alike(forms.SubmittedCascade, one, refill="strip above") for one in rules.cascades),
        "gamble": [] if rules.gamble is None else [_alike(forms.SubmittedGamble, rules.gamble)],
    }
    made = {
        name: special[name] if name in special else [_alike(table.form, one) for one in getattr(rules, name)]
        for name, table in forms.TABLES.items()
    }
    return {name: entries for name, some in made.items() if (entries := tuple(some))}


def _alike(form: type, one: object, **otherwise: object) -> Any:
    """Returns a rule as the table that it was read from: the same names, as they are written there.

    Args:
        form: The form of the table.
        one: The rule; what starts it is stated beside what is its own.
        otherwise: What is stated otherwise than it is held.
    """
    held = [one, *([one.trigger] if hasattr(one, "trigger") else [])]
    names = [each for each in fields(form) if each.name not in otherwise]
    found: dict[str, object] = {
        each.name: _written(getattr(part, each.name), each)
        for part in held
        for each in names
        if hasattr(part, each.name)
    }
    symbols = found.get("symbols")
    if isinstance(symbols, list) and len(symbols) == 1 and any(each.name == "symbol" for each in names):
        found |= {"symbol": symbols[0], "symbols": []}
    return form(**found, **otherwise)


def _written(value: object, field: Field[Any]) -> object:
    """Returns a value as its table has it."""
    match value:
        case StrEnum():
            return value.value
        case Fraction():
            return str(value)
        case None:
            return ""
        case tuple():
            return dict(value) if str(field.type).startswith("dict") else list(value)
        case _:
            return value


def stop_words(strip: Strip) -> Iterator[str]:
    """Yields the stops of a strip, with their weights where they have some."""
    for stop, name in enumerate(strip.symbols):
        yield f"{name}:{strip.weight(stop)}" if strip.weights else name


def _slot(rules: SlotRules) -> forms.SubmittedSlot:
    most = [max((height.rows for height in reel), default=1) for reel in rules.strip_sets[0].heights]
    lines = [" ".join(str(row + 1) for row in line) for line in rules.lines]
    stated: forms.SubmittedSlot = _alike(forms.SubmittedSlot, rules, heights=most, lines=lines)
    return stated


def _strips(one: StripSet) -> forms.SubmittedStrips:
    reels = [" ".join(stop_words(reel)) for reel in one.reels]
    return forms.SubmittedStrips(one.id, reels, one.fill.value, heights_of(one))


def heights_of(one: StripSet) -> list[str]:
    """Returns the heights of the window of each reel, as they are stated."""
    return [" ".join(map(_height, reel)) for reel in one.heights]


def _height(one: Height) -> str:
    return str(one.rows) if one.weight == 1 else f"{one.rows}:{one.weight}"


def _wild(one: Wild) -> object:
    drawn = " ".join(f"{factor}:{chance}" for factor, chance in one.multiplies)
    return _alike(forms.SubmittedWild, one, multiplies=drawn.removesuffix(":1"))


def _pattern(one: PatternPay) -> object:
    return _alike(forms.SubmittedPattern, one, cells=["|".join(cell) or ANY for cell in one.cells])


def _free_games(one: FreeGames) -> object:
    played = [name for name, _ in one.stages]
    retriggers = all(name in one.begins_in for name in played)
    return _alike(
        forms.SubmittedFreeGames,
        one,
        games=list(one.trigger.starts),
        stage=played[0] if len(played) == 1 else "",
        stages=[f"{name} {chance}" for name, chance in one.stages] if len(played) > 1 else [],
        retriggers=retriggers,
        begins_in=[name for name in one.begins_in if not (retriggers and name in played)],
    )


def _bonus(one: BonusPrizes) -> object:
    return _alike(forms.SubmittedBonus, one, prizes=[_prize(prize, one.draws) for prize in one.prizes])


def _prize(one: Prize, draws: PrizeDraws) -> str:
    weight = f" x{one.weight}" if one.weight != 1 else ""
    step = f" {one.chance.numerator}/{one.chance.denominator}" if draws is PrizeDraws.LADDER else ""
    return f"{one.pays}{weight}{step}{' ends' if one.ends else ''}"
