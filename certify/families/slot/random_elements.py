"""What chance gives a round of a slot: stops of every reel, and whatever else is drawn, piece by piece.

Reels of the paid spin come first and give one stop each, so that a round without a feature has looked at the beginning
of its row alone. A face of a reel is a stop, named by its number and its symbol; a stop of weight w is w items.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.by_key import summed
from certify.families.slot.purchases import Gamble
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Direction,
    Fill,
    FreeGames,
    Prize,
    PrizeDraws,
    ScatterPay,
    SlotRules,
    SpinKind,
    Strip,
    StripSet,
    SymbolCount,
    Trigger,
    speaks_of,
    wilds_in,
)
from certify.model import Equipment, Kind

UNLIKELY: Final = 1e-15
"""Probability with which a series of free games may be longer than a row of draws, at most."""

LONGEST: Final = 1_500
"""Games of a series for which a row holds stops, at most."""

BONUSES: Final = 24
"""Times that bonuses of one kind are drawn for in a round, at most, where they may begin in free games too."""


FALLS: Final = 8
"""Windows of one spin whose wins fall that may start a feature, at most, as far as a row holds draws for it."""

GAMBLE: Final = "gamble"
"""Id of what decides whether a win that is staked again is won."""

LOST: Final = "lost"
"""Its face that loses."""


def reel_piece(stage: str, reel: int) -> str:
    """Returns the id of what a reel of a stage is drawn from, the first reel being 0."""
    return f"{stage}-reel-{reel + 1}"


def rows_piece(stage: str, reel: int) -> str:
    """Returns the id of what the height of a reel's window is drawn from."""
    return f"{stage}-rows-{reel + 1}"


def factor_piece(stage: str, symbol: str) -> str:
    """Returns the id of what the multiplier of a wild is drawn from."""
    return f"{stage}-{symbol}-multiplier"


def stage_piece(feature: str) -> str:
    """Returns the id of what decides in which stage a series of free games is played."""
    return f"{feature}-stage"


def prize_piece(bonus: BonusPrizes, step: int) -> str:
    """Returns the id of what a prize of a bonus is drawn from: one wheel, or one piece for each pick or step.

    Of hold and win step 0 is what each place shows that is held at first, step 1 what each open place shows.
    """
    return f"{bonus.id}-prize" if bonus.draws is PrizeDraws.WHEEL else f"{bonus.id}-{step + 1}"


def stop_of(face: str) -> int:
    """Returns the stop that a face of a reel names, the first being 0.

    >>> stop_of("17 seven")
    16
    """
    return int(face.partition(" ")[0]) - 1


def boxes_of(bonus: BonusPrizes) -> tuple[Prize, ...]:
    """Returns what is hidden where prizes are picked: a prize of weight w is in w boxes."""
    return tuple(prize for prize in bonus.prizes for _ in range(prize.weight))


def pieces_of(rules: SlotRules) -> tuple[Equipment, ...]:
    """Returns the equipment of a game: reels of the paid spin, those of each further stage, then bonuses."""
    return tuple(_pieces(rules))


def _pieces(rules: SlotRules) -> Iterator[Equipment]:
    yield from _spins(rules, rules.stage(BASE), 1)
    for feature in rules.free_games:
        yield from _choice(feature)
    for name in _free_stages(rules):
        yield from _spins(rules, rules.stage(name), games_of(rules, name))
    for bonus in rules.bonuses:
        yield from _prizes(bonus, bonuses_held(rules, bonus))
    if rules.gamble is not None:
        yield _gamble(rules.gamble, rules.gamble.steps)


def events_of(rules: SlotRules) -> tuple[tuple[Equipment, ...], ...]:
    """Returns every kind of event of a round with what it is drawn from: a spin, a choice of a stage, a bonus."""
    spins = (tuple(_spins(rules, rules.stage(name), 1)) for name in (BASE, *_free_stages(rules)))
    choices = (tuple(_choice(feature)) for feature in rules.free_games)
    bonuses = (tuple(_prizes(bonus, 1)) for bonus in rules.bonuses)
    gamble = (_gamble(rules.gamble, 1),) if rules.gamble is not None else ()
    return tuple(event for event in (*spins, *choices, *bonuses, gamble) if event)


def _gamble(gamble: Gamble, steps: int) -> Equipment:
    won = gamble.chance.numerator
    return _wheel(GAMBLE, [("won", won), (LOST, gamble.chance.denominator - won)], steps)


def _free_stages(rules: SlotRules) -> list[str]:
    """Returns the stages that free games are played in, next to that of the paid spin."""
    played = dict.fromkeys(name for feature in rules.free_games for name, _ in feature.stages)
    return [name for name in played if name != BASE]


def _choice(feature: FreeGames) -> Iterator[Equipment]:
    """Yields what the stage of a series is drawn from, where it is drawn."""
    if len(feature.stages) > 1:
        scale = math.lcm(*(chance.denominator for _, chance in feature.stages))
        faces = [(name, int(chance * scale)) for name, chance in feature.stages]
        yield _wheel(stage_piece(feature.id), faces, 1)


