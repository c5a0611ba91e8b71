"""What a family of games brings, what it may bring, and what it gets for nothing.

A family brings *rules* and a *reference round*. Everything else has a default that works on those two: exact
figures by walking the reference round, play-through by playing it, strategies, identification of lost pays by
search, situations found by walking. A family brings more where the default does not serve.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from certify.errors import InputError
from certify.families.certified import Certified as Certified
from certify.families.rules_port import Problems as Problems
from certify.families.rules_port import RuleReader as RuleReader
from certify.families.rules_port import RulesPort as RulesPort
from certify.families.rules_port import TableForm as TableForm
from certify.families.sheets_port import Recognised as Recognised
from certify.families.sheets_port import SheetsPort as SheetsPort
from certify.model.equipment import Equipment, Row
from certify.model.figures import Analysis, Award, Decision, Exposure, Joint
from certify.model.game import Game
from certify.model.joint_counts import Axes, JointCounts
from certify.model.layout import Coverage, Reels
from certify.model.printed_verdict import PrintedVerdict
from certify.model.stages import Option as Option
from certify.model.stages import RoundText, SecondText
from certify.model.strategy import Strategy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from certify.analysis.explanation import Explanation
    from certify.analysis.identification import Identification
    from certify.analysis.pay_bounds import PayBounds
    from certify.evidence.document import Sections
    from certify.families.gathering import CompanyPort
    from certify.model.finding import FindingDraft
    from certify.model.witness import Recipe
    from rng.words import WordSource

S = TypeVar("S", bound=Hashable)


# --- the reference round ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Chance:
    """The round waits for one draw.

    Args:
        equipment: Id of the piece that is asked.
        to: Who gets it, such as ``player``, ``dealer`` or ``table``.
        how: What happens, such as ``is dealt``, ``draws`` or ``spins``; used in sentences.
        shown: Whether everybody sees it at once.
    """

    equipment: str
    to: str
    how: str = "is dealt"
    shown: bool = True


@dataclass(frozen=True, slots=True)
class Choice:
    """The round waits for a decision.

    Args:
        seat: Whose decision it is, such as ``player`` or ``bank``.
        options: What may be decided, the least committing option first (it is taken for a player who is gone).
        sees: Everything that this seat sees and that may matter; what is forgotten here no strategy can use.
        hand: Which hand of the seat it is about, where that may hold several.
    """

    seat: str
    options: tuple[Option, ...]
    sees: Hashable
    hand: str = ""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of the options."""
        return tuple(option.id for option in self.options)


@dataclass(frozen=True, slots=True)
class WagerResult:
    """How one wager ended.

    Args:
        wager: Id of the wager.
        outcome: Id of the outcome; rows of the paytable are outcomes, or groups of them (see ``row_of``).
        net: Net result in units of the initial stake, everything added to it included.
        staked: Everything staked on it, in units of the initial stake.
        awards: What the round won, row by row, where it can win many times; empty where the outcome is its one award.
    """

    wager: str
    outcome: str
    net: Fraction
    staked: Fraction = Fraction(1)
    awards: tuple[Award, ...] = ()

    @property
    def won(self) -> tuple[Award, ...]:
        """What the round won, row by row: the awards, or the outcome as its own one award where anything came back."""
        if self.awards or self.net <= -self.staked:
            return self.awards
        return (Award(self.outcome, Fraction(1), self.staked + self.net),)


@dataclass(frozen=True, slots=True)
class Settled:
    """The round is over: every wager of the game, bet on or not, with its result."""

    results: tuple[WagerResult, ...]


Node = Chance | Choice | Settled
"""What a round waits for."""


@dataclass(frozen=True, slots=True)
class Hand:
    """What one holder has on the table.

    Args:
        holder: ``player``, ``dealer``, ``table`` and the like.
        faces: Faces in the order they came.
        hidden: Places among them that lie face down for the player.
        total: What the hand is worth, in words; empty where it has no total.
    """

    holder: str
    faces: tuple[int, ...]
    hidden: tuple[int, ...] = ()
    total: str = ""


