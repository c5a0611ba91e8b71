"""Games that are certified beside a submission: what is printed of them, and the floors that each is above or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from certify.analysis.edge import claim_status
from certify.clauses.jurisdiction import UNREAD, Jurisdiction, kept_to
from certify.clauses.registry import Answer
from certify.clauses.status import applicabilities
from certify.exact import interval_text, percent_text
from certify.families.certified import Certified, ConfigurationKind
from certify.mathematics import analyze
from certify.mathematics.figures_evidence import figure_words
from certify.mathematics.of_game import certified_beside, configurations
from certify.model.claims import claimed_figure
from certify.model.clause import Limit
from certify.model.finding import Verdict
from certify.model.game import LEAST_RETURN, Game


def claims_beside(game: Game, strategy: str) -> Iterator[Answer]:
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


def floors_beside(game: Game, least: Fraction, reference: str, *, read: bool = True) -> Iterator[Answer]:
    """Yields whether each further way of staking returns at least what a floor asks."""
    for one in configurations(game):
        verdict = Verdict.SATISFIED if one.returned >= least else Verdict.NOT_SATISFIED
        undecided = verdict is Verdict.NOT_SATISFIED and not read
        yield Answer(
            Verdict.INCONCLUSIVE if undecided else verdict,
            f"at least {percent_text(least, 0)} %{f' ({reference})' if reference else ''}",
            f"{percent_text(one.returned)} % ({one.kind})",
            subject=one.id,
            reason=UNREAD if undecided else "",
        )


def ceilings_beside(game: Game) -> Iterator[Answer]:
    """Yields whether each further way of staking returns no more than is staked.

    A meter as it is stated may return more: what it holds above its seed was staked before.
    """
    for one in configurations(game):
        if one.kind is not ConfigurationKind.METER:
            yield Answer(
                Verdict.SATISFIED if one.most <= 1 else Verdict.NOT_SATISFIED,
                "at most 100 %",
                f"{percent_text(one.most)} % ({one.kind})",
                subject=one.id,
            )


def _returned(one: Certified, wager: str, strategy: str) -> Fraction:
    return analyze(one.game, strategy).wager(wager).return_to_player


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Whether a jurisdiction takes a game by its least return.

    Args:
        variant: Title of the variant; empty for the submission itself.
        returned: Its exact return, the least of its wagers.
        taken: Verdict by title of the jurisdiction: inconclusive where its limit was not read in its primary text.
    """

    variant: str
    returned: Fraction
    taken: dict[str, Verdict]


def taken_where(game: Game, strategy: str, regimes: Iterable[Jurisdiction]) -> tuple[Acceptance, ...]:
    """Returns which jurisdictions take the submission and each variant, by the least return that each sets."""
    applies = applicabilities(game)
    rows = []
    for one in (Certified("", "", game, ""), *certified_beside(game)):
        returned = min(_returned(one, wager.id, strategy) for wager in one.game.wagers)
        taken = {}
        for place in regimes:
            limit = place.least_return
            if limit is not None and limit.applies in applies:
                taken[f"{place.title}, {_percent(limit)}"] = kept_to(limit, returned >= limit.value)
        taken = {f"GLI-19, {percent_text(LEAST_RETURN, 0)} %": _gli(returned), **taken}
        rows.append(Acceptance(one.title, returned, taken))
    return tuple(rows)


def _gli(returned: Fraction) -> Verdict:
    return Verdict.SATISFIED if returned >= LEAST_RETURN else Verdict.NOT_SATISFIED


def _percent(limit: Limit) -> str:
    return f"{percent_text(limit.value, 0)} %"