def _spins(rules: SlotRules, stage: SpinKind, games: int) -> Iterator[Equipment]:
    """Yields what so many spins of a stage are drawn from."""
    strips = rules.strip_set(stage.strips)
    again = max((len(one.reels) for one in rules.respins if stage.id in one.stages), default=0)
    spins = games * (1 + again)
    for reel, heights in enumerate(strips.heights):
        if len(heights) > 1:
            yield _wheel(rows_piece(stage.id, reel), [(str(one.rows), one.weight) for one in heights], spins)
    for reel, strip in enumerate(strips.reels):
        yield _reel(stage.id, reel, strip, strips, spins)
    for wild in rules.wilds:
        if len(wild.multiplies) > 1 and speaks_of(wild.stages, stage):
            scale = math.lcm(*(chance.denominator for _, chance in wild.multiplies))
            factors = [(str(factor), int(chance * scale)) for factor, chance in wild.multiplies]
            yield _wheel(factor_piece(stage.id, wild.symbol), factors, spins * len(strips.reels))


def _reel(stage: str, reel: int, strip: Strip, strips: StripSet, spins: int) -> Equipment:
    if strips.fill is Fill.CELLS:
        weights = summed((symbol, strip.weight(stop)) for stop, symbol in enumerate(strip.symbols))
        most = max(one.rows for one in strips.heights[reel])
        return _wheel(reel_piece(stage, reel), list(weights.items()), spins * most, Kind.REEL)
    stops = [(f"{stop + 1} {symbol}", strip.weight(stop)) for stop, symbol in enumerate(strip.symbols)]
    return _wheel(reel_piece(stage, reel), stops, spins, Kind.REEL)


def bonuses_held(rules: SlotRules, bonus: BonusPrizes) -> int:
    """Returns for how many bonuses of a kind a row holds draws."""
    most = max((bonus.begun(number)[0] for number in bonus.trigger.starts), default=1)
    most *= _begun(rules, bonus)
    return most if bonus.begins_in == (BASE,) else max(most, BONUSES)


def _begun(rules: SlotRules, feature: FreeGames | BonusPrizes) -> int:
    """Returns how often one spin may start a feature: in each window, on each line by itself and from each end."""
    ends = 2 if rules.direction is Direction.BOTH else 1
    return _windows(rules, feature.begins_in) * (len(rules.lines) * ends if feature.trigger.on_line else 1)


def _windows(rules: SlotRules, stages: Sequence[str]) -> int:
    """Returns for how many windows of one spin a row holds what they start."""
    held = [1 + len(one.reels) for one in rules.respins if set(one.stages) & set(stages)]
    return max([1, *held, *(FALLS for one in rules.cascades if set(one.stages) & set(stages))])


def _prizes(bonus: BonusPrizes, times: int) -> Iterator[Equipment]:
    """Yields what the prizes of a bonus are drawn from, for so many times that a round comes to it."""
    if bonus.draws is PrizeDraws.WHEEL:
        faces = [(f"{place + 1} {prize.id}", prize.weight) for place, prize in enumerate(bonus.prizes)]
        yield _wheel(prize_piece(bonus, 0), faces, times * bonus.times)
    elif bonus.draws is PrizeDraws.LADDER:
        for step, prize in enumerate(bonus.prizes):
            up = prize.chance.numerator
            faces = [("up", up), ("stays", prize.chance.denominator - up)]
            yield _wheel(prize_piece(bonus, step), [one for one in faces if one[1]], times)
    elif bonus.draws is PrizeDraws.HOLD:
        # The most draws of open places: each new prize comes alone, with the last draw of them that is left.
        least = min(number for number in bonus.trigger.starts if number)
        drawn = bonus.times * math.comb(bonus.places - least + 1, 2)
        for step, supply in ((0, max(bonus.trigger.starts)), (1, drawn)):
            shown = [one for one in enumerate(bonus.prizes) if step or one[1].pays]
            faces = [(f"{place + 1} {prize.id}", prize.weight) for place, prize in shown]
            yield _wheel(prize_piece(bonus, step), faces, times * max(supply, 1))
    else:
        boxes = len(boxes_of(bonus))
        picks = boxes if bonus.draws is PrizeDraws.PICK_UNTIL else bonus.times
        for step in range(picks):
            left = [(str(place + 1), 1) for place in range(boxes - step)]
            yield _wheel(prize_piece(bonus, step), left, times)


