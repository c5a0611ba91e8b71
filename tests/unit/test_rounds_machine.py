"""The operations on a round: what each allows, refuses, moves and records, in two families, as one page.

``python tests/unit/test_rounds_machine.py`` writes the page anew; what changed in it is what changed in the machine.
"""

import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from rounds_game import START, Table, deck, deck_from, game, machine_of
from rounds_open_card_game import CASINO, DEALER_KING, HOME, KING, LOSES, TIES, WINS

from certify.clock import SteppedClock
from certify.errors import OperationError
from certify.families.open_card.text import OpenCardTie, rules_of
from certify.rounds import (
    AfterSettlement,
    KnownResults,
    Machine,
    Policy,
    VoidStakes,
    decode,
    edition_of,
    encode,
    replay,
    view_of,
)
from certify.rounds.conformance.follow import described

PAGE = Path(__file__).with_name("rounds_machine.txt")
GAMES = {
    "sette": game(),
    "casino": CASINO,
    "home": HOME,
    "ante-returned": replace(CASINO, rules=replace(rules_of(CASINO), tie=OpenCardTie.ANTE_RETURNED)),
}
DECKS = {
    "seven-wins": deck_from(24, 0, 4, 8),  # 7 of Denari against A, 2 and 3 of Denari: the hand of 7 wins
    "ace-loses": deck_from(0, 24, 4),  # ace of Denari against 7 of Denari
    "face-first": deck_from(28, 0, 24),
    "any": deck(1),
    "none": (),
    "short": tuple(range(39)),
    "twice": (*range(39), 0),
    "long": tuple(range(41)),
    "WINS": WINS,
    "LOSES": LOSES,
    "TIES": TIES,
    "KING": KING,
    "DEALER-KING": DEALER_KING,
    "HOME": deck_from(28, 4, 29, 30, 24, 25),
}
SHOWN = ("hands", "options", "offered", "rules", "deck", "deck_sha256", "currency")
DAY = 86_400
LONG = f"place main 1000; deal seven-wins; wait {90 * DAY}"
EVERY = "decide fold; decide stand-1; decide hit-1; decide stand-2; decide hit-2"
MALFUNCTIONS = (
    "place main 1000; place mano-di-poker 200; malfunction chips lie; place main 1000; deal seven-wins; "
    "malfunction power shift-manager; malfunction again x; settle; place main 1000; deal seven-wins; decide stand; "
    "malfunction r w; place main 1000; deal seven-wins; decide stand; settle; malfunction r w; "
    "place main 1000; deal ace-loses; decide stand; settle; malfunction r w"
)
BOTH_BETS = "; ".join(
    f"place ante 300; deal {cards}; decide stand-2;{settled} malfunction r w"
    for cards in ("WINS", "LOSES", "TIES")
    for settled in ("", " settle;")
)
SCRIPTS = {
    "nothing was started": ("sette", Policy(), 1_000, "undo; decide hit; settle; expire; rebet; deposit 0"),
    "bets on the layout": (
        "sette",
        Policy(),
        100_000,
        (
            "place main 300; place main 200; place mano-di-poker 100; undo; clear; undo; clear; deal any; "
            "place main 0; place main 50001; place mano-di-poker 10001; place tombola 100; "
            "place mano-di-poker 100; deal any; clear; "
            "place main 100; place mano-di-poker 99; deal any; clear; place main 50000; place main 1; clear; "
            "place main 100; deal none; deal short; deal twice; deal long; deal face-first; settle"
        ),
    ),
    "a small balance": ("sette", Policy(), 500, "place main 400; place main 101"),
    "one round after another": (
        "sette",
        Policy(),
        100_000,
        (
            "place main 1000; place mano-di-poker 100; deal seven-wins; place main 100; disconnect; decide hit; "
            "decide stand; disconnect; resume; resume; decide stand; place main 100; settle; rebet; rebet; "
            "deal any rebet-and-deal; clear; deal seven-wins double-and-deal; decide stand; settle; place main 100"
        ),
    ),
    "bets doubled beyond a limit": (
        "sette",
        Policy(),
        100_000,
        "place main 30000; deal seven-wins; decide stand; settle; deal any double-and-deal; deal any rebet-and-deal",
    ),
    **{
        f"malfunctions, {after}": ("sette", Policy(after_settlement=after), 100_000, MALFUNCTIONS)
        for after in AfterSettlement
    },
    "terms that do not void": (
        "sette",
        Policy(malfunction_voids_all=False),
        2_000,
        "place main 1000; malfunction r w",
    ),
    "a moment before the term": (
        "sette",
        Policy(),
        2_000,
        f"place main 1000; wait {89 * DAY}; deal seven-wins; wait {90 * DAY - 1e-6}; expire; decide stand",
    ),
    **{
        f"at the term, stakes {stakes}": (
            "sette",
            Policy(void_stakes=stakes),
            2_000,
            f"{LONG}; decide hit; decide stand; malfunction r w; expire; expire",
        )
        for stakes in VoidStakes
    },
    "a clock set back": (
        "sette",
        Policy(),
        2_000,
        f"{LONG}; disconnect; wait {-10 * DAY}; resume; decide stand",
    ),
    "an unavailable game": (
        "sette",
        Policy(),
        2_000,
        (
            "place main 100; suspend generator-failed monitor; deal seven-wins; suspend again x; "
            "restore replaced engineer; restore again x; deal seven-wins"
        ),
    ),
    "ante and final bet are settled together": (
        "casino",
        Policy(),
        10_000,
        "; ".join(
            f"place ante 300; deal {cards}; decide {decision}; settle"
            for cards, decisions in (("WINS", "stand-1 stand-2 hit-2 fold"), ("LOSES", "stand-1 stand-2"))
            for decision in decisions.split()
        )
        + "; place ante 300; deal TIES; decide stand-2; settle; place ante 300; deal TIES; decide hit-1; settle",
    ),
    "a king of diamonds first": (
        "casino",
        Policy(),
        10_000,
        f"place ante 300; deal KING; {EVERY}; settle; place ante 300; deal DEALER-KING; {EVERY}; settle",
    ),
    "decisions that are not offered": (
        "casino",
        Policy(),
        10_000,
        (
            "place ante 300; deal WINS; decide stand; decide hit-3; decide stand-0; decide hit; disconnect; "
            f"decide stand-2; resume; decide stand-2; {EVERY}"
        ),
    ),
    "cover for the largest final bet": (
        "casino",
        Policy(),
        899,
        "place ante 300; deal WINS; deposit 1; deal WINS; decide hit-2",
    ),
    "cover for repeated bets": (
        "casino",
        Policy(),
        2_700,
        (
            "place ante 600; deal LOSES; decide stand-2; settle; deal WINS rebet-and-deal; deal WINS double-and-deal; "
            "deposit 2700; deal WINS double-and-deal; decide stand-2; settle; rebet"
        ),
    ),
    "limits of the ante alone": (
        "casino",
        Policy(),
        10_000,
        "place ante 2501; place ante 2500; deal WINS; decide stand-2",
    ),
    "a wallet that another game emptied": (
        "casino",
        Policy(),
        900,
        "place ante 300; deal LOSES; wallet 500; decide hit-2; decide stand-2; wallet 0; decide hit-1; decide fold",
    ),
    **{
        f"malfunctions with a final bet, {after}": (
            "casino",
            Policy(after_settlement=after),
            10_000,
            BOTH_BETS,
        )
        for after in AfterSettlement
    },
    **{
        f"both bets at the term, stakes {stakes}": (
            "casino",
            Policy(void_stakes=stakes, known_results=KnownResults.VOID),
            10_000,
            f"place ante 300; deal WINS; wait {89 * DAY}; decide stand-2; wait {DAY}; settle; expire",
        )
        for stakes in VoidStakes
    },
    "a known result past the term": (
        "casino",
        Policy(),
        10_000,
        f"place ante 300; deal WINS; decide stand-2; wait {400 * DAY}; expire; settle",
    ),
    "a player who stays away": (
        "casino",
        Policy(),
        10_000,
        f"place ante 300; deal LOSES; disconnect; wait {90 * DAY}; resume; {EVERY}; expire",
    ),
    "a tie that returns the ante alone": (
        "ante-returned",
        Policy(),
        10_000,
        "place ante 300; deal TIES; decide stand-2; settle",
    ),
    "one bet and any number of cards": (
        "home",
        Policy(),
        10_000,
        "place ante 100; deal HOME; decide hit; decide hit; decide stand; settle",
    ),
    "a balance of one chip": ("home", Policy(), 100, "place ante 100; deal WINS"),
}


