"""Clauses of standards as data."""

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from certify.model.form import origins


class Certainty(StrEnum):
    """How sure we are of the number and content of a clause."""

    VERBATIM = "V"
    PARTIAL = "P"
    SECONDARY = "S"
    UNVERIFIED = "U"


class Method(StrEnum):
    """How a clause is answered."""

    TEST = "test"
    EXAMINE = "examine"
    OPERATOR = "operator"
    NOT_APPLICABLE = "not applicable"


class Status(StrEnum):
    """What is printed of a clause, in the order in which reports count them."""

    SATISFIED = "satisfied"
    REFERENCE = "shown on the reference"
    FITTED = "fitted"
    CONDITION = "condition"
    EXAMINE = "examine"
    OPERATOR = "operator"
    SECONDARY = "secondary reference"
    NOT_SATISFIED = "not satisfied"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"


class Matter(StrEnum):
    """What of a submission the answer to a clause can rest on, and a finding can be about."""

    PAYS = "pays"
    """What winning outcomes pay."""
    LIMITS = "limits"
    """The least and the greatest stake."""
    MONEY_TERMS = "money terms"
    """Where the money of a round goes that does not end as usual, and when."""
    DISPLAYED_RETURN = "displayed return"
    """Returns that are displayed, and how the player realises them."""
    COUNTING = "counting"
    """The ways in which exact figures were counted."""
    SILENT_RULES = "silent rules"
    """What the rules leave open or contradict."""


class Applicability(StrEnum):
    """Which games a clause speaks about."""

    EVERY_GAME = "every game"
    CARDS = "games dealt from a deck of cards"
    SEVERAL_WAGERS = "games with more than one wager"
    DECISIONS = "games in which the player decides"
    HOUSE_BANKED = "games banked by the house"
    PRINTED_RETURN = "games whose source prints a return"
    PRINTED_TABLES = "games whose source prints counts of hands or a table of outcomes"
    SLOT_MACHINES = "games of slot machines"
    OTHER_THAN_SLOTS = "games other than slot machines"
    HOUSE_BANKED_DECISIONS = "games banked by the house in which the player decides"
    PRINTED_RETURN_DECISIONS = "games whose source prints a return and in which the player decides"
    JACKPOTS = "games with a jackpot"
    GAMBLES = "games with a gamble"
    WAITING = "games in which a round may wait for a decision"
    WHEELS_DICE_BALLS = "games of wheels, dice or balls"
    PLAYER_BANKED = "games of several people, one of whom banks"


@origins()
@dataclass(frozen=True, slots=True)
class Limit:
    """A number that a jurisdiction sets.

    Args:
        value: The number.
        source: Where it is stated.
        certainty: How sure we are of that.
        applies: Which games it is set for.
    """

    value: Fraction
    source: str
    certainty: Certainty
    applies: Applicability = Applicability.EVERY_GAME

    @property
    def reference(self) -> str:
        """The source, with a word where nobody read the number there."""
        return self.source if self.read else f"{self.source}, secondary reference"

    @property
    def read(self) -> bool:
        """Whether the number was read in the primary text."""
        return self.certainty is Certainty.VERBATIM


@origins()
@dataclass(frozen=True, slots=True)
class StatedClause:
    """One requirement as the file of its catalogue states it, paraphrased in our words.

    Args:
        number: Number as the standard prints it.
        paraphrase: The requirement in our words.
        method: Tested here, examined by a person, or the operator's duty.
        checks: Ids of the checks that answer it.
        certainty: How sure we are of number and content.
        applies: Which games it speaks about.
        note: Why it does not apply, what remains with whom, or a limit of the test.
        rests_on: What of the submission its answer rests on.
    """

    number: str
    paraphrase: str
    method: Method
    checks: tuple[str, ...]
    certainty: Certainty
    applies: Applicability = Applicability.EVERY_GAME
    note: str = ""
    rests_on: tuple[Matter, ...] = ()


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Clause(StatedClause):
    """One requirement of a catalogue.

    Args:
        id: Catalogue and number, such as ``gli-19@3.0/4.7.1``.
    """

    id: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The clauses of one standard.

    Args:
        id: Id of the catalogue, such as ``gli-19``.
        title: Short name of the standard, as reports print it.
        edition: Its edition.
        clauses: Its clauses, in its order.
        name: Its full name.
        sha256: Digest of the file that states the clauses; evidence carries it.
    """

    id: str
    title: str
    edition: str
    clauses: tuple[Clause, ...]
    name: str = ""
    sha256: str = ""
