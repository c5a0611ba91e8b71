"""What is offered with a round: staking a win again, features for a price, ways of betting, meters, variants."""

from collections.abc import Hashable, Sequence
from dataclasses import astuple, dataclass, field
from fractions import Fraction

from certify.families.slot.keys import key
from certify.model import MAIN_OPTIMAL


@dataclass(frozen=True, slots=True)
class Gamble:
    """The choice to stake a win again.

    Args:
        chance: Chance of winning one step.
        multiplies: What the win becomes.
        steps: Steps at most.
    """

    chance: Fraction
    multiplies: Fraction
    steps: int = field(metadata=key(what="steps", low=1, high=100))


@dataclass(frozen=True, slots=True)
class Purchase:
    """A feature that can be bought.

    Args:
        id: Id of the purchase.
        feature: Id of the feature.
        starts: How often it is started (free games: how many).
        price: Price in multiples of the total bet.
    """

    id: str
    feature: str
    starts: int
    price: Fraction


@dataclass(frozen=True, slots=True)
class NoDecisions:
    """The strategy of a game in which nothing is decided but what is staked.

    Args:
        name: Its name.
        bought: The feature that every round buys; none where every round is a paid spin.
    """

    name: str = MAIN_OPTIMAL
    bought: Purchase | None = None

    @property
    def strategy_class(self) -> str:
        """That nothing is decided."""
        return "no decisions"

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns the first option: there is never one that changes what the round comes to."""
        return options[0]

    def table(self) -> object:
        """Returns what every round buys; nothing is decided."""
        return [] if self.bought is None else [str(part) for part in astuple(self.bought)]


@dataclass(frozen=True, slots=True)
class BetLevel:
    """A way of betting: how many lines, and at how many coins a line.

    Args:
        id: Id of the level.
        lines: Lines that are played, from the first.
        coins: Coins on a line.
        cost: Coins that the round costs.
        pays: Rows that pay otherwise at this level, with what they pay (``id-N``, coins in all).
    """

    id: str
    lines: int
    coins: int = field(metadata=key(what="coins", low=1))
    cost: int = field(metadata=key(what="coins", low=1))
    pays: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Jackpot:
    """A meter that a paytable row wins on top of its pay, or that is won once it comes to an amount that is drawn.

    Args:
        id: Id of the jackpot.
        row: The row that wins it (``id-N``); empty where it must hit by an amount.
        seed: What it begins with, in multiples of the total bet.
        increment: Part of every bet that it grows by.
        must_hit_by: Amount by which it is won: what wins it is drawn evenly between seed and this, after each win anew.
        meter: A meter at which the return is stated.
    """

    id: str
    row: str = field(metadata=key(otherwise=""))
    seed: Fraction
    increment: Fraction
    must_hit_by: Fraction | None = None
    meter: Fraction | None = None


@dataclass(frozen=True, slots=True)
class SlotVariant:
    """The same game on other strips, as certified next to it.

    Args:
        id: Id of the variant.
        title: Its name.
        strips: (Stage, strip set) where it differs.
        printed: Its printed return; empty where none is printed.
    """

    id: str
    title: str
    strips: tuple[tuple[str, str], ...]
    printed: str = ""
