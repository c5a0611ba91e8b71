"""Does play-through agree with the exact figures? Judged per outcome and for the mean, never by eye.

Three questions are answered for every wager. *Chi-square*: do the outcomes occur as often as their exact
probabilities say? *z*: does the mean return differ from the exact return, measured by the exact standard
deviation? *Equivalence* (two one-sided tests): is the difference shown to be smaller than a margin that was
fixed before the first round? The first two can refute, and share one family-wise error by Holm's procedure;
the third keeps a campaign that is too short from passing for agreement. Its margin is fixed by the exact figures of
the wager, and it is required of a play-through that settles for itself, where the return of the wager is read. Row by
row the exact counts stay the proof.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeVar

from certify.by_key import summed
from certify.errors import InputError, NothingCheckedError
from certify.evidence import (
    AwardSeen,
    Cell,
    StatedCampaign,
    Summed,
    WagerAgreement,
)
from certify.messages import say
from certify.model import Analysis, Game, JointCounts, Messages, Totals, Verdict, WagerFigures
from certify.simulation.statistical_tests import (
    EDGE_SHARE,
    NEAR,
    NEAR_VARIANCE,
    SMALLEST_EXPECTED,
    SURE,
    WIDEST,
    chi_square,
    equivalence_test,
    holm,
    mean_test,
)
from certify.simulation.store import Campaign
from certify.simulation.volume import has_own_volume, volume_of

CHI_SQUARE: Final = "chi-square over outcomes"
MEAN: Final = "z of the mean"


def decision_rule(analysis: Analysis) -> Messages:
    """Returns how agreement with exact figures is decided."""
    rule = say(
        "simulation.decision-rule",
        smallest_expected=SMALLEST_EXPECTED,
        near=f"{float(100 * NEAR):g}",
        deviation=f"{math.sqrt(NEAR_VARIANCE):g}",
        share=str(EDGE_SHARE),
        widest=f"{float(100 * WIDEST):g}",
        sure=f"{100 * SURE:g}",
    )
    bounded = any(figures.near for figures in analysis.wagers)
    return (rule, say("simulation.bounded-cells")) if bounded else (rule,)


def compare(
    campaign: Campaign, analysis: Analysis, game: Game, alpha: Fraction | float
) -> list[WagerAgreement]:
    """Returns whether one campaign agrees with the exact figures, wager by wager.

    Args:
        campaign: What was played.
        analysis: Exact figures under the same strategy.
        game: The game; its paytables give the mean.
        alpha: Family-wise error, 0.01 for 99 %.

    Raises:
        InputError: Campaign, analysis and game do not belong together.
        NothingCheckedError: The analysis holds no wager.
    """
    return compare_all([(campaign, analysis, game)], alpha)[0]


def compare_all(
    played: Sequence[tuple[Campaign, Analysis, Game]],
    alpha: Fraction | float,
    read_under: Mapping[str, str] | None = None,
) -> list[list[WagerAgreement]]:
    """Returns whether several campaigns agree with their exact figures, under one family-wise error.

    Args:
        played: Campaigns with the exact figures under their strategies, and the games.
        alpha: Family-wise error over all campaigns, wagers and tests.
        read_under: For each wager, the strategy under which its return is read and equivalence is requested; requested
            under every strategy where left out.

    Raises:
        InputError: Campaign, analysis and game do not belong together, or alpha is no probability.
        NothingCheckedError: There is nothing to compare.
    """
    for campaign, analysis, game in played:
        _require_together(campaign, analysis, game)
    return _judged(played, CountedWager.of, alpha, read_under)


def compare_again(
    played: Sequence[tuple[StatedCampaign, Analysis, Game]],
    alpha: Fraction | float,
    read_under: Mapping[str, str],
) -> list[list[WagerAgreement]]:
    """Returns what :func:`compare_all` makes of campaigns by what evidence says that they counted.

    Args:
        played: Campaigns as the evidence states them, with the exact figures under their strategies, and the games. Of
            a campaign no more is taken than its rounds, and of its wagers what was counted.
        alpha: Family-wise error.
        read_under: For each wager, the strategy under which its return is read.

    Raises:
        InputError: The evidence counts no rounds of a wager, or other rounds than were played.
    """
    return _judged(played, CountedWager.stated, alpha, read_under)


Played = TypeVar("Played", Campaign, StatedCampaign)


def _judged(
    played: Sequence[tuple[Played, Analysis, Game]],
    counted: "Callable[[Played, WagerFigures, Game], CountedWager]",
    alpha: Fraction | float,
    read_under: Mapping[str, str] | None,
) -> list[list[WagerAgreement]]:
    if not 0 < alpha < 1:
        raise InputError(f"alpha of {alpha}: expected a probability between 0 and 1")
    if not played or any(not analysis.wagers for _, analysis, _ in played):
        raise NothingCheckedError("no campaign, or an analysis without wagers, was offered for comparison")
    level = float(alpha)
    drafts = [
        [
            _drafted(
                campaign.rounds,
                counted(campaign, figures, game),
                figures,
                # Of a second settlement, where the return of the wager is read.
                asked=has_own_volume(game)
                and (read_under is None or read_under.get(figures.wager) == campaign.strategy),
            )
            for figures in analysis.wagers
        ]
        for campaign, analysis, game in played
    ]
    p_values = [p for group in drafts for draft in group for p in _p_values(draft)]
    adjusted = iter(holm(p_values))
    return [
        [_concluded(draft, [next(adjusted) for _ in _p_values(draft)], level) for draft in group]
        for group in drafts
    ]


def exact_return(game: Game, wager: str, joint: JointCounts) -> Fraction:
    """Returns the mean return per unit staked of the rounds counted, exactly.

    It is that of the outcomes at the pays of the game, or of the sums of rounds where outcomes are classes of them.
    """
    totals = joint.totals_of(wager)
    if totals is not None:
        return 1 + totals.net / joint.rounds
    return _mean(game, wager, joint.wager(wager))


def _mean(game: Game, wager: str, counts: Mapping[str, int]) -> Fraction:
    total = sum((count * net_pay(game, wager, outcome) for outcome, count in counts.items()), Fraction(0))
    return 1 + total / sum(counts.values())


def net_pay(game: Game, wager: str, outcome: str) -> Fraction:
    """Returns the net result of an outcome per unit of the initial stake, by the play-through's own account."""
    return volume_of(game).net(game, wager, outcome)


