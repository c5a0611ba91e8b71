"""The status of a clause, and which clauses apply to a game."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from certify.analysis.pay_search import printed_wagers
from certify.by_key import gathered
from certify.evidence import ClauseStatus
from certify.families import ConfigurationKind
from certify.mathematics import has_decisions, offered
from certify.model import (
    Applicability,
    Catalogue,
    Certainty,
    Clause,
    Game,
    Kind,
    Matter,
    Method,
    Observation,
    Status,
    UnderTest,
    Verdict,
    answer_of,
    keywords,
    worst,
)
from certify.rounds.play import edition_of

LOWERED: Final = (Status.CONDITION, Status.FITTED, Status.EXAMINE)
"""To what a clause falls whose answer rests on what was adopted, was recovered, or is disputed; worst first."""

PHYSICAL: Final = (Kind.WHEEL, Kind.DICE, Kind.BALLS)
"""Equipment of wheels, dice or balls."""

_HOLDS: Final = frozenset({Status.SATISFIED, Status.SECONDARY})
_OPEN_TO_CONDITIONS: Final = _HOLDS | {Status.REFERENCE, Status.FITTED, Status.EXAMINE}


def clause_statuses(
    catalogues: Sequence[Catalogue],
    observations: Sequence[Observation],
    applies: Collection[Applicability] = tuple(Applicability),
    resting: Mapping[Matter, Status] = MappingProxyType({}),
) -> tuple[ClauseStatus, ...]:
    """Returns the status of every clause.

    Only a clause whose number and text were read verbatim may be printed as satisfied, and only where each of its
    checks looked at the submission or at something that the operator submitted.

    Args:
        catalogues: The catalogues, in the order of the report.
        observations: What the checks saw.
        applies: Kinds of games that the game belongs to; all of them where left out.
        resting: To what clauses fall that rest on some matters.
    """
    by_check = gathered((observation.check, observation) for observation in observations)
    return tuple(
        _concluded(catalogue, clause, _lowered(_status(clause, by_check), clause, resting), by_check)
        if clause.applies in applies
        else _concluded(catalogue, clause, Status.NOT_APPLICABLE, {})
        for catalogue in catalogues
        for clause in catalogue.clauses
        if clause.certainty is not Certainty.UNVERIFIED
    )


def _concluded(
    catalogue: Catalogue, clause: Clause, status: Status, by_check: Mapping[str, list[Observation]]
) -> ClauseStatus:
    return ClauseStatus(
        standard=catalogue.title,
        edition=catalogue.edition,
        status=status,
        shown_on=_shown_on(clause, by_check),
        **keywords(clause),
    )


def clauses_about(
    catalogues: Sequence[Catalogue],
    applies: Collection[Applicability],
    *,
    check: str = "",
    matters: Collection[Matter] = (),
) -> Iterator[Clause]:
    """Yields the clauses that a check answers, or that rest on one of some matters, as the catalogues say.

    Args:
        catalogues: The catalogues that were chosen.
        applies: Kinds of games that the game belongs to.
        check: Id of the check.
        matters: The matters.
    """
    for catalogue in catalogues:
        for clause in catalogue.clauses:
            if clause.applies in applies and (
                check in clause.checks or not set(matters).isdisjoint(clause.rests_on)
            ):
                yield clause


def _shown_on(clause: Clause, by_check: Mapping[str, list[Observation]]) -> tuple[UnderTest, ...]:
    """Returns the items that the checks of a clause looked at, in the order of the list of items."""
    if clause.method is not Method.TEST:
        return ()
    seen = {
        one.item
        for check in clause.checks
        for one in by_check.get(check, [])
        if one.verdict is not Verdict.NOT_APPLICABLE
    }
    return tuple(item for item in UnderTest if item in seen)


def _status(clause: Clause, by_check: Mapping[str, list[Observation]]) -> Status:
    """Returns the status of one clause from the observations of its checks."""
    if clause.method is not Method.TEST:
        return Status(clause.method)
    verdict = worst(
        answer_of((one.item, one.verdict) for one in by_check.get(check, [])) for check in clause.checks
    )
    status = Status(verdict)
    if status is Status.SATISFIED and clause.certainty is not Certainty.VERBATIM:
        return Status.SECONDARY
    return status


def _lowered(status: Status, clause: Clause, resting: Mapping[Matter, Status]) -> Status:
    """Returns what is left of a status where the clause rests on what was adopted, recovered or is disputed."""
    found = {resting[matter] for matter in clause.rests_on if matter in resting}
    for lower in LOWERED:
        if lower in found:
            # What nobody disputes but a reader of the rules is for that reader to examine already.
            falls = _HOLDS if lower is Status.EXAMINE else _OPEN_TO_CONDITIONS
            return lower if status in falls else status
    return status


def applicabilities(game: Game) -> frozenset[Applicability]:
    """Returns the kinds of games that a submission belongs to."""
    decides, house = has_decisions(game), game.banked_by == "house"
    printed = bool(printed_wagers(game))
    slot = game.port.form.machine or any(piece.kind is Kind.REEL for piece in game.equipment)
    ways = {one.kind for one in offered(game)}
    facts = {
        Applicability.EVERY_GAME: True,
        Applicability.CARDS: any(piece.kind is Kind.SHOE for piece in game.equipment),
        Applicability.DECISIONS: decides,
        Applicability.SEVERAL_WAGERS: len(game.wagers) > 1,
        Applicability.HOUSE_BANKED: house,
        Applicability.HOUSE_BANKED_DECISIONS: house and decides,
        Applicability.PLAYER_BANKED: not house,
        Applicability.PRINTED_RETURN: printed,
        Applicability.PRINTED_RETURN_DECISIONS: printed and decides,
        Applicability.PRINTED_TABLES: bool(game.printed_counts or game.printed_rows),
        Applicability.SLOT_MACHINES: slot,
        Applicability.OTHER_THAN_SLOTS: not slot,
        Applicability.WHEELS_DICE_BALLS: not slot and any(piece.kind in PHYSICAL for piece in game.equipment),
        Applicability.JACKPOTS: ConfigurationKind.SEED in ways or bool(game.port.form.metered(game)),
        Applicability.GAMBLES: ConfigurationKind.GAMBLE in ways,
        # Features and gambles of a slot wait for the player too, though no return depends on what is decided.
        Applicability.WAITING: decides or bool(edition_of(game).play.options),
    }
    return frozenset(kind for kind, holds in facts.items() if holds)
