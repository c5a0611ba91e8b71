"""The forms in which a run of the gate is written, by name; each has a file of its own."""

from collections.abc import Callable, Mapping
from typing import Final

from certify.characters import json_text
from certify.gate.annotations import gate_annotations
from certify.gate.code_quality import gate_code_quality
from certify.gate.document import gate_document
from certify.gate.junit import gate_junit
from certify.gate.markdown import gate_markdown
from certify.gate.sarif import gate_sarif
from certify.gate.text import gate_text
from certify.gate.verdict import GateReport

FORMATS: Final[Mapping[str, Callable[[GateReport], str]]] = {
    "text": gate_text,
    "json": lambda report: json_text(gate_document(report)),
    "markdown": gate_markdown,
    "junit": gate_junit,
    "sarif": gate_sarif,
    "gitlab": gate_code_quality,
    "annotations": gate_annotations,
}
"""What writes a run in each form, complete and ready to be written to a file, by the name of the form."""
