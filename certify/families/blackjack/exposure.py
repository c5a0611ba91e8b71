"""The most that one round of blackjack can cost: a bound over all first deals, and the round that comes to it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import cache
from itertools import product
from math import ceil
from typing import Final

from certify.analysis.engine.exposure import costliest
from certify.families.blackjack import rules as ids
from certify.families.blackjack.exact.terms import SEVEN
from certify.families.blackjack.reference import DEALER, BlackjackRound, RoundState, reference
from certify.families.blackjack.rulebook import How
from certify.families.blackjack.rules import (
    TWENTY_ONE_THREE,
    BlackjackRules,
    Doubling,
    Peek,
    SplitTens,
    Surrender,
    rules_of,
)
from certify.families.blackjack.side_bets import (
    ACE,
    TEN,
    Card,
    card_of,
    outcome,
    paid_rows,
    total_of,
    value_of,
)
from certify.families.port import Choice, Settled
from certify.model import Equipment, Exposure, Game, Price, Wager

PlayedOut = tuple[tuple[tuple[int, ...], tuple[str, ...]], Mapping[str, Price]]
"""A round that was played to its end: first cards as items of the shoe with what was decided, and wagers' prices."""


class HowPlayed(StrEnum):
    """How a round is played out."""

    BEATEN = "the dealer busts"
    NATURAL = "the dealer has a natural, against which is insured"
    SEVENS = "three sevens"
    CHARLIE = "so many cards"
    CHARLIES = "so many cards on every hand of a split"
    LONG = "twenty-one of many cards on every hand of a split"


_OPTIONS: Final = {
    HowPlayed.BEATEN: (ids.SPLIT, ids.DOUBLE, ids.DECLINE, ids.STAND),
    HowPlayed.NATURAL: (ids.INSURE, ids.DECLINE, ids.STAND),
    HowPlayed.SEVENS: (ids.DECLINE, ids.DOUBLE, ids.HIT, ids.STAND),
    HowPlayed.CHARLIE: (ids.DECLINE, ids.DOUBLE, ids.HIT, ids.STAND),
    HowPlayed.CHARLIES: (ids.SPLIT, ids.DECLINE, ids.DOUBLE, ids.HIT, ids.STAND),
    HowPlayed.LONG: (ids.SPLIT, ids.DECLINE, ids.HIT, ids.STAND),
}
"""What is decided, the first that is offered; before the last card of a charlie nothing is doubled."""


MOST_TRIED: Final = 500
"""Deals of the highest bound that are played out before the bound is stated without a round."""


@dataclass(frozen=True, slots=True)
class _Deal:
    """First cards, with bounds in minor units of what each wager can win on them, the main wager first.

    Args:
        player: Faces of the player's cards.
        up: Face of the dealer's open card.
        natural: Whether the dealer has a natural.
        wins: The bounds; the side bets win exactly so much.
    """

    player: tuple[int, int]
    up: int
    natural: bool
    wins: tuple[int, ...]


def maximum_exposure(game: Game) -> Exposure:
    """Returns the most that one round can cost: a round that comes to the bound of all first deals, else that bound.

    On each first deal side bets win what they win, and the main wager at most as much as so many hands, doubled where
    that is allowed, at the best pay that such cards can come to. Rounds are played out on the deals of the highest sum.
    """
    (piece,) = game.equipment
    deals = list(_bounds(game, piece))
    most = max(sum(deal.wins) for deal in deals)
    tried = [deal for deal in deals if sum(deal.wins) == most]
    for deal in tried[:MOST_TRIED]:
        for way in _ways(game, piece, deal):
            played = _played(game, piece, deal.player, deal.up, way)
            if played is not None:
                shown, prices = played
                exposure = costliest(game, {shown: prices}, lambda round_shown: round_shown)
                if exposure.amount == most:
                    return exposure
    return Exposure(
        amount=most,
        currency=game.wagers[0].limits.currency,
        wins=tuple((wager.id, win) for wager, win in zip(game.wagers, tried[0].wins, strict=True)),
        deck=(),
        decisions=(),
        stakes=tuple((wager.id, wager.limits.maximum) for wager in game.wagers),
    )


