"""Exact figures of any game, by its family's own counting or by walking its reference round, and what moves them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, lru_cache, partial
from typing import Any, Protocol, cast, runtime_checkable

from certify.analysis.engine.exact import EngineExact, Stakes
from certify.analysis.engine.identify import EngineIdentify, OneLostPay
from certify.analysis.engine.walk import CHOICE
from certify.analysis.explanation import Explanation, figures_together
from certify.analysis.mean_bands import StakedAs
from certify.analysis.pay_search import PayBounds
from certify.analysis.whole_pays import Order
from certify.errors import InputError
from certify.evidence import JointFigures, Recovery, Sensitivity, StrategyClass
from certify.families import (
    Certified,
    Choice,
    Configuration,
    ConfigurationKind,
    ExactPort,
    Family,
    Identify,
    LongRound,
    StrategyPlan,
    rows_of,
)
from certify.families.stage_machine import StagedRound
from certify.model import (
    CARD,
    HOUSE_EDGE,
    MAIN_OPTIMAL,
    RETURN,
    Analysis,
    Claim,
    Exposure,
    Figure,
    Game,
    Strategy,
    Variant,
    Wager,
    WagerFigures,
    checked_stakes,
    claimed_figure,
    optimal_play,
    raised_pays,
    row_names,
    unit_stakes,
)
from certify.model.points import along, walk


def exact_of(game: Game) -> ExactPort:
    """Returns what counts the exact figures of a game: its family's own counting, or the engine."""
    return game.port.exact or engine_of(game.port)


@cache
def engine_of(family: Family) -> EngineExact:
    """Returns the engine that walks the reference rounds of a family; the one, so that a game walked once is kept."""
    return EngineExact(
        family.form.walked or family.reference,
        partial(rows_of, family.rules),
        family.strategies.named,
        family.strategies.listed,
        family.strategies.cards,
    )


def plan_of(game: Game) -> StrategyPlan:
    """Returns the named strategies of a game: those of its family, or those of the engine."""
    plan = game.port.strategies.plan or engine_of(game.port).plan
    return plan(game)


def head_of(game: Game) -> str:
    """Returns the strategy that a game is judged by: the best for its first wager, or where two decide, of both."""
    return plan_of(game).analysed[0]


def analysed_strategies(game: Game) -> tuple[str, ...]:
    """Returns the strategies that a run analyses: those of the plan, then those that printed returns name."""
    named = (claim.strategy for claim in game.claims if claim.strategy)
    return tuple(dict.fromkeys((*plan_of(game).analysed, *named)))


def identify_of(game: Game) -> Identify:
    """Returns what searches for lost readings and pays: the family's own search, or one over pays alone."""
    family = game.port
    if family.sources.identify is not None:
        return family.sources.identify
    if family.exact is not None:
        return OneLostPay(lambda one, wager: return_of(one, MAIN_OPTIMAL, wager)).identify
    return EngineIdentify(engine_of(family)).identify


def recovered(game: Game, wager: str, bounds: PayBounds) -> Recovery:
    """Returns which readings and pays reproduce the printed return of a wager, searched alone where it can be."""
    alone = game.port.sources.alone
    searched = (None if alone is None else alone(game, wager)) or game
    return identify_of(searched)(searched, wager, bounds)


def analyze(game: Game, strategy: str = MAIN_OPTIMAL, stakes: Stakes | None = None) -> Analysis:
    """Returns the exact figures of all wagers of a game under a named strategy.

    Args:
        game: The submission.
        strategy: Name of the strategy, as ``--strategy`` takes it.
        stakes: Units on each wager, for strategies that depend on them; one on each where left out.

    Raises:
        InputError: No such strategy, or stakes that do not fit the game.
    """
    if stakes is not None and len(game.wagers) == 1:
        raise InputError(f"{game.id} has one wager: stakes change nothing there")
    if strategy.startswith(CARD):
        return analyze_table(game, card_strategy(game, strategy))
    named = head_of(game) if strategy in ("optimal", MAIN_OPTIMAL) else strategy
    return exact_of(game).analyze(game, named, stakes)


@runtime_checkable
class ReturnsAlone(Protocol):
    """Exact figures of which a return alone costs much less than all of them."""

    def return_alone(self, game: Game, strategy: str | Strategy, wager: str) -> Fraction:
        """Returns the exact return of one wager under a strategy, or under one by its name."""


