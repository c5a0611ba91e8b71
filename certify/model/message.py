"""A sentence as facts: the id of a message and the numbers and names in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Union

from certify.model.form import origins

Parameter = str | int | tuple[Union[str, "Message"], ...]
"""A name, a number (fractions as ``N/D``), or a list of names and further messages."""


@origins()
@dataclass(frozen=True, slots=True)
class Message:
    """One sentence, before it is written in any language.

    Args:
        id: Id of the message in the catalogues of all languages.
        parameters: What stands in it, by name.
    """

    id: str
    parameters: Mapping[str, Parameter] = field(default_factory=dict)


Messages = tuple[Message, ...]
"""A text: sentences one after the other."""
