"""A complete sample of the evidence for tests of the report, plausible in form, invented: `report_sample.json`."""

import json
from pathlib import Path

from evidence_filled import filled

from certify.evidence import SCHEMA

SAMPLE = Path(__file__).with_suffix(".json").read_text("utf-8")
GAME_TOML = b'# a sample, not a submission\nid = "sample-7-e-mezzo"\n'
LONG = (
    *("simulation", "recovery", "analysis", "observations", "rounds", "wagers"),
    *("joint", "frontier", "par", "clauses"),
)
"""Chapters that take long to lay out."""


def sample_evidence():
    """Every chapter of the present schema, and whatever else its form asks for."""
    return dict(filled({"schema": SCHEMA, **json.loads(SAMPLE)}))


def small_evidence():
    """The sample without its long chapters: quick to lay out."""
    sample = json.loads(SAMPLE)
    kept = {key: value for key, value in sample.items() if key not in LONG}
    return dict(filled({"schema": SCHEMA, **kept, "randomness": {**sample["randomness"], "tests": []}}))
