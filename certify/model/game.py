"""A game submitted for certification: everything its source prints, and how we read it."""

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, replace
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, Self

from certify.errors import InputError
from certify.model.equipment import Equipment
from certify.model.form import Messages, origins
from certify.model.printed import PrintedCount, PrintedRow
from certify.model.strategy import StrategyCard

if TYPE_CHECKING:
    # The port names figures and nouns of evidence, which are above the nouns: here it is a type alone.
    from certify.families.port import Family
    from certify.model.claims import Printed


class Provenance(StrEnum):
    """How a value got into the submission."""

    PRINTED = "printed"
    ADOPTED = "adopted"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Origin:
    """The provenance of one value.

    Args:
        provenance: Printed in a source, adopted as a reading, or recovered from a printed return.
        by: The source, the reading or the recovery that gave the value; empty only where it is printed.
        unique: For a recovered value: whether no other candidate fits the printed figure.
    """

    provenance: Provenance = Provenance.PRINTED
    by: str = ""
    unique: bool = True


@dataclass(frozen=True, slots=True)
class PaytableRow:
    """One row of a paytable.

    Args:
        id: Id of the row, as used in figures and evidence.
        title: The row as the source words it.
        pays: Net pay in units of the stake (2 for ``2 to 1``); a pushed stake is 0. Of a row that a round can win
            many times, what it pays for the stake (2 for ``2 for 1``).
        origin: Where the pay comes from.
        line: Line of the submission that states the row, 0 when made in code.
    """

    id: str
    title: str
    pays: Fraction
    origin: Origin = field(default_factory=Origin)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Paytable:
    """The rows of one wager, in printed order; an outcome that no row names loses the stake."""

    rows: tuple[PaytableRow, ...]

    def pays(self, row_id: str) -> Fraction:
        """Returns the net pay of a row.

        Raises:
            KeyError: The paytable has no such row.
        """
        return {row.id: row.pays for row in self.rows}[row_id]

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the rows in printed order."""
        return tuple(row.id for row in self.rows)


LEAST_RETURN: Final = Fraction(75, 100)
"""Least theoretical return of a house-banked table game. Source: GLI-19 v3.0, 4.7.1."""

RAREST_AWARD: Final = Fraction(1, 100_000_000)
"""Least probability of an advertised top award. Source: GLI-19 v3.0, 4.7.3."""


class Rules(Protocol):
    """Rules of play of one game: a frozen, hashable dataclass of the family that reads them."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


