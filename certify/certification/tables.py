"""Tables of the pack: the figures as CSV, the dealt decks and played rounds as samples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from certify.certification.automaton_file import automaton_files
from certify.certification.conclude import Conclusion
from certify.certification.evidence import round_evidence, rounds_evidence
from certify.certification.par_files import par_csv, par_xlsx
from certify.certification.parties_file import PARTIES, parties_bytes
from certify.certification.run import RunOutcome
from certify.certification.sbom import sbom_bytes
from certify.certification.texts import second_files
from certify.certification.tool import family_evidence
from certify.characters import csv_bytes as _csv
from certify.clauses.results import ExactResults, Results
from certify.evidence.conclusions import ClauseStatus
from certify.evidence.generator import Bias
from certify.evidence.judged import JudgedTables
from certify.evidence.operator import Brought, Output
from certify.evidence.plain import plain
from certify.evidence.randomness import Randomness
from certify.evidence.readings import EvaluatedReading, ReadingCombinations
from certify.evidence.report import Head
from certify.evidence.sample import TestLeftOut, TestOfSample
from certify.evidence.simulation import WagerAgreement
from certify.evidence.supplementary import SupplementaryTable
from certify.exact import decimal_text, exact_text, fraction_text, percent_text
from certify.families.registry import family_of
from certify.mathematics.par_tables import par_tables, par_title
from certify.model.equipment import Equipment
from certify.model.figures import Decision
from certify.model.finding import Finding, Observation
from certify.model.strategy import file_stem
from certify.rounds.recall import to_csv
from certify.simulation import Campaign

SAMPLED_DECKS: Final = 10_000
SAMPLED_ITEMS: Final = 4_000_000
"""Rows of draws in a pack, at most, and items in all of them: a row of a game with features holds thousands."""

POINTS: Final = "data/convergence.csv"
"""Counts at points of the campaigns, which only a run has."""

Files = dict[str, tuple[bytes, str]]


@dataclass(frozen=True, slots=True)
class Told:
    """What was concluded, as the tables tell it: by a run, or by evidence.

    Args:
        observations: What the checks saw.
        clauses: Every clause of the chosen catalogues with its status.
        findings: What a reader must know, worst first.
    """

    observations: Sequence[Observation] = ()
    clauses: Sequence[ClauseStatus] = ()
    findings: Sequence[Finding] = ()


def told_of(concluded: Conclusion) -> Told:
    """Returns what a run concluded."""
    return Told(concluded.observations, concluded.clauses, concluded.findings)


def data_files(outcome: RunOutcome, told: Told, seed: bytes, submission: bytes, head: Head) -> Files:
    """Returns the data files of a pack with their descriptions, by name.

    Args:
        outcome: What was computed.
        told: What was concluded from it.
        seed: Master seed.
        submission: The submitted bytes.
        head: Head of the report, which the PAR sheet names.
    """
    files = exact_files(outcome.results, submission, head, outcome.results.brought)
    record = Record(outcome, told, seed)
    files |= {name: (write(record), description(record)) for name, (description, write) in RECORDED.items()}
    return files


@dataclass(frozen=True, slots=True)
class Record:
    """What the files beside the exact ones are written from.

    Args:
        outcome: What was computed.
        told: What was concluded from it.
        seed: Master seed.
    """

    outcome: RunOutcome
    told: Told
    seed: bytes


def exact_files(results: ExactResults, submission: bytes, head: Head, brought: Brought) -> Files:
    """Returns the data files that follow from submission, head of the report and what was brought, by name.

    Args:
        results: What follows from the submission.
        submission: The submitted bytes.
        head: Head of the report, which the PAR sheet names.
        brought: What the operator brought, tested.
    """
    files: Files = {"data/game.toml": (submission, "The submission under test, byte for byte")}
    parties = parties_bytes(head, brought)
    if parties is not None:
        files[PARTIES] = (parties, "Who tested for whom, where, and with which deviations")
    files["data/outcomes.csv"] = (_outcomes(results), "Exact outcomes of every wager under every strategy")
    sheet = par_tables(
        results.game, list(results.analyses.values()), head, results.exposure, results.strategy_of
    )
    files["data/par-sheet.csv"] = (par_csv(sheet), "PAR sheet of every wager under every strategy")
    files["data/par-sheet.xlsx"] = (
        par_xlsx(sheet, par_title(results.game), head),
        "The same PAR sheet as a workbook, with live formulas",
    )
    for name in [name for name, analysis in results.analyses.items() if analysis.decisions]:
        files[f"data/decisions-{file_stem(name)}.csv"] = (
            _decisions(results, name),
            f"Best decision for every hand, and what {name} does",
        )
    certificate = family_of(results.game).certificate
    if certificate is not None:
        files |= certificate.files(results.game, thorough=results.thorough)
    if results.sections.judged_tables is not None:
        files["data/printed-tables.csv"] = (
            _printed_tables(results.sections.judged_tables),
            "Every printed count and row of outcomes with its verdict",
        )
    if results.sections.reading_combinations is not None:
        files["data/readings.csv"] = (
            _readings(results.sections.reading_combinations, results.sections.evaluated_readings or ()),
            "Exact returns under every combination of readings",
        )
    if results.sections.supplementary_tables is not None:
        files["data/supplementary-tables.csv"] = (
            _supplementary(results.sections.supplementary_tables),
            "Supplementary figures of the game, each with what it rests on",
        )
    files |= automaton_files(results.game, results.analyses) | second_files(results.game)
    return files | _brought(brought)


def _brought(brought: Brought) -> Files:
    """Returns what the tests of the operator's items showed; nothing where none was brought."""
    files: Files = {}
    if brought.outputs:
        files["data/operator-tests.csv"] = (
            _output_tests(brought.outputs),
            "Every test of the operator's generator, with what it can see",
        )
        files["data/operator-p-values.csv"] = (
            _output_p_values(brought.outputs),
            "Every p-value of the tests of the operator's generator",
        )
    system = brought.system
    if system is not None:
        files["data/operator-promises.csv"] = (
            _csv(
                ("promise", "verdict", "reason"), [(p.promise, p.verdict, p.reason) for p in system.promises]
            ),
            "Every promise of the operator's round system, and whether it was kept",
        )
    if system is not None and system.broken is not None:
        files["data/operator-story.csv"] = (
            _csv(("line", "what"), [(str(n), line) for n, line in enumerate(system.broken.script, start=1)]),
            "The shortest story that shows the broken promise",
        )
    return files


