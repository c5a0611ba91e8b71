"""The formats in which a run of the gate is written, by name; each has a file of its own."""

from collections.abc import Mapping
from typing import Final, Protocol

from certify.gate.annotations import gate_annotations
from certify.gate.code_quality import gate_code_quality
from certify.gate.document import gate_json
from certify.gate.junit import gate_junit
from certify.gate.markdown import gate_markdown
from certify.gate.sarif import gate_sarif
from certify.gate.text import gate_text
from certify.gate.verdict import GateReport


class Format(Protocol):
    """What writes a run of the gate in one form."""

    def __call__(self, report: GateReport) -> str:
        """Returns the run, complete and ready to be written to a file."""


FORMATS: Final[Mapping[str, Format]] = {
    "text": gate_text,
    "json": gate_json,
    "markdown": gate_markdown,
    "junit": gate_junit,
    "sarif": gate_sarif,
    "gitlab": gate_code_quality,
    "annotations": gate_annotations,
}
"""Every form by the name under which it is ordered."""
