"""Line bets of craps with their odds: two dice, rolled until the point or seven.

``second`` is the text that checks this one, and holds the closed form of the returns.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Final

from certify.errors import InputError
from certify.families.craps.second import ClosedForm, settle
from certify.families.own_rules import own_rules
from certify.families.port import Family, Option, RuleReader, StrategyPlan
from certify.families.stated import LOSE, Stated, piece_kinds
from certify.model.equipment import Equipment, Kind
from certify.model.game import Game
from certify.model.layout import Coverage, Covered, ReadAs, Spot
from certify.model.stages import (
    Card,
    Moment,
    PaidBy,
    Plain,
    Price,
    RoundText,
    Won,
    choose,
    draw,
    ended,
    paid_by,
)
from certify.model.strategy import Strategy

FAMILY_ID: Final = "craps"

PASS: Final = "pass-line"  # noqa: S105 - a bet
DONT: Final = "dont-pass"
PAIRS: Final[Mapping[int, str]] = {4: "4-10", 10: "4-10", 5: "5-9", 9: "5-9", 6: "6-8", 8: "6-8"}
"""The points, each with the name of the pair that is settled alike."""

WIN, PUSH = "win", "push"
TAKEN, LAID, LOST = "odds", "lay", "lost"
"""First words of the outcomes of a bet with odds: taken and won, laid and won, lost with either."""

NO_ODDS, NO_LAY = "no-odds", "no-lay"
FULL_ODDS: Final = "full-odds"
MOST_ODDS: Final = 1_000

_ODDS: Final = re.compile(r"([1-9]\d{0,3})(?:-([1-9]\d{0,3})-([1-9]\d{0,3}))?x", re.ASCII)


@dataclass(frozen=True, slots=True)
class CrapsRules:
    """Rules of the line bets.

    Args:
        odds: For each pair of points the most odds that may be taken, in units of the line bet; all 0 where none are.
        barred: The total of the first roll on which the bet against the line is returned.
        against: Whether the game has a bet against the line; it is offered odds whoever bets on it.
    """

    odds: tuple[tuple[str, int], ...] = (("4-10", 0), ("5-9", 0), ("6-8", 0))
    barred: int = 12
    against: bool = True

    @property
    def offers_odds(self) -> bool:
        """Whether odds may be taken and laid."""
        return any(most for _, most in self.odds)

    def most(self, point: int) -> int:
        """Returns the most odds on a point, in units of the line bet."""
        return dict(self.odds)[PAIRS[point]]


rules_of: Final = own_rules(CrapsRules, FAMILY_ID)


def odds_of(text: str) -> tuple[tuple[str, int], ...]:
    """Returns the most odds for each pair of points.

    Raises:
        InputError: The text is no multiple.

    >>> odds_of("3-4-5x")
    (('4-10', 3), ('5-9', 4), ('6-8', 5))
    """
    pairs = tuple(dict.fromkeys(PAIRS.values()))
    if text == "none":
        return tuple((pair, 0) for pair in pairs)
    found = _ODDS.fullmatch(text)
    if found is None or max(int(part) for part in found.groups() if part) > MOST_ODDS:
        raise InputError(f'odds of "{text}": expected "none", such as "2x", or such as "3-4-5x"')
    multiples = found.groups() if found[2] else (found[1],) * len(pairs)
    return tuple((pair, int(multiple)) for pair, multiple in zip(pairs, multiples, strict=True))


def laid(point: int, most: int) -> Fraction:
    """Returns what is laid against a point to win so many units at true odds: two, three halves, six fifths."""
    return most * {"4-10": Fraction(2), "5-9": Fraction(3, 2), "6-8": Fraction(6, 5)}[PAIRS[point]]


def _read(rules: RuleReader) -> CrapsRules:
    odds = rules.text("odds", "none")
    try:
        multiples = odds_of(odds)
    except InputError as error:
        rules.refuse("odds", str(error))
        multiples = odds_of("none")
    return CrapsRules(multiples, int(rules.choice("barred", "12", ("12", "2"))))


def _complaint(game: Game) -> str:
    dice = piece_kinds(game.equipment) == [(Kind.DICE, 6)]
    return "" if dice else "this family is played with dice of six sides, stated as one piece"


def _completed(game: Game) -> Game:
    against = any(wager.id == DONT for wager in game.wagers)
    return replace(game, rules=replace(rules_of(game), against=against))


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    first = TAKEN if wager == PASS else LAID
    odds = tuple(f"{first}-{pair}" for pair in dict.fromkeys(PAIRS.values()))
    return (WIN, *(odds if rules_of(game).offers_odds else ()), *((PUSH,) if wager == DONT else ()))


def _row_of(outcome: str) -> str:
    return LOSE if outcome.startswith(f"{LOST}-") else outcome


# --- the round ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table:
    """What the stages look at.

    Args:
        wagers: Wagers of the game.
        rules: Rules of the line bets.
    """

    wagers: tuple[str, ...]
    rules: CrapsRules


def _face(piece: Equipment, face: int) -> Mapping[str, Plain]:
    return {"name": piece.faces[face], "pips": face + 1}


def start(table: Table) -> Moment:
    """Throws the first die of the first roll."""
    return draw("table", first_die, how="throws")


def first_die(table: Table, card: Card) -> Moment:
    """One die of the first roll has been thrown."""
    return draw("table", first_roll, card.pips, how="throws")


def first_roll(table: Table, die: int, card: Card) -> Moment:
    """The first roll ends the round, or sets a point."""
    total = die + card.pips
    if total in (7, 11):
        return ended(*_placed(table, WIN, LOSE))
    if total in (2, 3, 12):
        return ended(*_placed(table, LOSE, PUSH if total == table.rules.barred else WIN))
    if not table.rules.most(total):
        return draw("table", later_die, total, False, False, how="throws")
    return _odds(table, PASS, total, odds_decided, total)


def _odds(table: Table, wager: str, point: int, then: object, *kept: Plain) -> Moment:
    most = table.rules.most(point)
    none, full = options(wager, point)
    adds = Fraction(most) if wager == PASS else laid(point, most)
    return choose("player", (Option(none), Option(full, ((wager, adds),))), sees(wager, point), then, *kept)  # type: ignore[arg-type]


def options(wager: str, point: int) -> tuple[str, str]:
    """Returns what may be decided on a point: no odds, or full odds, whose id says on which pair.

    >>> options("pass-line", 4), options("dont-pass", 9)
    (('no-odds', 'odds-4-10'), ('no-lay', 'lay-5-9'))
    """
    pair = PAIRS[point]
    return (NO_ODDS, f"{TAKEN}-{pair}") if wager == PASS else (NO_LAY, f"{LAID}-{pair}")


def sees(wager: str, point: int) -> tuple[str, int]:
    """Returns what a player sees who decides on odds: for which bet, and on which point."""
    return (wager, point)


def odds_decided(table: Table, point: int, option: str) -> Moment:
    """Odds behind the line have been taken or left."""
    taken = option != NO_ODDS
    if table.rules.against:
        return _odds(table, DONT, point, lay_decided, point, taken)
    return draw("table", later_die, point, taken, False, how="throws")


def lay_decided(table: Table, point: int, taken: bool, option: str) -> Moment:
    """Odds against the point have been laid or left."""
    return draw("table", later_die, point, taken, option != NO_LAY, how="throws")


def later_die(table: Table, point: int, taken: bool, lay: bool, card: Card) -> Moment:
    """One die of a later roll has been thrown."""
    return draw("table", later_roll, point, taken, lay, card.pips, how="throws")


def later_roll(table: Table, point: int, taken: bool, lay: bool, die: int, card: Card) -> Moment:
    """A later roll makes the point, loses it, or changes nothing."""
    total, pair = die + card.pips, PAIRS[point]
    if total == point:
        return ended(*_placed(table, f"{TAKEN}-{pair}" if taken else WIN, f"{LOST}-{pair}" if lay else LOSE))
    if total == 7:
        return ended(*_placed(table, f"{LOST}-{pair}" if taken else LOSE, f"{LAID}-{pair}" if lay else WIN))
    return draw("table", later_die, point, taken, lay, how="throws")


def _placed(table: Table, line: str, against: str) -> tuple[Won, ...]:
    return tuple(won for won in ((PASS, line), (DONT, against)) if won[0] in table.wagers)


@dataclass(frozen=True, slots=True)
class CrapsPrice:
    """Prices with what odds add to the stake.

    Args:
        paid: Prices by the paytables.
        rules: Rules of the line bets.
    """

    paid: PaidBy
    rules: CrapsRules

    def __call__(self, wager: str, outcome: str) -> Price:
        """Returns what an outcome comes to."""
        kind, _, pair = outcome.partition("-")
        if kind not in (TAKEN, LAID, LOST):
            return Price(Fraction(0)) if outcome == PUSH else self.paid(wager, outcome)
        point = int(pair.partition("-")[0])
        most = self.rules.most(point)
        stake = Fraction(most) if wager == PASS else laid(point, most)
        if kind == LOST:
            return Price(-1 - stake, 1 + stake)
        return Price(self.paid(wager, WIN).net + stake * self.paid(wager, outcome).net, 1 + stake)


def text(game: Game) -> RoundText:
    """Returns the text that plays a game."""
    wagers, rules = tuple(wager.id for wager in game.wagers), rules_of(game)
    price = CrapsPrice(paid_by(game.wagers), rules)
    return RoundText(Table(wagers, rules), start, game.equipment, wagers, price, _face)


# --- strategies and drawings -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FullOdds:
    """Full odds behind every bet, on every point.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What it looks at: nothing.
    """

    name: str = FULL_ODDS
    strategy_class: str = "constant choice"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns full odds, the last of the options."""
        return options[-1]

    def table(self) -> object:
        """Returns everything that decides what the strategy does."""
        return ["full odds on every point"]


