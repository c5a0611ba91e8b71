"""Described games in which whole hands meet: three cards against three, one decision or none.

Deals of both hands are too many to be walked card by card. What the submission says is acted out by the same stages as
every described game, on what the hands come to instead of on cards: once for each way in which two hands meet that its
conditions distinguish. The hands themselves are counted by the toolkit.
"""

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from math import lcm
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import numpy as np

from certify.analysis.hands.strength import (
    FIVE,
    HIGH,
    KINDS,
    ORDERS,
    SHIFT,
    THREE_TITLES,
    Card,
    CountedDeck,
    deck_of_piece,
)
from certify.errors import InputError, Refusing
from certify.families.described.compiled_game import Program
from certify.families.described.compiler import Compiler
from certify.families.described.reading import Described, described_of
from certify.families.described.rules import (
    NO_BOUND,
    Against,
    DescribedRules,
    Measure,
    Measurement,
    Within,
    parts_of,
    readings_of,
)
from certify.families.described.stages import laid, start, whole_numbers
from certify.families.described.submitted import DescribedPrice, row_of, rows_of
from certify.families.one_decision.distinguished import Apart, every_hand
from certify.families.one_decision.text import LOST, DecisionState, DecisionTerms, OneDecision, highest
from certify.model import Equipment, Game, Outcome, Wager
from certify.model.stages import Choose, End, Moment, NextDraw, Node, Won, opened

if TYPE_CHECKING:
    from certify.families.shared_board.board import Board

_CARDS: Final = 3
_OWN, _OTHER, _BOTH = range(3)
FIVE_CARDS: Final = ORDERS["five-card"]
_ORDERED: Final = (Measure.NTH, Measure.LAST, Measure.MATCHES)
"""Readings that go by the order of cards: hands have none."""

MOST_CLASSES: Final = 250
MOST_COLUMNS: Final = 2_000
"""Classes of hands of the player, and ways in which hands meet, at most."""

WHAT: Final = (
    "expected one whole deck, three cards to one place and three to another, and either no decision or one, before "
    "the others are dealt, between an option that loses the stake of the first wager and one that adds to it; of both "
    "hands together the best five cards by kind, and numbers that add up, are counted"
)
"""What a game in which whole hands meet looks like."""

FORMS: Final = (
    "on one whole deck, larger hands are counted in two forms alone: three cards against three, or two cards each and "
    "a board of five"
)
"""Games of hands that are too large to be walked."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What a described game asks of both hands.

    Args:
        program: What its stages look at.
        sides: For each reading whose hand it is: the player's, the dealer's, or both together.
        numbers: For each reading of one hand what every hand comes to, by number of the hand.
        holders: The places of both hands.
        told: What is distinguished of them.
        renamed: Whether suits may be called otherwise.
        options: Option that gives the stake up, and the one that adds to it; nothing where nothing is decided.
        adds: What that adds, in units of the stake.
        main: Id of the wager that is decided on.
        looks: Whether the dealer's cards are dealt after the stake was given up, too.
    """

    program: Program
    sides: tuple[int, ...]
    numbers: Mapping[int, Sequence[int]]
    holders: tuple[str, str]
    told: "Apart | Board"
    renamed: bool
    main: str
    options: tuple[str, ...] = ()
    adds: Fraction = Fraction(0)
    looks: bool = True

    def __hash__(self) -> int:
        """Returns a number that equal scenes share."""
        return hash((self.main, self.told, self.holders))

    @property
    def fold(self) -> str:
        """The option that gives the stake up; nothing where nothing is decided."""
        return self.options[0] if self.options else ""

    @property
    def play(self) -> str:
        """The option that adds to it."""
        return self.options[-1] if self.options else ""

    @property
    def at_once(self) -> bool:
        """Whether both hands are dealt before anything can be decided."""
        return len({drawn.holder for drawn in self.program.steps[0].draws}) > 1

    def asked(self, mine: int) -> tuple[Node, tuple[Won, ...]]:
        """Returns the decision on a hand, and what is settled before it."""
        waiting, won, _ = opened(start(self.program))
        after, more, _ = opened(self._laid(waiting, self._known(mine)))
        return after, won + more

    def decided(self, option: str, mine: int) -> tuple[Node, tuple[Won, ...]]:
        """Returns what follows the decision, and what is settled before."""
        waiting, won = self.asked(mine)
        if not isinstance(waiting, Choose):
            raise InputError(f"a decision is not offered on every hand: {WHAT}")
        with Refusing(ValueError, InputError):  # Two conditions of a wager may hold at once.
            after, more, _ = opened(waiting.then(self.program, *waiting.kept, option))
        return after, won + more

    def ended(self, option: str, mine: int, theirs: int, kind: int) -> Mapping[str, str]:
        """Returns how every wager ends when two hands meet, the best five of which are of a kind."""
        won: tuple[Won, ...] = ()
        if option:
            after, won = self.decided(option, mine)
        else:
            after, won, _ = opened(start(self.program))
        known = self._known(mine, theirs, min(kind, len(FIVE_CARDS.kinds) - 1) << SHIFT)
        while isinstance(after, NextDraw):
            after, more, _ = opened(self._laid(after, known))
            won += more
        if not isinstance(after, End):
            raise InputError(f"more than one decision is required: {WHAT}")
        return dict(won + after.won)

    def _known(self, mine: int, theirs: int = -1, both: int = 0) -> dict[int, int]:
        """Returns what readings come to: of the player's hand alone, or of all."""
        known = {}
        for place, side in enumerate(self.sides):
            if side == _OWN:
                known[place] = self.numbers[place][mine]
            elif theirs >= 0 and side == _OTHER:
                known[place] = self.numbers[place][theirs]
            elif theirs >= 0 and place in self.numbers:
                known[place] = self.numbers[place][mine] + self.numbers[place][theirs]
            elif theirs >= 0:
                known[place] = both
        return known

    def _laid(self, waiting: Node, known: Mapping[int, int]) -> Moment:
        """Returns what comes once the cards of a turn were dealt: the player's alone, or all of them."""
        if not isinstance(waiting, NextDraw):
            raise InputError(f"nothing is dealt where both hands should be: {WHAT}")
        with Refusing(ValueError, InputError):
            return laid(self.program, waiting, known)