def _wheel(piece: str, faces: list[tuple[str, int]], supply: int, kind: Kind = Kind.WHEEL) -> Equipment:
    scale = math.gcd(*(weight for _, weight in faces)) or 1
    shown = [(face, weight // scale) for face, weight in faces if weight]
    shows = tuple(place for place, (_, weight) in enumerate(shown) for _ in range(weight))
    return Equipment(piece, kind, tuple(face for face, _ in shown), shows, supply)


# --- how long a series may be ----------------------------------------------------------------------------


def games_of(rules: SlotRules, stage: str) -> int:
    """Returns for how many free games of a stage a row holds stops: no series comes to more, but for next to none."""
    return max(
        (longest_series(rules, one) for one in rules.free_games if stage in dict(one.stages)), default=1
    )


@lru_cache(maxsize=64)
def longest_series(rules: SlotRules, feature: FreeGames) -> int:
    """Returns how many games a series has at most, but for a probability of UNLIKELY.

    A series of more than n games was granted n further ones by its first n games: Chernoff's bound of that, by the
    chances of each grant in one game.
    """
    first, more = max(feature.trigger.starts, default=0), _grants(feature)
    first *= _begun(rules, feature)
    first = min(first, feature.most_games or first)
    if not any(more):
        return first
    limits = [
        limit for limit in (feature.most_games, first + feature.most_again * max(more)) if limit >= first
    ]
    ends = min(limits, default=LONGEST)
    again = any(rules.respin(name) or rules.cascade(name) for name, _ in feature.stages)
    if feature.trigger.on_line or again:
        return min(ends, LONGEST)
    law = [granted(rules, rules.stage(name), feature.trigger, more) for name, _ in feature.stages]
    length = first
    while length < ends and max(_exceeds(one, first, length) for one in law) > UNLIKELY:
        length = min(ends, length + 10)
    return length


def _grants(feature: FreeGames) -> tuple[int, ...]:
    own = any(name in feature.begins_in for name, _ in feature.stages)
    return (feature.again or feature.trigger.starts) if own else ()


def granted(
    rules: SlotRules, stage: SpinKind, trigger: Trigger, again: tuple[int, ...]
) -> dict[int, Fraction]:
    """Returns how many games one game of a stage grants, with the exact chance of each number."""
    law = count_law(rules, stage, trigger, rules.strip_set(stage.strips))
    return summed(
        (again[min(count, len(again)) - 1] if count else 0, chance) for count, chance in law.items()
    )


def counted_as(rules: SlotRules, stage: SpinKind, what: ScatterPay | Trigger) -> set[str]:
    """Returns the symbols that a scatter pay or a trigger counts in a stage, wilds that stand for one among them."""
    symbols = set(what.symbols)
    wilds = wilds_in(rules, stage) if what.wilds else ()
    return symbols.union(wild.symbol for wild in wilds if symbols & set(wild.replaces))


def count_law(
    rules: SlotRules, stage: SpinKind, one: ScatterPay | Trigger, strips: StripSet
) -> dict[int, Fraction]:
    """Returns how often so many of what a scatter pay or a trigger counts show in a first window."""
    fits = counted_as(rules, stage, one)
    counts = {0: Fraction(1)}
    for reel in range(len(strips.reels)):
        shown = summed(_shown(strips, reel, fits))
        if one.counted is not SymbolCount.SYMBOLS:
            shown = summed((min(number, 1), chance) for number, chance in shown.items())
        # A run that ended earlier goes on nowhere.
        counts = summed(
            (
                count if one.counted is SymbolCount.RUN and count < reel else count + number,
                before * chance,
            )
            for number, chance in shown.items()
            for count, before in counts.items()
        )
    return {count: chance for count, chance in counts.items() if chance}


def _shown(strips: StripSet, reel: int, fits: set[str]) -> Iterator[tuple[int, Fraction]]:
    """Yields how many cells of a reel's window show symbols that fit, with the chance of each number."""
    strip, heights = strips.reels[reel], strips.heights[reel]
    total, shapes = strip.total, sum(one.weight for one in heights)
    each = [symbol in fits for symbol in strip.symbols]
    for height in heights:
        part = Fraction(height.weight, shapes)
        if strips.fill is Fill.CELLS:
            hit = Fraction(sum(strip.weight(stop) for stop, one in enumerate(each) if one), total)
            for count in range(height.rows + 1):
                chance = math.comb(height.rows, count) * hit**count * (1 - hit) ** (height.rows - count)
                yield count, part * chance
            continue
        for stop in range(len(each)):
            count = sum(each[(stop + row) % len(each)] for row in range(height.rows))
            yield count, part * Fraction(strip.weight(stop), total)


def _exceeds(law: dict[int, Fraction], first: int, games: int) -> float:
    """Returns a bound on the probability that a series of so many games at first has more than so many."""
    needed = games - first + 1
    chances = [(number, float(chance)) for number, chance in law.items() if chance]
    best = 1.0
    for step in range(1, 200):
        tilt = step / 100
        moment = sum(chance * math.exp(min(tilt * number, 600)) for number, chance in chances)
        best = min(best, math.exp(min(0.0, games * math.log(moment) - tilt * needed)))
    return best
