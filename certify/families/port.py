"""What a family of games brings, what it may bring, and what it gets for nothing.

A family has *rules* and a *reference round*. Everything else has a default that works on those two: exact
figures by walking the reference round, play-through by playing it, strategies, identification of lost pays by
search, situations found by walking. A family has more where the default does not serve. Where one submission states
several returns, the games and wagering configurations that are certified side by side come first.
"""

import math
from collections.abc import Callable, Container, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from certify.analysis.explanation import Explanation
from certify.analysis.par_cells import SheetTable
from certify.analysis.pay_search import PayBounds
from certify.errors import InputError, KeyPath, Problems as Problems
from certify.evidence import Recovery, Sections
from certify.families.rules_port import (
    RuleReader as RuleReader,
    RulesPort as RulesPort,
    TableForm as TableForm,
)
from certify.model import (
    Analysis,
    Block,
    BoundedRound as BoundedRound,
    Chance as Chance,
    Choice as Choice,
    Counter as Counter,
    Coverage,
    Decision,
    Entry,
    Exposure,
    Figure,
    FindingDraft,
    Game,
    Hand as Hand,
    Joint,
    JointCounts,
    Limits,
    Listed as Listed,
    LongRound as LongRound,
    NamingRound as NamingRound,
    Option as Option,
    PacedByPlayer as PacedByPlayer,
    PrintedVerdict,
    Recipe,
    Reels,
    ReferenceRound as ReferenceRound,
    RoundText,
    SecondText,
    SteppedRound as SteppedRound,
    Strategy,
    StrategyPlan as StrategyPlan,
    SummingCounter as SummingCounter,
    TellingRound as TellingRound,
    TwinnedCounter as TwinnedCounter,
    Variant as Variant,
    WagerResult as WagerResult,
    told_net as told_net,
    varying_of as varying_of,
)
from certify.model.round import Node as Node, Settled as Settled
from rng.words import WordSource


class ConfigurationKind(StrEnum):
    """What a wagering configuration is: a wager as submitted, or what differs from it."""

    WAGER = "wager"
    VARIANT = "variant"
    BET_LEVEL = "bet level"
    PURCHASE = "purchase"
    SEED = "meters at their seed"
    METER = "meters as stated"
    GAMBLE = "gamble"


def played_as(kind: ConfigurationKind, named: str) -> str:
    """Returns the name of the strategy by which a configuration is played by itself.

    >>> played_as(ConfigurationKind.BET_LEVEL, "three-coins")
    'bet-level:three-coins'
    """
    return f"{kind.value.replace(' ', '-')}:{named}"


@dataclass(frozen=True, slots=True)
class Configuration:
    """A wagering configuration by itself (GLI-19 v3.0 4.7.1(a)), with its exact return.

    Where a game has meters, each pays its seed in every configuration but that of the meters as they are stated.

    Args:
        id: What it is called in the submission, after its variant where it is of one.
        kind: What it is.
        wager: Id of the wager that is staked.
        returned: Its return, the least that a player may choose.
        highest: The highest return that a player may choose; the same where left out.
        price: What a round of it costs, in stakes of the wager.
        most: The most that a round of it wins net, or a bound of it, in stakes of the wager; none where there is no end
            of it, or where wagers are counted together alone.
        endless: Whether there is no end of what a round of it may win.
        hits: How often anything comes back; none where that was not counted.
        wins: How often more comes back than the round costs; likewise.
        variance: Variance of what a round of it returns, in units of its price; none where meters are not counted.
    """

    id: str
    kind: ConfigurationKind
    wager: str
    returned: Fraction
    highest: Fraction | None = None
    price: Fraction = Fraction(1)
    most: Fraction | None = None
    endless: bool = False
    hits: Figure | None = None
    wins: Figure | None = None
    variance: Fraction | None = None

    @property
    def most_returned(self) -> Fraction:
        """The highest return that a player may choose."""
        return self.returned if self.highest is None else self.highest

    def exposure(self, limits: Limits) -> int | None:
        """Returns the most that a round can cost the house in minor units; broken ones count in the player's favour."""
        return None if self.most is None else math.ceil(self.most * limits.maximum)


@dataclass(frozen=True, slots=True)
class Certified:
    """A game as it is certified: the submission itself, or one next to it that an operator may switch to.

    Args:
        id: Id of the variant; empty for the submission itself.
        title: Its name.
        game: The game, with what is printed of the variant as its claims.
        plays: What a round depends on: two that agree in it are the same game.
    """

    id: str
    title: str
    game: Game
    plays: Hashable


