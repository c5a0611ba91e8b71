"""The family of 7 e Mezzo against the house, and what its evidence has beyond every game.

The frontier, and findings: printed returns that no one player has, side bets forfeited, a silent rule.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final, cast

from certify.analysis.engine.exact import EngineExact
from certify.evidence import Sections
from certify.exact import fraction_text, percent_text
from certify.families.port import (
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
    FindingBasis,
    Listed,
)
from certify.families.registry import Staged
from certify.families.sette_e_mezzo.exact.figures import (
    HandFigures,
    StrategyReturns,
    ThreeReturns,
    frontier,
    frontier_evidence,
    named_strategy,
    plan,
    read_card,
    return_of,
    three_returns,
)
from certify.families.sette_e_mezzo.exact.identify import identify, together
from certify.families.sette_e_mezzo.rules import (
    FAMILY_ID,
    PARTITA_PERFETTA,
    STATED,
    PairCondition,
    Seen,
    rules_of,
    variants,
)
from certify.families.sette_e_mezzo.second import settle
from certify.families.sette_e_mezzo.text import text
from certify.families.seven_and_a_half.cards import hand_name
from certify.families.seven_and_a_half.strategy_files import charted_by_total
from certify.model import (
    CONDITION,
    LEAST_RETURN,
    MAIN_OPTIMAL,
    RETURN,
    STRATEGY,
    Analysis,
    Exposure,
    FindingDraft,
    Game,
    Joint,
    Matter,
    Severity,
    Strategy,
    Who,
)


class SetteEMezzoSections:
    """Where the best decision changes as a side stake grows."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns nothing: the common figures say it all."""
        return {}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the frontier of each side bet."""
        return Sections(
            frontier={side.id: frontier_evidence(frontier(game, side.id)) for side in game.wagers[1:]}
        )


def findings(results: FindingBasis) -> Iterator[FindingDraft]:
    """Yields what a reader must know of 7 e Mezzo beyond what every game is checked for."""
    yield from _together(results)
    yield from _forfeited(results)
    yield from _other_reading(results)


def _together(results: FindingBasis) -> Iterator[FindingDraft]:
    """Whether one player reaches all printed returns at once."""
    if len(results.game.claims) < 2:
        return
    found = three_returns(results.game)
    if found.possible or len(found.claims) < 2:
        return
    claims = ", ".join(f"{_title(results, claim.wager)} {claim.text}" for claim in found.claims)
    never = found.possible is False
    number = {2: "two", 3: "three", 4: "four"}.get(len(found.claims), str(len(found.claims)))
    others = [*_would_hold(results)]
    beyond = "; other pays exist under which they do" if others else ""
    yield FindingDraft(
        Severity.MAJOR,
        f"With the assumed pays, no single way of playing gives all {number} printed returns{beyond}",
        " ".join(
            (
                (
                    f"Printed: {claims}. With these pays they hold at once under no "
                    f"{'way of playing' if never else 'strategy analysed'}."
                ),
                *(_strategy_words(results, entry) for entry in found.strategies),
                *_at_most(results, found),
                *others,
                (
                    "The source names no strategy; GLI-19 4.7.2(a) requires that a displayed return says how to "
                    "realise it."
                ),
            )
        ),
        (Matter.DISPLAYED_RETURN,),
        "certify analyze {game} --strategy always-second-card",
        CONDITION,
        check=STRATEGY,
        action="Print with each return how to play to get it, or state other pays under which all of them hold for "
        "one player.",
        who=Who.SUPPLIER,
    )


def _title(results: FindingBasis, wager: str) -> str:
    return results.game.wager(wager).title


def _strategy_words(results: FindingBasis, entry: StrategyReturns) -> str:
    """Returns the returns of all wagers under one strategy in a sentence."""
    listed = ", ".join(
        f"{_title(results, w)} {percent_text(exact, 4)} %" for w, exact in entry.returns.items()
    )
    return f"Under {entry.strategy}: {listed}."


def _at_most(results: FindingBasis, found: ThreeReturns) -> Iterator[str]:
    """Says what a side bet returns at most while the main wager keeps its printed return."""
    printed = {claim.wager: claim.printed.interval[0] for claim in found.claims}
    for wager, highest in found.most:
        if highest is not None and highest < printed[wager]:
            yield (
                f"While the main wager keeps its printed return, {_title(results, wager)} returns at most "
                f"{percent_text(highest, 4)} % under any play, mixtures included."
            )


def _would_hold(results: FindingBasis) -> Iterator[str]:
    """Says where other pays than the adopted ones would let all printed returns hold for one player."""
    for wager, strategy in results.strategy_of.items():
        if strategy == MAIN_OPTIMAL or wager not in results.identifications:
            continue
        for search in results.identifications[wager].readings:
            if search.strategy == MAIN_OPTIMAL and search.fits_count:
                yield (
                    f"Other pays of {_title(results, wager)} would: {search.fits_count:,} whole-number paytables, "
                    f"{search.customary_count} of them of customary pays, give the printed figure to a player who "
                    f"plays {MAIN_OPTIMAL}."
                )


def _forfeited(results: FindingBasis) -> Iterator[FindingDraft]:
    """What side bets return to a player who plays best for the main wager."""
    main = results.analyses[MAIN_OPTIMAL]
    for claim in results.game.claims[1:]:
        if claim.metric != RETURN:
            continue
        exact = main.wager(claim.wager).return_to_player
        if claim.printed.stands_for(exact):
            continue
        best = results.analyses[results.strategy_of[claim.wager]]
        costs = best.wager("main").return_to_player
        below = f", below the floor of {percent_text(LEAST_RETURN, 0)} %" if exact < LEAST_RETURN else ""
        floor = (
            " GLI-19 4.7.1(b) judges the floor by the optimal method of play of the wager, which keeps it: the clause "
            "is kept, and what a player of the main wager gets is reported here."
            if below
            else ""
        )
        yield FindingDraft(
            Severity.MINOR,
            f"With the assumed pays, {results.game.wager(claim.wager).title} returns {percent_text(exact, 4)} % to a "
            "player who plays best for the main wager",
            f"Exactly {fraction_text(exact)}{below}; printed is {claim.text}. Played for its own best return "
            f"({results.strategy_of[claim.wager]}), the side bet keeps the printed figure, but the main wager "
            f"then returns {percent_text(costs, 4)} %.{floor}",
            (Matter.DISPLAYED_RETURN,),
            "certify analyze {game} --strategy main-optimal",
            action="Inform players of the side bet how to play to get its return, and what that costs the main "
            "wager.",
            who=Who.SUPPLIER,
        )


def _other_reading(results: FindingBasis) -> Iterator[FindingDraft]:
    """What Partita Perfetta would return under the reading that was not adopted."""
    game = results.game
    other = (
        PairCondition.DEALER_MUST_UNCOVER
        if rules_of(game).pair_condition is PairCondition.UNCONDITIONAL
        else PairCondition.UNCONDITIONAL
    )
    changed = replace(game, rules=replace(rules_of(game), pair_condition=other))
    exact = return_of(changed, named_strategy(changed, MAIN_OPTIMAL), PARTITA_PERFETTA)
    yield FindingDraft(
        Severity.NOTE,
        "A silent rule decides the return of Partita Perfetta",
        "The source does not say whether a player's bust forfeits the wager. "
        f"Assumed: {rules_of(game).pair_condition}. Read as {other} instead, the same pays return "
        f"{percent_text(exact, 4)} % = {fraction_text(exact)} under "
        f"{MAIN_OPTIMAL} play.",
        (Matter.SILENT_RULES,),
        "certify identify {game} --wager partita-perfetta",
        "information",
        action="Say in the rules whether a player's bust forfeits Partita Perfetta.",
        who=Who.SUPPLIER,
    )


_WALK: Final = EngineExact(Staged(text))


def counted(game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
    """Returns the exact return of each wager, by wager: every draw and decision followed, equal moments once."""
    walked = _WALK.counted(game)
    return {one.wager: one.return_to_player for one in walked.figures(walked.visits(strategy))}


class SetteEMezzoExact(HandFigures):
    """Returns and decisions by hands; what all wagers of a round come to together by the walk of the text."""

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the three wagers under a named strategy."""
        return _WALK.counted(game).joint(named_strategy(game, strategy, stakes))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house."""
        return _WALK.exposure(game)


def _listed(sees: Hashable) -> Listed:
    """Returns how a decision is listed: the hand, for what follows it is worth the same whatever came first."""
    _, _, hand = cast(Seen, sees)
    return Listed(hand_name(hand), hand)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="7 e Mezzo against the house: one player, a dealer with a fixed rule, two side bets",
    rules=STATED,
    text=text,
    second=settle,
    exact=SetteEMezzoExact(),
    strategies=FamilyStrategies(listed=_listed, cards=read_card, plan=plan, charted=charted_by_total),
    sources=FamilySources(identify=identify, together=together),
    alternatives=FamilyAlternatives(variants=variants),
    checks=FamilyChecks(counting=counted),
    pages=FamilyPages(findings=findings, sections=SetteEMezzoSections()),
)
