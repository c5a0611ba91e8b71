"""Characters that a reader does not see, or that make a reader see something else than what is there."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Final

_NUMBER: Final = re.compile(r"-?[0-9]+(/[0-9]+|\.[0-9]+)?([eE][-+]?[0-9]+)?")
"""A number as files of the harness write it; nothing else may begin with a minus sign."""

_FORMULA_SIGNS: Final = "=+-@\t\r\n＝＋－＠−"
"""What makes a spreadsheet compute a cell, in full width too, which some spreadsheets take for the narrow sign."""

_SEPARATORS: Final = re.compile(r"([;|\t])")
"""What else than commas parts the cells of a table in a text file."""

_UNSEEN_KINDS: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, formats (among them all that turn the direction of writing), surrogates, unassigned, line separators."""

_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks without a shape: joiners, fillers, the empty Braille pattern."""

_VARIATIONS: Final = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF), (0x180B, 0x180F))
"""Variation selectors, which alter the letter before them or do nothing."""


def is_unseen(character: str) -> bool:
    r"""Returns whether a character is invisible, or turns the direction of those around it.

    Source: Unicode Standard Annex #9, section 2 (directional formatting characters); Unicode Technical Report
    #36, section 2 (visual security).

    >>> [is_unseen(c) for c in ("½", "é", "\u202e", "\u200b", "\u180f", "\ud800")]
    [False, False, True, True, True, True]
    """
    if character.isascii():
        return not character.isprintable()
    code = ord(character)
    return (
        unicodedata.category(character) in _UNSEEN_KINDS
        or character in _UNSEEN
        or any(first <= code <= last for first, last in _VARIATIONS)
    )


def unseen_in(text: str, allowed: str = "") -> str | None:
    r"""Returns the first unseen character of a text as its code point, None where there is none.

    Args:
        text: The text.
        allowed: Characters that may stand there although nobody sees them, such as line ends.

    >>> unseen_in("RETURN \u202e% 59"), unseen_in("two\nlines", "\n")
    ('U+202E', None)
    """
    if text.isascii() and text.isprintable():
        return None
    return next((f"U+{ord(c):04X}" for c in text if c not in allowed and is_unseen(c)), None)


def texts_in(value: object, *key: str | int) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yields every text of plain values and nouns with its key, names of keys among them; no numbers.

    >>> list(texts_in({"wager": ["main", 1]}))
    [(('wager',), 'wager'), (('wager', 0), 'main')]
    """
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, tuple | list):
        for position, item in enumerate(value):
            yield from texts_in(item, *key, position)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from texts_in(name, *key, name)
            yield from texts_in(item, *key, name)
    elif is_dataclass(value):
        for field in fields(value):
            yield from texts_in(getattr(value, field.name), *key, field.name)


def look_the_same(names: Iterable[str]) -> tuple[str, str] | None:
    r"""Returns two names that differ in their Unicode form alone, spelled out by code points; None where no two do.

    Source: Unicode Standard Annex #15, Unicode Normalization Forms.

    >>> look_the_same(["caf\u00e9", "cafe\u0301", "tea"])
    ('caf\\xe9', 'cafe\\u0301')
    """
    found: dict[str, str] = {}
    for name in names:
        first = found.setdefault(unicodedata.normalize("NFC", name), name)
        if first != name:
            return ascii(first)[1:-1], ascii(name)[1:-1]
    return None


def shown(text: str, allowed: str = "") -> str:
    r"""Returns a text with every unseen character spelled out, so that a terminal cannot be made to obey it.

    Args:
        text: The text.
        allowed: Characters that stay as they are although nobody sees them, such as line ends.

    >>> shown("\x1b[2Jclean\u202e")
    '\\x1b[2Jclean\\u202e'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c.encode("unicode_escape").decode("ascii") if is_unseen(c) and c not in allowed else c for c in text
    )


def json_text(document: object) -> str:
    r"""Returns plain values as JSON to be read by people and programs, every unseen character of a text spelled out.

    What JSON itself escapes comes back as what it was where the text is read: it is spelled out as well.

    >>> print(json_text({"game\u202e": ["two\nlines", "no\u200bwidth", 1, None]}).replace("\n", ""))
    {  "game\\u202e": [    "two\nlines",    "no\\u200bwidth",    1,    null  ]}
    """

    def visible(value: object) -> object:
        if isinstance(value, str):
            return shown(value, "\n")
        if isinstance(value, Mapping):
            return {visible(key): visible(part) for key, part in value.items()}
        return [visible(part) for part in value] if isinstance(value, list | tuple) else value

    return json.dumps(visible(document), ensure_ascii=False, indent=2, allow_nan=False) + "\n"


def is_formula(text: str) -> bool:
    """Returns whether a spreadsheet would compute a text that is alone in a cell.

    Only a full match of a number may begin with a sign: ``-2+3+cmd|' /C calc'!A0`` is none.

    Source: OWASP, CSV Injection.

    >>> [is_formula(text) for text in ("-1/2", "-2+3+cmd|x", " =1+1", "=A1", "7 e Mezzo", "\uff1d1")]
    [False, True, True, True, False, True]
    """
    told = text.lstrip(" \u00a0")
    return bool(told) and told[0] in _FORMULA_SIGNS and _NUMBER.fullmatch(told.rstrip(" ")) is None


def not_a_formula(text: str) -> str:
    """Returns a text with an apostrophe before every part of it that a spreadsheet would compute.

    A table with commas is also read by spreadsheets that part cells at semicolons, tabs or bars: what is behind
    one of these begins a cell there.

    >>> not_a_formula("-2+3"), not_a_formula("-2"), not_a_formula("a-b")
    ("'-2+3", '-2', 'a-b')
    >>> not_a_formula("wins; =1+1"), not_a_formula("a|@b"), not_a_formula("1; -2")
    ("wins;' =1+1", "a|'@b", '1; -2')
    """
    if not _SEPARATORS.search(text):
        return f"'{text}" if is_formula(text) else text
    return "".join(
        f"'{part}" if is_formula(part) and part != "\t" else part for part in _SEPARATORS.split(text)
    )


def csv_bytes(header: Iterable[str], rows: Iterable[Iterable[str]], end: str = "\r\n") -> bytes:
    r"""Returns rows as CSV (RFC 4180, UTF-8); text that a spreadsheet would take for a formula is quoted off.

    >>> csv_bytes(("a", "b"), [("1/2", "=1+1")])
    b"a,b\r\n1/2,'=1+1\r\n"
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator=end)
    writer.writerow(header)
    for row in rows:
        writer.writerow([not_a_formula(cell) for cell in row])
    return text.getvalue().encode("utf-8")
