"""The kernel's twin in plain Python: slow, readable, and equal to it outcome by outcome."""

from collections.abc import Iterator, Sequence

from certify.families.free_bank.rules import SWAPPED, FreeBankRules
from certify.families.free_bank.strategy import (
    HIT,
    SPLIT,
    STAND,
    STAY,
    SWAP,
    BankSees,
    Cards,
    HandEnd,
    Lot,
    OpenHand,
    OpenSeat,
    Own,
    Pair,
    PlayerSees,
    lot_of,
)
from certify.families.free_bank.volume import settlement
from certify.families.free_bank.volume.settlement import ENDS, FULL, OVER, code, ended, points
from certify.families.seven_and_a_half.cards import CLASS_FACE


def play_one(row: Sequence[int], pair: Pair, rules: FreeBankRules) -> str:
    """Returns how one round of one seat ends.

    Args:
        row: Card ids in dealing order: the player's first, the bank's first, the player's draws, the bank's.
        pair: How both play.
        rules: Rules of play.
    """
    kinds = settlement.classes(rules)
    seat = _Seat(pair, rules, Lot(lot_of(row)))
    cards = iter([kinds[card] for card in row[2:]])
    hands = seat.play(kinds[row[0]], cards)
    codes = [code(hand, rules) for hand in hands]
    bank: Cards = (kinds[row[1]],)
    if any(one != OVER for one in codes):
        bank = seat.bank(bank, cards)
    its = code(bank, rules)
    return "+".join(sorted(ENDS[ended(one, its)] for one in codes))


class _Seat:
    """One seat and the bank in one round, with the lot that decides where their strategies do not."""

    def __init__(self, pair: Pair, rules: FreeBankRules, lot: Lot) -> None:
        self.pair, self.rules, self.lot = pair, rules, lot
        self.given_up = -1
        self.hands: list[Cards] = []
        self.ends: list[HandEnd] = []

    def play(self, first: int, cards: Iterator[int]) -> list[Cards]:
        """Plays all hands of the seat."""
        self.hands = [(first,)]
        place = 0
        while place < len(self.hands):
            self.ends.append(self._play_hand(place, cards))
            place += 1
        return self.hands

    def _play_hand(self, place: int, cards: Iterator[int]) -> HandEnd:
        while True:
            total = points(self.hands[place])
            if total >= FULL:
                return HandEnd.SEVEN_AND_A_HALF if total == FULL else HandEnd.BUST
            option = self._decide(place, self._options(place))
            card = next(cards, None) if option != STAND else None
            if card is None:
                return HandEnd.STOOD
            if option == SWAP:
                self.given_up, self.hands[place] = self.hands[place][0], (card,)
            elif place == 0 and self._may_split(card) and self._decide(0, (STAY, SPLIT), True) == SPLIT:
                self.hands.append((card,))
            else:
                self.hands[place] = (*self.hands[place], card)

    def _may_split(self, card: int) -> bool:
        return len(self.hands) < self.rules.hands and card == CLASS_FACE and self.hands[0] == (CLASS_FACE,)

    def _options(self, place: int) -> tuple[str, ...]:
        hand = self.hands[place]
        fresh = self.given_up < 0 and len(self.hands) == 1 and len(hand) == 1
        return (STAND, HIT, SWAP) if self.rules.swap and fresh and hand[0] in SWAPPED else (STAND, HIT)

    def _decide(self, place: int, options: tuple[str, ...], face_came: bool = False) -> str:
        own = Own(tuple(self.hands), place, self.given_up, face_came)
        return self.lot.take(self.pair.chances(PlayerSees(own), options))

    def bank(self, hand: Cards, cards: Iterator[int]) -> Cards:
        """Plays the bank's hand."""
        table = (self._open(),)
        while points(hand) < FULL:
            sees = BankSees(tuple(sorted(hand)), table)
            option = self.lot.take(self.pair.chances(sees, (STAND, HIT)))
            card = next(cards, None) if option == HIT else None
            if card is None:
                break
            hand = (*hand, card)
        return hand

    def _open(self) -> OpenSeat:
        """Returns what is open once the seat is done."""
        covered = self.rules.bust_first_card_covered
        opened = []
        for place, (hand, end) in enumerate(zip(self.hands, self.ends, strict=True)):
            hides = place == 0 and (end is HandEnd.STOOD or (end is HandEnd.BUST and covered))
            opened.append(OpenHand(hand[1:] if hides else hand, end, not hides))
        return OpenSeat(tuple(opened), self.given_up >= 0)
