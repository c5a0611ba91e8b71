"""What a submission says, apart from how it is written down: one fact for every value."""

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, Final, cast

from certify.errors import InputError, KeyPath
from certify.exact import (
    decimal_text,
    format_half_points,
    format_odds,
    parse_half_points,
    parse_odds,
    parse_percent,
)
from certify.gate.change import numbered
from certify.gate.family_code import ChangedCode, installed_code
from certify.gate.figure_inputs import LEADING_ZEROS, GateBasis, basis_of, cell_text, digest_in
from certify.model import Game, keywords
from certify.submission import SCHEMA, LineIndex, Parsed, Submitted, SubmittedOutcomeRow, parse_submission
from certify.untrusted_input import TomlError, bounded_toml

Subject = tuple[str, ...]
"""Where a fact is, by ids instead of positions: ``("wagers", "main", "paytable", "win", "pays")``."""

ORDER: Final[Subject] = ("order-of-wagers",)
"""The place of the order of the wagers as a fact of its own."""

PRINTED: Final = ("printed_counts", "printed_rows")
"""Tables of what a source prints about hands and outcomes; each entry is a claim that is counted."""


@dataclass(frozen=True, slots=True)
class SubmittedFact:
    """One value of a submission in its normal form, with its key in the file."""

    value: str
    key: KeyPath


