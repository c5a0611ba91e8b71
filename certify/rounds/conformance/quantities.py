"""What promises quantify over, as one list of data: times, amounts and sums, keys and their age, counts of rounds.

Fixed stories are built of it and random ones drawn; what a system can get wrong in a value is one more row here.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from certify.model.game import Limits
from certify.rounds.conformance.setting import Setting
from certify.rounds.exercise import default_stakes
from certify.rounds.play import funds_for

STARTS: Final = (
    datetime(2028, 2, 29, 12, tzinfo=UTC),  # the leap day itself
    datetime(2027, 12, 1, 8, tzinfo=UTC),  # 90 days later it is the leap day
    datetime(2028, 1, 15, 23, 59, 59, tzinfo=UTC),  # the leap day lies between
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

BREAKS: Final = (timedelta(hours=1), timedelta(days=1), timedelta(days=31), timedelta(days=400))
"""How long a player stays away between two rounds."""

EDGES: Final = (1 << 31, 1 << 32, 1 << 53, 1 << 63)
"""Amounts at which a narrower kind of number wraps, is cut off or loses its last digit."""

ROUNDS: Final = (30, 105)
"""Rounds that a player plays one after another: so many that a history shows them, and more."""

TURNS: Final = (
    "bets undo clear",
    "bets suspend clear restore",
    "bets deal malfunction",
    "round malfunction",
    "bets deal term expire",
    "bets deal disconnect term expire resume",
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


def openings(setting: Setting) -> tuple[int, ...]:
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
    return tuple(sorted({least, most, *(one for one in found if least <= one <= most)}))
