"""The setting of stories: what a system offers, what promises quantify over as one list of data, and the decks.

The list holds times, amounts and sums, keys and their age, counts of rounds. Fixed stories are built of it and random
ones drawn; what a system can get wrong in a value is one more row here. The decks pay every wager by as many of its
rows as can be reached, and let wagers win together.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache
from typing import Final, Protocol, cast

from certify.model import Equipment, Limits, WagerResult
from certify.rounds.events import Bets
from certify.rounds.exercise import default_stakes
from certify.rounds.play import Edition, Play, found_for, funds_for
from certify.rounds.probe import Deck
from certify.rounds.table import Command, PastRound, RecalledRound, Reply, SeatAction, System

TRIED: Final = 400
"""Rows of draws tried; which they are depends on nothing, so that what is covered is the same for every seed."""

_DECISIONS: Final = 3
"""Decisions of a line at most; longer ones reach no further rows often enough to be worth their time."""


@dataclass(frozen=True, slots=True)
class DeckLine:
    """A round that reaches a row: its deck and the decisions."""

    deck: Deck
    decisions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """Which rows the lines reach.

    Args:
        lines: Rounds, each of which reaches a row, or a combination of wagers that win, that those before it do not.
        reached: Rows reached, as wager and row.
        missed: Rows of the paytables that no line reaches.
    """

    lines: tuple[DeckLine, ...] = ()
    reached: tuple[tuple[str, str], ...] = ()
    missed: tuple[tuple[str, str], ...] = ()


def odd_stakes(edition: Edition) -> Bets:
    """Returns stakes that no pay divides evenly where it can leave a fraction of the smallest coin."""
    return tuple(
        (wager.id, wager.limits.allowed(wager.limits.minimum + (1 + 2 * index) * wager.limits.step))
        for index, wager in enumerate(edition.game.wagers)
    )


@lru_cache(maxsize=8)
def rows_of(play: Play, *, tried: int = TRIED, sought: bool = True) -> Rows:
    """Returns rounds that reach as many rows of the paytables as a fixed number of rows of draws gives.

    What depends on nothing but the rules is found once for rules that are equal.

    Args:
        play: The rules.
        tried: Rows of draws.
        sought: Whether rounds are sought for the rows that these do not reach.
    """
    lines: list[DeckLine] = []
    reached: dict[tuple[str, str], None] = {}
    first, wins = [wager.id for wager in play.game.wagers[:WINS]], set[frozenset[str]]()
    for deck in (_row(play.game.equipment, number) for number in range(tried)):
        for decisions in play.lines(deck, most=_DECISIONS):
            settled = play.settle(deck, decisions)
            rows, won = _ends(settled), frozenset(one for one in first if settled[one].net > 0)
            if rows - reached.keys() or won not in wins:
                wins.add(won)
                reached.update(dict.fromkeys(sorted(rows)))
                lines.append(DeckLine(tuple(deck), decisions))
    # What a fixed number of draws does not reach is built for the row, by the family's recipes or by a search.
    rules, shown = (
        play.game.port.rules,
        {(wager, row) for wager, outcome in reached for row in play.rows_of(wager, outcome)},
    )
    wanted = [
        (wager.id, row)
        for wager in play.game.wagers
        if sought
        for row in rules.reachable_rows(play.game, wager.id)
    ]
    for found in found_for(play.game, [one for one in wanted if one not in shown]):
        decisions = next(play.lines(found.deck, found.decisions))
        lines.append(DeckLine(found.deck, decisions))
        reached.update(dict.fromkeys(sorted(_ends(play.settle(found.deck, decisions)))))
    named = [(wager.id, row) for wager in play.game.wagers for row in sorted(wager.paytable.ids)]
    paid = {(wager, row) for wager, outcome in reached for row in play.rows_of(wager, outcome)}
    return Rows(tuple(lines), tuple(reached), tuple(row for row in named if row not in paid))


def _ends(settled: Mapping[str, WagerResult]) -> set[tuple[str, str]]:
    """Returns what a round ends in, by wager: its outcome, and the rows that it wins where it can win several."""
    return {
        (wager, end)
        for wager, result in settled.items()
        for end in (result.outcome, *(award.row for award in result.awards))
    }


def _row(equipment: Sequence[Equipment], number: int) -> Deck:
    """Returns a row of draws that depends on its number alone."""
    named = len(equipment) > 1
    return tuple(
        item
        for piece in equipment
        for item in _drawn(piece, f"conformance/{number}/{piece.id}" if named else f"conformance/{number}")
    )


def _drawn(piece: Equipment, name: str) -> Sequence[int]:
    """Returns the draws of one piece: where nothing is put back, items in the order of digests."""
    if piece.replaced:
        return [int.from_bytes(_digest(name, place), "big") % piece.size for place in range(piece.supply)]
    return sorted(range(piece.size), key=lambda item: _digest(name, item))[: piece.supply]


def _digest(name: str, number: int) -> bytes:
    return hashlib.sha256(f"{name}/{number}".encode()).digest()


STARTS: Final = (
    datetime(2028, 2, 29, 12, tzinfo=UTC),  # the leap day itself
    datetime(2027, 12, 1, 8, tzinfo=UTC),  # 90 days later it is the leap day
    datetime(2028, 1, 15, 23, 59, 59, tzinfo=UTC),  # the leap day is between
    datetime(2026, 1, 31, 12, tzinfo=UTC),  # the end of a month that others do not reach
    datetime(2026, 11, 30, 12, tzinfo=UTC),  # three months later there is no such day
    datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC),  # the end of a year
    datetime(2026, 6, 1, tzinfo=UTC),  # three months are 92 days
    datetime(2026, 3, 28, 23, 30, tzinfo=UTC),  # summer time begins in Europe
    datetime(2026, 10, 25, 0, 30, tzinfo=UTC),  # it ends: the hour occurs twice
    datetime(2025, 12, 29, 1, 30, tzinfo=UTC),  # the term falls into the hour that does not occur
    datetime(2026, 3, 8, 9, 30, tzinfo=UTC),  # summer time begins in America
)
"""When bets are accepted whose term is followed to the second."""

BREAKS: Final = ("+1h", "+1d", "+31d", "+400d")
"""How long a player stays away between two rounds, in words of a story."""

EDGES: Final = (1 << 31, 1 << 32, 1 << 53, 1 << 63)
"""Amounts at which a narrower kind of number wraps, is cut off or loses its last digit."""

ROUNDS: Final = (30, 105)
"""Rounds that a player plays one after another: so many that a history shows them, and more."""

TURNS: Final = (
    "bets undo clear",
    "bets suspend clear restore",
    "bets deal malfunction",
    "round malfunction",
    "bets deal +term expire",
    "bets deal disconnect +term expire resume",
    "bets deal disconnect resume calm settle",
    "round rebet clear",
    "round rebet-and-deal pays settle",
    "round double-and-deal pays settle",
)
"""What is done at one seat again and again, each as often as the fewer of :data:`ROUNDS`."""

KEY_AGES: Final = (2, 60, 150, 400)
"""How many done commands ago a key was used under which a command is sent again."""

UNEQUAL_KEYS: Final = (
    ("Key-one", "key-one"),  # the case alone
    ("12345678-one", "12345678-two"),  # behind eight characters
    ("7", "07"),  # the same number
    ("7", "7.0"),
    ("a-1", "a_1"),
    ("a+b", "a b"),
    ("%41", "A"),
    ("one\ntwo", "one\nthree"),
    ("one\0two", "one\0three"),  # behind the character at which a text of C ends
    ("one\u200b", "one"),  # a space of no width
    ("stra\u00dfe", "strasse"),
    ("\u0436", "\u044f"),  # letters that Latin-1 does not have
    ("key", "key "),  # a space at the end
    ("caf\u00e9", "cafe\u0301"),  # one composed letter, and a letter with its accent
    ("k" * 32 + "1", "k" * 32 + "2"),  # behind the length of a digest of 128 bits in hex
    ("k" * 254 + "1", "k" * 254 + "2"),
)
"""Keys that are not equal, and that a comparison which is none of whole texts takes for one."""

_LEADING: Final = (10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 75, 80, 90)

WINS: Final = 8
"""Wagers, the first of a game, that each amount is tried on, and whose every combination of wins is settled."""


def openings(setting: "Setting") -> tuple[int, ...]:
    """Returns opening balances: what a round costs, a coin less and more, and on both sides of each edge."""
    stakes = default_stakes(setting.edition.game)
    cost = funds_for(setting.edition.play, stakes)
    # Nobody wins more in a story than this: what is shown stays within what the system can show.
    room = 10**6 * sum(amount for _, amount in stakes)
    near = [edge + offset for edge in EDGES for offset in (-1, -sum(amount for _, amount in stakes), 1)]
    return (
        1,
        sum(amount for _, amount in stakes),
        *(cost + offset for offset in (-1, 0, 1)),
        *(one for one in near if one <= setting.largest - room),
        setting.largest - room,
    )


def chips(limits: Limits) -> tuple[tuple[int, ...], ...]:
    """Returns chips put on one wager, each group within or beyond a limit by its sum alone."""
    least, most = limits.minimum, limits.maximum
    half = most // 2 + 1
    groups = ((half, most - half, 1), (most, 1), (least, most), (half, half), (1, least - 1))
    return tuple(tuple(one for one in group if one > 0) for group in groups)


def round_amounts(limits: Limits) -> tuple[int, ...]:
    """Returns the amounts within limits that people write with few digits, and the limits.

    >>> round_amounts(Limits(100, 300, "EUR"))
    (100, 120, 150, 200, 250, 300)
    """
    least, most = limits.minimum, limits.maximum
    found = (lead * 10**power // 10 for power in range(len(str(most))) for lead in _LEADING)
    return tuple(sorted({least, most, *(one for one in found if one in limits.stakes)}))


class Extra(StrEnum):
    """One thing that a system may offer, by what it makes testable."""

    HISTORY = "history"
    RECALL = "recall of complete rounds"
    RESTART = "restart"
    TOGETHER = "concurrent commands"
    CONFIGURE = "wagering configurations"


class Offering(System, Protocol):
    """A system that offers everything."""

    def history(self) -> Sequence[PastRound]:
        """Returns the rounds whose bets were accepted, the earliest first; open ones may be left out."""

    def recalled(self) -> Sequence[RecalledRound]:
        """Returns the complete rounds as recall shows them, the earliest first; open ones may be left out."""

    def restart(self) -> None:
        """Ends the system as a failure would and starts it again; returns when it answers."""

    def perform_together(self, asked: Sequence[tuple[Command, str]]) -> Sequence[Reply]:
        """Sends commands, each with its key, so that all are on their way before the first is answered."""

    def configure(self, configuration: str) -> None:
        """Stakes the rounds of the player from now on as a wagering configuration, or refuses by raising something.

        Whatever the configuration costs is put on the wager, its price included. A meter holds what the configuration
        says when the next round is accepted; one that must hit by an amount is won by that round, at what it holds.

        Args:
            configuration: Its id, as ``certify analyze`` lists it; empty for the round as submitted.
        """


_METHODS: Final = {
    Extra.HISTORY: "history",
    Extra.RECALL: "recalled",
    Extra.RESTART: "restart",
    Extra.TOGETHER: "perform_together",
    Extra.CONFIGURE: "configure",
}


def offered_by(system: System) -> frozenset[Extra]:
    """Returns what a system offers: what it states itself, as a system behind a wire does, or its methods."""
    declared = getattr(system, "offered", None)
    return (
        frozenset(declared())
        if callable(declared)
        else frozenset(extra for extra, name in _METHODS.items() if callable(getattr(system, name, None)))
    )


def offering(system: System) -> Offering:
    """Returns a system as one whose extras may be called; :func:`offered_by` says which."""
    return cast(Offering, system)


LARGEST: Final = (1 << 63) - 1
"""The largest balance that a system is tried with; one that is reached over a wire may name a lesser one."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The setting of the stories.

    Args:
        edition: Rules and terms.
        decks: Decks of the deals.
        start: When a story begins that names no other time.
        opening: Opening balance of a story that names no other.
        offers: What the system offers beyond commands and view.
        unsupported: Actions that the operator declares unsupported.
        largest: The largest amount that the system can receive and show, minor units.
    """

    edition: Edition
    decks: tuple[Deck, ...]
    start: datetime
    opening: int
    offers: frozenset[Extra] = frozenset()
    unsupported: frozenset[SeatAction] = frozenset()
    largest: int = LARGEST
