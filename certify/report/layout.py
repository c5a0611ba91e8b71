"""What a page is made of: verdicts, cells, tables and figures, each ready to be set."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import SimpleNamespace
from typing import Final

from certify.errors import RenderError
from certify.evidence import Statement
from certify.evidence.columns import ColumnOf, columns_of, value_at
from certify.messages import spoken, tell, translated
from certify.model import CONDITION, Finding, Message, Overall, Severity
from certify.report.formats import (
    DASH,
    INLINE_FRACTION,
    decimal,
    digit_groups,
    grouped,
    p_value,
    percent,
    prose,
    sentence,
    statistic,
    within,
)
from certify.report.words import decision_mark, decision_title, outcome_title


def off_of(off: Mapping[str, Fraction] | None, name: str) -> Fraction:
    """Returns how far a figure may be off by what its noun says; nought where all of it is exact."""
    return (off or {}).get(name, Fraction(0))


@dataclass(frozen=True, slots=True)
class LongFraction:
    """A fraction too long for a column.

    Args:
        label: Its number in the annex, such as ``F3``.
        quantities: What it is, once or more than once.
        numerator: Digits in groups of ten.
        denominator: Digits in groups of ten.
    """

    label: str
    quantities: tuple[str, ...]
    numerator: str
    denominator: str


class PageParts(SimpleNamespace):
    """What a page or a chapter consists of, each part under the name by which a template reads it."""


@dataclass(slots=True, eq=False)
class Annex:
    """Collects the long fractions while the chapters are built, each value once."""

    _quantities: dict[Fraction, list[str]] = field(default_factory=dict, init=False)

    def cell(
        self, value: Fraction, quantity: str, longest: int = INLINE_FRACTION, *, off: Fraction = Fraction(0)
    ) -> "PageCell":
        """Returns the fraction itself where its column holds it, otherwise a reference to the annex.

        Args:
            value: The fraction.
            quantity: What it is.
            longest: Characters that the column holds.
            off: How far it may be off, where it has bounds: those are set, and no fraction of it ever is.
        """
        if off:
            return note(within(value, off))
        if len(str(value)) <= longest:
            return PageCell(str(value), "mono")
        quantities = self._quantities.setdefault(value, [])
        if quantity not in quantities:
            quantities.append(quantity)
        label = self._label(value)
        return PageCell(label, "link", target=f"fraction-{label}")

    def _label(self, value: Fraction) -> str:
        return f"F{list(self._quantities).index(value) + 1}"

    def fractions(self) -> tuple[LongFraction, ...]:
        """Returns what was collected, in order of first mention."""
        return tuple(
            LongFraction(
                self._label(value),
                tuple(quantities),
                digit_groups(str(value.numerator)),
                digit_groups(str(value.denominator)),
            )
            for value, quantities in self._quantities.items()
        )


@dataclass(frozen=True, slots=True)
class VerdictMark:
    """A verdict or status as a word, a mark and a style: the word alone is enough, colour only helps.

    Args:
        word: As in the evidence, such as ``not satisfied``.
        mark: A sign next to the word.
        style: The name of its style in the stylesheet.
    """

    word: str
    mark: str
    style: str

    @property
    def label(self) -> str:
        """Returns the word in the language of the report."""
        return tell(f"word.{self.word.replace(',', '').replace(' ', '-')}")


_VERDICTS = {
    "satisfied": VerdictMark("satisfied", "✓", "good"),
    "not satisfied": VerdictMark("not satisfied", "×", "bad"),
    "inconclusive": VerdictMark("inconclusive", "?", "open"),
    "not applicable": VerdictMark("not applicable", "–", "none"),
    "satisfied on conditions": VerdictMark("satisfied on conditions", "§", "open"),
    str(Overall.MATHEMATICS): VerdictMark(str(Overall.MATHEMATICS), "◊", "reference"),
    "condition": VerdictMark("condition", "§", "open"),
    "fitted": VerdictMark("fitted", "≈", "fitted"),
    "shown on the reference": VerdictMark("shown on the reference", "◊", "reference"),
    "operator": VerdictMark("operator", "→", "none"),
    "examine": VerdictMark("examine", "→", "none"),
    "secondary reference": VerdictMark("secondary reference", "·", "none"),
}
_SEVERITIES = {
    Severity.CRITICAL: VerdictMark("critical", "×", "bad"),
    Severity.MAJOR: VerdictMark("major", "×", "bad"),
    Severity.MINOR: VerdictMark("minor", "!", "open"),
    Severity.NOTE: VerdictMark("note", "·", "none"),
}


def verdict(word: str) -> VerdictMark:
    """Returns the look of a verdict.

    Raises:
        RenderError: The word is not one of the verdicts: a report must not invent one.

    >>> verdict("satisfied").mark
    '✓'
    """
    if word not in _VERDICTS:
        raise RenderError(f"evidence: unknown verdict {word!r}: expected one of {', '.join(_VERDICTS)}")
    return _VERDICTS[word]


def overall_mark(statement: Statement, word: str) -> VerdictMark:
    """Returns the look of an overall verdict: where the operator submitted a part of the product, it says so.

    Args:
        statement: The statement of the report.
        word: The verdict, of the whole statement or for one jurisdiction.
    """
    mark = verdict(word)
    in_part = any(
        one.id == "statement.product-brought-in-part" for one in statement.messages.get("sentence", ())
    )
    return replace(mark, word=TESTED_IN_PART) if in_part and word == Overall.MATHEMATICS else mark


TESTED_IN_PART: Final = "mathematics satisfied, product tested in part"
"""The verdict where nothing is against the part of the product that was submitted."""

_PRINTINGS = {
    "holds": VerdictMark("holds", "✓", "good"),
    "arithmetic slip": VerdictMark("arithmetic slip", "×", "bad"),
    "wrong denominator": VerdictMark("wrong denominator", "×", "bad"),
    "not a probability": VerdictMark("not a probability", "×", "bad"),
}
PRINTINGS = tuple(_PRINTINGS)
"""What a figure printed by the source can be worth, best first."""


def printing(word: str) -> VerdictMark:
    """Returns the look of what a printed figure is worth.

    Raises:
        RenderError: The word is not one of those that the evidence may use.

    >>> printing("wrong denominator").style
    'bad'
    """
    if word not in _PRINTINGS:
        raise RenderError(f"evidence: unknown verdict {word!r}: expected one of {', '.join(_PRINTINGS)}")
    return _PRINTINGS[word]


def severity(finding: Finding) -> VerdictMark:
    """Returns the look of a finding's severity; what must be confirmed is called a condition, as on the cover."""
    return _VERDICTS[CONDITION] if finding.status == CONDITION else _SEVERITIES[finding.severity]


