"""The play-through as the house calls for it, and one to eleven compiled seats against one bank.

The bank of several seats holds one total. What one seat can expect of a bank that looks at nothing does not depend on
the other seats as long as the deck lasts; this plays them all, counts what each seat and the bank get, and how often
the deck does not last.
"""

from collections import Counter as Tally
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Final

import numpy as np

from certify.array_types import Bytes, Floats, Marks, Places, Whole
from certify.errors import InputError
from certify.families.free_bank.rules import BET, MOST_SEATS, FreeBankRules, RunsOut, rules_of
from certify.families.free_bank.strategy import MOST_CARDS, Pair, StandOn
from certify.families.free_bank.volume import kernel, settlement, twin
from certify.families.free_bank.volume.settlement import (
    ENDS,
    FULL,
    OVER,
    BankTables,
    HandAutomaton,
    classes,
    compiled,
    net,
    settled,
)
from certify.families.port import Counter
from certify.families.seven_and_a_half.cards import CLASSES, DECK_SIZE
from certify.kernels import njit
from certify.model import Axes, Game, JointCounts, Strategy
from rng.kernels import called_by_kernels

DECKS: Final = 3
"""Decks that a row holds: the one that is dealt, and two that give the order of cards shuffled again."""

_SETTLED = np.array(settled(), dtype=np.uint8)
_STOOD: Final = 255


@dataclass(frozen=True)
class SeveralSeats:
    """What many rounds of several seats came to.

    Args:
        rounds: Rounds played.
        ends: int64[seats, ends], how often each seat ended in each way.
        ran_out: Rounds in which the deck had no card left when one was drawn.
        bank_total: Sum of the bank's net results over rounds, and of their squares, in stakes.
    """

    rounds: int
    ends: Whole
    ran_out: int
    bank_total: tuple[float, float]

    def mean(self, seat: int, nets: Floats) -> tuple[float, float]:
        """Returns the mean net result of a seat in stakes, and its standard error."""
        share = self.ends[seat] / self.rounds
        mean = float(share @ nets)
        return mean, sqrt(max(float(share @ nets**2) - mean**2, 0.0) / self.rounds)

    def bank(self) -> tuple[float, float]:
        """Returns the mean net result of the bank per round, and its standard error."""
        mean = self.bank_total[0] / self.rounds
        return mean, sqrt(max(self.bank_total[1] / self.rounds - mean**2, 0.0) / self.rounds)


def nets_of(pays: dict[str, Fraction], rules: FreeBankRules) -> Floats:
    """Returns the net result of each end of a hand in stakes."""
    return np.array([float(net(end, pays, rules)) for end in ENDS])


def play(rows: Bytes, pair: Pair, rules: FreeBankRules, nets: Floats) -> SeveralSeats:
    """Plays rounds of several seats that all play the same.

    Args:
        rows: uint8[rounds, 120]: three decks of forty card ids a round.
        pair: How every seat plays, without splitting and without a lot, and a bank of one total.
        rules: Rules of play, with the number of seats.
        nets: Net result of each end of a hand, in stakes.

    Raises:
        InputError: A strategy looks at more, or the rows are not three decks.
    """
    ends, ran_out = played(rows, pair, rules)
    tallied = [np.bincount(ends[:, seat], minlength=len(ENDS)) for seat in range(rules.seats)]
    bank = -nets[ends].sum(axis=1)
    totals = float(bank.sum()), float((bank**2).sum())
    return SeveralSeats(len(rows), np.stack(tallied).astype(np.int64), int(ran_out.sum()), totals)


