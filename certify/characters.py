"""Characters that a reader does not see, or that make a reader see something else than what is there."""

from __future__ import annotations

import unicodedata
from typing import Final

_UNSEEN_KINDS: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Controls, formats (among them all that turn the direction of writing), surrogates, unassigned, line separators."""

_UNSEEN: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Letters and marks without a shape: joiners, fillers, the empty Braille pattern."""

_VARIATIONS: Final = ((0xFE00, 0xFE0F), (0xE0100, 0xE01EF), (0x180B, 0x180D))
"""Variation selectors, which alter the letter before them or do nothing."""


def is_unseen(character: str) -> bool:
    r"""Tells whether a character is invisible, or turns the direction of those around it.

    Source: Unicode Standard Annex #9, section 2 (directional formatting characters); Unicode Technical Report
    #36, section 2 (visual security).

    >>> [is_unseen(c) for c in ("½", "é", "\u202e", "\u200b", "\ud800")]
    [False, False, True, True, True]
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


def shown(text: str) -> str:
    r"""Returns a text with every unseen character spelled out, so that a terminal cannot be made to obey it.

    >>> shown("\x1b[2Jclean\u202e")
    '\\x1b[2Jclean\\u202e'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c.encode("unicode_escape").decode("ascii") if is_unseen(c) else c for c in text)
