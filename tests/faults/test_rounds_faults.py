"""Rounds and ledgers that break a promise are found."""

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from pathlib import Path

import pytest
from cli_support import refuses
from msgspec import structs
from representatives import firsts
from rounds_faulty import (
    ChargesTheMainBetTwice,
    DealsBesideAnOpenRound,
    DealsWhileUnavailable,
    DecidesAfterTerm,
    FollowsAClockSetBack,
    ForgetsSideBets,
    IgnoresLimits,
    NeverRefunds,
    NewCardsOnResume,
    PaysAfterVoid,
    RefundsDouble,
    RefundsTwice,
    SettlesTwice,
    StartsOverOnResume,
    TakesBackEarlierWins,
    faulty,
    with_days,
    with_policy,
)
from rounds_game import KEY, SESSION, TERMS, deck_from, decks, game
from rounds_open_card_game import (
    CASINO,
    HOME,
    KING,
    LOSES,
    TIES,
    ChargesAgainUnderTheKey,
    ChargesTheFinalBetLate,
    ChargesTheFinalBetTwice,
    DealsWithoutCover,
    DrawsForTheDealerAgainOnResume,
    FoldLosesAFinalBet,
    ForgetsFinalBetAfterTheTerm,
    ForgetsFinalBetOnMalfunction,
    HidesTheOpenCard,
    HidesTheOpenCardAfterwards,
    KeepsFinalBetOfReversedRound,
    PaysTheAnteAlone,
    TakesAnyFinalBet,
    with_king_paid,
)

from certify.errors import NothingCheckedError, TrustError
from certify.evidence import plain
from certify.model import Verdict
from certify.rounds import (
    ADDED_STAKE,
    DESK,
    GENESIS,
    SHOWN_FACE,
    SITUATIONS,
    AfterSettlement,
    KnownResults,
    LedgerError,
    NotALedgerError,
    Play,
    Policy,
    SqliteStore,
    Vault,
    VoidStakes,
    edition_of,
    latest,
    reference_system,
    situations_of,
    summaries,
    walk_chain,
)
from certify.rounds.conformance.conform import conform
from certify.rounds.conformance.promise import PromiseId
from certify.rounds.exercise import exercise

START = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)

VOIDS_RESULTS = Policy(known_results=KnownResults.VOID)
"""Where a decision that adds a stake ends the round, only the other reading has added stakes at the term."""


@dataclass(frozen=True)
class Planted:
    system: object
    found_by: str
    policy: Policy | None = None


# A fault that concerns every game is told to both.
EVERY = {
    "refunds twice": Planted(faulty(RefundsTwice), "void-is-final"),
    "settles twice": Planted(faulty(SettlesTwice), "settled-once"),
    "decides after the term": Planted(faulty(DecidesAfterTerm), "settle-after-term"),
    "voids at 89 days": Planted(with_days(89), "unresolved-before-term"),
    "voids at 91 days": Planted(with_days(91), "unresolved-at-term"),
    "deals while unavailable": Planted(faulty(DealsWhileUnavailable), "unavailable-after-generator-failure"),
}

PLAIN = EVERY | {
    "refunds double": Planted(faulty(RefundsDouble), "malfunction-awaiting-decision"),
    "never refunds": Planted(faulty(NeverRefunds), "malfunction-awaiting-decision"),
    "forgets side bets": Planted(faulty(ForgetsSideBets), "malfunction-awaiting-decision"),
    "pays after void": Planted(faulty(PaysAfterVoid), "void-is-final"),
    "voids a known result": Planted(with_policy(known_results=KnownResults.VOID), "result-known-at-term"),
    "deals new cards on resume": Planted(faulty(NewCardsOnResume), "resume"),
    "starts over on resume": Planted(faulty(StartsOverOnResume), "resume"),
    "takes back earlier wins": Planted(faulty(TakesBackEarlierWins), "previous-wins"),
    "deals beside an open round": Planted(faulty(DealsBesideAnOpenRound), "one-round-at-a-time"),
    "charges too much": Planted(faulty(ChargesTheMainBetTwice), "bets-accepted"),
    "ignores limits": Planted(faulty(IgnoresLimits), "bets-within-limits"),
    "follows a clock set back": Planted(faulty(FollowsAClockSetBack), "clock-set-back"),
}