class ReferenceRound(Protocol[S]):
    """The rules of one game as a small state machine: pure, serialisable, without chance of its own.

    A round is the list of its draws and decisions, and replays from it. States are hashable and frozen, and so is
    the reference round itself: what was learnt of its rules is kept by it.
    """

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """What the round is dealt from."""

    def start(self) -> S:
        """Returns the state before anything is drawn."""

    def node(self, state: S) -> Node:
        """Returns what the round waits for."""

    def drawn(self, state: S, face: int) -> S:
        """Returns the state after a draw that shows a face of the piece that was asked."""

    def decided(self, state: S, option: str) -> S:
        """Returns the state after a decision."""

    def alike(self, state: S, face: int) -> Hashable:
        """Returns what the round can tell of a face that comes next; equal answers lead to states that matter alike.

        Returning the face itself is always right, and a coarser answer makes counting faster.
        """

    def matters(self, state: S) -> Hashable:
        """Returns what of a state still matters to draws, decisions and results to come, the state itself if all.

        States that matter alike must also agree on what was drawn from equipment that is not put back, up to
        faces that are alike from here on.
        """

    def hands(self, state: S) -> tuple[Hand, ...]:
        """Returns what lies on the table, for views, records and sentences."""


@runtime_checkable
class TellingRound(Protocol):
    """A reference round that says in its own words what a player sees, where single draws are not what is seen."""

    def told(self, before: Any, after: Any) -> tuple[str, ...]:
        """Returns what is seen at a draw; nothing where more is to be drawn before anything is."""


@runtime_checkable
class ShowingRound(Protocol):
    """A reference round that shows rows by itself: a walk would look at too many points."""

    def shows(self, wager: str, falls: Callable[[str], bool]) -> Recipe | None:
        """Returns a round in which the outcome of a wager falls as asked; none where no round does."""


@runtime_checkable
class LongRound(Protocol):
    """A reference round of more points than a walk looks at: it says itself what a walk would have to find."""

    @property
    def decides(self) -> bool:
        """Whether some round waits for a decision."""

    @property
    def lived(self) -> tuple[str, ...]:
        """What its life is tried on: features, and rows of the paytable."""

    def showing(self, row: str) -> Row | None:
        """Returns draws of a round that wins a row, or begins a feature; nothing where none was found."""


@runtime_checkable
class SteppedRound(Protocol):
    """A reference round of events one after the other, such as spins, none of which takes from what another left."""

    @property
    def events(self) -> tuple[tuple[Equipment, ...], ...]:
        """Every kind of event, with pieces that draw as often as one such event draws, at most."""


@runtime_checkable
class PacedByPlayer(Protocol):
    """A reference round that draws on where its player would start what comes next, such as the next free game."""

    def paced(self) -> ReferenceRound[Any]:
        """Returns the same round as it is lived, waiting for its player there; its results are the same."""


@runtime_checkable
class NamingRound(Protocol):
    """A reference round whose hands hold faces of several pieces, and which names them."""

    def named(self, holder: str, face: int) -> str:
        """Returns a face that a holder has, in words."""


@runtime_checkable
class BoundedRound(Protocol):
    """A reference round whose draws are too many to be walked, and which bounds them."""

    @property
    def most_rows(self) -> int:
        """More rows of faces than one round can look at, whatever is decided."""


# --- exact figures ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Variant:
    """The same game with one thing otherwise.

    Args:
        subject: Id of the rule or row.
        words: What is otherwise.
        game: The game so changed.
    """

    subject: str
    words: str
    game: Game


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

    def raised_pays(self, game: Game, wager: str) -> Iterator[Variant]:
        """Yields the game with each pay of a wager raised by one unit to 1."""

    def variants(self, game: Game) -> Iterator[Variant]:
        """Yields the game with one rule otherwise, for sensitivities."""


@runtime_checkable
class CardPort(Protocol):
    """Exact figures that can also be counted under a strategy card that a source prints."""

    def read_card(self, game: Game, text: str, source: str) -> Strategy:
        """Returns the strategy that a card states, in the form of a strategy file of the family.

        Raises:
            InputError: The card is not complete, or decides what cannot come up.
        """


@dataclass(frozen=True, slots=True)
class Listed:
    """How a decision is listed: what is seen, as players of the game call it.

    Args:
        hand: The hand, such as ``4`` or ``A+3``.
        composition: Cards of the hand counted by class; empty where they are not counted so.
        dealer: Dealer's shown card where the game shows one.
        first: Rank of the first card where the decision looks at it.
        place: Place in the list; decisions stand in rising order.
    """

    hand: str
    composition: tuple[int, ...] = ()
    dealer: str | None = None
    first: str | None = None
    place: tuple[int, ...] = ()

    @property
    def title(self) -> str:
        """The decision in one line."""
        return f"{self.hand} against {self.dealer}" if self.dealer else self.hand


