"""Play-through in one or two stages: what a borderline result leads to is fixed before the first round."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, TypeVar

from certify.clauses.registry import PlayThrough
from certify.errors import InputError
from certify.evidence.simulation import Simulation, StatedCampaign, WagerAgreement
from certify.messages import say
from certify.model.figures import Analysis
from certify.model.finding import Verdict
from certify.model.form import Message
from certify.model.game import Game
from certify.model.strategy import file_stem
from certify.simulation import Campaign, StreamDecks, compare_all, run_campaign
from certify.simulation.campaign import chunks_of
from certify.simulation.evidence import campaign_again, figures_again
from certify.simulation.inference import compare_again

if TYPE_CHECKING:
    from certify.certification.request import Reporter, RunRequest

Played = TypeVar("Played", Campaign, StatedCampaign)

ALPHA: Final = Fraction(1, 100)
"""Family-wise error of the comparisons: 99 % collectively (GLI-19 v3.0 3.2.2)."""

HARD: Final = 1e-6
"""An adjusted p-value below this refutes at once; between it and ALPHA a fresh campaign decides."""

ENLARGEMENT: Final = 4
"""How many times the rounds of the first campaign the fresh one plays."""

FRESH_DECKS: Final = "fresh-campaign-decks"


def borderline_rule() -> Message:
    """Returns the rule for a borderline result."""
    return say(
        "simulation.borderline-rule", hard=f"{HARD:g}", alpha=f"{float(ALPHA):g}", enlargement=ENLARGEMENT
    )


def play(
    request: RunRequest,
    analyses: Mapping[str, Analysis],
    decks_of: Mapping[str, str],
    rounds_of: Mapping[str, int],
    read_under: Mapping[str, str],
    reporter: Reporter,
) -> tuple[PlayThrough, ...]:
    """Plays a campaign under each strategy and compares all of them under one family-wise error.

    Args:
        request: What is asked.
        analyses: Exact figures by name of the strategy.
        decks_of: Purpose of the decks of each campaign, by name of its strategy.
        rounds_of: Rounds of each campaign, by name of its strategy.
        read_under: For each wager, the strategy under which its return is read.
        reporter: Told how far the work is.
    """
    return _in_stages(
        lambda analysis, purpose, rounds: _campaign(request, analysis, purpose, rounds, reporter),
        lambda pairs: compare_all(pairs, request.game, ALPHA, read_under),
        analyses,
        decks_of,
        rounds_of,
    )


def play_again(
    request: RunRequest,
    analyses: Mapping[str, Analysis],
    decks_of: Mapping[str, str],
    rounds_of: Mapping[str, int],
    read_under: Mapping[str, str],
    stated: Simulation,
) -> tuple[PlayThrough, ...]:
    """Returns what follows where campaigns counted what evidence says that they counted.

    Args:
        request: What was asked.
        analyses: Exact figures by name of the strategy.
        decks_of: Purpose of the decks of each campaign, by name of its strategy.
        rounds_of: Rounds of each campaign, by name of its strategy.
        read_under: For each wager, the strategy under which its return is read.
        stated: What the evidence says was counted.

    Raises:
        InputError: It does not count what was planned.
    """
    game, first = request.game, {one.strategy: one for one in stated.borderline_first}
    decided = {one.strategy: one for one in stated.campaigns}

    def counted(analysis: Analysis, purpose: str, rounds: int) -> StatedCampaign:
        name = analysis.strategy.name
        found = decided.get(name) if purpose == FRESH_DECKS else first.get(name, decided.get(name))
        if found is None:
            raise InputError(f"/simulation/campaigns: none was played under {name}, which the plan names")
        source = StreamDecks.of(game, request.seed, purpose)
        return campaign_again(found, chunks_of(game, analysis.strategy, rounds, deal=source))

    plays = _in_stages(
        counted,
        lambda pairs: compare_again(pairs, game, ALPHA, read_under),
        analyses,
        decks_of,
        rounds_of,
    )
    return tuple(_with_figures(one, game, request.profile.twin_rounds) for one in plays)


def _with_figures(play: PlayThrough, game: Game, twin_rounds: int = 0) -> PlayThrough:
    """Returns a campaign as evidence states it, with everything that follows from what it counted."""
    first = None if play.first is None else _with_figures(play.first, game)
    if not isinstance(play.campaign, StatedCampaign):
        raise TypeError("a campaign as evidence states it was expected")
    made = figures_again(play.campaign, play.agreements, game, play.analysis)
    return replace(play, campaign=replace(made, kernel_twin_rounds=twin_rounds), first=first)


def _in_stages(
    campaign: Callable[[Analysis, str, int], Played],
    compared: Callable[[Sequence[tuple[Played, Analysis]]], list[list[WagerAgreement]]],
    analyses: Mapping[str, Analysis],
    decks_of: Mapping[str, str],
    rounds_of: Mapping[str, int],
) -> tuple[PlayThrough, ...]:
    """Returns the campaigns that decide: the first, and where that is borderline a fresh one."""

    def judged(pairs: Sequence[tuple[Played, Analysis]]) -> list[PlayThrough]:
        return [
            PlayThrough(played, analysis, tuple(agreements))
            for (played, analysis), agreements in zip(pairs, compared(pairs), strict=True)
        ]

    plays = judged(
        [
            (campaign(analyses[name], purpose, rounds_of[name]), analyses[name])
            for name, purpose in decks_of.items()
        ]
    )
    suspects = [place for place, one in enumerate(plays) if borderline(one.agreements, one.campaign.rounds)]
    if not suspects:
        return tuple(plays)
    fresh = [
        (
            campaign(plays[place].analysis, FRESH_DECKS, ENLARGEMENT * plays[place].campaign.rounds),
            plays[place].analysis,
        )
        for place in suspects
    ]
    for place, decided in zip(suspects, judged(fresh), strict=True):
        plays[place] = replace(decided, first=plays[place])
    return tuple(plays)


def borderline(agreements: Sequence[WagerAgreement], rounds: int) -> bool:
    """Tells whether all that speaks against a campaign of so many rounds may be chance, which a longer one would show.

    Against a refuted one nothing may speak but p-values between HARD and ALPHA. One that is undecided must be as long
    as its margins need: one of a hundred such wagers does not show an agreement that is there.
    """
    refuted = [one for one in agreements if one.verdict is Verdict.NOT_SATISFIED]
    if refuted:
        return all(_by_chance_perhaps(one) for one in refuted)
    undecided = [one for one in agreements if one.verdict is Verdict.INCONCLUSIVE]
    return bool(undecided) and all(_missed_perhaps(one, rounds) for one in undecided)


def _by_chance_perhaps(agreement: WagerAgreement) -> bool:
    """Tells whether all objections to a wager are rejected tests, none of them beyond chance."""
    rejected = [p for p in agreement.adjusted_p.values() if not p > ALPHA]
    return len(rejected) == len(agreement.reasons) and all(p > HARD for p in rejected)


def _missed_perhaps(agreement: WagerAgreement, rounds: int) -> bool:
    """Tells whether a wager is undecided by its margin alone, though as many rounds were played as that takes."""
    margin = agreement.equivalence
    missed = margin.asked and not margin.equivalent and margin.rounds_needed <= rounds
    return missed and len(agreement.reasons) == 1


def _campaign(
    request: RunRequest, analysis: Analysis, purpose: str, rounds: int, reporter: Reporter
) -> Campaign:
    """Plays one campaign."""
    name = analysis.strategy.name
    reporter.step(f"playing {rounds:,} rounds, {name}" + (", fresh decks" if purpose == FRESH_DECKS else ""))
    return run_campaign(
        request.game,
        analysis.strategy,
        rounds,
        deal=StreamDecks.of(request.game, request.seed, purpose),
        executor=request.running,
        progress=lambda done, total: reporter.at(done, total, "rounds"),
        resume=request.resume / f"{file_stem(name)}-{purpose}" if request.resume else None,
    )