OPEN_CARD = EVERY | {
    "forgets the final bet on a malfunction": Planted(
        faulty(ForgetsFinalBetOnMalfunction), "malfunction-before-settlement"
    ),
    "keeps the final bet of a reversed round": Planted(
        faulty(KeepsFinalBetOfReversedRound), "malfunction-after-settlement"
    ),
    "forgets the final bet after the term": Planted(
        faulty(ForgetsFinalBetAfterTheTerm), "unresolved-at-term", VOIDS_RESULTS
    ),
    "charges the final bet twice": Planted(faulty(ChargesTheFinalBetTwice), "bets-added-accepted"),
    "charges again under the key": Planted(faulty(ChargesAgainUnderTheKey), "bets-added-sent-again"),
    "charges the final bet late": Planted(faulty(ChargesTheFinalBetLate), "bets-added-accepted"),
    "pays the ante alone": Planted(faulty(PaysTheAnteAlone), "settlement"),
    "fold loses a final bet": Planted(faulty(FoldLosesAFinalBet), "bets-added-accepted"),
    "hides the open card": Planted(faulty(HidesTheOpenCard), "open-faces-shown"),
    "hides the open card afterwards": Planted(faulty(HidesTheOpenCardAfterwards), "open-faces-shown"),
    "deals without cover": Planted(faulty(DealsWithoutCover), "bets-added-covered"),
    "takes any final bet": Planted(faulty(TakesAnyFinalBet), "bets-added-within-rules"),
    "draws for the dealer again": Planted(faulty(DrawsForTheDealerAgainOnResume), "resume"),
    "pays the king otherwise": Planted(with_king_paid(Fraction(2)), "settlement"),
}


@pytest.mark.parametrize(
    ("planted", "played", "dealt"),
    [
        *(pytest.param(one, game(), 2, id=name) for name, one in PLAIN.items()),
        *(
            pytest.param(one, game(), 6, id=f"{name}, 6", marks=pytest.mark.slow)
            for name, one in PLAIN.items()
        ),
        *(pytest.param(one, CASINO, 1, id=f"{name}, open card") for name, one in OPEN_CARD.items()),
    ],
)
@pytest.mark.parametrize(
    "alone", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["alone", "among all"]
)
def test_a_broken_promise_is_found(planted, played, dealt, alone, monkeypatch):
    if alone:
        # The situation that is to find it alone: which others a fault touches is told of some of them below.
        monkeypatch.setattr(
            "certify.rounds.exercise.situations_of",
            lambda play: [one for one in situations_of(play) if one.id == planted.found_by],
        )
    report = exercise(played, decks(dealt), START, system=planted.system, policy=planted.policy)
    result = report.result(planted.found_by)
    assert result.verdict is Verdict.NOT_SATISFIED
    assert report.verdict is Verdict.NOT_SATISFIED
    assert result.failures > 0
    assert "the shortest: expected" in result.observed
    assert result.evidence[0].startswith("balance ")


@pytest.mark.parametrize("after", firsts(list(AfterSettlement)))
@pytest.mark.parametrize(
    ("stakes", "known"),
    [*((stakes, KnownResults.STAND) for stakes in VoidStakes), (VoidStakes.RETURN, KnownResults.VOID)],
)
def test_every_policy_can_be_kept(after, stakes, known):
    policy = Policy(after_settlement=after, void_stakes=stakes, known_results=known)
    report = exercise(game(), decks(4), START, policy=policy)
    assert {one.verdict for one in report.situations if one.trials} == {Verdict.SATISFIED}
    # Under the other reading no result stands past the term: then there is nothing to try.
    untried = {one.id for one in report.situations if not one.trials}
    assert untried == ({"result-known-at-term"} if known is KnownResults.VOID else set())


def test_a_policy_that_the_system_does_not_keep_is_found():
    report = exercise(
        game(),
        decks(4),
        START,
        policy=Policy(void_stakes=VoidStakes.FORFEIT),
        system=lambda edition, *rest: reference_system(replace(edition, policy=Policy()), *rest),
    )
    assert report.result("unresolved-at-term").verdict is Verdict.NOT_SATISFIED


def test_what_the_terms_do_not_promise_does_not_apply():
    terms = replace(TERMS, malfunction_voids_all=False, resume_after_disconnection=False)
    report = exercise(game(terms), decks(2), START)
    not_applicable = {r.id for r in report.situations if r.verdict is Verdict.NOT_APPLICABLE}
    assert {"malfunction-before-deal", "void-is-final", "resume"} <= not_applicable
    assert report.verdict is Verdict.SATISFIED


