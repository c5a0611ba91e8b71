"""What splitting brings against banks that look at open cards: played, with an interval, where it is not counted.

What such a bank sees of several hands would have to be weighed together, so no best answer is counted against it. One
way of splitting is played instead: the best answer to a bank that stands on 5. What it brings beside the same play
without splitting is what splitting is worth at least, to within the interval. Against the bank that stands on 5 the
exact worth lies in the interval too, or something is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import sqrt
from typing import Final

from certify.evidence.asked import AskedTable
from certify.families.free_bank.exact.asked import FIVE
from certify.families.free_bank.exact.names import SPLIT_BEST_RESPONSE, bank_conduct, solved
from certify.families.free_bank.exact.report_tables import row, table
from certify.families.free_bank.exact.settlement import terms_of
from certify.families.free_bank.exact.splitting import split_answer
from certify.families.free_bank.several_seats import PURPOSE, SEED, interval
from certify.families.free_bank.strategy import Conduct, Pair
from certify.families.seven_and_a_half.cards import CLASS_FACE
from certify.model.game import Game

DEALT: Final = 60_000
"""Decks dealt; only in those whose first card and first draw are faces can a hand be split."""

LOOKING: Final = "looks-at-all:5"


def splits_played(game: Game, dealt: int = DEALT) -> AskedTable:
    """Returns what splitting brings a round against banks of three kinds, as it was played.

    Args:
        game: The submission, whose rules know splitting.
        dealt: Decks dealt.
    """
    banks = (
        ("stands", FIVE),
        ("looks", bank_conduct(terms_of(game), LOOKING)),
        ("solved", solved(game).bank),
    )
    rows = two_faces(game, dealt)
    found = (row(f"split-{kind}", {"worth": interval(*gain(game, bank, rows))}) for kind, bank in banks)
    return table("splits-played", ("worth",), tuple(found))


def two_faces(game: Game, dealt: int) -> list[list[int]]:
    """Returns the decks, of so many dealt, whose first card and first draw of the one seat are faces."""
    from certify.families.free_bank.volume.settlement import classes
    from rng.draws import Permutation, draw_many
    from rng.streams import stream

    kinds = classes(terms_of(game).rules)
    decks = draw_many(stream(SEED, PURPOSE, 1), Permutation(game.equipment[0].size), dealt)
    return [deck for deck in decks.tolist() if kinds[deck[0]] == CLASS_FACE and kinds[deck[2]] == CLASS_FACE]


def gain(game: Game, bank: Conduct, decks: Sequence[Sequence[int]]) -> tuple[float, float]:
    """Returns what splitting brings a round in stakes, and its standard error.

    Both ways of play are the same until a second face comes to a first one, so that only these decks are played, the
    same for both, and weighed with the exact chance of two faces.

    Args:
        game: The submission.
        bank: How the bank plays.
        decks: Decks whose first card and first draw of the seat are faces.
    """
    from certify.families.free_bank.volume.settlement import net
    from certify.families.free_bank.volume.twin import play_one

    terms = terms_of(game)
    chart = split_answer(terms, FIVE, SPLIT_BEST_RESPONSE)
    pays = {one.id: one.pays for one in game.wagers[0].paytable.rows}
    with_it, without = Pair(chart, bank), Pair(chart.one, bank)
    brought = [
        float(
            net(play_one(deck, with_it, terms.rules), pays, terms.rules)
            - net(play_one(deck, without, terms.rules), pays, terms.rules)
        )
        for deck in decks
    ]
    faces = terms.deck[CLASS_FACE]
    chance = Fraction(faces * (faces - 1), terms.size * (terms.size - 1))
    mean = sum(brought) / len(brought)
    spread = sum((one - mean) ** 2 for one in brought) / (len(brought) - 1)
    return float(chance) * mean, float(chance) * sqrt(spread / len(brought))