def scene_of(game: Game, rules: DescribedRules) -> Scene:
    """Returns what a described game asks of whole hands that meet.

    Raises:
        InputError: It asks for something else.
    """
    found = described_of(game, rules)
    own, other = _places(found)
    compiler = Compiler(found, game.equipment, found.wagers, whole=True)
    whose = {frozenset([own]): _OWN, frozenset([other]): _OTHER, frozenset([own, other]): _BOTH}
    sides = tuple(_side(reading, whose) for reading in compiler.readings)
    (piece,) = game.equipment
    deck = deck_of_piece(piece)
    hands = every_hand(deck.size)
    numbers = {
        place: _numbers(compiler, place, piece, hands)
        for place, side in enumerate(sides)
        if side != _BOTH or compiler.readings[place].kind is not Measure.HAND
    }
    told = _told(compiler, sides, numbers, len(hands))
    renamed = [_renamed(deck, hands, suit) for suit in range(1, deck.suits)]
    unequal = {place for place, own in numbers.items() if any((own[one] != own).any() for one in renamed)}
    _check_main(compiler, found, unequal)
    holders = found.places[own], found.places[other]
    listed = {place: own.tolist() for place, own in numbers.items()}
    scene = Scene(compiler.program(), sides, listed, holders, told, not unequal, found.wagers[0])
    return with_decision(
        scene,
        own in {place for place, _ in found.turns[0].draws},
        np.unique(told.own, return_index=True)[1].tolist(),
    )


def _places(found: Described) -> tuple[int, int]:
    """Returns the places of both hands, the one that is dealt first or decided on before the other."""
    dealt = [(place, number) for number, turn in enumerate(found.turns) for place, _ in turn.draws]
    places = tuple(dict.fromkeys(place for place, _ in dealt))
    counts = [sum(one == place for one, _ in dealt) for place in places]
    straight = all(to > number for number, turn in enumerate(found.turns) for to in turn.following)
    if counts != [_CARDS, _CARDS]:
        raise InputError(FORMS)
    if not straight or any(turn.clears for turn in found.turns):
        raise InputError(WHAT)
    decided = [number for number, turn in enumerate(found.turns) if turn.choices]
    if len(decided) > 1 or any(
        number <= decided[0] for place, number in dealt if decided and place == places[1]
    ):
        raise InputError(WHAT)
    return places[0], places[1]