def named(game: Game, name: str) -> Strategy | None:
    """Returns a strategy of the family by its name, none where it has no such one."""
    return FullOdds() if name == FULL_ODDS else None


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: line bets alone, and full odds behind both."""
    if not rules_of(game).offers_odds:
        return StrategyPlan(("main-optimal",), ("main-optimal",), ("main-optimal",))
    return StrategyPlan(
        names=("main-optimal", FULL_ODDS, "jointly-optimal", "worst", "always:OPTION", "file:PATH.toml"),
        analysed=("main-optimal", FULL_ODDS),
        played=("main-optimal", FULL_ODDS),
        simpler=lambda _: (FULL_ODDS,),
    )


def coverage(game: Game) -> tuple[Coverage, ...]:
    """Returns the bets over the total of the first roll; on a point they wait for other rolls."""
    totals = range(2, 13)
    dice = [Card({"pips": face}) for face in range(1, 7)]
    rolls = [a + b for a, b in product(range(1, 7), repeat=2)]
    chances = tuple(Fraction(rolls.count(total), len(rolls)) for total in totals)
    played, bets = text(game), []
    for wager in game.wagers:
        spots = []
        for column, total in enumerate(totals):
            after = first_roll(played.table, max(1, total - 6), dice[total - max(1, total - 6) - 1])
            won = dict(getattr(after, "won", ()))
            net = played.price(wager.id, won[wager.id]).net if won else None
            if net != -1:
                spots.append(Spot(column, Fraction(1), net))
        bets.append(Covered(wager.id, chances, tuple(spots)))
    return (Coverage(game.equipment[0].id, 2, ReadAs.TOTAL, tuple(map(str, totals)), tuple(bets)),)


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Line bets of craps with their odds: two dice, rolled until the point or seven",
    rules=Stated(
        family=FAMILY_ID,
        rule_ids=("odds", "barred"),
        wager_ids=(PASS, DONT),
        rules=_read,
        rows=_rows,
        complaint=_complaint,
        required=(PASS,),
        row=_row_of,
        completed=_completed,
    ),
    text=text,
    second=settle,
    named=named,
    plan=plan,
    counting=ClosedForm().counted,
    coverage=coverage,
)