@runtime_checkable
class NamesStrategies(Protocol):
    """Exact figures whose strategies are had by their names without any figure."""

    def named_strategy(self, game: Game, name: str) -> Strategy:
        """Returns a named strategy of a game."""


def strategy_named(game: Game, name: str) -> Strategy:
    """Returns a named strategy of a game, and counts no figure where the family needs none for it."""
    exact = exact_of(game)
    if isinstance(exact, NamesStrategies):
        return exact.named_strategy(game, name)
    return exact.analyze(game, name).strategy


def return_of(game: Game, strategy: str | Strategy, wager: str) -> Fraction:
    """Returns the exact return of one wager, and counts no more than that where the family can.

    Args:
        game: The submission.
        strategy: The strategy, or its name.
        wager: Id of the wager.
    """
    exact, named = exact_of(game), strategy if isinstance(strategy, str) else ""
    if isinstance(exact, ReturnsAlone) and not named.startswith(CARD):
        return exact.return_alone(game, strategy, wager)
    found = analyze(game, strategy) if isinstance(strategy, str) else analyze_table(game, strategy)
    return found.wager(wager).return_to_player


@lru_cache(maxsize=16)
def card_strategy(game: Game, name: str) -> Strategy:
    """Returns the strategy of a card that the source prints, by its name ``card:ID``.

    Raises:
        InputError: The submission prints no such card, or the card is not complete.
    """
    cards = {f"{CARD}{card.id}": card for card in game.strategy_cards}
    if name not in cards:
        known = ", ".join(cards) or "none: the submission prints no strategy card"
        raise InputError(f"no strategy {name!r} in {game.id}: cards are {known}")
    family = game.port
    read = family.strategies.cards or (engine_of(family).read_card if family.exact is None else None)
    if read is None:
        raise InputError(f"{name}: the family {game.family!r} reads no strategy cards")
    strategy: Any = read(game, cards[name].text, f"{game.path}:{cards[name].line}: {name}")
    return cast(Strategy, replace(strategy, name=name))


def analyze_table(game: Game, strategy: Strategy) -> Analysis:
    """Returns the exact figures of all wagers of a game under a strategy given whole."""
    return exact_of(game).analyze_table(game, strategy)


def exposure(game: Game) -> Exposure:
    """Returns the most that one round can cost whoever banks, with draws and decisions that produce it."""
    highest = exact_of(game).exposure(game)
    return replace(highest, deck_names=row_names(game.equipment, highest.deck))


def explain(game: Game, text: str) -> Explanation:
    """Returns the tree behind one decision.

    Raises:
        InputError: The text names no hand, or one on which nothing is decided.
    """
    return exact_of(game).explain(game, text)


def seen_in_words(sees: object) -> str:
    """Returns what a seat sees, in one line.

    >>> seen_in_words((("7", "K"), 4, None))
    '7 K 4'
    """
    if isinstance(sees, tuple):
        return " ".join(filter(None, (seen_in_words(part) for part in sees)))
    return "" if sees is None else str(sees)


def named_decision(game: Game, choice: Choice) -> str:
    """Returns a decision as ``explain`` takes it: as its family lists it, or what the seat sees."""
    listed = game.port.strategies.listed
    return listed(choice.sees).title if listed else seen_in_words(choice.sees)


def values_of(game: Game, choice: Choice) -> Mapping[str, Fraction]:
    """Returns what each option is worth with best play afterwards; nothing where that is not counted by decision."""
    try:
        return dict(explain(game, named_decision(game, choice)).values)
    except InputError:
        return {}


def identify(
    game: Game,
    wager: str,
    *,
    minimum: int = 1,
    maximum: int = 500,
    by_row: Mapping[str, tuple[int, ...]] | None = None,
    order: Order | str = Order.NON_INCREASING,
    limit: int = 20,
) -> Recovery:
    """Returns which readings and pays reproduce the printed return of a wager.

    Args:
        game: The submission.
        wager: Id of the wager.
        minimum: Lowest pay to 1 of any row.
        maximum: Highest pay to 1 of any row.
        by_row: Allowed pays of single rows, in place of the bounds; one value fixes a row.
        order: ``non-increasing``, ``decreasing`` or ``any``: how pays in printed order relate.
        limit: How many fitting paytables are listed; all are counted.

    Raises:
        InputError: No such wager, or bounds that fit no row.
        NothingCheckedError: No return is printed for it.
    """
    if order not in list(Order):
        raise InputError(f"order {order!r}: expected {', '.join(Order)}")
    bounds = PayBounds(minimum, maximum, by_row or {}, Order(order), limit)
    return recovered(game, wager, bounds)


