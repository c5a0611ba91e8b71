"""Recall: a round played again from its records, bit for bit, and shown card by card as a replay."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Annotated, Final, get_origin, get_type_hints

from certify.characters import csv_bytes
from certify.clock import SteppedClock
from certify.errors import InputError, OperationError, Refusing, TrustError
from certify.model import Observation, Verdict
from certify.rounds.events import (
    BetsExpired,
    CardsDealt,
    DecisionTaken,
    Event,
    MalfunctionDeclared,
    RoundSettled,
    SessionOpened,
    StakeAdded,
    amounts,
)
from certify.rounds.journal import encode
from certify.rounds.ledger import Ledger
from certify.rounds.machine import Machine
from certify.rounds.money import Account, balance_of
from certify.rounds.operations import Step
from certify.rounds.play import Edition, Play
from certify.rounds.state import COMPLETE, Phase, Round, Seat, apply, replay
from certify.rounds.store import verify_round
from certify.rounds.table import MARK, NOT_OFFERED as NOT_OFFERED


def verify_replay(machine: Machine, seat_id: str, events: Sequence[Event], round_id: str) -> None:
    """Plays a round of one player again from its log and compares every event bit for bit.

    Args:
        machine: Operations with the editions in force at the time.
        seat_id: Id of the seat.
        events: All events of the seat, decks opened; those of other rounds are taken as they are.
        round_id: The round to replay.

    Raises:
        TrustError: An event comes out differently, or cannot be played again.
    """
    seat = Seat(seat_id)
    for recorded in events:
        if recorded.round == round_id:
            with Refusing(
                (OperationError, InputError), TrustError, f"{_which(recorded)} cannot be played again"
            ):
                again = _again(machine, seat, recorded)
            if again is not None:
                _verify_same(recorded, again[1])
        seat = apply(seat, recorded)


def _which(recorded: Event) -> str:
    return f"event {recorded.sequence} of round {recorded.round}"


def _verify_same(recorded: Event, played: Event) -> None:
    # Whether the clock lay behind is a fact about the clock of that day, and which software dealt is one about the
    # software of that day: neither is to be played again.
    body, then = played.body, recorded.body
    if isinstance(body, CardsDealt) and isinstance(then, CardsDealt):
        body = replace(body, rules=replace(body.rules, software_sha256=then.rules.software_sha256))
    played = replace(played, body=body, clock_behind=recorded.clock_behind)
    if encode(played) != encode(recorded):
        raise TrustError(
            f"{_which(recorded)} does not replay: recorded {encode(recorded)}, replayed {encode(played)}"
        )


def _again(machine: Machine, seat: Seat, recorded: Event) -> Step | None:
    """Returns what the machine makes now of a recorded step; none where draws play no part in it."""
    body = recorded.body
    then = _machine_of(machine, recorded)
    match body:
        case MalfunctionDeclared():
            return then.malfunction(seat, body.reason, body.decided_by)
        case BetsExpired():
            return then.expire(seat)
        case CardsDealt(how=how):
            return then.deal(seat, then.stakes_to_accept(seat, how), body.deck, how)
        case DecisionTaken() | StakeAdded():
            return then.decide(seat, body.decision)
        case RoundSettled():
            return then.settle(seat)
        case _:
            return None


def _machine_of(machine: Machine, recorded: Event) -> Machine:
    """Returns the machine as it was: with the clock of the time, and the edition in force.

    Raises:
        TrustError: That edition is not at hand.
    """
    body, digest = recorded.body, machine.current
    if isinstance(body, CardsDealt):
        digest = body.rules.submission_sha256
        if digest not in machine.editions:
            raise TrustError(
                f"round {recorded.round} was played under rules {digest[:12]}…, which are not loaded"
            )
    return Machine(machine.editions, digest, SteppedClock(recorded.at))


_STATUS: Final[Mapping[Phase, str]] = {
    Phase.BETTING: "in progress",
    Phase.DECISION: "in progress",
    Phase.RESOLVED: "in progress",
    Phase.SETTLED: "complete",
    Phase.VOID: "void",
    Phase.EXPIRED: "void",
}


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """Everything that the log of a round must hold (GLI-19 2.8.2, 4.14.2; 68 IAC 25-9-2).

    Amounts are in minor units of the currency, times in UTC as ISO 8601. A field for something the game does
    not offer says so; an empty field is a missing one. Next to each required field is what requires it.

    Args:
        shown_at_deal: What others than the player had lying open from the deal on.
        stakes_added: What decisions added to the stakes, which ``stakes`` and ``total_wagered`` hold too.
    """

    replay: Annotated[str, "GLI-19 4.14.1"]
    round_id: Annotated[str, "GLI-19 2.8.2"]
    session_id: Annotated[str, "GLI-19 2.8.2"]
    player_id: Annotated[str, "GLI-19 2.8.2, 68 IAC 25-9-2"]
    location: Annotated[str, "GLI-19 2.8.2"]
    jurisdiction: str
    game_id: Annotated[str, "68 IAC 25-9-2"]
    game_version: Annotated[str, "68 IAC 25-9-2"]
    paytable_sha256: Annotated[str, "GLI-19 2.8.2, 68 IAC 25-9-2"]
    software_sha256: Annotated[str, "GLI-19 A.5.1(e)"]
    status: Annotated[str, "GLI-19 2.8.2, 68 IAC 25-9-2"]
    started_at: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    ended_at: Annotated[str, "68 IAC 25-9-2"]
    currency: Annotated[str, "GLI-19 4.14.2"]
    denomination: Annotated[str, "GLI-19 4.14.2"]
    funds_before: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    funds_after: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    stakes: Annotated[str, "68 IAC 25-9-2"]
    total_wagered: Annotated[str, "GLI-19 4.14.2"]
    results: Annotated[str, "68 IAC 25-9-2"]
    total_won: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    refunded: str
    player_choices: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    hands: str
    shown_at_deal: Annotated[str, "GLI-19 4.14.2"]
    stakes_added: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    final_display: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    intermediate_phases: Annotated[str, "GLI-19 4.14.2, 68 IAC 25-9-2"]
    deck_sha256: str
    void_reason: str
    events: str
    jackpot_contribution: Annotated[str, "GLI-19 2.8.2, 68 IAC 25-9-2"] = NOT_OFFERED
    jackpot_won: Annotated[str, "GLI-19 4.14.2"] = NOT_OFFERED
    rake: Annotated[str, "GLI-19 4.14.2"] = NOT_OFFERED
    promotional_amounts: Annotated[str, "68 IAC 25-9-2"] = NOT_OFFERED
    non_wager_purchases: Annotated[str, "GLI-19 4.14.2"] = NOT_OFFERED
    advice_given: Annotated[str, "GLI-19 4.14.2"] = NOT_OFFERED


FIELD_SOURCES: Final[Mapping[str, str]] = {
    name: found.__metadata__[0]
    for name, found in get_type_hints(RoundRecord, include_extras=True).items()
    if get_origin(found) is Annotated
}
"""Where each required field comes from."""


def recall(ledger: Ledger, round_id: str) -> RoundRecord:
    """Reconstructs a round from the ledger, after checking its chain and replaying it bit for bit.

    Raises:
        InputError: The ledger has no such round.
        TrustError: A record was altered, or the replay does not reproduce what was recorded.
    """
    records = tuple(ledger.journal.store.records(round_id=round_id))
    if not records:
        raise InputError(f"no round {round_id!r} in the ledger")
    verify_round(records)
    events = tuple(ledger.journal.events(records[0].seat))
    verify_replay(ledger.machine, records[0].seat, events, round_id)
    return record_of(records[0].seat, events, round_id, _edition_of(ledger.machine, events, round_id).play)


def _edition_of(machine: Machine, events: Sequence[Event], round_id: str) -> Edition:
    """Returns the edition under which a round was dealt; the one in force where it was not."""
    for event in events:
        if event.round == round_id and isinstance(event.body, CardsDealt):
            return machine.editions[event.body.rules.submission_sha256]
    return machine.edition


NOT_DEALT: Final = "nothing was dealt"


def record_of(seat_id: str, events: Sequence[Event], round_id: str, play: Play) -> RoundRecord:
    """Returns the log record of a round from all events of its seat, faces in the words of the game."""
    own = tuple(event for event in events if event.round == round_id)
    before = replay(seat_id, (event for event in events if event.sequence < own[0].sequence))
    current = replay(seat_id, (event for event in events if event.sequence <= own[-1].sequence)).round
    if current is None:
        raise InputError(f"no bets belong to round {round_id!r}")
    session = next((event.body for event in events if isinstance(event.body, SessionOpened)), None)
    deal = next((event.body for event in own if isinstance(event.body, CardsDealt)), None)
    rules = deal.rules if deal else None
    won = sum(balance_of(Account.PLAYER, event.postings) for event in own)
    shown = (
        f"{holder} {', '.join(play.names(faces, holder)) or 'none shown'}" for holder, faces in current.hands
    )
    hands = "; ".join(shown) or "none shown"
    return RoundRecord(
        replay=MARK,
        round_id=round_id,
        session_id=session.session if session else "",
        player_id=session.player if session else "",
        location=session.location if session else "",
        jurisdiction=session.jurisdiction if session else "",
        game_id=rules.game if rules else NOT_DEALT,
        game_version=rules.version if rules else NOT_DEALT,
        paytable_sha256=rules.submission_sha256 if rules else NOT_DEALT,
        software_sha256=rules.software_sha256 if rules else NOT_DEALT,
        status=status_of(current.phase, own),
        started_at=own[0].at.isoformat(),
        ended_at=_ended_at(current.phase, own),
        currency=deal.currency if deal else NOT_DEALT,
        denomination="1 minor unit",
        funds_before=str(before.balance),
        funds_after=str(before.balance + won),
        stakes=amounts(current.wagered),
        total_wagered=str(current.staked),
        results=_results(current),
        total_won=str(current.returned),
        refunded=str(current.refunded),
        player_choices=_choices(own),
        hands=hands,
        shown_at_deal=_shown_at_deal(deal, play),
        stakes_added=NOT_DEALT if not deal else amounts(current.added) if play.adds_stakes else NOT_OFFERED,
        final_display=f"{hands}; {current.phase}",
        intermediate_phases=", ".join(event.kind for event in own),
        deck_sha256=deal.deck_sha256 if deal else NOT_DEALT,
        void_reason=_void_reason(own),
        events=str(len(own)),
    )


def missing_fields(record: RoundRecord) -> tuple[str, ...]:
    """Returns the required fields that a record leaves empty, each with the clause that requires it."""
    return tuple(f"{name} ({source})" for name, source in FIELD_SOURCES.items() if not getattr(record, name))


def check_recall(records: Sequence[RoundRecord]) -> Observation:
    """Checks that records hold every required field; a missing field is a failed check."""
    missing = sorted({name for record in records for name in missing_fields(record)})
    verdict = Verdict.NOT_SATISFIED if missing else Verdict.SATISFIED
    return Observation(
        check="rounds-recall",
        title="Every recorded round holds what recall and reconstruction require",
        verdict=verdict if records else Verdict.INCONCLUSIVE,
        expected=f"{len(FIELD_SOURCES)} required fields in each of {len(records)} rounds",
        observed=f"missing: {', '.join(missing)}" if missing else "none is missing",
        reason="" if records else "no round was recorded",
    )


def to_json(records: Sequence[RoundRecord]) -> str:
    """Returns records as a JSON array."""
    return json.dumps([asdict(record) for record in records], indent=2, ensure_ascii=False)


def to_csv(records: Sequence[RoundRecord]) -> str:
    """Returns records as CSV with a header (GLI-19 2.8.1)."""
    header = (field.name for field in fields(RoundRecord))
    return csv_bytes(header, (asdict(record).values() for record in records), end="\n").decode()


def to_text(record: RoundRecord) -> str:
    """Returns a record as lines that a person reads."""
    return "\n".join(f"{name.replace('_', ' ')}: {value}" for name, value in asdict(record).items())


def status_of(phase: Phase, own: Sequence[Event]) -> str:
    """Returns whether a round is complete, void, in progress or interrupted."""
    status = _STATUS[phase]
    broken = [event.kind for event in own if event.kind in ("player-disconnected", "round-resumed")]
    interrupted = bool(broken) and broken[-1] == "player-disconnected"
    return "interrupted" if interrupted and status == "in progress" else status


def _ended_at(phase: Phase, own: Sequence[Event]) -> str:
    ends = [
        event.at for event in own if isinstance(event.body, RoundSettled | MalfunctionDeclared | BetsExpired)
    ]
    return ends[-1].isoformat() if ends and phase in COMPLETE else "not ended"


def _results(current: Round) -> str:
    parts = [
        f"{result.wager}: {result.outcome}, net {result.net}, returned {result.returned}"
        for result in current.results
    ]
    return "; ".join(parts) or "not settled"


def _choices(own: Sequence[Event]) -> str:
    parts = [
        f"{event.at.isoformat()} {event.body.decision} of {'/'.join(event.body.offered)}"
        for event in own
        if isinstance(event.body, DecisionTaken | StakeAdded)
    ]
    return "; ".join(parts) or "none"


def _shown_at_deal(deal: CardsDealt | None, play: Play) -> str:
    """Returns what others than those who decide had lying open; empty, and so missing, where nothing was recorded."""
    if deal is None:
        return NOT_DEALT
    if not play.shows_others:
        return NOT_OFFERED
    others = ((holder, faces) for holder, faces in deal.hands if faces and holder not in play.survey.seats)
    return "; ".join(f"{holder} {', '.join(play.names(faces, holder))}" for holder, faces in others)


def _void_reason(own: Sequence[Event]) -> str:
    """Returns why a round is void, or that it is not."""
    for event in own:
        if isinstance(event.body, MalfunctionDeclared):
            return f"{event.body.reason} (decided by {event.body.decided_by})"
        if isinstance(event.body, BetsExpired):
            return f"void since {event.body.deadline.isoformat()}"
    return "not void"