def test_terms_of_thirty_days_are_exercised_at_thirty_days():
    report = exercise(game(replace(TERMS, unresolved_void_after_days=30)), decks(2), START)
    assert report.verdict is Verdict.SATISFIED
    assert "30 days" in report.result("unresolved-at-term").expected


def test_without_a_win_the_promise_about_wins_is_inconclusive(monkeypatch):
    monkeypatch.setattr(Play, "witnesses", lambda play, beside: ())
    # 2 of Denari against 7 of Denari: standing loses, and the 7 of Coppe that a hit draws is bust.
    losing = deck_from(4, 24, 25)
    report = exercise(game(), (losing,), START)
    assert report.result("previous-wins").verdict is Verdict.INCONCLUSIVE
    assert report.verdict is Verdict.INCONCLUSIVE


def test_no_decks_are_never_a_pass():
    with pytest.raises(NothingCheckedError):
        exercise(game(), (), START)


EXACT = (
    "forgets the final bet on a malfunction",
    "keeps the final bet of a reversed round",
    "charges again under the key",
    "hides the open card",
    "deals without cover",
    "takes any final bet",
)


@pytest.mark.parametrize("name", firsts(EXACT, 2))
def test_what_is_not_touched_by_a_fault_is_not_blamed(name):
    report = exercise(CASINO, decks(1), START, system=OPEN_CARD[name].system)
    blamed = {result.id for result in report.situations if result.verdict is Verdict.NOT_SATISFIED}
    assert OPEN_CARD[name].found_by in blamed
    assert blamed <= {OPEN_CARD[name].found_by, "void-is-final", "malfunction-while-disconnected"}


def test_a_forgotten_final_bet_is_told_as_money():
    report = exercise(CASINO, (LOSES,), START, system=faulty(ForgetsFinalBetOnMalfunction))
    result = report.result("malfunction-before-settlement")
    assert "expected void, balance 9000, held 0; observed void, balance 8100, held 0" in result.observed
    assert result.evidence[-2:] == ("decide stand-1: done", "malfunction: done")


@pytest.mark.parametrize("played", firsts([CASINO, HOME]), ids=["casino", "home"])
@pytest.mark.parametrize("after", firsts(AfterSettlement))
@pytest.mark.parametrize("stakes", list(VoidStakes))
def test_every_policy_can_be_kept_on_any_decks(played, after, stakes):
    # Losing, tied and King decks alone: what shuffled decks may miss is exercised on decks made for it.
    policy = Policy(after_settlement=after, void_stakes=stakes)
    report = exercise(played, (LOSES, TIES, KING), START, policy=policy)
    assert {result.id: result.verdict for result in report.situations} == {
        result.id: Verdict.SATISFIED for result in report.situations
    }


def test_one_deck_leaves_nothing_inconclusive():
    for played, further in ((CASINO, (*SHOWN_FACE, *ADDED_STAKE)), (HOME, SHOWN_FACE)):
        report = exercise(played, (LOSES,), START)
        assert report.verdict is Verdict.SATISFIED
        assert [result.id for result in report.situations] == [
            situation.id for situation in (*SITUATIONS, *further)
        ]
        assert all(result.trials for result in report.situations)
        # The one that was given loses: the others are dealt to reach what it does not.
        assert report.decks > 1


def test_the_evidence_of_an_added_stake_is_plain():
    evidence = plain(exercise(CASINO, decks(1), START))
    assert evidence["stakes"] == {"ante": 900}
    by_id = {entry["id"]: entry for entry in evidence["situations"]}
    accepted = by_id["bets-added-accepted"]
    assert accepted["observed"].endswith("balance 7200, held 1800, stakes ante 900 + ante-added 900")
    assert accepted["evidence"][-1] == "decide stand-1: done"
    assert (
        "player 5 of diamonds, dealer J of clubs, options fold or stand-1"
        in by_id["open-faces-shown"]["observed"]
    )