def _side(reading: Measurement, whose: Mapping[frozenset[int], int]) -> int:
    side = whose.get(frozenset(reading.places))
    if side is None or reading.kind in _ORDERED:
        raise InputError(f'"{reading.words}" is read: {WHAT}')
    best = reading.kind is Measure.HAND and reading.order == FIVE_CARDS
    adds = reading.kind in (Measure.SUM, Measure.NUMBER) and not reading.number
    if side == _BOTH and not (best or adds):
        raise InputError(f'"{reading.words}" is read of both hands: {WHAT}')
    if side != _BOTH and reading.order is not None and reading.order.cards > _CARDS:
        raise InputError(f'"{reading.words}" is read of {_CARDS} cards: {WHAT}')
    return side


def _numbers(compiler: Compiler, place: int, piece: Equipment, hands: Any) -> Any:
    """Returns what a reading of three cards comes to, for every hand by number."""
    reading, register = compiler.readings[place], compiler.register(place)
    counts = dict(reading.numbers).get(piece.id, (0,) * len(piece.faces))
    suits = [face.partition(" of ")[2] for face in piece.faces]
    return whole_numbers(register, list(zip(counts, suits, strict=True)), hands)


def _renamed(deck: CountedDeck, hands: Any, suit: int) -> Any:
    """Returns each hand by its number once a suit and the one before have changed their names."""
    names = {suit: suit - 1, suit - 1: suit}
    faces = _array([deck.cards.index((rank, names.get(own, own))) for rank, own in deck.cards])
    return np.lexsort(np.sort(faces[hands], axis=1).T)


def _array(values: Any) -> Any:
    return np.array(values, dtype=np.int64)


def _told(compiler: Compiler, sides: Sequence[int], numbers: Mapping[int, Any], hands: int) -> Apart:
    """Returns what the conditions of a game tell apart of two hands."""
    edges: dict[int, set[int]] = {place: set() for place in range(len(sides))}
    pairs: set[tuple[int, int]] = set()
    for part in (part for turn in compiler.conditions for one in turn for part in parts_of(one)):
        if isinstance(part, Within) and isinstance(part.reading, Measurement):
            edges[compiler.place[part.reading]] |= {part.low, part.high + 1}
        elif isinstance(part, Against):
            pairs.add((compiler.place[part.one], compiler.place[part.other]))
    signatures: list[list[Any]] = [[[0] * hands], [[0] * hands]]
    compared, added, cuts = [], [], []
    for place, side in enumerate(sides):
        own = sorted(edges[place])
        if side != _BOTH:
            signatures[side].append(np.searchsorted(own, numbers[place], side="right"))
        elif place in numbers:
            added.append([numbers[place]] * 2)
            cuts.append([cut for cut in own if abs(cut) < NO_BOUND])
    for one, another in sorted(pairs):
        if _BOTH in (sides[one], sides[another]):
            words = compiler.readings[one].words, compiler.readings[another].words
            raise InputError(f'"{words[0]}" against "{words[1]}": {WHAT}')
        if sides[one] == sides[another]:
            signatures[sides[one]].append(np.sign(numbers[one] - numbers[another]))
            continue
        mine, theirs = (one, another) if sides[one] == _OWN else (another, one)
        compared.append([numbers[mine], numbers[theirs]])
    classes = [np.unique(_array(one), axis=1, return_inverse=True)[1].reshape(-1) for one in signatures]
    most = max((len(one) for one in cuts), default=0)
    padded = _array([[*one, *[NO_BOUND] * (most - len(one))] for one in cuts]).reshape(len(cuts), most)
    sums, against = _array(added).reshape(-1, 2, hands), _array(compared).reshape(-1, 2, hands)
    five = _five(compiler, sides, edges)
    key: Hashable = tuple(one.tobytes() for one in (*classes, against, sums, padded, five))
    told = Apart(key, classes[0], classes[1], against, sums, padded, five)
    if told.classes > MOST_CLASSES or told.ends * told.togethers > MOST_COLUMNS:
        raise InputError(
            f"conditions distinguish {told.classes} classes of hands and {told.ends * told.togethers:,} ways in "
            f"which two meet: expected at most {MOST_CLASSES} and {MOST_COLUMNS:,}"
        )
    return told


