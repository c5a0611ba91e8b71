"""What a submission of a family states, from data: rules, wagers, rows and the equipment that serves."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from certify.errors import InputError, require_known
from certify.families.port import Problems, RuleReader, TableForm
from certify.model import FRENCH_RANKS, FRENCH_SUITS, LOSE as LOSE, Equipment, Game, Kind, Rules

R = TypeVar("R", bound=Rules)

Rows = Callable[[Game, str], tuple[str, ...]]
"""Rows of a wager, in the order of a paytable."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The rules of a family as parameters, behind the port.

    Args:
        family: Id of the family.
        rule_ids: Ids of the rules that a submission states.
        wager_ids: Ids of the wagers that the family can settle, the main wager first.
        rules: Reads the rules of play.
        rows: Rows of a wager that return something, in the order of a paytable.
        complaint: What is wrong with the equipment or the wagers of a game; empty where they serve.
        unreachable: Rows of a wager that no round of this game falls in.
        optional_rows: Rows of a wager that its paytable may name as well.
        required: Wagers without which the game cannot be played.
        losing: Rows that return nothing; of a game where they depend on its rules.
        row: The row that an outcome falls in.
        bankers: Who may bank the games.
        tables: Further tables of ``game.toml`` that belong to the family.
        completed: Returns the game with what its wagers add.
        optional_rules: Rules among them that a submission may leave out.
        checked: Returns the game with what its own tables add, and records what does not fit there.
    """

    family: str
    rule_ids: tuple[str, ...]
    wager_ids: tuple[str, ...]
    rules: Callable[[RuleReader], Rules]
    rows: Rows
    complaint: Callable[[Game], str] = lambda game: ""
    unreachable: Rows = lambda game, wager: ()
    optional_rows: Rows = lambda game, wager: ()
    required: tuple[str, ...] = ()
    losing: tuple[str, ...] | Rows = (LOSE,)
    row: Callable[[str], str] = lambda outcome: outcome
    bankers: tuple[str, ...] = ("house",)
    tables: Mapping[str, TableForm] = field(default_factory=dict)
    completed: Callable[[Game], Game] = lambda game: game
    optional_rules: tuple[str, ...] = ()
    checked: Callable[[Game, Mapping[str, Any], Problems], Game] | None = None

    def read(self, rules: RuleReader) -> Rules:
        """Returns the rules of play."""
        return self.rules(rules)

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game; records where the equipment does not serve."""
        complaint = self.complaint(game) if game.equipment else ""
        problems.refuse_where(complaint, ("equipment",), complaint)
        return self.completed(game if self.checked is None else self.checked(game, tables, problems))

    def required_wagers(self, game: Game) -> tuple[str, ...]:
        """Returns the wagers without which the game cannot be played."""
        return self.required

    def paid_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns the rows of a wager that return something.

        Raises:
            InputError: The family has no such wager.
        """
        require_known(f"{self.family} has no wager {wager!r}", wager, self.wager_ids)
        return self.rows(game, wager)

    def reachable_rows(self, game: Game, wager: str) -> tuple[str, ...]:
        """Returns every row that some round falls in, winning ones first.

        Raises:
            InputError: The family has no such wager.
        """
        possible, never = self.paid_rows(game, wager), self.unreachable(game, wager)
        paid = (row for row in possible if row not in never)
        return (*paid, *(self.losing(game, wager) if callable(self.losing) else self.losing))

    def row_of(self, outcome: str) -> str:
        """Returns the row that an outcome falls in."""
        return self.row(outcome)


def with_rules(game: Game, **changes: object) -> Game:
    """Returns a game with some of its rules otherwise."""
    return replace(game, rules=replace(game.rules, **changes))


def own_rules(kind: type[R], family: str) -> Callable[[Game], R]:
    """Returns what gives the rules of a game of one family.

    Args:
        kind: Its rules.
        family: Its id.

    Raises (what is returned):
        InputError: The game is of another family.
    """

    def rules_of(game: Game) -> R:
        if isinstance(game.rules, kind):
            return game.rules
        raise InputError(f"{game.id} is of the family {game.family!r}: this part works for {family!r} only")

    return rules_of


def french_shoe(game: Game, least: int, *, decks: int = 0) -> str:
    """Returns what is wrong with the equipment of a game of French cards; empty where it serves.

    Args:
        game: The submission.
        least: Cards of the longest round.
        decks: Number of whole decks that the shoe must hold; any where 0.
    """
    if [piece.kind for piece in game.equipment] != [Kind.SHOE]:
        return "the game is dealt from one shoe: expected one piece of the kind shoe"
    (shoe,) = game.equipment
    strange = [rank for rank in shoe.ranks if rank not in FRENCH_RANKS]
    if strange or any(suit not in FRENCH_SUITS for suit in shoe.suits):
        ranks, suits = ", ".join(FRENCH_RANKS), ", ".join(FRENCH_SUITS)
        return f"the game is dealt from French cards: expected ranks of {ranks} and suits of {suits}"
    if any(" of " not in face for face in shoe.faces):
        return "the game is dealt without jokers"
    if decks and shoe.copies != (decks,) * len(FRENCH_RANKS) * len(FRENCH_SUITS):
        return f"the game is dealt from {decks} whole deck{'s' if decks > 1 else ''} of French cards"
    return "" if shoe.size >= least else f"a shoe of {shoe.size} cards: expected at least {least}"


def piece_kinds(equipment: tuple[Equipment, ...]) -> list[tuple[Kind, int]]:
    """Returns kind and size of each piece."""
    return [(piece.kind, piece.size) for piece in equipment]
