"""What evidence records of a run and its report, and where it differs from evidence computed again.

Floats are figures for the eye, and another platform may round their last bits otherwise. A p-value can be as small as
1e-300 and still decide: it is held to a share of itself, every other figure to a share of one where it is small.
"""

import base64
import dataclasses
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from certify.certification.evidence import Issue, regime_of_evidence
from certify.certification.request import RunRequest, profile_named
from certify.errors import InputError
from certify.evidence import NOTHING_STATED, Evidence, plain
from certify.issue.parties import Parties, issue_of, require_parties
from certify.model import FieldOrigin, json_name, parts_of
from certify.submission import parse_game

CLOSE: Final = 1e-9
"""Share of a figure by which it may differ."""

P_VALUES: Final = frozenset(
    {
        *("p", "p_value", "p_values", "adjusted_p", "smallest_p", "smallest_adjusted_p"),
        # Chances of ruin are as small, and tell as much.
        *("ruin", "house_ruin"),
    }
)
"""Names in the evidence under which probabilities stand that may be very small."""

TOLD: Final = 4
"""Differences listed one by one for each part of the evidence; the others are counted."""


def evidence_differences(
    computed: Evidence, claimed: Evidence, held: Collection[FieldOrigin]
) -> Iterator[str]:
    """Yields where evidence says otherwise than evidence that was computed again, by the origins of its fields.

    Args:
        computed: What was computed again.
        claimed: The evidence.
        held: Origins of the fields that are compared; what is within a field of another is not looked at.
    """
    for field in dataclasses.fields(Evidence):
        where = f"/{json_name(field.name)}"
        if next(part.origin for part in parts_of(Evidence) if part.name == field.name) in held:
            ours, theirs = getattr(computed, field.name), getattr(claimed, field.name)
            yield from some(noun_differences(ours, theirs, held, where), where)


def noun_differences(
    computed: object, claimed: object, held: Collection[FieldOrigin], where: str
) -> Iterator[str]:
    """Yields where two values of the evidence differ in what has one of some origins."""
    if computed == claimed:
        return
    if (
        dataclasses.is_dataclass(claimed)
        and not isinstance(claimed, type)
        and isinstance(computed, type(claimed))
    ):
        # What follows from the fields of a noun alone, the reader has held to them.
        for part in (one for one in parts_of(type(claimed)) if not one.follows and one.origin in held):
            ours, theirs = getattr(computed, part.name), getattr(claimed, part.name)
            yield from noun_differences(ours, theirs, held, f"{where}/{part.key}")
    elif isinstance(computed, Mapping) and isinstance(claimed, Mapping) and computed.keys() == claimed.keys():
        for key in claimed:
            yield from noun_differences(computed[key], claimed[key], held, f"{where}/{key}")
    elif isinstance(computed, tuple | list) and isinstance(claimed, tuple) and len(computed) == len(claimed):
        for place, (ours, theirs) in enumerate(zip(computed, claimed, strict=True)):
            yield from noun_differences(ours, theirs, held, f"{where}/{place}")
    else:
        yield from compare(plain(computed), plain(claimed), where)


def some(found: Iterator[str], where: str) -> Iterator[str]:
    """Yields the first differences of one part, and how many more there are."""
    listed = list(found)
    yield from listed[:TOLD]
    if len(listed) > TOLD:
        yield f"{where}/: {len(listed) - TOLD} more places differ"


def compare(computed: Any, claimed: Any, where: str) -> Iterator[str]:
    """Yields every place where two JSON values differ; floats may differ in their last digits only.

    >>> list(compare({"a": "1/2"}, {"a": "1/3"}, ""))
    ['/a: computed 1/2, claimed 1/3']
    """
    if isinstance(computed, dict) and isinstance(claimed, dict):
        for key in sorted(set(computed) | set(claimed)):
            yield from compare(computed.get(key), claimed.get(key), f"{where}/{key}")
    elif isinstance(computed, list | tuple) and isinstance(claimed, list):
        if len(computed) != len(claimed):
            yield f"{where}: computed {len(computed)} entries, claimed {len(claimed)}"
        for place, (one, other) in enumerate(zip(computed, claimed, strict=False)):
            yield from compare(one, other, f"{where}/{place}")
    elif _is_number(computed) and _is_number(claimed) and float in (type(computed), type(claimed)):
        size = max(abs(computed), abs(claimed))
        share = size if P_VALUES.intersection(where.split("/")) else max(1.0, size)
        # What is no number at all (NaN) is near nothing.
        if not abs(computed - claimed) <= CLOSE * share:
            yield f"{where}: computed {computed}, claimed {claimed}"
    elif computed != claimed or isinstance(computed, bool) != isinstance(claimed, bool):
        yield f"{where}: computed {_short(computed)}, claimed {_short(claimed)}"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    """Returns a value in words short enough for a line."""
    text = str(value)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"


def submission_of(claimed: Evidence) -> bytes:
    """Returns the bytes of the submission that evidence embeds."""
    return base64.b64decode(claimed.item.files[0].base64)


def request_of(claimed: Evidence) -> RunRequest:
    """Returns what the run was to do.

    Raises:
        InputError: Profile or jurisdiction are none that this software knows, or the submission cannot be read.
    """
    return RunRequest(
        parse_game(submission_of(claimed), claimed.item.files[0].name),
        profile_named(claimed.run.profile.name),
        bytes.fromhex(claimed.run.seed),
        datetime.fromisoformat(claimed.report.tested_from),
        regime=regime_of_evidence(claimed),
        brought=claimed.brought,
        since=claimed.since.earlier if claimed.since is not None else None,
    )


def recorded_parties(claimed: Evidence) -> Parties:
    """Returns who issued the report, for whom: what an issuer is free to state."""
    report = claimed.report
    return Parties(
        report.issuer.name,
        report.issuer.address,
        report.client,
        report.authorised_by or "",
        report.engagement or NOTHING_STATED,
        claimed.brought.samplings,
    )


def recorded_issue(claimed: Evidence, request: RunRequest) -> Issue:
    """Returns who issued the report and when.

    Only what an issuer is free to state is taken from the evidence: parties, time and kind of key. Number,
    revision, classification, duration and command follow from the rest.
    """
    report = claimed.report
    return issue_of(
        request,
        recorded_parties(claimed),
        datetime.fromisoformat(report.issued),
        demonstration=report.demonstration_key,
    )


def head_differences(claimed: Evidence, request: RunRequest) -> Iterator[str]:
    """Yields where what an issuer is free to state has not the form in which a run states it."""
    try:
        require_parties(recorded_parties(claimed), request.started, claimed.brought.files or ())
    except InputError as error:
        yield f"/report: {error}"
    if request.started > recorded_issue(claimed, request).moment:
        yield f"/report/tested_from: {claimed.report.tested_from} is after the issue of the report"
