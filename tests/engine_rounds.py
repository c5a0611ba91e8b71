"""Small reference rounds whose figures are known, and submissions made of them, for tests of the engine."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction

from certify.exact import parse_percent
from certify.families.port import (
    Chance,
    Choice,
    Hand,
    Option,
    Settled,
    WagerResult,
)
from certify.model import (
    Claim,
    Equipment,
    Game,
    Kind,
    Limits,
    Origin,
    Paytable,
    PaytableRow,
    Provenance,
    Terms,
    Wager,
    cage,
    shoe,
    strip,
)

ONE = Fraction(1)


class Round:
    """What small rounds have in common: nothing is alike, everything matters."""

    equipment: tuple[Equipment, ...]

    def alike(self, state, face):
        return face

    def matters(self, state):
        return state

    def hands(self, state):
        return ()


def result(wager, outcome, net, staked=1):
    return WagerResult(wager, outcome, Fraction(net), Fraction(staked))


RED = frozenset({1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36})


class Roulette(Round):
    """A single-zero wheel: red pays evens, number 17 pays 35 to 1."""

    equipment = (strip("wheel", Kind.WHEEL, [str(stop) for stop in range(37)]),)

    def start(self):
        return -1

    def node(self, state):
        if state < 0:
            return Chance("wheel", "table", "spins")
        red = result("red", "win" if state in RED else "lose", 1 if state in RED else -1)
        straight = result("straight", "win" if state == 17 else "lose", 35 if state == 17 else -1)
        return Settled((red, straight))

    def drawn(self, state, face):
        return face

    def decided(self, state, option):
        raise AssertionError(option)


@dataclass(frozen=True, slots=True)
class Dice:
    point: int = 0
    first: int = 0
    total: int = 0


class PassLine(Round):
    """Craps: the pass line, and don't pass barring twelve; thrown until the point or a seven."""

    equipment = (strip("die", Kind.DICE, [str(pip) for pip in range(1, 7)], supply=64),)

    def start(self):
        return Dice()

    def _ended(self, state):
        if not state.total:
            return ""
        if not state.point:
            return {7: "win", 11: "win", 2: "lose", 3: "lose", 12: "bar"}.get(state.total, "")
        return "win" if state.total == state.point else "lose" if state.total == 7 else ""

    def node(self, state):
        ended = self._ended(state)
        if not ended:
            return Chance("die", "table", "throws")
        line = result("pass", "win" if ended == "win" else "lose", 1 if ended == "win" else -1)
        dont = {"win": ("lose", -1), "lose": ("win", 1), "bar": ("push", 0)}[ended]
        return Settled((line, result("dont-pass", *dont)))

    def drawn(self, state, face):
        if not state.first:
            return Dice(state.point or state.total, face + 1)
        return Dice(state.point, 0, state.first + face + 1)

    def decided(self, state, option):
        raise AssertionError(option)

    def matters(self, state):
        if not state.first and not self._ended(state):
            return Dice(state.point or state.total)
        return (state.point, state.first, self._ended(state))


class Keno(Round):
    """Balls drawn of a cage, of which the player marked some: as many are caught."""

    def __init__(self, balls, drawn, marked):
        self.equipment = (cage("cage", [str(ball + 1) for ball in range(balls)], drawn),)
        self.draws, self.marked = drawn, marked

    def start(self):
        return (0, 0)

    def node(self, state):
        if state[0] < self.draws:
            return Chance("cage", "table", "is drawn")
        return Settled((result("keno", f"catch-{state[1]}", state[1] - 1),))

    def drawn(self, state, face):
        return (state[0] + 1, state[1] + (face < self.marked))

    def decided(self, state, option):
        raise AssertionError(option)

    def alike(self, state, face):
        return face < self.marked


@dataclass(frozen=True, slots=True)
class Table:
    player: tuple[int, ...] = ()
    dealer: tuple[int, ...] = ()
    phase: str = "decides"
    doubled: bool = False


