"""Rounds settled again from what was drawn and decided, where a log holds that."""

from collections.abc import Iterator
from dataclasses import replace

from certify.errors import InputError
from certify.evidence.played import Deviation, ListedRow, SettledAgain
from certify.families.driver import PlayedRound, play as play_round
from certify.families.registry import family_of
from certify.live.columns import WinIs
from certify.live.judge import FAULTS, Judge
from certify.live.log import Logs
from certify.model import Game, completed
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
    left_out = 0
    source = "FROM seen WHERE draws IS NOT NULL AND state = 0 AND law >= 0 AND stake > 0 AND win IS NOT NULL"
    rows = logs.all(
        f"SELECT row, round, wager, stake, win, draws, decisions, outcome, law {source} "
        # Others come in an order that no writer of a log knows, and that is the same each time.
        f"ORDER BY pay < 0 OR kind IN (SELECT kind FROM faults) DESC, hash(row, round) LIMIT {int(bound)}"
    )
    for row, round_, wager, stake, win, draws, decisions, outcome, number in rows:
        place = ListedRow(*logs.place(row), round_, wager, stake, win)
        law = list(judge.laws.values())[number]
        game = list(judge.played.values())[number]
        # One piece is drawn from in order; of several it is open which of them the first draws are of.
        if len(game.equipment) > 1 and len(draws.split()) < sum(piece.supply for piece in game.equipment):
            left_out += 1
            continue
        try:
            played = _played(game, draws, decisions)
        except (InputError, ValueError) as error:
            found["impossible-draws"].append(replace(place, why=str(error)))
            continue
        due = _due(played, law.wager, stake, judge)
        ended = played.outcome(law.wager)
        logged = ended if outcome is None else judge.map.outcomes.get(outcome, outcome)
        right = win >= due if law.metered else win == due
        if not right or ended != logged:
            why = f"comes to {ended} and pays {due}"
            found["settled-otherwise"].append(replace(place, off=win - due, why=why))
            if len(told) < _TOLD:
                told.append((f"round {round_}", *played.trace))
    of = int(logs.all(f"SELECT count(*) {source}")[0][0])
    return SettledAgain(len(rows) - left_out, of, left_out, tuple(_deviations(found, most)), tuple(told))


def _played(game: Game, draws: str, decisions: str | None) -> PlayedRound:
    """Returns a round played again.

    Raises:
        InputError: What was drawn or decided is not possible, or the round takes more draws than are logged.
        ValueError: A draw is no number.
    """
    drawn = [int(item) for item in draws.split()]
    row = completed(game.equipment, drawn)
    played = play_round(family_of(game).reference(game), row, tuple((decisions or "").split()))
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