def _require_together(campaign: Campaign, analysis: Analysis, game: Game) -> None:
    if campaign.strategy != analysis.strategy.name:
        raise InputError(
            f"the campaign was played by {campaign.strategy!r}, analysed was {analysis.strategy.name!r}: "
            "expected the same strategy"
        )
    if not campaign.game == analysis.game == game.id:
        raise InputError(f"a campaign of {campaign.game}, an analysis of {analysis.game}: expected {game.id}")


@dataclass(frozen=True, slots=True)
class CountedWager:
    """What a campaign counted of one wager: all that is judged.

    Args:
        cells: Counts next to what is expected.
        mean: Mean return per unit staked.
        summed: What rounds came to, where outcomes are classes of them.
        faults: Outcomes that came to what they cannot.
    """

    cells: tuple[Cell, ...]
    mean: Fraction
    summed: Summed | None
    faults: tuple[str, ...]

    @classmethod
    def of(cls, campaign: Campaign, figures: WagerFigures, game: Game) -> "CountedWager":
        """Returns what a campaign counted."""
        cells = _cells(campaign.rounds, campaign.counts(figures.wager), figures)
        mean = exact_return(game, figures.wager, campaign.joint)
        totals = campaign.joint.totals_of(figures.wager)
        if totals is None:
            return cls(cells, mean, None, tuple(_wrong_pays(game, figures)))
        rounds = campaign.rounds
        won = {
            (one.part, one.row): (one.times, float(Fraction(one.amount, totals.unit * rounds)))
            for one in totals.awards
        }
        variance = float(totals.squares / rounds - (totals.net / rounds) ** 2)
        summed = _summed(variance, totals.highest, won, rounds, figures)
        return cls(cells, mean, summed, tuple(_wrong_totals(campaign, totals, figures)))

    @classmethod
    def stated(cls, campaign: StatedCampaign, figures: WagerFigures, game: Game) -> "CountedWager":
        """Returns what evidence says was counted.

        Raises:
            InputError: It says nothing of the wager, or counts other rounds than were played.
        """
        told = next((one for one in campaign.wagers if one.wager == figures.wager), None)
        if told is None:
            raise InputError(f"{figures.wager}, {campaign.strategy}: nothing was counted")
        counts = {cell.outcome: int(cell.count) for cell in told.outcomes}
        if sum(counts.values()) != campaign.rounds or campaign.rounds < 1:
            raise InputError(
                f"{figures.wager}, {campaign.strategy}: the outcomes counted are {sum(counts.values())}, "
                f"the rounds {campaign.rounds}"
            )
        cells = _cells(campaign.rounds, counts, figures)
        if told.summed is None:
            return cls(cells, _mean(game, figures.wager, counts), None, tuple(_wrong_pays(game, figures)))
        won = {
            (one.part, one.row): (int(one.times), one.contribution)
            for one in told.summed.awards
            if one.times != "0"
        }
        summed = _summed(told.summed.variance, told.summed.highest, won, campaign.rounds, figures)
        # What single classes of rounds came to is no part of the evidence, but where it cannot be.
        wrong = tuple(reason for reason in told.reasons if _CAME_TO.fullmatch(reason))
        return cls(cells, Fraction(told.mean.return_), summed, wrong)