def identify_together(game: Game, stakes: Stakes | None, bounds: PayBounds) -> Mapping[str, Any]:
    """Returns the readings and pays under which one player has all printed returns at once.

    Raises:
        InputError: The family searches for each of them by itself.
    """
    together = game.port.sources.together
    if together is None:
        raise InputError(
            f"{game.id}: its family searches for each printed return by itself, expected --wager and no --together"
        )
    return together(game, stakes, bounds)


@dataclass(frozen=True)
class SeekPays:
    """Recovers the readings and pays of a wager: a pure function of its id, that can be sent to wherever it runs.

    Args:
        game: The submission.
        bounds: Which paytables are tried.
    """

    game: Game
    bounds: PayBounds = field(default_factory=PayBounds)

    def __call__(self, wager: str) -> Recovery:
        """Returns which readings and pays reproduce the printed return of a wager."""
        return recovered(self.game, wager, self.bounds)


@lru_cache(maxsize=64)
def has_decisions(game: Game) -> bool:
    """Returns whether some round of a game waits for a decision, found by walking its reference round.

    One round is followed to its ends first: where that comes to a decision, nothing more has to be walked. Of a text in
    stages the states that the exact figures are counted from are looked through.
    """
    family = game.port
    reference = family.reference(game)
    if isinstance(reference, LongRound):
        return reference.decides
    if any(isinstance(reached.node, Choice) for reached in along(reference)):
        return True
    if isinstance(reference, StagedRound) and family.exact is None:
        return CHOICE in engine_of(family).counted(game).graph.kinds
    return any(isinstance(reached.node, Choice) for reached in walk(reference))


@lru_cache(maxsize=16)
def offered(game: Game) -> tuple[Configuration, ...]:
    """Returns every configuration of a game whose family lists them or certifies variants; else none."""
    named, variants = game.port.alternatives.configurations, certified_variants(game)
    if named is not None:
        return tuple(named(game))
    return tuple(
        replace(
            _as_submitted(wager.id, one.game, {MAIN_OPTIMAL: analyze(one.game)}),
            id=one.id or wager.id,
            kind=ConfigurationKind.VARIANT if one.id else ConfigurationKind.WAGER,
        )
        for one in ((Certified("", "", game, ""), *variants) if variants else ())
        for wager in one.game.wagers
    )


def configurations(game: Game, analyses: Mapping[str, Analysis]) -> tuple[Configuration, ...]:
    """Returns every wagering configuration: the one list that is judged, limited and printed.

    Args:
        game: The submission.
        analyses: Its exact figures by strategy: a wager counts as its optimal method of play returns.
    """
    submitted = (_as_submitted(wager.id, game, analyses) for wager in game.wagers)
    return offered(game) or tuple(submitted)


def _as_submitted(wager: str, game: Game, analyses: Mapping[str, Analysis]) -> Configuration:
    played = {name: analysis.wager(wager) for name, analysis in analyses.items()}
    figures = played[optimal_play(played)]
    return Configuration(
        wager,
        ConfigurationKind.WAGER,
        wager,
        figures.proven.lower,
        figures.proven.upper,
        endless=figures.endless,
        hits=None if figures.near else figures.hit_frequency,
        wins=None if figures.near else figures.win_frequency,
        variance=None if figures.near else figures.variance,
    )


def further(game: Game) -> tuple[Configuration, ...]:
    """Returns the configurations that are more than a wager as submitted."""
    return tuple(one for one in offered(game) if one.kind is not ConfigurationKind.WAGER)


def figure_of(claim: Claim, game: Game, figures: WagerFigures) -> Figure:
    """Returns the exact figure that a claim is about: a return is that with every meter at its seed.

    Args:
        claim: What is printed.
        game: The submission that prints it.
        figures: Exact figures of its wager, which leave meters out.

    Source: GLI-19 v3.0 4.7.1(c).
    """
    for one in offered(game):
        if one.kind is ConfigurationKind.SEED and claim.metric in (RETURN, HOUSE_EDGE):
            return one.returned if claim.metric == RETURN else 1 - one.returned
    return claimed_figure(claim, figures, game.wager(claim.wager).limits)