STORIES = {
    "forgets the final bet on a malfunction": PromiseId.RETURNED,
    "forgets the final bet after the term": PromiseId.RETURNED,
    "charges the final bet twice": PromiseId.ADDED,
    "charges again under the key": PromiseId.DUPLICATES,
    "pays the ante alone": PromiseId.PAID,
    "fold loses a final bet": PromiseId.ADDED,
    "hides the open card": PromiseId.CARDS,
    "settles twice": PromiseId.SETTLED_ONCE,
    "voids at 91 days": PromiseId.TERM,
}


@pytest.mark.parametrize("name", firsts(STORIES, 3))
def test_stories_find_it_too(name):
    edition = edition_of(CASINO, OPEN_CARD[name].policy)
    report = conform(OPEN_CARD[name].system, edition, decks(8), START, count=1000)
    assert report.breach.promise is STORIES[name]
    assert len(report.script) <= 2 + 5, report.script


def forged(records, change):
    """Returns a ledger written anew as a whole: every digest of both chains fits."""
    made, previous, rounds = [], GENESIS, {}
    for number, record in enumerate(records, start=1):
        apart = rounds.get(record.round, GENESIS)
        altered = structs.replace(change(record), number=number, previous=previous, round_previous=apart)
        made.append(structs.replace(altered, digest=altered.expected_digest()))
        previous = made[-1].digest
        if record.round:
            rounds[record.round] = previous
    return made


def a_year_later(record):
    return structs.replace(record, event=record.event.replace('"at":"2026-', '"at":"2027-'))


def test_a_ledger_written_anew_fits_its_digests_and_lacks_the_marks(room):
    # The attack: every time is rewritten and every digest computed again.
    room.play("stand", "settle")
    head = room.ledger.head
    records = list(room.ledger.journal.store.records())
    anew = forged(records, a_year_later)
    assert all("2027-" in record.event for record in anew)
    assert walk_chain(anew).records == len(records)
    refuses(
        TrustError,
        ("not written under this key", lambda: walk_chain(anew, marks=Vault(KEY))),
        ("noted head", lambda: walk_chain(anew, head=head)),
    )
    assert walk_chain(records, head=head, marks=Vault(KEY)).noted == len(records)


def test_marks_of_other_records_do_not_serve(room):
    room.play("stand", "settle")
    records = list(room.ledger.journal.store.records())
    shifted = [
        structs.replace(one, mark=other.mark)
        for one, other in zip(records, [*records[1:], records[0]], strict=True)
    ]
    with pytest.raises(TrustError, match="record 1 was not written"):
        walk_chain(shifted, marks=Vault(KEY))


def test_no_event_of_a_ledger_written_anew_is_read(room):
    room.play("stand", "settle")
    anew = forged(list(room.ledger.journal.store.records()), a_year_later)
    refuses(
        TrustError,
        ("not written under this key", lambda: room.ledger.journal.event_of(anew[0])),
        (
            "is altered",
            lambda: room.ledger.journal.event_of(a_year_later(next(room.ledger.journal.store.records()))),
        ),
    )


def test_reading_leaves_nothing_and_changes_nothing(room):
    room.play("stand", "settle")
    before = {path.name: path.read_bytes() for path in room.path.parent.iterdir()}
    assert "ledger.db-wal" in before
    with closing(SqliteStore(room.path, reading=True)) as store:
        assert walk_chain(store.records()).records == 7
        with pytest.raises(LedgerError, match="readonly"):
            store.append([next(store.records())])
    assert {path.name for path in room.path.parent.iterdir()} == set(before)
    room.ledger.close()
    whole = {path.name: path.read_bytes() for path in room.path.parent.iterdir()}
    assert set(whole) == {"ledger.db"}
    with closing(SqliteStore(room.path, reading=True)) as store:
        assert walk_chain(store.records()).records == 7
    assert {path.name: path.read_bytes() for path in room.path.parent.iterdir()} == whole
    room.ledger = room.open()


@pytest.mark.parametrize("left", [(), ("-wal",), ("-wal", "-shm")], ids=["closed", "log", "log and index"])
def test_a_ledger_on_a_read_only_medium_is_read_to_its_end(room, left):
    # After a loss of power the latest records are in the log alone; a reader that skips it sees a ledger cut off.
    room.play("stand", "settle")
    medium = Path(tempfile.mkdtemp(prefix="certify-medium-"))
    try:
        if not left:
            room.reopen()
        for suffix in ("", *left):
            part = medium / f"ledger.db{suffix}"
            shutil.copyfile(room.path.with_name(part.name), part)
            part.chmod(0o444)
        medium.chmod(0o555)
        assert read_by_nobody(medium / "ledger.db") == 7
        medium.chmod(0o755)
        there = set(medium.iterdir())
        with closing(SqliteStore(medium / "ledger.db", reading=True)) as store:
            assert walk_chain(store.records()).records == 7
            # Where the medium would take an index, none is put there either.
            assert set(medium.iterdir()) == there
    finally:
        medium.chmod(0o755)
        shutil.rmtree(medium)