def _five(compiler: Compiler, sides: Sequence[int], edges: Mapping[int, set[int]]) -> Any:
    """Returns the class of each kind of the best five of both hands: kinds that no condition tells apart are of one."""
    cuts: set[int] = set()
    for place, side in enumerate(sides):
        if side == _BOTH and compiler.readings[place].kind is Measure.HAND:
            own = {edge for edge in edges[place] if 0 < edge < len(FIVE_CARDS.kinds) << SHIFT}
            if any(edge & ((1 << SHIFT) - 1) for edge in own):
                raise InputError(
                    f'"{compiler.readings[place].words}" is distinguished within one kind: {WHAT}'
                )
            cuts |= {edge >> SHIFT for edge in own}
    ordered = sorted(cuts)
    return _array(
        [bisect_right(ordered, min(kind - (kind > FIVE), len(FIVE_CARDS.kinds) - 1)) for kind in range(KINDS)]
    )


def _check_main(compiler: Compiler, found: Described, unequal: set[int]) -> None:
    """Refuses a first wager that goes by the names of suits: who decides sees hands whatever their suits are called."""
    for turn in found.turns:
        asked = [one.when for one in (*turn.endings, *turn.bonuses) if one.wager == 0]
        for when in (*asked, *(choice.when for choice in turn.choices), *(when for when, _ in turn.leads)):
            for reading in () if isinstance(when, tuple) else readings_of(when):
                if compiler.place[reading] in unequal:
                    raise InputError(
                        f'"{reading.words}" decides on the first wager and goes by names of suits: {WHAT}'
                    )


AnyScene = TypeVar("AnyScene", bound=Scene)


def with_decision(scene: AnyScene, dealt: bool, hands: Sequence[int]) -> AnyScene:
    """Returns a scene with its decision, which is the same on every hand, or with none."""
    if not dealt:
        raise InputError(f"nothing is dealt in the first turn: {WHAT}")
    asked = {scene.asked(mine)[0] for mine in hands} if not scene.at_once else set()
    options = {one.options if isinstance(one, Choose) else () for one in asked} or {()}
    if options == {()}:
        return scene
    (offered,) = options if len(options) == 1 else ((),)
    if len(offered) != 2 or offered[0].adds or [wager for wager, _ in offered[-1].adds] != [scene.main]:
        raise InputError(
            f"expected one decision on every hand, whose first option gives up the stake: {WHAT}"
        )
    fold, play = offered
    goes_on = {
        option.id: {isinstance(scene.decided(option.id, mine)[0], NextDraw) for mine in hands}
        for option in offered
    }
    if goes_on[play.id] != {True} or len(goes_on[fold.id]) != 1:
        raise InputError(f"the dealer's cards are dealt on some hands alone: {WHAT}")
    looks = goes_on[fold.id] == {True}
    return replace(scene, options=(fold.id, play.id), adds=play.adds[0][1], looks=looks)


Cell = tuple[int, int, int]
"""Class of the player's hand, how it meets the dealer's or is given up, and class of both hands together."""


