"""The life of a round with several people, exercised at every point that rounds of three of them can reach."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from certify.evidence.life import Lives, PersonRound
from certify.families.free_bank.company_points import CompanyTable, points
from certify.families.free_bank.company_situations import SITUATIONS
from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.rules import BET, rules_of
from certify.families.free_bank.strategy import HIT
from certify.families.gathering import AdoptedTerms, Gathering
from certify.families.seven_and_a_half.cards import DECK_SIZE
from certify.families.trials import Tally
from certify.model.equipment import Row
from certify.model.game import Game

DECKS: Final = 3
"""Decks of a row of several seats: the one that is dealt, and two that give the order of cards shuffled again."""

ROWS: Final = 4
"""Rows of draws on which every line of decisions is followed."""

UNITS: Final = {"seat 1": 1, "seat 2": 3}
"""Stakes in units of the highest stake: unlike ones show whose was forgotten."""


@dataclass(frozen=True, slots=True)
class FreeBankCompany:
    """Rounds of three people, one of whom holds the bank.

    Args:
        kind: How an evening goes; one with a fault is exercised to see that the fault is found.
    """

    kind: type[Gathering] = Gathering

    def seated(self, game: Game, seats: int) -> FreeBankRound:
        """Returns the round of a game for a number of seats, with further decks for the cards that come again."""
        return reference(seated(game, seats))

    def rows(self, rows: Sequence[Row], most: int) -> tuple[Row, ...]:
        """Returns rows of three decks, made of the first decks of rows of one; each deck serves in turn."""
        return rows_of(rows, most)

    def exercise(self, game: Game, rows: Sequence[Row], start: datetime, void_after: timedelta) -> Lives:
        """Returns how each situation ended, and rounds as they stand in the history of each person."""
        table = table_of(game, start, AdoptedTerms(void_after), self.kind)
        whole = rows_of(rows, ROWS)
        tallies = {one.id: Tally() for one in SITUATIONS}
        for row in whole:
            for point in points(table, row):
                for situation in SITUATIONS:
                    for tried in situation.trials(point):
                        tallies[situation.id].add(tried)
        concluded = tuple(
            tallies[one.id].situation(one.id, one.title, one.demand, one.clauses, adopted=True)
            for one in SITUATIONS
        )
        return concluded, _lives(table, whole)


def table_of(
    game: Game, start: datetime, terms: AdoptedTerms, kind: type[Gathering] = Gathering
) -> CompanyTable:
    """Returns a table of three people at a game, whatever its number of seats."""
    highest = game.wager(BET).limits.maximum
    stakes = {seat: units * highest for seat, units in UNITS.items()}
    return CompanyTable(reference(seated(game, len(UNITS))), start, terms, stakes, kind)


def seated(game: Game, seats: int) -> Game:
    """Returns a game of several seats, with further decks that give the order of cards shuffled again."""
    deck = game.equipment[0]
    decks = (deck, *(replace(deck, id=f"{deck.id}-again-{number}") for number in range(1, DECKS)))
    return replace(game, rules=replace(rules_of(game), seats=seats), equipment=decks)


def rows_of(rows: Sequence[Row], most: int) -> tuple[Row, ...]:
    """Returns rows of three decks, made of the first decks of rows of one; each deck serves in turn."""
    decks = [tuple(row[:DECK_SIZE]) for row in rows]
    return tuple(
        tuple(card for place in range(DECKS) for card in decks[(at + place) % len(decks)])
        for at in range(min(most, len(decks)))
    )


# --- the history of each person -----------------------------------------------------------------------------


def _lives(table: CompanyTable, rows: Sequence[Row]) -> tuple[PersonRound, ...]:
    """Returns four rounds of one evening, person by person: settled, void twice, and one whose banker stays away."""
    evening, now = table.evening(), table.start
    for number, ending in enumerate((_play, _break_down, _lapse, _leave)):
        stakes = dict(zip(evening.order(), table.stakes.values(), strict=True))
        evening, now = ending(evening.opened(stakes, rows[number % len(rows)], now), now, table.terms)
    return evening.history


_Ended = tuple[Gathering, datetime]


def _play(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    # Whoever decides first draws, everybody else stands.
    drawn = False
    while (asked := evening.waits_for()) is not None:
        person, choice = asked
        option = HIT if not drawn and HIT in choice.ids else choice.ids[0]
        evening, drawn = evening.decided(person, option, now), True
    return evening, now


def _break_down(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    asked = evening.waits_for()
    if asked is not None:
        evening = evening.decided(asked[0], asked[1].ids[0], now)
    return (evening.malfunction() if evening.round else evening), now


def _lapse(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    later = now + terms.void_after
    return (evening.expired(later) if evening.round else evening), later


def _leave(evening: Gathering, now: datetime, terms: AdoptedTerms) -> _Ended:
    while (asked := evening.waits_for()) is not None:
        person, choice = asked
        if evening.round is not None and person == evening.round.banker:
            now += terms.decide_within
            evening = evening.away(now)
        else:
            evening = evening.decided(person, choice.ids[0], now)
    return evening, now
