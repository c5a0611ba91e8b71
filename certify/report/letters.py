"""Letters that the faces of the report can draw, asked before anything is computed."""

from __future__ import annotations

import io
from functools import cache
from typing import Final

from certify.report.markup import resource

_FACES: Final = ("IBMPlexSans-Regular.ttf", "IBMPlexSans-SemiBold.ttf", "IBMPlexMono-Regular.ttf")


@cache
def drawable() -> frozenset[int]:
    """Returns the code points that text, headings and commands of a report can all be set in."""
    from fontTools.ttLib import TTFont

    maps = [set(TTFont(io.BytesIO(resource(f"fonts/{face}"))).getBestCmap()) for face in _FACES]
    return frozenset(set.intersection(*maps))


def missing_letters(text: str) -> str:
    """Returns the letters of a text that the report cannot print, each once, in their order.

    >>> missing_letters("Laboratorio ½ è"), missing_letters("日本")
    ('', '日本')
    """
    return "".join(dict.fromkeys(letter for letter in text if ord(letter) not in drawable()))
