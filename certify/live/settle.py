"""Rounds settled again from what was drawn and decided, where a log holds that."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache

from certify.errors import InputError
from certify.evidence.played import Deviation, ListedRow, PlayersPlay, SettledAgain
from certify.exact import units
from certify.families.driver import PlayedRound, decided_by, play as play_round
from certify.families.port import Choice
from certify.families.registry import family_of
from certify.live.columns import WinIs
from certify.live.judge import FAULTS, Judge
from certify.live.law import StakedLevel
from certify.live.log import Logs
from certify.mathematics import has_decisions, head_of, plan_of, return_of, strategy_named, values_of
from certify.model import RETURN, Game, Strategy, completed, costs
from certify.rounds import rounded

_TOLD = 10
"""Rounds that are written out in full, at most."""


def settle_again(logs: Logs, judge: Judge, bound: int, most: int) -> SettledAgain:
    """Settles rounds again by the reference implementation: first those that deviate or pay what is not listed.

    Args:
        logs: The logs, whose rows are judged.
        judge: Who judged them.
        bound: Rounds that are settled again, at most.
        most: Rows of each deviation that are listed.
    """
    found: dict[str, list[ListedRow]] = {"settled-otherwise": [], "impossible-draws": []}
    told: list[tuple[str, ...]] = []
    keys = list(judge.laws)
    left_out = 0
    source = "FROM seen WHERE draws IS NOT NULL AND state = 0 AND law >= 0 AND stake > 0 AND win IS NOT NULL"
    rows = logs.all(
        f"SELECT row, round, wager, stake, win, currency, draws, decisions, outcome, law {source} "
        # Others come in an order that no writer of a log knows, and that is the same each time.
        f"ORDER BY pay < 0 OR kind IN (SELECT kind FROM faults) DESC, hash(row, round) LIMIT {int(bound)}"
    )
    looked: dict[str, _Play] = {}
    for row, round_, wager, stake, win, currency, draws, decisions, outcome, number in rows:
        place = ListedRow(*logs.place(row), round_, wager, stake, win)
        law = judge.laws[keys[number]]
        game = judge.played[keys[number]]
        level = judge.levels.get(keys[number])
        # One piece is drawn from in order; of several it is open which of them the first draws are of.
        several = len(game.equipment) > 1 and len(draws.split()) < sum(
            piece.supply for piece in game.equipment
        )
        if several or (level is not None and level.reference is None):
            left_out += 1
            continue
        try:
            played = _played(game, level, draws, decisions)
        except (InputError, ValueError) as error:
            found["impossible-draws"].append(replace(place, why=str(error)))
            continue
        if judge.map.columns.decisions and has_decisions(game) and law.wager == game.wagers[0].id:
            looked.setdefault(keys[number], _Play(game)).add(played)
        due = _due(played, law.wager, stake, judge)
        ended = played.outcome(law.wager)
        logged = ended if outcome is None else judge.map.outcomes.get(outcome, outcome)
        right = win >= due if law.metered else win == due
        if not right or ended != logged:
            why = f"comes to {ended} and gives back {units(due, currency)} {currency}"
            found["settled-otherwise"].append(replace(place, off=win - due, why=why))
            if len(told) < _TOLD:
                told.append((f"round {round_}", *played.trace))
    of = int(logs.all(f"SELECT count(*) {source}")[0][0])
    return SettledAgain(
        len(rows) - left_out,
        of,
        left_out,
        tuple(_deviations(found, most)),
        tuple(told),
        tuple(play.stated(key) for key, play in sorted(looked.items())),
    )


@dataclass(slots=True)
class _Play:
    """Adds up how players decided in rounds of a game."""

    game: Game
    rounds: int = 0
    unknown: int = 0
    spent: list[Fraction] = field(default_factory=list)
    agreeing: Counter[str] = field(default_factory=Counter)

    def add(self, played: PlayedRound) -> None:
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
            known = _costs(self.game, choice)
            if known is None:
                self.unknown += 1
            else:
                self.spent.append(known[option])
            for name, strategy in _strategies(self.game).items():
                self.agreeing[name] += strategy.choose(choice.sees, choice.ids) == option

    def stated(self, key: str) -> PlayersPlay:
        """Returns what is stated of it."""
        wager, best = self.game.wagers[0].id, return_of(self.game, head_of(self.game), self.game.wagers[0].id)
        cost, errors = sum(self.spent, Fraction(0)) / self.rounds, sum(one > 0 for one in self.spent)
        closest = max(self.agreeing, key=self.agreeing.__getitem__, default="")
        printed = next((one.text for one in self.game.claims_on(wager) if one.metric == RETURN), "")
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
        played = play_round(family_of(game).reference(game), row, logged)
    else:
        # Where nothing is logged, nothing was decided that changes what the round comes to.
        played = play_round(level.reference, row, logged or decided_by(level.analysis.strategy, row))
    if len(played.draws) > len(drawn):
        raise InputError(f"{len(drawn)} draws are logged, the round takes {len(played.draws)}")
    return played


def _due(played: PlayedRound, wager: str, stake: int, judge: Judge) -> int:
    """Returns what a wager of a round gives back, as the log counts it."""
    staked = 1 if judge.map.log.win is WinIs.NET else played.staked[wager]
    return rounded(stake * (staked + played.net[wager]), judge.map.log.rounding)


def _deviations(found: dict[str, list[ListedRow]], most: int) -> Iterator[Deviation]:
    for fault, rows in found.items():
        if rows:
            worst = sorted(rows, key=lambda one: (-abs(one.off), one.log, one.row))[:most]
            yield Deviation(fault, FAULTS[fault], len(rows), tuple(worst))
