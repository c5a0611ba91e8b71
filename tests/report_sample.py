"""A complete sample of the evidence for tests of the report, plausible in form, invented: `report_sample.json`."""

import hashlib
import json
from fractions import Fraction
from pathlib import Path

from evidence_filled import filled

from certify.evidence.document import SCHEMA

SAMPLE = Path(__file__).with_suffix(".json").read_text("utf-8")
GAME_TOML = b'# a sample, not a submission\nid = "sample-7-e-mezzo"\n'
LONG = (
    *("simulation", "recovery", "analysis", "observations", "rounds", "wagers"),
    *("joint", "frontier", "par", "clauses"),
)
"""Chapters that take long to lay out."""


def sha(text):
    return hashlib.sha256(text.encode()).hexdigest()


def unit(label):
    """A number in (0, 1) that depends on the label alone."""
    return (int(sha(label)[:12], 16) + 0.5) / 16**12


def normal(label):
    """Roughly normal: the sum of twelve uniform numbers, less six."""
    return sum(unit(f"{label}/{index}") for index in range(12)) - 6


def campaign(strategy, analysis):
    """A campaign whose counts scatter around the probabilities of an analysis."""
    rounds = 2_000_000
    wagers = []
    for wager, figures in analysis["wagers"].items():
        outcomes = []
        for row in figures["outcomes"]:
            share = Fraction(row["probability"])
            expected, residual = float(share * rounds), round(normal(wager + row["outcome"]), 3)
            count = int(expected + residual * (expected * (1 - float(share))) ** 0.5)
            outcomes.append(
                {
                    "outcome": row["outcome"],
                    "count": str(count),
                    "frequency": count / rounds,
                    "probability": str(share),
                    "expected": expected,
                    "residual": residual,
                }
            )
        played, error = (
            float(Fraction(figures["return"])) + 0.0004,
            figures["standard_deviation"] / rounds**0.5,
        )
        wagers.append(
            {
                "wager": wager,
                "outcomes": outcomes,
                "chi_square": {"statistic": 3.1, "degrees_of_freedom": len(outcomes) - 1, "p_value": 0.37},
                "mean": {
                    "return": played,
                    "exact_return": figures["return"],
                    "standard_error": error,
                    "z": 0.4,
                    "p_value": 0.69,
                    "interval_99": [played - 2.58 * error, played + 2.58 * error],
                },
                "equivalence": {
                    "margin": "1/2000",
                    "reason": "Close to the stake.",
                    "rounds_needed": 1_000_000,
                    "asked": True,
                    "interval_98": [-0.0001, 0.0002],
                    "equivalent": True,
                },
                "verdict": "satisfied",
            }
        )
    convergence = []
    for step in range(40):
        played = int(1000 * 2000 ** (step / 39))
        at = {}
        for wager, figures in analysis["wagers"].items():
            half = 2.5758 * figures["standard_deviation"] / played**0.5
            drift = 0.3 * half * normal(f"{wager}-{step // 4}")
            at[wager] = {"return": float(Fraction(figures["return"])) + drift, "half_width_99": half}
        convergence.append({"rounds": played, "wagers": at})
    return {
        "strategy": strategy,
        "rounds": rounds,
        "seed": sha("sample seed"),
        "purpose": "simulation-decks",
        "streams": 20,
        "kernel_twin_rounds": 20000,
        "wagers": wagers,
        "convergence": convergence,
    }


def sample_evidence():
    """Every chapter of the present schema, and whatever else its form asks for."""
    return dict(filled({"schema": SCHEMA, **json.loads(SAMPLE)}))


def small_evidence():
    """The sample without its long chapters: quick to lay out."""
    sample = json.loads(SAMPLE)
    kept = {key: value for key, value in sample.items() if key not in LONG}
    return dict(filled({"schema": SCHEMA, **kept, "randomness": {**sample["randomness"], "tests": []}}))
