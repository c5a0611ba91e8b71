"""Rounds settled again from what was drawn and decided, where a log holds that."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any, Final

from certify.errors import InputError
from certify.evidence.played import Deviation, ListedRow, PlayersPlay, SettledAgain
from certify.exact import units
from certify.executors import Executor
from certify.families import Choice, PlayedRound, decided_by, play as play_round
from certify.live.columns import LogMap, WinIs
from certify.live.judge import FAULTS, Judge
from certify.live.law import StakedLevel
from certify.live.log import Logs
from certify.mathematics import has_decisions, head_of, plan_of, return_of, strategy_named, values_of
from certify.model import RETURN, Game, Strategy, completed, costs
from certify.rounds import rounded

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
        laws: The law of each number: its name, its wager, whether a meter may pay more, its game and its bet level.
    """

    map: LogMap
    laws: tuple[tuple[str, str, bool, Game, StakedLevel | None], ...]

    def __call__(self, rows: Sequence[tuple[Any, ...]]) -> _Settled:
        """Returns what came of the rounds of some rows."""
        made = _Settled(len(rows))
        for row, round_, wager, stake, win, currency, draws, decisions, outcome, number in rows:
            place = ListedRow("", row, round_, wager, stake, win)
            key, of, metered, game, level = self.laws[number]
            # One piece is drawn from in order; of several it is open which of them the first draws are of.
            several = len(game.equipment) > 1 and len(draws.split()) < sum(
                piece.supply for piece in game.equipment
            )
            undecided = level is None and not self.map.columns.decisions and has_decisions(game)
            if several or undecided or (level is not None and level.reference is None):
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
    laws = tuple((key, law.wager, law.metered, law.game, law.level) for key, law in judge.laws.items())
    work, whole = SettleRounds(judge.map, laws), _Settled(0)
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
        tuple(
            Deviation(
                fault,
                FAULTS[fault],
                len(rows),
                tuple(sorted(rows, key=lambda row: (-abs(row.off), row.log, row.row))[:most]),
            )
            for fault, rows in found.items()
            if rows
        ),
        tuple(whole.told[:_TOLD]),
        tuple(play.stated(key, judge.laws[key].game) for key, play in sorted(whole.looked.items())),
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
