"""Who issues a report and for whom, the command that makes it again, and texts that must not deceive."""

import hashlib
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from certify.certification.evidence import Issue
from certify.certification.par_files import PARTIES
from certify.certification.request import RunRequest
from certify.characters import shown, unseen_in
from certify.clauses import DEFAULT
from certify.errors import InputError, Problem, SubmissionError
from certify.evidence import (
    NOTHING_STATED,
    Brought,
    CriticalFile,
    EarlierReport,
    Engagement,
    Head,
    Issuer,
    Sampling,
)
from certify.fonts import missing_letters, named_letters
from certify.messages import say, worded
from certify.model import Message, Sha256, keywords
from certify.seal import Signer, common_name
from certify.submission import located_form
from certify.untrusted_input import PARTIES as PARTIES_FILE, bounded_toml, read_bounded

NOT_STATED: Final = "Not stated"


@dataclass(frozen=True, slots=True)
class Parties:
    """Who issues the report, and for whom.

    Args:
        issuer: Name of the laboratory, or of whoever else issues it.
        address: Its address.
        client: Who requested the report.
        authorised_by: Who is responsible for it.
        engagement: What a laboratory's report states in addition.
        samples: How what the operator submits was sampled, as somebody attests it.
    """

    issuer: str
    address: str
    client: str
    authorised_by: str
    engagement: Engagement = NOTHING_STATED
    samples: tuple[Sampling, ...] = ()

    def with_options(self, issuer: str, address: str, client: str, authorised_by: str) -> "Parties":
        """Returns the parties where options that were given go before the file."""
        return replace(
            self,
            issuer=issuer if issuer != NOT_STATED else self.issuer,
            address=address or self.address,
            client=client if client != NOT_STATED else self.client,
            authorised_by=authorised_by or self.authorised_by,
        )

    @property
    def named(self) -> dict[str, str]:
        """Names and addresses by the options that state them."""
        return {
            "--issuer": self.issuer,
            "--address": self.address,
            "--client": self.client,
            "--authorised-by": self.authorised_by,
        }

    def options(self) -> str:
        """Returns the options that name the same parties again: a file where there is more than names."""
        if self.engagement != NOTHING_STATED or self.samples:
            return f" --parties {Path(PARTIES).name}"
        return "".join(
            f" {option} {shlex.quote(text)}"
            for option, text in self.named.items()
            if text and text != NOT_STATED
        )


MOST_ENTRIES: Final = 50
"""Declarations, deviations or records of sampling that one report holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SubmittedSampling(Sampling):
    """One ``[[samples]]``: half a record attests nothing."""

    sha256: Sha256 | None = None
    item_sha256: Sha256 | None = None
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SubmittedParties(Engagement):
    """A parties file; all of it is optional."""

    laboratory: str = ""
    address: str = ""
    client: str = ""
    authorised_by: str = ""
    samples: tuple[_SubmittedSampling, ...] = ()


def read_parties(path: Path) -> Parties:
    """Reads a parties file: who tests for whom, who signs, where, with which deviations; all of it optional.

    Raises:
        InputError: The file cannot be read, or a key is unknown or has another form; the message names it.
    """
    file, problems = located_form(read_bounded(path, PARTIES_FILE), str(path), _SubmittedParties)
    for key in ("declarations", "deviations", "samples"):
        entries = getattr(file, key)
        problems.refuse_where(
            len(entries) > MOST_ENTRIES, (key,), f"{len(entries)} {key}: expected at most {MOST_ENTRIES}"
        )
    named = [record.of for record in file.samples]
    for place, name in enumerate(named):
        problems.refuse_where(
            name in named[:place], ("samples", place), f"two samples are of {name!r}: expected one"
        )
    problems.raise_found()
    return Parties(
        file.laboratory or NOT_STATED,
        file.address,
        file.client or NOT_STATED,
        file.authorised_by,
        Engagement(**keywords(file, Engagement)),
        tuple(Sampling(**keywords(one)) for one in file.samples),
    )


GAME_FILE: Final = "game.toml"
"""The submission's name in the pack (in ``data/``) and in whatever tells how to compute something again."""


def reproduction_command(request: RunRequest, parties: Parties) -> str:
    """Returns the command that makes the same report again from the submission as the pack holds it.

    It follows from what was requested and from the parties; nothing in it is the issuer's to choose.

    Args:
        request: What the run was to do; its start is the time of the report.
        parties: Who issues the report, and for whom.
    """
    return (
        f"certify run {GAME_FILE} --out pack --profile {request.profile.name} --seed {request.seed.hex()} "
        f"--at {request.started.isoformat()}"
        + "".join(
            f" --catalogue {one.file_name}" if one.own else f" --jurisdiction {one.name}"
            for one in request.regime.jurisdictions
            if request.regime.names != (DEFAULT,)
        )
        + operator_item_options(request.brought)
        + since_options(request.since)
        + parties.options()
    )