HEAD: Final = "head"
"""Table of what a sheet states in the place of a line of the head, which every submission has."""


@dataclass(frozen=True, slots=True)
class Recognised:
    """What a family makes of blocks of a spreadsheet that do not bear the names of its tables.

    Args:
        entries: Entries of its tables, and of the head.
        mistakes: What is wrong, each with its cell.
        unread: Titles of blocks that say nothing to it.
        assumed: What is not stated and was taken as usual, in words.
    """

    entries: tuple[Entry, ...] = ()
    mistakes: tuple[tuple[str, str], ...] = ()
    unread: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()


class SheetsPort(Protocol):
    """Spreadsheets of a family: its tables in the form of the PAR sheet, and read back."""

    def stated(self, game: Game) -> Mapping[str, Sequence[object]]:
        """Returns the family's own tables as a submission states them, in their forms."""

    def tables(self, game: Game) -> tuple[SheetTable, ...]:
        """Returns what the family's PAR sheet shows in addition."""

    def recognised(self, blocks: Sequence[Block], entries: Sequence[Entry]) -> Recognised:
        """Returns what blocks of somebody else's spreadsheet state, in addition to entries that were read already."""


# --- exact figures ---------------------------------------------------------------------------------------


class ExactPort(Protocol):
    """Exact figures of a game by counting: the first leg."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of all wagers under a named strategy."""

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of all wagers under a strategy."""

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the joint distribution of the outcomes of all wagers under a named strategy."""

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost whoever banks, with a row of draws that produces it."""

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns the tree behind one decision."""


@runtime_checkable
class ShowingFigures(ExactPort, Protocol):
    """Exact figures that show rows by themselves: a walk would look at too many points."""

    def shows(self, game: Game, wager: str, falls: Callable[[str], bool]) -> Recipe | None:
        """Returns a round in which the outcome of a wager falls as required; none where no round does."""


# --- play-through ----------------------------------------------------------------------------------------


@runtime_checkable
class LazyCounter(Counter, Protocol):
    """Plays rounds that are drawn only as far as they look: the same first draws as those of whole rows."""

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream end in each joint outcome."""

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the compiled code, and the word with which each began."""

    def row(self, words: WordSource) -> Sequence[int]:
        """Returns the draws of the next round, taken from the words as they are looked at."""


@runtime_checkable
class AddedRows(Protocol):
    """Rules under which rounds win awards that stand in no paytable: multipliers of a window, prizes of a feature."""

    def added_rows(self, game: Game) -> tuple[str, ...]:
        """Returns the rows of such awards, which no paytable has to name."""


@runtime_checkable
class SharedOutcomes(Protocol):
    """Rules under which one outcome may be paid by several rows: further stakes by rows of their own."""

    def rows_of(self, game: Game, wager: str, outcome: str) -> tuple[str, ...]:
        """Returns every row that an outcome is paid by, that which it is named after first."""


def rows_of(rules: RulesPort, game: Game, wager: str, outcome: str) -> tuple[str, ...]:
    """Returns every row that an outcome is paid by; where the rules know of no others, that which it is named after."""
    return (
        rules.rows_of(game, wager, outcome) if isinstance(rules, SharedOutcomes) else (rules.row_of(outcome),)
    )


@runtime_checkable
class RankedRows(Protocol):
    """Rules whose conditions name kinds of hands, so that a kind may be forgotten."""

    def unnamed_kinds(self, game: Game, wager: str) -> Mapping[str, str]:
        """Returns kinds that no condition of a wager names though it names a lower one, each with the next lower."""


@runtime_checkable
class RemarkingRules(Protocol):
    """Rules that see what a submission leaves open though it is sound."""

    def remarks(self, game: Game, stated: Container[KeyPath]) -> Iterator[tuple[KeyPath, str]]:
        """Yields what to remark, each with its key; ``stated`` holds the keys that the file states."""


def added_rows_of(rules: object, game: Game) -> frozenset[str]:
    """Returns the rows of awards that stand in no paytable; none where the rules know of none."""
    return frozenset(rules.added_rows(game)) if isinstance(rules, AddedRows) else frozenset()


class VolumePort(Protocol):
    """Play-through in volume by code that shares no settlement with the reference round: the second leg."""

    @property
    def independent_code(self) -> tuple[str, ...]:
        """What the play-through does by itself, as printed in the evidence."""

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the rows of a game under a strategy."""

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome by the play-through's own account."""


@runtime_checkable
class SharingVolume(Protocol):
    """Play-through that rests on a text from which the exact figures are counted too, and says so."""

    @property
    def shares(self) -> tuple[str, ...]:
        """What it shares with the exact figures, as printed in the evidence."""