@lru_cache(maxsize=32)
def table_of(scene: Scene, deck: CountedDeck) -> Mapping[Cell, Mapping[str, str]]:
    """Returns how every wager ends by class of the player's hand, end, and class of both hands together."""
    from certify.families.one_decision.full_hand_showdown import meetings

    told = cast(Apart, scene.told)
    shown = meetings(deck, told).shown
    found: dict[Cell, Mapping[str, str]] = {}
    for kind, column in zip(*(shown[:, :, 0] >= 0).nonzero(), strict=True):
        (mine, theirs), (end, both) = shown[kind, column].tolist(), divmod(int(column), told.togethers)
        option = scene.options[-1] if scene.options else ""
        found[int(kind), end, both] = scene.ended(option, mine, theirs, told.kind_of(both))
        if scene.options:
            given = scene.ended(scene.options[0], mine, theirs, told.kind_of(both))
            found[int(kind), told.ends + end, both] = given
            if not scene.looks:
                found[int(kind), told.ends, 0] = given
            if given[scene.main] != LOST:
                raise InputError(f'"{scene.options[0]}" does not lose {scene.main}: {WHAT}')
    return dict(sorted(found.items(), key=lambda one: (one[0][1], one[0][0], one[0][2])))


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

    @property
    def main(self) -> str:
        """Id of the wager that is decided on."""
        return self.scene.main

    @property
    def options(self) -> tuple[str, ...]:
        """What may be decided, the less committing option first; nothing where there is no decision."""
        return self.scene.options

    @property
    def holders(self) -> tuple[str, str]:
        """The places of both hands."""
        return self.scene.holders

    @property
    def least(self) -> int:
        """Nothing: what is distinguished of the dealer's hand is stated by ``apart``."""
        return 0

    @property
    def adds(self) -> Fraction:
        """What playing adds to the stake of the main wager."""
        return self.scene.adds

    @property
    def fold_loses_all(self) -> bool:
        """Whether the round ends where the stake is given up."""
        return not self.scene.looks

    @property
    def apart(self) -> "Apart | Board":
        """What is distinguished of both hands."""
        return self.scene.told

    @property
    def shape(self) -> tuple[int, int, int]:
        """How many classes of hands, ends and classes of both hands together there are."""
        told = cast(Apart, self.apart)
        return told.classes, 2 * told.ends, told.togethers

    @cached_property
    def table(self) -> Mapping[Cell, Mapping[str, str]]:
        """How every wager ends, by cell."""
        return table_of(self.scene, self.deck)

    @cached_property
    def terms(self) -> DecisionTerms:
        """What the worth of playing hangs on."""
        kinds, ends, togethers = self.shape
        cells = [[divmod(column, togethers) for column in range(ends // 2 * togethers)]] * kinds
        nets = [
            [
                self.main_net(self.table[kind, end, both][self.main])
                if (kind, end, both) in self.table
                else Fraction(0)
                for end, both in columns
            ]
            for kind, columns in enumerate(cells)
        ]
        parts = lcm(*(net.denominator for by_column in nets for net in by_column))
        whole = tuple(tuple(int(net * parts) for net in by_column) for by_column in nets)
        return DecisionTerms(type(self), self.options, self.main, self.deck, 0, whole, parts, self.apart)

    def cells(self) -> Iterator[Cell]:
        """Yields every cell, hands that are given up last."""
        yield from self.table

    def cell(self, player: Sequence[Card], dealer: Sequence[Card], option: str) -> Cell:
        """Returns the cell of a round; the dealer's cards as far as they were dealt."""
        from certify.analysis.hands.deals import number

        told, faces = cast(Apart, self.apart), {card: face for face, card in enumerate(self.deck.cards)}
        mine = number([faces[card] for card in player])
        gives_up = option != self.play
        if len(dealer) < _CARDS:
            return int(told.own[mine]), told.ends, 0
        end, both = told.met(mine, number([faces[card] for card in dealer]), (*player, *dealer))
        return int(told.own[mine]), end + told.ends * gives_up, both

    def alike(self, state: DecisionState, face: int) -> Hashable:
        """Returns what a round can tell of a card: all of it where conditions go by the names of suits."""
        return super().alike(state, face) if self.scene.renamed else face

    def matters(self, state: DecisionState) -> Hashable:
        """Returns what either side holds, whatever suits are called where conditions do not go by their names."""
        found = super().matters(state)
        return found if self.scene.renamed or not isinstance(found, tuple) or found[0] != state.option else (
            state.option, state.held)  # fmt: skip

    def outcome(self, wager: Wager, kind: int, end: int, together: int) -> str:
        """Returns how a wager ends."""
        return self.table[kind, end, together][wager.id]

    def outcomes(self, kind: int, end: int, together: int) -> tuple[str, ...]:
        """Returns how every wager ends."""
        ended = self.table[kind, end, together]
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
        ended = {one[wager.id]: self.price(wager.id, one[wager.id]) for one in self.table.values()}
        order = {row: place for place, row in enumerate(wager.paytable.ids)}
        listed = sorted(ended, key=lambda one: (order.get(row_of(one), len(order)), -ended[one].net, one))
        return tuple(
            Outcome(
                one, ended[one].net, Fraction(0), ended[one].staked, row_of(one),
                rows_of(self.price.found, wager.id, one)[1:],
            )
            for one in listed
        )  # fmt: skip

    def called(self, strength: int) -> str:
        """Returns what a whole hand is called."""
        kind = strength >> SHIFT
        return THREE_TITLES[kind] if kind != HIGH else f"{highest(strength)} high"
