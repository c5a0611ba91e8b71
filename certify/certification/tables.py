"""Tables of the pack: the figures as CSV, the dealt decks and played rounds as samples."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Final

from certify.analysis.par_tables import par_tables
from certify.certification.evidence import round_json
from certify.certification.par_files import par_csv, par_xlsx
from certify.certification.run import RunOutcome
from certify.certification.sbom import sbom_bytes
from certify.clauses.results import ExactResults, Results
from certify.exact import decimal_text, fraction_text, percent_text
from certify.model.equipment import Equipment
from certify.model.figures import Decision
from certify.model.finding import Observation
from certify.rounds.recall import to_csv

SAMPLED_DECKS: Final = 10_000

Files = dict[str, tuple[bytes, str]]


def data_files(
    outcome: RunOutcome, observations: Sequence[Observation], seed: bytes, submission: bytes
) -> Files:
    """Returns the data files of a pack with their descriptions, by name.

    Args:
        outcome: What was computed.
        observations: What the checks saw.
        seed: Master seed.
        submission: The submitted bytes.
    """
    results = outcome.results
    files = exact_files(results, submission)
    files["data/observations.csv"] = (_observations(observations), "Every observation of every check")
    files["data/simulation.csv"] = (_simulation(results), "Counted outcomes beside their exact expectation")
    files["data/convergence.csv"] = (_convergence(results), "Observed outcomes at points of the campaigns")
    files["data/randomness.csv"] = (_randomness(results), "Every p-value of the statistical tests")
    files["data/situations.csv"] = (_situations(results), "Situations of a round, expected and observed")
    files["data/rounds.jsonl"] = (_rounds(outcome, seed), "Rounds played card by card, with seed and index")
    files["data/recall.csv"] = (
        to_csv(results.recalled).encode("utf-8"),
        "Rounds recalled from a ledger, with every field that recall requires",
    )
    files["data/sbom.cdx.json"] = (
        sbom_bytes(),
        "Bill of materials of the software that computed (CycloneDX 1.6)",
    )
    files["data/draws.bin"] = (
        outcome.decks[:SAMPLED_DECKS].astype(f"<u{outcome.decks.dtype.itemsize}").tobytes(),
        (
            f"First rows of draws: {outcome.decks.shape[1]} items a row, little-endian, "
            f"{outcome.decks.dtype.itemsize} bytes an item"
        ),
    )
    files["data/items.csv"] = (
        _csv(("piece", "item", "shows"), _items(results.game.equipment)),
        "What each item of the equipment shows",
    )
    return files


def exact_files(results: ExactResults, submission: bytes) -> Files:
    """Returns the data files that follow from the submission alone, with their descriptions, by name.

    Args:
        results: What follows from the submission.
        submission: The submitted bytes.
    """
    files: Files = {"data/game.toml": (submission, "The submission under test, byte for byte")}
    files["data/outcomes.csv"] = (_outcomes(results), "Exact outcomes of every wager under every strategy")
    sheet = par_tables(results.game, list(results.analyses.values()))
    files["data/par-sheet.csv"] = (par_csv(sheet), "PAR sheet of every wager under every strategy")
    files["data/par-sheet.xlsx"] = (par_xlsx(sheet), "The same PAR sheet as a workbook")
    for name in results.analyses:
        files[f"data/decisions-{name}.csv"] = (
            _decisions(results, name),
            f"Best decision for every hand, and what {name} does",
        )
    if "judged_tables" in results.sections:
        files["data/printed-tables.csv"] = (
            _printed_tables(results.sections["judged_tables"]),
            "Every printed count and row of outcomes with its verdict",
        )
    if "reading_combinations" in results.sections:
        files["data/readings.csv"] = (
            _readings(results.sections),
            "Exact returns under every combination of readings",
        )
    return files


def _items(equipment: Sequence[Equipment]) -> list[tuple[str, str, str]]:
    return [(piece.id, str(item), piece.name_of(item)) for piece in equipment for item in range(piece.size)]


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Returns rows as CSV (RFC 4180, UTF-8); text that a spreadsheet would take for a formula is quoted off."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    for row in rows:
        writer.writerow([f"'{cell}" if cell[:1] in ("=", "@", "+") else cell for cell in row])
    return text.getvalue().encode("utf-8")


def _observations(observations: Sequence[Observation]) -> bytes:
    rows = [
        (o.check, o.subject, str(o.verdict), o.title, o.expected, o.observed, o.reason, " ".join(o.evidence))
        for o in observations
    ]
    header = ("check", "subject", "verdict", "title", "expected", "observed", "reason", "evidence")
    return _csv(header, rows)


def _outcomes(results: ExactResults) -> bytes:
    rows = [
        (
            name,
            figures.wager,
            item.id,
            fraction_text(item.pays),
            fraction_text(item.probability),
            percent_text(item.probability, 8),
            fraction_text((1 + item.pays) * item.probability),
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


def _printed_tables(judged: Mapping[str, Any]) -> bytes:
    """Returns every printed count and every printed row of outcomes with its verdict and numbers."""
    counts = [
        ("count", entry["label"], entry["printed"], entry["exact"], entry["verdict"], "", entry["detail"])
        for entry in judged["counts"]
    ]
    outcomes = [
        (
            "row",
            entry["label"],
            " | ".join(entry["printed"].values()),
            " | ".join(entry["implied"].values()),
            entry["under_implied_reading"],
            entry["as_probability"],
            entry["detail"],
        )
        for entry in judged["rows"]
    ]
    header = ("kind", "label", "printed", "exact", "verdict", "verdict_as_probability", "numbers")
    return _csv(header, counts + outcomes)


def _readings(sections: Mapping[str, Any]) -> bytes:
    """Returns what the game returns under every combination of readings, and where no passage stands behind one."""
    what_ifs = [entry for entry in sections["evaluated_readings"] if entry["what_if"]]
    rows = [
        (
            entry["reading"],
            "yes" if entry["adopted"] else "no",
            "yes" if entry["what_if"] else "no",
            entry["return"],
            entry["return_percent"],
            entry["return_on_total_wagered"] or "",
        )
        for entry in (*sections["reading_combinations"]["all"], *what_ifs)
    ]
    return _csv(
        ("reading", "adopted", "what_if", "return", "return_percent", "return_on_total_wagered"), rows
    )


def _values(decision: Decision, actions: Sequence[str], write: Callable[[Fraction], str]) -> list[str]:
    """Returns the value of each action on a hand, empty where the rules do not allow it."""
    return [write(decision.values[action]) if action in decision.values else "" for action in actions]


def _simulation(results: Results) -> bytes:
    rows = [
        (
            play.campaign.strategy,
            agreement.wager,
            cell.outcome,
            str(cell.count),
            fraction_text(cell.probability),
            f"{cell.expected:.3f}",
            f"{cell.residual:.4f}",
        )
        for play in results.playthroughs
        for agreement in play.agreements
        for cell in agreement.cells
    ]
    return _csv(("strategy", "wager", "outcome", "count", "probability", "expected", "residual"), rows)


def _convergence(results: Results) -> bytes:
    rows = []
    for play in results.playthroughs:
        for point in play.campaign.points:
            for position, count in enumerate(point.joint):
                if count:
                    rows.append((play.campaign.strategy, str(point.rounds), str(position), str(count)))
    return _csv(("strategy", "rounds", "joint_outcome", "count"), rows)


def _randomness(results: Results) -> bytes:
    rows = [
        (test.suite, test.test, label, repr(p_value), f"{test.adjusted_p:.6g}", str(test.sample_size))
        for test in results.randomness.tests
        for label, p_value in zip(
            test.labels or tuple(str(n + 1) for n in range(len(test.p_values))), test.p_values, strict=True
        )
    ]
    return _csv(("suite", "test", "label", "p_value", "smallest_adjusted_p_of_test", "sample_size"), rows)


def _situations(results: Results) -> bytes:
    rows = [
        (item.id, item.situation, item.expected, item.observed, str(item.verdict), str(item.trials))
        for item in results.exercise.situations
    ]
    return _csv(("id", "situation", "expected", "observed", "verdict", "trials"), rows)


def _rounds(outcome: RunOutcome, seed: bytes) -> bytes:
    lines = [
        json.dumps(round_json(record, played, seed), ensure_ascii=False, sort_keys=True)
        for record, played in outcome.recorded
    ]
    return ("\n".join(lines) + "\n").encode("utf-8")
