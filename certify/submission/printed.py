"""Printed tables of a submission, cell by cell: what is printed is kept, what can be read is parsed."""

from __future__ import annotations

import re
from typing import Final

from certify.errors import InputError, KeyPath, Problems
from certify.exact import parse_percent
from certify.families.port import PrintedTablesPort
from certify.model.printed import PrintedCount, PrintedRow, PrintedShare
from certify.submission.schema import Submitted, SubmittedCount, SubmittedOutcomeRow

_PERCENT: Final = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)", re.ASCII)
_FRACTION: Final = re.compile(r"\((\d{1,6})/(\d{1,6})\)", re.ASCII)
_WHOLE: Final = re.compile(r"\d{1,9}", re.ASCII)


def printed_share(text: str) -> PrintedShare:
    """Returns a printed cell with the percentage and the fraction that can be read in it.

    Raises:
        InputError: The fraction has no denominator.

    >>> printed_share("34.76 (58/820) + (pb %)").ways
    (58, 820)
    """
    percent, fraction = _PERCENT.match(text), _FRACTION.search(text)
    if fraction and not int(fraction[2]):
        raise InputError(f'"{text}": a fraction without a denominator')
    return PrintedShare(
        text,
        parse_percent(f"{percent[1]} %") if percent else None,
        (int(fraction[1]), int(fraction[2])) if fraction else None,
    )


def printed_count(
    count: SubmittedCount, key: KeyPath, words: PrintedTablesPort | None, problems: Problems, raw: Submitted
) -> PrintedCount:
    """Returns one printed count or share."""
    if words is not None:
        problems.add_where(
            count.of not in words.counted,
            (*key, "of"),
            f'counts of "{count.of}": expected one of {", ".join(words.counted)}',
        )
    problems.add_where(
        bool(count.ways) == bool(count.share), key, f'"{count.id}": expected either "ways" or "share"'
    )
    problems.add_where(
        count.ways and not _WHOLE.fullmatch(count.ways),
        (*key, "ways"),
        f'"{count.ways}": expected a whole number of at most nine digits',
    )
    _check_source(count.source, key, problems, raw)
    totals = tuple(_total(total, (*key, "totals"), words, problems) for total in count.totals)
    share = _share(count.share, (*key, "share"), problems) if count.share else None
    ways = int(count.ways) if _WHOLE.fullmatch(count.ways) else None
    return PrintedCount(count.id, count.of, totals, ways, share, count.source, problems.line(key))


def printed_row(
    row: SubmittedOutcomeRow,
    key: KeyPath,
    words: PrintedTablesPort | None,
    problems: Problems,
    raw: Submitted,
) -> PrintedRow:
    """Returns one printed row of outcomes."""
    known = words.cards if words is not None else tuple(dict.fromkeys(row.hand))
    for card in row.hand:
        problems.add_where(
            card not in known, (*key, "hand"), f'no card "{card}": expected one of {", ".join(known)}'
        )
    problems.add_where(
        not 1 <= len(row.hand) <= 2, (*key, "hand"), f"a hand of {len(row.hand)} cards: expected one or two"
    )
    _check_source(row.source, key, problems, raw)
    return PrintedRow(
        row.label,
        _total(row.total, (*key, "total"), words, problems) if row.total else None,
        tuple(known.index(card) for card in row.hand if card in known),
        tuple(
            (column, _share(getattr(row, column), (*key, column), problems))
            for column in (words.columns if words is not None else ())
        ),
        row.source,
        problems.line(key),
    )


def _total(text: str, key: KeyPath, words: PrintedTablesPort | None, problems: Problems) -> int:
    """Returns a printed total in the unit of the family; where nothing counts totals, none is read."""
    return problems.attempt(key, lambda: words.total(text), 0) if words is not None else 0


def _share(text: str, key: KeyPath, problems: Problems) -> PrintedShare:
    return problems.attempt(key, lambda: printed_share(text), PrintedShare(text))


def _check_source(source: str, key: KeyPath, problems: Problems, raw: Submitted) -> None:
    problems.add_where(
        source not in {listed.id for listed in raw.sources},
        (*key, "source"),
        f'source "{source}" is not listed under [[sources]]',
    )
