"""The reference round of baccarat: four cards, then the third cards that the tableau asks for."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Final

from certify.errors import InputError
from certify.families.baccarat import rules as ids
from certify.families.baccarat.rulebook import banker_draws, points
from certify.families.baccarat.rules import BaccaratRules, BankerWinApart, rules_of
from certify.families.port import Chance, Hand, Node, Settled, WagerResult
from certify.model.equipment import Equipment
from certify.model.game import Game
from certify.model.paytable import Paytable

PLAYER: Final = "player"
BANKER: Final = "banker"


@dataclass(frozen=True, slots=True)
class State:
    """A round so far.

    Args:
        player: Faces of the player's cards in the order they came.
        banker: Faces of the banker's cards in the order they came.
    """

    player: tuple[int, ...] = ()
    banker: tuple[int, ...] = ()


@dataclass(frozen=True)
class BaccaratRound:
    """Player, banker, player, banker; then the third cards.

    Args:
        rules: Rules of play.
        paytables: (Wager, what it pays) for every wager of the game.
        equipment: The shoe.
    """

    rules: BaccaratRules
    paytables: tuple[tuple[str, Paytable], ...]
    equipment: tuple[Equipment, ...]

    @cached_property
    def _points(self) -> tuple[int, ...]:
        return tuple(points(face) for face in self.equipment[0].faces)

    @cached_property
    def _ranks(self) -> tuple[str, ...]:
        return tuple(face.partition(" of ")[0] for face in self.equipment[0].faces)

    @cached_property
    def _looks_at(self) -> str:
        """What of a first card matters beside its points: its face, its rank or nothing."""
        wagers = {wager for wager, _ in self.paytables}
        if ids.PERFECT_PAIR in wagers:
            return "face"
        return "rank" if wagers & ids.PAIR_WAGERS else ""

    @cached_property
    def _ends(self) -> dict[Hashable, Settled]:
        return {}

    @cached_property
    def _even(self) -> bool:
        """Whether every rank has the same cards, each as often: then no rank or suit differs from another."""
        (shoe,) = self.equipment
        whole = len(shoe.faces) == len(shoe.ranks) * len(shoe.suits)
        return whole and len(set(shoe.copies)) == 1

    def start(self) -> State:
        """Returns the state before anything is dealt."""
        return State()

    def node(self, state: State) -> Node:
        """Returns what the round waits for."""
        holder = self._next(state)
        if holder:
            how = "is dealt" if len(state.banker) < 2 else "draws"
            return Chance(self.equipment[0].id, holder, how)
        return self._settled(state)

    def drawn(self, state: State, face: int) -> State:
        """Returns the state after a card."""
        if self._next(state) == PLAYER:
            return replace(state, player=(*state.player, face))
        return replace(state, banker=(*state.banker, face))

    def decided(self, state: State, option: str) -> State:
        """Refuses: nothing is decided in baccarat.

        Raises:
            InputError: Always.
        """
        raise InputError(f"nothing is decided in baccarat, and {option!r} was")

    def alike(self, state: State, face: int) -> Hashable:
        """Returns what a card counts; of the first four cards what makes a pair too, where pairs are bet on."""
        if len(state.banker) == 2:
            return self._points[face]
        return self._seen(face), tuple(self._same(face, one) for one in (*state.player, *state.banker))

    def matters(self, state: State) -> Hashable:
        """Returns what still matters: first cards by what makes pairs, then totals and what left the shoe."""
        if len(state.banker) < 2:
            cards = (*state.player, *state.banker)
            pairs = tuple(self._same(one, other) for one, other in combinations(cards, 2))
            return len(state.player), tuple(map(self._seen, cards)), pairs
        if not self._next(state):
            return tuple(result.outcome for result in self._settled(state).results)
        # A player's third card has been looked at where the banker still draws: its points are in the total.
        left = tuple(sorted(self._points[face] for face in (*state.player, *state.banker)))
        totals = self.total(state.player), self.total(state.banker)
        return len(state.player), totals, left, self._pair(state.player), self._pair(state.banker)

    def hands(self, state: State) -> tuple[Hand, ...]:
        """Returns both hands, open from the deal on."""
        return tuple(
            Hand(holder, held, (), str(self.total(held)) if held else "")
            for holder, held in ((PLAYER, state.player), (BANKER, state.banker))
        )

    def total(self, cards: tuple[int, ...]) -> int:
        """Returns what a hand is worth: the last digit of the sum."""
        return sum(self._points[face] for face in cards) % 10

    def _seen(self, face: int) -> Hashable:
        """Returns what of a first card matters by itself: its points, where cards of equal points are as many."""
        return self._points[face] if self._even or not self._looks_at else face

    def _same(self, face: int, other: int) -> str:
        """Returns whether two cards pair, as far as some wager looks at it."""
        if not self._looks_at or self._ranks[face] != self._ranks[other]:
            return ""
        return "perfect" if self._looks_at == "face" and face == other else "pair"

    def _next(self, state: State) -> str:
        """Returns who gets the next card, nobody where the round is over."""
        if len(state.banker) < 2:
            return PLAYER if len(state.player) == len(state.banker) else BANKER
        if len(state.banker) == 3 or self._natural(state):
            return ""
        player, banker = self.total(state.player[:2]), self.total(state.banker)
        if player <= 5 and len(state.player) == 2:
            return PLAYER
        third = self._points[state.player[2]] if len(state.player) == 3 else None
        return BANKER if banker_draws(banker, third) else ""

    def _natural(self, state: State) -> bool:
        return self.total(state.player[:2]) >= 8 or self.total(state.banker[:2]) >= 8

    def _pair(self, cards: tuple[int, ...]) -> str:
        """Returns whether the first two cards pair, as far as some wager looks at it."""
        return self._same(*cards[:2])

    def _settled(self, state: State) -> Settled:
        """Returns how the round ends, settled once for hands that no wager tells apart."""
        key = (
            self.total(state.player),
            len(state.player),
            self.total(state.banker),
            len(state.banker),
            self._natural(state),
            self._pair(state.player),
            self._pair(state.banker),
        )
        if key not in self._ends:
            results = (self._result(wager, paytable, state) for wager, paytable in self.paytables)
            self._ends[key] = Settled(tuple(results))
        return self._ends[key]

    def _result(self, wager: str, paytable: Paytable, state: State) -> WagerResult:
        outcome = self._outcome(wager, state)
        lost = outcome == ids.LOSE or outcome not in paytable.ids
        return WagerResult(wager, outcome, Fraction(-1) if lost else paytable.pays(outcome))

    def _outcome(self, wager: str, state: State) -> str:
        player, banker = self.total(state.player), self.total(state.banker)
        if wager in (ids.PLAYER, ids.BANKER):
            return self._of_hands(wager, player, banker, len(state.banker))
        if wager == ids.TIE:
            return ids.WIN if player == banker else ids.LOSE
        if wager == ids.DRAGON:
            return ids.WIN if banker == 7 and len(state.banker) == 3 and player < 7 else ids.LOSE
        if wager == ids.PANDA:
            return ids.WIN if player == 8 and len(state.player) == 3 and banker < 8 else ids.LOSE
        if wager == ids.PLAYER_DRAGON_BONUS:
            return self._bonus(state, player - banker)
        if wager == ids.BANKER_DRAGON_BONUS:
            return self._bonus(state, banker - player)
        return self._of_pairs(wager, self._pair(state.player), self._pair(state.banker))

    def _of_hands(self, wager: str, player: int, banker: int, cards: int) -> str:
        if player == banker:
            return ids.PUSH
        if (wager == ids.PLAYER) != (player > banker):
            return ids.LOSE
        apart = self.rules.banker_win_apart
        if wager == ids.BANKER and apart is BankerWinApart.SIX and banker == 6:
            return ids.WIN_ON_SIX
        if wager == ids.BANKER and apart is BankerWinApart.THREE_CARD_SEVEN and (banker, cards) == (7, 3):
            return ids.WIN_ON_THREE_CARD_SEVEN
        return ids.WIN

    def _bonus(self, state: State, margin: int) -> str:
        if self._natural(state):
            if margin == 0:
                return ids.NATURAL_TIE
            return ids.NATURAL_WIN if margin > 0 else ids.LOSE
        return ids.MARGINS.get(margin, ids.LOSE)

    def _of_pairs(self, wager: str, player: str, banker: str) -> str:
        if wager == ids.PERFECT_PAIR:
            perfect = [player, banker].count("perfect")
            return (ids.LOSE, ids.ONE_PERFECT_PAIR, ids.TWO_PERFECT_PAIRS)[perfect]
        won = {
            ids.PLAYER_PAIR: bool(player),
            ids.BANKER_PAIR: bool(banker),
            ids.EITHER_PAIR: bool(player or banker),
        }
        return ids.WIN if won[wager] else ids.LOSE


def reference(game: Game) -> BaccaratRound:
    """Returns the reference round of a game."""
    paytables = tuple((wager.id, wager.paytable) for wager in game.wagers)
    return BaccaratRound(rules_of(game), paytables, game.equipment)
