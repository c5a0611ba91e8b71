"""What the report is judged by, in the evidence: jurisdictions, catalogues with their digests, clauses, duties."""

from __future__ import annotations

from collections.abc import Sequence

from certify.clauses.jurisdiction import Jurisdiction, Regime, regime_of
from certify.errors import InputError
from certify.evidence import conclusions as evidence
from certify.evidence.conclusions import ClauseStatus
from certify.evidence.document import Evidence
from certify.model.clause import Certainty, Status
from certify.model.game import Game
from certify.rounds.exercise import policy_values
from certify.rounds.policy import OBLIGATIONS


def regime_evidence(regime: Regime, game: Game) -> evidence.StatedRegime:
    """Returns by what a game is judged."""
    return evidence.StatedRegime(
        jurisdictions=tuple(_jurisdiction(one) for one in regime.jurisdictions),
        catalogues=tuple(
            evidence.StatedCatalogue(
                id=catalogue.id,
                standard=catalogue.title,
                name=catalogue.name,
                edition=catalogue.edition,
                sha256=catalogue.sha256,
            )
            for catalogue in regime.catalogues
        ),
        policy=dict(policy_values(regime.policy(game.terms))),
    )


def _jurisdiction(one: Jurisdiction) -> evidence.StatedJurisdiction:
    """Returns a jurisdiction and the limits that it sets itself."""
    limits = {
        "least_return": one.least_return,
        "rarest_award": one.rarest_award,
        "further_confidence": one.further_confidence,
    }
    return evidence.StatedJurisdiction(
        name=one.name,
        title=one.title,
        catalogues=one.catalogues,
        limits={name: limit for name, limit in limits.items() if limit is not None},
        note=one.note,
    )


def obligations_evidence(statuses: Sequence[ClauseStatus]) -> tuple[evidence.Obligation, ...]:
    """Returns the obligations passed to the operator: clauses that are his, and what no test of a round can promise.

    Source: GLI-19 v3.0, 1.6.1.
    """
    duties = tuple(
        evidence.Obligation(_named(status), status.note or status.paraphrase)
        for status in statuses
        if status.status is Status.OPERATOR
    )
    named = {f"{status.standard} {status.number}" for status in statuses if status.status is Status.OPERATOR}
    further = (evidence.Obligation(clause, text) for clause, text in OBLIGATIONS if clause not in named)
    return (*duties, *further)


def _named(status: ClauseStatus) -> str:
    """Returns standard and number of a clause, marked where nobody read it in the standard."""
    name = f"{status.standard} {status.number}"
    return name if status.certainty == Certainty.VERBATIM else f"{name} (secondary reference)"


def regime_of_evidence(claimed: Evidence) -> Regime:
    """Returns the jurisdictions that evidence says it was judged by, with the limits that this software knows.

    Raises:
        InputError: The evidence names none, or one that is not known.
    """
    try:
        return regime_of([one.name for one in claimed.regime.jurisdictions])
    except InputError as error:
        raise InputError(f"/regime/jurisdictions: {error}") from error