@dataclass(frozen=True, slots=True)
class PageCell:
    """One cell: its text and how it is set.

    Args:
        text: The text, complete and formatted.
        kind: ``text``, ``number``, ``mono``, ``hash``, ``note``, ``strong``, ``fit``, ``judged``, ``page`` or ``link``;
            the small print of ``run`` and ``clause`` goes on in their line.
        verdict: Set instead of the text where given.
        target: The id that a ``link``, or the file that a ``page``, leads to.
        detail: A second line in small print.
        lines: Further lines in small print, each by itself.
        fact: What the cell states the status of, such as ``claim/main``: the same wherever it is reported.
        status: That status, where the cell shows more than a verdict.
    """

    text: str
    kind: str = "text"
    verdict: VerdictMark | None = None
    target: str = ""
    detail: str = ""
    lines: tuple[str, ...] = ()
    fact: str = ""
    status: str = ""


def number(text: str) -> PageCell:
    """Returns a cell whose text is a number, set to the right."""
    return PageCell(text, "number")


def mono(text: str) -> PageCell:
    """Returns a cell set in the fixed-width face."""
    return PageCell(text, "mono")


def digest(text: str) -> PageCell:
    """Returns a cell that holds a digest, never broken."""
    return PageCell(text, "hash")


def note(text: str) -> PageCell:
    """Returns a cell in small print."""
    return PageCell(text, "note")


def judged(word: str, fact: str = "") -> PageCell:
    """Returns a cell that shows a verdict.

    Args:
        word: The verdict.
        fact: What it is the status of.
    """
    mark = verdict(word)
    return PageCell(mark.word, "judged", mark, fact=fact)


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Args:
        title: The heading.
        kind: ``text`` or ``number``: which side the heading keeps to.
        width: Share of the page's width in per cent; 0 leaves it to the content.
    """

    title: str
    kind: str = "text"
    width: int = 0


_FEW_SORTED, _FEW_FIXED, _FEW_LINES = 5, 8, 10
"""Rows and lines up to which a table is not divided; a table of fixed order is read as a whole."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A captioned table; its number is given when it is set.

    Args:
        caption: What the table shows, as a phrase.
        columns: The headings.
        rows: The cells, one tuple per row, as many as there are columns.
        remark: A sentence below the table.
        sortable: Whether its rows may change places on a screen; not where they stand in groups.
        dense: Whether it is set closely, as a list to look things up in.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[PageCell, ...], ...]
    remark: str = ""
    sortable: bool = True
    dense: bool = False

    def __post_init__(self) -> None:
        """Refuses a row that does not fit the headings."""
        for row in self.rows:
            if len(row) != len(self.columns):
                raise RenderError(
                    f"table {self.caption!r}: a row has {len(row)} cells, expected {len(self.columns)}"
                )

    @property
    def short(self) -> bool:
        """Whether it is set whole on one page: few rows, and few lines in them."""
        lines = sum(max(1 + bool(cell.detail) + len(cell.lines) for cell in row) for row in self.rows)
        return len(self.rows) <= (_FEW_SORTED if self.sortable else _FEW_FIXED) and lines <= _FEW_LINES


