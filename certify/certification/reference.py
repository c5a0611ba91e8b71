"""What the report is judged by, in the evidence: jurisdictions, catalogues with their digests, clauses, duties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from certify.certification.conclude import ClauseStatus, clause_statuses
from certify.clauses.applicability import applicabilities
from certify.clauses.jurisdiction import Jurisdiction, Limit, Regime, regime_of
from certify.errors import InputError
from certify.exact import fraction_text
from certify.model.clause import Certainty, Method
from certify.model.finding import Observation, Verdict
from certify.model.game import Game
from certify.rounds.exercise import policy_values
from certify.rounds.obligations import OBLIGATIONS


def regime_evidence(regime: Regime, game: Game) -> dict[str, Any]:
    """Returns the ``regime`` object of the evidence."""
    return {
        "jurisdictions": [_jurisdiction(one) for one in regime.jurisdictions],
        "catalogues": [
            {
                "id": catalogue.id,
                "standard": catalogue.title,
                "name": catalogue.name,
                "edition": catalogue.edition,
                "sha256": catalogue.sha256,
            }
            for catalogue in regime.catalogues
        ],
        "policy": dict(policy_values(regime.policy(game.terms))),
    }


def _jurisdiction(one: Jurisdiction) -> dict[str, Any]:
    """Returns a jurisdiction and the limits that it sets itself."""
    limits = {
        "least_return": one.least_return,
        "rarest_award": one.rarest_award,
        "further_confidence": one.further_confidence,
    }
    return {
        "name": one.name,
        "title": one.title,
        "catalogues": list(one.catalogues),
        "limits": {name: _limit(limit) for name, limit in limits.items() if limit is not None},
        "note": one.note,
    }


def _limit(limit: Limit) -> dict[str, str]:
    """Returns a limit with its source."""
    return {
        "value": fraction_text(limit.value),
        "source": limit.source,
        "certainty": str(limit.certainty),
    }


def clause_evidence(status: ClauseStatus) -> dict[str, Any]:
    """Returns one clause and its status."""
    clause = status.clause
    return {
        "standard": status.standard,
        "edition": status.edition,
        "id": clause.id,
        "number": clause.number,
        "paraphrase": clause.paraphrase,
        "status": status.status,
        "checks": list(clause.checks),
        "method": str(clause.method),
        "certainty": str(clause.certainty),
        "applies": str(clause.applies),
        "note": clause.note,
    }


def obligations_evidence(statuses: Sequence[ClauseStatus]) -> list[dict[str, str]]:
    """Returns the obligations passed to the operator: clauses that are his, and what no test of a round can promise.

    Source: GLI-19 v3.0, 1.6.1.
    """
    duties = [
        {"clause": _named(status), "text": status.clause.note or status.clause.paraphrase}
        for status in statuses
        if status.status == Method.OPERATOR
    ]
    named = {
        f"{status.standard} {status.clause.number}" for status in statuses if status.status == "operator"
    }
    return duties + [{"clause": clause, "text": text} for clause, text in OBLIGATIONS if clause not in named]


def _named(status: ClauseStatus) -> str:
    """Returns standard and number of a clause, marked where nobody read it in the standard."""
    name = f"{status.standard} {status.clause.number}"
    return name if status.clause.certainty is Certainty.VERBATIM else f"{name} (secondary reference)"


def clause_differences(game: Game, evidence: Mapping[str, Any]) -> Iterator[str]:
    """Yields how the catalogues and clauses of evidence differ from those of this software.

    A replaced catalogue shows in its digest, a replaced clause or status when the statuses are derived again
    from the observations.
    """
    try:
        regime = regime_of_evidence(evidence)
    except InputError as error:
        yield str(error)
        return
    claimed = evidence["regime"]
    if regime_evidence(regime, game) != claimed:
        yield (
            "/regime: jurisdictions, catalogues or their digests are not those of this software"
            + "".join(f"; {text}" for text in _exchanged(regime, claimed))
        )
    observations = [
        Observation(entry["check"], "", Verdict(entry["verdict"]), "", "")
        for entry in evidence["observations"]
    ]
    statuses = clause_statuses(regime.catalogues, observations, applicabilities(game))
    computed = [clause_evidence(status) for status in statuses]
    if len(computed) != len(evidence["clauses"]):
        yield f"/clauses: {len(computed)} clauses expected, {len(evidence['clauses'])} claimed"
    for place, (expected, found) in enumerate(zip(computed, evidence["clauses"], strict=False)):
        if expected != found:
            yield f"/clauses/{place}: expected {expected['id']} {expected['status']!r}, claimed otherwise"
    if obligations_evidence(statuses) != evidence["obligations"]:
        yield "/obligations: not those that follow from the clauses"


def regime_of_evidence(evidence: Mapping[str, Any]) -> Regime:
    """Returns the jurisdictions that evidence says it was judged by, with the limits that this software knows.

    Raises:
        InputError: The evidence names none, or one that is not known.
    """
    claimed = evidence.get("regime")
    if not isinstance(claimed, Mapping):
        raise InputError("/regime: the evidence does not say by which catalogues it was judged")
    try:
        return regime_of([one["name"] for one in claimed["jurisdictions"]])
    except (InputError, KeyError, TypeError) as error:
        raise InputError(f"/regime/jurisdictions: {error}") from error


def _exchanged(regime: Regime, claimed: Mapping[str, Any]) -> Iterator[str]:
    """Yields the catalogues whose digest in the evidence is not that of this software."""
    stated = {one.get("id"): one.get("sha256") for one in claimed.get("catalogues", ())}
    for catalogue in regime.catalogues:
        if stated.get(catalogue.id) != catalogue.sha256:
            yield (
                f"catalogue {catalogue.id} has SHA-256 {catalogue.sha256} here "
                f"and {stated.get(catalogue.id, 'none')} in the evidence"
            )
