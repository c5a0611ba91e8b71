"""The mistakes of one submission, each with its line."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from certify.errors import InputError, Problem
from certify.submission.locate import KeyPath, LineIndex

T = TypeVar("T")


class Problems:
    """Collects the mistakes of one file with their lines."""

    def __init__(self, path: str, index: LineIndex) -> None:
        self.path = path
        self.index = index
        self.found: list[Problem] = []
        self._stand_ins: set[KeyPath] = set()

    def add_form(self, key: KeyPath, message: str) -> None:
        """Records a mistake of form; what follows from the stand-in at that key is not recorded again."""
        self.add(key, message)
        self._stand_ins.add(key)

    def add(self, key: KeyPath, message: str) -> None:
        """Records a mistake at a key."""
        if any(key[:length] in self._stand_ins for length in range(len(key) + 1)):
            return
        self.found.append(Problem(self.path, self.index.line(key), message))

    def line(self, key: KeyPath) -> int:
        """Returns the line of a key."""
        return self.index.line(key)

    def attempt(self, key: KeyPath, read: Callable[[], T], otherwise: T) -> T:
        """Returns what ``read`` gives; records its complaint and returns a stand-in where it fails."""
        try:
            return read()
        except InputError as error:
            self.add(key, str(error))
            return otherwise
