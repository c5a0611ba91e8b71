"""What a slot mathematician looks for beside the returns: where the return comes from, features, variants, meters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod

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
from certify.families.slot.classes import BANDS
from certify.families.slot.exact.bands import at_least
from certify.families.slot.exact.branching import branching
from certify.families.slot.exact.configurations import purchased
from certify.families.slot.exact.ends import highest_win
from certify.families.slot.exact.levels import level_rules
from certify.families.slot.exact.meters import break_even, chance_at, long_run, paid_at
from certify.families.slot.exact.port import variant_rules
from certify.families.slot.exact.round import feature_odds, round_figures
from certify.families.slot.rules import BASE, FAMILY_ID, SlotRules, StripSet, rules_of
from certify.messages import say, worded
from certify.model.bounded import Figure, ends_of
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


def _tables(game: Game, figures: WagerFigures) -> Iterator[SupplementaryTable]:
    rules = rules_of(game)
    yield _split(figures)
    yield _award_bands(rules)
    if rules.features:
        yield _features(rules)
    if rules.variants:
        yield _variants(rules, game.wagers[0].id, figures)
    if rules.bet_levels:
        yield _levels(rules, game.wagers[0].id)
    if rules.purchases:
        yield _purchases(rules)
    if rules.jackpots:
        yield from _jackpots(rules, figures)
    if rules.gamble is not None:
        yield _gamble(rules)
    misses = _near_misses(rules)
    if misses:
        yield _table("near-misses", ("on-line", "beside", "on-line-alike", "beside-alike"), misses)


def _said(message: str, **parameters: Parameter) -> Message:
    return say(f"{FAMILY_ID}.table.{message}", **parameters)


def _table(question: str, columns: Iterable[str], rows: Sequence[SupplementaryRow]) -> SupplementaryTable:
    return SupplementaryTable(
        id=question,
        columns=tuple(SupplementaryColumn(id=one, **worded(title=_said(f"column.{one}"))) for one in columns),
        rows=tuple(rows),
        **worded(title=_said(question), remark=_said(f"{question}.remark")),
    )


def _row(name: str, **figures: SupplementaryFigure) -> SupplementaryRow:
    by_column = {column.replace("_", "-"): figure for column, figure in figures.items()}
    return SupplementaryRow(figures=by_column, detail="", **worded(of=_said("row", name=name)))


def _stakes(value: Fraction) -> SupplementaryFigure:
    return SupplementaryFigure(value, value, Unit.STAKES, Basis.EXACT)


def _chance(value: Fraction, high: Fraction | None = None) -> SupplementaryFigure:
    return _between(value, high, Unit.CHANCE)


def _figure(figure: Figure) -> SupplementaryFigure:
    return _between(*ends_of(figure), Unit.CHANCE)


def _rounds(value: Fraction, high: Fraction | None = None) -> SupplementaryFigure:
    return _between(value, high, Unit.ROUNDS)


def _between(low: Fraction, high: Fraction | None, unit: Unit) -> SupplementaryFigure:
    """Returns one figure, or the interval that is proven to contain it."""
    if high is None or high == low:
        return SupplementaryFigure(low, low, unit, Basis.EXACT)
    return SupplementaryFigure(low, high, unit, Basis.PROVEN)


def _award_bands(rules: SlotRules) -> SupplementaryTable:
    """Returns how often a whole round wins at least so many bets."""
    rows = []
    for many, (low, high) in at_least(rules, BANDS).items():
        if low:
            rows.append(_row(str(many), chance=_chance(low, high), one_in=_rounds(1 / high, 1 / low)))
    highest = highest_win(rules)
    if highest is not None:
        bets = Fraction(highest.coins, rules.cost)
        much = str(bets.numerator) if bets.denominator == 1 else decimal_text(bets, 2)
        rows.append(
            SupplementaryRow(
                figures={"chance": _chance(highest.chance), "one-in": _rounds(1 / highest.chance)},
                detail="",
                **worded(of=_said("most", name=much)),
            )
        )
    return _table("award-bands", ("chance", "one-in"), rows)


def _split(figures: WagerFigures) -> SupplementaryTable:
    parts: dict[str, Fraction] = {}
    for award in figures.awards:
        part = award.part or award.row  # what a limit takes away belongs to no part
        parts[part] = parts.get(part, Fraction(0)) + award.contribution
    whole = figures.return_to_player
    rows = [
        _row(part, contribution=_stakes(much), share=_chance(much / whole))
        for part, much in parts.items()
        if whole
    ]
    return _table("split", ("contribution", "share"), rows)


def _features(rules: SlotRules) -> SupplementaryTable:
    odds, worth, base = feature_odds(rules), branching(rules), rules.stage(BASE)
    rows = []
    for place, feature in enumerate(rules.features):
        chance = odds[feature.id]
        if not chance:
            continue
        least = next(number for number in feature.trigger.starts if number)
        mean, _ = worth.feature(base, place, least)
        rows.append(
            _row(
                feature.id,
                chance=_chance(chance),
                one_in=_rounds(1 / chance),
                worth=_stakes(mean / rules.cost),
            )
        )
    return _table("features", ("chance", "one-in", "worth"), rows)


def _variants(rules: SlotRules, wager: str, stated: WagerFigures) -> SupplementaryTable:
    found = [
        ("", stated),
        *((one.title, round_figures(variant_rules(rules, one.id), wager)) for one in rules.variants),
    ]
    rows = [
        _row(
            title or BASE,
            returned=_stakes(figures.return_to_player),
            hits=_figure(figures.hit_frequency),
            variance=_stakes(figures.variance),
        )
        for title, figures in found
    ]
    return _table("variants", ("returned", "hits", "variance"), rows)


def _levels(rules: SlotRules, wager: str) -> SupplementaryTable:
    rows = []
    for level in rules.bet_levels:
        figures = round_figures(level_rules(rules, level), wager)
        rows.append(
            _row(
                level.id,
                returned=_stakes(figures.return_to_player),
                hits=_figure(figures.hit_frequency),
                variance=_stakes(figures.variance),
            )
        )
    return _table("bet-levels", ("returned", "hits", "variance"), rows)


def _purchases(rules: SlotRules) -> SupplementaryTable:
    rows = []
    for one in rules.purchases:
        mean, variance = purchased(rules, one)
        price = one.price * rules.cost
        rows.append(
            _row(
                one.id,
                price=_stakes(one.price),
                returned=_stakes(mean / price),
                variance=_stakes(variance / price**2),
            )
        )
    return _table("purchases", ("price", "returned", "variance"), rows)


def _jackpots(rules: SlotRules, figures: WagerFigures) -> Iterator[SupplementaryTable]:
    """Yields what each meter returns in the long run, when the round returns its stake, and what at a stated one."""
    returned = figures.return_to_player
    rows, stated = [], []
    for one in rules.jackpots:
        times = sum((award.times for award in figures.awards if award.row == one.row), Fraction(0))
        if not times and one.must_hit_by is None:
            continue
        chance, contribution = long_run(one, times)
        rows.append(
            _row(
                one.id,
                chance=_chance(min(chance, Fraction(1))),
                contribution=_stakes(contribution),
                break_even=_stakes(break_even(one, returned, times)),
            )
        )
        if one.meter is not None:
            stated.append(
                _row(
                    one.id,
                    meter=_stakes(one.meter),
                    chance=_chance(min(chance_at(one, one.meter, times), Fraction(1))),
                    returned=_stakes(returned + paid_at(one, one.meter, times)),
                )
            )
    yield _table("jackpots", ("chance", "contribution", "break-even"), rows)
    if stated:
        yield _table("meters", ("meter", "chance", "returned"), stated)


def _gamble(rules: SlotRules) -> SupplementaryTable:
    gamble = rules.gamble
    if gamble is None:
        return _table("gamble", (), ())
    step = gamble.chance * gamble.multiplies
    rows = [
        _row(str(steps), chance=_chance(gamble.chance**steps), returned=_stakes(step**steps))
        for steps in range(1, gamble.steps + 1)
    ]
    return _table("gamble", ("chance", "returned"), rows)


def _near_misses(rules: SlotRules) -> list[SupplementaryRow]:
    """Returns how often weighted reels show the dearest symbol on a line, and just beside it: each, and all but one.

    The last row is the near miss itself: every reel shows it on the line but one, which shows it just beside the line.
    """
    paid = [one for one in rules.line_pays if len(one.symbols) == 1]
    strips = rules.strip_set(rules.stage(BASE).strips)
    if not paid or not any(reel.weights for reel in strips.reels):
        return []
    top = max(paid, key=lambda one: max(one.pays)).symbols[0]
    alike = replace(strips, reels=tuple(replace(reel, weights=()) for reel in strips.reels))
    rows = [
        _row(
            f"{top} {place + 1}",
            on_line=_chance(_weight(strips, place, top, 0)),
            beside=_chance(_beside(strips, place, top)),
            on_line_alike=_chance(_weight(alike, place, top, 0)),
            beside_alike=_chance(_beside(alike, place, top)),
        )
        for place in range(len(strips.reels))
    ]
    both = [(_all_on(one, top), _all_but_one(one, top)) for one in (strips, alike)]
    (on, near), (on_alike, near_alike) = both
    return [
        *rows,
        _row(
            top,
            on_line=_chance(on),
            beside=_chance(near),
            on_line_alike=_chance(on_alike),
            beside_alike=_chance(near_alike),
        ),
    ]


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
