"""Exact figures of slots, as the port asks for them: nothing is decided, so every name plays the same."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from certify.analysis.explanation import Explanation
from certify.errors import InputError, Refusing
from certify.families.port import Configuration, ConfigurationKind, StrategyPlan, Variant, played_as
from certify.families.slot.exact.ends import highest_of_feature, highest_win
from certify.families.slot.exact.prizes import chance_at, level_rules, paid_at, prize_law
from certify.families.slot.exact.round import at_least_once, bought_figures, round_figures, spins_of
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.purchases import Jackpot, NoDecisions, Purchase
from certify.families.slot.random_elements import GAMBLE, bonuses_held, games_of
from certify.families.slot.rows import paytable_of
from certify.families.slot.rules import (
    BASE,
    BonusPrizes,
    Prize,
    PrizeDraws,
    SlotRules,
    Trigger,
    award_unit,
    rules_of,
)
from certify.model import (
    MAIN_OPTIMAL,
    Analysis,
    Exposure,
    Figure,
    Game,
    Interval,
    Joint,
    Strategy,
    ends_of,
    joint_of_one_wager,
)


def configurations(game: Game) -> Iterator[Configuration]:
    """Yields every wagering configuration: the round as submitted, each variant, and what is offered with each."""
    rules, wager = rules_of(game), game.wagers[0].id
    for variant in ("", *(one.id for one in rules.variants)):
        own = replace(variant_rules(rules, variant) if variant else rules, variants=())
        yield from _of(own, wager, variant)


def played(game: Game, one: Configuration) -> tuple[Game, NoDecisions] | None:
    """Returns how rounds of a configuration are played by themselves, where they are others than those submitted.

    What meters hold changes no draw. Of a gamble every round stakes once what was won.
    """
    variant, _, offered = one.id.rpartition("/")
    if one.kind is ConfigurationKind.VARIANT:
        variant = one.id
    rules, bought = rules_of(game), None
    rules = replace(variant_rules(rules, variant) if variant else rules, variants=())
    if one.kind is ConfigurationKind.BET_LEVEL:
        rules = level_rules(rules, next(level for level in rules.bet_levels if level.id == offered))
    elif one.kind is ConfigurationKind.PURCHASE:
        bought = next(purchase for purchase in rules.purchases if purchase.id == offered)
    elif one.kind is ConfigurationKind.GAMBLE and rules.gamble is not None:
        won, lost = (
            rules.gamble.chance.numerator,
            rules.gamble.chance.denominator - rules.gamble.chance.numerator,
        )
        prizes = Prize("won", rules.gamble.multiplies, won), Prize("lost", Fraction(0), lost)
        step = BonusPrizes(GAMBLE, PrizeDraws.WHEEL, 1, prizes, Trigger((), (1,)), ())
        rules = replace(
            rules, free_games=(), bonuses=(step,), most=None, gamble=None, purchases=(), jackpots=()
        )
        bought = Purchase(GAMBLE, GAMBLE, 1, Fraction(1))
    elif one.kind is not ConfigurationKind.VARIANT:
        return None
    return replace(game, rules=rules), NoDecisions(played_as(one.kind, one.id), bought)


def _of(rules: SlotRules, wager: str, variant: str) -> Iterator[Configuration]:
    """Yields the configurations on the strips of one variant: every meter pays its seed, at last what it is stated at.

    A meter is part of every round: without it no round is staked, so that no return leaves it out.
    """
    before = f"{variant}/" if variant else ""
    meters = before + "+".join(meter.id for meter in rules.jackpots)
    kind = (
        ConfigurationKind.VARIANT
        if variant
        else ConfigurationKind.SEED
        if rules.jackpots
        else ConfigurationKind.WAGER
    )
    named = variant or meters or wager
    found = [_round(rules, wager, named, kind)]
    found.extend(
        _round(level_rules(rules, level), wager, before + level.id, ConfigurationKind.BET_LEVEL)
        for level in rules.bet_levels
    )
    found.extend(_bought(rules, wager, before, one) for one in rules.purchases)
    yield from found
    if any(meter.meter is not None for meter in rules.jackpots):
        yield _round(rules, wager, f"{meters}@stated", ConfigurationKind.METER)
    gamble = rules.gamble
    if gamble is not None:
        step = gamble.chance * gamble.multiplies
        ends = {step, step**gamble.steps}
        # What any of them wins may be staked again, to the last step.
        times, tops = gamble.multiplies**gamble.steps, [one.most for one in found]
        wins = [(one.most + one.price) * times - one.price for one in found if one.most is not None]
        yield Configuration(
            f"{before}gamble",
            ConfigurationKind.GAMBLE,
            wager,
            min(ends),
            max(ends),
            most=None if None in tops else max(wins),
            endless=any(one.endless for one in found),
            hits=gamble.chance,
            wins=gamble.chance if gamble.multiplies > 1 else Fraction(0),
        )


def _round(rules: SlotRules, wager: str, named: str, kind: ConfigurationKind) -> Configuration:
    """Returns a paid round with its meters, at their seeds or as they are stated."""
    figures = round_figures(rules, wager)
    top = None if figures.odds is None else figures.odds.highest
    least = most = figures.return_to_player
    hits: Figure = figures.hit_frequency
    wins: Figure | None = figures.win_frequency
    for meter in rules.jackpots:
        at = meter.meter if kind is ConfigurationKind.METER and meter.meter is not None else meter.seed
        won = [award for award in figures.awards if award.row == meter.row]
        low, high = _paid_from(rules, meter, at, sum((award.times for award in won), Fraction(0)))
        least, most = least + low, most + high
        hits, wins = _often(rules, meter, at, hits, wins)
        if top is not None:
            top += _most_of(meter, rules, [award.part for award in won], at)
    return Configuration(
        named,
        kind,
        wager,
        least,
        most,
        most=top,
        endless=figures.endless,
        hits=hits,
        wins=wins,
        variance=None if rules.jackpots else figures.variance,
    )


def _paid_from(rules: SlotRules, meter: Jackpot, at: Fraction, times: Fraction) -> tuple[Fraction, Fraction]:
    """Returns what the next round is paid from a meter on average, or between what: the first win of it its amount.

    Every further win of the round pays its seed.
    """
    if meter.must_hit_by is not None or at == meter.seed:
        return (paid_at(meter, at, times),) * 2
    once = at_least_once(rules, (meter.row,))
    ends = (Fraction(0), min(times, Fraction(1))) if once is None else ends_of(once)
    low, high = sorted(times * meter.seed + (at - meter.seed) * end for end in ends)
    return low, high


def _often(
    rules: SlotRules, meter: Jackpot, at: Fraction, hits: Figure, wins: Figure | None
) -> tuple[Figure, Figure | None]:
    """Returns how often a round returns anything, and more than it costs, where a meter pays too; none if not counted.

    One that must hit by an amount is won whatever the reels show. One that a row wins adds no hits: its row pays.
    """
    if meter.must_hit_by is None:
        pays = next(row.pays for row in paytable_of(rules).rows if row.id == meter.row)
        return hits, wins if pays > 1 else None
    missed = 1 - chance_at(meter, at, Fraction(0))
    return _apart(hits, missed), None if wins is None or at < 1 else _apart(wins, missed)


def _apart(often: Figure, missed: Fraction) -> Figure:
    """Returns how often a round does something, or what does not miss does it apart from that."""
    low, high = (1 - (1 - end) * missed for end in ends_of(often))
    return Interval(low, high, often.method) if isinstance(often, Interval) else low


def _most_of(meter: Jackpot, rules: SlotRules, stages: Sequence[str], at: Fraction) -> Fraction:
    """Returns what no round is paid more of from a meter: won once at its amount, at every further line as its seed."""
    if meter.must_hit_by is not None:
        return meter.must_hit_by
    lines = len(rules.lines) or math.prod(
        max(one.rows for one in heights) for heights in rules.strip_set(rules.stage(BASE).strips).heights
    )
    times = lines * sum(1 if stage == BASE else games_of(rules, stage) for stage in dict.fromkeys(stages))
    return at + (times - 1) * meter.seed if times else Fraction(0)


def _bought(rules: SlotRules, wager: str, before: str, one: Purchase) -> Configuration:
    """Returns a feature that is bought, with what its rows win of meters at their seeds.

    Whether a meter that must hit by an amount is won by what is bought, no submission says: it is the highest return.
    """
    place = [feature.id for feature in rules.features].index(one.feature)
    figures = bought_figures(rules, wager, one)
    highest = highest_of_feature(rules, place, one.starts)
    spins = spins_of(rules, rules.features[place], one.starts)
    most = None if highest is None else highest.coins / rules.cost - one.price
    least, further = figures.return_to_player * one.price, Fraction(0)
    # Where wins are not counted, the figures of what is bought bound them like the rounds that lose nothing.
    counted = figures.odds is not None and figures.odds.wins != figures.odds.kept and not rules.jackpots
    for meter in rules.jackpots:
        if meter.must_hit_by is not None:
            further += paid_at(replace(meter, increment=meter.increment * one.price), meter.seed, Fraction(0))
        shares = {name: spin_law(rules, name).shares for name in spins}
        won = [name for name in spins if meter.row in shares[name]]
        times = sum((spins[name] * shares[name][meter.row][0] for name in won), Fraction(0))
        least += paid_at(meter, meter.seed, times) if meter.must_hit_by is None else 0
        if most is not None:
            most += _most_of(meter, rules, won, meter.seed)
    return Configuration(
        before + one.id,
        ConfigurationKind.PURCHASE,
        wager,
        least / one.price,
        (least + further) / one.price,
        price=one.price,
        most=most,
        endless=highest is None,
        hits=None if further else figures.hit_frequency,
        wins=figures.win_frequency if counted else None,
        variance=None if rules.jackpots else figures.variance,
    )


def plan(game: Game) -> StrategyPlan:
    """Returns the one strategy."""
    return StrategyPlan(names=(MAIN_OPTIMAL,), analysed=(MAIN_OPTIMAL,), played=(MAIN_OPTIMAL,))


class SlotExact:
    """Exact figures of slots by complete counting."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the round.

        Raises:
            InputError: No such strategy, or the game cannot be counted within bounds.
        """
        return self.analyze_table(game, _strategy(strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the round, or of what a strategy buys instead of it."""
        rules, wager = rules_of(game), game.wagers[0].id
        bought = strategy.bought if isinstance(strategy, NoDecisions) else None
        # What was not counted while the submission was read has no line: its file is named.
        with Refusing(InputError, InputError, game.path):
            figures = round_figures(rules, wager) if bought is None else bought_figures(rules, wager, bought)
        return Analysis(game.id, strategy, (figures,), ())

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the outcomes of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy, stakes))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost, or a number above it.

        A series without a limit is taken as long as a row of draws lets it be, each of its games winning the most: no
        round of the play-through costs more, and no win of such a game is the highest.
        """
        wager, rules = game.wagers[0], rules_of(game)
        known = highest_win(rules)
        coins = known.coins if known else most_coins(rules)
        # Broken minor units count in the player's favour: an upper bound is requested.
        amount = math.ceil((Fraction(coins, rules.cost) - 1) * wager.limits.maximum)
        stakes = ((wager.id, wager.limits.maximum),)
        return Exposure(amount, wager.limits.currency, ((wager.id, amount),), (), (), stakes)

    def explain(self, game: Game, text: str) -> Explanation:
        """Refuses: nothing is decided.

        Raises:
            InputError: Always.
        """
        raise InputError(f"nothing is decided in {game.id}: there is no decision {text!r} to explain")

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay of a row raised by one coin."""
        rules = rules_of(game)
        for n, row in enumerate(rules.line_pays):
            for count, pays in enumerate(row.pays):
                if pays:
                    more = replace(row, pays=(*row.pays[:count], pays + 1, *row.pays[count + 1 :]))
                    rows = (*rules.line_pays[:n], more, *rules.line_pays[n + 1 :])
                    changed = replace(game, rules=replace(rules, line_pays=rows))
                    yield Variant(f"{row.id}-{count + 1}", "pays one coin more", changed)


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game on the strips of each certified variant."""
    rules = rules_of(game)
    for one in rules.variants:
        yield Variant(
            one.id, f"on the strips of {one.title}", replace(game, rules=variant_rules(rules, one.id))
        )


def most_coins(rules: SlotRules) -> int:
    """Returns coins that no round exceeds: the highest spin of each stage as often as a row of draws holds it."""
    coins = max(win for wins in spin_law(rules, BASE).wins.values() for win in wins)
    for stage in dict.fromkeys(name for one in rules.free_games for name, _ in one.stages):
        coins += games_of(rules, stage) * max(
            win for wins in spin_law(rules, stage).wins.values() for win in wins
        )
    for bonus in rules.bonuses:
        begun, (_, held) = bonuses_held(rules, bonus), bonus.begun(max(bonus.trigger.starts))
        multiplier = max(stage.multiplier for stage in rules.stages) if bonus.multiplied else 1
        coins += math.ceil(
            begun * max(prize_law(bonus, held).weights) * award_unit(rules, bonus.per) * multiplier
        )
    return coins if rules.most is None else min(coins, math.ceil(rules.most * rules.cost))


def variant_rules(rules: SlotRules, variant: str) -> SlotRules:
    """Returns the rules of a variant: the same game on its strips.

    Raises:
        InputError: There is no such variant.
    """
    found = next((one for one in rules.variants if one.id == variant), None)
    if found is None:
        known = ", ".join(one.id for one in rules.variants) or "none"
        raise InputError(f"no variant {variant!r}: expected one of {known}")
    strips = dict(found.strips)
    return replace(
        rules,
        stages=tuple(replace(stage, strips=strips.get(stage.id, stage.strips)) for stage in rules.stages),
    )


def _strategy(name: str) -> Strategy:
    if name != MAIN_OPTIMAL:
        raise InputError(f"no strategy {name!r}: nothing is decided, expected {MAIN_OPTIMAL}")
    return NoDecisions()
