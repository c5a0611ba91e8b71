"""Sentences in the evidence: a text in English, and the messages that it is made of.

A noun with sentences has the field ``messages``: by the name of the text, the messages that say the same in any
language. A reader without the catalogue has the English; the report takes the messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from certify.model.form import origins
from certify.model.message import Message

Worded = Mapping[str, tuple[Message, ...]]
"""Messages by the name of the text that they make."""


@origins()
@dataclass(frozen=True, slots=True)
class Said:
    """A text by itself.

    Args:
        text: The text in English.
        messages: The messages that it is made of, under ``text``.
    """

    text: str
    messages: Worded
