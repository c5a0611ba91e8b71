"""Tables of the pack, each written from the evidence alone, and the files next to them that follow from a run."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from fractions import Fraction
from itertools import accumulate, chain
from typing import Any, Final

from certify.certification.cross_checks import second_files
from certify.certification.evidence import Files, round_evidence
from certify.certification.par_files import PARTIES, automaton_files, par_csv, par_xlsx, parties_bytes
from certify.certification.run import RunOutcome
from certify.certification.sbom import sbom_bytes
from certify.certification.submitted import family_evidence
from certify.characters import csv_bytes
from certify.clauses import ExactResults
from certify.evidence import (
    BrokenPromise,
    Brought,
    Evidence,
    Head,
    JudgedTables,
    JudgedTest,
    SupplementaryTable,
    TestOfSample,
    by_strategy,
    by_wager,
    plain,
)
from certify.evidence.columns import ColumnOf, columns_of, value_at
from certify.exact import decimal_text, exact_text, fraction_text, percent_text
from certify.mathematics.par_tables import par_tables, par_title
from certify.model import file_stem
from certify.rounds import to_csv
from certify.simulation import Campaign, shown_effects

SAMPLED_DECKS: Final = 10_000
SAMPLED_ITEMS: Final = 4_000_000
"""Rows of draws in a pack, at most, and items in all of them: a row of a game with features holds thousands."""

POINTS: Final = "data/convergence.csv"
"""Counts at points of the campaigns, which only a run has."""

Row = Mapping[str, object]


def _text(value: Any) -> str:
    """Returns a value as a table has it where nothing else is declared: exactly, and nothing where there is none."""
    if value is None or isinstance(value, bool):
        return "" if value is None else "yes" if value else "no"
    if isinstance(value, tuple):
        return "; ".join(map(str, value))
    if isinstance(value, Fraction):
        return fraction_text(value)
    return value.name.lower() if isinstance(value, IntEnum) else str(value)


FORMS: Final[Mapping[str, Callable[[Any], str]]] = {
    "": _text,
    "words": lambda values: " ".join(map(str, values)),
    "len": lambda values: str(len(values)),
    "percent": percent_text,
    "percent-8": lambda value: percent_text(value, 8),
    "decimal": lambda value: decimal_text(value, 9),
    "6g": "{:.6g}".format,
    "3f": "{:.3f}".format,
    "4f": "{:.4f}".format,
}
"""How the values of a column are written; what is missing is an empty cell in every form."""


@dataclass(frozen=True, slots=True)
class PackTable:
    """A table of the pack.

    Args:
        name: Its file.
        description: What it holds.
        rows: Its rows, from the evidence: nouns, or several nouns by name; none where the pack has no such table.
        columns: Its columns (see :mod:`certify.evidence.columns`).
    """

    name: str
    description: str
    rows: Callable[[Evidence], Iterable[object] | None]
    columns: tuple[ColumnOf, ...]

    def written(self, evidence: Evidence) -> bytes:
        """Returns the table as CSV."""
        rows = (
            [(value_at(row, one.path), one.form) for one in self.columns] for row in self.rows(evidence) or ()
        )
        cells = (["" if value is None else FORMS[form](value) for value, form in row] for row in rows)
        return csv_bytes((one.head for one in self.columns), cells)


def _outcomes(evidence: Evidence) -> Iterator[Row]:
    for strategy, analysis in by_strategy(evidence.analysis):
        for wager, figures in by_wager(evidence, analysis.wagers):
            for one in figures.outcomes:
                off = {"probability": Fraction(0), "contribution": Fraction(0), **(one.off or {})}
                exact = {name: exact_text(getattr(one, name), off=off[name]) for name in off}
                yield {"strategy": strategy, "wager": wager, "of": one, **exact}


def _printed(judged: JudgedTables) -> Iterator[Row]:
    for count in judged.counts:
        yield {
            "kind": "count",
            "of": count,
            "printed": count.printed,
            "exact": count.exact,
            "verdict": count.verdict,
        }
    for row in judged.rows:
        printed, exact = (
            " | ".join(_text(part[column]) for column in judged.columns)
            for part in (row.printed, row.implied)
        )
        verdict = {"verdict": row.under_implied_reading, "other": row.as_probability}
        yield {"kind": "row", "of": row, "printed": printed, "exact": exact, **verdict}


def _readings(evidence: Evidence) -> Iterable[object] | None:
    """Returns every combination of readings, and the readings without a passage."""
    if evidence.reading_combinations is None:
        return None
    return (
        *evidence.reading_combinations.all_,
        *(one for one in evidence.evaluated_readings or () if one.what_if),
    )


def _supplementary(tables: Iterable[SupplementaryTable]) -> Iterator[Row]:
    for table in tables:
        for row in table.rows:
            for name, figure in sorted(row.figures.items()):
                yield {"question": table.id, "of": row, "figure": name, "is": figure}


def _cells(evidence: Evidence) -> Iterator[Row]:
    for campaign in evidence.simulation.campaigns:
        for wager in campaign.wagers:
            yield from (
                {"strategy": campaign.strategy, "wager": wager.wager, "of": one} for one in wager.outcomes
            )


def _p_values(tests: Iterable[JudgedTest], file: str = "") -> Iterator[Row]:
    """Yields the p-values of tests, each with what it means; of many sequences one after the other."""
    for test in tests:
        names = test.labels or tuple(str(n + 1) for n in range(len(test.p_values)))
        if isinstance(test, TestOfSample) and test.over_sequences is not None:
            sequences = range(1, len(test.p_values) // len(names) + 1)
            names = tuple(
                ", ".join(filter(None, (name, f"sequence {k}"))) for k in sequences for name in names
            )
        for label, p in zip(names, test.p_values, strict=True):
            yield {"file": file, "of": test, "label": label, "p": repr(p)}


def _tests_of_outputs(brought: Brought) -> Iterator[Row]:
    for output in brought.outputs:
        for test in output.tests:
            smallest = min(test.deciding) if isinstance(test, TestOfSample) else None
            yield {"file": output.name, "of": test, "smallest": smallest}


def _story(broken: BrokenPromise | None) -> Iterable[Row] | None:
    lines = enumerate(broken.script, start=1) if broken else None
    return None if lines is None else ({"line": n, "what": line} for n, line in lines)


def _table(
    name: str, description: str, rows: Callable[[Evidence], Iterable[object] | None], columns: str
) -> PackTable:
    return PackTable(f"data/{name}.csv", description, rows, columns_of(columns))


TABLES: Final = (
    _table("observations", "Every observation of every check", lambda e: e.observations,
          "check subject verdict item tried title expected observed reason evidence:words"),
    _table("clauses", "Every clause with its status, and what it was tested on", lambda e: e.clauses,
          "standard edition number requirement=paraphrase status method checks:words shown_on note certainty "
          "applies id"),
    _table("findings", "Every finding with its clauses, and what has to be done about it",
          lambda e: e.findings,
          "finding=id severity status title detail clauses required_action who check see_it_again=reproduce"),
    _table("outcomes", "Exact outcomes of every wager under every strategy", _outcomes,
          "strategy wager outcome=of.outcome net=of.net probability probability_percent=of.probability:percent-8 "
          "contribution"),
    _table("printed-tables", "Every printed count and row of outcomes with its verdict",
          lambda e: _printed(e.judged_tables) if e.judged_tables else None,
          "kind label=of.label printed exact verdict verdict_as_probability=other? numbers=of.detail"),
    _table("readings", "Exact returns under every combination of readings", _readings,
          "reading adopted what_if return=return_ return_percent=return_:percent return_on_total_wagered"),
    _table("supplementary-tables", "Supplementary figures of the game, each with what it rests on",
          lambda e: None if e.supplementary_tables is None else _supplementary(e.supplementary_tables),
          "question of=of.of figure low=is.low high=is.high low_decimal=is.low:decimal high_decimal=is.high:decimal "
          "unit=is.unit basis=is.basis detail=of.detail"),
    _table("simulation", "Counted outcomes with their exact expectation", _cells,
          "strategy wager outcome=of.outcome count=of.count probability=of.probability expected=of.expected:3f "
          "residual=of.distance:4f"),
    _table("played", "What each campaign played, and the smallest effects that its tests would find",
          lambda e: shown_effects(e.simulation, e.run.alpha),
          "strategy=campaign.strategy configuration=campaign.configuration wager rounds=campaign.rounds level "
          "smallest_difference=difference smallest_deviation=deviation"),
    _table("randomness", "Every p-value of the statistical tests", lambda e: _p_values(e.randomness.tests),
          "suite=of.suite test=of.test label p_value=p smallest_adjusted_p_of_test=of.adjusted_p:6g "
          "sample_size=of.sample_size"),
    _table("tests", "Every statistical test with what it assumes and what it can see",
          lambda e: e.randomness.tests,
          "suite test sample_size statistic:6g degrees_of_freedom p_values:len smallest_p:6g adjusted_p:6g "
          "null_hypothesis=null detectable"),
    _table("planted", "Faults planted on purpose, and what found them", lambda e: e.randomness.planted,
          "fault caught_by sample p:6g found=caught"),
    _table("bias", "Exact bias of scaling, range by range", lambda e: e.rng.bias,
          "n this_generator=ours remainder_of_16_bits=modulo_16 remainder_of_32_bits=modulo_32"),
    _table("situations", "Situations of a round, expected and observed", lambda e: e.rounds.situations,
          "id situation expected observed verdict trials"),
    _table("operator-tests", "Every test of the operator's generator, with what it can see",
          lambda e: _tests_of_outputs(e.brought) if e.brought.outputs else None,
          "file suite=of.suite test=of.test sample_size=of.sample_size? p_values=of.p_values:len "
          "smallest_p=smallest:6g adjusted_p=of.adjusted_p?:6g verdict=of.verdict reason=of.reason? "
          "null_hypothesis=of.null? detectable=of.detectable?"),
    _table("operator-p-values", "Every p-value of the tests of the operator's generator",
          lambda e: chain.from_iterable(_p_values(one.run, one.name) for one in e.brought.outputs)
          if e.brought.outputs else None,
          "file suite=of.suite test=of.test label p_value=p"),
    _table("critical-files", "Every file of the product under test, with size and SHA-256",
          lambda e: e.brought.files, "path bytes=bytes_ sha256"),
    _table("operator-promises", "Every promise of the operator's round system, and whether it was kept",
          lambda e: e.brought.system.promises if e.brought.system else None, "promise verdict reason tried"),
    _table("operator-story", "The shortest story that shows the broken promise",
          lambda e: _story(e.brought.system.broken if e.brought.system else None),
          "line what"),
)  # fmt: skip
"""Every table of a pack but those of decisions, whose columns are the options of the game."""


def _decisions(evidence: Evidence, strategy: str) -> PackTable:
    """Returns the table of decisions under a strategy: what they look at, and the options by their names."""
    decisions = evidence.analysis[strategy].decisions
    looked_at = [
        name for name in ("dealer", "first") if any(getattr(one, name) is not None for one in decisions)
    ]
    options = sorted({option for one in decisions for option in one.values})
    columns = columns_of(f"hand {' '.join(looked_at)} composition:words best chosen probability")
    columns += tuple(ColumnOf(one, ("values", f"{one}?")) for one in options)
    columns += tuple(ColumnOf(f"{one}_decimal", ("values", f"{one}?"), "decimal") for one in options)
    described = f"Best decision for every hand, and what {strategy} does"
    return PackTable(f"data/decisions-{file_stem(strategy)}.csv", described, lambda _: decisions, columns)


def tables_of(evidence: Evidence) -> Iterator[PackTable]:
    """Yields the tables of a pack."""
    yield from (table for table in TABLES if table.rows(evidence) is not None)
    yield from (_decisions(evidence, name) for name, one in evidence.analysis.items() if one.decisions)


def data_files(outcome: RunOutcome, made: Evidence, submission: bytes) -> Files:
    """Returns the data files of a pack with their descriptions, by name.

    Args:
        outcome: What was computed.
        made: The evidence of it, which lists no files yet.
        submission: The submitted bytes.
    """
    seed = bytes.fromhex(made.run.seed)
    files = exact_files(outcome.results, submission, made.report, made.brought)
    files |= {table.name: (table.written(made), table.description) for table in tables_of(made)}
    described = recorded_files(outcome)
    return files | {name: (write(outcome, seed), described[name]) for name, (_, write) in RECORDED.items()}


def exact_files(results: ExactResults, submission: bytes, head: Head, brought: Brought) -> Files:
    """Returns the data files next to the tables that follow from submission and head of the report, by name.

    Args:
        results: What follows from the submission.
        submission: The submitted bytes.
        head: Head of the report, which the PAR sheet names.
        brought: What the operator submitted, with the records of how it was sampled.
    """
    game = results.game
    files: Files = {"data/game.toml": (submission, "The submission under test, byte for byte")}
    for one in results.regime.jurisdictions:
        if one.own is not None:
            described = "Catalogue of clauses that the run was given, byte for byte"
            files[f"data/{one.file_name}"] = (one.file, described)
    parties = parties_bytes(head, brought)
    if parties is not None:
        files[PARTIES] = (parties, "Who tested for whom, where, and with which deviations")
    sheet = par_tables(game, list(results.analyses.values()), head, results.exposure, results.strategy_of)
    workbook = par_xlsx(sheet, par_title(game), head)
    files["data/par-sheet.csv"] = (par_csv(sheet), "PAR sheet of every wager under every strategy")
    files["data/par-sheet.xlsx"] = (workbook, "The same PAR sheet as a workbook, with live formulas")
    certificate = game.port.strategies.certificate
    if certificate is not None:
        files |= certificate.files(game, thorough=results.thorough)
    return files | automaton_files(game, results.analyses) | second_files(game)


def recorded_files(outcome: RunOutcome) -> dict[str, str]:
    """Returns what a run alone has, as it is described, by name."""
    rows = outcome.decks
    sizes = {"items": rows.shape[1], "bits": 8 * rows.dtype.itemsize}
    return {name: described.format(**sizes) for name, (described, _) in RECORDED.items()}


def _convergence(outcome: RunOutcome) -> bytes:
    rows = [
        (play.campaign.strategy, str(point.rounds), str(cell), str(count))
        for play in outcome.results.playthroughs
        if isinstance(play.campaign, Campaign)
        for point in play.campaign.points
        for cell, count in point.joint.cells
    ]
    return csv_bytes(("strategy", "rounds", "joint_outcome", "count"), rows)


def _rounds(outcome: RunOutcome, seed: bytes) -> bytes:
    lines = [
        json.dumps(plain(round_evidence(record, played, seed)), ensure_ascii=False, sort_keys=True)
        for record, played in outcome.recorded
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")


def _draws(outcome: RunOutcome) -> bytes:
    rows = outcome.decks
    shown = min(SAMPLED_DECKS, SAMPLED_ITEMS // rows.shape[1])
    return rows[:shown].astype(f"<u{rows.dtype.itemsize}").tobytes()


MOST_LISTED: Final = 65_536
"""Items of a piece up to which each has a line."""


def _items(outcome: RunOutcome) -> bytes:
    """Returns a line an item; of a piece with more than two bytes number, a line a run, with its last item."""
    rows: list[tuple[str, str, str]] = []
    for piece in outcome.results.game.equipment:
        listed: Iterable[int] = range(piece.size)
        if piece.size > MOST_LISTED:
            listed = [end - 1 for end in accumulate(piece.copies)]
        rows += [(piece.id, str(item), piece.name_of(item)) for item in listed]
    return csv_bytes(("piece", "item", "shows"), rows)


RECORDED: Final[Mapping[str, tuple[str, Callable[[RunOutcome, bytes], bytes]]]] = {
    POINTS: ("Observed outcomes at points of the campaigns", lambda outcome, seed: _convergence(outcome)),
    "data/rounds.jsonl": ("Rounds played card by card, with seed and index", _rounds),
    "data/recall.csv": (
        "Rounds recalled from a ledger, with every field that recall requires",
        lambda outcome, seed: to_csv(outcome.results.recalled).encode("utf-8"),
    ),
    "data/sbom.cdx.json": (
        "Bill of materials of the software that computed (CycloneDX 1.6)",
        lambda outcome, seed: sbom_bytes(family_evidence(outcome.results.game)),
    ),
    "data/draws.bin": (
        "First rows of draws, little-endian; items a row: {items}, bits an item: {bits}",
        lambda outcome, seed: _draws(outcome),
    ),
    "data/items.csv": ("What each item of the equipment shows", lambda outcome, seed: _items(outcome)),
}
"""What follows from a run in addition to its evidence: description and writer (given the master seed) by name."""
