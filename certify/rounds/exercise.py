"""Exercising the terms of a game on a system that plays it, at every point its rounds can reach."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from certify.errors import NothingCheckedError
from certify.evidence import SITUATIONS, Exercise, Situation
from certify.families.trials import TrialTally
from certify.model import Game, Terms, Verdict
from certify.rounds.events import Bets
from certify.rounds.play import Edition, edition_of, funds_for
from certify.rounds.policy import KNOWN_RESULT_CLAUSES, Policy
from certify.rounds.probe import Deck, Probe, TriedSituation, tallies_of
from certify.rounds.situations import situations_of
from certify.rounds.state import Phase
from certify.rounds.system import reference_system
from certify.rounds.table import SystemFactory


def exercise(
    game: Game,
    decks: Sequence[Deck],
    clock_start: datetime,
    *,
    policy: Policy | None = None,
    system: SystemFactory = reference_system,
    stakes: Bets = (),
    progress: Callable[[int, int], None] | None = None,
) -> Exercise:
    """Exercises a system at every point that rounds on some decks can reach, of very many at those that differ.

    Args:
        game: The submission, whose terms say what is expected.
        decks: Decks of 40 card ids in dealing order; more decks reach more points. Where a family names decks
            that reach rare ends of a round, those are exercised too.
        clock_start: Time at which every round is dealt, aware.
        policy: Terms as parameters; those of the submission, the rest by default, where left out.
        system: Makes the systems under test; the state machine of this package where left out.
        stakes: Stakes in minor units; different ones on every wager within its limits where left out.
        progress: Receives the number of decks done and their total.

    Returns:
        A verdict for each situation, each value really observed from the system.

    Raises:
        NothingCheckedError: No deck was given.
    """
    if not decks:
        raise NothingCheckedError("no deck to exercise rounds on: expected at least one")
    edition = edition_of(game, policy)
    bets = stakes or default_stakes(game)
    situations = situations_of(edition.play)
    tallies = {situation.id: TrialTally() for situation in situations}
    dealt, points = list[str](), 0
    decks = (*decks, *edition.play.witnesses(decks))
    for index, deck in enumerate(decks):
        following = decks[(index + 1) % len(decks)]
        # Whatever is tried in a row: ten plain rounds, or three that add all they may.
        opening = max(10 * sum(amount for _, amount in bets), 3 * funds_for(edition.play, bets))
        probe = Probe(system, edition, tuple(deck), tuple(following), clock_start, bets, opening, dealt)
        points += tallies_of(situations, probe, game.terms, tallies)
        if progress is not None:
            progress(index + 1, len(decks))
    return Exercise(
        situations=tuple(_concluded(each, edition, tallies[each.id]) for each in situations),
        decks=len(decks),
        points=points,
        rounds=len(dealt),
        stakes=dict(bets),
        policy=dict(policy_values(edition.policy)),
    )


def default_stakes(game: Game) -> Bets:
    """Returns stakes within the limits, different on every wager where these allow it.

    Different stakes show which wager was paid or forgotten.
    """
    return tuple(
        (wager.id, wager.limits.allowed(wager.limits.minimum * (2 * index + 3)))
        for index, wager in enumerate(game.wagers)
    )


def policy_values(policy: Policy) -> tuple[tuple[str, str], ...]:
    """Returns the terms as names and values for the report."""
    return (
        ("malfunction_voids_all", "yes" if policy.malfunction_voids_all else "no"),
        ("void_after_days", str(policy.void_after_days)),
        ("day_count", f"{policy.day_count} ({policy.zone})"),
        ("void_stakes", str(policy.void_stakes)),
        ("after_settlement", str(policy.after_settlement)),
        ("rounding", str(policy.rounding)),
        ("known_results", f"{policy.known_results} ({KNOWN_RESULT_CLAUSES[policy.known_results]})"),
    )


def _concluded(situation: TriedSituation, edition: Edition, tally: TrialTally) -> Situation:
    adopted = under_adopted_terms(situation.id, edition.game.terms)
    found = situation.concluded(tally, edition.policy, adopted=adopted)
    why = _does_not_apply(situation, edition, tally)
    return replace(found, observed=why, verdict=Verdict.NOT_APPLICABLE) if why else found


def _does_not_apply(situation: TriedSituation, edition: Edition, tally: TrialTally) -> str:
    if not situation.promised(edition.game.terms):
        return "not promised by the terms of the submission"
    if not tally.trials and Phase.DECISION in situation.phases and not edition.play.options:
        return "no round of this game waits for a decision"
    return ""


def under_adopted_terms(situation_id: str, terms: Terms) -> bool:
    """Returns whether a situation is judged by a term that the source does not print."""
    printed = terms.printed
    return any(
        situation_id.startswith(beginnings) and not printed.get(term)
        for _, term, beginnings in SITUATIONS
        if term
    )
