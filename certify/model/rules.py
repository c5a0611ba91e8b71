"""Rules of play as parameters; each family has its own, and nothing here knows which."""

from __future__ import annotations

from dataclasses import Field
from typing import Any, ClassVar, Protocol


class Rules(Protocol):
    """Rules of play of one game: a frozen, hashable dataclass of the family that reads them."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
