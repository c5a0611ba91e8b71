"""Strategies in files: one reader, which notes every mistake before it refuses, and one writer.

A family says which schema and keys its files have and what their tables mean; how a file is opened and bounded, what
makes its head whole and how mistakes are reported is stated here.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

from certify.errors import InputError, Refusing, T
from certify.untrusted_input import (
    MAXIMUM_BYTES,
    Document,
    SizeLimit,
    TomlError,
    bounded_toml,
    quoted,
    read_bounded,
)

SCHEMA: Final = "certify-strategy/1"
"""Schema of a strategy that names an option for what is seen."""


def strategy_text(path: Path, most: int = MAXIMUM_BYTES) -> str:
    """Returns the text of a strategy file.

    Raises:
        InputError: The file cannot be read, is not regular or too large, or is no UTF-8 text.
    """
    with Refusing(UnicodeDecodeError, InputError, f"{path}: the strategy cannot be read"):
        return read_bounded(path, SizeLimit("a strategy", most)).decode("utf-8")


@dataclass
class StrategyFile:
    """A strategy file being read, with everything that is wrong in it.

    Args:
        source: Name of the text in messages.
        document: What it states.
        problems: What is wrong, in the order in which it was come to.
    """

    source: str
    document: Document
    problems: list[str] = field(default_factory=list)

    @classmethod
    def parsed(cls, text: str, source: str, keys: Collection[str], schema: str = SCHEMA) -> Self:
        """Returns a TOML text as a strategy file, its keys and schema looked at.

        Args:
            text: The TOML text.
            source: Name of the text in messages.
            keys: Keys that it may have, as they are reported to a reader; any where none is given.
            schema: Schema that it must name.

        Raises:
            InputError: The text is no TOML, or goes beyond the bounds of what is read from outside.
        """
        with Refusing(TomlError, InputError, f"{source}: not TOML"):
            found = cls(source, bounded_toml(text))
        unknown = sorted(set(found.document) - set(keys))
        found.refuse_where(keys and unknown, f"unknown keys {', '.join(unknown)}: expected {', '.join(keys)}")
        found.refuse_where(
            found.document.get("schema") != schema,
            f'schema is {found.document.get("schema")!r}: expected "{schema}"',
        )
        return found

    def refuse_where(self, wrong: object, message: str) -> None:
        """Notes a mistake where something is wrong."""
        if wrong:
            self.problems.append(message)

    def name(self, reserved: Callable[[str], bool] = lambda name: False) -> str:
        """Returns the name that the file gives its strategy, empty where it gives none of its own.

        Args:
            reserved: Tells whether a name is that of a built-in strategy.
        """
        name = self.document.get("name")
        if not isinstance(name, str) or not name:
            self.problems.append("no name: expected a text")
            return ""
        self.refuse_where(
            reserved(name), f"the name {name!r} is that of a built-in strategy: expected another one"
        )
        return name

    def table(self, key: str, expected: str, within: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Returns a table, empty where there is none.

        Args:
            key: Its key.
            expected: What it is, such as ``table of hands``.
            within: The table that holds it, with its name in front of the key; the whole file where left out.
        """
        found = (self.document if within is None else within).get(key.rpartition(".")[2], {})
        if isinstance(found, dict):
            return found
        self.problems.append(f"[{key}] is no {expected}")
        return {}

    def texts(self, key: str) -> Mapping[str, str]:
        """Returns a table of texts, empty where there is none."""
        found = self.table(key, "table of texts")
        if all(isinstance(value, str) for value in found.values()):
            return found
        self.problems.append(f"[{key}] is no table of texts")
        return {}

    def attempt(self, where: str, otherwise: T, read: Callable[..., T], *given: Any) -> T:
        """Returns what is read, or a stand-in with the complaint noted."""
        try:
            return read(*given)
        except InputError as error:
            self.problems.append(f"{where}: {error}")
            return otherwise

    def gather(self, where: str, into: dict[Any, T], key: Any, value: T) -> None:
        """Takes in one entry; the same thing stated twice in two ways is a mistake."""
        self.refuse_where(key in into, f"{where}: decided twice")
        into[key] = value

    def check(self) -> None:
        """Refuses a file in which something is wrong.

        Raises:
            InputError: Everything that is wrong, a line each, with the name of the text.
        """
        if self.problems:
            raise InputError("\n".join(f"{self.source}: {problem}" for problem in self.problems))


def written(head: Mapping[str, str], sections: Iterable[tuple[str, Sequence[tuple[str, str]]]]) -> str:
    r"""Returns a strategy as a file.

    Args:
        head: What is at its head next to the schema, such as its name.
        sections: Tables by name, each with its entries.

    >>> print(written({"name": "card"}, [("choices", [("4", "hit")])]), end="")
    schema = "certify-strategy/1"
    name = "card"
    <BLANKLINE>
    [choices]
    "4" = "hit"
    """
    lines = [f"{key} = {quoted(value)}" for key, value in {"schema": SCHEMA, **head}.items()]
    for name, entries in sections:
        lines += ["", f"[{name}]", *(f"{quoted(key)} = {quoted(value)}" for key, value in entries)]
    return "\n".join(lines) + "\n"
