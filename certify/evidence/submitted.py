"""What was submitted: rules, readings, terms, wagers with their paytables, printed returns."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.analysis import PrintedFigure
from certify.evidence.encode import Worded
from certify.model import Base64, Figure, Odds, Provenance, Sha256, Source, Verdict, origins


@origins()
@dataclass(frozen=True, slots=True)
class MergingProven:
    """What was proved of the merging of the implementation that plays.

    Args:
        moments: Different moments that its stages come to.
        states: States of its least automaton.
        arrows: Arrows stepped again, each face counted by itself.
        rounds: Whole rounds played on the implementation in step with the table.
        hidden_pairs: Pairs of states that differ in a hidden draw alone, shown to be decided in the same way.
    """

    moments: int
    states: int
    arrows: int
    rounds: int
    hidden_pairs: int


@origins()
@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a game.

    Args:
        first: The implementation that plays it; walk, figures, play-through and reference round are derived from it.
        second: The settlement written apart; none where the family has none.
        shared: Functions and classes that both rest on; none in texts that are independent.
        merging: What was proved of the merging of the first; none where it is not written in stages.
        deals: Rounds on which both were compared: one for each class of faces at each state, where there are states.
        dealt: Rounds really dealt on which both were compared.
        differing: Rounds that they settle differently.
        differences: The first of these, in words.
    """

    first: "SourceText"
    second: "SourceText | None"
    shared: tuple[str, ...]
    merging: MergingProven | None
    deals: int
    dealt: int
    differing: int
    differences: tuple[str, ...]


@origins()
@dataclass(frozen=True, slots=True)
class SourceText:
    """One text of the rules.

    Args:
        module: Name of the module in which it begins.
        sha256: Digest of that module's file.
    """

    module: str
    sha256: Sha256


@origins()
@dataclass(frozen=True, slots=True)
class FamilyCode:
    """The package that brings the family of the game.

    Args:
        family: Id of the family.
        package: Name of the package; that of this software where the family is built in.
        version: Version of the package.
        sha256: Digest of its sources; that of all families of this software where the family is built in.
        reference: The implementation that plays rounds.
        second: The text that settles rounds, written apart; none where the family has none.
    """

    family: str
    package: str
    version: str
    sha256: Sha256
    reference: SourceText
    second: SourceText | None


@origins(stated=("lock_sha256", "python", "platform", "packages"))
@dataclass(frozen=True, slots=True)
class Tool:
    """The software: version, sources, dependencies and platform.

    Args:
        name: Name of the software.
        version: Its version.
        source_sha256: Digest over all its source files by name and content.
        lock_sha256: Digest of the lock of its dependencies.
        python: Version of Python.
        platform: System, machine and C library.
        packages: Versions of the packages that it computes with, by name.
    """

    name: str
    version: str
    source_sha256: Sha256
    lock_sha256: Sha256
    python: str
    platform: str
    packages: Mapping[str, str]


@origins()
@dataclass(frozen=True, slots=True)
class SubmittedFile:
    """A submitted file.

    Args:
        name: Its name.
        sha256: Digest of its bytes.
        bytes_: Number of its bytes.
        base64: The bytes themselves.
    """

    name: str
    sha256: Sha256
    bytes_: int
    base64: Base64


@origins()
@dataclass(frozen=True, slots=True)
class Item:
    """The game submitted.

    Args:
        game: Id of the game.
        title: Its title.
        version: Its version.
        supplier: Who supplies it.
        family: Id of the family that it is a game of.
        files: What was submitted, byte for byte.
        sources: The texts that the submission rests on.
    """

    game: str
    title: str
    version: str
    supplier: str
    family: str
    files: tuple[SubmittedFile, ...]
    sources: tuple[Source, ...]


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class OfProvenance:
    """What was submitted under an id, and where its value comes from.

    Args:
        id: Its id.
        title: Its title as submitted or printed.
        provenance: How the value got into the submission.
        by: The source, reading or recovery that gave it; empty only where it is printed.
        unique: For a recovered value: whether no other candidate fits.
    """

    id: str
    title: str
    provenance: Provenance
    by: str
    unique: bool


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(OfProvenance):
    """One rule of play as submitted.

    Args:
        value: Its value: a text, or yes or no.
    """

    value: str | bool


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
        step: Every stake is a multiple of it, in minor units; left out where any amount may be staked.
    """

    minimum: int
    maximum: int
    currency: str
    provenance: Provenance
    by: str
    step: int | None = None


@origins()
@dataclass(frozen=True, slots=True, kw_only=True)
class StatedRow(OfProvenance):
    """One row of a paytable.

    Args:
        pays: What it pays.
    """

    pays: Odds


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
@dataclass(frozen=True, slots=True, kw_only=True)
class StatedClaim(PrintedFigure):
    """A printed figure next to the exact one.

    Args:
        wager: Id of the wager.
        interval: Lowest value that prints so, and the first above it that does not.
        strategy: Strategy under which it is read.
        exact: The exact figure under that strategy.
        distance_to_edges: From the lower end to the exact figure, and from there to the upper end.
        holds: Whether the exact figure prints so.
        by_construction: Whether pays were recovered from this very figure.
        status: What it is worth: satisfied, fitted to pays recovered from it, or not satisfied.
        independent_evidence: What speaks for the figure in addition, in words.
        messages: The messages of its texts, by their names.
    """

    wager: str
    interval: tuple[Fraction, Fraction]
    strategy: str
    exact: Figure
    distance_to_edges: tuple[Fraction, Fraction]
    holds: bool
    by_construction: bool
    status: Verdict
    independent_evidence: str
    messages: Worded
