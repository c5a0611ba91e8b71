"""Settlement of the line bets written apart, from the printed rules; and their returns in closed form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what settles rounds rests on the standard library alone, so that a stranger can run it
    from certify.model.game import Game
    from certify.model.strategy import Strategy

LAY = {
    4: Fraction(2),
    5: Fraction(3, 2),
    6: Fraction(6, 5),
    8: Fraction(6, 5),
    9: Fraction(3, 2),
    10: Fraction(2),
}
"""What is laid to win one unit against each point, at true odds."""


def settle(
    rules: Any, pays: Mapping[str, Mapping[str, Fraction]], draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of every wager.

    Args:
        rules: The rules as submitted; ``barred`` and ``odds`` are read.
        pays: What the rows of each wager pay.
        draws: What each die shows, in the order thrown.
        decisions: For a point: the odds taken, then those laid, where they are offered.

    Raises:
        ValueError: More throws or decisions than the rules ask for, or fewer.
    """
    pips = [int(name) for name in draws]
    rolls = [sum(pips[at : at + 2]) for at in range(0, len(pips), 2)]
    point = rolls[0] if rolls[0] in LAY else 0
    last = rolls[-1]
    if any(roll in (point, 7) for roll in rolls[1:-1]) or len(rolls) > 1 > point or len(pips) % 2:
        raise ValueError("the dice were thrown after the round had ended, or a roll is not whole")
    if point and (len(rolls) == 1 or last not in (point, 7)):
        raise ValueError("the round has not ended")
    outcomes = {
        "pass-line": "win" if last in (7, 11) else "lose",
        "dont-pass": "lose" if last in (7, 11) else "win",
    }
    if point:
        outcomes = {
            "pass-line": "win" if last == point else "lose",
            "dont-pass": "lose" if last == point else "win",
        }
    elif last == rules.barred:
        outcomes["dont-pass"] = "push"
    nets = {wager: rows.get(outcomes[wager], Fraction(-1)) for wager, rows in pays.items()}
    for decision in decisions:
        kind, _, pair = decision.partition("-")
        wager = "pass-line" if decision in ("no-odds", f"odds-{pair}") else "dont-pass"
        if kind == "no" or wager not in pays:
            continue
        most = dict(rules.odds)[pair]
        stake = most if kind == "odds" else most * LAY[point]
        won = outcomes[wager] == "win"
        nets[wager] += stake * pays[wager][decision] if won else -stake
        outcomes[wager] = f"{kind}-{pair}" if won else f"lost-{pair}"
    return {wager: (outcomes[wager], net) for wager, net in nets.items()}


class ClosedForm:
    """Returns of the line bets in closed form: a point t is made with w(t) / (w(t) + 6), where w(t) = 6 - |t - 7|."""

    def counted(self, game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
        """Returns the exact return of each wager, by wager."""
        rules: Any = game.rules
        ways = {total: Fraction(6 - abs(total - 7), 36) for total in range(2, 13)}
        returns = {}
        for wager in game.wagers:
            pays = {row.id: row.pays for row in wager.paytable.rows}
            line = wager.id == "pass-line"
            won = ways[7] + ways[11] if line else sum(ways[t] for t in (2, 3, 12) if t != rules.barred)
            net = won * pays["win"] - (1 - won - sum(ways[t] for t in LAY))
            net += 0 if line else ways[rules.barred]
            for point, lay in LAY.items():
                pair = f"{min(point, 14 - point)}-{max(point, 14 - point)}"
                most = dict(rules.odds)[pair]
                choice = ("no-odds", f"odds-{pair}") if line else ("no-lay", f"lay-{pair}")
                full = most and strategy.choose((wager.id, point), choice) == choice[1]
                stake = (most if line else most * lay) if full else 0
                made = ways[point] / (ways[point] + ways[7])
                wins = made if line else 1 - made
                net += ways[point] * (
                    wins * (pays["win"] + stake * pays.get(choice[1], 0)) - (1 - wins) * (1 + stake)
                )
            returns[wager.id] = 1 + net
        return returns