def read_by_nobody(path):
    """Returns the number of records that a process without any right to write reads."""
    pid = os.fork()
    if pid == 0:
        status = 255
        try:
            if os.getuid() == 0:
                os.setuid(65534)
            with closing(SqliteStore(path, reading=True)) as store:
                status = walk_chain(store.records(), marks=Vault(KEY)).records
        finally:
            os._exit(status)
    return os.WEXITSTATUS(os.waitpid(pid, 0)[1])


def test_a_foreign_database_is_neither_taken_for_a_ledger_nor_written_into(tmp_path):
    path = tmp_path / "foreign.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE players (name TEXT)")
        connection.execute("CREATE VIEW record AS SELECT 1 AS number")
        connection.commit()
    before = path.read_bytes()
    for opened in (SqliteStore, partial(SqliteStore, reading=True)):
        with pytest.raises(NotALedgerError, match="no ledger of this form"):
            opened(path)
    assert path.read_bytes() == before


def test_a_ledger_of_another_form_is_refused_and_named_so(room):
    room.play("stand")
    room.ledger.close()
    with closing(sqlite3.connect(room.path)) as connection:
        connection.execute("PRAGMA user_version=0")
        connection.commit()
    before = room.path.read_bytes()
    for opened in (SqliteStore, partial(SqliteStore, reading=True)):
        with pytest.raises(
            NotALedgerError, match="expected form 2, found 0; it was written by another version"
        ):
            opened(room.path)
    assert room.path.read_bytes() == before


def test_a_trigger_that_was_weakened_is_refused(room):
    room.ledger.close()
    with closing(sqlite3.connect(room.path)) as connection:
        connection.execute("DROP TRIGGER record_is_never_changed")
        connection.execute(
            "CREATE TRIGGER record_is_never_changed BEFORE UPDATE ON record BEGIN SELECT 1; END"
        )
        connection.commit()
    with pytest.raises(NotALedgerError, match="record_is_never_changed"):
        room.open()
    with closing(sqlite3.connect(room.path)) as connection:
        connection.execute("DROP TRIGGER record_is_never_changed")
        connection.commit()
    room.ledger = room.open()
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        room.ledger.journal.store._connection.execute("UPDATE record SET event = '{}'")


def test_rounds_are_listed_without_a_key(room):
    room.play("stand", "settle")
    room.play("stand", "settle", "malfunction")
    room.play()
    room.ledger.open("b", SESSION, 5000)
    room.do("place", "main", 100, seat="b")
    listed = list(summaries(room.ledger.journal.store))
    assert sorted((one.round, one.status, one.staked) for one in listed) == [
        ("a-000001", "settled", 1100),
        ("a-000002", "void", 1100),
        ("a-000003", "open", 1100),
        ("b-000001", "betting", 0),
    ]
    assert [one.round for one in summaries(room.ledger.journal.store, seat="a", status="void")] == [
        "a-000002"
    ]
    last, total = latest(summaries(room.ledger.journal.store, seat="a"), 1)
    assert ([one.round for one in last], total) == (["a-000003"], 3)
    room.alter("UPDATE record SET event = replace(event, '2026', '2027') WHERE number = 4")
    with pytest.raises(TrustError, match="altered"):
        list(summaries(room.ledger.journal.store))


def test_a_key_is_used_once_at_the_seat_and_at_the_desk(room):
    assert room.do("place", "main", 1000, key="one").done
    assert not room.do("suspend", key="one").done
    assert room.do("suspend", key="two").done
    assert room.do("suspend", key="two").done
    assert room.ledger.seat(DESK).events == 1
    room.reopen()
    assert not room.do("clear", key="two").done
    assert room.do("clear", key="three").done
    room.ledger.open("b", SESSION, 100_000)
    # Keys of another seat are its own.
    assert room.do("restore", key="two", seat="b").done