class HiddenCard(Round):
    """A small shoe and a dealer's card face down: to know it would pay.

    Ranks count 1 to n. The player draws below a target and loses beyond it; the dealer draws below a limit. The
    bonus pays 3 to 1 where the first cards are of one rank and the player is not bust, so that drawing on costs
    something there. ``doubling`` lets the player stake once more for one more card.
    """

    def __init__(self, ranks, suits, target, limit, *, doubling=False, bonus=3):
        self.equipment = (shoe("deck", [str(r + 1) for r in range(ranks)], [str(s) for s in range(suits)]),)
        self.suits, self.target, self.limit = suits, target, limit
        self.doubling, self.bonus = doubling, bonus

    def rank(self, face):
        return face // self.suits + 1

    def ranks(self, cards):
        return tuple(sorted(self.rank(card) for card in cards))

    def total(self, cards):
        return sum(self.rank(card) for card in cards)

    def start(self):
        return Table()

    def sees(self, state):
        return (self.rank(state.player[0]), self.ranks(state.player))

    def node(self, state):
        if not state.player:
            return Chance("deck", "player")
        if not state.dealer:
            return Chance("deck", "dealer", "is dealt, face down,", shown=False)
        if state.phase == "draws":
            return Chance("deck", "player", "draws")
        if self._decides(state):
            adds = (Option("double", (("main", ONE),)),) if self.doubling and len(state.player) == 1 else ()
            return Choice("player", (Option("stand"), Option("hit"), *adds), self.sees(state))
        mine, theirs = self.total(state.player), self.total(state.dealer)
        if mine <= self.target and theirs < self.limit and self._left(state):
            return Chance("deck", "dealer", "draws")
        return Settled((self._main(mine, theirs, state.doubled), self._bonus(state)))

    def _left(self, state):
        return len(state.player) + len(state.dealer) < self.equipment[0].size

    def _decides(self, state):
        return state.phase == "decides" and self.total(state.player) < self.target and self._left(state)

    def _main(self, mine, theirs, doubled):
        staked = 2 if doubled else 1
        if mine > self.target:
            ended, net = "bust", -staked
        elif theirs > self.target or mine > theirs:
            ended, net = "win", staked
        else:
            ended, net = ("push", 0) if mine == theirs else ("lose", -staked)
        return result("main", ended + "-doubled" * doubled, net, staked)

    def _bonus(self, state):
        paid = self._paired(state) and self.total(state.player) <= self.target
        return result("bonus", "pair" if paid else "lose", self.bonus if paid else -1)

    def _paired(self, state):
        return bool(state.dealer) and self.rank(state.player[0]) == self.rank(state.dealer[0])

    def drawn(self, state, face):
        if not state.player:
            return replace(state, player=(face,))
        if not state.dealer:
            return replace(state, dealer=(face,))
        if state.phase == "draws":
            return replace(state, player=(*state.player, face), phase="done" if state.doubled else "decides")
        return replace(state, dealer=(*state.dealer, face), phase="done")

    def decided(self, state, option):
        phase = "done" if option == "stand" else "draws"
        return replace(state, phase=phase, doubled=option == "double")


class MergedHiddenCard(HiddenCard):
    """The same round, which says what is alike and what still matters."""

    def alike(self, state, face):
        return self.rank(face)

    def matters(self, state):
        first = self.rank(state.player[0]) if state.player else 0
        if state.phase in ("decides", "draws"):
            return (first, self.ranks(state.player), self.ranks(state.dealer), state.phase, state.doubled)
        cards = self.ranks(state.player + state.dealer)
        mine = min(self.total(state.player), self.target + 1)
        return (mine, self.total(state.dealer), cards, state.doubled, self._paired(state))


class OpenedCard(MergedHiddenCard):
    """The same round, in which the player sees what should lie hidden."""

    def sees(self, state):
        return (self.rank(state.player[0]), self.ranks(state.player), self.rank(state.dealer[0]))


class ForgetfulTable(MergedHiddenCard):
    """The same round, in which only the player's total is said to be seen."""

    def sees(self, state):
        return self.total(state.player)


class PressOn(Round):
    """A die thrown as often as the player likes: a one loses, stopping wins by the last throw.

    ``(last throw, phase)``; the player may also wait, which changes nothing and may go on for ever.
    """

    equipment = (strip("die", Kind.DICE, [str(pip) for pip in range(1, 7)], supply=64),)
    pays = (-6, -4, -1, 1, 3, 6)

    def start(self):
        return (0, "throws")

    def node(self, state):
        last, phase = state
        if phase == "throws":
            return Chance("die", "player", "throws")
        if phase == "decides" and last > 1:
            return Choice("player", (Option("wait"), Option("stop"), Option("throw")), last)
        return Settled((result("bet", f"last-{last}", self.pays[last - 1]),))

    def drawn(self, state, face):
        return (face + 1, "decides")

    def decided(self, state, option):
        return {"wait": state, "stop": (state[0], "stops"), "throw": (0, "throws")}[option]


def merged_states(reference):
    """Yields every state that follows the first of those that matter alike, with what had been drawn."""
    pieces = {piece.id: piece for piece in reference.equipment}
    waiting = deque([(reference.start(), ())])
    known = set[Hashable]()
    while waiting:
        state, drawn = waiting.popleft()
        yield state, drawn
        if reference.matters(state) in known:
            continue
        known.add(reference.matters(state))
        node = reference.node(state)
        if isinstance(node, Choice):
            waiting += [(reference.decided(state, option), drawn) for option in node.ids]
        elif isinstance(node, Chance):
            piece = pieces[node.equipment]
            for face in range(len(piece.faces)):
                # Every face, not only the first of those that are alike.
                if piece.replaced or drawn.count((piece.id, face)) < piece.copies[face]:
                    after = drawn if piece.replaced else (*drawn, (piece.id, face))
                    waiting.append((reference.drawn(state, face), after))


