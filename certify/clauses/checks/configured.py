"""Every wagering configuration by itself: what is printed of it, and the limits that it keeps to or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.edge import claim_status
from certify.clauses.jurisdiction import UNREAD, Jurisdiction, kept_to
from certify.clauses.registry import Answer, verdict_of
from certify.clauses.status import applicabilities
from certify.currency import units
from certify.exact import interval_text, percent_text
from certify.families.certified import Configuration, ConfigurationKind
from certify.mathematics import analyze
from certify.mathematics.figures_evidence import figure_words
from certify.mathematics.of_game import certified_beside, configurations, further, offered
from certify.model.bounded import ends_of
from certify.model.claims import claimed_figure
from certify.model.figures import Analysis
from certify.model.finding import Verdict
from certify.model.game import LEAST_RETURN, Game, Limits, Wager


def by_themselves(game: Game) -> tuple[Wager, ...]:
    """Returns the wagers that are configurations as they are submitted: all but those that meters are part of."""
    metered = {one.wager for one in offered(game) if one.kind is ConfigurationKind.SEED}
    return tuple(wager for wager in game.wagers if wager.id not in metered)


def claims_of_variants(game: Game, strategy: str) -> Iterator[Answer]:
    """Yields whether each printed return of a variant is its exact return."""
    for one in certified_beside(game):
        figures = analyze(one.game, strategy)
        for claim in one.game.claims:
            exact = claimed_figure(claim, figures.wager(claim.wager), one.game.wager(claim.wager).limits)
            yield Answer(
                claim_status(claim, one.game.wager(claim.wager), exact),
                f"{claim.text}, that is {interval_text(*claim.printed.interval)}",
                f"{figure_words(claim, exact)} under {strategy}",
                subject=one.id,
            )


def above_floor(game: Game, least: Fraction, reference: str, *, read: bool = True) -> Iterator[Answer]:
    """Yields whether each further configuration returns at least what a floor asks."""
    for one in further(game):
        verdict = verdict_of(one.returned >= least)
        undecided = verdict is Verdict.NOT_SATISFIED and not read
        yield Answer(
            Verdict.INCONCLUSIVE if undecided else verdict,
            f"at least {percent_text(least, 0)} %{f' ({reference})' if reference else ''}",
            f"{percent_text(one.returned)} % ({one.kind})",
            subject=one.id,
            reason=UNREAD if undecided else "",
        )


def above_floor_rounded(game: Game, policy: str) -> Iterator[Answer]:
    """Yields whether each further configuration keeps to the floor at every stake, payouts rounded.

    Rounding takes less than a coin of what a round wins, and less than another of what a meter pays in it.
    """
    for one in further(game):
        limits = game.wager(one.wager).limits
        if one.kind is ConfigurationKind.GAMBLE or one.returned < LEAST_RETURN:
            continue  # A gamble stakes whole coins; what returns less before any rounding is told of the return.
        hits = Fraction(1) if one.hits is None else ends_of(one.hits)[1]
        least = one.returned - 2 * hits / (limits.minimum * one.price)
        yield Answer(
            Verdict.SATISFIED if least >= LEAST_RETURN else Verdict.INCONCLUSIVE,
            at_least(limits, policy),
            f"{percent_text(least)} % at least: {percent_text(one.returned)} % less two whole coins of "
            f"{units(1, limits.currency)} {limits.currency} in each round that returns anything, at the least stake "
            f"({one.kind})",
            subject=one.id,
            reason="" if least >= LEAST_RETURN else "what rounding takes is bounded, not counted",
        )


def at_least(limits: Limits, rule: str) -> str:
    """Returns what is expected at every stake."""
    least, most = units(limits.minimum, limits.currency), units(limits.maximum, limits.currency)
    stakes = f"from {least} to {most} {limits.currency}"
    return f"at least 75 % at every stake {stakes}, payouts rounded {rule}"


def below_stake(game: Game) -> Iterator[Answer]:
    """Yields whether each further configuration returns no more than is staked.

    A meter as it is stated may return more: what it holds above its seed was staked before.
    """
    for one in further(game):
        if one.kind is not ConfigurationKind.METER:
            yield Answer(
                verdict_of(one.most_returned <= 1),
                "at most 100 %",
                f"{percent_text(one.most_returned)} % ({one.kind})",
                subject=one.id,
            )


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether jurisdictions take a wagering configuration by its least return.

    Args:
        configuration: The configuration.
        taken: Verdict by title of the jurisdiction: inconclusive where its limit was not read in its primary text.
    """

    configuration: Configuration
    taken: dict[str, Verdict]


def taken_where(
    game: Game, analyses: Mapping[str, Analysis], regimes: Iterable[Jurisdiction]
) -> tuple[Acceptance, ...]:
    """Returns which jurisdictions take each wagering configuration, by the least return that each sets."""
    applies, rows = applicabilities(game), []
    limits = [
        (place.title, place.least_return)
        for place in regimes
        if place.least_return is not None and place.least_return.applies in applies
    ]
    for one in configurations(game, analyses):
        taken = {f"GLI-19, {percent_text(LEAST_RETURN, 0)} %": verdict_of(one.returned >= LEAST_RETURN)}
        for title, limit in limits:
            taken[f"{title}, {percent_text(limit.value, 0)} %"] = kept_to(limit, one.returned >= limit.value)
        rows.append(Acceptance(one, taken))
    return tuple(rows)
