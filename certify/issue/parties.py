"""Who issues a report and for whom, the command that makes it again, and texts that must not deceive."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from certify.certification.evidence import Issue
from certify.certification.par_files import PARTIES
from certify.certification.request import RunRequest
from certify.characters import shown, unseen_in
from certify.clauses.jurisdiction import DEFAULT
from certify.errors import InputError
from certify.evidence.operator import Brought, Sampling
from certify.evidence.report import NOTHING_STATED, EarlierReport, Engagement, Head, Issuer
from certify.fonts import missing_letters, named_letters
from certify.messages import say, worded
from certify.seal.certificates import common_name
from certify.seal.signer import Signer
from certify.untrusted_input import PARTIES as PARTIES_FILE
from certify.untrusted_input import TomlError, bounded_toml, read_bounded

NOT_STATED: Final = "Not stated"


@dataclass(frozen=True, slots=True)
class Parties:
    """Who issues the report, and for whom.

    Args:
        issuer: Name of the laboratory, or of whoever else issues it.
        address: Its address.
        client: Who asked for the report.
        authorised_by: Who stands for it.
        engagement: What a laboratory's report tells besides.
        samples: How what the operator brings was sampled, as somebody attests it.
    """

    issuer: str
    address: str
    client: str
    authorised_by: str
    engagement: Engagement = NOTHING_STATED
    samples: tuple[Sampling, ...] = ()

    def with_options(self, issuer: str, address: str, client: str, authorised_by: str) -> Parties:
        """Returns the parties where options that were given go before the file."""
        return replace(
            self,
            issuer=issuer if issuer != NOT_STATED else self.issuer,
            address=address or self.address,
            client=client if client != NOT_STATED else self.client,
            authorised_by=authorised_by or self.authorised_by,
        )

    def options(self) -> str:
        """Returns the options that name the same parties again: a file where there is more than names."""
        if self.engagement != NOTHING_STATED or self.samples:
            return f" --parties {Path(PARTIES).name}"
        named = {
            "--issuer": self.issuer,
            "--address": self.address,
            "--client": self.client,
            "--authorised-by": self.authorised_by,
        }
        return "".join(
            f" {option} {shlex.quote(text)}" for option, text in named.items() if text and text != NOT_STATED
        )


_TEXTS: Final = (
    "laboratory", "address", "client", "client_address", "tested_by", "reviewed_by", "authorised_by", "place",
    "accreditation", "source_review", "recommendation",
)  # fmt: skip
_LISTS: Final = ("declarations", "deviations")
_SAMPLING: Final = ("of", "item", "taken_by", "taken_on", "how", "attested_by")
_SAMPLING_IF_KNOWN: Final = ("sha256", "item_sha256", "place")
MOST_ENTRIES: Final = 50
"""Declarations, deviations or records of sampling that one report holds."""


def read_parties(path: Path) -> Parties:
    """Reads a parties file: who tests for whom, who stands for it, where, with which deviations; all of it optional.

    Raises:
        InputError: The file cannot be read, or a key is unknown or has another form; the message names it.
    """
    try:
        stated = bounded_toml(read_bounded(path, PARTIES_FILE).decode("utf-8"))
    except (UnicodeDecodeError, TomlError) as error:
        raise InputError(f"{path}: {error}") from error
    known = {*_TEXTS, *_LISTS, "received", "samples"}
    for key in stated:
        if key not in known:
            raise InputError(f"{path}: unknown key {key!r}: expected one of {', '.join(sorted(known))}")
    for key in _TEXTS:
        if not isinstance(stated.get(key, ""), str):
            raise InputError(f"{path}: {key} is {stated[key]!r}: expected a text")
    declarations, deviations = (_listed(path, stated, key) for key in _LISTS)
    return Parties(
        issuer=stated.get("laboratory") or NOT_STATED,
        address=stated.get("address", ""),
        client=stated.get("client") or NOT_STATED,
        authorised_by=stated.get("authorised_by", ""),
        engagement=Engagement(
            client_address=stated.get("client_address", ""),
            tested_by=stated.get("tested_by", ""),
            reviewed_by=stated.get("reviewed_by", ""),
            received=_day(path, stated.get("received")),
            place=stated.get("place", ""),
            accreditation=stated.get("accreditation", ""),
            source_review=stated.get("source_review", ""),
            declarations=declarations,
            deviations=deviations,
            recommendation=stated.get("recommendation", ""),
        ),
        samples=_samples(path, stated.get("samples", [])),
    )


def _listed(path: Path, stated: Mapping[str, object], key: str) -> tuple[str, ...]:
    """Returns a list of texts."""
    entries = stated.get(key, [])
    if not isinstance(entries, list) or not all(
        isinstance(entry, str) and entry.strip() for entry in entries
    ):
        raise InputError(f"{path}: {key} is {entries!r}: expected a list of texts")
    if len(entries) > MOST_ENTRIES:
        raise InputError(f"{path}: {len(entries)} {key}: expected at most {MOST_ENTRIES}")
    return tuple(entries)


def _samples(path: Path, stated: object) -> tuple[Sampling, ...]:
    """Returns the records of sampling; each is whole, for half a record attests nothing."""
    if not isinstance(stated, list) or len(stated) > MOST_ENTRIES:
        raise InputError(f"{path}: samples: expected at most {MOST_ENTRIES} tables [[samples]]")
    records = tuple(_sampling(path, f"samples[{number}]", entry) for number, entry in enumerate(stated, 1))
    of = [record.of for record in records]
    for name in of:
        if of.count(name) > 1:
            raise InputError(f"{path}: two samples are of {name!r}: expected one")
    return records


def _sampling(path: Path, where: str, entry: object) -> Sampling:
    if not isinstance(entry, dict):
        raise InputError(f"{path}: {where} is {entry!r}: expected a table")
    for key in entry:
        if key not in (*_SAMPLING, *_SAMPLING_IF_KNOWN):
            expected = ", ".join(sorted((*_SAMPLING, *_SAMPLING_IF_KNOWN)))
            raise InputError(f"{path}: {where}: unknown key {key!r}: expected one of {expected}")
    for key in _SAMPLING:
        if not str(entry.get(key) or "").strip():
            raise InputError(f"{path}: {where} states no {key}: expected {', '.join(_SAMPLING)}")
    texts = {key: entry.get(key, "") for key in (*_SAMPLING, *_SAMPLING_IF_KNOWN) if key != "taken_on"}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise InputError(f"{path}: {where}: {key} is {text!r}: expected a text")
    for key in ("sha256", "item_sha256"):
        if texts[key] and not re.fullmatch("[0-9a-f]{64}", texts[key]):
            raise InputError(f"{path}: {where}: {key}: expected 64 hexadecimal digits in lower case")
    return Sampling(
        **texts | {key: texts[key] or None for key in ("sha256", "item_sha256")},
        taken_on=_day(path, entry["taken_on"], f"{where}: taken_on"),
    )


def _day(path: Path, stated: object, key: str = "received") -> str:
    """Returns a day as text; TOML writes it without quotes."""
    if stated is None:
        return ""
    if type(stated) is not date:
        raise InputError(f"{path}: {key} is {stated!r}: expected a day such as 2026-11-20, without quotes")
    return stated.isoformat()


GAME_FILE: Final = "game.toml"
"""The submission's name in the pack (in ``data/``) and in whatever tells how to compute something again."""


