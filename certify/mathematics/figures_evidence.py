"""The figures of an analysis as nouns of the evidence, which are also what scripts of auditors read.

How a net result follows from the pays of a paytable, which a living spreadsheet computes with, follows them.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

from certify.analysis.par_sheet import claim_status, par_sheet_evidence, top_award_evidence
from certify.errors import InputError
from certify.evidence import Band, analysis as evidence
from certify.exact import decimal_text, exactly, format_odds, fraction_text, percent_text
from certify.families import Configuration, ConfigurationKind
from certify.mathematics.of_game import (
    analyze,
    certified_variants,
    configurations,
    figure_of,
    played_apart,
    staked_of,
)
from certify.mathematics.possible import NOT_FOUND, possible
from certify.model import (
    BY_VARIANCE,
    CLASS,
    DEVIATION,
    HIT_FREQUENCY,
    HOUSE_EDGE,
    INDEX,
    MAXIMUM_AWARD,
    ODDS,
    ODDS_OF_MAXIMUM,
    ODDS_OF_ROW,
    ON_TOTAL,
    RETURN,
    VOLATILITY_Z,
    Analysis,
    Claim,
    Exposure,
    Figure,
    Game,
    Interval,
    Outcome,
    PrintedAward,
    Wager,
    WagerFigures,
    ends_of,
    optimal_play,
    percent_of,
    prints_as,
    repaid,
)

_NAMES: Final = {
    RETURN: "return to player",
    HOUSE_EDGE: "house edge",
    ON_TOTAL: "return on everything wagered",
    HIT_FREQUENCY: "hit frequency",
    MAXIMUM_AWARD: "maximum award",
    ODDS_OF_MAXIMUM: "odds of the maximum award",
    DEVIATION: "standard deviation",
    INDEX: "volatility index",
    CLASS: "volatility class",
}


def claim_words(claim: Claim) -> str:
    """Returns what a claim is about, in words."""
    return f"odds of {claim.row}" if claim.metric == ODDS_OF_ROW else _NAMES[claim.metric]


def figure_words(claim: Claim, exact: Figure) -> str:
    """Returns an exact figure in the form in which it is claimed, with its fraction."""
    if isinstance(exact, Interval):
        return f"{percent_of(exact)} % ({exact.method})"
    if claim.metric == MAXIMUM_AWARD:
        if isinstance(claim.printed, PrintedAward) and claim.printed.currency:
            return f"{decimal_text(exact, 2)} {claim.printed.currency}"
        return format_odds(exact) if exact >= 0 else f"a loss of {fraction_text(-exact)}"
    if claim.metric in BY_VARIANCE:
        whole = exactly(exact).removeprefix(" = ")
        return f"a standard deviation of {root_text(exact)}{f', the root of {whole}' if whole else ''}"
    if claim.metric in ODDS:
        return f"1 in {decimal_text(1 / exact, 2)}{exactly(exact)}" if exact else "never"
    return f"{percent_text(exact)} %{exactly(exact)}"


def root_text(value: Fraction, places: int = 6) -> str:
    """Returns the root of a number, rounded down to so many places, without a float between.

    >>> root_text(Fraction(2))
    '1.414213'
    """
    scaled = math.isqrt(value.numerator * 10 ** (2 * places) // value.denominator)
    return decimal_text(Fraction(scaled, 10**places), places)


def best_possible(game: Game, claim: Claim, exact: Figure) -> str:
    """Returns what is added where no play reaches a printed figure, else nothing."""
    if prints_as(claim, exact):
        return ""
    able = possible(game, claim)
    if not able.excludes(claim):
        return ""
    words, end = bound(able.lowest, able.highest, claim.printed.interval)
    if claim.metric == ODDS_OF_ROW and able.highest == 0:
        return "; impossible: no round reaches the row"
    return f"; impossible under any play: {words} {figure_words(claim, end)}"


def bound(
    lowest: Fraction | None, highest: Fraction | None, printed: tuple[Fraction, Fraction]
) -> tuple[str, Fraction]:
    """Returns beyond which end of what is possible a printed figure is, in words, and that end.

    Args:
        lowest: The least that some play comes to, none where that was not found.
        highest: The most.
        printed: Lowest and highest figure that print as the one that no play comes to.

    Raises:
        InputError: Neither end is known.

    >>> bound(Fraction(9, 10), None, (Fraction(1, 2), Fraction(3, 5)))
    ('at least', Fraction(9, 10))
    >>> bound(Fraction(1, 2), Fraction(9, 10), (Fraction(19, 20), Fraction(1)))
    ('at most', Fraction(9, 10))
    """
    if lowest is not None and lowest == highest:
        return "always", lowest
    if lowest is not None and (highest is None or lowest >= printed[1]):
        return "at least", lowest
    if highest is None:
        raise InputError("the range of any play is not known, so nothing is called impossible")
    return "at most", highest


def analysis_evidence(analysis: Analysis, game: Game) -> evidence.StatedAnalysis:
    """Returns the figures of an analysis, with decimals next to the exact fractions."""
    return evidence.StatedAnalysis(
        game=analysis.game,
        strategy=analysis.strategy.name,
        strategy_class=analysis.strategy.strategy_class,
        wagers={figures.wager: wager_evidence(figures, game) for figures in analysis.wagers},
        decisions=analysis.decisions,
    )


def wager_evidence(figures: WagerFigures, game: Game) -> evidence.StatedFigures:
    """Returns the figures of one wager."""
    on_all = figures.return_on_total_wagered
    return evidence.StatedFigures(
        return_=figures.return_to_player,
        house_edge=figures.house_edge,
        outcomes=tuple(
            evidence.StatedOutcome(
                outcome=outcome.id,
                pays=format_odds(outcome.pays) if outcome.pays >= 0 else None,
                net=outcome.pays,
                probability=outcome.probability,
                contribution=(1 + outcome.pays) * outcome.probability,
                variance=outcome.variance if outcome.varies else None,
                least=outcome.lowest if outcome.varies else None,
                most=outcome.highest if outcome.varies else None,
                near=outcome.near or None,
                off={"probability": outcome.off, "contribution": abs(1 + outcome.pays) * outcome.off}
                if outcome.near
                else None,
            )
            for outcome in figures.outcomes
        ),
        net=tuple(evidence.NetResult(net, probability) for net, probability in figures.listed),
        hit_frequency=figures.hit_frequency,
        win_frequency=figures.win_frequency,
        variance=figures.variance,
        standard_deviation=figures.standard_deviation,
        volatility_index={label: figures.volatility_index(z) for label, z in VOLATILITY_Z},
        top_award=top_award_evidence(figures),
        claims=tuple(claim_evidence(claim, figures, game) for claim in game.claims_on(figures.wager)),
        # Stated only where the player may add to the stake.
        return_on_total_wagered=on_all,
        total_wagered=None if on_all is None else figures.total_wagered,
        bracket=figures.bracket,
        awards=figures.awards or None,
        net_rest=None
        if figures.all_listed
        else 1 - sum((chance for _, chance in figures.listed), Fraction(0)),
        near=figures.near or None,
        off={
            "probability": figures.off,
            "hit_frequency": figures.off,
            "win_frequency": figures.off,
            "variance": figures.variance_off,
            "total_wagered": figures.total_wagered_off,
            "return_on_total_wagered": figures.on_total_off,
        }
        if figures.near
        else None,
    )


def configurations_evidence(
    game: Game, analyses: Mapping[str, Analysis], highest: Exposure
) -> tuple[evidence.StatedConfiguration, ...]:
    """Returns every wagering configuration of a game.

    Args:
        game: The submission.
        analyses: Its exact figures by strategy.
        highest: The most that one round of it can cost as submitted.
    """
    printed = {
        (one.id, claim.wager): (claim_evidence(claim, analyze(one.game).wager(claim.wager), one.game),)
        for one in certified_variants(game)
        for claim in one.game.claims
    }
    found = []
    for one in configurations(game, analyses):
        most = one.exposure(game.wager(one.wager).limits)
        alone = one.kind is ConfigurationKind.WAGER and len(game.wagers) == 1 and not one.endless
        found.append(
            evidence.StatedConfiguration(
                id=one.id,
                kind=str(one.kind),
                wager=one.wager,
                price=one.price,
                return_=one.returned,
                house_edge=1 - one.returned,
                claims=printed.get((one.id, one.wager)) or _printed_of(one, game, analyses),
                highest_return=one.highest if one.most_returned != one.returned else None,
                hit_frequency=one.hits,
                win_frequency=one.wins,
                variance=None if one.kind is ConfigurationKind.WAGER else one.variance,
                exposure=highest.amount if alone else most,
                endless=one.endless or None,
            )
        )
    return tuple(found)


@lru_cache(maxsize=4)
def configuration_bands(game: Game) -> Mapping[str, tuple[Band, ...]]:
    """Returns bounds of the observed return of each configuration that is played by itself, by its id."""
    return {
        named: par_sheet_evidence(analysis.wagers[0], analysis.strategy.name, staked_of(game)).bands
        for named, (_, analysis) in played_apart(game).items()
    }


def _printed_of(
    one: Configuration, game: Game, analyses: Mapping[str, Analysis]
) -> tuple[evidence.JudgedClaim, ...]:
    """Returns what is printed of a wager as submitted; of its bet levels, purchases and gambles nothing is printed."""
    if one.kind not in (ConfigurationKind.WAGER, ConfigurationKind.SEED):
        return ()
    played = {name: analysis.wager(one.wager) for name, analysis in analyses.items()}
    best = optimal_play(played)
    return tuple(
        claim_evidence(claim, played[claim.strategy or best], game)
        for claim in game.claims_on(one.wager)
        if not claim.strategy or claim.strategy in played
    )


def claim_evidence(claim: Claim, figures: WagerFigures, game: Game) -> evidence.JudgedClaim:
    """Returns whether a printed figure holds, with the interval that it means, and whether any play reaches it."""
    low, high = claim.printed.interval
    exact = figure_of(claim, game, figures)
    holds, ends = prints_as(claim, exact), ends_of(exact)
    able = NOT_FOUND if holds else possible(game, claim)
    return evidence.JudgedClaim(
        printed=claim.text,
        metric=claim.metric,
        source=claim.source,
        holds=holds,
        status=claim_status(claim, game.wager(claim.wager), exact),
        interval=(low, high),
        exact=exact,
        distance_to_low=ends[0] - low,
        distance_to_high=high - ends[1],
        row=claim.row or None,
        impossible=None if able is NOT_FOUND else able.excludes(claim),
        lowest=able.lowest,
        highest=able.highest,
    )


Price = Callable[[str, str], Fraction]
"""The net result of an outcome of a wager, by their ids."""


@dataclass(frozen=True, slots=True)
class PayTerms:
    """A net result as a sum: a number, and each pay it depends on times a factor.

    Args:
        number: What does not depend on a pay, such as a stake that is lost.
        factors: How often each pay counts, by the row of the paytable.
    """

    number: Fraction
    factors: Mapping[str, Fraction]


def pay_terms(game: Game, wager: Wager) -> Callable[[Outcome], PayTerms]:
    """Returns what tells of an outcome how its net result follows from the pays of its wager.

    The family's own settlement gives the result with every pay as it is, and with one pay more for one. Where
    it cannot give that, or where the result is no such sum, an outcome follows the pay of its row if it is that
    times what is staked, and else no pay.

    Args:
        game: The submission.
        wager: One of its wagers.
    """
    rows = wager.paytable.ids
    as_stated, all_raised = _price(game), _price(_raised(game, wager, rows))
    raised = {row: _price(_raised(game, wager, (row,))) for row in rows}

    def terms(outcome: Outcome) -> PayTerms:
        row = outcome.of_row or outcome.id
        named = PayTerms(outcome.pays, {})
        if row in rows and outcome.pays == outcome.staked * wager.paytable.pays(row):
            named = PayTerms(Fraction(0), {row: outcome.staked})
        try:
            if as_stated(wager.id, outcome.id) != outcome.pays:
                return named
            change = all_raised(wager.id, outcome.id) - outcome.pays
            first = (row,) if row in rows else ()
            factors: dict[str, Fraction] = {}
            for one in (*first, *(other for other in rows if other not in first)):
                if change == sum(factors.values()):
                    break
                factors[one] = raised[one](wager.id, outcome.id) - outcome.pays
        except (InputError, LookupError):
            return named
        if change != sum(factors.values()):
            return named
        factors = {one: factor for one, factor in factors.items() if factor}
        paid = sum((factor * wager.paytable.pays(one) for one, factor in factors.items()), Fraction(0))
        return PayTerms(outcome.pays - paid, factors)

    return terms


def _raised(game: Game, wager: Wager, rows: tuple[str, ...]) -> Game:
    """Returns a game in which some rows of a wager pay one more for one."""
    return repaid(game, {(wager.id, row): wager.paytable.pays(row) + 1 for row in rows})


def _price(game: Game) -> Price:
    """Returns the settlement of a game by its family: that of the play-through, or of the text."""
    volume = game.port.volume
    if volume is not None:
        return lambda wager, outcome: volume.net(game, wager, outcome)
    if game.port.text is not None:
        text = game.port.text(game)
        return lambda wager, outcome: text.price(wager, outcome).net

    def unknown(wager: str, outcome: str) -> Fraction:
        raise InputError(f"the family {game.family} cannot state what {outcome} of {wager} pays")

    return unknown
