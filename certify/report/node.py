"""Reads the evidence object with errors that name the place, so that templates never meet a hole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from certify.errors import InputError, RenderError
from certify.evidence.read import FormProblem, read
from certify.messages import spoken, tell, translated, with_translations
from certify.model.message import Message


@dataclass(frozen=True, slots=True)
class Node:
    """One value of the evidence and the path that leads to it.

    Args:
        value: The value as parsed from JSON.
        path: Where it stands, such as ``analysis.main-optimal.wagers``.

    >>> Node({"report": {"number": "GM-1"}}, "").at("report").text("number")
    'GM-1'
    """

    value: object
    path: str = ""

    def __bool__(self) -> bool:
        """Tells whether there is anything here: absent and empty are the same to a reader."""
        return bool(self.value)

    def at(self, key: str) -> Node:
        """Returns the value under a key; absent keys give an empty node."""
        here = f"{self.path}.{key}" if self.path else key
        if isinstance(self.value, Mapping):
            return Node(self.value.get(key), here)
        if self.value is None:
            return Node(None, here)
        raise RenderError(
            f"evidence: {self.path or 'the root'} is not an object: expected one with the key {key!r}"
        )

    def has(self, key: str) -> bool:
        """Tells whether a key is there with a value other than null."""
        return isinstance(self.value, Mapping) and self.value.get(key) is not None

    def items(self) -> Iterator[tuple[str, Node]]:
        """Returns the keys with their values, in the order of the evidence."""
        if self.value is None:
            return
        if not isinstance(self.value, Mapping):
            raise RenderError(f"evidence: {self.path} is not an object")
        for key in self.value:
            yield str(key), self.at(key)

    def each(self, key: str = "") -> tuple[Node, ...]:
        """Returns the members of the array here, or under a key; an absent array is empty."""
        node = self.at(key) if key else self
        if node.value is None:
            return ()
        if isinstance(node.value, str) or not isinstance(node.value, Sequence):
            raise RenderError(f"evidence: {node.path} is not an array")
        return tuple(Node(member, f"{node.path}[{index}]") for index, member in enumerate(node.value))

    def text(self, key: str, default: str | None = None) -> str:
        """Returns a string or a number as text.

        Raises:
            RenderError: The value is absent and no default was given, or it is not a plain value.
        """
        node = self.at(key)
        if node.value is None and default is not None:
            return default
        return node.plain()

    def sentence(self, key: str, default: str | None = None) -> str:
        """Returns a text in the language of the report, from the messages that stand beside it.

        Where there are none, the text is looked up by its English form; what has no translation stays as it is.

        Raises:
            RenderError: The text is absent and no default was given, or its messages cannot be said.
        """
        said = self.at("messages")
        if not said.has(key):
            return translated(self.text(key, default))
        found = read(tuple[Message, ...], said.at(key).value)
        if not found or isinstance(found[0], FormProblem):
            raise RenderError(f"evidence: {said.path}.{key} holds no messages")
        try:
            return spoken().text(map(with_translations, found))
        except InputError as error:
            raise RenderError(f"evidence: {said.path}.{key}: {error}") from error

    def said(self) -> str:
        """Returns the text here in the language of the report."""
        return translated(self.plain())

    def plain(self) -> str:
        """Returns the value here as text."""
        if isinstance(self.value, bool):
            return tell("value.yes") if self.value else tell("value.no")
        if isinstance(self.value, str | int | float):
            return str(self.value)
        raise RenderError(f"evidence: {self.path} is missing or is not a text: expected a string")

    def integer(self, key: str) -> int:
        """Returns a whole number, written as such or as a string of digits."""
        node = self.at(key)
        try:
            return int(node.plain())
        except ValueError as error:
            raise RenderError(f"evidence: {node.path} is {node.value!r}: expected a whole number") from error

    def number(self, key: str) -> float:
        """Returns a statistic as a float."""
        node = self.at(key)
        try:
            return float(node.plain())
        except ValueError as error:
            raise RenderError(f"evidence: {node.path} is {node.value!r}: expected a number") from error

    def flag(self, key: str) -> bool | None:
        """Returns a truth value, or ``None`` where it is absent."""
        node = self.at(key)
        if node.value is None or isinstance(node.value, bool):
            return node.value
        raise RenderError(f"evidence: {node.path} is {node.value!r}: expected true or false")