def played(rows: Bytes, pair: Pair, rules: FreeBankRules) -> tuple[Bytes, Marks]:
    """Returns how each seat of each round ends, as places of ``ENDS``, and whether the deck ran out."""
    if rows.dtype != np.uint8 or rows.ndim != 2 or rows.shape[1] != DECKS * DECK_SIZE:
        raise InputError(f"rows of {rows.dtype} {rows.shape}, expected uint8 rows of {DECKS} decks")
    if not 1 <= rules.seats <= MOST_SEATS:
        raise InputError(f"{rules.seats} seats: expected 1 to {MOST_SEATS}")
    if not isinstance(pair.bank, StandOn):
        raise InputError(f"{pair.bank.name}: expected a bank that stands on one total")
    tables = compiled(pair, rules)
    if tables.by_lot or (tables.player.moves == settlement.SEVERAL).any():
        raise InputError(
            f"{pair.player.name} decides by lot or splits hands: expected neither with several seats"
        )
    ends = np.empty((len(rows), rules.seats), np.uint8)
    ran_out = np.zeros(len(rows), np.bool_)
    reshuffles = rules.runs_out is RunsOut.BUST_HANDS_SHUFFLED
    kinds = np.array(classes(rules), dtype=np.uint8)
    own, bank = _automaton(tables.player), _automaton(tables.bank)
    _play(rows, kinds, *own, bank[0], bank[2], pair.bank.least, reshuffles, ends, ran_out)
    return ends, ran_out


def _automaton(automaton: HandAutomaton) -> tuple[Places, Places, Bytes, Bytes]:
    """Returns an automaton whose cuts are options: 0 stands, 1 draws, 2 swaps."""
    stands = automaton.cuts[:, 0] > 0
    draws = (automaton.cuts[:, 1] > 0) & ~stands
    options = np.where(stands, 0, np.where(draws, 1, 2)).astype(np.uint8)
    return automaton.moves[1], automaton.moves[2], automaton.codes, options


@called_by_kernels
def _next(row: Bytes, at: Places, bust: Bytes, live: Bytes, reshuffles: bool) -> int:
    """Returns the next card of a round, 255 where none is left.

    ``at`` holds the place in the row, the deck that is dealt from and how many cards it still has; ``live`` the cards
    that the deck holds, ``bust`` those of hands that exceeded 7½ since it was made.
    """
    if at[2] == 0:
        at[3] = 1
        left = 0
        if reshuffles and at[1] + 1 < DECKS:
            for card in range(DECK_SIZE):
                live[card] = bust[card]
                left += bust[card]
                bust[card] = 0
        if left == 0:
            return _STOOD
        at[1] += 1
        at[0] = at[1] * DECK_SIZE
        at[2] = left
    while live[row[at[0]]] == 0:
        at[0] += 1
    card = row[at[0]]
    at[0] += 1
    at[2] -= 1
    live[card] = 0
    return int(card)


@njit(cache=True, nogil=True)
def _play(
    rows: Bytes,
    kinds: Bytes,
    draws: Places,
    swaps: Places,
    codes: Bytes,
    options: Bytes,
    bank_draws: Places,
    bank_codes: Bytes,
    least: int,
    reshuffles: bool,
    ends: Bytes,
    ran_out: Marks,
) -> None:
    seats = ends.shape[1]
    final = np.empty(seats, np.uint8)
    bust = np.empty(DECK_SIZE, np.uint8)
    live = np.empty(DECK_SIZE, np.uint8)
    held = np.empty(2 * len(CLASSES) + DECK_SIZE, np.uint8)
    at = np.empty(4, np.int32)
    for index in range(rows.shape[0]):
        row = rows[index]
        bust[:] = 0
        live[:] = 1
        for seat in range(seats + 1):
            live[row[seat]] = 0
        at[0], at[1], at[2], at[3] = seats + 1, 0, DECK_SIZE - seats - 1, 0
        playing = False
        for seat in range(seats):
            hand = np.int32(kinds[row[seat]])
            held[0] = row[seat]
            cards = 1
            while options[hand] != 0:
                swapped = options[hand] == 2
                card = _next(row, at, bust, live, reshuffles)
                if card == _STOOD:
                    break
                if swapped:
                    held[0] = card
                    hand = swaps[hand, kinds[card]]
                else:
                    held[cards] = card
                    cards += 1
                    hand = draws[hand, kinds[card]]
            final[seat] = codes[hand]
            if codes[hand] == OVER:
                for place in range(cards):
                    bust[held[place]] = 1
            else:
                playing = True
        hand = np.int32(kinds[row[seats]])
        while playing and bank_codes[hand] < min(FULL, least):
            card = _next(row, at, bust, live, reshuffles)
            if card == _STOOD:
                break
            hand = bank_draws[hand, kinds[card]]
        for seat in range(seats):
            ends[index, seat] = _SETTLED[final[seat], bank_codes[hand]]
        ran_out[index] = at[3] != 0


