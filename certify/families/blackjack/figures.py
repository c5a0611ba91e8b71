"""Exact figures of blackjack behind the port of the families."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache, lru_cache
from typing import Final

from certify.analysis.explanation import Explanation
from certify.by_key import summed
from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact import kernels
from certify.families.blackjack.exact.rounds import Law, begun, law_of
from certify.families.blackjack.exact.search import PLAYS, Ended, Zero, against, shown
from certify.families.blackjack.exact.strategies import Counted, plans, strategy_of
from certify.families.blackjack.exact.terms import BlackjackGame, terms_of
from certify.families.blackjack.exposure import maximum_exposure
from certify.families.blackjack.rules import Doubling, Peek, SplitTens, Surrender, Taken, outcome_of, row_of
from certify.families.blackjack.side_bets import (
    ROWS,
    VALUE_NAMES,
    Counts,
    FirstDeals,
    first_deals,
    hand_name,
    total_of,
)
from certify.families.port import Variant
from certify.model import (
    MAIN_OPTIMAL,
    Analysis,
    Decision,
    Exposure,
    Game,
    Joint,
    Outcome,
    Strategy,
    WagerFigures,
)

_HALF: Final = Fraction(1, 2)


class CountedStrategy:
    """Everything counted of a game under one strategy."""

    def __init__(self, terms: BlackjackGame, strategy: Strategy) -> None:
        chosen = plans(terms, strategy)
        self.shown = shown(terms)
        self.counted = {up: Counted(against(terms, up), chosen[up]) for up, _ in self.shown}
        self.law = cache(self._law)

    def _law(self, up: int, hand: Counts, *, split: bool) -> Law:
        """Returns how a round ends that began so."""
        start = next(one for one in begun(self.counted[up]) if one.hand == hand)
        return law_of(self.counted[up], start, split=split)

    def expected(self) -> Fraction:
        """Returns the net result of the main wager."""
        return sum((chance * self.counted[up].expected() for up, chance in self.shown), Zero)

    def ended(self) -> tuple[Mapping[Ended, Fraction], frozenset[Ended], Fraction]:
        """Returns how rounds end, which of the chances lie between bounds alone, and how far those may be off."""
        found: dict[Ended, Fraction] = {}
        near, off = set[Ended](), Zero
        for up, chance in self.shown:
            for start in begun(self.counted[up]):
                for split, share in ((True, start.split), (False, 1 - start.split)):
                    if share:
                        law, weight = self.law(up, start.hand, split=split), chance * start.chance * share
                        off += weight * law.off
                        for (ended, natural), part in law.chances.items():
                            found[ended] = found.get(ended, Zero) + weight * part
                            # A natural that the dealer finds ends the round before the pair is split.
                            if law.off and not (natural and self.counted[up].against.looked):
                                near.add(ended)
        return found, frozenset(near), off


@lru_cache(maxsize=8)
def _round(terms: BlackjackGame, strategy: Strategy) -> CountedStrategy:
    return CountedStrategy(terms, strategy)


@lru_cache(maxsize=8)
def _analysis(game: Game, strategy: Strategy) -> Analysis:
    found = _round(terms_of(game), strategy)
    wagers = tuple(
        main_figures(*found.ended()) if wager.id == ids.MAIN else _side(game, wager.id)
        for wager in game.wagers
    )
    return Analysis(game.id, strategy, wagers, tuple(_decisions(found)))


class BlackjackExact:
    """Exact figures by counting; splits by the convention that the strategy names."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers under a named strategy."""
        return self.analyze_table(game, strategy_of(game, strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""
        return _analysis(game, strategy)

    def named_strategy(self, game: Game, name: str) -> Strategy:
        """Returns a named strategy of a game."""
        return strategy_of(game, name)

    def return_alone(self, game: Game, strategy: str | Strategy, wager: str) -> Fraction:
        """Returns the exact return of one wager, without the distribution of the main one."""
        if wager != ids.MAIN:
            return _side(game, wager).return_to_player
        played = strategy_of(game, strategy) if isinstance(strategy, str) else strategy
        return 1 + _round(terms_of(game), played).expected()

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of all wagers under a named strategy."""
        played = strategy_of(game, strategy)
        found = _round(terms_of(game), played)
        wagers = tuple(wager.id for wager in game.wagers)
        sides = [wager for wager in wagers if wager in ROWS]

        def outcomes(main: str, ends: tuple[str, ...]) -> tuple[str, ...]:
            side = dict(zip(sides, ends, strict=True))
            return tuple(side.get(wager, main) for wager in wagers)

        chances = summed(
            (outcomes(outcome_of(*ended), ends[natural]), deal.chance * part * share)
            for deal in first_deals(game)
            for (ended, natural), part in _dealt(found, deal).chances.items()
            for ends, share in deal.ends.items()
        )
        return Joint(played.name, played.strategy_class, wagers, chances)

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost, or a number above it where no round is shown that costs as much."""
        return maximum_exposure(game)

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what each option on a hand is worth, such as ``A-6-5 against 10``, later cards played best by cards.

        Raises:
            InputError: No such hand, one of a split, or nothing is decided on it.
        """
        values = _options(terms_of(game), strategy_of(game, MAIN_OPTIMAL), *_named(text))
        best = max(values, key=values.__getitem__)
        return Explanation(text, None, None, (), None, (), None, best, tuple(values.items()))


EXACT: Final = BlackjackExact()


# --- wagers ------------------------------------------------------------------------------------------------


def main_figures(
    ended: Mapping[Ended, Fraction], near: frozenset[Ended], off: Fraction
) -> WagerFigures:  # fmt: skip
    """Returns the figures of the main wager from how rounds end, and from how far some of the chances may be off."""
    outcomes = tuple(
        Outcome(
            outcome_of(*one), one.net, chance, one.staked, row_of(one.row), off=off if one in near else Zero
        )
        for one, chance in sorted(
            ended.items(), key=lambda entry: (-entry[0].net, entry[0].staked, entry[0].row)
        )
        if chance
    )
    total = sum((outcome.staked * outcome.probability for outcome in outcomes), Zero)
    return WagerFigures(ids.MAIN, outcomes, total)


def _dealt(found: CountedStrategy, deal: FirstDeals) -> Law:
    """Returns how the main wager ends on deals of two ranks against an open card."""
    counted = found.counted[deal.up]
    alike = deal.first == deal.second or counted.terms.rules.split_tens != SplitTens.RANK
    split = 2 in deal.hand and deal.hand.index(2) in counted.plan.splits and alike
    return found.law(deal.up, deal.hand, split=split)


def _side(game: Game, wager: str) -> WagerFigures:
    """Returns the figures of a side bet: first cards decide it and the dealer's natural, whatever is played."""
    terms = terms_of(game)
    place = [one.id for one in game.wagers if one.id in ROWS].index(wager)
    chances = summed(
        (ends[natural][place], deal.chance * share * (hidden if natural else 1 - hidden))
        for deal in first_deals(game)
        for hidden in (against(terms, deal.up).hidden(deal.hand),)
        for ends, share in deal.ends.items()
        for natural in (True, False)
    )
    paytable = game.wager(wager).paytable
    rows = [(row.id, row.pays) for row in paytable.rows] + [(ids.LOSE, Fraction(-1))]
    return WagerFigures(wager, tuple(Outcome(row, pays, chances.get(row, Zero)) for row, pays in rows))


# --- decisions ---------------------------------------------------------------------------------------------


def _decisions(found: CountedStrategy) -> Iterator[Decision]:
    """Yields what every option is worth on every two first cards, later cards played by the strategy."""
    for up, chance in found.shown:
        counted = found.counted[up]
        for start in begun(counted):
            if counted.against.hands.totals[counted.against.hands.place[start.hand]] == 21:
                continue
            yield _decision(counted, start.hand, chance * start.chance)


def _named(text: str) -> tuple[Counts, int]:
    """Returns a hand and an open card by their names.

    Raises:
        InputError: They are none on which something is decided here.
    """
    names, _, up = text.partition(" against ")
    cards = names.split("-")
    expected = 'expected cards of a hand that was not split and an open card, such as "A-6-5 against 10"'
    if up not in VALUE_NAMES or len(cards) < 2 or any(card not in VALUE_NAMES for card in cards):
        raise InputError(f"{text!r} is no hand: {expected}")
    hand = tuple(cards.count(name) for name in VALUE_NAMES)
    if total_of(hand)[0] >= 21:
        raise InputError(f"nothing is decided on {names}: {expected}, of less than twenty-one")
    return hand, VALUE_NAMES.index(up)


@lru_cache(maxsize=4096)
def _options(terms: BlackjackGame, strategy: Strategy, hand: Counts, up: int) -> Mapping[str, Fraction]:
    """Returns what each option on a hand is worth.

    Raises:
        InputError: The shoe does not hold the hand.
    """
    needed, shoe = [count + (value == up) for value, count in enumerate(hand)], terms.shoe
    if any(
        many > left and not (shoe.endless and left) for many, left in zip(needed, shoe.counts, strict=True)
    ):
        raise InputError(f"the shoe does not hold {hand_name(hand)} with {VALUE_NAMES[up]}")
    counted = _round(terms, strategy).counted[up]
    if sum(hand) == 2:
        return _decision(counted, hand, _HALF).values
    options = [kernels.STAND, kernels.HIT]
    if counted.against.doubles[False][counted.against.hands.place[hand]]:
        options.append(kernels.DOUBLE)
    return {PLAYS[play]: counted.later_option(hand, play) for play in options}


def _decision(counted: Counted, hand: Counts, chance: Fraction) -> Decision:
    whole, plan = counted.against, counted.plan
    place, looked = whole.hands.place[hand], whole.looked
    values = {
        PLAYS[play]: counted.option(hand, play)
        for play in (kernels.STAND, kernels.HIT, kernels.DOUBLE, kernels.SURRENDER)
        if (play != kernels.DOUBLE or whole.doubles[False][place])
        and (play != kernels.SURRENDER or whole.surrenders[place])
    }
    chosen = PLAYS[int(plan.plays[place])]
    pair = int(whole.hands.pairs[place])
    live = 1 - counted.against.hidden(hand) if looked else Fraction(1)
    if pair >= 0 and whole.may_split(pair) and counted.share(pair):
        apart = Zero if looked else counted.against.apart(hand)
        values[ids.SPLIT] = (counted.splitting(pair) - apart) / live
        chosen = ids.SPLIT if pair in plan.splits else chosen
    if place in plan.early:
        chosen, live = ids.SURRENDER, Fraction(1)
        values[ids.SURRENDER] = -_HALF
    elif whole.early and not whole.looked:
        values[ids.SURRENDER] = -_HALF
    best = max(values, key=values.__getitem__)
    return Decision(hand_name(hand), (), VALUE_NAMES[plan.up], best, values, chosen, chance * live)


# --- rules otherwise ---------------------------------------------------------------------------------------


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one rule otherwise, one by one."""
    rules = ids.rules_of(game)
    changes: Sequence[tuple[str, str, dict[str, object]]] = (
        ("dealer-on-soft-17", "the dealer stands on soft seventeen", {"hits_soft_17": False}),
        ("dealer-on-soft-17", "the dealer draws to soft seventeen", {"hits_soft_17": True}),
        ("dealer-peeks", "the dealer takes no hole card", {"peek": Peek.NEVER, "natural_takes": Taken.ALL}),
        ("dealer-peeks", "the dealer looks", {"peek": Peek.BOTH, "natural_takes": Taken.ALL}),
        ("double-on", "any number of cards may be doubled", {"double": Doubling.ANY_CARDS}),
        ("double-on", "any two cards may be doubled", {"double": Doubling.ANY_TWO}),
        ("double-on", "nine to eleven may be doubled", {"double": Doubling.NINE}),
        ("double-on", "ten and eleven may be doubled", {"double": Doubling.TEN}),
        ("double-after-split", "split hands may be doubled", {"double_after_split": True}),
        ("double-after-split", "split hands may not be doubled", {"double_after_split": False}),
        (
            "hands-by-splitting",
            "pairs are split once",
            {"split_hands": 2, "ace_hands": min(rules.ace_hands, 2)},
        ),
        ("hands-by-splitting-aces", "aces are split up to four hands", {"ace_hands": rules.split_hands}),
        ("draw-to-split-aces", "split aces are drawn to", {"draw_to_aces": True}),
        ("surrender", "late surrender", {"surrender": Surrender.LATE}),
        ("surrender", "early surrender", {"surrender": Surrender.EARLY}),
        ("hands-by-splitting", "nothing is split", {"split_hands": 1, "ace_hands": 1}),
        ("surrender", "no surrender", {"surrender": Surrender.NONE}),
    )
    for subject, words, fields in changes:
        other = replace(rules, **fields)  # type: ignore[arg-type]
        if other != rules:
            yield Variant(subject, words, replace(game, rules=other))