# --- what a family may bring in addition ---------------------------------------------------------------------


Counting = Callable[[Game, Strategy], Mapping[str, Fraction]]
"""A further exact way: returns the exact return of each wager that is counted so, by wager."""

Identify = Callable[[Game, str, "PayBounds"], "Recovery"]
"""Returns the readings and pays that fit the printed return of a wager."""

Together = Callable[[Game, Mapping[str, Fraction] | None, "PayBounds"], Mapping[str, Any]]
"""Returns the readings and pays under which one player has all printed returns of a game at once, given stakes."""


@dataclass(frozen=True, slots=True)
class FindingBasis:
    """What findings of a family may rest on: everything exact about the game.

    Args:
        game: The submission.
        analyses: Exact figures by name of the strategy.
        strategy_of: For each wager, the strategy under which its printed return is read.
        identifications: Recovery of lost pays by wager.
    """

    game: Game
    analyses: Mapping[str, Analysis]
    strategy_of: Mapping[str, str]
    identifications: Mapping[str, Recovery]


class SectionsPort(Protocol):
    """Parts of the evidence that only some families have, in the forms of the toolkits."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns what ``certify analyze`` prints of one analysis next to the common figures."""

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the parts that the family has, the edge or none."""


class PrintedTablesPort(Protocol):
    """Tables of counts and outcomes that sources of a family print: how they are read, and what each is worth."""

    @property
    def counted(self) -> tuple[str, ...]:
        """What a printed count may be a count of."""

    @property
    def cards(self) -> tuple[str, ...]:
        """Names of cards in printed hands, in the order of their ids."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Keys of the shares that a printed row of outcomes states, in the order of printing."""

    def total(self, text: str) -> int:
        """Returns a printed total in the unit of the family."""

    def judges(self, game: Game) -> Sequence[Callable[[], PrintedVerdict]]:
        """Returns what judges each printed count, then each printed row, by itself."""


class CertificatePort(Protocol):
    """Strategies that were searched for: the pack keeps them, and verification proves them without a search."""

    def files(self, game: Game, *, thorough: bool) -> Mapping[str, tuple[bytes, str]]:
        """Returns the strategies found for a game as files of the pack, with what each is."""

    def offer(self, game: Game, files: Mapping[str, bytes]) -> None:
        """Takes the strategies of a pack in place of a search; they are proven before they are used, or refused.

        Raises:
            InputError: The files are no such strategies.
        """


def no_reference(game: Game) -> ReferenceRound[Any]:
    """Refuses: a family has a text, or a reference round.

    Raises:
        InputError: Always.
    """
    raise InputError(f"the family {game.family!r} has neither stages nor a reference round")


@dataclass(frozen=True, slots=True)
class FamilyStrategies:
    """How a family's games are played: each part left out is the engine's.

    Args:
        named: Strategies of its own by their names; those of the engine alone where left out.
        listed: How decisions are listed, of which then those that a strategy comes to are; what is seen is spelled out
            where left out.
        cards: Reads a strategy file, or a printed card, of its own form (game, text, name of it); the engine's form
            where left out, none where the family counts by itself.
        plan: Named strategies of a game; best, worst and constant choices where left out.
        charted: Place and name of the row of a decision in a chart; the hand itself where left out.
        certificate: Strategies that are searched for and then proven; nothing is searched for where left out.
    """

    named: Callable[[Game, str], Strategy | None] | None = None
    listed: Callable[[Hashable], Listed] | None = None
    cards: Callable[[Game, str, str], Strategy] | None = None
    plan: Callable[[Game], StrategyPlan] | None = None
    charted: Callable[[Decision], tuple[int, str]] | None = None
    certificate: CertificatePort | None = None


@dataclass(frozen=True, slots=True)
class FamilySources:
    """What a family reads of its games' sources.

    Args:
        identify: Search for lost readings and pays; pays alone are searched where left out.
        alone: The game with one wager alone, where nothing that is decided counts for it; none where something does.
        together: The same for all printed returns of a game at once; not offered where left out.
        printed: Printed tables of counts and outcomes; such tables are not judged where left out.
        sheets: Spreadsheets of its own form, written and read back; none where left out.
    """

    identify: Identify | None = None
    alone: Callable[[Game, str], Game | None] | None = None
    together: Together | None = None
    printed: PrintedTablesPort | None = None
    sheets: SheetsPort | None = None


