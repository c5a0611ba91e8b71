"""Described games in which whole hands meet: three cards of the player, one decision, three cards of the dealer.

Deals of both hands are too many to be walked card by card. What the submission says is acted out by the same stages as
every described game, on what the hands come to instead of on cards: for each kind of the player's hand, each way in
which it meets the dealer's, and each kind of both together. The hands themselves are counted by the toolkit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Final

from certify.analysis.hands import kinds
from certify.analysis.hands.kinds import FOLDED, HIGH, LOSE, SHIFT, THREE_TITLES, TIE, UNQUALIFIED, WIN
from certify.analysis.hands.one_decision import BOTH, LOST, OneDecision, highest
from certify.errors import InputError
from certify.families.described.conditions import Against, Kind, Reading, Within, parts_of
from certify.families.described.program import Compiler, Program
from certify.families.described.reading import described_of
from certify.families.described.rules import DescribedRules
from certify.families.described.stages import laid, start
from certify.families.described.strengths import ORDERS
from certify.families.described.text import DescribedPrice, row_of
from certify.model.figures import Outcome
from certify.model.game import Game, Wager
from certify.model.stages import Choose, Draw, End, Moment, Node, Won, opened

_CARDS: Final = 3
_KINDS: Final = range(kinds.MINI_ROYAL + 1)
_OWN, _OTHER, _BOTH = range(3)
_ORDERS: Final = (ORDERS["three-card"], ORDERS["three-card"], ORDERS["five-card"])
_TOGETHER: Final = {kind: min(kind, len(_ORDERS[_BOTH].kinds) - 1) for kind in BOTH}
"""Place in the ranking of five cards of each kind that both hands together can be of."""

WHAT: Final = (
    "expected one whole deck, a turn that deals three cards to one place, a decision there between an option that "
    "loses the stake and one that adds to it, then three cards to another place; and conditions on the kind of the "
    "hand of the first by three-card, on one least hand of the second, on which of both is higher, and on the kind of "
    "both together"
)
"""What a game in which whole hands meet looks like."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a described game asks of both hands.

    Args:
        program: What its stages look at.
        readings: For each reading whose hand it is: the player's, the dealer's, or both together.
        holders: The places of both hands.
        least: Strength from which a hand of the dealer is told from lower ones.
        options: Option that gives the stake up, and the one that adds to it.
        adds: What that adds, in units of the stake.
        main: Id of the wager that is decided on.
        looks: Whether the dealer's cards are dealt after the stake was given up, too.
    """

    program: Program
    readings: tuple[int, ...]
    holders: tuple[str, str]
    least: int
    options: tuple[str, str] = ("", "")
    adds: Fraction = Fraction(0)
    main: str = ""
    looks: bool = True

    def __hash__(self) -> int:
        """Returns a number that equal scenes share."""
        return hash((self.main, self.least, self.readings, self.holders))

    def asked(self, own: int) -> tuple[Node, tuple[Won, ...]]:
        """Returns the decision on a hand of some strength, and what is settled before it."""
        waiting, won, _ = opened(start(self.program))
        after, more, _ = opened(self._laid(waiting, own))
        return after, won + more

    def decided(self, option: str, own: int) -> tuple[Node, tuple[Won, ...]]:
        """Returns what follows the decision, and what is settled before."""
        waiting, won = self.asked(own)
        if not isinstance(waiting, Choose):
            raise InputError(f"a decision is not offered on every hand: {WHAT}")
        after, more, _ = opened(waiting.then(self.program, *waiting.kept, option))
        return after, won + more

    def ended(self, option: str, own: int, other: int, both: int) -> Mapping[str, str]:
        """Returns how every wager ends when the hands come to some strengths."""
        after, won = self.decided(option, own)
        if isinstance(after, Draw):
            after, more, _ = opened(self._laid(after, own, other, both))
            won += more
        if not isinstance(after, End):
            raise InputError(f"a round goes on after both hands: {WHAT}")
        return dict(won + after.won)

    def _laid(self, waiting: Node, *strengths: int) -> Moment:
        """Returns what comes once the cards of a turn were dealt: the player's alone, or all of them."""
        if not isinstance(waiting, Draw):
            raise InputError(f"nothing is dealt where both hands should be: {WHAT}")
        told = enumerate(self.readings)
        return laid(
            self.program, waiting, {place: strengths[of] for place, of in told if of < len(strengths)}
        )