@dataclass(frozen=True)
class Submission:
    """A submission together with what it means, which is read when it is requested.

    Args:
        path: File within its state.
        shown: The same file as messages name it.
        data: The bytes of its file.
        id: Id of the game.
        version: Version of the game.
        code: The code that it is counted with.
        known: What the bytes say, where they have been read.
    """

    path: str
    shown: str
    data: bytes
    id: str
    version: str
    code: ChangedCode
    known: Parsed | None = None

    @cached_property
    def _parsed(self) -> Parsed:
        return self.known or parse_submission(self.data, self.shown)

    @property
    def game(self) -> Game:
        """The game it describes."""
        return self._parsed.game

    @property
    def lines(self) -> LineIndex:
        """Where each key is in the file."""
        return self._parsed.lines

    @cached_property
    def facts(self) -> Mapping[Subject, SubmittedFact]:
        """Every value by where it is."""
        # The first wager is what best play is best for, and what exposure begins with.
        ordered = SubmittedFact(", ".join(wager.id for wager in self.game.wagers), ("wagers",))
        return {**dict(_facts(self._parsed.submitted, (), ())), ORDER: ordered}

    @cached_property
    def basis(self) -> GateBasis:
        """Everything that its figures rest on."""
        return basis_of(self.game, self.code)

    @cached_property
    def facts_digest(self) -> str:
        """SHA-256 of the facts alone."""
        return digest_in(sorted(([*subject], fact.value) for subject, fact in self.facts.items()))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the facts and of the basis.

        It is equal for two files that differ in the order of tables, comments or spelling only, and are counted by the
        same code.
        """
        return hashlib.sha256(f"{self.facts_digest} {self.basis.meaning}".encode()).hexdigest()


def submission_of(
    data: bytes, path: str, shown: str, code_of: Callable[[str], ChangedCode] = installed_code
) -> Submission:
    """Returns a submission whose form and content are right; nothing is counted.

    Args:
        data: The bytes of its file.
        path: File within its state.
        shown: The same file as messages name it.
        code_of: The code of a family by its id: of the state that the file is of.

    Raises:
        SubmissionError: The bytes contain mistakes.
    """
    parsed = parse_submission(data, shown)
    game = parsed.game
    return Submission(path, shown, data, game.id, game.version, code_of(game.family), parsed)


def read_submission(
    data: bytes, path: str, shown: str, code_of: Callable[[str], ChangedCode] = installed_code
) -> Submission:
    """Returns a submission with its meaning; the arguments are those of ``submission_of``.

    Raises:
        SubmissionError: The bytes contain mistakes.
    """
    found = submission_of(data, path, shown, code_of)
    # Whatever cannot be determined of what its figures rest on is reported here, where a state that cannot be read is
    # named.
    _ = found.digest
    return found


def named_in(data: bytes) -> tuple[str, str, str] | None:
    """Returns id, version and family that a file of today's form names, and reads nothing more of it.

    Returns:
        None where it does not name them: reading it reports whatever is wrong with it.
    """
    try:
        document = bounded_toml(data)
    except TomlError:
        return None
    game = document.get("game")
    if document.get("schema") != SCHEMA or not isinstance(game, dict):
        return None
    names = game.get("id"), game.get("version"), game.get("family")
    return cast(tuple[str, str, str], names) if all(isinstance(name, str) for name in names) else None


def _facts(value: Any, subject: Subject, key: KeyPath) -> Iterator[tuple[Subject, SubmittedFact]]:
    """Yields every value below a key; tables of a list are named by their id, not their position."""
    if is_dataclass(value) and not isinstance(value, type):
        value = keywords(value)
    if isinstance(value, dict):
        for name, item in value.items():
            yield from _facts(item, (*subject, str(name)), (*key, str(name)))
    elif isinstance(value, list) and value and is_dataclass(value[0]):
        for position, (name, count) in enumerate(numbered(map(_name, value))):
            again = (f"#{count}",) if count > 1 else ()
            yield from _facts(value[position], (*subject, *name, *again), (*key, position))
    elif isinstance(value, list):
        if value:
            yield subject, SubmittedFact(_listed(subject, value), key)
    else:
        yield subject, SubmittedFact(_normal(subject, value), key)


def _name(item: Any) -> Subject:
    """Returns what names a table of a list: its id or label, what a claim is about, or the first it states."""
    if hasattr(item, "id"):
        return (item.id,)
    if hasattr(item, "label"):
        return (item.label,)
    if hasattr(item, "metric"):
        return (item.wager, f"{item.metric} {item.row}" if item.row else item.metric)
    return (str(getattr(item, fields(item)[0].name)),)


def _listed(subject: Subject, values: list[Any]) -> str:
    """Returns a list of values as one text; where its order says nothing it is put in one order."""
    texts = [str(value) for value in values]
    match subject:
        case ("printed_counts", *_, "totals"):
            # Hands are counted that have any of these totals, named once or twice.
            points = {_rewritten(text, _half_points) for text in texts}
            return ", ".join(sorted(points, key=lambda text: (len(text), text)))
        case ("printed_rows", *_, "hand"):
            # The dealer's cards come in every order in which the rules take them.
            texts.sort()
    # An item that holds a comma is not to be mistaken for two.
    return ", ".join(
        json.dumps(text, ensure_ascii=False) if not text or set(text) & set(',"') else text for text in texts
    )


@dataclass(frozen=True, slots=True)
class StatedFact:
    """What is known of the values at some place of a submission.

    Args:
        place: Expression that the names on the way to such a value match as a whole, parted by slashes.
        kind: Id of the kind of change where it is stated otherwise.
        normal: Rewrites its text so that equal meanings are equal texts.
    """

    place: str
    kind: str
    normal: Callable[[str], str] = str


def fact_at(subject: Subject) -> StatedFact:
    """Returns what is known of the value at a place: the first of all facts whose place it is.

    >>> fact_at(("wagers", "main", "limits", "maximum")).kind, fact_at(("wheel", "pockets")).kind
    ('limit-changed', 'deck-changed')
    >>> fact_at(("line_pays", "seven", "pays", "5")).kind
    'paytable-row-changed'
    """
    names = "/".join(name.replace("/", " ") for name in subject)
    return next(fact for fact in FACTS if re.fullmatch(fact.place, names, re.DOTALL))


def _normal(subject: Subject, value: object) -> str:
    """Returns a value in the form in which equal meanings are equal texts; its reader has judged it already."""
    text = ("no", "yes")[value] if isinstance(value, bool) else str(value)
    return _rewritten(text, fact_at(subject).normal)


def _rewritten(text: str, normal: Callable[[str], str]) -> str:
    """Returns a text in its normal form; one that has none, because its family reads it its own way, as it is."""
    try:
        return normal(text)
    except InputError:
        return text


def is_share(subject: Subject) -> bool:
    """Returns whether a fact is a share as it is printed in a table of counts or of outcomes."""
    return fact_at(subject).normal is cell_text


def _half_points(text: str) -> str:
    return format_half_points(parse_half_points(text))


def _percent(text: str) -> str:
    printed = parse_percent(text)
    return f"{decimal_text(printed.value * 100, printed.places)} %"


def _digits(text: str) -> str:
    return LEADING_ZEROS.sub("", text)


def _version(text: str) -> str:
    return ".".join(map(_digits, text.split(".")))


OF_EVERY_GAME: Final = frozenset(field.name for field in fields(Submitted))
"""Tables of every submission; what else is in one is the family's own."""