_CAME_TO: Final = re.compile(
    r"[a-z0-9-]{1,100} came to -?[0-9]+(/[0-9]+)? net(, analysed with [0-9/-]+ at most"
    r"| on average, analysed with [0-9/-]+ at least)"
)
"""How a campaign says that rounds of one class came to what they cannot."""


def _drafted(rounds: int, counted: CountedWager, figures: WagerFigures, *, asked: bool) -> WagerAgreement:
    """Returns the tests of one wager before Holm's procedure has seen all: undecided, with what is wrong already."""
    cells, summed = counted.cells, counted.summed
    possible = [cell for cell in cells if cell.probability]
    off = max((outcome.off for outcome in figures.outcomes), default=Fraction(0))
    mean = mean_test(counted.mean, figures, rounds)
    return WagerAgreement(
        wager=figures.wager,
        outcomes=cells,
        mean=mean,
        equivalence=equivalence_test(mean, figures, asked=asked),
        adjusted_p={},
        verdict=Verdict.INCONCLUSIVE,
        reasons=(
            *(
                f"{cell.outcome} occurred {cell.count} times, its exact probability is 0"
                for cell in cells
                if cell.count != "0" and not cell.probability
            ),
            *counted.faults,
            *_impossible_awards(summed, figures),
        ),
        chi_square=chi_square(
            [int(cell.count) for cell in possible],
            [cell.expected for cell in possible],
            float(rounds * off),
        ),
        summed=summed,
    )


def _p_values(draft: WagerAgreement) -> list[float]:
    """Returns the raw p-values that Holm's procedure adjusts: chi-square where there is one, then z."""
    return [*([draft.chi_square.p_value] if draft.chi_square else []), draft.mean.p_value]


def _concluded(draft: WagerAgreement, adjusted: Sequence[float], alpha: float) -> WagerAgreement:
    """Returns the agreement with its verdict."""
    names = [*([CHI_SQUARE] if draft.chi_square else []), MEAN]
    named = dict(zip(names, adjusted, strict=True))
    rejected = [
        f"{name} is rejected: adjusted p = {p:.3g}, expected above {alpha:g}{_farthest(draft, name)}"
        for name, p in named.items()
        if not p > alpha
    ]
    refuted = (*draft.reasons, *rejected)
    undecided = () if refuted else _undecided(draft)
    verdict = Verdict.SATISFIED
    if refuted or undecided:
        verdict = Verdict.NOT_SATISFIED if refuted else Verdict.INCONCLUSIVE
    return replace(draft, adjusted_p=named, verdict=verdict, reasons=refuted or undecided)


def _farthest(draft: WagerAgreement, name: str) -> str:
    if name != CHI_SQUARE:
        return ""
    tested = (cell for cell in draft.outcomes if cell.probability)
    cell = max(tested, key=lambda cell: abs(cell.distance))
    return f"; farthest off: {cell.outcome}, {cell.count} times, expected {cell.expected:.1f}"


