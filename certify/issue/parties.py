"""Who issues a report and for whom, and the command that makes the same report again."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Final

from certify.certification.evidence import Issue
from certify.certification.par_files import PARTIES
from certify.certification.request import RunRequest
from certify.clauses.jurisdiction import DEFAULT
from certify.errors import InputError
from certify.evidence.operator import Brought, Sampling
from certify.evidence.report import NOTHING_STATED, EarlierReport, Engagement, Head, Issuer
from certify.messages import say, worded
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
