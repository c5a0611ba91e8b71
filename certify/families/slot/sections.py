"""What a slot mathematician looks for beside the returns: where the return comes from, features, variants, meters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import Final

from certify.evidence.analysis import (
    Basis,
    SupplementaryColumn,
    SupplementaryFigure,
    SupplementaryRow,
    SupplementaryTable,
    Unit,
)
from certify.evidence.document import Sections
from certify.evidence.encode import plain
from certify.exact import decimal_text
from certify.families.slot.exact.bands import at_least
from certify.families.slot.exact.branching import branching
from certify.families.slot.exact.ends import highest_win
from certify.families.slot.exact.meters import break_even, chance_at, level_rules, long_run, paid_at
from certify.families.slot.exact.port import purchased, variant_rules
from certify.families.slot.exact.round import feature_odds, round_figures
from certify.families.slot.purchases import Jackpot
from certify.families.slot.rows import BANDS
from certify.families.slot.rules import BASE, FAMILY_ID, SlotRules, StripSet, rules_of
from certify.messages import say, worded
from certify.model.bounded import Figure, ends_of, figure_between
from certify.model.figures import Analysis, WagerFigures
from certify.model.form import Message, Parameter
from certify.model.game import Game


class SlotSections:
    """Tables beside the figures of a slot, in the evidence and on the terminal alike."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns the tables as plain values."""
        return {"supplementary_tables": plain(tuple(_tables(game, analysis.wagers[0])))}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the tables."""
        first = next(iter(analyses.values()))
        return Sections(supplementary_tables=tuple(_tables(game, first.wagers[0])))


Values = Sequence[Figure]
Rows = Iterator[tuple[Message, Values]]
"""What each row is of, and its figures in the order of the columns."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A table beside the figures.

    Args:
        id: Its id.
        columns: Its columns, each with the unit of its figures.
        rows: Its rows.
        of: What the rules must have for it to be printed, rows or none; where left out, it is printed with rows alone.
    """

    id: str
    columns: Mapping[str, Unit]
    rows: Callable[[SlotRules, WagerFigures], Rows]
    of: str = ""


def _tables(game: Game, figures: WagerFigures) -> Iterator[SupplementaryTable]:
    rules = rules_of(game)
    for one in TABLES:
        rows = [_row(one, *row) for row in one.rows(rules, figures)]
        if rows or (one.of and getattr(rules, one.of)):
            titles = {name: _said(f"column.{name}") for name in one.columns}
            yield SupplementaryTable(
                id=one.id,
                columns=tuple(SupplementaryColumn(id=name, **worded(title=titles[name])) for name in titles),
                rows=tuple(rows),
                **worded(title=_said(one.id), remark=_said(f"{one.id}.remark")),
            )


def _row(table: _Table, of: Message, values: Values) -> SupplementaryRow:
    figures = {}
    for (name, unit), value in zip(table.columns.items(), values, strict=True):
        low, high = ends_of(value)
        figures[name] = SupplementaryFigure(low, high, unit, Basis.EXACT if low == high else Basis.PROVEN)
    return SupplementaryRow(figures=figures, detail="", **worded(of=of))


def _said(message: str, **parameters: Parameter) -> Message:
    return say(f"{FAMILY_ID}.table.{message}", **parameters)


def _of(name: str) -> Message:
    return _said("row", name=name)


def _award_bands(rules: SlotRules, _: WagerFigures) -> Rows:
    """Yields how often a whole round wins at least so many bets."""
    for many, (low, high) in at_least(rules, BANDS).items():
        if low:
            yield _of(str(many)), (figure_between(low, high, ""), figure_between(1 / high, 1 / low, ""))
    highest = highest_win(rules)
    if highest is not None:
        bets = Fraction(highest.coins, rules.cost)
        much = str(bets.numerator) if bets.denominator == 1 else decimal_text(bets, 2)
        yield _said("most", name=much), (highest.chance, 1 / highest.chance)


def _split(_: SlotRules, figures: WagerFigures) -> Rows:
    parts: dict[str, Fraction] = {}
    for award in figures.awards:
        part = award.part or award.row  # what a limit takes away belongs to no part
        parts[part] = parts.get(part, Fraction(0)) + award.contribution
    whole = figures.return_to_player
    for part, much in parts.items() if whole else ():
        yield _of(part), (much, much / whole)


def _features(rules: SlotRules, _: WagerFigures) -> Rows:
    odds, worth, base = feature_odds(rules), branching(rules), rules.stage(BASE)
    for place, feature in enumerate(rules.features):
        chance = odds[feature.id]
        if chance:
            least = next(number for number in feature.trigger.starts if number)
            mean = worth.feature(base, place, least)[0]
            yield _of(feature.id), (chance, 1 / chance, mean / rules.cost)


def _returned(figures: WagerFigures) -> Values:
    return figures.return_to_player, figures.hit_frequency, figures.variance


def _variants(rules: SlotRules, figures: WagerFigures) -> Rows:
    found = [(one.title, variant_rules(rules, one.id)) for one in rules.variants]
    if found:
        yield _of(BASE), _returned(figures)
    for title, own in found:
        yield _of(title or BASE), _returned(round_figures(own, figures.wager))


def _levels(rules: SlotRules, figures: WagerFigures) -> Rows:
    for level in rules.bet_levels:
        yield _of(level.id), _returned(round_figures(level_rules(rules, level), figures.wager))


def _purchases(rules: SlotRules, _: WagerFigures) -> Rows:
    for one in rules.purchases:
        mean, variance = purchased(rules, one)
        price = one.price * rules.cost
        yield _of(one.id), (one.price, mean / price, variance / price**2)


def _times(figures: WagerFigures, jackpot: Jackpot) -> Fraction:
    """Returns how often a round wins the row of a meter."""
    return sum((award.times for award in figures.awards if award.row == jackpot.row), Fraction(0))


def _jackpots(rules: SlotRules, figures: WagerFigures) -> Rows:
    """Yields what each meter returns in the long run, and at which meter the round returns its stake."""
    for one in rules.jackpots:
        times = _times(figures, one)
        if times or one.must_hit_by is not None:
            chance, contribution = long_run(one, times)
            even = break_even(one, figures.return_to_player, times)
            yield _of(one.id), (min(chance, Fraction(1)), contribution, even)


def _meters(rules: SlotRules, figures: WagerFigures) -> Rows:
    """Yields what the round returns at each stated meter."""
    for one in rules.jackpots:
        times = _times(figures, one)
        if one.meter is not None and (times or one.must_hit_by is not None):
            chance = min(chance_at(one, one.meter, times), Fraction(1))
            returned = figures.return_to_player + paid_at(one, one.meter, times)
            yield _of(one.id), (one.meter, chance, returned)


def _gamble(rules: SlotRules, _: WagerFigures) -> Rows:
    gamble = rules.gamble
    if gamble is None:
        return
    for steps in range(1, gamble.steps + 1):
        yield _of(str(steps)), (gamble.chance**steps, (gamble.chance * gamble.multiplies) ** steps)


def _near_misses(rules: SlotRules, _: WagerFigures) -> Rows:
    """Yields how often weighted reels show the dearest symbol on a line, and just beside it: each, and all but one.

    The last row is the near miss itself: every reel shows it on the line but one, which shows it just beside the line.
    """
    paid = [one for one in rules.line_pays if len(one.symbols) == 1]
    strips = rules.strip_set(rules.stage(BASE).strips)
    if not paid or not any(reel.weights for reel in strips.reels):
        return
    top = max(paid, key=lambda one: max(one.pays)).symbols[0]
    alike = replace(strips, reels=tuple(replace(reel, weights=()) for reel in strips.reels))
    both = (strips, alike)
    for place in range(len(strips.reels)):
        parts = [(_weight(one, place, top, 0), _beside(one, place, top)) for one in both]
        yield _of(f"{top} {place + 1}"), (*parts[0], *parts[1])
    parts = [(_all_on(one, top), _all_but_one(one, top)) for one in both]
    yield _of(top), (*parts[0], *parts[1])


def _all_on(strips: StripSet, symbol: str) -> Fraction:
    return prod((_weight(strips, reel, symbol, 0) for reel in range(len(strips.reels))), start=Fraction(1))


def _all_but_one(strips: StripSet, symbol: str) -> Fraction:
    """Returns how often all reels but one show a symbol on the line, and that one just above or below it alone."""
    found = Fraction(0)
    for missed in range(len(strips.reels)):
        others = (_weight(strips, reel, symbol, 0) for reel in range(len(strips.reels)) if reel != missed)
        found += _just_beside(strips, missed, symbol) * prod(others, start=Fraction(1))
    return found


def _just_beside(strips: StripSet, reel: int, symbol: str) -> Fraction:
    """Returns how often a reel shows a symbol next to the line, and not on it."""
    strip = strips.reels[reel]
    shown, size = strip.symbols, len(strip.symbols)
    near = (
        stop
        for stop in range(size)
        if shown[stop] != symbol and symbol in (shown[(stop + 1) % size], shown[stop - 1])
    )
    return Fraction(sum(strip.weight(stop) for stop in near), strip.total)


def _weight(strips: StripSet, reel: int, symbol: str, away: int) -> Fraction:
    """Returns how often a symbol stands so many stops away from the one at which the reel stopped."""
    strip = strips.reels[reel]
    size = len(strip.symbols)
    stops = [stop for stop in range(size) if strip.symbols[(stop + away) % size] == symbol]
    return Fraction(sum(strip.weight(stop) for stop in stops), strip.total)


def _beside(strips: StripSet, reel: int, symbol: str) -> Fraction:
    return (_weight(strips, reel, symbol, 1) + _weight(strips, reel, symbol, -1)) / 2


_RETURNED: Final = {"returned": Unit.STAKES, "hits": Unit.CHANCE, "variance": Unit.STAKES}

TABLES: Final = (
    _Table("split", {"contribution": Unit.STAKES, "share": Unit.CHANCE}, _split, "stages"),
    _Table("award-bands", {"chance": Unit.CHANCE, "one-in": Unit.ROUNDS}, _award_bands, "stages"),
    _Table(
        "features",
        {"chance": Unit.CHANCE, "one-in": Unit.ROUNDS, "worth": Unit.STAKES},
        _features,
        "features",
    ),
    _Table("variants", _RETURNED, _variants),
    _Table("bet-levels", _RETURNED, _levels, "bet_levels"),
    _Table(
        "purchases",
        {"price": Unit.STAKES, "returned": Unit.STAKES, "variance": Unit.STAKES},
        _purchases,
        "purchases",
    ),
    _Table(
        "jackpots",
        {"chance": Unit.CHANCE, "contribution": Unit.STAKES, "break-even": Unit.STAKES},
        _jackpots,
        "jackpots",
    ),
    _Table("meters", {"meter": Unit.STAKES, "chance": Unit.CHANCE, "returned": Unit.STAKES}, _meters),
    _Table("gamble", {"chance": Unit.CHANCE, "returned": Unit.STAKES}, _gamble, "gamble"),
    _Table(
        "near-misses",
        dict.fromkeys(("on-line", "beside", "on-line-alike", "beside-alike"), Unit.CHANCE),
        _near_misses,
    ),
)
"""Every table, in the order in which they are printed."""