def _bounds(game: Game, piece: Equipment) -> Iterator[_Deal]:
    """Yields every first deal, the dealer without and with a natural."""
    main, *sides = game.wagers
    rows = [paid_rows(game, wager.id) for wager in sides]
    cards, values = [card_of(face) for face in piece.faces], [value_of(face) for face in piece.faces]

    @cache
    def main_win(first: Card, second: Card, up: int, natural: bool) -> int:
        return _win(main, _most_of_main(game, first, second, up, natural=natural))

    @cache
    def side_win(place: int, first: Card, second: Card, up: Card, natural: bool) -> int:
        wager = sides[place]
        end = outcome(wager.id, rows[place], first, second, up, natural=natural)
        return 0 if end == ids.LOSE else _win(wager, wager.paytable.pays(end))

    few = not piece.replaced and min(piece.copies) < 3
    for first, second, up in product(range(len(cards)), repeat=3):
        asked = Counter((first, second, up)) if few else {}
        if first > second or any(asked[one] > piece.copies[one] for one in asked):
            continue
        own, third = (cards[first], cards[second]), cards[up]
        for natural in (False, True) if values[up] in (ACE, TEN) else (False,):
            won = (
                # One bet looks at three cards, the others at the player's and at the dealer's natural.
                side_win(place, *sorted((*own, third)), False)
                if wager.id == TWENTY_ONE_THREE
                else side_win(place, *own, own[0], natural)
                for place, wager in enumerate(sides)
            )
            yield _Deal((first, second), up, natural, (main_win(*own, values[up], natural), *won))


def _win(wager: Wager, net: Fraction) -> int:
    """Returns a net result in minor units: at the greatest stake where it wins, else at the least."""
    return ceil((wager.limits.maximum if net > 0 else wager.limits.minimum) * net)


def _hands(rules: BlackjackRules, first: Card, second: Card) -> int:
    """Returns how many hands two cards may become, one where they are no pair that is split."""
    one, two = (min(card[0], TEN) for card in (first, second))
    tens = {SplitTens.VALUE: True, SplitTens.RANK: first[0] == second[0], SplitTens.NEVER: False}
    if one != two or (one == TEN and not tens[rules.split_tens]):
        return 1
    return rules.ace_hands if one == ACE else rules.split_hands


