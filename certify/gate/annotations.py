"""The worst changes of a gate run as workflow commands, which GitHub shows at the lines that they are about."""

from typing import Final

from certify.characters import shown
from certify.gate.change import GateChange
from certify.gate.verdict import GateReport
from certify.model import Severity

SHOWN: Final = 10
"""GitHub shows ten annotations of a kind for each step; more would hide the worst."""


def gate_annotations(report: GateReport) -> str:
    """Returns the worst ten changes as workflow commands, one line each."""
    changes = [change for change in report.unapproved if change.severity > Severity.NOTE]
    worst = sorted(changes, key=lambda change: -change.severity)[:SHOWN]
    return "".join(f"{_command(one, 'error' if report.stops(one) else 'warning')}\n" for one in worst)


def _command(change: GateChange, level: str) -> str:
    """Returns one workflow command.

    Source: GitHub Actions, workflow commands: percent, line ends, and in properties colon and comma are escaped.
    """
    properties = {"file": change.path, "line": str(change.line), "title": f"certify: {change.kind.id}"}
    listed = ",".join(
        f"{name}={_data(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items()
    )
    return f"::{level} {listed}::{_data(change.message)}"


def _data(text: str) -> str:
    return shown(text, "\n").replace("%", "%25").replace("\n", "%0A")
