"""Returns counted directly over ordered deals, by the reference rules: a second exact way."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

from certify.families.sette_e_mezzo.counting_hands import counted_main
from certify.families.sette_e_mezzo.mano_di_poker import classify
from certify.families.sette_e_mezzo.reference import composition
from certify.families.sette_e_mezzo.rulebook import MAIN
from certify.families.sette_e_mezzo.rules import PairCondition, rules_of
from certify.families.sette_e_mezzo.strategy import hit_table
from certify.families.seven_and_a_half.cards import DECK_SIZE, RANK_FIRST_FACE, rank_of
from certify.model.game import Game
from certify.model.strategy import Strategy


def counted_returns(game: Game, strategy: Strategy) -> dict[str, Fraction]:
    """Returns the exact returns by wager, counted without the enumerator.

    Whole rounds are counted for the main wager; for the side bets all ordered first cards are
    gone through one by one. Hands are valued and settled by the rules of the reference engine, which the
    enumerator does not use. Partita Perfetta is left out where a bust forfeits it.
    """
    returns = {MAIN: counted_main(game, strategy), "mano-di-poker": _mano(game, strategy)}
    if rules_of(game).pair_condition is PairCondition.UNCONDITIONAL:
        returns["partita-perfetta"] = _partita(game)
    return returns


def _mano(game: Game, strategy: Strategy) -> Fraction:
    """Counts the three cards of Mano di Poker over all 40 · 39 · 38 ordered deals."""
    paytable = game.wager("mano-di-poker").paytable
    takes = {card: _takes_second(game, strategy, card) for card in range(DECK_SIZE)}
    deals = Counter(
        classify(first, second, dealer)
        for first, dealer, second in permutations(range(DECK_SIZE), 3)
        if takes[first]
    )
    paid = sum(((1 + row.pays) * deals[row.id] for row in paytable.rows), Fraction(0))
    return paid / (40 * 39 * 38)


def _takes_second(game: Game, strategy: Strategy, first: int) -> bool:
    """Tells whether the player takes a second card: by rule on a face, else by the strategy."""
    forced = rules_of(game).player_draws_on_first_face and rank_of(first) >= RANK_FIRST_FACE
    return forced or composition([first]) in hit_table(strategy).draws


def _partita(game: Game) -> Fraction:
    """Counts the two first cards of Partita Perfetta over all 40 · 39 ordered deals."""
    paytable = game.wager("partita-perfetta").paytable
    total = Fraction(0)
    for first, dealer in permutations(range(DECK_SIZE), 2):
        rank = rank_of(first)
        if rank == rank_of(dealer):
            row = {6: "pair-of-sevens"}.get(
                rank, "pair-of-faces" if rank >= RANK_FIRST_FACE else "pair-ace-to-six"
            )
            total += 1 + paytable.pays(row)
    return total / (40 * 39)


class SetteEMezzoCounting:
    """Direct counting over ordered deals by the reference rules."""

    def counted(self, game: Game, strategy: Strategy) -> dict[str, Fraction]:
        """Returns the exact return of each wager that is counted so, by wager."""
        return counted_returns(game, strategy)