INDEPENDENT: Final = (
    "hand totals, the matta and the reale: volume.settlement",
    "settlement of the bet: volume.settlement",
    "play: volume.kernel and its twin volume.twin; rounds that may be split are played by the twin alone",
)
"""What the play-through does by itself, in modules of the family's folder; printed in the evidence."""


@dataclass(frozen=True)
class FreeBankCounter:
    """Plays decks of a game of one seat under one pair of strategies.

    Args:
        pair: How player and bank play.
        rules: Rules of play.
        tables: Both, compiled.
    """

    pair: Pair
    rules: FreeBankRules
    tables: BankTables

    @property
    def axes(self) -> Axes:
        """The bet with its outcomes."""
        return ((BET, settlement.outcomes(self.rules)),)

    @property
    def looks(self) -> int:
        """First cards of a deck that a round looks at: all where the order of the last ones may be its lot."""
        known = isinstance(self.pair.bank, StandOn) and self.rules.hands == 1 and not self.tables.by_lot
        return MOST_CARDS if known else DECK_SIZE

    def count(self, rows: Bytes) -> JointCounts:
        """Returns how many decks end in each outcome."""
        ended = kernel.play(rows, self.tables)
        counts: Tally[tuple[str, ...]] = Tally()
        for end, name in enumerate(settlement.ENDS):
            counts[(name,)] += int(np.count_nonzero(ended == end))
        for row in rows[ended == kernel.SEVERAL].tolist():
            counts[(twin.play_one(row, self.pair, self.rules),)] += 1
        return JointCounts.of_named(self.axes, +counts)

    def outcomes(self, rows: Bytes) -> list[tuple[str, ...]]:
        """Returns how every deck ends, by the kernel."""
        return [
            (twin.play_one(row, self.pair, self.rules) if end == kernel.SEVERAL else settlement.ENDS[end],)
            for row, end in zip(rows.tolist(), kernel.play(rows, self.tables).tolist(), strict=True)
        ]

    def twin(self, rows: Bytes) -> list[tuple[str, ...]]:
        """Returns the same by the kernel's twin."""
        return [(twin.play_one(row, self.pair, self.rules),) for row in rows.tolist()]


class FreeBankVolume:
    """Play-through of one seat against the bank."""

    independent_code: tuple[str, ...] = INDEPENDENT

    def counter(self, game: Game, strategy: Strategy) -> Counter:
        """Returns what plays the decks of a game under a pair of strategies.

        Raises:
            InputError: The strategy is of another family, or the game has several seats.
        """
        if not isinstance(strategy, Pair):
            raise InputError(
                f"strategy {strategy.name!r} is of another family: expected a player's and a bank's"
            )
        rules = rules_of(game)
        if rules.seats != 1:
            raise InputError(f"{rules.seats} seats: campaigns of the house play one, expected seats = 1")
        return FreeBankCounter(strategy, rules, compiled(strategy, rules))

    def net(self, game: Game, wager: str, outcome: str) -> Fraction:
        """Returns the net result of an outcome, in stakes.

        Raises:
            InputError: No round ends so.
        """
        pays, rules = {row.id: row.pays for row in game.wager(wager).paytable.rows}, rules_of(game)
        if outcome not in settlement.outcomes(rules):
            raise InputError(f'no round of {game.id} ends {wager} in "{outcome}"')
        return settlement.net(outcome, pays, rules)