@dataclass(frozen=True, slots=True)
class FamilyAlternatives:
    """A game of the family with something otherwise; none of what is left out.

    Args:
        variants: The game with one rule otherwise, for sensitivities.
        configurations: Every wagering configuration, the round as submitted among them; its wagers where left out.
        played: The game and the strategy by which rounds of a configuration are played by themselves; none where they
            are those of the submission, or where nothing plays them.
        staked: The game, with the limits of what a round of it costs, and the reference round by which rounds of a
            configuration are dealt and settled at a table; none where no table can be set to it.
        certified: The submission and the games certified with it; the submission alone where left out.
    """

    variants: Callable[[Game], Iterator[Variant]] | None = None
    configurations: Callable[[Game], Iterator[Configuration]] | None = None
    played: Callable[[Game, Configuration], tuple[Game, Strategy] | None] | None = None
    staked: Callable[[Game, Configuration], tuple[Game, ReferenceRound[Any]] | None] | None = None
    certified: Callable[[Game], tuple[Certified, ...]] | None = None


@dataclass(frozen=True, slots=True)
class FamilyChecks:
    """What holds a family's code against something else.

    Args:
        counting: A further exact way.
        recipes: Rounds that show rows, tried before the reference round is searched for one.
        smaller: Smaller games of the same rules, on which every path is walked by `certify check-family`.
    """

    counting: Counting | None = None
    recipes: Mapping[tuple[str, str], tuple[Recipe, ...]] = field(default_factory=dict)
    smaller: Callable[[Game], Iterator[Game]] | None = None


@dataclass(frozen=True, slots=True)
class FamilyPages:
    """What a family adds to evidence and report.

    Args:
        messages: Folder of its own catalogues, a file a language; the folder ``messages`` next to a family built in,
            and else ids are spelled out, where left out.
        sections: Further objects of the evidence.
        findings: Findings of its own.
        coverage: Which draws win each wager, for a drawing; none where left out.
        reels: Reels with their stops, windows and lines, for a drawing; none where left out.
    """

    messages: Path | None = None
    sections: SectionsPort | None = None
    findings: Callable[[FindingBasis], Iterator[FindingDraft]] | None = None
    coverage: Callable[[Game], tuple[Coverage, ...]] | None = None
    reels: Callable[[Game], tuple[Reels, ...]] | None = None


@dataclass(frozen=True, slots=True)
class FamilyForm:
    """In what form games of a family are submitted and played.

    Args:
        derives: Tables that its own ones state in their place: ``equipment``, ``paytable``.
        machine: Its games are played on slot machines, for which some regulations set rules of their own.
        played_by: The family as it plays a game, where some of its games are played otherwise than others.
        walked: What the engine walks; the reference round where left out.
        metered: Wagers that are paid from a meter, each with whether its pays are those of the lowest amount; what
            configurations list needs none.
    """

    derives: frozenset[str] = frozenset()
    machine: bool = False
    played_by: "Callable[[Family, Game], Family] | None" = None
    walked: Callable[[Game], ReferenceRound[Any]] | None = None
    metered: Callable[[Game], Mapping[str, bool]] = lambda _: {}


@dataclass(frozen=True, slots=True, eq=False)
class Family:
    """A family of games: the first group it brings, each of the others only where the default does not serve.

    Args:
        id: Id of the family, as submissions name it.
        version: Version of its code.
        title: What the games are, in one sentence.
        rules: Rules, wagers, rows, equipment.
        reference: Makes the reference round of a game; the round that its text plays where left out.
        text: The implementation that plays a game, in stages; all that follows is derived from it where left out.
        second: The settlement written apart, which checks the text; a condition of the certificate where left out.
        exact: Its own counting; the engine enumerates the reference implementation where left out.
        volume: Its own play-through; the reference round is played where left out.
        strategies: How its games are played.
        sources: What it reads of its games' sources.
        alternatives: Its games with something otherwise.
        checks: What holds its code against something else.
        pages: What it adds to evidence and report.
        form: In what form its games are submitted and played.
        package: Package that brings the family; set by the registry.
    """

    id: str
    version: str
    title: str
    rules: RulesPort
    reference: Callable[[Game], ReferenceRound[Any]] = no_reference
    text: Callable[[Game], RoundText] | None = None
    second: SecondText | None = None
    exact: ExactPort | None = None
    volume: VolumePort | None = None
    strategies: FamilyStrategies = FamilyStrategies()
    sources: FamilySources = FamilySources()
    alternatives: FamilyAlternatives = FamilyAlternatives()
    checks: FamilyChecks = FamilyChecks()
    pages: FamilyPages = FamilyPages()
    form: FamilyForm = FamilyForm()
    package: str = ""
