"""The clauses as a table for readers: what each asks, what answers it, and what that looks at."""

import sys
from collections.abc import Iterator, Sequence
from typing import Final

from certify.clauses.catalogue import CATALOGUES, Jurisdiction, jurisdictions, load_catalogue
from certify.clauses.registry import Check, checks
from certify.exact import percent_text
from certify.model import Applicability, Catalogue, Certainty, Clause, Limit, Method, UnderTest
from certify.rounds import MARKET

INTRODUCTION: Final = """\
# Clauses, what answers them, and what that looks at

Made from the catalogues, the jurisdictions and the checks themselves by `python -m certify.clauses.table`; a test holds
that it is what they say.

- **A part has one answer.** Where a clause requires several things that are answered in different ways, its parts are
  separate: "part 1" is our numbering, letters and numerals in brackets are the standard's own. A part that nothing
  tests is never printed as satisfied because another one was tested.
- **What runs**: the checks that the clauses of the chosen jurisdictions name, where they apply to the game, and
  the harness's own. No other check runs, counts or makes a finding; a finding names the clauses that these catalogues
  give it.
- **test**: the checks named decide, and all of them must hold. **examine**: a person must look. **operator**: only
  who runs the game can fulfil it. **not applicable**: for the reason given.
- **Certainty**: V read verbatim, P read in part, S as others report it. Only V is ever printed as satisfied; P and S
  end as "secondary reference" at best. What nobody could confirm (U) stays in the file of the catalogue.
- **Rests on**: the part of the submission on which the answer rests. A clause that rests on what was assumed or
  recovered is printed as a condition or as fitted, never as satisfied; a finding about one of these is a finding about
  the clause.
- **Other kinds of games**: clauses about several wagers do not apply to a game of one, clauses about printed returns
  not to a source that prints none, and clauses about printed tables not to a source without a table.
- **Looked at**: the item that the check is made on. What holds on the reference generator or the reference round
  machine of this software is "tested on the reference", never satisfied; with `certify run --system TARGET` and
  `--rng-output FILE` the same checks are made on what the operator submits, and then a clause can be satisfied.
- A printed return from which pays were recovered is "fitted": it agrees by construction, and no clause is satisfied
  by it.
"""

_VOIDING: Final = {
    MARKET: "all pays and plays of the round are void",
    "ontario": "the stakes or what was won so far, whichever is more",
}
_CERTAINTY: Final = {Certainty.VERBATIM: "", Certainty.PARTIAL: " (P)", Certainty.SECONDARY: " (S)"}


def clause_document() -> str:
    """Returns the whole table as Markdown: limits of the jurisdictions, clauses of each catalogue, checks."""
    parts = [INTRODUCTION, _jurisdictions()]
    parts += [_catalogue(load_catalogue(name)) for name in CATALOGUES]
    parts += [_checks()]
    return "\n".join(parts)


def _jurisdictions() -> str:
    """Returns the table of what jurisdictions require in addition to the method of GLI-19."""
    rows = [_jurisdiction(one) for one in jurisdictions().values()]
    head = (
        "Jurisdiction",
        "Catalogues",
        "Least return",
        "Rarest award",
        "Confidence",
        "After a malfunction",
        "Note",
    )
    return "## Jurisdictions\n\n" + _table(head, rows)


def _jurisdiction(one: Jurisdiction) -> tuple[str, ...]:
    """Returns the row of one jurisdiction."""
    floor = "75 % (GLI-19 4.7.1)"
    if one.least_return is not None:
        floor += f"; {percent_text(one.least_return.value, 0)} %{_source(one.least_return)}"
    rarest = "1 in 100,000,000, else displayed (GLI-19 4.7.3)"
    if one.rarest_award is not None:
        rarest += f"; none beyond 1 in {int(1 / one.rarest_award.value):,}{_source(one.rarest_award)}"
    confidence = "99 % (GLI-19 3.2.2)"
    if one.further_confidence is not None:
        confidence += f"; {percent_text(one.further_confidence.value, 0)} %{_source(one.further_confidence)}"
    return (
        one.title,
        ", ".join(one.catalogues),
        floor,
        rarest,
        confidence,
        _VOIDING[one.void_policy],
        one.note,
    )


def _source(limit: Limit) -> str:
    """Returns the source of a limit, marked where nobody read it there, and the games that it is set for."""
    games = f", {limit.applies}" if limit.applies is not Applicability.EVERY_GAME else ""
    return f" ({limit.reference}{games})"


def _catalogue(catalogue: Catalogue) -> str:
    """Returns the table of one catalogue."""
    rows = [row for clause in catalogue.clauses for row in _clause(clause)]
    head = ("Clause", "Required, in our words", "Answered by", "What that looks at")
    return f"## {catalogue.title}, {catalogue.edition}\n\n{_table(head, rows)}"


def _clause(clause: Clause) -> Iterator[tuple[str, ...]]:
    """Yields the rows of a clause: one for each check, or one for whoever answers it."""
    number = clause.number + _CERTAINTY[clause.certainty]
    asked = clause.paraphrase
    if clause.applies is not Applicability.EVERY_GAME:
        asked += f" *({clause.applies})*"
    if clause.rests_on:
        asked += f" Rests on: {', '.join(clause.rests_on)}."
    if clause.method is not Method.TEST:
        yield number, asked, str(clause.method), clause.note
        return
    for place, name in enumerate(clause.checks):
        looks = _looks_at(checks()[name])
        if place == 0:
            yield number, asked, f"`{name}`", looks
        else:
            yield "", "", f"`{name}`", looks
    if clause.note:
        yield "", f"*{clause.note}*", "", ""


def _looks_at(check: Check) -> str:
    """Returns what a check looks at, in the words next to its code."""
    told = " ".join((check.function.__doc__ or "").split("\n\n")[0].split())
    return f"{told} Looked at: {check.item}." if check.item is not UnderTest.SUBMISSION else told


def _checks() -> str:
    """Returns the table of the harness's own checks, with the reason."""
    rows = [(f"`{one.id}`", one.title, one.own) for one in checks().values() if one.own]
    return "## The harness's own checks, which run whatever is chosen\n\n" + _table(
        ("Check", "What must hold", "Why"), rows
    )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Returns a table in Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


if __name__ == "__main__":
    sys.stdout.write(clause_document())