def reproduction_command(request: RunRequest, parties: Parties) -> str:
    """Returns the command that makes the same report again from the submission as the pack holds it.

    It follows from what was asked and from the parties; nothing in it is the issuer's to choose.

    Args:
        request: What was asked of the run; its start is the time of the report.
        parties: Who issues the report, and for whom.
    """
    return (
        f"certify run {GAME_FILE} --out pack --profile {request.profile.name} --seed {request.seed.hex()} "
        f"--at {request.started.isoformat()}"
        + "".join(
            f" --jurisdiction {name}" for name in request.regime.names if request.regime.names != (DEFAULT,)
        )
        + brought_options(request.brought)
        + since_options(request.since)
        + parties.options()
    )


def brought_options(brought: Brought) -> str:
    """Returns the options that test what the operator brought again; files are called by their names alone."""
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
    return "".join(f" {shlex.quote(part)}" for part in parts)


def since_options(earlier: EarlierReport | None) -> str:
    """Returns the options that compare with the same earlier pack again; its folder is called by its number."""
    if earlier is None:
        return ""
    return f" --since {earlier.number}" + (" --trust root.pem" if earlier.established else "")


def report_number(issued: datetime, submission_sha256: str, seed: bytes) -> str:
    """Returns the number of a report: its date, and eight digits of what was tested with which seed."""
    digest = hashlib.sha256(bytes.fromhex(submission_sha256) + seed + issued.isoformat().encode()).hexdigest()
    return f"GM-{issued:%Y%m%d}-{digest[:8].upper()}"


def _stamp(moment: datetime) -> str:
    """Returns a time in UTC to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def issue_of(request: RunRequest, parties: Parties, ended: datetime, *, demonstration: bool) -> Issue:
    """Returns who issues the report and when.

    Args:
        request: What was asked of the run; its start is the start of the tests.
        parties: Who issues the report, and for whom.
        ended: The end of the tests and the time of issue; the start itself where a time was given for a
            reproducible pack.
        demonstration: Whether the report is signed with a demonstration key.
    """
    head = Head(
        number=report_number(ended, request.game.sha256, request.seed),
        revision=1,
        issued=_stamp(ended),
        tested_from=_stamp(request.started),
        tested_to=_stamp(ended),
        profile=request.profile.name,
        **worded(classification=say("report.classification")),
        demonstration_key=demonstration,
        issuer=Issuer(parties.issuer, parties.address),
        client=parties.client,
        authorised_by=parties.authorised_by or None,
        engagement=parties.engagement if parties.engagement != NOTHING_STATED else None,
    )
    return Issue(head, reproduction_command(request, parties))


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
