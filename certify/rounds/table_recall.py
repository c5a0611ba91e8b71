"""Recall of a round of several people: what it was to each of them, after every step was played again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from certify.rounds.events import (
    CardsDealt,
    CoverHeld,
    Event,
    PeopleSeated,
    PersonDecided,
    RoundSettled,
    SettledWager,
)
from certify.rounds.ledger import TABLES, Ledger
from certify.rounds.play import Play
from certify.rounds.recall import RoundRecord, hands_text, recorded, status_of
from certify.rounds.replaying import again, replayed
from certify.rounds.several import people_at
from certify.rounds.state import COMPLETE, Phase, Seat
from certify.rounds.store import verify_round


def is_of_table(round_id: str) -> bool:
    """Tells whether a round was played at a table of several people."""
    return round_id.startswith(TABLES)


def recall_people(ledger: Ledger, asked: str) -> tuple[RoundRecord, ...]:
    """Reconstructs a round for each person, or every round of a table, and plays the table again bit for bit.

    Args:
        ledger: The ledger.
        asked: Id of a round, or of a table: then all its rounds, the earliest first.

    Raises:
        InputError: The ledger has no such round.
        TrustError: A record was altered, or the replay does not reproduce what was recorded.
    """
    whole = not ledger.round_records(asked)
    table = asked if whole else asked.rpartition("-")[0]
    events = tuple(ledger.events(table))
    again(ledger.machine, table, events[:1])
    rounds = dict.fromkeys(event.round for event in events if event.round) if whole else (asked,)
    for round_id in rounds:
        verify_round(ledger.round_records(round_id))
    states = list(replayed(ledger.machine, table, events))
    seated = next(event.body for event in events if isinstance(event.body, PeopleSeated))
    play = ledger.machine.editions[seated.rules.submission_sha256].play
    return tuple(record for round_id in rounds for record in _told(round_id, seated, states, events, play))


def _told(
    round_id: str,
    seated: PeopleSeated,
    states: Sequence[Seat],
    events: Sequence[Event],
    play: Play,
) -> Iterator[RoundRecord]:
    own = tuple(event for event in events if event.round == round_id)
    before = [state for state in states if state.events < own[0].sequence][-1]
    after = next(state for state in states if state.events >= own[-1].sequence)
    for person in people_at(before).balances:
        yield _record(person, seated, before, after, own, play)


def _record(
    person: str,
    seated: PeopleSeated,
    before: Seat,
    after: Seat,
    own: Sequence[Event],
    play: Play,
) -> RoundRecord:
    deal = next(event.body for event in own if isinstance(event.body, CardsDealt))
    cover = next(event.body for event in own if isinstance(event.body, CoverHeld))
    decided = [(event, event.body) for event in own if isinstance(event.body, PersonDecided)]
    added = sum(body.added for _, body in decided if body.person == person)
    put_up = dict(cover.held)[person] + added
    result = _result(person, own)
    phase = after.round.phase if after.round else Phase.BETTING
    choices = "; ".join(
        f"{event.at.isoformat()} {'*' if body.away else ''}{body.decision} of {'/'.join(body.offered)}"
        for event, body in decided
        if body.person == person
    )
    return recorded(
        own,
        seated.sitting,
        phase,
        hands_text(decided[-1][1].hands if decided else deal.hands, play),
        player_id=person,
        status=f"{status_of(phase, own)} (terms {seated.terms})",
        funds_before=str(people_at(before).balances[person]),
        funds_after=str(people_at(after).balances[person]),
        stakes=_stakes(person, cover, dict(deal.stakes), put_up),
        total_wagered=str(put_up),
        results=f"{result.outcome}, net {result.net}, returned {result.returned}"
        if result
        else "not settled",
        total_won=str(result.returned if result else 0),
        refunded=str(put_up if phase in COMPLETE and result is None else 0),
        player_choices=choices or "none",
        shown_at_deal=hands_text(tuple((holder, faces) for holder, faces in deal.hands if faces), play),
        stakes_added=str(added) if added else "none",
    )


def _result(person: str, own: Sequence[Event]) -> SettledWager | None:
    """Returns how a round ended for a person; none where it was not settled."""
    results = (one for event in own if isinstance(event.body, RoundSettled) for one in event.body.results)
    return next((one for one in results if one.wager == person), None)


def _stakes(person: str, cover: CoverHeld, stakes: dict[str, int], put_up: int) -> str:
    """Returns what a person put up, and for what."""
    if person == cover.banker:
        return f"holds the bank, put up {put_up} for the worst round"
    return f"stake {stakes[person]}, put up {put_up} with its cover"