_OF_A_ROW: Final = "|".join(field.name for field in fields(SubmittedOutcomeRow))

FACTS: Final = (
    StatedFact("(.+/)?(provenance|by|unique)|printed_(counts|rows)/(.+/)?source", "provenance-changed"),
    StatedFact("(game|(rules|sources|wagers)/[^/]+|wagers/[^/]+/paytable/[^/]+)/title", "wording-changed"),
    StatedFact("terms/printed/[^/]+|wagers/[^/]+/description", "wording-changed"),
    StatedFact("readings/[^/]+/(question|because|alternatives)", "wording-changed"),
    StatedFact("game/(id|family|supplier|banked_by)", "identity-changed"),
    StatedFact("game/version", "submission-changed", _version),
    StatedFact(
        "wagers/[^/]+/paytable/[^/]+/pays", "paytable-row-changed", lambda text: format_odds(parse_odds(text))
    ),
    StatedFact("[a-z]+_pays(/.+)?", "paytable-row-changed"),
    StatedFact("wagers/[^/]+/limits/currency", "currency-changed"),
    StatedFact("wagers/[^/]+/limits/(minimum|maximum|step)", "limit-changed", _digits),
    StatedFact("wagers/[^/]+/limits/[^/]+", "limit-changed"),
    StatedFact("order-of-wagers", "wager-order-changed"),
    StatedFact("deck/values/[^/]+", "deck-changed", _half_points),
    StatedFact("(deck|equipment)(/.+)?", "deck-changed"),
    StatedFact("rules/[^/]+/value", "rule-changed", _half_points),
    StatedFact("rules(/.+)?", "rule-changed"),
    StatedFact("claims/(.+/)?printed", "claim-changed", _percent),
    StatedFact("claims(/.+)?", "claim-changed"),
    StatedFact("terms(/.+)?", "term-changed"),
    StatedFact("sources(/.+)?", "source-changed"),
    StatedFact("readings(/.+)?", "reading-changed"),
    StatedFact("printed_counts/(.+/)?ways", "printed-figure-changed", _digits),
    StatedFact("printed_counts/(.+/)?share", "printed-figure-changed", cell_text),
    StatedFact("printed_rows/(.+/)?total", "printed-figure-changed", _half_points),
    StatedFact(f"printed_rows/[^/]+/(?!({_OF_A_ROW})$)[^/]+", "printed-figure-changed", cell_text),
    StatedFact("printed_(counts|rows)(/.+)?", "printed-figure-changed"),
    StatedFact(f"({'|'.join(OF_EVERY_GAME)})(/.+)?", "submission-changed"),
    # Another table of the family's own is about what is dealt and what it is worth.
    StatedFact(".+", "deck-changed"),
)
"""Every fact of a submission; what has no name of its own is not waved through."""
