"""Who issues a report and for whom, and the command that makes the same report again."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from certify.certification.evidence import Issue
from certify.certification.request import RunRequest
from certify.clauses.jurisdiction import DEFAULT
from certify.evidence.operator import Brought

NOT_STATED: Final = "Not stated"


@dataclass(frozen=True, slots=True)
class Parties:
    """Who issues the report, and for whom."""

    issuer: str
    address: str
    client: str
    authorised_by: str

    def options(self) -> str:
        """Returns the options that name the same parties again."""
        named = {
            "--issuer": self.issuer,
            "--address": self.address,
            "--client": self.client,
            "--authorised-by": self.authorised_by,
        }
        return "".join(
            f" {option} {shlex.quote(text)}" for option, text in named.items() if text and text != NOT_STATED
        )


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
        + parties.options()
    )


def brought_options(brought: Brought) -> str:
    """Returns the options that test what the operator brought again; files are called by their names alone."""
    system = brought.system
    parts = []
    if system is not None:
        parts += ["--system", system.target]
        parts += ["--system-version", system.version] if system.version else []
        parts += [word for action in system.unsupported for word in ("--without", action)]
    for output in brought.outputs:
        parts += ["--rng-output", f"{output.kind}:{output.name}"]
    return "".join(f" {shlex.quote(part)}" for part in parts)


def issue_of(request: RunRequest, parties: Parties, ended: datetime, *, demonstration: bool) -> Issue:
    """Returns who issues the report and when.

    Args:
        request: What was asked of the run; its start is the start of the tests.
        parties: Who issues the report, and for whom.
        ended: The end of the tests and the time of issue; the start itself where a time was given for a
            reproducible pack.
        demonstration: Whether the report is signed with a demonstration key.
    """
    return Issue(
        issued=ended,
        tested_from=request.started,
        tested_to=ended,
        issuer=parties.issuer,
        address=parties.address,
        client=parties.client,
        demonstration_key=demonstration,
        command=reproduction_command(request, parties),
        authorised_by=parties.authorised_by,
    )
