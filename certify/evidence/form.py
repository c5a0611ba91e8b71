"""Forms of texts in the evidence, and how a field of a noun is called in JSON.

Three rules connect every noun with its JSON. A field whose name would be a word of Python ends in an underscore that
JSON does not have (``return_`` is written ``return``). A field that is ``None`` by default is left out where it is
``None``; one that may be ``None`` without such a default is written as ``null``. Every other field is always there.
"""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a text.

    Args:
        pattern: Regular expression that the whole text matches.
        words: The form in words, for messages.
    """

    pattern: str
    words: str

    def fits(self, text: str) -> bool:
        """Tells whether a text has the form.

        >>> Form("[0-9]+", "digits").fits("12 ")
        False
        """
        return re.fullmatch(self.pattern, text, re.ASCII) is not None


FRACTION = Form(r"-?(0|[1-9][0-9]*)(/[1-9][0-9]*)?", "a fraction in lowest terms, N/D")

Sha256 = Annotated[str, Form("[0-9a-f]{64}", "a SHA-256 digest in hexadecimal")]
Hexadecimal = Annotated[str, Form("([0-9a-f]{2})+", "bytes in hexadecimal")]
Base64 = Annotated[str, Form("[A-Za-z0-9+/]*={0,2}", "base64")]
Decimal = Annotated[str, Form(r"-?[0-9]+(\.[0-9]+)?", "a decimal")]
Count = Annotated[
    str, Form("0|[1-9][0-9]*", "a whole number as text, for it may exceed what JSON holds exactly")
]
Odds = Annotated[str, Form("-?[0-9]+ to [1-9][0-9]*", "odds, N to M")]
Moment = Annotated[
    str, Form("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z", "a time in UTC to the second")
]
ReportNumber = Annotated[str, Form("(GM|CR)-[0-9]{8}-[0-9A-F]{8}", "a report number")]
"""Number of a report on game mathematics; ``CR`` is what reports of earlier software carry."""


def json_name(name: str) -> str:
    """Returns what a field is called in JSON.

    >>> json_name("return_"), json_name("wager")
    ('return', 'wager')
    """
    return name.removesuffix("_")


def left_out(field: dataclasses.Field[Any]) -> bool:
    """Tells whether a field is left out of the JSON where it is ``None``."""
    return field.default is None