@dataclass(frozen=True, slots=True)
class Limits:
    """Bet limits of one wager in minor units of the currency (cents).

    Args:
        minimum: The least stake.
        maximum: The greatest stake.
        currency: Currency (ISO 4217).
        origin: Where the limits come from.
        step: Every stake is a multiple of it, the limits too.
    """

    minimum: int
    maximum: int
    currency: str
    origin: Origin = field(default_factory=Origin)
    step: int = 1

    @property
    def stakes(self) -> range:
        """Every stake that may be accepted, the least first."""
        return range(self.minimum, self.maximum + 1, self.step)

    def allowed(self, amount: int) -> int:
        """Returns the greatest stake that may be accepted and is no greater than an amount; the least one otherwise.

        >>> Limits(20, 100, "EUR", step=20).allowed(55), Limits(20, 100, "EUR", step=20).allowed(5)
        (40, 20)
        """
        return max(self.minimum, min(self.maximum, amount // self.step * self.step))

    def priced(self, price: Fraction) -> Self:
        """Returns the limits of what costs so many stakes: its steps are the least that are whole.

        >>> limits = Limits(5, 100, "EUR", step=5).priced(Fraction(81, 2))
        >>> limits.minimum, limits.maximum, limits.step
        (405, 4050, 405)
        """
        step = (self.step * price).numerator
        least, most = -(-self.minimum * price // step) * step, self.maximum * price // step * step
        return replace(self, minimum=int(least), maximum=int(most), step=step)


@dataclass(frozen=True, slots=True)
class Wager:
    """One thing a player can bet on.

    Args:
        id: Id of the wager, such as ``main`` or ``straight-up``.
        title: Its name on the table.
        paytable: What its rows pay.
        limits: What may be staked on it.
        description: Its rule in the words of the submission.
    """

    id: str
    title: str
    paytable: Paytable
    limits: Limits
    description: str = ""

    @property
    def pays_are_recovered(self) -> bool:
        """Whether some pay was lost and recovered from a printed return."""
        return any(row.origin.provenance is Provenance.RECOVERED for row in self.paytable.rows)


@dataclass(frozen=True, slots=True)
class Claim:
    """A figure that the source prints about a wager, with the precision it is printed at.

    Args:
        wager: Id of the wager.
        metric: What the figure is.
        text: The figure as printed.
        printed: Its value and precision.
        source: Id of the source.
        line: Line of the submission, 0 when made in code.
        strategy: The strategy that the source names for the figure; empty where it names none.
        row: Row of the paytable that the figure is about, for the odds of a row; else empty.
    """

    wager: str
    metric: str
    text: str
    printed: "Printed"
    source: str
    line: int = 0
    strategy: str = ""
    row: str = ""


@origins()
@dataclass(frozen=True, slots=True)
class Reading:
    """How a silent or contradictory passage is read, and why.

    Args:
        id: Its id.
        question: What the source leaves open.
        adopted: How it is read.
        because: Why.
        alternatives: How else it could be read.
        clauses: Ids of the clauses that it touches, where the house adopts it.
        messages: The messages of its texts, by their names, where the house adopts it.
    """

    id: str
    question: str
    adopted: str
    because: str
    alternatives: tuple[str, ...] = ()
    clauses: tuple[str, ...] = ()
    messages: Mapping[str, Messages] = field(default_factory=dict, hash=False)


@origins()
@dataclass(frozen=True, slots=True)
class Source:
    """A text that the submission rests on.

    Args:
        id: Id of the source.
        title: Its title.
        file: Its file, next to game.toml; none where it is kept elsewhere.
        sha256: SHA-256 of the file, in hexadecimal.
    """

    id: str
    title: str
    file: str
    sha256: str


MONEY_TERMS: Final = ("void_stakes", "after_settlement", "day_count")
"""What a source prints, or leaves to be adopted, of where the money of a round goes that does not end as usual."""


@origins()
@dataclass(frozen=True, slots=True)
class Terms:
    """The promises of the rules screen about the life of a round, as printed and as parameters.

    Args:
        malfunction_voids_all: A malfunction voids all pays and plays.
        unresolved_void_after_days: Days of 24 hours after which an unresolved bet is void.
        resume_after_disconnection: The round goes on from the point where it was broken.
        previous_wins_paid: Wins of earlier rounds stay paid.
        history_available: Old rounds can be looked up.
        printed: The sentence of the source for each of them, by field name, and for each money term that it prints.
    """

    malfunction_voids_all: bool
    unresolved_void_after_days: int
    resume_after_disconnection: bool
    previous_wins_paid: bool
    history_available: bool
    printed: Mapping[str, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True)
class RuleValue:
    """One rule of play as the submission states it, for the report's list of rules."""

    id: str
    value: str
    title: str
    origin: Origin = field(default_factory=Origin)
    line: int = 0


@dataclass(frozen=True, slots=True)
class Game:
    """A complete submission, read and valid.

    Args:
        port: The family whose code knows how it is played, as it plays this game.
        id: Id of the game.
        title: Its name.
        version: Version of its rules and paytables.
        supplier: Who makes it.
        rules: Rules of play as parameters.
        rule_values: The same rules as text with their provenance, in submitted order.
        values: Value of each rank, by its name, where values are stated; in the unit that the family counts in.
        wagers: What can be bet on, the main wager first.
        claims: Figures printed by the source.
        terms: Promises about the life of a round.
        readings: Readings adopted.
        sources: Texts the submission rests on.
        sha256: Digest of the submitted bytes, lower-case hex.
        path: File the submission was read from.
        printed_counts: Counts and shares that the source prints about hands.
        printed_rows: Rows of a printed table of outcomes by the dealer's hand.
        banked_by: Who pays the wins, ``house`` or ``player``.
        equipment: What chance is drawn from, in the order in which rows of draws are laid out.
        strategy_cards: Strategy cards that the source prints.
    """

    port: "Family" = field(repr=False)
    id: str
    title: str
    version: str
    supplier: str
    rules: Rules
    rule_values: tuple[RuleValue, ...]
    values: tuple[tuple[str, int], ...]
    wagers: tuple[Wager, ...]
    claims: tuple[Claim, ...]
    terms: Terms
    readings: tuple[Reading, ...]
    sources: tuple[Source, ...]
    sha256: str
    path: str
    printed_counts: tuple[PrintedCount, ...] = ()
    printed_rows: tuple[PrintedRow, ...] = ()
    banked_by: str = "house"
    equipment: tuple[Equipment, ...] = ()
    strategy_cards: tuple[StrategyCard, ...] = ()

    @property
    def family(self) -> str:
        """Id of the family."""
        return self.port.id

    def wager(self, wager_id: str) -> Wager:
        """Returns a wager by its id.

        Raises:
            KeyError: The game has no such wager.
        """
        for wager in self.wagers:
            if wager.id == wager_id:
                return wager
        raise KeyError(wager_id)

    def claims_on(self, wager_id: str) -> tuple[Claim, ...]:
        """Returns the claims printed about a wager."""
        return tuple(claim for claim in self.claims if claim.wager == wager_id)


def repaid(game: Game, change: Mapping[tuple[str, str], Fraction]) -> Game:
    """Returns a game in which some rows pay otherwise, by wager and row."""
    return replace(
        game,
        wagers=tuple(
            replace(
                wager,
                paytable=replace(
                    wager.paytable,
                    rows=tuple(
                        replace(row, pays=change.get((wager.id, row.id), row.pays))
                        for row in wager.paytable.rows
                    ),
                ),
            )
            for wager in game.wagers
        ),
    )


def unit_stakes(game: Game) -> dict[str, Fraction]:
    """Returns one unit on every wager of a game."""
    return {wager.id: Fraction(1) for wager in game.wagers}


def checked_stakes(game: Game, stakes: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """Returns the stake on every wager of a game, 0 where none is named.

    Raises:
        InputError: A stake is negative or on no wager of the game, or nothing is staked on the first wager.
    """
    known = [wager.id for wager in game.wagers]
    unknown = sorted(set(stakes) - set(known))
    if unknown:
        raise InputError(f"no wager {', '.join(unknown)} in {game.id}: expected {', '.join(known)}")
    if any(stake < 0 for stake in stakes.values()):
        raise InputError("a stake is negative: expected 0 or more units")
    if stakes.get(known[0], Fraction(0)) <= 0:
        raise InputError(f"nothing is staked on {known[0]}: a round is only played with its first wager")
    return {wager: Fraction(stakes.get(wager, 0)) for wager in known}