def _most_of_main(game: Game, first: Card, second: Card, up: int, *, natural: bool) -> Fraction:
    """Returns a bound, in stakes, of what the main wager wins on a first deal, insurance included."""
    rules, table = rules_of(game), game.wagers[0].paytable
    pays = {row: table.pays(row) for row in table.ids}
    one, two = (min(card[0], TEN) for card in (first, second))
    totals, any_cards = rules.double.totals, 2 if rules.double is Doubling.ANY_CARDS else 1
    # Where totals are named, no soft hand is doubled.
    these = not totals or (ACE not in (one, two) and one + two + 2 in totals)
    doubled = 2 if rules.double is not Doubling.NEVER and these else 1
    # What two cards, or one of a split, count at least; aces fill the hand up.
    charlie = pays.get(ids.CHARLIE, Fraction(0)) if rules.charlie else Fraction(0)
    long = charlie if one + two + rules.charlie <= 21 else Fraction(0)
    long_split = charlie if one + rules.charlie <= 21 else Fraction(0)
    rows = ids.BY_SUITS[ids.SEVENS] if first[1] == second[1] else (ids.SEVENS,)
    sevens = [pays[row] for row in rows if row in pays and one == two == SEVEN]
    # Twenty-one of many cards, or of six, seven and eight, is not doubled and may come on every hand.
    bonus = max(
        (pays[row] for row in (*ids.LONG, *ids.BY_SUITS[ids.RUN]) if row in pays), default=Fraction(0)
    )
    # The last card of a long hand is doubled for only where hands of any number of cards may be.
    at_once = max(bonus, any_cards * long, doubled * max(*sevens, Fraction(0), Fraction(0)))
    hands = _hands(rules, first, second)
    again = rules.double_after_split and (one != ACE or rules.draw_to_aces)
    fits = not totals or (one != ACE and any(one + 1 + count in totals for count in range(2, 11)))
    each = 2 if rules.double is not Doubling.NEVER and again and fits else 1
    long_split *= any_cards if again else 1
    player_natural = {one, two} == {ACE, TEN}
    split = hands * max(each * pays[ids.WIN], long_split, bonus) if hands > 1 else Fraction(0)
    named = [pays[row] for row in (ids.NATURAL, ids.SUITED_NATURAL) if row in pays and player_natural]
    most = max(doubled * pays[ids.WIN], at_once, split, *named)
    if natural:
        # Insurance is half the stake. Hands are paid at once before a natural shows that the dealer did not look for.
        looked = rules.peek is Peek.BOTH or (rules.peek is Peek.ACE and up == ACE)
        insured = pays.get(ids.INSURED, Fraction(2)) / 2 if rules.insurance and up == ACE else Fraction(0)
        lost = Fraction(-1, 2) if rules.surrender is not Surrender.NONE else Fraction(-1)
        several = hands * max(long_split, bonus) if hands > 1 else Fraction(0)
        paid = Fraction(0) if looked else max(at_once, several)
        if rules.wins_21:
            paid = max(named, default=Fraction(0)) if looked else most
        return insured + (paid or (Fraction(0) if player_natural else lost))
    return most


def _ways(game: Game, piece: Equipment, deal: _Deal) -> Iterator[HowPlayed]:
    """Yields the ways in which a deal may come to cost most."""
    values = [value_of(piece.faces[face]) for face in deal.player]
    yield HowPlayed.NATURAL if deal.natural else HowPlayed.BEATEN
    if values == [SEVEN, SEVEN] and ids.SEVENS in game.wagers[0].paytable.ids:
        yield HowPlayed.SEVENS
    if rules_of(game).charlie:
        yield HowPlayed.CHARLIE
        yield HowPlayed.CHARLIES
    if not set(ids.LONG).isdisjoint(game.wagers[0].paytable.ids):
        yield HowPlayed.LONG


def _cards(game: Game, way: HowPlayed) -> int:
    """Returns with how many cards a hand is paid that is played so; 0 where their number does not matter."""
    if way in (HowPlayed.CHARLIE, HowPlayed.CHARLIES):
        return rules_of(game).charlie
    table = game.wagers[0].paytable
    paid = {cards: table.pays(row) for cards, row in enumerate(ids.LONG, 5) if row in table.ids}
    return max(paid, key=paid.__getitem__) if way is HowPlayed.LONG else 0


