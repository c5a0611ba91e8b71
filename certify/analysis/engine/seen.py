"""What a player sees, as a text: the name under which a decision is listed, explained and written into files."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any


def seen_text(seen: Any) -> str:
    """Returns what is seen as a text, parts of parts joined by a plus.

    >>> seen_text((4, ("A", 3), None)), seen_text("point 6")
    ('4, A+3, -', 'point 6')
    """
    parts = _parts(seen)
    return _atom(seen) if parts is None else ", ".join(_joined(part) for part in parts)


def _joined(part: Any) -> str:
    parts = _parts(part)
    if parts is None:
        return _atom(part)
    inner = [_joined(one) if _parts(one) is None else f"({_joined(one)})" for one in parts]
    return "+".join(inner) or "none"


def _parts(seen: Any) -> tuple[Any, ...] | None:
    if is_dataclass(seen) and not isinstance(seen, type):
        return tuple(getattr(seen, field.name) for field in fields(seen))
    if isinstance(seen, frozenset):
        return tuple(sorted(seen, key=repr))
    return tuple(seen) if isinstance(seen, tuple) else None


def _atom(seen: Any) -> str:
    if isinstance(seen, Enum):
        return str(seen.value)
    return "-" if seen is None else str(seen)


def seen_texts(all_seen: Iterable[Hashable]) -> Mapping[Hashable, str]:
    """Returns a text for everything that is seen, different for what is different.

    Where two would read the same, they are written out as Python writes them.
    """
    listed = list(dict.fromkeys(all_seen))
    readers: dict[str, int] = {}
    for seen in listed:
        readers[seen_text(seen)] = readers.get(seen_text(seen), 0) + 1
    return {seen: seen_text(seen) if readers[seen_text(seen)] == 1 else repr(seen) for seen in listed}
