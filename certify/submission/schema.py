"""The form of ``game.toml``: its tables and keys, each a noun."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, make_dataclass, replace
from functools import lru_cache
from typing import Any, Final, Union

from certify.by_key import gathered
from certify.evidence.read import schema_of
from certify.families import Family, TableForm
from certify.model import METRICS, MONEY_TERMS, Provenance, Source, Terms
from certify.model.form_reader import NOT_SUPPORTED, not_supported
from certify.untrusted_input import Document

SCHEMA = "certify-game/1"
PRINTED_TERMS: Final = (
    "malfunction_voids_all",
    "unresolved_void_after_days",
    "resume_after_disconnection",
    "previous_wins_paid",
    "history_available",
    *MONEY_TERMS,
)
"""Terms whose sentence a source may print."""

ROUNDINGS: Final = ("nearest", "truncated")


@dataclass(frozen=True, slots=True)
class SubmittedItem:
    """Table ``[game]``.

    Args:
        id: Id of the game, in lower-case words with hyphens.
        title: Title as a player reads it.
        version: Version of rules and paytables, such as 1.0.0.
        family: Family that knows how the game is played; certify families lists them.
        supplier: Who supplies the game.
        banked_by: Who banks the game, in a word that its family takes: house in most.
    """

    id: str
    title: str
    version: str
    family: str
    supplier: str
    banked_by: str


@dataclass(frozen=True, slots=True)
class SubmittedDeck:
    """Table ``[deck]``: a shoe, and what its ranks are worth where the family asks for it.

    Args:
        decks: Decks that are shuffled together.
        ranks: Ranks of one deck.
        suits: Suits of one deck.
        shuffled: When the cards are shuffled, such as before every round.
        values: Value of each rank, where the family counts points.
        jokers: Names of the jokers of one deck.
        removed: Cards that are taken out.
    """

    decks: int
    ranks: list[str]
    suits: list[str]
    shuffled: str
    values: dict[str, str] = field(default_factory=dict)
    jokers: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedEquipment:
    """One ``[[equipment]]``: which keys are stated depends on the kind.

    Args:
        id: Id of the piece, by which turns name it.
        kind: shoe, wheel, reel, dice or balls.
        decks: Decks of a shoe.
        ranks: Ranks of one deck.
        suits: Suits of one deck.
        jokers: Names of the jokers of one deck.
        removed: Cards that are taken out.
        stops: Stops of a wheel or reel, in their order.
        labels: Name of each face of dice, or of each ball, where they bear no numbers.
        copies: How often each stop or label is there.
        sides: Sides of a die.
        balls: Balls in the cage.
        draws: The most that a whole round draws.
    """

    id: str
    kind: str
    decks: int = 0
    ranks: list[str] = field(default_factory=list)
    suits: list[str] = field(default_factory=list)
    jokers: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    stops: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    copies: list[int] = field(default_factory=list)
    sides: int = 0
    balls: int = 0
    draws: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedOrigin:
    """Where a value is from.

    Args:
        provenance: Where the value is from: printed, adopted or recovered.
        by: The reading that adopts it, as reading/ID; empty where it is printed.
    """

    provenance: str = "printed"
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedValue(SubmittedOrigin):
    """A value that may be recovered.

    Args:
        unique: Whether a recovered value is the only one that reproduces what is printed.
    """

    unique: bool = True


@dataclass(frozen=True, slots=True)
class SubmittedRule(SubmittedValue):
    """One ``[[rules]]``.

    Args:
        id: Id of the rule; certify families FAMILY lists them with their values.
        value: Its value.
        title: What it states, as the source words it.
    """

    id: str
    value: str | bool
    title: str


@dataclass(frozen=True, slots=True)
class SubmittedLimits(SubmittedOrigin):
    """Key ``limits`` of a wager; amounts as decimal text in the currency.

    Args:
        minimum: Smallest stake, such as 1.00.
        maximum: Highest stake, such as 500.00.
        currency: Currency by its three letters, such as EUR.
        step: Stakes are multiples of it.
    """

    minimum: str
    maximum: str
    currency: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedRow(SubmittedValue):
    """One ``[[wagers.paytable]]``.

    Args:
        id: Id of the row, as the family names it.
        title: What it pays for, as printed.
        pays: Pay as printed: N to M, or N for M; left out where nobody prints it.
    """

    id: str
    title: str
    pays: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedWager:
    """One ``[[wagers]]``.

    Args:
        id: Id of the wager.
        title: Title as a player reads it.
        description: What is bet on.
        limits: Smallest and highest stake.
        paytable: Rows that pay.
    """

    id: str
    title: str
    description: str
    limits: SubmittedLimits
    paytable: list[SubmittedRow] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedClaim:
    """One ``[[claims]]``.

    Args:
        wager: Id of the wager.
        metric: What is printed: return-to-player, house-edge, hit-frequency and others.
        printed: The figure exactly as printed, such as 97.30 %.
        source: Id of the source that prints it.
        rounding: How it was rounded: nearest or truncated.
        strategy: Strategy that it is printed for; best play where left out.
        row: Row that it is printed for, of the metric odds-of-row.
    """

    wager: str
    metric: str
    printed: str
    source: str
    rounding: str = "nearest"
    strategy: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedCard:
    """One ``[[strategy_cards]]``: a strategy as a source prints it, in the form of a strategy file.

    Args:
        id: Id of the card.
        title: Title as printed.
        source: Id of the source that prints it.
        card: The strategy, in the form of a strategy file.
    """

    id: str
    title: str
    source: str
    card: str


@dataclass(frozen=True, slots=True)
class SubmittedReading:
    """One ``[[readings]]``.

    Args:
        id: Id of the reading, which by names as reading/ID.
        question: What the source leaves open.
        adopted: How it is read.
        because: Why it is read so.
        alternatives: How else it could be read.
    """

    id: str
    question: str
    adopted: str
    because: str
    alternatives: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SubmittedCount:
    """One ``[[printed_counts]]``: a number of ways or a share of hands, as printed.

    Args:
        id: Id of the row.
        of: What is counted: two-card-hands, one-card-hands or all-hands.
        totals: Totals that are counted; empty for all of them.
        source: Id of the source that prints it.
        ways: The printed number of ways.
        share: The printed share.
    """

    id: str
    of: str
    totals: list[str]
    source: str
    ways: str = ""
    share: str = ""


@dataclass(frozen=True, slots=True)
class SubmittedOutcomeRow:
    """One ``[[printed_rows]]``: a hand of the dealer, with the shares that the family's tables print against it.

    Args:
        label: The hand as the source words it.
        hand: Its cards, one or two.
        total: Its total as printed.
        source: Id of the source that prints it.
    """

    label: str
    hand: list[str]
    total: str
    source: str


@dataclass(frozen=True, slots=True)
class Submitted:
    """The whole file, still as text: nothing is parsed beyond its form.

    Args:
        schema: Always certify-game/1.
        game: What is submitted, in which version and of which family.
        wagers: What can be bet on, the main wager first.
        terms: Promises about the life of a round.
        sources: Every text that the submission rests on.
        readings: What the sources leave open, how it is read, and why.
        rules: Rules of play as parameters.
        claims: Figures that a source prints.
        deck: One shoe of cards.
        equipment: What chance is drawn from.
        printed_counts: Counts or shares of hands that a source prints.
        printed_rows: Rows of a printed table of outcomes.
        strategy_cards: Strategies that a source prints.
    """

    schema: str
    game: SubmittedItem
    wagers: list[SubmittedWager]
    terms: Terms
    sources: list[Source]
    readings: list[SubmittedReading] = field(default_factory=list)
    rules: list[SubmittedRule] = field(default_factory=list)
    claims: list[SubmittedClaim] = field(default_factory=list)
    deck: SubmittedDeck | None = None
    equipment: list[SubmittedEquipment] = field(default_factory=list)
    printed_counts: list[SubmittedCount] = field(default_factory=list)
    printed_rows: list[SubmittedOutcomeRow] = field(default_factory=list)
    strategy_cards: list[SubmittedCard] = field(default_factory=list)


def form_with(tables: Mapping[str, TableForm], columns: tuple[str, ...] = ()) -> type[Submitted]:
    """Returns the form of a file with what its family adds.

    Args:
        tables: Further tables.
        columns: Keys of the shares in a printed row of outcomes.
    """
    return _form_with(tuple(tables.items()), columns)


@lru_cache(maxsize=64)
def _form_with(tables: tuple[tuple[str, TableForm], ...], columns: tuple[str, ...]) -> type[Submitted]:
    """Returns the form made once for the same tables: what reads a form is compiled for it."""
    shares = "".join(f"        {column}: Printed share of this outcome.\n" for column in columns)
    row = make_dataclass(
        "SubmittedOutcomeRow",
        [(column, str) for column in columns],
        bases=(SubmittedOutcomeRow,),
        namespace={"__doc__": f"{SubmittedOutcomeRow.__doc__}\n    Args:\n{shares}"},
        frozen=True,
    )
    extra: list[tuple[str, Any, Any]] = [("printed_rows", list[row], field(default_factory=list))]  # type: ignore[valid-type]
    for name, table in tables:
        if table.many:
            extra.append((name, list[table.form], field(default_factory=list)))  # type: ignore[name-defined]
        else:
            extra.append((name, table.form | None, None))
    # What is not supported under a key of a table may be a table of its own, as strangers state it.
    refused = {NOT_SUPPORTED: dict(one for _, table in tables for one in not_supported(table.form).items())}
    return make_dataclass("Submitted", extra, bases=(Submitted,), namespace=refused, frozen=True)


def game_schema(chosen: Iterable[Family]) -> Document:
    """Returns the JSON Schema of ``game.toml`` for games of some families, from the form that the reader takes.

    A table that several families take in forms of their own may have any of these; which of them a game takes, the
    schema of its own family says.
    """
    named = list(chosen)
    forms = gathered(one for family in named for one in family.rules.tables.items())
    tables: dict[str, TableForm] = {}
    for name, one in forms.items():
        any_of: Any = Union[tuple(dict.fromkeys(each.form for each in one))]  # noqa: UP007 - made as it runs
        tables[name] = replace(one[0], form=any_of)
    printed = [family.sources.printed for family in named]
    columns = [column for one in printed if one is not None for column in one.columns]
    remark = "Generated by certify schema game from what the reader of submissions takes."
    found = schema_of(form_with(tables, tuple(columns)), SCHEMA, remark)
    nouns = found["$defs"]
    whole = nouns[found["$ref"].rpartition("/")[2]]
    if len(named) == 1:
        whole["required"] += [name for name, table in tables.items() if table.required]
    words = {
        ("SubmittedItem", "family"): [family.id for family in named],
        ("SubmittedClaim", "metric"): list(METRICS),
        ("SubmittedClaim", "rounding"): list(ROUNDINGS),
        **{
            (noun, "provenance"): list(Provenance)
            for noun in ("SubmittedRule", "SubmittedRow", "SubmittedLimits")
        },
    }
    for (noun, key), allowed in words.items():
        stated = nouns[f"schema.{noun}"]["properties"]
        stated[key] = {"enum": allowed, "description": stated[key]["description"]}
    # The reader takes a whole number for the value of a rule.
    nouns["schema.SubmittedRule"]["properties"]["value"]["anyOf"].append({"type": "integer"})
    # Evidence always states the printed terms, a submission need not.
    nouns["game.Terms"]["required"].remove("printed")
    nouns["game.Terms"]["properties"]["printed"]["propertyNames"] = {"enum": list(PRINTED_TERMS)}
    return found
