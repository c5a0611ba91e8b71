"""Evidence as a noun: every part a frozen dataclass, written and read in one place, its JSON Schema generated.

Only this package and its modules ``document``, ``plain``, ``read`` and ``schema`` know what JSON looks like; whoever
makes evidence makes nouns, and whoever reads it gets them.
"""

from certify.evidence.document import SCHEMA, Evidence
from certify.evidence.plain import plain
from certify.evidence.read import FormProblem, evidence_of, problems_of, read
from certify.evidence.schema import json_schema

__all__ = [
    "SCHEMA",
    "Evidence",
    "FormProblem",
    "evidence_of",
    "json_schema",
    "plain",
    "problems_of",
    "read",
]
