"""What ``certify rng test`` found, as JSON and as text."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from certify.cli.rng_equipment import shoe_of_packs
from certify.cli.rng_export import require_place, write_whole
from certify.cli.rng_input import SubmittedOutput
from certify.cli.rng_others import Others, others_json, print_others
from certify.cli.rng_suites import Over, SuiteOutcome
from certify.cli.rng_verdict import Concluded
from certify.errors import InputError
from certify.seal.tested import NUMBERS, reason_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from certify.issue.identity import Identity
    from rng.battery.result import NotRun, TestResult
    from rng.battery.verdict import BatteryVerdict


Constants = Literal["reference", "exact"]

# Only p-values as small as this are read far out in their tails.
FAR_BELOW: Final = 1e-2

OTHERS: Final = {
    "p_values_deciding": "both tails, right far out: these decide",
    "p_values_exact": "with exact constants",
    "p_values_reference": "with the reference program's constants",
}


def document(
    submitted: SubmittedOutput,
    outcome: SuiteOutcome,
    concluded: Concluded,
    constants: Constants,
    others: Others | None = None,
    *,
    pictured: bool = False,
) -> dict[str, Any]:
    """Returns the JSON object of ``certify rng test``, with what a report draws where that is asked for."""
    verdict = concluded.verdict
    made: dict[str, Any] = {
        "input": _input(submitted, outcome),
        "alpha": verdict.alpha,
        "verdict": verdict.word,
        "second_alpha": verdict.second_alpha,
        "second_verdict": verdict.second_word,
        "family_size": verdict.family_size,
        "rule": verdict.rule,
        "reasons": list(verdict.reasons),
        "borderline": list(concluded.borderline),
        "constants": constants,
        "tests": [_test(result, outcome, concluded.first, constants) for result in outcome.decided],
    }
    if verdict.plan_digest:
        made |= {"plan_sha256": verdict.plan_digest, "stages": verdict.stages}
    if pictured:
        made["residuals"] = _residuals(submitted)
    if others is not None:
        made["others"] = others_json(others)
    if concluded.fresh is not None:
        data, results = concluded.fresh
        made["fresh"] = {
            "input": _input(data, results),
            "tests": [_test(result, results, verdict, constants) for result in results.decided],
        }
    return made


def _residuals(submitted: SubmittedOutput) -> list[dict[str, Any]]:
    """Returns counts against expectation by place and over time, for each piece of what was drawn from."""
    from dataclasses import asdict

    from rng.battery.residuals import tables_of

    tables = [
        {"piece": part.name, "rows_tabled": len(part.drawn), **asdict(table)}
        for part in parts_of(submitted)
        for table in tables_of(part.drawn, part.shows, part.faces, by_place=part.by_place)
    ]
    # As a reader of the file has them: lists, where the table has tuples.
    return list(json.loads(json.dumps(tables)))


def _input(submitted: SubmittedOutput, outcome: SuiteOutcome) -> dict[str, Any]:
    described = submitted.as_json()
    if outcome.cut is not None:
        described |= {"streams": outcome.cut.streams, "length": outcome.cut.length}
        if outcome.cut.apart > 1:
            described["streams_spread_over"] = outcome.cut.held
    return described


def _test(
    result: TestResult | NotRun, outcome: SuiteOutcome, verdict: BatteryVerdict, constants: Constants
) -> dict[str, Any]:
    """Returns one test; a test that was not run says why, and has no p-values."""
    from rng.battery.result import NotRun

    named: dict[str, Any] = {"suite": result.suite, "test": result.test}
    if isinstance(result, NotRun):
        word = "inconclusive" if result.undecided else "not applicable"
        return {
            **named,
            "parameters": {},
            "p_values": [],
            "verdict": word,
            "reason": result.reason,
            "minimum_sample": result.minimum_sample,
        }
    decisions = [d for d in verdict.decisions if (d.suite, d.test) == (result.suite, result.test)]
    worst = min(decisions, key=lambda d: (d.adjusted, d.p_value))
    return {
        **named,
        "parameters": {key: value for key, value in result.parameters.items() if key != "constants"},
        **_p_values(result, outcome, constants),
        # Bounds and p-values of counts may be too large; those of a test over sequences are shown one by one.
        "discrete": result.discrete and (result.suite != "sp800-22" or result.test not in outcome.over),
        "verdict": verdict.word_of(result.suite, result.test),
        "adjusted_p": worst.adjusted,
        "threshold": worst.threshold,
        "sample_size": result.sample_size,
        "statistic": _finite(result.statistic),
        "degrees_of_freedom": result.degrees_of_freedom,
        "null": result.null,
        "detectable": result.detectable,
    }


def _p_values(result: TestResult, outcome: SuiteOutcome, constants: Constants) -> dict[str, Any]:
    """Returns the p-values with the constants asked for, and those with the others where they differ."""
    over = outcome.over.get(result.test) if result.suite == "sp800-22" else None
    exact, reference = result.p_values, result.p_values
    if over is not None:
        exact, reference = over.exact, over.reference
    elif result.suite == "sp800-22":
        reference = getattr(outcome.reference.get(result.test), "p_values", exact)
    shown, other = (reference, exact) if constants == "reference" else (exact, reference)
    made: dict[str, Any] = {"p_values": list(shown)}
    if shown != other:
        made[f"p_values_{'exact' if constants == 'reference' else 'reference'}"] = list(other)
    if over is None and result.decided != exact:
        made["p_values_deciding"] = list(result.decided)
    if over is None:
        return {**made, "labels": list(result.labels)}
    return {**made, **_over(over)}


def _over(over: Over) -> dict[str, Any]:
    """Returns how a test fared over many sequences, with what the reference program would make of it."""
    return {
        "labels": [column.label for column in over.columns],
        "sequences_not_run": over.not_run,
        "over_sequences": [
            {
                "label": column.label,
                "passed": column.passed,
                "of": len(column.p_values),
                "bounds": list(column.bounds),
                "proportion_p": column.proportion_p,
                "smallest_deciding": column.smallest,
                "tenths": list(column.counts),
                "expected": list(column.expected),
                "uniformity_p": column.uniformity,
                "true_law": column.exact_null,
                "reference_program": {
                    "uniformity_p": column.reference.uniformity,
                    "passed": column.reference.passed,
                    "of": column.reference.sequences,
                    "bounds": list(column.reference.bounds),
                    "flagged": column.reference.flagged,
                },
            }
            for column in over.columns
        ],
    }


def _finite(value: float | None) -> float | None:
    """Returns a statistic that JSON can hold: an infinite one, of an impossible outcome, is null."""
    return value if value is not None and math.isfinite(value) else None


def print_text(made: dict[str, Any]) -> None:
    """Prints the tests, the verdict and why."""
    click.echo(_headline(made["input"]))
    _print_tests(made["tests"])
    if "fresh" in made:
        click.echo("fresh sample: " + _headline(made["fresh"]["input"]))
        _print_tests(made["fresh"]["tests"])
    print_others(made.get("others", []))
    click.echo(f"rule: {made['rule']}")
    for reason in made["reasons"]:
        if " was not run: " in reason:
            continue  # The table says so already.
        click.echo(f"  {reason}")
    if made["borderline"] and "fresh" not in made:
        click.echo(
            f"  borderline in {', '.join(made['borderline'])}: one fresh, independent sample, "
            "four times as large, may decide (--fresh); the same data is never tested again"
        )
    click.echo(
        f"verdict: {made['verdict'].upper()} at {made['alpha']:g}; "
        f"at the second threshold {made['second_alpha']:g}: {made['second_verdict']}"
    )


def _headline(described: dict[str, Any]) -> str:
    below = f" below {described['range']:,}" if "range" in described else ""
    cut = ""
    if described.get("streams", 1) > 1:
        held = described.get("streams_spread_over")
        spread = f", spread evenly over {held:,}: --streams {held} tests all" if held else ""
        cut = f", {described['streams']:,} sequences of {described['length']:,} bits{spread}"
    return (
        f"{described['count']:,} {described['kind']}{below} from {described['source']}{cut}\n"
        + "".join(f"each of {phrase}\n" for phrase in described.get("equipment", ()))
        + f"sha256 {described['sha256']}"
    )


def _print_tests(tests: list[dict[str, Any]]) -> None:
    for test in tests:
        name = f"  {test['suite']:12} {test['test']:28}"
        if not test["p_values"]:
            click.echo(f"{name} {test['verdict'].upper()}: {test['reason']}")
            continue
        click.echo(f"{name} {_shown(test):44} adjusted {test['adjusted_p']:<9.3g} {test['verdict']}")
        for key, words in OTHERS.items():
            # What changes no digit shown is not worth a line, nor a tail that decides nothing.
            if key not in test:
                continue
            far = key != "p_values_deciding" or min(*test["p_values"], *test[key]) < FAR_BELOW
            if far and _shown(test, key) != _shown(test):
                click.echo(f"{'':40} {_shown(test, key):44} {words}")


def _shown(test: dict[str, Any], key: str = "p_values") -> str:
    """Returns up to two p-values, or how many there are and the smallest."""
    p_values = test[key]
    if len(p_values) <= 2:
        return "p = " + ", ".join(f"{p:.6f}" for p in p_values)
    labels = test["labels"]
    at = p_values.index(min(p_values))
    label = f" ({labels[at]})" if len(labels) == len(p_values) else ""
    return f"p >= {min(p_values):.6f}{label} of {len(p_values):,}"


MOST_TABLED: Final = 1 << 24
"""Draws of a sample that are tabled, from the first on."""
LARGEST_TABLED: Final = 1 << 16
"""Largest range whose numbers are tabled."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """What was drawn from one piece.

    Args:
        name: Name of the piece.
        drawn: Items[n, width], one row a row.
        shows: Face of each item.
        faces: Names of the faces.
        by_place: Whether places of a row mean something.
    """

    name: str
    drawn: NDArray[Any]
    shows: Sequence[int]
    faces: Sequence[str]
    by_place: bool


def parts_of(submitted: SubmittedOutput) -> tuple[Part, ...]:
    """Returns what was drawn from each piece; bits are taken as octets."""
    source, rows = submitted.source, submitted.rows
    if rows is None:
        bits = submitted.bits
        octets = None if bits is None else bits.octets()[: min(bits.length // 8, MOST_TABLED)]
        return () if octets is None else (_numbers("octets", octets, 256, 0),)
    if submitted.pieces is not None:
        found, column = [], 0
        for piece in submitted.pieces:
            drawn = rows[: MOST_TABLED // piece.supply, column : column + piece.supply]
            flat = len(submitted.pieces) == 1 and piece.replaced
            found.append(Part(piece.id, drawn, piece.shows, piece.faces, not flat))
            column += piece.supply
        return tuple(found)
    if source.kind == "decks":
        from rng.given.names import Pack

        pack = source.layout.pack if source.layout else Pack()
        piece = shoe_of_packs(pack)
        return (Part("deck", rows[: MOST_TABLED // pack.cards], piece.shows, piece.faces, by_place=True),)
    if source.below > LARGEST_TABLED:
        return ()
    return (_numbers("numbers", rows[:MOST_TABLED], source.below, source.first),)


def _numbers(name: str, drawn: NDArray[Any], below: int, first: int) -> Part:
    faces = tuple(str(first + number) for number in range(below))
    return Part(name, drawn.reshape(-1, 1), range(below), faces, by_place=False)


NAMES = ("battery.pdf", "battery.html", NUMBERS)


def require_room(folder: Path) -> None:
    """Refuses, before any work, a folder that the report cannot be written to; nothing is made yet.

    Raises:
        InputError: It cannot be made or written to, or something else than a file has the name of a part.
    """
    nearest = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        raise InputError(f"{folder}: {nearest} is no folder that can be written to")
    if folder.exists():
        for name in NAMES:
            require_place(folder / name)


def write_report(
    folder: Path, document: dict[str, Any], signs: tuple[Identity, datetime] | None = None
) -> None:
    """Renders what was found and writes the three parts, each whole or not at all.

    Args:
        folder: Where they go.
        document: What was found.
        signs: Who signs the PDF, with the numbers attached to it, and when; nobody if left out.
    """
    from certify.report.battery import render_battery

    numbers = (json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()
    if signs is None:
        pdf, html = render_battery(document)
    else:
        identity, moment = signs
        unsigned, html = render_battery(document, numbers, moment)
        pdf = _signed(unsigned, identity, moment, document["input"]["sha256"])
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror})") from None
    for name, content in zip(NAMES, (pdf, html, numbers), strict=True):
        write_whole(folder / name, [content])


def _signed(unsigned: bytes, identity: Identity, moment: datetime, digest: str) -> bytes:
    """Returns the PDF signed as a pack's report is: certified, no later change allowed."""
    from certify.seal.pdf_signature import sign_pdf

    return sign_pdf(
        unsigned,
        identity.signer,
        signing_time=moment,
        reason=reason_of(digest),
        location="",
        timestamper=identity.timestamper,
        stamp_roots=identity.stamp_roots,
    )
