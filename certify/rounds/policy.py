"""The terms of a round as parameters: when bets become void, and where their money goes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from certify.errors import InputError, MissingPartError, Refusing
from certify.model import Terms
from certify.rounds.money import Rounding


class AfterSettlement(StrEnum):
    """What a malfunction found after settlement does to the pays of its round."""

    REVERSE = "reverse"
    """Every pay is taken back and every stake returned: all pays and plays are void."""
    FLAG = "flag"
    """Nothing is taken from the player by machine: what was paid beyond the stakes is flagged."""
    BETTER_OF = "better-of"
    """The player keeps what was won so far or gets the stakes back, whichever is more (AGCO 4.21)."""


MARKET: Final = "market"
"""The wording that rules screens print: a malfunction voids all pays and plays."""

JURISDICTIONS: Final[Mapping[str, AfterSettlement]] = {
    MARKET: AfterSettlement.REVERSE,
    # AGCO Registrar's Standards for Internet Gaming 4.21.
    "ontario": AfterSettlement.BETTER_OF,
}
"""What a malfunction does to pays, by the jurisdiction whose rules apply."""


class VoidStakes(StrEnum):
    """Where the stakes of an unresolved bet go when it becomes void."""

    RETURN = "return"
    FORFEIT = "forfeit"


class KnownResults(StrEnum):
    """What the term does to a round whose result is known and that nobody has settled."""

    STAND = "stand"
    """The result remains and is settled, however late: nothing more is needed of the player, so the bet is no
    unresolved one (GLI-19 4.16.3(a); UK RTS 10)."""
    VOID = "void"
    """Every wager that is not settled counts as undecided, and is void at the term (GLI-19 A.5.2(e))."""


KNOWN_RESULT_CLAUSES: Final = {KnownResults.STAND: "GLI-19 4.16.3(a)", KnownResults.VOID: "GLI-19 A.5.2(e)"}
"""The clause that each reading rests on."""


class DayCount(StrEnum):
    """How the days of the term are counted."""

    ELAPSED = "elapsed"
    """Days of 24 hours in UTC."""
    CALENDAR = "calendar"
    """Calendar days in a named zone, to the same time of day."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What the rules and the jurisdiction say about rounds that do not end as usual.

    The printed rule is "unresolved bets placed become void after 90 days". Ninety days have passed when
    90 times 24 hours have: a bet is alive at every instant before ``accepted + 90 days`` and void at that
    instant and from then on. A bet is unresolved while a decision is open; where none is left the result is known
    and settled, before or after the term, unless every unsettled wager counts as undecided.

    Args:
        malfunction_voids_all: A malfunction voids all pays and plays of its round.
        void_after_days: Days after which an unresolved bet is void.
        day_count: How those days are counted.
        zone: IANA name of the zone of calendar days.
        void_stakes: Where the stakes of a void bet go; a void bet is as if never made, so they return.
        after_settlement: What a malfunction does to pays of a round already settled.
        rounding: What happens to a fraction of the smallest coin in a payout.
        known_results: What the term does to a round whose result is known and that nobody has settled.
    """

    malfunction_voids_all: bool = True
    void_after_days: int = 90
    day_count: DayCount = DayCount.ELAPSED
    zone: str = "UTC"
    void_stakes: VoidStakes = VoidStakes.RETURN
    after_settlement: AfterSettlement = AfterSettlement.REVERSE
    rounding: Rounding = Rounding.DOWN
    known_results: KnownResults = KnownResults.STAND

    def __post_init__(self) -> None:
        """Refuses a term that is not a positive number of days."""
        if self.void_after_days < 1:
            raise ValueError(f"bets void after {self.void_after_days} days: expected one day or more")

    @classmethod
    def of(cls, terms: Terms, jurisdiction: str = MARKET) -> "Policy":
        """Returns the policy that the terms of a submission state under the rules of a jurisdiction.

        Raises:
            InputError: Nothing is known of that jurisdiction.
        """
        if jurisdiction not in JURISDICTIONS:
            known = ", ".join(JURISDICTIONS)
            raise InputError(f"unknown jurisdiction {jurisdiction!r}: expected one of {known}")
        return cls(
            malfunction_voids_all=terms.malfunction_voids_all,
            void_after_days=terms.unresolved_void_after_days,
            after_settlement=JURISDICTIONS[jurisdiction],
        )

    def deadline(self, accepted_at: datetime) -> datetime:
        """Returns the first instant at which a bet accepted at an instant is void, in UTC.

        >>> Policy().deadline(datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
        '2026-04-01T00:00:00+00:00'
        """
        try:
            if self.day_count is DayCount.ELAPSED:
                return accepted_at.astimezone(UTC) + timedelta(days=self.void_after_days)
            return _calendar_deadline(accepted_at, self.void_after_days, self.zone)
        except OverflowError:
            # A clock set to the end of time: no later instant can be distinguished.
            return datetime.max.replace(tzinfo=UTC)

    def is_void(self, accepted_at: datetime, now: datetime) -> bool:
        """Returns whether an unresolved bet accepted at an instant is void by now."""
        return now >= self.deadline(accepted_at)


def _calendar_deadline(accepted_at: datetime, days: int, name: str) -> datetime:
    """Returns the same time of day some calendar days later.

    Where the clocks change on that day a time of day can occur twice or not at all; the later reading
    is taken, so that no bet is void a moment before its term.
    """
    with Refusing(
        ZoneInfoNotFoundError,
        MissingPartError,
        f"no time zone {name!r} on this machine: install the package tzdata",
        words=None,
    ):
        zone = ZoneInfo(name)
    local = accepted_at.astimezone(zone).replace(tzinfo=None) + timedelta(days=days)
    return max(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


OBLIGATIONS: Final[tuple[tuple[str, str], ...]] = (
    (
        "GLI-19 A.5.2(c)-(e)",
        "Show players how malfunctions, disconnections and undecided wagers are handled.",
    ),
    (
        "GLI-19 A.6.4 part 2",
        "Inform the regulator of voided rounds, and disable the game where the cause may recur.",
    ),
    ("GLI-19 B.2.1(e)", "Investigate each malfunction and verify integrity before play is restored."),
    ("GLI-19 2.8.1", "Keep the system clock exact; a clock set forwards looks the same as time passing."),
    ("GLI-19 4.4.4(a) part 2", "Keep the key of sealed decks in a key store apart from the ledger."),
    (
        "GLI-19 2.8.8",
        "Report voids with user and reason, and note the ledger's head where it cannot be altered.",
    ),
    ("GLI-19 4.16.2", "Run the ledger on a disk that keeps what it acknowledged when power is lost."),
    (
        "GLI-19 4.16.3",
        "Lead a returning player to the interrupted round, and run settlement and expiry on time.",
    ),
)
"""Clause and obligation, for the report's chapter on malfunction, void and interruption."""