def operator_item_options(brought: Brought) -> str:
    """Returns the options that test what the operator submitted again; files are called by their names alone."""
    system = brought.system
    parts = []
    if system is not None:
        parts += ["--system", system.target]
        parts += ["--system-version", system.version] if system.version else []
        parts += ["--system-sha256", system.sha256] if system.sha256 else []
        parts += ["--stories", str(system.planned)]
        parts += [word for action in system.unsupported for word in ("--without", action)]
    for output in brought.outputs:
        parts += ["--rng-output", f"{output.kind}:{output.name}"]
    parts += [] if brought.files is None else ["--item-files", "item-files"]
    return "".join(f" {shlex.quote(part)}" for part in parts)


def since_options(earlier: EarlierReport | None) -> str:
    """Returns the options that compare with the same earlier pack again; its folder is called by its number."""
    if earlier is None:
        return ""
    return f" --since {earlier.number}" + (" --trust root.pem" if earlier.established else "")


def _stamp(moment: datetime) -> str:
    """Returns a time in UTC to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def issue_of(request: RunRequest, parties: Parties, ended: datetime, *, demonstration: bool) -> Issue:
    """Returns who issues the report and when.

    Args:
        request: What the run was to do; its start is the start of the tests.
        parties: Who issues the report, and for whom.
        ended: The end of the tests and the time of issue; the start itself where a time was given for a
            reproducible pack.
        demonstration: Whether the report is signed with a demonstration key.
    """
    tested = bytes.fromhex(request.game.sha256) + request.seed + ended.isoformat().encode()
    head = Head(
        # The date, and eight digits of what was tested with which seed.
        number=f"GM-{ended:%Y%m%d}-{hashlib.sha256(tested).hexdigest()[:8].upper()}",
        revision=1,
        issued=_stamp(ended),
        tested_from=_stamp(request.started),
        tested_to=_stamp(ended),
        profile=request.profile.name,
        **worded(classification=_classification(parties.engagement)),
        demonstration_key=demonstration,
        issuer=Issuer(parties.issuer, parties.address),
        client=parties.client,
        authorised_by=parties.authorised_by or None,
        engagement=parties.engagement if parties.engagement != NOTHING_STATED else None,
    )
    return Issue(head, reproduction_command(request, parties))


def _classification(engagement: Engagement) -> Message:
    """Returns what kind of assessment this is: by the accreditation that the issuer states, or by none."""
    if not engagement.accreditation:
        return say("report.classification")
    return say("report.classification-accredited", accreditation=engagement.accreditation)


LONGEST: Final = 200
"""Characters that a name, an address or a function may have."""


_PLACEHOLDERS: Final = {
    "Name of the supplier": "who supplied the game",
    "Name of the source": "what the source is called, with its own text and digest",
}
"""What `certify new-game`, `new-family` and `import-par` leave for people to fill in."""

LONGEST_SENTENCE: Final = 1000
"""Characters that a deviation or a recommendation may have."""


def require_parties(parties: Parties, began: datetime, files: Sequence[CriticalFile] = ()) -> None:
    """Refuses names that the report could not print, or that would print as something else, and days yet to come.

    Args:
        parties: Who issues the report, and for whom.
        began: When the tests began: nothing was received or sampled afterwards.
        files: Files of the product, which are named as they are called.

    Raises:
        InputError: It names the option, the character, and what was expected.
    """
    told, last = parties.engagement, f"{began.astimezone(UTC):%Y-%m-%d}"
    days = {f"sample of {record.of}, taken_on": record.taken_on for record in parties.samples}
    for what, day in {"received": told.received, **days}.items():
        if day > last:
            raise InputError(f"{what} is {day}: expected no day after {last}, when the tests began (UTC)")
    if told.valid_until is not None and told.valid_until < last:
        raise InputError(
            f"valid_until is {told.valid_until}: expected no day before {last}, when the tests began (UTC)"
        )
    lists = {"declaration": told.declarations, "deviation": told.deviations}
    for name, entries in lists.items():
        if len(entries) > MOST_ENTRIES:
            raise InputError(f"{len(entries)} {name}s: expected at most {MOST_ENTRIES}")
    named = parties.named | {
        name.replace("_", " "): str(getattr(told, name) or "")
        for name in (
            "client_address",
            "tested_by",
            "reviewed_by",
            "place",
            "accreditation",
            "generator_report",
        )
    }
    named |= {
        f"sample of {record.of}, {name}": str(getattr(record, name))
        for record in parties.samples
        for name in ("of", "item", "taken_by", "place", "attested_by")
    }
    longer = {
        **{f"{name} {number}": text for name, texts in lists.items() for number, text in enumerate(texts, 1)},
        "recommendation": told.recommendation,
        "source review": told.source_review,
        **{f"sample of {record.of}, how": record.how for record in parties.samples},
    }
    for option, text in (named | longer | {f"item file {file.path!r}": file.path for file in files}).items():
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
        InputError: It names the line; of placeholders, every one.
    """
    for number, line in enumerate(submission.decode("utf-8").split("\n"), start=1):
        _require_visible(f"{name}:{number}", line, allowed="\t\r")
    left = [
        Problem(
            name,
            number,
            f"a placeholder would be signed: expected {expected}",
            stated.index(placeholder) + 1,
        )
        for number, line in enumerate(submission.decode("utf-8").split("\n"), start=1)
        for placeholder, expected in _PLACEHOLDERS.items()
        if placeholder in (stated := line.partition("#")[0])
    ]
    if left:
        raise SubmissionError(left)
    for part, text in _texts(bounded_toml(submission)):
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