def scene_of(game: Game, rules: DescribedRules) -> Scene:
    """Returns what a described game asks of whole hands that meet.

    Raises:
        InputError: It asks for something else.
    """
    found = described_of(game, rules)
    dealt = [turn.draws for turn in found.turns if turn.draws]
    first = {place for place, _ in dealt[0]}
    later = {place for draws in dealt[1:] for place, _ in draws}
    of_three = all(len(draws) == _CARDS for draws in dealt) and dealt[0] == found.turns[0].draws
    cleared = any(turn.clears for turn in found.turns)
    if not of_three or len(first) != 1 or len(later) != 1 or first & later or cleared:
        raise InputError(WHAT)
    compiler = Compiler(found, game.equipment, found.wagers, whole=True)
    (own,), (other,) = first, later
    whose = {frozenset(first): _OWN, frozenset(later): _OTHER, frozenset(first | later): _BOTH}
    readings = tuple(_whose(reading, whose) for reading in compiler.readings)
    if any(readings[place] != _OWN for place in compiler.asked_at(0)):
        raise InputError(f"what is dealt later is asked for at once: {WHAT}")
    least = _least(compiler, readings)
    scene = Scene(compiler.program(), readings, (found.places[own], found.places[other]), least)
    scene = _with_decision(scene)
    table_of(scene)
    return scene


def _whose(reading: Reading, whose: Mapping[frozenset[int], int]) -> int:
    of = whose.get(frozenset(reading.places))
    if reading.kind is not Kind.HAND or of is None or reading.order != _ORDERS[of]:
        raise InputError(f'"{reading.words}" is read: {WHAT}')
    return of


def _least(compiler: Compiler, readings: Sequence[int]) -> int:
    """Returns the one strength from which hands of the dealer are told from lower ones; 0 where none are."""
    cuts: set[int] = set()
    for part in (part for one in compiler.conditions for when in one for part in parts_of(when)):
        if isinstance(part, Against):
            if {readings[compiler.place[one]] for one in (part.one, part.other)} != {_OWN, _OTHER}:
                raise InputError(f'"{part.one.words}" against "{part.other.words}": {WHAT}')
        elif isinstance(part, Within) and isinstance(part.reading, Reading):
            of, reading = readings[compiler.place[part.reading]], part.reading
            top = len(_ORDERS[of].kinds) << SHIFT
            edges = {edge for edge in (part.low, part.high + 1) if 0 < edge < top}
            if of == _OTHER:
                cuts |= edges
            elif any(edge & ((1 << SHIFT) - 1) for edge in edges):
                raise InputError(f'"{reading.words}" is told apart within one kind: {WHAT}')
    if len(cuts) > 1:
        raise InputError(f"hands of the dealer are told apart at {len(cuts)} places: {WHAT}")
    return cuts.pop() if cuts else 0


def _with_decision(scene: Scene) -> Scene:
    """Returns a scene with its decision, which is the same on every hand."""
    asked = {scene.asked(kind << SHIFT)[0] for kind in _KINDS}
    options = {one.options if isinstance(one, Choose) else () for one in asked}
    (offered,) = options if len(options) == 1 else ((),)
    if len(offered) != 2 or offered[0].adds or len(offered[1].adds) != 1:
        raise InputError(f"expected one decision on every hand: {WHAT}")
    (fold, play), ((main, adds),) = offered, offered[1].adds
    goes_on = {
        option.id: {isinstance(scene.decided(option.id, kind << SHIFT)[0], Draw) for kind in _KINDS}
        for option in offered
    }
    if goes_on[play.id] != {True} or len(goes_on[fold.id]) != 1:
        raise InputError(f"the dealer's cards are dealt on some hands alone: {WHAT}")
    return replace(scene, options=(fold.id, play.id), adds=adds, main=main, looks=goes_on[fold.id] == {True})


Cell = tuple[int, int, int]
"""Kind of the player's hand, how it ends, and kind of the best five of both."""


