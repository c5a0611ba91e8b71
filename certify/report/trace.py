"""One round as it was played: the steps that the reference engine wrote down, in the words of the report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from certify.messages import tell, translated
from certify.report.formats import prose
from certify.report.words import decision_title, outcome_title

_TABLE = "table"
"""Whom the draws of a game are given to that nobody holds."""
_CAME = re.compile(rf"{_TABLE} (?!decides|ends)\w+ (?P<face>.+?)(?:: total (?P<total>.+))?")
_DECIDED = re.compile(r"(?P<who>\S+) decides (?P<option>\S+)(?: on (?P<total>.+))?")
_SETTLED = re.compile(
    r"(?P<wager>\S+)\ssettles\sas\s(?P<outcome>\S+),\s(?P<net>\S+)\snet(?:\son\s(?P<staked>\S+)\sstaked)?"
)


def steps(trace: Sequence[str], titles: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the steps of a round: what comes to the table in one, wagers and decisions by their titles.

    Args:
        trace: The steps as the evidence holds them.
        titles: Title of each wager by its id.

    >>> steps(["table draws 7", "table draws 12", "pick-2 settles as lose, -1 net"], {"pick-2": "Pick 2"})
    ('drawn: 7, 12', 'Pick 2: Lose, net −1')
    >>> steps(["table throws 3", "table throws 1: total point 4", "table throws 6: total point 4"], {})
    ('drawn: 3, 1 (point 4), 6',)
    """
    return tuple(_told(trace, titles))


def _told(trace: Sequence[str], titles: Mapping[str, str]) -> Iterator[str]:
    came: list[str] = []
    stands = ""
    for step in trace:
        if found := _CAME.fullmatch(step):
            face, total = translated(found["face"]), translated(found["total"] or "")
            came.append(face if total in ("", stands) else tell("trace.stands", face=face, total=total))
            stands = total
            continue
        yield from _drawn(came)
        came = []
        yield _step(step, titles)
    yield from _drawn(came)


def _drawn(came: Sequence[str]) -> Iterator[str]:
    if came:
        yield tell("trace.drawn", faces=", ".join(came))


def _who(holder: str) -> str:
    """Returns who decides, in the words of the house for those whom it knows."""
    return tell(f"trace.who.{holder}") if holder in ("player", "dealer", "bank") else holder


def _step(step: str, titles: Mapping[str, str]) -> str:
    if found := _DECIDED.fullmatch(step):
        who, option = _who(found["who"]), decision_title(found["option"])
        if found["total"]:
            return tell("trace.decides-on", who=who, option=option, total=translated(found["total"]))
        return tell("trace.decides", who=who, option=option)
    if found := _SETTLED.fullmatch(step):
        wager = titles.get(found["wager"], found["wager"])
        said = {"wager": wager, "outcome": outcome_title(found["outcome"]), "net": prose(found["net"])}
        if found["staked"]:
            return tell("trace.settles-on", **said, staked=found["staked"])
        return tell("trace.settles", **said)
    return prose(translated(step))
