"""From a key path to its line: the TOML reader of the standard library gives no positions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from certify.errors import KeyPath, Problem, Problems, SubmissionError, T
from certify.model.form_reader import structure
from certify.untrusted_input import MAXIMUM_BYTES, SUBMISSION, Document, TomlError, bounded_toml

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"\n]*\"|'[^'\n]*')"
_HEADER = re.compile(rf"^\s*(\[\[?)\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]\]?\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(rf"^\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=(.*)$")
_STRING = re.compile(r"\"(?:\\.|[^\"\\])*\"|'[^']*'")


@dataclass(slots=True)
class LineIndex:
    """Lines of the keys and tables of one TOML document.

    Args:
        text: The lines of the document.
        lines: Line of each key path; array elements are counted from zero.
    """

    text: list[str] = field(default_factory=list)
    lines: dict[KeyPath, int] = field(default_factory=dict)

    def line(self, path: KeyPath) -> int:
        r"""Returns the line of a path, or of its nearest enclosing table, or 1.

        >>> index_lines("[a]\nb = 1\n").line(("a", "b"))
        2
        """
        for length in range(len(path), 0, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return 1


def located_toml(data: bytes, path: str) -> tuple[Document, LineIndex]:
    """Returns what the bytes of a TOML file say, with where each key is.

    Raises:
        SubmissionError: They are too many or no TOML; it names the line.
    """
    if len(data) > MAXIMUM_BYTES:
        raise SubmissionError([Problem(path, 0, f"larger than {MAXIMUM_BYTES} bytes: {SUBMISSION.what}")])
    try:
        return bounded_toml(data), index_lines(data.decode("utf-8"))
    except TomlError as error:
        raise SubmissionError([Problem(path, error.line or 1, error.message, error.column)]) from error


def located_form(data: bytes, path: str, form: type[T]) -> tuple[T, Problems]:
    """Returns what the bytes of a TOML file state, as a noun, with the mistakes of its form.

    Raises:
        SubmissionError: They are no TOML, or so wrong that nothing of that form can be read.
    """
    document, lines = located_toml(data, path)
    noun, mistakes = structure(document, form)
    problems = Problems(path, lines.line, lines.text)
    for mistake in mistakes:
        problems.add_form(mistake.key, mistake.message)
    if noun is None:
        raise SubmissionError(problems.found)
    return noun, problems


def index_lines(text: str) -> LineIndex:
    r"""Returns where every table header and every plain key of a valid TOML document is.

    >>> index_lines('x = [\n  {k = "v"},\n  {k = "w"},\n]\n').line(("x", 1, "k"))
    3
    >>> index_lines("# \u2028\nk = 1\n").line(("k",))
    2
    >>> index_lines('[[x]]\n[[x]]\nk = "v"\n').line(("x", 1, "k"))
    3
    """
    lines = re.split(
        r"\r?\n", text
    )  # of TOML: `splitlines` knows others, such as U+2028, which a comment may hold
    index = LineIndex(lines)
    counts: dict[KeyPath, int] = {}
    table: KeyPath = ()
    number = 0
    while number < len(lines):
        line = lines[number]
        header, assignment = _HEADER.match(line), _ASSIGNMENT.match(line)
        if header:
            table = _enter(header[2], header[1] == "[[", counts)
            for length in range(len(table), 0, -1):
                index.lines.setdefault(table[:length], number + 1)
        elif assignment:
            path = (*table, *_split(assignment[1]))
            index.lines.setdefault(path, number + 1)
            last = _last_line_of_value(lines, number, assignment[2])
            for element, at in enumerate(_elements([assignment[2], *lines[number + 1 : last + 1]])):
                index.lines.setdefault((*path, element), number + at + 1)
            number = last
        number += 1
    return index


def _split(dotted: str) -> KeyPath:
    """Returns the parts of a dotted key without their quotes."""
    return tuple(part.strip("\"'") for part in re.findall(_KEY, dotted))


def _enter(dotted: str, is_array: bool, counts: dict[KeyPath, int]) -> KeyPath:
    """Returns the path of a table header, with the index of the array element it opens or belongs to."""
    path: KeyPath = ()
    parts = _split(dotted)
    for position, part in enumerate(parts):
        path = (*path, part)
        last = position == len(parts) - 1
        if last and is_array:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _last_line_of_value(lines: list[str], number: int, value: str) -> int:
    """Returns the last line of a value that may run over several lines (multi-line strings, arrays)."""
    for quotes in ('"""', "'''"):
        if value.strip().startswith(quotes) and value.strip().find(quotes, 3) < 0:
            while number + 1 < len(lines):
                number += 1
                if quotes in lines[number]:
                    break
            return number
    depth = _brackets(value)
    while depth > 0 and number + 1 < len(lines):
        number += 1
        depth += _brackets(lines[number])
    return number


def _elements(value: list[str]) -> Iterator[int]:
    """Yields the line on which each element of an array begins, the first line being 0; of other values nothing."""
    depth, begun = 0, False
    if not value[0].lstrip().startswith("["):
        return
    for number, line in enumerate(value):
        for letter in _STRING.sub('""', line).split("#", 1)[0]:
            if depth == 1 and not begun and letter not in " \t,]":
                begun = True
                yield number
            depth += (letter in "[{") - (letter in "]}")
            begun = begun and not (depth == 1 and letter == ",")


def _brackets(text: str) -> int:
    """Returns how many brackets a line leaves open, strings and comments set aside."""
    bare = _STRING.sub("", text).split("#", 1)[0]
    return bare.count("[") + bare.count("{") - bare.count("]") - bare.count("}")
