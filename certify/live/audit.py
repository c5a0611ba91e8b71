"""The audit of a log: every row, all rows together, and what could not be judged."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import Final

from certify import __version__
from certify.children import source_digest
from certify.databases import Place
from certify.errors import InputError, NothingCheckedError
from certify.evidence.played import SCHEMA, Audit, AuditedFile, SettledAgain, StatedLaw, concluded
from certify.exact import many, places_of
from certify.executors import Executor, InTurn
from certify.live.columns import LogMap, WinIs, read_map
from certify.live.frequencies import adjusted, frequencies, judged_returns, returns
from certify.live.judge import FAULTS, Judge, deviations, judge_rows
from certify.live.law import WagerLaw, law_key, laws_of
from certify.live.log import ROWS, Logs, opened
from certify.live.settle import settle_again
from certify.live.sources import copied
from certify.model import Game, Verdict
from certify.untrusted_input import file_sha256, require_ours

LISTED_TESTS: Final = 200
"""Tests that are listed, those with the smallest p-values first."""

LISTED_RETURNS: Final = 2_000
"""Returns that are listed, those of most rows first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What an audit is asked for.

    Args:
        logs: The logs.
        map: The MAP.
        table: Table of a database, or a query of it.
        alpha: Probability that any test of a faultless log rejects.
        listed: Rows of each deviation that are listed.
        settled: Rounds that are settled again, at most.
        demonstration_key: Whether the report is signed with a key for which nobody vouches.
        resume: Folder in which what is worked out is kept until the audit is done; none where nothing is.
    """

    logs: tuple[Place, ...]
    map: Path
    table: str
    alpha: float
    listed: int
    settled: int
    demonstration_key: bool
    resume: Path | None = None


@dataclass(slots=True)
class JudgedLog:
    """A log whose rows are judged one by one.

    Args:
        logs: The logs.
        judge: Who judged them.
        rows: How many rows there are.
    """

    logs: Logs
    judge: Judge
    rows: int


def take(logs: Logs, map_: Path, games: Sequence[Game]) -> JudgedLog:
    """Reads logs by a MAP, and judges every row by its kind.

    Raises:
        SubmissionError: The MAP does not fit the logs or the game; all mistakes with their lines.
        InputError: A log is broken.
        NothingCheckedError: There are no rows.
    """
    named = read_map(map_, games, {file.source.place: [*file.types] for file in logs.files})
    editions = named.in_order(games)
    rows = logs.take(named, editions, _minor_units(logs, named, editions[0]))
    if not rows:
        raise NothingCheckedError(f"no rows in {', '.join(file.source.place for file in logs.files)}")
    judge = Judge(editions, named, laws_of_log(editions, named))
    judge_rows(logs, judge)
    return JudgedLog(logs, judge, rows)


def laws_of_log(editions: Sequence[Game], named: LogMap) -> dict[str, WagerLaw]:
    """Returns the law of every wager, as a log counts what comes back."""
    net, apart, told = named.log.win is WinIs.NET, bool(named.columns.jackpot), bool(named.columns.level)
    return {
        law_key(edition if len(editions) > 1 else None, key): law
        for edition in editions
        for key, law in laws_of(edition, named.log.strategy, net=net, apart=apart, levels=told).items()
    }


def _minor_units(logs: Logs, named: LogMap, game: Game) -> dict[str, int]:
    """Returns the decimal places of every currency that the logs name; none of a word that is no currency."""
    found = {named.log.currency or game.wagers[0].limits.currency}
    if named.columns.currency:
        found = {word.upper() for file in logs.files for word in logs.words(file, named.columns.currency)}
    places = {}
    for word in sorted(found):
        # Rows in a word that is no currency have no amounts, and are listed as unreadable.
        with suppress(InputError):
            places[word] = places_of(word)
    return places


def audit(
    games: Sequence[Game], asked: Asked, step: Callable[[str], object], executor: Executor | None = None
) -> Audit:
    """Audits the logs of a game.

    Args:
        games: The editions of the game.
        asked: What is asked for.
        step: Is called with what is done next.
        executor: Where rounds are settled again; here where left out. The bytes of the audit are the same.

    Raises:
        InputError: A log or the MAP is wrong.
        NothingCheckedError: There are no rows.
    """
    step(f"reading {', '.join(map(str, asked.logs))}")
    with copied(asked.logs, asked.table) as sources:
        files = [AuditedFile(asked.map.name, file_sha256(asked.map)), *(one.stated for one in sources)]
        with opened(sources, kept=_kept(games, asked, files)) as logs:
            taken = take(logs, asked.map, games)
            judge = taken.judge
            step(f"judging {taken.rows:,} rows one by one")
            found = deviations(logs, judge, asked.listed)
            again = None
            if judge.map.columns.draws and asked.settled:
                step("settling rounds again")
                again = settle_again(logs, judge, asked.settled, asked.listed, executor or InTurn())
                found |= {one.id: one for one in again.deviations}
            step("comparing frequencies and returns with the exact distribution")
            cells = tuple(returns(logs, judge))
            tests = adjusted([*frequencies(logs, judge), *judged_returns(cells, judge)])
            unjudged = tuple(_not_judged(taken, again))
    made = Audit(
        SCHEMA,
        f"certify {__version__}",
        judge.games[0].title,
        judge.games[0].sha256,
        (*(AuditedFile(f"game.toml {one.version}", one.sha256) for one in judge.games), *files),
        asked.demonstration_key,
        Verdict.INCONCLUSIVE,
        (),
        taken.rows,
        asked.alpha,
        tuple(_stated(key, law) for key, law in judge.laws.items()),
        tuple(found[fault] for fault in FAULTS if fault in found),
        len(tests),
        sum(one.adjusted <= asked.alpha for one in tests),
        tuple(tests[:LISTED_TESTS]),
        cells[:LISTED_RETURNS],
        again,
        unjudged,
    )
    verdict, reasons = concluded(made)
    return replace(made, verdict=verdict, reasons=reasons)


def _kept(games: Sequence[Game], asked: Asked, files: Sequence[AuditedFile]) -> Path | None:
    """Returns where an audit keeps what it worked out: another log, MAP, game or software begins anew.

    Raises:
        InputError: Somebody else may write there.
    """
    if asked.resume is None:
        return None
    asked.resume.mkdir(mode=0o700, parents=True, exist_ok=True)
    # What is kept is believed: whoever may write there could hide a fault of the log.
    require_ours(asked.resume, asked.resume.stat())
    key = repr((source_digest(), [game.sha256 for game in games], files))
    return asked.resume / f"audit-{hashlib.sha256(key.encode()).hexdigest()[:16]}.duckdb"


def _stated(key: str, law: WagerLaw) -> StatedLaw:
    returned = None if law.chances is None else sum(map(mul, law.pays, law.chances), Fraction(0))
    return StatedLaw(key, len(law.possible), returned, law.unjudged)


def _not_judged(taken: JudgedLog, again: SettledAgain | None) -> Iterator[str]:
    """Yields what a log of these columns leaves open, and why."""
    columns, judge, logs = taken.judge.map.columns, taken.judge, taken.logs
    lacking: Sequence[tuple[str, str, str]] = (
        ("outcome", columns.outcome, "whether each outcome was paid what it pays"),
        ("draws", columns.draws, "whether what was drawn was possible; no round was settled again"),
        ("number", columns.number, "gaps and repetitions of numbers, and times that step back"),
        ("status", columns.status, "voids, and bets that stay open"),
        ("channel", columns.channel, "dependence on the channel"),
        ("player", columns.player, "dependence on the result before of the same player"),
    )
    for name, column, what in lacking:
        if not column:
            yield f"{what}: the log has no column for {name}"
    if again is not None and again.left_out:
        yield f"{many(again.left_out, 'row')} to be settled again: draws of several pieces or decisions lack"
    other = "FROM seen WHERE state = 0 AND pay < 0 AND law >= 0 AND stake > 0"
    without = dict(logs.all(f"SELECT law, count(*) {other} GROUP BY law"))
    for number, (key, law) in enumerate(judge.laws.items()):
        if law.unjudged:
            yield f"{key}: frequencies and returns: {law.unjudged}"
        if not law.whole:
            rows = without.get(number, 0)
            yield f"{key}: whether pays and outcomes are possible: {many(rows, 'row')} paid what no analysis lists"
    if without:
        yield (
            f"in no frequency: {many(sum(without.values()), 'row')}: what was paid is not listed, or rounding makes "
            "two pays equal"
        )
    money = logs.all(f"SELECT currency, count(*) FROM {ROWS} GROUP BY currency ORDER BY currency")
    for currency, rows in money:
        if currency != judge.games[0].wagers[0].limits.currency:
            yield f"limits of {many(rows, 'row')} in {currency}: the submission states none in that currency"