def _undecided(draft: WagerAgreement) -> tuple[str, ...]:
    reasons = []
    if draft.chi_square is None and sum(1 for cell in draft.outcomes if cell.probability) > 1:
        reasons.append(f"fewer than two outcomes are expected {SMALLEST_EXPECTED} times: play more rounds")
    found = draft.equivalence
    if found.asked and not found.equivalent:
        low, high = found.interval_98
        reasons.append(
            f"the difference of the mean, {100 * low:+.3f} to {100 * high:+.3f} points, is not proven to be within "
            f"{float(100 * found.margin):.2f} points: {found.rounds_needed:,} rounds would show it"
        )
    return tuple(reasons)


def _cells(rounds: int, counts: dict[str, int], figures: WagerFigures) -> tuple[Cell, ...]:
    exact = summed((outcome.id, outcome.probability) for outcome in figures.outcomes)
    unknown = [outcome for outcome, count in counts.items() if count and outcome not in exact]
    return tuple(
        _cell(outcome, counts.get(outcome, 0), exact.get(outcome, Fraction(0)), rounds)
        for outcome in (*exact, *unknown)
    )


def _cell(outcome: str, count: int, probability: Fraction, rounds: int) -> Cell:
    expected, spread = float(rounds * probability), float(rounds * probability * (1 - probability))
    difference = count - rounds * probability
    residual = float(difference) / math.sqrt(spread) if spread else None if difference else 0.0
    return Cell(outcome, str(count), count / rounds, probability, expected, residual)


def _summed(
    variance: float,
    highest: Fraction,
    won: Mapping[tuple[str, str], tuple[int, float]],
    rounds: int,
    figures: WagerFigures,
) -> Summed:
    """Returns what rounds came to, where outcomes are classes of them, next to what is exact."""
    exact = {(one.part, one.row): one for one in figures.awards}
    return Summed(
        variance=variance,
        exact_variance=figures.variance,
        highest=highest,
        awards=tuple(
            AwardSeen(
                row=row,
                part=part,
                times=str(won[part, row][0] if (part, row) in won else 0),
                expected=float(rounds * exact[part, row].times) if (part, row) in exact else 0.0,
                contribution=won[part, row][1] if (part, row) in won else 0.0,
                exact_contribution=exact[part, row].contribution if (part, row) in exact else Fraction(0),
            )
            for part, row in {**exact, **won}
        ),
    )


def _impossible_awards(summed: Summed | None, figures: WagerFigures) -> tuple[str, ...]:
    """Returns the rows that won though the exact figures know no such award: each names a fault of either leg."""
    exact = {(one.part, one.row) for one in figures.awards}
    won = () if summed is None or not exact else summed.awards
    return tuple(
        f"{one.row} of {one.part} won {one.times} times, exactly it never does"
        for one in won
        if one.contribution and (one.part, one.row) not in exact
    )


def _wrong_pays(game: Game, figures: WagerFigures) -> Iterator[str]:
    for outcome in figures.outcomes:
        priced = net_pay(game, figures.wager, outcome.id)
        if priced != outcome.pays:
            yield f"{outcome.id} pays {priced}, analysed with {outcome.pays}"


def _wrong_totals(campaign: Campaign, totals: Totals, figures: WagerFigures) -> Iterator[str]:
    """Yields the outcomes of which a round came to more than it can, or to another result than the one it has."""
    exact, (_, names) = {one.id: one for one in figures.outcomes}, campaign.joint.axes[0]
    counts = dict(campaign.joint.cells)
    for one in totals.cells if len(campaign.joint.axes) == 1 else ():
        outcome = exact.get(names[one.cell])
        if outcome is None:
            continue
        mean, highest = (
            Fraction(one.total, totals.unit * counts[one.cell]),
            Fraction(one.highest, totals.unit),
        )
        if outcome.highest is not None and highest > outcome.highest:
            yield f"{outcome.id} came to {highest} net, analysed with {outcome.highest} at most"
        elif mean < outcome.lowest:
            yield f"{outcome.id} came to {mean} net on average, analysed with {outcome.lowest} at least"
