"""What reports cite: standards, laws and methods, each with title, edition and date."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

from certify.clauses.catalogue import load_catalogue

NOT_KNOWN: Final = "not known"
"""What stands for an edition or a date that was found in no public text."""


@dataclass(frozen=True, slots=True)
class ClauseReference:
    """One document that pages, catalogues or checks cite.

    Args:
        short: How it is named in short.
        title: Its title.
        edition: Its edition, or that it is not known.
        published: Its date, or that it is not known.
        cited: Regular expression of the ways in which it is cited.
        catalogue: Id of its catalogue of clauses; empty where it is a method or a format.
    """

    short: str
    title: str
    edition: str
    published: str
    cited: str
    catalogue: str = ""

    def is_cited_in(self, text: str) -> bool:
        """Tells whether a text cites it.

        >>> next(one for one in references() if one.short == "ISO/IEC 17025").is_cited_in("(ISO/IEC 17025:2017, 7.8.6)")
        True
        """
        return re.search(self.cited, text) is not None


@cache
def references() -> tuple[ClauseReference, ...]:
    """Returns every document that a report may cite, catalogues of clauses last."""
    content = resources.files("certify.clauses").joinpath("references.toml").read_text("utf-8")
    return tuple(_reference(entry) for entry in tomllib.loads(content)["references"])


def _reference(entry: dict[str, str]) -> ClauseReference:
    if "catalogue" not in entry:
        return ClauseReference(**entry)
    catalogue = load_catalogue(entry["catalogue"])
    return ClauseReference(short=catalogue.title, title=catalogue.name, edition=catalogue.edition, **entry)
