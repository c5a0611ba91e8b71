"""What was submitted: rules, readings, terms, wagers with their paytables, printed returns."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.bounded import Figure
from certify.model.finding import Verdict
from certify.model.form import Odds, origins
from certify.model.provenance import Provenance


@origins()
@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of play as submitted.

    Args:
        id: Id of the rule.
        title: What it rules.
        value: Its value: a text, or yes or no.
        provenance: How the value got into the submission.
        by: The source, reading or recovery that gave it; empty only where it is printed.
        unique: For a recovered value: whether no other candidate fits.
    """

    id: str
    title: str
    value: str | bool
    provenance: Provenance
    by: str
    unique: bool


@origins()
@dataclass(frozen=True, slots=True)
class StatedLimits:
    """Least and greatest stake.

    Args:
        minimum: Least stake in minor units.
        maximum: Greatest stake in minor units.
        currency: Currency (ISO 4217).
        provenance: How the limits got into the submission.
        by: What gave them.
    """

    minimum: int
    maximum: int
    currency: str
    provenance: Provenance
    by: str


@origins()
@dataclass(frozen=True, slots=True)
class StatedRow:
    """One row of a paytable.

    Args:
        id: Id of the row.
        title: The row as printed.
        pays: What it pays.
        provenance: How the pay got into the submission.
        by: What gave it.
        unique: For a recovered pay: whether no other candidate fits.
    """

    id: str
    title: str
    pays: Odds
    provenance: Provenance
    by: str
    unique: bool


@origins()
@dataclass(frozen=True, slots=True)
class StatedWager:
    """One wager as submitted.

    Args:
        id: Id of the wager.
        title: Its title.
        description: What is bet on.
        limits: Least and greatest stake.
        paytable: The rows that pay, in printed order.
    """

    id: str
    title: str
    description: str
    limits: StatedLimits
    paytable: tuple[StatedRow, ...]


@origins()
@dataclass(frozen=True, slots=True)
class StatedClaim:
    """A printed figure beside the exact one.

    Args:
        wager: Id of the wager.
        metric: What is claimed.
        printed: The figure as printed.
        interval: Lowest value that prints so, and the first above it that does not.
        source: Where it is printed.
        strategy: Strategy under which it is read.
        exact: The exact figure under that strategy.
        distance_to_edges: From the lower end to the exact figure, and from there to the upper end.
        holds: Whether the exact figure prints so.
        by_construction: Whether pays were recovered from this very figure.
        status: What it is worth: satisfied, fitted to pays recovered from it, or not satisfied.
        independent_evidence: What speaks for the figure besides, in words.
        messages: The messages of its texts, by their names.
        row: Row of the paytable that the figure is about, for the odds of a row.
        impossible: Whether no play comes to the printed figure; none where that was not found.
        lowest: The least that any play makes of the figure, where the claim does not hold and it was found.
        highest: The most that any play makes of it.
    """

    wager: str
    metric: str
    printed: str
    interval: tuple[Fraction, Fraction]
    source: str
    strategy: str
    exact: Figure
    distance_to_edges: tuple[Fraction, Fraction]
    holds: bool
    by_construction: bool
    status: Verdict
    independent_evidence: str
    messages: Worded
    row: str | None = None
    impossible: bool | None = None
    lowest: Fraction | None = None
    highest: Fraction | None = None
