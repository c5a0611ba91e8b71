"""Strategies of blackjack by their names, and what each does with every hand."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Final

from certify.analysis.strategy_file import strategy_text
from certify.errors import InputError
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact.search import PLAYS, Plan, against, best_plans
from certify.families.blackjack.exact.terms import BlackjackGame, Convention, terms_of
from certify.families.blackjack.exact.total_dependent import best_card, plans_of
from certify.families.blackjack.rules import BlackjackRules
from certify.families.blackjack.side_bets import Seen, total_of
from certify.families.blackjack.strategy import PrintedCard, parse_card
from certify.families.port import StrategyPlan
from certify.model import CARD, FILE, MAIN_OPTIMAL, Game, Strategy

BEST_CARD: Final = "total-dependent"
MIMIC_DEALER: Final = "mimic-dealer"
NEVER_BUST: Final = "never-bust"
AFTER_SPLIT: Final = "after-split:"
"""The prefix of the convention by which split hands are played, other than as the same hands unsplit."""

NAMES: Final = (
    MAIN_OPTIMAL,
    BEST_CARD,
    MIMIC_DEALER,
    NEVER_BUST,
    *(f"{AFTER_SPLIT}{one.value}" for one in Convention),
    f"{FILE}PATH.toml",
)


@dataclass(frozen=True)
class BestPlay:
    """Best play by the cards of a hand, whatever other hands of the round hold.

    Args:
        name: Name of the strategy.
        terms: What decides the figures of the game.
        convention: How hands of a split pair are played.
    """

    name: str
    terms: BlackjackGame = field(repr=False)
    convention: Convention = Convention.AS_UNSPLIT

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return f"composition-dependent, split hands by {self.convention.value}"

    @property
    def plans(self) -> Mapping[int, Plan]:
        """The play on every hand, by open card."""
        return _best_plans(self.terms, self.convention)

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the best option for a hand.

        Raises:
            InputError: The hand is none of blackjack, or split hands are played by what is not seen.
        """
        if len(options) == 1:
            return options[0]
        if not isinstance(sees, Seen):
            raise InputError(f"{self.name} plays hands of blackjack: expected one, got {sees!r}")
        plan = self.plans[sees.up]
        place = against(self.terms, sees.up).hands.place[sees.hand]
        if ids.INSURE in options:
            return ids.INSURE if place in plan.insured else ids.DECLINE
        if ids.DECLINE in options:
            return ids.SURRENDER if place in plan.early else ids.DECLINE
        if ids.RESCUE in options:
            return ids.RESCUE if plan.rescued is not None and plan.rescued[place] else ids.STAND
        if ids.SURRENDER in options and place in plan.early:
            return ids.SURRENDER
        if ids.SPLIT in options and sees.hand.index(2) in plan.splits:
            return ids.SPLIT
        plays = plan.plays
        if sees.split:
            if self.convention != Convention.AS_UNSPLIT:
                raise InputError(f"{self.name}: split hands are played by cards that a round does not show")
            plays = next(iter(plan.split_plays.values()))
        play = PLAYS[int(plays[place])]
        if play in options:
            return play
        if ids.HIT not in options:
            return ids.STAND  # Split aces that came as a pair again and are not split once more.
        allowed = ", ".join(options)
        raise InputError(
            f"{self.name} was found under other rules: it would {play} on {sees}, allowed are {allowed}"
        )

    def table(self) -> object:
        """Returns every play by open card."""
        return [
            [up, plan.plays.tolist(), sorted(plan.splits), sorted(plan.early), sorted(plan.insured)]
            for up, plan in sorted(self.plans.items())
        ]


@lru_cache(maxsize=4)
def _best_plans(terms: BlackjackGame, convention: Convention) -> Mapping[int, Plan]:
    return best_plans(terms, convention)


@dataclass(frozen=True, slots=True)
class DrawsTo:
    """A pattern that draws to every hand below a total and stands on all others; it neither doubles nor splits.

    Args:
        name: Name of the pattern.
        hard: Least hard total that stands.
        soft: Least soft total that stands.
    """

    name: str
    hard: int
    soft: int

    @property
    def strategy_class(self) -> str:
        """What the strategy looks at."""
        return "pattern"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns whether a hand is drawn to."""
        if not isinstance(sees, Seen) or ids.HIT not in options:
            return options[0]
        total, soft = total_of(sees.hand)
        return ids.STAND if total >= (self.soft if soft else self.hard) else ids.HIT

    def table(self) -> object:
        """Returns the totals."""
        return [self.hard, self.soft]


def _dealer(rules: BlackjackRules) -> DrawsTo:
    return DrawsTo(MIMIC_DEALER, 17, 18 if rules.hits_soft_17 else 17)


@lru_cache(maxsize=8)
def card_of(terms: BlackjackGame) -> PrintedCard:
    """Returns the best card that looks at totals alone."""
    return best_card(terms, BEST_CARD)


def strategy_of(game: Game, name: str) -> Strategy:
    """Returns a named strategy.

    Raises:
        InputError: No such strategy, or a file that states none.
    """
    terms = terms_of(game)
    if name == MAIN_OPTIMAL:
        return BestPlay(name, terms)
    if name == BEST_CARD:
        return card_of(terms)
    if name == MIMIC_DEALER:
        return _dealer(terms.rules)
    if name == NEVER_BUST:
        return DrawsTo(name, 12, 18)
    for convention in Convention:
        if name == f"{AFTER_SPLIT}{convention.value}":
            return BestPlay(name, terms, convention)
    if name.startswith(CARD):
        for card in game.strategy_cards:
            if f"{CARD}{card.id}" == name:
                return read_card(game, card.text, card.id)
    if name.startswith(FILE):
        path = Path(name.removeprefix(FILE))
        return parse_card(strategy_text(path), str(path), _reserved)
    raise InputError(f"no strategy {name!r}: expected {', '.join(NAMES)}")


def read_card(game: Game, text: str, source: str) -> Strategy:
    """Returns the strategy that a printed card states."""
    return parse_card(text, source, _reserved)


def _reserved(name: str) -> bool:
    return name in NAMES or name.startswith((FILE, CARD, AFTER_SPLIT))


def plans(terms: BlackjackGame, strategy: Strategy) -> Mapping[int, Plan]:
    """Returns what a strategy does with every hand, by open card; best play of other rules comes hand by hand."""
    if isinstance(strategy, BestPlay) and strategy.terms == terms:
        return strategy.plans
    return plans_of(terms, strategy)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of blackjack."""
    return StrategyPlan(
        names=NAMES,
        analysed=(MAIN_OPTIMAL, BEST_CARD),
        played=(MAIN_OPTIMAL, BEST_CARD),
        simpler=lambda _: (BEST_CARD, MIMIC_DEALER, NEVER_BUST),
    )
