"""Everything that can go wrong, grouped by who is at fault; exit codes live in certify.cli."""

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, Final, TypeVar

KeyPath = tuple[str | int, ...]
"""Where a value is in a submitted file: names of tables and keys, and places in lists."""

T = TypeVar("T")


class CertifyError(Exception):
    """Base of every error that certify raises on purpose."""


class InputError(CertifyError):
    """The call or an input file is wrong: nothing was written."""


#: The words of the operating system alone, without number and path.
strerror: Final = attrgetter("strerror")


@dataclass(frozen=True, slots=True)
class Refusing:
    """Raises what a library raises inside as an error of this software, with what was being done before its words.

    >>> with Refusing(ValueError, InputError, "the size"):
    ...     int("ten")
    Traceback (most recent call last):
    certify.errors.InputError: the size: invalid literal for int() with base 10: 'ten'

    Where everything is caught, what is of the kind already is raised as it is.

    Args:
        caught: What is caught.
        kind: The error that is raised instead, which says who is at fault.
        about: What was being done; empty where the words of the library say all.
        words: What follows of the error of the library; nothing where none is given.
    """

    caught: type[Exception] | tuple[type[Exception], ...]
    kind: type[Exception]
    about: str = ""
    words: Callable[[Any], str] | None = str

    def __enter__(self) -> None:
        """Begins what may fail."""

    def __exit__(self, _: object, error: BaseException | None, trace: object) -> None:
        """Raises the error of this software where what was caught was raised."""
        if isinstance(error, self.caught) and not (self.caught is Exception and isinstance(error, self.kind)):
            parts = (self.about, self.words(error) if self.words else "")
            raise self.kind(": ".join(part for part in parts if part)) from error


def listed(mistakes: Sequence[object], most: int) -> str:
    """Returns the first of several mistakes in one line, and how many more there are.

    >>> listed(["no id", "no title", "no version"], 2)
    'no id; no title; and 1 more'
    """
    more = f"; and {len(mistakes) - most} more" if len(mistakes) > most else ""
    return "; ".join(map(str, mistakes[:most])) + more


def with_kind(error: Exception) -> str:
    """Returns the words of an error after the name of its kind.

    >>> with_kind(KeyError("seed"))
    "KeyError: 'seed'"
    >>> with_kind(ValueError())
    'ValueError'
    """
    return ": ".join(filter(None, (type(error).__name__, str(error))))


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One mistake in a submitted file: where it is, what was found and what was expected."""

    path: str
    line: int
    message: str
    column: int = 0

    def __str__(self) -> str:
        """Returns ``file:line:column: message``, the form that editors and CI understand.

        Lines and columns count from 1; 0 is the whole file, or the whole line. What was submitted may be quoted in the
        message: characters that a terminal obeys are spelled out.
        """
        place = ":".join([self.path, *(str(number) for number in (self.line, self.column) if number)])
        return "".join(
            (character if character.isprintable() else character.encode("unicode_escape").decode("ascii"))
            for character in f"{place}: {self.message}"
        )

    def to_json(self) -> dict[str, str | int]:
        """Returns what a program reads."""
        return {"path": self.path, "line": self.line, "column": self.column, "message": self.message}


class SubmissionError(InputError):
    """A submission cannot be read or contradicts itself; carries every mistake at once."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(sorted(problems))
        super().__init__("\n".join(str(problem) for problem in self.problems))


def nearest(word: str, known: Iterable[str]) -> str:
    """Returns the known word that another one is nearly, empty where there is none.

    >>> nearest("house-adge", ["house-edge", "hit-frequency"])
    'house-edge'
    """
    return (*difflib.get_close_matches(word, list(known), 1, 0.8), "")[0]


def column_of(line: str, key: KeyPath, message: str) -> int:
    """Returns the column of a mistake, counted from 1: of the first word that the message quotes, or of its key.

    >>> column_of('  limits = { maximum = "1,00" }', ("limits", "maximum"), 'amount "1,00": expected a point')
    24
    >>> column_of("  limits = { maximum = 1 }", ("limits", "maximum"), "expected text, got 1")
    14
    """
    quoted = re.findall(r'"([^"]+)"', message)
    sought = [form for word in quoted for form in (f'"{word}"', word)] + [str(part) for part in key[::-1]]
    begins = len(line) - len(line.lstrip())
    return 1 + next((place for word in sought if (place := line.find(word)) >= 0), begins)


