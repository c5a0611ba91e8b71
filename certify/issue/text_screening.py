"""Texts that will be signed: refused before anything is computed where a reader would not see what is there."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from certify.characters import shown, unseen_in
from certify.errors import InputError
from certify.fonts import missing_letters, named_letters
from certify.issue.parties import MOST_ENTRIES, Parties
from certify.seal.certificates import common_name
from certify.seal.signer import Signer
from certify.untrusted_input import bounded_toml

LONGEST: Final = 200
"""Characters that a name, an address or a function may have."""


_PLACEHOLDERS: Final = {
    '"Name of the supplier"': "who supplied the game",
    "ebc12364743bf83d93b98b9a40e53b65804afb335828022f8a7bfc3093d9b444": "the SHA-256 of the file of a source",
}
"""What `certify new-game`, `new-family` and `import-par` leave for people to fill in."""

LONGEST_SENTENCE: Final = 1000
"""Characters that a deviation or a recommendation may have."""


def require_parties(parties: Parties, began: datetime) -> None:
    """Refuses names that the report could not print, or that would print as something else, and days yet to come.

    Args:
        parties: Who issues the report, and for whom.
        began: When the tests began: nothing was received or sampled afterwards.

    Raises:
        InputError: It names the option, the character, and what was expected.
    """
    days = {f"sample of {record.of}, taken_on": record.taken_on for record in parties.samples}
    for what, day in {"received": parties.engagement.received, **days}.items():
        last = f"{began.astimezone(UTC):%Y-%m-%d}"
        if day > last:
            raise InputError(f"{what} is {day}: expected no day after {last}, when the tests began (UTC)")
    named = {
        "--issuer": parties.issuer,
        "--address": parties.address,
        "--client": parties.client,
        "--authorised-by": parties.authorised_by,
    }
    told = parties.engagement
    lists = {"declaration": told.declarations, "deviation": told.deviations}
    longer = {
        f"{name} {number}": text
        for name, entries in lists.items()
        for number, text in enumerate(entries, start=1)
    }
    longer |= {"recommendation": told.recommendation, "source review": told.source_review}
    named |= {
        name.replace("_", " "): text
        for name in ("client_address", "tested_by", "reviewed_by", "place", "accreditation")
        for text in (str(getattr(told, name)),)
    }
    for record in parties.samples:
        longer[f"sample of {record.of}, how"] = record.how
        named |= {
            f"sample of {record.of}, {name}": str(getattr(record, name))
            for name in ("of", "item", "taken_by", "place", "attested_by")
        }
    for name, entries in lists.items():
        if len(entries) > MOST_ENTRIES:
            raise InputError(f"{len(entries)} {name}s: expected at most {MOST_ENTRIES}")
    for option, text in (named | longer).items():
        most = LONGEST_SENTENCE if option in longer else LONGEST
        if len(text) > most:
            raise InputError(f"{option} has {len(text)} characters: expected at most {most}")
        if "\n" in text:
            raise InputError(f"{option} has several lines: expected one")
        _require_visible(option, text)
        _require_letters(option, text)


def require_signer(signer: Signer) -> None:
    """Refuses a certificate whose name cannot stand in the visible signature.

    Raises:
        InputError: The name holds what a reader does not see, or letters that the report cannot print.
    """
    name = common_name(signer.certificate)
    _require_visible("the name in the signer's certificate", name)
    _require_letters("the name in the signer's certificate", name)


def require_submission(submission: bytes, name: str) -> None:
    """Refuses a submission with characters that a reader does not see, or with texts that the report cannot print.

    Args:
        submission: The submitted bytes, read already without a mistake: its texts are visible, its remarks may not be.
        name: What to call the file.

    Raises:
        InputError: It names the line.
    """
    for number, line in enumerate(submission.decode("utf-8").split("\n"), start=1):
        _require_visible(f"{name}:{number}", line, allowed="\t\r")
        for placeholder, expected in _PLACEHOLDERS.items():
            if placeholder in line.partition("#")[0]:
                raise InputError(f"{name}:{number}: a placeholder would be signed: expected {expected}")
    for part, text in _texts(bounded_toml(submission.decode("utf-8"))):
        _require_letters(f"{name}: {part}", text)


def _texts(value: object, place: str = "") -> Iterator[tuple[str, str]]:
    """Yields every text of a submission with the keys that lead to it; remarks are not printed and not among them."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from _texts(key, f"{place} (a key)".strip())
            yield from _texts(member, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, member in enumerate(value, start=1):
            yield from _texts(member, f"{place}[{number}]")


def _require_visible(what: str, text: str, allowed: str = "") -> None:
    found = unseen_in(text, allowed)
    if found is not None:
        raise InputError(
            f"{what} holds {found}, which a reader does not see or which turns the direction of writing: "
            f"expected visible characters in {shown(text[:LONGEST])!r}"
        )


def _require_letters(what: str, text: str) -> None:
    missing = missing_letters(text)
    if missing:
        raise InputError(
            f"{what} holds {named_letters(missing)}: expected letters that the faces of the report have (IBM Plex)"
        )