LOST = Origin(Provenance.RECOVERED, "return")


def game_of(pays, lost=(), printed=""):
    """A submission with these wagers, rows and pays; ``printed`` is claimed of the last wager."""
    wagers = tuple(
        Wager(
            wager,
            wager,
            Paytable(
                tuple(
                    PaytableRow(row, row, Fraction(pay), LOST if row in lost else Origin())
                    for row, pay in rows.items()
                )
            ),
            Limits(100, 10_000, "EUR"),
        )
        for wager, rows in pays.items()
    )
    last = wagers[-1].id
    claims = (Claim(last, "return-to-player", printed, parse_percent(printed), "screen"),) if printed else ()
    terms = Terms(True, 90, True, True, True)
    rules = ()
    return Game(
        None, "toy", "Toy", "1", "nobody", rules, (), (), wagers, claims, terms, (), (), "00", "toy.toml"
    )


def pays_of(game, wager, row):
    paytable = game.wager(wager).paytable
    return paytable.pays(row) if row in paytable.ids else Fraction(-1)


@dataclass(frozen=True)
class PaidKeno(Keno):
    """Five balls of nine, of which three are marked."""

    game: Game
    equipment = Keno(9, 5, 3).equipment
    draws = 5
    marked = 3

    def node(self, state):
        node = super().node(state)
        if not isinstance(node, Settled):
            return node
        row = node.results[0].outcome
        return Settled((result("keno", row, pays_of(self.game, "keno", row)),))


KENO = game_of({"keno": {"catch-3": 9, "catch-2": 1, "catch-7": 100}})


class PaidTable(MergedHiddenCard):
    """The shoe with the hidden card at the pays of a submission."""

    def __init__(self, game):
        super().__init__(3, 2, 4, 3, doubling=True)
        self.game = game

    def _main(self, mine, theirs, doubled):
        ended = super()._main(mine, theirs, doubled)
        if ended.net <= 0:
            return ended
        return result("main", ended.outcome, ended.net * pays_of(self.game, "main", "win"), ended.staked)

    def _bonus(self, state):
        ended = super()._bonus(state)
        return result("bonus", ended.outcome, pays_of(self.game, "bonus", ended.outcome))


class PushingTable(PaidTable):
    """The same, with a row for equal totals."""

    def _main(self, mine, theirs, doubled):
        ended = super()._main(mine, theirs, doubled)
        if not ended.outcome.startswith("push"):
            return ended
        return result("main", ended.outcome, ended.staked * pays_of(self.game, "main", "push"), ended.staked)


TABLE = game_of({"main": {"win": 1}, "bonus": {"pair": 3}})


def row_of(outcome):
    """The row of an outcome: a doubled win is a win."""
    return outcome.removesuffix("-doubled")


def rows_of(game, wager, outcome):
    """The one row that an outcome is paid by."""
    return (row_of(outcome),)


class TwoRows(PaidKeno):
    """A faulty round: one outcome is paid by either of two rows."""

    def node(self, state):
        node = super().node(state)
        if not isinstance(node, Settled):
            return node
        row = ("catch-2", "catch-3")[state[1] == 3]
        paid = pays_of(self.game, "keno", row) if state[1] >= 2 else Fraction(-1)
        return Settled((result("keno", "win" if state[1] >= 2 else "lose", paid),))

    def matters(self, state):
        return state


@dataclass(frozen=True, slots=True)
class Throws:
    """The throws so far."""

    faces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class DiceRound:
    """Throws pairs of dice until seven, which wins, or eleven, which loses."""

    throws: int = 40

    @property
    def equipment(self):
        return (strip("die", Kind.DICE, ("1", "2", "3", "4", "5", "6"), self.throws),)

    def start(self):
        return Throws()

    def node(self, state):
        total = self._total(state)
        if total not in (7, 11):
            return Chance("die", "table", "is thrown")
        won = total == 7
        return Settled((WagerResult("seven", "made" if won else "lost", Fraction(1 if won else -1)),))

    def drawn(self, state, face):
        return Throws((*state.faces, face))

    def decided(self, state, option):
        raise AssertionError("nothing is decided in this game")

    def alike(self, state, face):
        return face

    def matters(self, state):
        return (
            state.faces[-1:] if len(state.faces) % 2 else self._total(state) in (7, 11) and self._total(state)
        )

    def hands(self, state):
        return (Hand("table", state.faces),)

    @staticmethod
    def _total(state):
        return sum(face + 1 for face in state.faces[-2:]) if len(state.faces) % 2 == 0 else 0
