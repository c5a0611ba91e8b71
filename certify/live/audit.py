"""The audit of a log: every row, settled again where its draws are logged, all rows together, and what is open."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from operator import mul
from pathlib import Path
from typing import Any, Final

from certify import __version__
from certify.children import source_digest
from certify.errors import InputError, NothingCheckedError
from certify.evidence.played import (
    SCHEMA,
    Audit,
    AuditedFile,
    Deviation,
    ListedRow,
    PlayersPlay,
    SettledAgain,
    StatedLaw,
    concluded,
)
from certify.exact import places_of, units
from certify.executors import Executor, InTurn
from certify.families import Certified, Choice, PlayedRound, decided_by, play as play_round
from certify.live.columns import LogMap, WinIs, read_map
from certify.live.frequencies import adjusted, frequencies, judged_returns, returns
from certify.live.judge import FAULTS, Judge, deviations, judge_rows, law_key
from certify.live.law import StakedLevel, WagerLaw, laws_of, levels_of
from certify.live.log import ROWS, Logs, opened
from certify.mathematics import (
    certified_variants,
    has_decisions,
    head_of,
    plan_of,
    return_of,
    strategy_named,
    values_of,
)
from certify.model import RETURN, Game, Strategy, Verdict, completed, costs
from certify.rounds import rounded
from certify.untrusted_input import require_ours

_TOLD = 10
"""Rounds that are written out in full, at most."""


CHUNK: Final = 250
"""Rounds that are settled together: as many of them wherever they are."""


@dataclass(slots=True)
class _Settled:
    """What came of some rounds: what deviates, with the number of its row, and how players decided, by law."""

    rounds: int
    left_out: int = 0
    found: list[tuple[str, ListedRow]] = field(default_factory=list)
    told: list[tuple[str, ...]] = field(default_factory=list)
    looked: dict[str, "_Play"] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SettleRounds:
    """Settles rounds of a log again by the reference implementation, as a chunk that may run anywhere.

    Args:
        map: What the columns of the log mean.
        laws: The law of each number: its name, its wager, and whether a meter may pay more.
        played: The game that each law is of.
        levels: The bet level or purchase that a law is of; none of the rounds as submitted.
    """

    map: LogMap
    laws: tuple[tuple[str, str, bool], ...]
    played: Mapping[str, Game]
    levels: Mapping[str, StakedLevel]

    def __call__(self, rows: Sequence[tuple[Any, ...]]) -> _Settled:
        """Returns what came of the rounds of some rows."""
        made = _Settled(len(rows))
        for row, round_, wager, stake, win, currency, draws, decisions, outcome, number in rows:
            place = ListedRow("", row, round_, wager, stake, win)
            key, of, metered = self.laws[number]
            game = self.played[key]
            level = self.levels.get(key)
            # One piece is drawn from in order; of several it is open which of them the first draws are of.
            several = len(game.equipment) > 1 and len(draws.split()) < sum(
                piece.supply for piece in game.equipment
            )
            if several or (level is not None and level.reference is None):
                made.left_out += 1
                continue
            try:
                played = _played(game, level, draws, decisions)
            except (InputError, ValueError) as error:
                made.found.append(("impossible-draws", replace(place, why=str(error))))
                continue
            if self.map.columns.decisions and has_decisions(game) and of == game.wagers[0].id:
                made.looked.setdefault(key, _Play()).add(game, played)
            due = _due(played, of, stake, self.map)
            ended = played.outcome(of)
            logged = ended if outcome is None else self.map.outcomes.get(outcome, outcome)
            right = win >= due if metered else win == due
            if not right or ended != logged:
                why = f"comes to {ended} and gives back {units(due, currency)} {currency}"
                made.found.append(("settled-otherwise", replace(place, off=win - due, why=why)))
                if len(made.told) < _TOLD:
                    made.told.append((f"round {round_}", *played.trace))
        return made


def settle_again(logs: Logs, judge: Judge, bound: int, most: int, executor: Executor) -> SettledAgain:
    """Settles rounds again by the reference implementation: first those that deviate or pay what is not listed.

    Args:
        logs: The logs, whose rows are judged.
        judge: Who judged them.
        bound: Rounds that are settled again, at most.
        most: Rows of each deviation that are listed.
        executor: Where they are settled.
    """
    found: dict[str, list[ListedRow]] = {"settled-otherwise": [], "impossible-draws": []}
    laws = tuple((key, law.wager, law.metered) for key, law in judge.laws.items())
    work, whole = SettleRounds(judge.map, laws, judge.played, judge.levels), _Settled(0)
    source = "FROM seen WHERE draws IS NOT NULL AND state = 0 AND law >= 0 AND stake > 0 AND win IS NOT NULL"
    rows = logs.engine.execute(
        f"SELECT row, round, wager, stake, win, currency, draws, decisions, outcome, law {source} "
        # Others come in an order that no writer of a log knows, and that is the same each time.
        f"ORDER BY pay < 0 OR kind IN (SELECT kind FROM faults) DESC, hash(row, round) LIMIT {int(bound)}"
    )
    for part in executor.map(work, iter(partial(rows.fetchmany, CHUNK), [])):
        whole.rounds += part.rounds - part.left_out
        whole.left_out += part.left_out
        whole.told += part.told
        for fault, one in part.found:
            log, row = logs.place(one.row)
            found[fault].append(replace(one, log=log, row=row))
        for key, play in part.looked.items():
            whole.looked.setdefault(key, _Play()).join(play)
    return SettledAgain(
        whole.rounds,
        int(logs.all(f"SELECT count(*) {source}")[0][0]),
        whole.left_out,
        tuple(_deviations(found, most)),
        tuple(whole.told[:_TOLD]),
        tuple(play.stated(key, judge.played[key]) for key, play in sorted(whole.looked.items())),
    )


@dataclass(slots=True)
class _Play:
    """Adds up how players decided in rounds of a game."""

    rounds: int = 0
    unknown: int = 0
    spent: list[Fraction] = field(default_factory=list)
    agreeing: Counter[str] = field(default_factory=Counter)

    def add(self, game: Game, played: PlayedRound) -> None:
        """Looks at the decisions of a round."""
        self.rounds += 1
        for step in played.steps:
            choice, option = step.node, step.option
            if (
                not isinstance(choice, Choice)
                or option is None
                or len(choice.ids) < 2
                or choice.seat != "player"
            ):
                continue
            known = _costs(game, choice)
            if known is None:
                self.unknown += 1
            else:
                self.spent.append(known[option])
            for name, strategy in _strategies(game).items():
                self.agreeing[name] += strategy.choose(choice.sees, choice.ids) == option

    def join(self, other: "_Play") -> None:
        """Adds what other rounds of the game came to."""
        self.rounds += other.rounds
        self.unknown += other.unknown
        self.spent += other.spent
        self.agreeing.update(other.agreeing)

    def stated(self, key: str, game: Game) -> PlayersPlay:
        """Returns what is stated of it."""
        wager, best = game.wagers[0].id, return_of(game, head_of(game), game.wagers[0].id)
        cost, errors = sum(self.spent, Fraction(0)) / self.rounds, sum(one > 0 for one in self.spent)
        closest = max(self.agreeing, key=self.agreeing.__getitem__, default="")
        printed = next((one.text for one in game.claims_on(wager) if one.metric == RETURN), "")
        return PlayersPlay(
            key,
            self.rounds,
            len(self.spent),
            self.unknown,
            errors,
            cost,
            best,
            best - cost,
            printed,
            closest,
            self.agreeing[closest],
        )


@lru_cache(maxsize=64)
def _strategies(game: Game) -> Mapping[str, Strategy]:
    """Returns the strategies that play may be like."""
    return {name: strategy_named(game, name) for name in plan_of(game).analysed}


@lru_cache(maxsize=1 << 16)
def _costs(game: Game, choice: Choice) -> Mapping[str, Fraction] | None:
    """Returns what each option costs against the best one; none where that is not counted."""
    values = values_of(game, choice)
    return costs(values) if {*choice.ids} <= {*values} else None


def _played(game: Game, level: StakedLevel | None, draws: str, decisions: str | None) -> PlayedRound:
    """Returns a round played again.

    Raises:
        InputError: What was drawn or decided is not possible, or the round takes more draws than are logged.
        ValueError: A draw is no number.
    """
    drawn = [int(item) for item in draws.split()]
    row = completed(game.equipment, drawn)
    logged = tuple((decisions or "").split())
    if level is None or level.reference is None:
        played = play_round(game.port.reference(game), row, logged)
    else:
        # Where nothing is logged, nothing was decided that changes what the round comes to.
        played = play_round(level.reference, row, logged or decided_by(level.analysis.strategy, row))
    if len(played.draws) > len(drawn):
        raise InputError(f"{len(drawn)} draws are logged, the round takes {len(played.draws)}")
    return played


def _due(played: PlayedRound, wager: str, stake: int, map_: LogMap) -> int:
    """Returns what a wager of a round gives back, as the log counts it."""
    staked = 1 if map_.log.win is WinIs.NET else played.staked[wager]
    return rounded(stake * (staked + played.net[wager]), map_.log.rounding)


def _deviations(found: dict[str, list[ListedRow]], most: int) -> Iterator[Deviation]:
    for fault, rows in found.items():
        if rows:
            worst = sorted(rows, key=lambda one: (-abs(one.off), one.log, one.row))[:most]
            yield Deviation(fault, FAULTS[fault], len(rows), tuple(worst))


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

    logs: tuple[Path, ...]
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
    named = read_map(map_, games, {str(file.path): file.columns for file in logs.files})
    editions = named.in_order(games)
    laws, played, levels = laws_of_log(editions, named)
    rows = logs.take(named, editions, _minor_units(logs, named, editions[0]))
    if not rows:
        raise NothingCheckedError(f"no rows in {', '.join(str(file.path) for file in logs.files)}")
    judge = Judge(editions, named, laws, played, levels)
    judge_rows(logs, judge)
    return JudgedLog(logs, judge, rows)


def laws_of_log(
    editions: Sequence[Game], named: LogMap
) -> tuple[dict[str, WagerLaw], dict[str, Game], dict[str, StakedLevel]]:
    """Returns the law of every wager, as a log counts what comes back, and the game and bet level that each is of."""
    net, apart, told = named.log.win is WinIs.NET, bool(named.columns.jackpot), bool(named.columns.level)
    laws, played, levels = {}, {}, {}
    for edition in editions:
        known = laws_of(edition, named.log.strategy, net=net, apart=apart, levels=told)
        for variant in (Certified("", "", edition, ""), *certified_variants(edition)):
            for level in (None, *(levels_of(variant.game) if told else ())):
                for wager in edition.wagers:
                    parts = variant.id, "" if level is None else level.id, wager.id
                    key = law_key(edition if len(editions) > 1 else None, *parts)
                    laws[key] = known[law_key(None, *parts)]
                    played[key] = variant.game if level is None else level.game
                    if level is not None:
                        levels[key] = level
    return laws, played, levels


def _minor_units(logs: Logs, named: LogMap, game: Game) -> dict[str, int]:
    """Returns the decimal places of every currency that the logs name; none of a word that is no currency."""
    found = {named.log.currency or game.wagers[0].limits.currency}
    if named.columns.currency:
        found = {word.upper() for file in logs.files for word in logs.words(file, named.columns.currency)}
    places = {}
    for word in sorted(found):
        try:
            places[word] = places_of(word)
        except InputError:
            continue  # Its rows have no amounts, and are listed as unreadable.
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
    files = [AuditedFile(path.name, _digest(path)) for path in (asked.map, *asked.logs)]
    with opened(asked.logs, asked.table, kept=_kept(games, asked, files)) as logs:
        step(f"reading {', '.join(map(str, asked.logs))}")
        taken = take(logs, asked.map, games)
        judge = taken.judge
        step(f"judging {taken.rows:,} rows one by one")
        found = deviations(logs, judge, asked.listed)
        again = None
        if judge.map.columns.draws and asked.settled:
            step("settling rounds again")
            again = settle_again(logs, judge, asked.settled, asked.listed, executor or InTurn())
            found |= {one.id: one for one in again.deviations}
        step("comparing frequencies and returns with the exact law")
        cells = tuple(returns(logs, judge))
        tests = adjusted([*frequencies(logs, judge), *judged_returns(cells, judge)])
        unjudged = tuple(_not_judged(taken, again))
    made = Audit(
        SCHEMA,
        f"certify {__version__}",
        judge.game.title,
        judge.game.sha256,
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
    key = repr((source_digest(), asked.table, [game.sha256 for game in games], files))
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
        yield f"{again.left_out:,} rows to be settled again: not all draws of their several pieces are logged"
    other = "FROM seen WHERE state = 0 AND pay < 0 AND law >= 0 AND stake > 0"
    without = dict(logs.all(f"SELECT law, count(*) {other} GROUP BY law"))
    for number, (key, law) in enumerate(judge.laws.items()):
        if law.unjudged:
            yield f"{key}: frequencies and returns: {law.unjudged}"
        if not law.whole:
            rows = without.get(number, 0)
            yield f"{key}: whether pays and outcomes are possible: {rows:,} rows paid what no analysis lists"
    if without:
        yield (
            f"{sum(without.values()):,} rows are in no frequency: what they paid is not listed, or rounding makes two "
            "pays equal"
        )
    money = logs.all(f"SELECT currency, count(*) FROM {ROWS} GROUP BY currency ORDER BY currency")
    for currency, rows in money:
        if currency != judge.game.wagers[0].limits.currency:
            yield f"limits of {rows:,} rows in {currency}: the submission states none in that currency"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
