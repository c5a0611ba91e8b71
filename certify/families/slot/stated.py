"""A slot as a submission states it: its rules put back into the tables of ``game.toml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from certify.families.slot import forms
from certify.families.slot.rules import (
    ANY,
    Bonus,
    Draws,
    FreeGames,
    Height,
    Prize,
    SlotRules,
    Strip,
    StripSet,
    Trigger,
)


def tables_of(rules: SlotRules) -> Mapping[str, Sequence[object]]:
    """Returns the tables that state these rules; reading them gives the rules back."""
    made: dict[str, Iterable[object]] = {
        "slot": [_slot(rules)],
        "strips": map(_strips, rules.strip_sets),
        "stages": _stages(rules),
        "wilds": _wilds(rules),
        "doubled": (forms.SubmittedDoubled(one.symbol, one.stands_for, one.times) for one in rules.doubled),
        "line_pays": _line_pays(rules),
        "pattern_pays": _patterns(rules),
        "scatter_pays": _scatters(rules),
        "free_games": map(_free_games, rules.free_games),
        "bonuses": map(_bonus, rules.bonuses),
        "respins": (
            forms.SubmittedRespin(one.id, one.symbol, list(one.reels), list(one.stages))
            for one in rules.respins
        ),
        "cascades": (
            forms.SubmittedCascade(list(one.multipliers), "strip above", list(one.stages))
            for one in rules.cascades
        ),
        "full_reels": (
            forms.SubmittedFullReels(
                list(one.symbols), list(one.times), one.counted.value, one.wilds, list(one.stages)
            )
            for one in rules.full_reels
        ),
        "gamble": _gamble(rules),
        "purchases": (
            forms.SubmittedPurchase(one.id, one.feature, one.starts, str(one.price))
            for one in rules.purchases
        ),
        "bet_levels": (
            forms.SubmittedLevel(one.id, one.lines, one.coins, one.cost, dict(one.pays))
            for one in rules.bet_levels
        ),
        "jackpots": (
            forms.SubmittedJackpot(
                one.id,
                str(one.seed),
                str(one.increment),
                one.row,
                *("" if some is None else str(some) for some in (one.must_hit_by, one.meter)),
            )
            for one in rules.jackpots
        ),
        "variants": (
            forms.SubmittedVariant(one.id, one.title, dict(one.strips), one.printed) for one in rules.variants
        ),
    }
    return {name: entries for name, some in made.items() if (entries := tuple(some))}


def stop_words(strip: Strip) -> Iterator[str]:
    """Yields the stops of a strip, with their weights where they have some."""
    for stop, name in enumerate(strip.symbols):
        yield f"{name}:{strip.weight(stop)}" if strip.weights else name


def _slot(rules: SlotRules) -> forms.SubmittedSlot:
    most = [max((height.rows for height in reel), default=1) for reel in rules.strip_sets[0].heights]
    return forms.SubmittedSlot(
        most,
        [" ".join(str(row + 1) for row in line) for line in rules.lines],
        rules.ways,
        rules.direction.value,
        rules.line_wins.value,
        rules.cost,
        rules.line_bet,
        "" if rules.most is None else str(rules.most),
    )


def _strips(one: StripSet) -> forms.SubmittedStrips:
    reels = [" ".join(stop_words(reel)) for reel in one.reels]
    return forms.SubmittedStrips(one.id, reels, one.fill.value, heights_of(one))


def heights_of(one: StripSet) -> list[str]:
    """Returns the heights of the window of each reel, as they are stated."""
    return [" ".join(map(_height, reel)) for reel in one.heights]


def _height(one: Height) -> str:
    return str(one.rows) if one.weight == 1 else f"{one.rows}:{one.weight}"


def _stages(rules: SlotRules) -> Iterator[forms.SubmittedStage]:
    for one in rules.stages:
        yield forms.SubmittedStage(one.id, one.strips, one.multiplier, one.expanding)


def _wilds(rules: SlotRules) -> Iterator[forms.SubmittedWild]:
    for one in rules.wilds:
        factors = one.multiplies
        yield forms.SubmittedWild(
            one.symbol,
            list(one.replaces),
            [],
            str(factors[0][0])
            if len(factors) == 1
            else " ".join(f"{factor}:{chance}" for factor, chance in factors),
            one.together.value,
            one.expands,
            one.alone,
            list(one.stages),
        )


def _named(symbols: Sequence[str]) -> tuple[str, list[str]]:
    """Returns one symbol, or several that may be mixed."""
    return (symbols[0], []) if len(symbols) == 1 else ("", list(symbols))


def _line_pays(rules: SlotRules) -> Iterator[forms.SubmittedLinePay]:
    for one in rules.line_pays:
        symbol, symbols = _named(one.symbols)
        yield forms.SubmittedLinePay(
            list(one.pays),
            symbol,
            one.id,
            symbols,
            one.anywhere,
            one.multiplied,
            list(one.stages),
        )


def _patterns(rules: SlotRules) -> Iterator[forms.SubmittedPattern]:
    for one in rules.patterns:
        cells = ["|".join(cell) or ANY for cell in one.cells]
        yield forms.SubmittedPattern(one.id, cells, one.pays, one.multiplied, list(one.stages))


def _scatters(rules: SlotRules) -> Iterator[forms.SubmittedScatter]:
    for one in rules.scatter_pays:
        symbol, symbols = _named(one.symbols)
        yield forms.SubmittedScatter(
            list(one.pays),
            symbol,
            one.id,
            symbols,
            one.counted.value,
            one.per.value,
            one.multiplied,
            one.wilds,
            list(one.stages),
        )


def _started(trigger: Trigger) -> tuple[str, list[str], str, bool, bool]:
    return (*_named(trigger.symbols), trigger.counted.value, trigger.on_line, trigger.wilds)


def _free_games(one: FreeGames) -> forms.SubmittedFreeGames:
    played = [name for name, _ in one.stages]
    single = played[0] if len(played) == 1 else ""
    drawn = [f"{name} {chance}" for name, chance in one.stages]
    symbol, several, counted, on_line, wilds = _started(one.trigger)
    retriggers = all(name in one.begins_in for name in played)
    begins = [name for name in one.begins_in if not (retriggers and name in played)]
    return forms.SubmittedFreeGames(
        id=one.id,
        games=list(one.trigger.starts),
        symbol=symbol,
        symbols=several,
        stage=single,
        stages=[] if single else drawn,
        counted=counted,
        on_line=on_line,
        wilds=wilds,
        again=list(one.again),
        retriggers=retriggers,
        begins_in=list(begins),
        most_games=one.most_games,
        most_again=one.most_again,
    )


def _bonus(one: Bonus) -> forms.SubmittedBonus:
    symbol, symbols, counted, on_line, wilds = _started(one.trigger)
    return forms.SubmittedBonus(
        id=one.id,
        draws=one.draws.value,
        prizes=[_prize(prize, one.draws) for prize in one.prizes],
        starts=list(one.trigger.starts),
        symbol=symbol,
        symbols=symbols,
        times=one.times,
        counted=counted,
        on_line=on_line,
        wilds=wilds,
        begins_in=list(one.begins_in),
        per=one.per.value,
        multiplied=one.multiplied,
        places=one.places,
        full=str(one.full),
    )


def _prize(one: Prize, draws: Draws) -> str:
    weight = f" x{one.weight}" if one.weight != 1 else ""
    step = f" {_ratio(one.chance)}" if draws is Draws.LADDER else ""
    return f"{one.pays}{weight}{step}{' ends' if one.ends else ''}"


def _ratio(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def _gamble(rules: SlotRules) -> Iterator[forms.SubmittedGamble]:
    if rules.gamble is not None:
        yield forms.SubmittedGamble(
            str(rules.gamble.chance), str(rules.gamble.multiplies), rules.gamble.steps
        )