def recorded(event):
    """Returns an event as it is written, without what the view shows and what only says which rules are in force."""
    written = json.loads(encode(event))
    told = {name: value for name, value in written["body"].items() if name not in SHOWN}
    moved = [f"{one['account']} {one['amount']:+}" for one in written["postings"]]
    late = [f"at {written['at']}, the clock behind"] * written["clock_behind"]
    return " ".join([written["kind"], json.dumps(told), *moved, *late])


def told(table, script):
    """Yields what became of each operation, and what the seat shows then."""
    for asked in script.split("; "):
        operation, *words = asked.split()
        if operation == "wait":
            table.clock.advance(timedelta(seconds=float(words[0])))
        elif operation == "wallet":
            table.seat = replace(table.seat, balance=int(words[0]))
        else:
            try:
                event = table.do(
                    operation, *(int(word) if word.isdigit() else DECKS.get(word, word) for word in words)
                )
            except OperationError as error:
                yield f"{asked}: refused: {error}"
                continue
            assert replace(decode(encode(event)), body=event.body) == event
            yield f"{asked}: {recorded(event)}"
        yield f"    {described(view_of(table.seat))}"


def page():
    """The page: every script with what became of it; the state is the fold of the events, whatever was done."""
    lines = []
    for name, (played, policy, balance, script) in SCRIPTS.items():
        table = Table(machine_of(GAMES[played], policy), balance)
        lines += [f"## {name}: {played}, balance {balance}", *told(table, script), ""]
        assert "wallet" in script or replay("s", table.events) == table.seat
    return "\n".join(lines)


