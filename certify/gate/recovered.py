"""Recovered values and the printed figures that they name: a value is recovered from something that is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from certify.errors import InputError
from certify.exact import parse_percent
from certify.gate.fact_changes import short
from certify.gate.facts import Subject, Submission
from certify.gate.impact import Impact
from certify.model.game import Provenance

_NAMED: Final = re.compile(
    r"(?:claim/(?P<claim>[a-z0-9-]+)(?=[/:;, ]|$)|(?P<wager>[a-z0-9-]+)(?=/))"
    r"(?:/(?P<figure>\d{1,3}(?:\.\d{1,12})? ?%))?(?=[:;, ]|$)",
    re.ASCII,
)
"""How ``by`` names a claim: ``main/99.54 %`` or ``claim/main``, and then whatever else is to be said."""


@dataclass(frozen=True, slots=True)
class Named:
    """The claim that a recovered value says it was recovered from.

    Args:
        value: Where the value stands.
        text: The claim as it is named.
        wager: The wager that the claim is on, empty where no claim is named.
        figure: The printed figure that is named with it, if one is.
    """

    value: Subject
    text: str
    wager: str
    figure: str


def recovered_values(submission: Submission) -> tuple[Named, ...]:
    """Returns every recovered value of a submission with the claim that it names."""
    found = []
    for subject, fact in submission.facts.items():
        if subject[-1] == "provenance" and fact.value == Provenance.RECOVERED:
            by = submission.facts.get((*subject[:-1], "by"))
            text = by.value if by else ""
            match = _NAMED.match(text)
            found.append(
                Named(
                    subject[:-1],
                    match[0] if match else text,
                    (match["claim"] or match["wager"]) if match else "",
                    (match["figure"] or "") if match else "",
                )
            )
    return tuple(found)


def stale_recoveries(before: Submission | None, after: Submission) -> Iterator[Impact]:
    """Yields the claims that recovered values name and that the submission does not print.

    What was so before is not brought by this change and is passed over.
    """
    old = {(named.value, named.text) for named in _unprinted(before)} if before else set()
    by_claim: dict[tuple[str, str], list[Named]] = {}
    for named in _unprinted(after):
        if (named.value, named.text) not in old:
            by_claim.setdefault((named.wager, named.text), []).append(named)
    for (wager, text), values in by_claim.items():
        names = ", ".join(short(named.value) for named in values)
        yield Impact(
            "recovered-from-nothing",
            text or names,
            f"{names}: said to be recovered from {f'“{text}”' if text else 'nothing'}, but "
            f"{_instead(before, after, wager)}",
            text or None,
            ", ".join(claim.text for claim in after.game.claims_on(wager)) or None,
            after.facts[(*values[0].value, "provenance")].key[:-1],
            wager,
        )


def _unprinted(submission: Submission) -> list[Named]:
    """Returns the recovered values whose named claim is not printed."""
    return [named for named in recovered_values(submission) if not _is_printed(named, submission)]


def _is_printed(named: Named, submission: Submission) -> bool:
    claims = submission.game.claims_on(named.wager)
    if not named.figure:
        return bool(claims)
    try:
        printed = parse_percent(named.figure)
    except InputError:
        return False
    figures = {(claim.printed.value, claim.printed.places) for claim in claims}
    return (printed.value, printed.places) in figures


def _instead(before: Submission | None, after: Submission, wager: str) -> str:
    """Returns what is printed instead, and what became of the claim."""
    now = [claim.text for claim in after.game.claims_on(wager)]
    was = [claim.text for claim in before.game.claims_on(wager)] if before else []
    if now and was and now != was:
        return f"the printed return of {wager} was {', '.join(was)} and is now {', '.join(now)}"
    if now:
        return f"the printed return of {wager} is {', '.join(now)}"
    if was:
        return f"the printed return of {wager} was {', '.join(was)} and is no longer printed"
    known = sorted({claim.wager for claim in after.game.claims})
    return f"printed returns are those of {', '.join(known)}" if known else "no return is printed at all"