@lru_cache(maxsize=16)
def played_apart(game: Game) -> Mapping[str, tuple[Game, Analysis]]:
    """Returns the configurations whose rounds are played by themselves: what each is by its id, with its figures."""
    named, found = game.port.alternatives.played, dict[str, tuple[Game, Analysis]]()
    if named is None:
        return found
    for one in offered(game):
        if (played := named(game, one)) is not None:
            found[one.id] = (played[0], exact_of(game).analyze_table(*played))
    return found


def staked_of(game: Game) -> StakedAs:
    """Returns how a round is staked that the figures of a wager are of."""
    kinds = [one.kind for one in offered(game)]
    if ConfigurationKind.SEED in kinds:
        return StakedAs.METERED
    return StakedAs.AMONG if len(kinds) > 1 else StakedAs.ALONE


def certified_variants(game: Game) -> tuple[Certified, ...]:
    """Returns the games that are certified next to a submission; none where its family has no such."""
    named = game.port.alternatives.certified
    return () if named is None else named(game)[1:]


def strategy_classes(game: Game) -> tuple[StrategyClass, ...]:
    """Returns the first wager under the best play and under every simpler strategy of the game's plan."""
    found = [_class(game, name) for name in (head_of(game), *plan_of(game).simpler(game))]
    return tuple(replace(one, cost=found[0].main_return - one.main_return) for one in found)


def _class(game: Game, name: str) -> StrategyClass:
    """Returns the first wager under a strategy, without its distribution where the family counts the return alone."""
    exact, wager = exact_of(game), game.wagers[0].id
    if isinstance(exact, ReturnsAlone) and isinstance(exact, NamesStrategies):
        strategy = exact.named_strategy(game, name)
        returned = exact.return_alone(game, strategy, wager)
    else:
        analysis = analyze(game, name)
        strategy, returned = analysis.strategy, analysis.wagers[0].return_to_player
    return StrategyClass(strategy.name, strategy.strategy_class, returned, Fraction(0))


def joint_figures(
    game: Game, strategy: str = MAIN_OPTIMAL, stakes: Mapping[str, Fraction] | None = None
) -> JointFigures:
    """Returns the exact figures of all wagers together.

    Args:
        game: The submission.
        strategy: Name of the strategy.
        stakes: Units on each wager; one on each where left out.
    """
    placed = checked_stakes(game, stakes if stakes is not None else unit_stakes(game))
    joint = exact_of(game).joint(game, strategy, placed)
    analysis = analyze(game, strategy, placed if len(game.wagers) > 1 else None)
    return figures_together(joint, analysis, placed)


def pay_sensitivities(game: Game, strategy: str = MAIN_OPTIMAL) -> tuple[Sensitivity, ...]:
    """Returns the change of each wager's return when one of its pays rises by one unit to 1."""
    base, exact = analyze(game, strategy), exact_of(game)
    return tuple(
        _changed(base, wager, variant, strategy, pays=True)
        for wager in game.wagers
        for variant in (exact.raised_pays if isinstance(exact, RaisesPays) else raised_pays)(game, wager.id)
    )


def rule_sensitivities(game: Game, strategy: str = MAIN_OPTIMAL) -> tuple[Sensitivity, ...]:
    """Returns the change of every return when one rule of play is otherwise and the player adapts."""
    base = analyze(game, strategy)
    return tuple(
        _changed(base, wager, variant, strategy, pays=False)
        for variant in variants(game)
        for wager in game.wagers
    )


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with one rule otherwise, as far as its family names such rules."""
    named = game.port.alternatives.variants
    if named is not None:
        yield from named(game)


def _changed(base: Analysis, wager: Wager, variant: Variant, strategy: str, *, pays: bool) -> Sensitivity:
    """Returns what one changed pay or rule does to a wager."""
    after = return_of(variant.game, strategy, wager.id)
    kept = return_of(variant.game, base.strategy, wager.id) if pays else None
    return Sensitivity(
        wager.id, variant.subject, variant.words, base.wager(wager.id).return_to_player, after, kept
    )


@runtime_checkable
class RaisesPays(Protocol):
    """Exact figures of games whose rows of one wager are not all pays: they say what is raised."""

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay of a wager raised by one unit to 1."""