def _output_tests(outputs: Sequence[Output]) -> bytes:
    rows = [(output.name, *_output_test(test)) for output in outputs for test in output.tests]
    header = ("file", "suite", "test", "sample_size", "p_values", "smallest_p", "adjusted_p")
    return _csv((*header, "verdict", "reason", "null_hypothesis", "detectable"), rows)


def _output_test(test: TestOfSample | TestLeftOut) -> tuple[str, ...]:
    if isinstance(test, TestLeftOut):
        return (test.suite, test.test, "", "0", "", "", test.verdict, test.reason, "", "")
    smallest, adjusted = (f"{p:.6g}" for p in (min(test.deciding), test.adjusted_p))
    counts = (str(test.sample_size), str(len(test.p_values)))
    return (test.suite, test.test, *counts, smallest, adjusted, test.verdict, "", test.null, test.detectable)


def _output_p_values(outputs: Sequence[Output]) -> bytes:
    rows = [
        (output.name, test.suite, test.test, label, repr(p_value))
        for output in outputs
        for test in output.run
        for label, p_value in _labelled(test)
    ]
    return _csv(("file", "suite", "test", "label", "p_value"), rows)


def _labelled(test: TestOfSample) -> Iterator[tuple[str, float]]:
    """Yields the p-values of a test, each with what it stands for; of many sequences one after the other."""
    names = test.labels or tuple(str(n + 1) for n in range(len(test.p_values)))
    if test.over_sequences is not None:
        sequences = range(1, len(test.p_values) // len(names) + 1)
        names = tuple(", ".join(filter(None, (name, f"sequence {k}"))) for k in sequences for name in names)
    yield from zip(names, test.p_values, strict=True)


def _supplementary(tables: Sequence[SupplementaryTable]) -> bytes:
    rows = [
        (
            table.id,
            answer.of,
            column,
            fraction_text(figure.low),
            fraction_text(figure.high),
            decimal_text(figure.low, 9),
            decimal_text(figure.high, 9),
            str(figure.unit),
            str(figure.basis),
            answer.detail,
        )
        for table in tables
        for answer in table.rows
        for column, figure in answer.figures.items()
    ]
    bounds = ("low", "high", "low_decimal", "high_decimal")
    return _csv(("question", "of", "figure", *bounds, "unit", "basis", "detail"), rows)


def _items(equipment: Sequence[Equipment]) -> list[tuple[str, str, str]]:
    return [(piece.id, str(item), piece.name_of(item)) for piece in equipment for item in range(piece.size)]


def _observations(observations: Sequence[Observation]) -> bytes:
    rows = [
        (
            o.check,
            o.subject,
            str(o.verdict),
            str(o.item),
            o.title,
            o.expected,
            o.observed,
            o.reason,
            " ".join(o.evidence),
        )
        for o in observations
    ]
    header = ("check", "subject", "verdict", "item", "title", "expected", "observed", "reason", "evidence")
    return _csv(header, rows)


def _clauses(clauses: Sequence[ClauseStatus]) -> bytes:
    """Returns every clause with its status, and what that was shown on."""
    rows = [
        (
            clause.standard,
            clause.edition,
            clause.number,
            clause.paraphrase,
            clause.status,
            clause.method,
            " ".join(clause.checks),
            "; ".join(map(str, clause.shown_on)),
            clause.note,
            clause.certainty,
            clause.applies,
            clause.id,
        )
        for clause in clauses
    ]
    answer = ("status", "method", "checks", "shown_on", "note")
    return _csv(("standard", "edition", "number", "requirement", *answer, "certainty", "applies", "id"), rows)


def _findings(findings: Sequence[Finding]) -> bytes:
    """Returns every finding with its clauses, and what has to be done about it."""
    rows = [
        (
            one.id,
            one.severity.name.lower(),
            one.status,
            one.title,
            one.detail,
            "; ".join(one.clauses),
            one.required_action,
            one.who,
            one.check,
            one.reproduce,
        )
        for one in findings
    ]
    action = ("required_action", "who", "check", "see_it_again")
    return _csv(("finding", "severity", "status", "title", "detail", "clauses", *action), rows)


def _outcomes(results: ExactResults) -> bytes:
    rows = [
        (
            name,
            figures.wager,
            item.id,
            fraction_text(item.pays),
            exact_text(item.probability, off=item.off),
            percent_text(item.probability, 8),
            exact_text((1 + item.pays) * item.probability, off=abs(1 + item.pays) * item.off),
        )
        for name, analysis in results.analyses.items()
        for figures in analysis.wagers
        for item in figures.outcomes
    ]
    header = ("strategy", "wager", "outcome", "net", "probability", "probability_percent", "contribution")
    return _csv(header, rows)


def _decisions(results: ExactResults, name: str) -> bytes:
    decisions = results.analyses[name].decisions
    # The actions of the family, in the order in which decisions name them.
    actions = sorted({action for decision in decisions for action in decision.values})
    shown = any(decision.dealer is not None for decision in decisions)
    by_first = any(decision.first is not None for decision in decisions)
    rows = [
        (
            decision.hand,
            *((decision.dealer or "",) if shown else ()),
            *((decision.first or "",) if by_first else ()),
            " ".join(map(str, decision.composition)),
            decision.best,
            decision.chosen,
            fraction_text(decision.probability),
            *_values(decision, actions, fraction_text),
            *_values(decision, actions, lambda value: decimal_text(value, 9)),
        )
        for decision in decisions
    ]
    header = (
        "hand",
        *(("dealer",) if shown else ()),
        *(("first",) if by_first else ()),
        "composition",
        "best",
        "chosen",
        "probability",
        *actions,
        *(f"{action}_decimal" for action in actions),
    )
    return _csv(header, rows)


def _printed_tables(judged: JudgedTables) -> bytes:
    """Returns every printed count and every printed row of outcomes with its verdict and numbers."""
    counts = [
        ("count", one.label, one.printed, fraction_text(one.exact), one.verdict, "", one.detail)
        for one in judged.counts
    ]
    outcomes = [
        (
            "row",
            row.label,
            " | ".join(row.printed[column] for column in judged.columns),
            " | ".join(fraction_text(row.implied[column]) for column in judged.columns),
            row.under_implied_reading,
            row.as_probability,
            row.detail,
        )
        for row in judged.rows
    ]
    header = ("kind", "label", "printed", "exact", "verdict", "verdict_as_probability", "numbers")
    return _csv(header, counts + outcomes)


def _readings(combinations: ReadingCombinations, readings: Sequence[EvaluatedReading]) -> bytes:
    """Returns what the game returns under every combination of readings, and where no passage stands behind one."""
    rows = [
        (
            entry.reading,
            "yes" if entry.adopted else "no",
            "yes" if entry.what_if else "no",
            fraction_text(entry.return_),
            percent_text(entry.return_),
            "" if entry.return_on_total_wagered is None else fraction_text(entry.return_on_total_wagered),
        )
        for entry in (*combinations.all_, *(one for one in readings if one.what_if))
    ]
    return _csv(
        ("reading", "adopted", "what_if", "return", "return_percent", "return_on_total_wagered"), rows
    )


def _values(decision: Decision, actions: Sequence[str], write: Callable[[Fraction], str]) -> list[str]:
    """Returns the value of each action on a hand, empty where the rules do not allow it."""
    return [write(decision.values[action]) if action in decision.values else "" for action in actions]


def _campaigns(results: Results) -> list[tuple[str, Sequence[WagerAgreement]]]:
    return [(play.campaign.strategy, play.agreements) for play in results.playthroughs]


def _simulation(campaigns: Sequence[tuple[str, Sequence[WagerAgreement]]]) -> bytes:
    rows = [
        (
            strategy,
            agreement.wager,
            cell.outcome,
            cell.count,
            fraction_text(cell.probability),
            f"{cell.expected:.3f}",
            f"{cell.distance:.4f}",
        )
        for strategy, agreements in campaigns
        for agreement in agreements
        for cell in agreement.outcomes
    ]
    return _csv(("strategy", "wager", "outcome", "count", "probability", "expected", "residual"), rows)


def _convergence(results: Results) -> bytes:
    rows = [
        (play.campaign.strategy, str(point.rounds), str(cell), str(count))
        for play in results.playthroughs
        if isinstance(play.campaign, Campaign)
        for point in play.campaign.points
        for cell, count in point.joint.cells
    ]
    return _csv(("strategy", "rounds", "joint_outcome", "count"), rows)


def _randomness(randomness: Randomness) -> bytes:
    rows = [
        (test.suite, test.test, label, repr(p_value), f"{test.adjusted_p:.6g}", str(test.sample_size))
        for test in randomness.tests
        for label, p_value in zip(
            test.labels or tuple(str(n + 1) for n in range(len(test.p_values))), test.p_values, strict=True
        )
    ]
    return _csv(("suite", "test", "label", "p_value", "smallest_adjusted_p_of_test", "sample_size"), rows)


def _tests(randomness: Randomness) -> bytes:
    """Returns every test with what it assumes and what this volume of data would detect."""
    rows = [
        (
            test.suite,
            test.test,
            str(test.sample_size),
            "" if test.statistic is None else f"{test.statistic:.6g}",
            "" if test.degrees_of_freedom is None else str(test.degrees_of_freedom),
            str(len(test.p_values)),
            f"{test.smallest_p:.6g}",
            f"{test.adjusted_p:.6g}",
            test.null,
            test.detectable,
        )
        for test in randomness.tests
    ]
    header = ("suite", "test", "sample_size", "statistic", "degrees_of_freedom", "p_values", "smallest_p")
    return _csv((*header, "adjusted_p", "null_hypothesis", "detectable"), rows)


def _planted(randomness: Randomness) -> bytes:
    """Returns every fault planted to see the tests find it."""
    rows = [
        (fault.fault, fault.caught_by, fault.sample, f"{fault.p:.6g}", "yes" if fault.caught else "no")
        for fault in randomness.planted
    ]
    return _csv(("fault", "caught_by", "sample", "p", "found"), rows)


def _bias(bias: Sequence[Bias]) -> bytes:
    """Returns the exact bias of scaling for every range, by this generator and by plain remainders."""
    rows = [(str(row.n), *map(fraction_text, (row.ours, row.modulo_16, row.modulo_32))) for row in bias]
    return _csv(("n", "this_generator", "remainder_of_16_bits", "remainder_of_32_bits"), rows)


def _situations(results: Results) -> bytes:
    rows = [
        (item.id, item.situation, item.expected, item.observed, str(item.verdict), str(item.trials))
        for item in rounds_evidence(results).situations
    ]
    return _csv(("id", "situation", "expected", "observed", "verdict", "trials"), rows)


def _rounds(outcome: RunOutcome, seed: bytes) -> bytes:
    lines = [
        json.dumps(plain(round_evidence(record, played, seed)), ensure_ascii=False, sort_keys=True)
        for record, played in outcome.recorded
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _said(text: str) -> Callable[[Record], str]:
    """Returns a description that is the same for every run."""
    return lambda record: text


def _draws_described(record: Record) -> str:
    rows = record.outcome.decks
    return f"First rows of draws, little-endian; items a row: {rows.shape[1]}, bits an item: {8 * rows.dtype.itemsize}"


def _draws(record: Record) -> bytes:
    rows = record.outcome.decks
    shown = min(SAMPLED_DECKS, SAMPLED_ITEMS // rows.shape[1])
    return rows[:shown].astype(f"<u{rows.dtype.itemsize}").tobytes()


RECORDED: Final[Mapping[str, tuple[Callable[[Record], str], Callable[[Record], bytes]]]] = {
    "data/observations.csv": (
        _said("Every observation of every check"),
        lambda record: _observations(record.told.observations),
    ),
    "data/clauses.csv": (
        _said("Every clause with its status, and what that was shown on"),
        lambda record: _clauses(record.told.clauses),
    ),
    "data/findings.csv": (
        _said("Every finding with its clauses, and what has to be done about it"),
        lambda record: _findings(record.told.findings),
    ),
    "data/simulation.csv": (
        _said("Counted outcomes beside their exact expectation"),
        lambda record: _simulation(_campaigns(record.outcome.results)),
    ),
    POINTS: (
        _said("Observed outcomes at points of the campaigns"),
        lambda record: _convergence(record.outcome.results),
    ),
    "data/randomness.csv": (
        _said("Every p-value of the statistical tests"),
        lambda record: _randomness(record.outcome.results.randomness),
    ),
    "data/tests.csv": (
        _said("Every statistical test with what it assumes and what it can see"),
        lambda record: _tests(record.outcome.results.randomness),
    ),
    "data/planted.csv": (
        _said("Faults planted on purpose, and what found them"),
        lambda record: _planted(record.outcome.results.randomness),
    ),
    "data/bias.csv": (
        _said("Exact bias of scaling, range by range"),
        lambda record: _bias(record.outcome.results.rng.stated.bias),
    ),
    "data/situations.csv": (
        _said("Situations of a round, expected and observed"),
        lambda record: _situations(record.outcome.results),
    ),
    "data/rounds.jsonl": (
        _said("Rounds played card by card, with seed and index"),
        lambda record: _rounds(record.outcome, record.seed),
    ),
    "data/recall.csv": (
        _said("Rounds recalled from a ledger, with every field that recall requires"),
        lambda record: to_csv(record.outcome.results.recalled).encode("utf-8"),
    ),
    "data/sbom.cdx.json": (
        _said("Bill of materials of the software that computed (CycloneDX 1.6)"),
        lambda record: sbom_bytes(family_evidence(record.outcome.results.game)),
    ),
    "data/draws.bin": (_draws_described, _draws),
    "data/items.csv": (
        _said("What each item of the equipment shows"),
        lambda record: _csv(("piece", "item", "shows"), _items(record.outcome.results.game.equipment)),
    ),
}
"""The files beside the exact ones: description and writer by name."""
