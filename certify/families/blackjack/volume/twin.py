"""The readable twin of the compiled play-through: it asks the strategy and follows the rules, in plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.families.blackjack import rules as ids
from certify.families.blackjack.cards import VALUES, Seen
from certify.families.blackjack.rules import BlackjackRules, Peek, Taken, outcome_of
from certify.families.blackjack.side_bets import ROWS, paid_rows
from certify.families.blackjack.volume import rulebook
from certify.families.blackjack.volume.rulebook import (
    ACE,
    BUST,
    GIVEN_UP,
    LIVE,
    MOST,
    PAID,
    SEVEN,
    TEN,
    Card,
    PaysInParts,
    best,
)
from certify.model.equipment import FRENCH_RANKS, FRENCH_SUITS
from certify.model.game import Game
from certify.model.strategy import Strategy


@dataclass(frozen=True, slots=True)
class Finished:
    """A hand that is played.

    Args:
        how: How it is when the dealer plays.
        stake: What is staked on it.
        total: What it counts.
        row: Row that it is paid by at once, or as a natural.
    """

    how: int
    stake: int
    total: int
    row: str = ""


@dataclass(frozen=True, slots=True)
class TwinRounds:
    """Plays rounds of a game under a strategy, one card after the other.

    Args:
        game: The submission.
        strategy: The player's strategy.
        rules: Its rules.
        pays: What its main wager pays.
        cards: Rank and suit of each item.
    """

    game: Game
    strategy: Strategy
    rules: BlackjackRules
    pays: PaysInParts
    cards: tuple[Card, ...]

    @classmethod
    def of(cls, game: Game, strategy: Strategy) -> TwinRounds:
        """Returns what plays a game."""
        piece = game.equipment[0]
        named = (piece.name_of(item).split(" of ") for item in range(piece.size))
        cards = tuple((FRENCH_RANKS.index(rank), FRENCH_SUITS.index(suit)) for rank, suit in named)
        return cls(game, strategy, ids.rules_of(game), rulebook.pays_of_game(game), cards)

    def play(self, items: Sequence[int]) -> tuple[str, ...]:
        """Returns the outcome of every wager of a round; of its cards no more are looked at than are needed."""
        places = iter(range(self.game.equipment[0].supply))
        return self._round(lambda: self.cards[items[next(places)]])

    def _round(self, draw: Callable[[], Card]) -> tuple[str, ...]:
        first, open_card, second = draw(), draw(), draw()
        up, own = _value(open_card), (first, second)
        dealer = [up]
        if self.rules.peek != Peek.NEVER:
            dealer.append(_value(draw()))
        hand = _values(own)
        insured = self.rules.insurance and up == ACE and self._takes(up, own, ids.DECLINE, ids.INSURE)
        natural = best(hand) == MOST
        opened = rulebook.surrenders_before_the_look(self.rules, up) and not natural
        early = opened and self._takes(up, own, ids.DECLINE, ids.SURRENDER)
        seen = rulebook.looks_under(self.rules, up) and best(dealer) == MOST
        if natural:
            finished = [Finished(LIVE, 1, MOST, self._natural_row(own))]
        elif early or seen:
            finished = [Finished(GIVEN_UP if early else LIVE, 1, best(hand))]
        else:
            finished = list(self._hands(up, own, draw))
        live = not natural and any(one.how == LIVE for one in finished)
        if len(dealer) == 1 and (live or up in (ACE, TEN)):
            dealer.append(_value(draw()))
        shown = len(dealer) == 2 and best(dealer) == MOST
        while live and not shown and self._draws(dealer):
            dealer.append(_value(draw()))
        main = self._main(finished, best(dealer), shown, shown and not seen, up, insured)
        return tuple(
            main if wager.id == ids.MAIN else self._side(wager.id, (first, second, open_card), shown)
            for wager in self.game.wagers
        )

    def _draws(self, dealer: Sequence[int]) -> bool:
        total = best(dealer)
        return total < 17 or (total == 17 and rulebook.is_soft(dealer) and self.rules.hits_soft_17)

    # --- the player ----------------------------------------------------------------------------------------

    def _hands(self, up: int, own: tuple[Card, Card], draw: Callable[[], Card]) -> Iterator[Finished]:
        """Yields the hands of the player as they are finished."""
        waiting: list[tuple[Card, ...]] = [own]
        done, split = 0, False
        while waiting:
            cards = waiting.pop()
            if len(cards) == 1:
                cards = (*cards, draw())
            more = done + 1 + len(waiting) < rulebook.most_hands(self.rules, _value(cards[0]))
            option = self._first_decision(up, cards, split=split, more=more)
            if option == ids.SPLIT:
                split = True
                waiting += [cards[1:], cards[:1]]
                continue
            yield self._played(up, cards, draw, option, split=split)
            done += 1

    def _first_decision(self, up: int, cards: tuple[Card, ...], *, split: bool, more: bool) -> str:
        pair, hand = self._is_pair(cards), _values(cards)
        if best(hand) == MOST:
            return ids.STAND
        if split and hand[0] == ACE == _value(cards[0]) and not self.rules.draw_to_aces:
            return (
                self._decided(up, cards, (ids.STAND, ids.SPLIT), split=True) if pair and more else ids.STAND
            )
        options = rulebook.offered(self.rules, hand, up, pair=pair, split=split, more=more)
        return self._decided(up, cards, options, split=split)

    def _played(
        self, up: int, cards: tuple[Card, ...], draw: Callable[[], Card], option: str, *, split: bool
    ) -> Finished:
        """Returns a hand that is played to its end, after its first decision."""
        while option == ids.HIT:
            cards = (*cards, draw())
            ended = self._ended(cards, 1, split=split)
            if ended is not None:
                return ended
            if best(_values(cards)) == MOST:
                option = ids.STAND
                continue
            options = rulebook.offered(self.rules, _values(cards), up, pair=False, split=split, more=False)
            option = self._decided(up, cards, options, split=split)
        if option == ids.DOUBLE:
            cards = (*cards, draw())
            ended = self._ended(cards, 2, split=split)
            if ended is not None:
                return ended
            options = (ids.STAND, ids.RESCUE)
            rescued = (
                self.rules.double_rescue and self._decided(up, cards, options, split=split) == ids.RESCUE
            )
            return Finished(GIVEN_UP if rescued else LIVE, 2, best(_values(cards)))
        return Finished(GIVEN_UP if option == ids.SURRENDER else LIVE, 1, best(_values(cards)))

    def _ended(self, cards: tuple[Card, ...], stake: int, *, split: bool) -> Finished | None:
        """Returns a hand that a card has ended, none where it goes on."""
        total, named = best(_values(cards)), self.pays.named
        if total > MOST:
            return Finished(BUST, stake, total)
        rows = []
        if len(cards) == 3 and not split and set(_values(cards)) == {SEVEN}:
            suited = len({suit for _, suit in cards}) == 1
            rows += [ids.SUITED_SEVENS, ids.SEVENS] if suited else [ids.SEVENS]
        if 0 < self.rules.charlie <= len(cards):
            rows.append(ids.CHARLIE)
        row = next((row for row in rows if row in named), "")
        return Finished(PAID, stake, total, row) if row else None

    def _is_pair(self, cards: Sequence[Card]) -> bool:
        one, other = cards
        if _value(one) != _value(other):
            return False
        return _value(one) != TEN or rulebook.tens_pair(self.rules, equal=one[0] == other[0])

    def _natural_row(self, own: Sequence[Card]) -> str:
        suited = own[0][1] == own[1][1] and ids.SUITED_NATURAL in self.pays.named
        return ids.SUITED_NATURAL if suited else ids.NATURAL

    def _takes(self, up: int, own: tuple[Card, ...], otherwise: str, option: str) -> bool:
        return self._decided(up, own, (otherwise, option), split=False) == option

    def _decided(self, up: int, cards: tuple[Card, ...], options: tuple[str, ...], *, split: bool) -> str:
        if len(options) == 1:
            return options[0]
        hand = _values(cards)
        counts = tuple(hand.count(value) for value in range(1, VALUES + 1))
        pair = len(cards) == 2 and self._is_pair(cards)
        return self.strategy.choose(Seen(up - 1, counts, pair, split), options)

    # --- how it ends ---------------------------------------------------------------------------------------

    def _main(
        self, hands: Sequence[Finished], bank: int, shown: bool, late: bool, up: int, insured: bool
    ) -> str:
        halves = rulebook.keeps_half(self.rules, up)
        ends = [self._one(hand, bank, shown, late, halves) for hand in hands]
        net = sum((won for won in ends if won is not None), Fraction(0))
        left = ends.count(None)
        net -= left if self.rules.natural_takes == Taken.ORIGINAL_AND_SPLIT else min(left, 1)
        staked = Fraction(sum(hand.stake for hand in hands))
        (first, *others) = hands
        if insured:
            net += self.pays.fraction(self.pays.insured) if shown else Fraction(-1, 2)
            staked += Fraction(1, 2)
        row = ids.WIN if net > 0 else ids.LOSE if net < 0 else ids.PUSH
        if not insured and not others:
            if first.how == PAID or (first.row and not shown):
                row = first.row
            elif first.how == GIVEN_UP and net == Fraction(-1, 2):
                row = ids.SURRENDERED
        return outcome_of(row, net, staked)

    def _one(self, hand: Finished, bank: int, shown: bool, late: bool, halves: bool) -> Fraction | None:
        """Returns the net result of a hand, none where a natural leaves its stake to be settled with the others."""
        if hand.how == PAID:
            return self._pay(hand.row) * hand.stake
        if hand.how == GIVEN_UP and (hand.stake == 2 or halves or not late):
            return Fraction(-hand.stake, 2)
        if hand.row:
            return self._pay(ids.PUSH if shown else hand.row)
        taken = self.rules.natural_takes
        if late and taken != Taken.ALL and not (taken == Taken.ORIGINAL_AND_BUSTED and hand.how == BUST):
            return None
        if late or hand.how == BUST or shown or hand.total < bank <= MOST:
            return Fraction(-hand.stake)
        return self._pay(ids.PUSH if bank == hand.total else ids.WIN) * hand.stake

    def _pay(self, row: str) -> Fraction:
        return self.pays.fraction(self.pays.rows[rulebook.SETTLED_ROWS.index(row)])

    def _side(self, wager: str, cards: Sequence[Card], shown: bool) -> str:
        if wager not in ROWS:
            return ids.LOSE
        named = paid_rows(self.game, wager)
        return (*named, ids.LOSE)[rulebook.side_row(wager, named, cards, natural=shown)]


def _value(card: Card) -> int:
    return min(card[0] + 1, TEN)


def _values(cards: Sequence[Card]) -> tuple[int, ...]:
    return tuple(sorted(_value(card) for card in cards))
