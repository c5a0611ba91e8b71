"""A game as one text: its round as plain functions, each of which sees only the table and what it was handed.

A *stage* is a function of a module. It is called with the table (rules, wagers) and the values that were kept for it,
and where it follows a draw or a decision also with the card or the id of the option. It returns what comes next: a
draw, a decision, or the end; around any of these it may settle wagers that are decided by now, and show what lay face
down.

What a stage was handed is all that it can use. Two moments of a round that go on at the same stage with equal values
are therefore the same moment, whatever came before: nothing has to be stated about which moments may be merged, and the
engine proves in every run that the text keeps to this.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeAlias

from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.game import Paytable, Wager

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Plain: TypeAlias = "int | str | bool | tuple[Plain, ...] | None"
"""What may be kept from one stage to the next."""

Stage: TypeAlias = "Callable[..., Moment]"
"""A function of a module: table, kept values and, after a draw or a decision, the card or the option."""

StepsTogether: TypeAlias = "Callable[..., tuple[NDArray[np.int64], Sequence[Moment | None]]]"
"""A function of a module that steps many moments of one stage at once.

It is called with the table, the values kept for the stage but the last, the last ones of all moments, the cards, and a
table of yes and no that says which card may come at which moment. It returns a line for each moment and in it for each
card the place of what comes next among the moments returned; none of these where the stage itself must say it.
"""

LOSE: Final = "lose"
"""The outcome of a stake that is lost, where a family gives it no other name."""

Won: TypeAlias = tuple[str, str]
"""A wager and the outcome that it came to."""


@dataclass(frozen=True, slots=True)
class Option:
    """Something that may be decided.

    Args:
        id: Id of the option, such as ``hit`` or ``stand-2``.
        adds: What the option stakes in addition, in units of the initial stake, by wager.
        gives_up: Whether it gives up the stake; of such an option least is to be seen in tests.
    """

    id: str
    adds: tuple[tuple[str, Fraction], ...] = ()
    gives_up: bool = False

    def __hash__(self) -> int:
        """Returns a number that equal options share, found at once: decisions are looked up a million times."""
        return hash(self.id)


class NextDraw(NamedTuple):
    """The round draws from a piece of equipment; ``draw`` makes it.

    Args:
        then: Stage that is called with the card.
        kept: Values that the stage is handed before the card.
        to: Who gets what is drawn, such as ``player`` or ``table``.
        piece: Id of the piece; empty for the only one.
        how: What happens, for sentences.
        hidden_from: Seats that do not see it.
    """

    then: Stage
    kept: tuple[Plain, ...]
    to: str
    piece: str
    how: str
    hidden_from: tuple[str, ...]


class Choose(NamedTuple):
    """A seat decides; ``choose`` makes it.

    Args:
        then: Stage that is called with the id of the option.
        kept: Values that the stage is handed before the option.
        seat: Who decides.
        options: What may be decided, the least committing option first.
        sees: Everything that the seat sees and that may matter to it.
    """

    then: Stage
    kept: tuple[Plain, ...]
    seat: str
    options: tuple[Option, ...]
    sees: Plain


class End(NamedTuple):
    """The round is over.

    Args:
        won: Outcomes of the wagers that were not settled before.
    """

    won: tuple[Won, ...]


Node: TypeAlias = NextDraw | Choose | End


class Settling(NamedTuple):
    """Wagers are settled, and the round goes on.

    Args:
        won: Their outcomes.
        moment: What comes next.
    """

    won: tuple[Won, ...]
    moment: "Moment"


class Showing(NamedTuple):
    """What lay face down is turned up, or something is announced, and the round goes on.

    Args:
        holder: Whose cards are turned up; empty where none are.
        told: What everybody learns in addition, such as whether the dealer holds a blackjack.
        moment: What comes next.
    """

    holder: str
    told: Plain
    moment: "Moment"


Moment: TypeAlias = NextDraw | Choose | End | Settling | Showing
"""What a stage returns."""


def draw(
    to: str,
    then: Stage,
    *kept: Plain,
    piece: str = "",
    how: str = "is dealt",
    hidden_from: tuple[str, ...] = (),
) -> NextDraw:
    """Returns a draw after which the round goes on at a stage.

    Args:
        to: Who gets what is drawn.
        then: Stage that is called with the table, the kept values and the card.
        *kept: Values that the stage is handed.
        piece: Id of the piece that is drawn from; the only one where left out.
        how: What happens, for sentences.
        hidden_from: Seats that do not see it.
    """
    return NextDraw(then, kept, to, piece, how, hidden_from)


def choose(seat: str, options: tuple[Option, ...], sees: Plain, then: Stage, *kept: Plain) -> Choose:
    """Returns a decision after which the round goes on at a stage.

    Args:
        seat: Who decides.
        options: What may be decided, the least committing option first.
        sees: Everything that the seat sees and that may matter to it.
        then: Stage that is called with the table, the kept values and the id of the option.
        *kept: Values that the stage is handed.
    """
    return Choose(then, kept, seat, options, sees)


def settled(moment: Moment, *won: Won) -> Moment:
    """Returns what comes next, with wagers settled that are decided by now.

    Settling a wager as soon as it is decided spares every later stage from carrying its outcome on.
    """
    return Settling(won, moment) if won else moment


def shown(moment: Moment, holder: str = "", told: Plain = None) -> Moment:
    """Returns what comes next, with the cards of a holder turned up or something announced."""
    return Showing(holder, told, moment)


def ended(*won: Won) -> End:
    """Returns the end of the round."""
    return End(won)


class Card:
    """What was drawn, as a stage reads it: one attribute for each that the text gives its faces.

    >>> Card({"rank": "A", "points": 1}).points
    1
    """

    __slots__ = ("_attributes",)

    def __init__(self, attributes: Mapping[str, Plain]) -> None:
        self._attributes = attributes

    def __getattr__(self, name: str) -> Any:
        """Returns an attribute of the face.

        Raises:
            AttributeError: The text gives its faces no such attribute.
        """
        try:
            return self._attributes[name]
        except KeyError:
            known = ", ".join(sorted(self._attributes))
            raise AttributeError(f"a card has no attribute {name!r}: expected one of {known}") from None


@dataclass(frozen=True, slots=True)
class Price:
    """What an outcome of a wager comes to.

    Args:
        net: Net result in units of the initial stake, everything added to it included.
        staked: Everything staked, in units of the initial stake.
    """

    net: Fraction
    staked: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True)
class PaidBy:
    """Prices by the paytables of a game.

    Args:
        paytables: What each wager pays, by wager.
        losing: Outcomes that lose the stake.
    """

    paytables: Mapping[str, Paytable]
    losing: tuple[str, ...] = (LOSE,)

    def __call__(self, wager: str, outcome: str) -> Price:
        """Returns what an outcome comes to.

        Raises:
            InputError: No row of the paytable names it, and it is none that loses.
        """
        return Price(net_of(self.paytables, wager, outcome, self.losing))


def net_of(
    paytables: Mapping[str, Paytable], wager: str, row: str, losing: tuple[str, ...] = (LOSE,)
) -> Fraction:
    """Returns the net result of a stake that ends in a row, or in one of the outcomes that lose it.

    Raises:
        InputError: No row of the paytable is called so, and no outcome that loses.
    """
    for one in paytables[wager].rows:
        if one.id == row:
            return one.pays
    if row in losing:
        return Fraction(-1)
    raise InputError(
        f'{wager} ends in "{row}", which no row of its paytable names: expected one of '
        f"{', '.join((*paytables[wager].ids, *losing))}"
    )


def paid_by(wagers: Iterable[Wager], losing: tuple[str, ...] = (LOSE,)) -> PaidBy:
    """Returns prices by the paytables of wagers, with the outcomes that lose the stake."""
    return PaidBy({wager.id: wager.paytable for wager in wagers}, losing)


@dataclass(frozen=True, slots=True)
class Held:
    """A card on the table.

    Args:
        holder: Who has it.
        piece: Id of the piece that it came from.
        face: Its face.
        hidden: Whether it is face down for somebody.
    """

    holder: str
    piece: str
    face: int
    hidden: bool = False


def by_name(piece: Equipment, face: int) -> Mapping[str, Plain]:
    """Returns the attributes that every face has: its name, its rank and suit where it is a card.

    >>> from certify.model.equipment import shoe
    >>> by_name(shoe("deck", ("A", "K"), ("hearts", "clubs")), 3)
    {'face': 3, 'name': 'K of clubs', 'rank': 'K', 'suit': 'clubs'}
    """
    name = piece.faces[face]
    rank, _, suit = name.partition(" of ")
    return {"face": face, "name": name, "rank": rank, "suit": suit}


@dataclass(frozen=True, slots=True)
class RoundText:
    """The implementation that plays a game: its first stage, and what the stages look at.

    Args:
        table: Frozen value that every stage is handed first: rules, and whatever else does not change in a round.
        start: First stage, called with the table alone.
        equipment: What the round is dealt from.
        wagers: Ids of the wagers, in the order of the submission; every one is settled once in every round.
        price: What an outcome of a wager comes to.
        face: Attributes of a face of a piece.
        total: What the cards of a holder are worth, in words; empty where they have no total.
        together: Stages that follow a draw and whose moments the engine may step many at once, each with the function
            that does it. What that function returns is no more believed than what a stage returns.
    """

    table: Any
    start: Stage
    equipment: tuple[Equipment, ...]
    wagers: tuple[str, ...]
    price: Callable[[str, str], Price] = field(compare=False)
    face: Callable[[Equipment, int], Mapping[str, Plain]] = by_name
    total: Callable[[Any, str, tuple[Card, ...]], str] = lambda table, holder, cards: ""
    together: Mapping[Stage, StepsTogether] = field(default_factory=dict, compare=False)

    def piece_of(self, drawn: NextDraw) -> int:
        """Returns the place of the piece that a draw is made from.

        Raises:
            KeyError: The round has no such piece.
        """
        if not drawn.piece and len(self.equipment) == 1:
            return 0
        for place, piece in enumerate(self.equipment):
            if piece.id == drawn.piece:
                return place
        raise KeyError(drawn.piece)


def opened(moment: Moment) -> tuple[Node, tuple[Won, ...], tuple[tuple[str, Plain], ...]]:
    """Returns what a moment waits for, the wagers settled before it, and what was shown before it."""
    won: tuple[Won, ...] = ()
    told: tuple[tuple[str, Plain], ...] = ()
    while isinstance(moment, (Settling, Showing)):
        if isinstance(moment, Settling):
            won += moment.won
        else:
            told += ((moment.holder, moment.told),)
        moment = moment.moment
    return moment, won, told


Pays: TypeAlias = Mapping[str, Mapping[str, Fraction]]
"""What the rows of each wager pay to 1, by wager and row."""

Settled: TypeAlias = tuple[str, Fraction]
"""The outcome of a wager, and its net result in units of the initial stake."""


class SecondText(Protocol):
    """The settlement of a family written apart from the implementation that plays it, from the printed rules.

    It shares no function and no class with that text: what it is held against must not be what it rests on.
    """

    def __call__(
        self, rules: Any, pays: Pays, draws: Sequence[str], decisions: Sequence[str]
    ) -> Mapping[str, Settled]:
        """Returns the outcome and the net result of every wager of a round.

        Args:
            rules: The rules of the game as submitted.
            pays: Its wagers with what their rows pay.
            draws: Names of the faces in the order drawn, exactly those that the round asks for.
            decisions: Ids of the options in the order decided.

        Raises:
            ValueError: The rules ask for more draws or decisions, or for fewer.
        """


def pays_of(wagers: Iterable[Wager]) -> Pays:
    """Returns what the rows of wagers pay."""
    return {wager.id: {row.id: row.pays for row in wager.paytable.rows} for wager in wagers}