def _played(
    game: Game, piece: Equipment, player: tuple[int, int], up: int, way: HowPlayed
) -> PlayedOut | None:
    """Returns the round in which the player has two cards and every later card is the best, none where cards lack."""
    rounds, rules = reference(game), rules_of(game)
    cards = _cards(game, way)
    state, items, decisions = rounds.start(), list[int](), list[str]()
    used = [0] * len(piece.faces)
    most = _hands(rules, *(card_of(piece.faces[face]) for face in player))
    while not isinstance(node := rounds.node(state), Settled):
        hand = _hand(state)
        if isinstance(node, Choice):
            offered = [one for one in node.ids if len(hand) + 1 >= cards or one != ids.DOUBLE]
            decisions.append(next(one for one in _OPTIONS[way] if one in offered))
            state = rounds.decided(state, decisions[-1])
            continue
        if node.to == DEALER:
            ranked = _dealers(rounds, way, state.dealer, up)
        elif not state.begun:
            ranked = [player[len(state.hands[0].faces)]]
        else:
            # A hand that came of a split is split again as long as that is allowed.
            again = len(hand) == 1 and 1 < len(state.hands) < most
            ranked = [
                *(_alike(rounds, player[0]) if again else ()),
                *(_many(rounds, hand, cards) if cards else _players(rounds, way, player)),
            ]
        face = next((one for one in ranked if piece.replaced or used[one] < piece.copies[one]), None)
        if face is None:
            return None
        # Items of a face lie a deck apart; of an endless deck the same one comes again.
        places = [item for item, shows in enumerate(piece.shows) if shows == face]
        items.append(places[0 if piece.replaced else used[face]])
        used[face] += 1
        state = rounds.drawn(state, face)
    prices = {result.wager: Price(result.net, result.staked) for result in node.results}
    return (tuple(items), tuple(decisions)), prices


def _hand(state: RoundState) -> tuple[int, ...]:
    """Returns the cards of the hand that is played, or waits for a card."""
    open_hands = (hand.faces for hand in state.hands if hand.how in (How.DRAWS, How.PLAYS))
    return next(open_hands, ())


def _dealers(rounds: BlackjackRound, way: HowPlayed, dealer: tuple[int, ...], up: int) -> list[int]:
    """Returns the faces that may come to the dealer next, the best first."""
    if not dealer:
        return [up]
    if way is HowPlayed.NATURAL and len(dealer) == 1:
        other = TEN if rounds.values[up] == ACE else ACE
        return [face for face, value in enumerate(rounds.values) if value == other]
    return _breaking(rounds, dealer)


def _players(rounds: BlackjackRound, way: HowPlayed, player: tuple[int, int]) -> list[int]:
    """Returns the faces that may come to a hand of the player next, the best first."""
    if way is HowPlayed.SEVENS:
        sevens = [face for face, value in enumerate(rounds.values) if value == SEVEN]
        suit = rounds.cards[player[0]][1]
        return sorted(sevens, key=lambda face: rounds.cards[face][1] != suit)
    return _winning(rounds, player)


def _alike(rounds: BlackjackRound, face: int) -> list[int]:
    """Returns the faces of the rank of a face."""
    rank = rounds.cards[face][0]
    return [one for one, (other, _) in enumerate(rounds.cards) if other == rank]


def _many(rounds: BlackjackRound, hand: tuple[int, ...], cards: int) -> list[int]:
    """Returns faces by which a hand comes to many cards, with the last one to twenty-one; it ends before by none."""
    last = len(hand) + 1 >= cards

    def rank(face: int) -> tuple[bool, int]:
        total, _ = total_of(rounds.counts((*hand, face)))
        return total > 21 or (total == 21) != last, rounds.values[face]

    return sorted(range(len(rounds.values)), key=rank)


def _breaking(rounds: BlackjackRound, own: tuple[int, ...]) -> list[int]:
    """Returns faces by which the dealer comes to a stiff hand, and then busts."""

    def rank(face: int) -> tuple[bool, int]:
        total, soft = total_of(rounds.counts((*own, face)))
        return not (total > 21 or (12 <= total <= 16 and not soft)), -total

    return sorted(range(len(rounds.values)), key=rank)


def _winning(rounds: BlackjackRound, player: tuple[int, int]) -> list[int]:
    """Returns faces by which a split hand may be doubled first; where any may be, those that make ten or eleven."""
    value = min(rounds.values[player[0]] + 1, 10)
    wanted = rounds.rules.double.totals or (10, 11)

    def rank(face: int) -> tuple[bool, int]:
        other = rounds.values[face]
        return value + other + 1 not in wanted or ACE in (value - 1, other), other

    return sorted(range(len(rounds.values)), key=rank)