def test_every_operation_does_what_the_page_says():
    assert page() == PAGE.read_text()


@pytest.fixture
def clock():
    return SteppedClock(START)


def test_rules_in_force_at_acceptance_settle_the_bet(clock):
    old, new = edition_of(game(main=2)), edition_of(game(main=5, sha256="cd" * 32))
    king_and_seven = deck_from(36, 0, 24, 4)
    machine = Machine({old.sha256: old}, old.sha256, clock)
    table = Table(machine)
    table.do("place", "main", 100)
    table.do("deal", king_and_seven)
    table.machine = Machine({each.sha256: each for each in (old, new)}, new.sha256, clock)
    table.do("settle")
    assert table.seat.round.returned == 300
    table.do("deal", king_and_seven, "rebet-and-deal")
    assert table.seat.round.rules.submission_sha256 == new.sha256
    table.do("settle")
    assert table.seat.round.returned == 600


def test_bets_below_a_minimum_that_was_raised_are_not_repeated(clock):
    old, new = edition_of(game()), edition_of(with_minimum(game(sha256="cd" * 32), 200))
    machine = Machine({old.sha256: old}, old.sha256, clock)
    table = Table(machine)
    table.do("place", "main", 100)
    table.do("deal", DECKS["seven-wins"])
    table.do("decide", "stand")
    table.do("settle")
    table.machine = Machine({each.sha256: each for each in (old, new)}, new.sha256, clock)
    table.refuses("deal", DECKS["seven-wins"], "rebet-and-deal", match="below its minimum of 200")
    table.do("deal", DECKS["seven-wins"], "double-and-deal")
    assert table.seat.round.stakes == (("main", 200),)


def with_minimum(changed, minimum):
    main, *sides = changed.wagers
    return replace(changed, wagers=(replace(main, limits=replace(main.limits, minimum=minimum)), *sides))


def test_rules_that_are_not_loaded_settle_nothing(clock):
    old, new = edition_of(game()), edition_of(game(sha256="cd" * 32))
    table = Table(Machine({old.sha256: old}, old.sha256, clock))
    table.do("place", "main", 100)
    table.do("deal", DECKS["face-first"])
    table.machine = Machine({new.sha256: new}, new.sha256, clock)
    table.refuses("settle", match="not loaded")


if __name__ == "__main__":
    PAGE.write_text(page())