@lru_cache(maxsize=32)
def table_of(scene: Scene) -> Mapping[Cell, Mapping[str, str]]:
    """Returns how every wager ends by kind of the player's hand, end, and kind of both hands together.

    Raises:
        InputError: That does not say it: something else of the hands decides.
    """
    fold, play = scene.options
    found: dict[Cell, Mapping[str, str]] = {}
    for kind, end, together in product(_KINDS, range(FOLDED + 1), BOTH):
        both = _TOGETHER[together] << SHIFT
        option = fold if end == FOLDED else play
        ways = [scene.ended(option, own, other, both) for own, other in _meetings(scene.least, kind, end)]
        found[kind, end, together] = ways[0]
        if any(way != ways[0] for way in ways):
            raise InputError(
                f"hands are compared where the dealer's is too low, or nothing was added: {WHAT}"
            )
        if ways[0][scene.main] != found[kind, end, 0][scene.main]:
            raise InputError(f"{scene.main} is settled by both hands together: {WHAT}")
        if end == FOLDED and ways[0][scene.main] != LOST:
            raise InputError(f'"{fold}" does not lose {scene.main}: {WHAT}')
    return found


def _meetings(least: int, kind: int, end: int) -> Iterator[tuple[int, int]]:
    """Yields strengths of hands, as numbers, that meet so; of a way that is not possible any."""
    low, high = kind << SHIFT, (kind + 1 << SHIFT) - 1
    if end == WIN:
        yield high, high - 1
    elif end == TIE:
        yield high, high
    elif end == LOSE:
        yield low, max(low + 1, least)
    elif end == UNQUALIFIED and not least:
        yield high, high
    elif end == UNQUALIFIED:
        yield from ((own, least - 1) for own in {low, high, min(max(low, least - 1), high)})
    else:
        yield from ((own, other) for own in (low, high) for other in (0, own, least, _KINDS[-1] + 1 << SHIFT))


@dataclass(frozen=True)
class Showdown(OneDecision):
    """A described game in which whole hands meet, and its reference round.

    Args:
        scene: What it asks of them.
        price: What an outcome of a wager comes to.
    """

    scene: Scene
    price: DescribedPrice = field(compare=False)

    cards = _CARDS
    opened = 0
    shared = _CARDS
    kinds = tuple(_KINDS)

    @property
    def main(self) -> str:
        """Id of the wager that is decided on."""
        return self.scene.main

    @property
    def options(self) -> tuple[str, str]:
        """What may be decided, the less committing option first."""
        return self.scene.options

    @property
    def holders(self) -> tuple[str, str]:
        """The places of both hands."""
        return self.scene.holders

    @property
    def least(self) -> int:
        """Strength from which a hand of the dealer is told from lower ones."""
        return self.scene.least

    @property
    def adds(self) -> Fraction:
        """What playing adds to the stake of the main wager."""
        return self.scene.adds

    @property
    def fold_loses_all(self) -> bool:
        """Whether the round ends where the stake is given up."""
        return not self.scene.looks

    def outcome(self, wager: Wager, kind: int, end: int, together: int) -> str:
        """Returns how a wager ends."""
        return table_of(self.scene)[kind, end, together][wager.id]

    def outcomes(self, kind: int, end: int, together: int) -> tuple[str, ...]:
        """Returns how every wager ends."""
        ended = table_of(self.scene)[kind, end, together]
        return tuple(ended[wager.id] for wager in self.game.wagers)

    def main_net(self, outcome: str) -> Fraction:
        """Returns the net result of an outcome of the main wager, in units of its first stake."""
        return self.price(self.main, outcome).net

    def net(self, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome in units of the initial stake."""
        return self.price(wager, outcome).net

    def staked(self, wager: str, outcome: str) -> Fraction:
        """Returns everything staked on a wager, in units of its initial stake."""
        return self.price(wager, outcome).staked

    def rows(self, wager: Wager) -> tuple[Outcome, ...]:
        """Returns every outcome of a wager with net result and stake, without probability, as figures list them."""
        ended = {one[wager.id]: self.price(wager.id, one[wager.id]) for one in table_of(self.scene).values()}
        order = {row: place for place, row in enumerate(wager.paytable.ids)}
        listed = sorted(ended, key=lambda one: (order.get(row_of(one), len(order)), -ended[one].net, one))
        return tuple(
            Outcome(one, ended[one].net, Fraction(0), ended[one].staked, row_of(one)) for one in listed
        )

    def called(self, strength: int) -> str:
        """Returns what a whole hand is called."""
        kind = strength >> SHIFT
        return THREE_TITLES[kind] if kind != HIGH else f"{highest(strength)} high"
