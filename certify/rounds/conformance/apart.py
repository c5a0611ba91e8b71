"""Wagering configurations that stories stake by themselves: what is bought, bet levels, variants, meters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from certify.families import ConfigurationKind
from certify.mathematics import offered
from certify.rounds.conformance.client import NoContactError, NotOfferedError, TargetError
from certify.rounds.conformance.compared_fields import limits_tried
from certify.rounds.conformance.fixed import rows_paid
from certify.rounds.conformance.judge import UnansweredError, answered
from certify.rounds.conformance.setting import Extra, Rows, Setting, offering, rows_of
from certify.rounds.conformance.story import Story, places, steps_of
from certify.rounds.exercise import default_stakes
from certify.rounds.play import staked_apart
from certify.rounds.table import System

DEALT: Final = 40
"""Rows of draws that rounds of a configuration are first dealt from; its rows are sought beyond them."""


@dataclass(frozen=True, slots=True)
class StakedApart:
    """A configuration as stories stake it.

    Args:
        named: Its kind and id.
        setting: Its rules, its decks, and the balance that its rounds need.
        rows: Rounds that reach the rows of its paytables, and rows that none reaches; of what is bought none is sought.
        stories: Its stories. Each deals once: what a meter holds is stated of the next round alone.
    """

    named: str
    setting: Setting
    rows: Rows
    stories: tuple[Story, ...]


def configured(system: System, configuration: str) -> System:
    """Returns a system whose rounds are staked as a configuration."""
    if configuration:
        offering(system).configure(configuration)
    return system


def apart_of(setting: Setting, fresh: Callable[[], System]) -> tuple[dict[str, StakedApart], tuple[str, ...]]:
    """Returns the configurations that a system stakes by themselves, and those that no story tries, with the reason.

    Args:
        setting: The setting of the round as submitted.
        fresh: Makes the system under test with a fresh player.
    """
    found: dict[str, StakedApart] = {}
    missing: list[str] = []
    for one in offered(setting.edition.game):
        named, edition = f"{one.kind} {one.id}", staked_apart(setting.edition, one.id)
        variant, _, decision = one.id.rpartition("/")
        staked_again = one.kind is ConfigurationKind.GAMBLE
        offered_too = variant in found and (one.wager, decision) in found[variant].rows.reached
        if one.kind is ConfigurationKind.WAGER or (staked_again and (not variant or offered_too)):
            # The round as submitted, and a win staked again where that round, or a variant, offers it as a decision:
            # their stories take it.
            continue
        if edition is None:
            missing.append(f"{named}: no story tries it")
        elif Extra.CONFIGURE not in setting.offers or not _stakes(fresh, one.id):
            missing.append(f"{named}: the system offers none")
        else:
            bought = one.kind is ConfigurationKind.PURCHASE
            rows = rows_of(edition.play, tried=DEALT, sought=not bought)
            opening = 10 * sum(amount for _, amount in default_stakes(edition.game))
            own = replace(
                setting,
                edition=edition,
                decks=tuple(dict.fromkeys(line.deck for line in rows.lines)),
                opening=opening,
            )
            # Which rows a feature that is bought can win, nothing says.
            told = replace(rows, missed=()) if bought else rows
            found[one.id] = StakedApart(named, own, told, _stories(own, rows, one.id))
    return found, tuple(missing)


def _stakes(fresh: Callable[[], System], configuration: str) -> bool:
    """Returns whether a system stakes a configuration; one that it refuses is not tried, and nobody is accused.

    One that it answers with an error, or too late, it does not refuse: the stories meet that again and report it.
    """
    try:
        answered(lambda: configured(fresh(), configuration))
    except UnansweredError as error:
        cause = error.__cause__
        return isinstance(cause, TargetError) and not isinstance(cause, NotOfferedError | NoContactError)
    return True


def _stories(setting: Setting, rows: Rows, configuration: str) -> tuple[Story, ...]:
    """Returns each row paid at odd stakes, a round that is void, and stakes on both sides of the limits."""
    voided = steps_of("bets deal malfunction look history", {"bets": places(setting.edition)})
    told = (
        *rows_paid(setting, rows),
        Story(voided).asking_nothing_of(setting.unsupported),
        *limits_tried(setting),
    )
    return tuple(replace(story, configuration=configuration) for story in told)
