"""The published game as an object, and decks, for the tests of rounds."""

import hashlib
from collections import Counter
from fractions import Fraction

from certify.families.sette_e_mezzo.rules import PairCondition, SetteEMezzoRules
from certify.families.seven_and_a_half.cards import RANKS, SUITS
from certify.model.equipment import shoe
from certify.model.game import Game, Limits, Paytable, PaytableRow, Terms, Wager

TERMS = Terms(
    malfunction_voids_all=True,
    unresolved_void_after_days=90,
    resume_after_disconnection=True,
    previous_wins_paid=True,
    history_available=True,
)


def paytable(**rows):
    return Paytable(
        tuple(PaytableRow(row.replace("_", "-"), row, Fraction(pays)) for row, pays in rows.items())
    )


def wager(wager_id, maximum, table):
    return Wager(wager_id, wager_id, table, Limits(100, maximum, "EUR"))


def game(terms=TERMS, main=2, sha256="ab" * 32, version="1.0.0"):
    wagers = (
        wager("main", 50000, paytable(king_of_denari_seven_and_a_half=main, win=1)),
        wager("partita-perfetta", 10000, paytable(pair_of_sevens=25, pair_of_faces=15, pair_ace_to_six=10)),
        wager(
            "mano-di-poker",
            10000,
            paytable(royal_flush=100, straight_flush=30, three_of_a_kind=25, flush=5, straight=4),
        ),
    )
    return Game(
        id="playtech-7-e-mezzo",
        title="7 e Mezzo",
        version=version,
        family="sette-e-mezzo",
        supplier="Playtech",
        # The rules of the fixture: its text is proved once for the rounds of both.
        rules=SetteEMezzoRules(
            king_wins_against_dealer_seven_and_a_half=True, pair_condition=PairCondition.UNCONDITIONAL
        ),
        rule_values=(),
        values=(),
        wagers=wagers,
        claims=(),
        terms=terms,
        readings=(),
        sources=(),
        sha256=sha256,
        path="game.toml",
        equipment=(shoe("deck", RANKS, SUITS),),
    )


def deck(seed):
    """Returns a deck in an order that depends on nothing but the seed."""
    return tuple(sorted(range(40), key=lambda card: hashlib.sha256(f"{seed}/{card}".encode()).digest()))


def decks(count):
    return tuple(deck(seed) for seed in range(count))


def deck_from(*first):
    """Returns a deck that begins with some cards, the others in order of their ids."""
    return (*first, *(card for card in range(40) if card not in first))


def balances(events):
    """Returns what each account holds after some events, minor units; they sum to zero."""
    totals = Counter()
    for event in events:
        for posting in event.postings:
            totals[posting.account] += posting.amount
    return dict(totals)