@dataclass(frozen=True, slots=True)
class Figure:
    """A captioned drawing with its alternative text.

    Args:
        name: Its name inside the document.
        caption: What the figure shows.
        alternative: What it shows, in words and numbers, for whoever cannot see it.
        drawing: The SVG.
    """

    name: str
    caption: str
    alternative: str
    drawing: str


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a list of facts: a label and its value."""

    label: str
    value: PageCell


def fact(label: str, value: PageCell | str) -> Fact:
    """Returns one line of a list of facts, its label given as the id of a message."""
    return Fact(tell(label), PageCell(value) if isinstance(value, str) else value)


def columns(*titles: str, **parameters: str) -> tuple[Column, ...]:
    """Returns headings given in short: ``#`` before an id marks a column of numbers, ``:20`` a width.

    The ids are those of messages that begin with ``head.``; each takes from the parameters what it asks for, and may
    begin with it. A heading that comes from the evidence is a :class:`Column`.

    >>> columns("outcome", "#probability:20")[1]
    Column(title='Probability', kind='number', width=20)
    """
    return tuple(_heading(one, parameters) for one in columns_of(" ".join(titles)))


def _heading(one: ColumnOf, parameters: Mapping[str, str]) -> Column:
    said, message = spoken(), f"head.{one.head}"
    words = said.text([Message(message, {key: parameters[key] for key in said.places(message)})])
    words = words[:1].upper() + words[1:] if said.places(message) else words
    return Column(words, "number" if one.number else "text", one.width)


FORMS: Final[Mapping[str, Callable[..., str]]] = {
    "": str,
    "translated": translated,
    "prose": lambda text: prose(translated(text)),
    "sentence": lambda text: sentence(translated(text)),
    "outcome": outcome_title,
    "decision": decision_title,
    "decision_mark": decision_mark,
    "len": lambda values: grouped(len(values)),
    "grouped": grouped,
    "p": p_value,
    "percent": percent,
    "decimal": decimal,
    "found": lambda caught: tell("randomness.found" if caught else "randomness.not-found"),
    "reference": lambda holds: "shown on the reference" if holds else "not satisfied",
    "statistic": statistic,
}
"""How the values of a column are written; ``percent-4`` writes with four places, what is missing is a dash."""


def listed(
    caption: str,
    declared: str | tuple[str | Column, ...],
    rows: Iterable[object],
    remark: str = "",
    *,
    sortable: bool = True,
    dense: bool = False,
    **parameters: str,
) -> PageTable | None:
    """Returns a table by the declaration of its columns (:mod:`certify.evidence.columns`), or nothing without rows.

    Args:
        caption: What the table shows.
        declared: Its columns, whose heads are messages; a heading from the evidence is a :class:`Column`.
        rows: Its rows: nouns, from which the paths read, or tuples of as many values. A value may be a cell already.
        remark: A sentence below the table.
        sortable: Whether its rows may change places on a screen.
        dense: Whether it is set closely.
        **parameters: What the heads ask for.
    """
    head: list[Column] = []
    cells: list[ColumnOf] = []
    for part in (declared,) if isinstance(declared, str) else declared:
        made = (
            (ColumnOf("", (), number=part.kind == "number"),)
            if isinstance(part, Column)
            else columns_of(part)
        )
        cells += made
        head += [part] if isinstance(part, Column) else [_heading(one, parameters) for one in made]
    shown = tuple(tuple(_cells(row, cells)) for row in rows)
    return PageTable(caption, tuple(head), shown, remark, sortable, dense) if shown else None


def _cells(row: object, declared: list[ColumnOf]) -> Iterator[PageCell]:
    """Yields the cells of a row as their columns are declared."""
    values = row if isinstance(row, tuple) else tuple(value_at(row, one.path) for one in declared)
    for one, value in zip(declared, values, strict=True):
        name, _, places = one.form.partition("-")
        if isinstance(value, PageCell):
            yield value
            continue
        text = DASH if value is None else FORMS[name](value, *([int(places)] if places else []))
        below = str(value_at(row, one.detail)) if one.detail else ""
        kind = one.kind or ("number" if one.number else "text")
        yield judged(text) if kind == "judged" else PageCell(text, kind, detail=below)