@dataclass(frozen=True, slots=True)
class StrategyPlan:
    """The named strategies of a game.

    Args:
        names: Every name that ``--strategy`` takes, as a reader is told them (``stand-on:TOTAL`` for a pattern).
        analysed: Strategies that a run analyses, the best for the first wager at the head.
        played: Strategies under which campaigns are played; two that differ reach outcomes that one never does.
        simpler: Strategies whose cost against the best is printed, best first.
        banks: Names that ``--bank`` takes, where a second party decides too; every strategy is then a pair, named
            ``STRATEGY against BANK``.
        simpler_of: Finds strategies of that list that depend on the game's figures (the best single total).
    """

    names: tuple[str, ...]
    analysed: tuple[str, ...]
    played: tuple[str, ...]
    simpler: Callable[[Game], tuple[str, ...]] = lambda game: ()
    banks: tuple[str, ...] = ()


# --- play-through ----------------------------------------------------------------------------------------


class Counter(Protocol):
    """Plays rows of items (which ``code_counter.faces_of`` turns into faces), settled apart from the reference."""

    @property
    def axes(self) -> Axes:
        """Wagers with their outcomes, in the order in which joint outcomes are numbered."""

    def count(self, rows: NDArray[Any]) -> JointCounts:
        """Returns how many rows end in each joint outcome."""

    def outcomes(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the outcome of every wager for every row, by the compiled code."""

    def twin(self, rows: NDArray[Any]) -> list[tuple[str, ...]]:
        """Returns the same by the readable twin."""


@runtime_checkable
class LazyCounter(Counter, Protocol):
    """Plays rounds that are drawn only as far as they look: the same first draws as those of whole rows."""

    def count_rounds(self, words: WordSource, rounds: int) -> JointCounts:
        """Returns how many of the next rounds of a stream end in each joint outcome."""

    def play_rounds(self, words: WordSource, rounds: int) -> tuple[list[tuple[str, ...]], NDArray[np.int64]]:
        """Returns the outcomes of the next rounds by the compiled code, and the word with which each began."""

    def twin_rounds(self, words: WordSource, rounds: int) -> list[tuple[str, ...]]:
        """Returns the outcomes of the next rounds by the readable twin."""


def told_net(outcome: str, net: Fraction) -> str:
    """Returns an outcome with its net result: how legs are compared where an outcome is a class of rounds.

    >>> told_net("free-games", Fraction(49, 2))
    'free-games at 49/2 net'
    """
    return f"{outcome} at {net} net"


@runtime_checkable
class SummingCounter(Counter, Protocol):
    """Plays rounds of wagers whose outcomes are classes: it tells each with its net result (see ``told_net``)."""

    @property
    def varying(self) -> tuple[str, ...]:
        """Those wagers; their counts come with the sums of what rounds came to."""


def varying_of(counter: Counter) -> frozenset[str]:
    """Returns the wagers of which a play-through tells the net result beside the outcome, a class of rounds."""
    return frozenset(counter.varying) if isinstance(counter, SummingCounter) else frozenset()


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


# --- what a family may bring besides ---------------------------------------------------------------------


class CountingPort(Protocol):
    """A further exact way: returns counted directly over ordered deals."""

    def counted(self, game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
        """Returns the exact return of each wager that is counted so, by wager."""


class IdentifyPort(Protocol):
    """Which readings and pays reproduce a printed return."""

    def identify(self, game: Game, wager: str, bounds: PayBounds) -> Identification:
        """Returns the candidates that fit the printed figure of a wager."""


@runtime_checkable
class TogetherPort(IdentifyPort, Protocol):
    """The same for all printed returns of a game at once."""

    def together(
        self, game: Game, stakes: Mapping[str, Fraction] | None, bounds: PayBounds
    ) -> Mapping[str, Any]:
        """Returns the readings and pays under which one player has all printed returns at once."""


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
    identifications: Mapping[str, Identification]


class SectionsPort(Protocol):
    """Parts of the evidence that only some families have, in the forms of the toolkits."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns what ``certify analyze`` prints of one analysis beside the common figures."""

    def evidence(self, game: Game, analyses: Mapping[str, Analysis], *, thorough: bool) -> Sections:
        """Returns the parts that the family has, the edge or none; thorough profiles count changed games too."""


class PrintedTablesPort(Protocol):
    """Tables of counts and outcomes that sources of a family print: how they are read, and what each is worth."""

    @property
    def counted(self) -> tuple[str, ...]:
        """What a printed count may be a count of."""

    @property
    def cards(self) -> tuple[str, ...]:
        """Names of cards in printed hands, in the order of their ids."""

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
    """Refuses: a family brings a text, or a reference round.

    Raises:
        InputError: Always.
    """
    raise InputError(f"the family {game.family!r} brings neither a text nor a reference round")


@dataclass(frozen=True, slots=True)
class Family:
    """A family of games: the first group it brings, each of the others only where the default does not serve.

    Args:
        id: Id of the family, as submissions name it.
        version: Version of its code.
        title: What the games are, in one sentence.
        rules: Rules, wagers, rows, equipment.
        reference: Makes the reference round of a game; the round that its text plays where left out.
        text: The text that plays a game, in stages; all that follows is derived from it where left out.
        second: The settlement written apart, which checks the text; a condition of the certificate where left out.
        variants: The game with one rule otherwise, for sensitivities; none where left out.
        named: Strategies of its own by their names; those of the engine alone where left out.
        listed: How decisions are listed, of which then those that a strategy comes to are; what is seen is spelled out
            where left out.
        cards: Reads a strategy file of its own form (game, text, name of the text); the engine's form where left out.
        plan: Named strategies of a game; best, worst and constant choices where left out.
        exact: Its own counting; the engine walks the reference round where left out.
        volume: Its own play-through; the reference round is played where left out.
        counting: A further exact way.
        identify: Search for lost readings and pays; pays alone are searched where left out.
        recipes: Rounds that show rows, tried before the reference round is searched for one.
        findings: Findings of its own.
        charted: Place and name of the row of a chart in which a decision stands; the hand itself where left out.
        messages: Folder of its own catalogues, a file a language; ids are spelled out where left out.
        sections: Further objects of the evidence.
        printed: Printed tables of counts and outcomes; such tables are not judged where left out.
        certificate: Strategies that are searched for and then proven; nothing is searched for where left out.
        company: Rounds of several people, one of whom banks; not offered where left out.
        smaller: Smaller games of the same rules, on which every path is walked by `certify check-family`.
        coverage: Which draws win each wager, for a drawing; none where left out.
        reels: Reels with their stops, windows and lines, for a drawing; none where left out.
        machine: Its games are played on slot machines, for which some regulations set rules of their own.
        derives: Tables that its own ones state in their place: ``equipment``, ``paytable``.
        certified: The submission and the games certified beside it; the submission alone where left out.
        sheets: Spreadsheets of its own form, written and read back; none where left out.
        played_by: The family as it plays a game, where some of its games are played otherwise than others.
        package: Package that brings the family; set by the registry.
    """

    id: str
    version: str
    title: str
    rules: RulesPort
    reference: Callable[[Game], ReferenceRound[Any]] = no_reference
    text: Callable[[Game], RoundText] | None = None
    second: SecondText | None = None
    variants: Callable[[Game], Iterator[Variant]] | None = None
    named: Callable[[Game, str], Strategy | None] | None = None
    listed: Callable[[Hashable], Listed] | None = None
    cards: Callable[[Game, str, str], Strategy] | None = None
    plan: Callable[[Game], StrategyPlan] | None = None
    exact: ExactPort | None = None
    identify: IdentifyPort | None = None
    volume: VolumePort | None = None
    counting: CountingPort | None = None
    recipes: Mapping[tuple[str, str], tuple[Recipe, ...]] = field(default_factory=dict)
    findings: Callable[[FindingBasis], Iterator[FindingDraft]] | None = None
    sections: SectionsPort | None = None
    printed: PrintedTablesPort | None = None
    certificate: CertificatePort | None = None
    company: CompanyPort | None = None
    charted: Callable[[Decision], tuple[int, str]] | None = None
    messages: Path | None = None
    smaller: Callable[[Game], Iterator[Game]] | None = None
    coverage: Callable[[Game], tuple[Coverage, ...]] | None = None
    reels: Callable[[Game], tuple[Reels, ...]] | None = None
    machine: bool = False
    derives: frozenset[str] = frozenset()
    certified: Callable[[Game], tuple[Certified, ...]] | None = None
    sheets: SheetsPort | None = None
    played_by: Callable[[Family, Game], Family] | None = None
    package: str = ""