def one_of(word: str, known: Iterable[str]) -> str:
    """Returns what to write instead of an unknown word: the one that it is nearly, or any of them."""
    words = tuple(known)
    meant = nearest(word, words)
    return f'did you mean "{meant}"?' if meant else f"expected one of {', '.join(words)}"


def require_known(what: str, word: object, known: Collection[str]) -> None:
    """Refuses a word that is none of those that are known.

    Args:
        what: What is wrong then, such as ``no profile "slow"``.
        word: The word.
        known: The words that are known.

    Raises:
        InputError: It is none of them.
    """
    if word not in known:
        raise InputError(f"{what}: expected one of {', '.join(known)}")


class GoesOn:
    """Reads on after a mistake, which is recorded with its key."""

    def refuse(self, key: KeyPath, message: str) -> None:
        """Records a mistake."""

    def refuse_where(self, wrong: object, key: KeyPath, message: str) -> None:
        """Records a mistake where something is wrong."""
        if wrong:
            self.refuse(key, message)

    def attempt(self, key: KeyPath, read: Callable[[], T], otherwise: T) -> T:
        """Returns what ``read`` gives; records its complaint and returns a stand-in where it fails."""
        try:
            return read()
        except InputError as error:
            self.refuse(key, str(error))
            return otherwise


@dataclass(slots=True, eq=False)
class Problems(GoesOn):
    """Collects the mistakes of one file with their lines.

    Args:
        path: The file.
        line: Finds the line of a key.
        text: Its lines.

    ``tables`` names the tables in which something was found.
    """

    path: str
    line: Callable[[KeyPath], int]
    text: Sequence[str]
    found: list[Problem] = field(default_factory=list, init=False)
    tables: set[str | int] = field(default_factory=set, init=False)
    _stand_ins: set[KeyPath] = field(default_factory=set, init=False)

    def add_form(self, key: KeyPath, message: str, entry: KeyPath = ()) -> None:
        """Records a mistake of form; what follows from the stand-in at that key or entry is not recorded again."""
        self.add(key, message)
        self._stand_ins.add(entry or key)

    def add(self, key: KeyPath, message: str) -> None:
        """Records a mistake at a key."""
        if any(key[:length] in self._stand_ins for length in range(len(key) + 1)):
            return
        # So is what follows in one entry of a table from a stand-in further in, such as a card of no rank.
        if len(key) > 1 and any(one[: len(key)] == key for one in self._stand_ins):
            return
        self.found.append(self.at(key, message))
        self.tables.update(key[:1])

    refuse = add

    def raise_found(self) -> None:
        """Goes no further where something was found.

        Raises:
            SubmissionError: All that was found.
        """
        if self.found:
            raise SubmissionError(self.found)

    def at(self, key: KeyPath, message: str) -> Problem:
        """Returns a mistake at a key, with its place in the file."""
        number = self.line(key)
        line = self.text[number - 1] if number <= len(self.text) else ""
        return Problem(self.path, number, message, column_of(line, key, message))


class ContradictionError(ValueError):
    """Two entries of a submission state different things of one round: found where that round is played.

    Args:
        message: What they state.
        keys: The entries, in the order of the file.
    """

    def __init__(self, message: str, keys: tuple[KeyPath, ...]) -> None:
        super().__init__(message)
        self.keys = keys


class MissingPartError(CertifyError):
    """A part of the system that the work needs is not installed; the message names it and how to get it."""


class NothingCheckedError(CertifyError):
    """A plan, a battery or a comparison was empty: an empty plan is never a pass."""


class AgreementError(CertifyError):
    """Fewer than two independent legs were offered where agreement was requested."""


class OperationError(CertifyError):
    """An operation on a round is not allowed in its present state."""


class TrustError(CertifyError):
    """A signature, digest, chain or attestation does not verify."""


class RenderError(CertifyError):
    """The report could not be rendered exactly as intended (a warning, a stray font, a missing glyph)."""
