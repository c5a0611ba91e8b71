"""A jurisdiction of one's own: a catalogue of clauses in a file, with the limits that it sets."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from certify.clauses.catalogue import (
    CATALOGUES,
    CatalogueFile,
    Jurisdiction,
    StatedPlace,
    catalogue_of,
    jurisdictions,
    load_catalogue,
)
from certify.model import keywords
from certify.submission import located_form
from certify.untrusted_input import SUBMISSION, read_bounded

_ID: Final = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")

_JUDGED_BY: Final = {
    "least_return": {"returns.local-floor", "returns.slot-floor"},
    "rarest_award": {"awards.local-odds"},
    "further_confidence": {"randomness.further-confidence"},
}
"""Checks of each limit; where no clause names one, the limit would be printed and judged by nobody."""


@dataclass(frozen=True, slots=True)
class _File(CatalogueFile):
    jurisdiction: StatedPlace


def read_own(path: Path) -> Jurisdiction:
    """Returns the jurisdiction of a file, next to GLI-19 as the method.

    Raises:
        SubmissionError: The file breaks its form, or takes the name of a catalogue that there is; it names the line.
    """
    return parse_own(read_bounded(path, SUBMISSION), str(path))


def parse_own(data: bytes, path: str) -> Jurisdiction:
    """Returns the jurisdiction of a file by its bytes.

    Raises:
        SubmissionError: The file breaks its form, or takes the name of a catalogue that there is; it names the line.
    """
    # Checks rest on what plays rounds, which takes a moment to load.
    from certify.clauses.registry import checks

    file, problems = located_form(data, path, _File)
    problems.refuse_where(
        file.catalogue in {*CATALOGUES, *jurisdictions()} or not _ID.fullmatch(file.catalogue),
        ("catalogue",),
        f"{file.catalogue!r}: expected a name of your own in small letters, digits and hyphens",
    )
    problems.refuse_where(
        file.short in {load_catalogue(name).title for name in CATALOGUES},
        ("short",),
        f"{file.short!r} names another catalogue: expected a name of your own",
    )
    for key in ("title", "short", "edition"):
        problems.refuse_where(not getattr(file, key).strip(), (key,), "it is empty: reports print it")
    problems.refuse_where(not file.clauses, ("clauses",), "a catalogue has at least one clause")
    for place, clause in enumerate(file.clauses):
        problems.refuse_where(
            not (clause.number.strip() and clause.paraphrase.strip()),
            ("clauses", place),
            "a clause has a number and a paraphrase",
        )
        unknown = [name for name in clause.checks if name not in checks()]
        problems.refuse_where(unknown, ("clauses", place, "checks"), f"no such check: {', '.join(unknown)}")
    for limit, judged_by in _JUDGED_BY.items():
        problems.refuse_where(
            limit in file.jurisdiction.limits
            and judged_by.isdisjoint(name for clause in file.clauses for name in clause.checks),
            ("jurisdiction", limit),
            f"no clause judges by it: expected one that names {' or '.join(sorted(judged_by))}",
        )
    file.jurisdiction.require(problems, ("jurisdiction",))
    own = catalogue_of(file, problems, data)
    stated = keywords(file.jurisdiction) | {"catalogues": ("gli-19", own.id)}
    return Jurisdiction(name=own.id, own=own, file=data, **stated)
