"""Columns of tables as data: what a column is called, where its values stand in a noun, and how they are written.

One line declares a column, for a table of the pack and for one of a page::

    [#]head[:width][=path][+path][:form][!kind]

``head`` names it, and is the path too where none is given; ``#`` marks numbers on a page. A path goes from noun to
noun by the names of fields and the keys of mappings; ``?`` behind a name says that it may be missing. What is
behind ``+`` is set in small print below. Forms and kinds are those of the table: a pack has no widths and no kinds.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

_COLUMN: Final = re.compile(
    r"(#?)([^\s=:+!#]+)(?::([0-9]+))?(?:=([^\s=:+!]+))?(?:\+([^\s=:+!]+))?(?::([^\s=:+!]+))?(?:!([a-z]+))?"
)


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A column as it is declared.

    Args:
        head: What it is called.
        path: Where its values stand in the noun of a row.
        form: How they are written.
        kind: How they are set on a page.
        width: Share of the page's width in per cent; 0 leaves it to the content.
        number: Whether it is one of numbers.
        detail: Where the line set below comes from; empty where there is none.
    """

    head: str
    path: tuple[str, ...]
    form: str = ""
    kind: str = ""
    width: int = 0
    number: bool = False
    detail: tuple[str, ...] = ()


@cache
def columns_of(declared: str) -> tuple[ColumnOf, ...]:
    """Returns the columns of a table.

    Raises:
        ValueError: One is not declared as columns are.

    >>> columns_of("strategy #return:20=return_:percent!fit")[1]
    ColumnOf(head='return', path=('return_',), form='percent', kind='fit', width=20, number=True, detail=())
    """
    made = []
    for text in declared.split():
        found = _COLUMN.fullmatch(text)
        if found is None:
            raise ValueError(
                f"{text!r} declares no column: expected [#]head[:width][=path][+path][:form][!kind]"
            )
        number, head, width, path, detail, form, kind = found.groups(default="")
        below = tuple(detail.split(".")) if detail else ()
        made.append(
            ColumnOf(head, tuple((path or head).split(".")), form, kind, int(width or 0), bool(number), below)
        )
    return tuple(made)


def value_at(noun: object, path: tuple[str, ...]) -> object:
    """Returns what is at a path in a noun; nothing where a part that may be missing is.

    Raises:
        AttributeError: The noun, or one within it, has no such field.
        KeyError: A mapping has no such key.

    >>> value_at({"of": 1j}, ("of", "imag")), value_at({}, ("dealer?", "hand"))
    (1.0, None)
    """
    for name in path:
        key = name.removesuffix("?")
        if key != name and not (key in noun if isinstance(noun, Mapping) else hasattr(noun, key)):
            return None
        noun = noun[key] if isinstance(noun, Mapping) else getattr(noun, key)
    return noun
