"""The family of 7 e Mezzo against the house."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from certify.analysis.engine.exact import EngineExact
from certify.families.port import (
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
)
from certify.families.registry import Staged
from certify.families.sette_e_mezzo.exact.figures import HandFigures, named_strategy, plan, read_card
from certify.families.sette_e_mezzo.exact.identify import identify
from certify.families.sette_e_mezzo.exact.joint_identification import together
from certify.families.sette_e_mezzo.findings import SetteEMezzoSections, findings
from certify.families.sette_e_mezzo.rules import FAMILY_ID, STATED, variants
from certify.families.sette_e_mezzo.second import settle
from certify.families.sette_e_mezzo.text import text
from certify.families.seven_and_a_half.strategy_files import charted_by_total
from certify.model import Exposure, Game, Joint, Strategy

_WALK: Final = EngineExact(Staged(text))


def counted(game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
    """Returns the exact return of each wager, by wager: every draw and decision followed, equal moments once."""
    return {one.wager: one.return_to_player for one in _WALK.analyze_table(game, strategy).wagers}


class SetteEMezzoExact(HandFigures):
    """Returns and decisions by hands; what all wagers of a round come to together by the walk of the text."""

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the three wagers under a named strategy."""
        return _WALK.counted(game).joint(named_strategy(game, strategy, stakes))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house."""
        return _WALK.exposure(game)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="7 e Mezzo against the house: one player, a dealer with a fixed rule, two side bets",
    rules=STATED,
    text=text,
    second=settle,
    exact=SetteEMezzoExact(),
    strategies=FamilyStrategies(cards=read_card, plan=plan, charted=charted_by_total),
    sources=FamilySources(identify=identify, together=together),
    alternatives=FamilyAlternatives(variants=variants),
    checks=FamilyChecks(counting=counted),
    pages=FamilyPages(findings=findings, sections=SetteEMezzoSections()),
)
