"""Tables of figures beside the returns, in the words of this family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from certify.evidence.asked import AskedColumn, AskedFigure, AskedRow, AskedTable, Basis, Unit
from certify.families.free_bank.rules import FAMILY_ID
from certify.messages import say, worded
from certify.model.message import Message, Parameter

Figures = Mapping[str, AskedFigure]


def said(message: str, **parameters: Parameter) -> Message:
    """Returns a message of the questions of this family."""
    return say(f"{FAMILY_ID}.asked.{message}", **parameters)


def table(
    question: str, columns: Iterable[str] | Mapping[str, Message], rows: Iterable[AskedRow]
) -> AskedTable:
    """Returns a table; columns in which nothing stands are left out.

    Args:
        question: Id of the question.
        columns: Ids of the columns, with their titles where these are no messages of the family.
        rows: The rows.
    """
    answers = tuple(rows)
    titles = columns if isinstance(columns, Mapping) else {one: said(f"column.{one}") for one in columns}
    kept = [column for column in titles if any(column in answer.figures for answer in answers)]
    return AskedTable(
        id=question,
        columns=tuple(AskedColumn(id=one, **worded(title=titles[one])) for one in kept),
        rows=answers,
        **worded(title=said(question), remark=said(f"{question}.remark")),
    )


def row(of: str, figures: Figures, detail: str = "", **parameters: Parameter) -> AskedRow:
    """Returns a row of a table."""
    return named(said(f"row.{of}", **parameters), figures, detail)


def named(of: Message, figures: Figures, detail: str = "") -> AskedRow:
    """Returns a row whose words are a message."""
    return AskedRow(figures=figures, detail=detail, **worded(of=of))


def stakes(value: Fraction) -> AskedFigure:
    """Returns an exact amount in stakes."""
    return AskedFigure(value, value, Unit.STAKES, Basis.EXACT)


def proven(low: Fraction, high: Fraction, unit: Unit = Unit.STAKES) -> AskedFigure:
    """Returns an interval that is proven."""
    return AskedFigure(low, high, unit, Basis.PROVEN)


def chance(value: Fraction) -> AskedFigure:
    """Returns an exact probability."""
    return AskedFigure(value, value, Unit.CHANCE, Basis.EXACT)


def rounds(value: Fraction) -> AskedFigure:
    """Returns an exact number of rounds."""
    return AskedFigure(value, value, Unit.ROUNDS, Basis.EXACT)
