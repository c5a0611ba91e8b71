"""The reference round against a free bank: its rules of play as a state machine, one card or decision at a time."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.free_bank import rulebook
from certify.families.free_bank.rules import BET, FreeBankRules, RunsOut, rules_of, total
from certify.families.free_bank.strategy import (
    BANK,
    COVER,
    HIT,
    NO_CARD,
    PLAYER,
    SPLIT,
    STAND,
    STAY,
    SWAP,
    BankDeck,
    BankSees,
    BankTable,
    HandEnd,
    HandOnTable,
    OpenSeat,
    Own,
    PlayerSees,
    SeatAtTable,
    seen_of,
)
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.model import Equipment, Game, Paytable


@dataclass(frozen=True)
class FreeBankRound:
    """One round: a hidden card to every seat and to the bank, the seats in order, the bank last.

    Args:
        rules: Rules of play.
        paytable: What the rows of the bet pay; none where nothing is bet.
        equipment: The deck; further decks give the order in which cards of bust hands come once it has run out.
    """

    rules: FreeBankRules
    paytable: Paytable | None
    equipment: tuple[Equipment, ...]

    @cached_property
    def classes(self) -> tuple[int, ...]:
        """Class of each card by its id."""
        return rulebook.classes_of(self.equipment[0], self.rules)

    def start(self) -> BankTable:
        """Returns the table before anything is dealt."""
        cards = frozenset(self.equipment[0].shows)
        return BankTable(BankDeck(cards), (SeatAtTable(),) * self.rules.seats)

    def node(self, state: BankTable) -> Node:
        """Returns what the round waits for."""
        if not all(seat.hands for seat in state.seats):
            to = self.name(self._dealt(state))
            return Chance(self._piece(state), to, "is dealt", shown=to == PLAYER)
        if not state.bank:
            return Chance(self._piece(state), BANK, "is dealt, face down,", shown=False)
        acting = self.acting(state)
        if acting is not None:
            return self._seat_node(state, acting)
        if self.bank_plays(state):
            if state.decision:
                return Chance(self._piece(state), BANK, "draws")
            return Choice(BANK, (Option(STAND), Option(HIT)), self.bank_sees(state))
        if self.paytable is None:
            return Settled(())
        return Settled((WagerResult(BET, *self.results(state)[0]),))

    def drawn(self, state: BankTable, face: int) -> BankTable:
        """Returns the table after a card; one that a later deck shows and that is not to come is laid aside."""
        if face not in state.deck.left:
            return state
        state = replace(state, deck=replace(state.deck, left=state.deck.left - {face}))
        if not all(seat.hands for seat in state.seats):
            return self._with(state, self._dealt(state), SeatAtTable((HandOnTable((face,)),)))
        if not state.bank:
            return replace(state, bank=(face,))
        acting = self.acting(state)
        if acting is None:
            return self._refilled(replace(state, bank=(*state.bank, face), decision=""))
        return self._refilled(self._seat_drawn(state, acting, face))

    def decided(self, state: BankTable, option: str) -> BankTable:
        """Returns the table after a decision.

        Raises:
            InputError: The option is not offered.
        """
        node = self.node(state)
        if not isinstance(node, Choice) or option not in node.ids:
            offered = ", ".join(node.ids) if isinstance(node, Choice) else "nothing"
            raise InputError(f"{option!r} was decided, expected one of what is offered: {offered}")
        acting = self.acting(state)
        # With no card left to come, whoever would draw stands.
        stands = option == STAND or (option in (HIT, SWAP) and not state.deck.left)
        if acting is None:
            return replace(state, bank_stood=True) if stands else replace(state, decision=option)
        seat = state.seats[acting]
        if option == COVER:
            return self._with(state, acting, replace(seat, covered=True))
        if option in (SPLIT, STAY):
            return self._with(state, acting, self._face_placed(seat, option))
        if stands:
            place = seat.playing or 0
            return self._with(state, acting, _ended(seat, place, seat.hands[place].cards, HandEnd.STOOD))
        return replace(state, decision=option)

    def alike(self, state: BankTable, face: int) -> Hashable:
        """Returns the class of the next card: nothing else of it matters."""
        return self.classes[face]

    def matters(self, state: BankTable) -> Hashable:
        """Returns the table with classes in place of cards."""
        one = self.classes
        seats = tuple(
            (
                tuple((tuple(one[card] for card in hand.cards), hand.end) for hand in seat.hands),
                _class(one, seat.given_up),
                seat.face_came != NO_CARD,
                seat.covered,
            )
            for seat in state.seats
        )
        # Until the first deck has run out, what is left to come follows from what was dealt.
        deck: Hashable = (
            state.deck if state.deck.piece else tuple(sorted(one[card] for card in state.deck.bust))
        )
        bank = tuple(one[card] for card in state.bank)
        return seats, (bank[:1], tuple(sorted(bank[1:]))), state.bank_stood, state.decision, deck

    def hands(self, state: BankTable) -> tuple[Hand, ...]:
        """Returns every hand as the first seat sees it; hidden cards lie open once the rules show them."""
        return tuple(
            replace(hand, hidden=()) if hand.holder == self.name(0) else hand
            for hand in self._laid_open(state)
        )

    def _laid_open(self, state: BankTable) -> Iterator[Hand]:
        settled = isinstance(self.node(state), Settled)
        for place, seat in enumerate(state.seats):
            for number, hand in enumerate(seat.hands):
                holder = self.name(place) + (f"-{number + 1}" if number else "")
                hidden = (0,) if number == 0 and not self._shown(hand, settled=settled) else ()
                yield Hand(holder, hand.cards, hidden, self._total(hand.cards))
        played = settled and any(seat.still_in for seat in state.seats)
        turned = played or (self.acting(state) is None and self.bank_plays(state))
        yield Hand(BANK, state.bank, () if turned or not state.bank else (0,), self._total(state.bank))

    # --- what everybody sees -----------------------------------------------------------------------------

    def name(self, place: int) -> str:
        """Returns how a seat is called; the first one is the player."""
        return PLAYER if place == 0 else f"seat-{place + 1}"

    def acting(self, state: BankTable) -> int | None:
        """Returns the seat that acts, none where all are done."""
        return next((place for place, seat in enumerate(state.seats) if not seat.done), None)

    def table(self, state: BankTable, before: int) -> tuple[OpenSeat, ...]:
        """Returns what everybody sees of the seats before a place."""
        covered = self.rules.bust_first_card_covered
        return tuple(seen_of(seat, self.classes, bust_covered=covered) for seat in state.seats[:before])

    def bank_sees(self, state: BankTable) -> BankSees:
        """Returns what the bank sees."""
        return BankSees(tuple(sorted(self._bank_cards(state))), self.table(state, len(state.seats)))

    def player_sees(self, state: BankTable, place: int) -> PlayerSees:
        """Returns what a seat sees."""
        seat = state.seats[place]
        hands = tuple(tuple(self.classes[card] for card in hand.cards) for hand in seat.hands)
        playing = seat.playing if seat.face_came == NO_CARD else 0
        own = Own(hands, playing or 0, _class(self.classes, seat.given_up), seat.face_came != NO_CARD)
        return PlayerSees(own, self.table(state, place))

    def bank_plays(self, state: BankTable) -> bool:
        """Returns whether the bank still plays: somebody is in, it has not stood, and it has less than 7½."""
        return (
            not state.bank_stood
            and any(seat.still_in for seat in state.seats)
            and total(self._bank_cards(state)) < SEVEN_AND_A_HALF
        )

    # --- how it ends -------------------------------------------------------------------------------------

    def results(self, state: BankTable) -> tuple[tuple[str, Fraction, Fraction], ...]:
        """Returns for each seat of a finished round how it ended, its net result and what it staked, in units."""
        return tuple(self._ended(seat, self._bank_cards(state)) for seat in state.seats)

    def next_bank(self, state: BankTable) -> int | None:
        """Returns the seat that banks the next round, none where the bank stays."""
        seats = [[self._classes(hand.cards) for hand in seat.hands] for seat in state.seats]
        return rulebook.takes_the_bank(seats, self._bank_cards(state), self.rules)

    def _ended(self, seat: SeatAtTable, bank: tuple[int, ...]) -> tuple[str, Fraction, Fraction]:
        outcomes = [rulebook.outcome_of(self._classes(hand.cards), bank, self.rules) for hand in seat.hands]
        net = sum((self._net(outcome) for outcome in outcomes), Fraction(0))
        return rulebook.AND.join(sorted(outcomes)), net, Fraction(len(outcomes))

    def _net(self, outcome: str) -> Fraction:
        if outcome in rulebook.PAID:
            # What is not bet on still ends somehow; a unit takes the place of the stake.
            return self.paytable.pays(outcome) if self.paytable is not None else Fraction(1)
        return Fraction(-rulebook.collected(outcome, self.rules))

    # --- cards -------------------------------------------------------------------------------------------

    def _dealt(self, state: BankTable) -> int:
        return next(place for place, seat in enumerate(state.seats) if not seat.hands)

    def _piece(self, state: BankTable) -> str:
        return self.equipment[state.deck.piece].id

    def _classes(self, cards: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.classes[card] for card in cards)

    def _bank_cards(self, state: BankTable) -> tuple[int, ...]:
        return self._classes(state.bank)

    def _total(self, cards: tuple[int, ...]) -> str:
        if not cards:
            return ""
        points = total(self._classes(cards))
        return format_half_points(points) + (", bust" if points > SEVEN_AND_A_HALF else "")

    def _shown(self, hand: HandOnTable, *, settled: bool) -> bool:
        if hand.end is HandEnd.BUST:
            return not self.rules.bust_first_card_covered
        return hand.end is HandEnd.SEVEN_AND_A_HALF or settled

    def _refilled(self, state: BankTable) -> BankTable:
        """Makes the cards of bust hands the deck where it has run out and another deck gives their order."""
        deck = state.deck
        further = deck.piece + 1 < len(self.equipment)
        if (
            deck.left
            or not deck.bust
            or not further
            or self.rules.runs_out is not RunsOut.BUST_HANDS_SHUFFLED
        ):
            return state
        return replace(state, deck=BankDeck(deck.bust, deck.piece + 1))

    # --- one seat ----------------------------------------------------------------------------------------

    def _seat_node(self, state: BankTable, place: int) -> Node:
        seat = state.seats[place]
        name, further = self.name(place), rulebook.cover(self.rules)
        if further and not seat.covered:
            return Choice(name, (Option(COVER, self._adds(place, further)),), self.player_sees(state, place))
        if seat.face_came != NO_CARD:
            split = Option(SPLIT, self._adds(place, 1 + further))
            return Choice(name, (Option(STAY), split), self.player_sees(state, place))
        if state.decision:
            return Chance(self._piece(state), name, "draws", shown=state.decision == HIT)
        hand = self._classes(seat.hands[seat.playing or 0].cards)
        fresh = seat.given_up == NO_CARD and len(seat.hands) == 1
        swaps = self.rules.swap and fresh and len(hand) == 1 and total(hand) in rulebook.SWAPPED_FIRST
        options = (Option(STAND), Option(HIT), *((Option(SWAP),) if swaps else ()))
        return Choice(name, options, self.player_sees(state, place))

    def _adds(self, place: int, units: int) -> tuple[tuple[str, Fraction], ...]:
        # The bet of the game is that of the first seat; what others put up is theirs.
        return ((BET, Fraction(units)),) if place == 0 else ()

    def _seat_drawn(self, state: BankTable, place: int, face: int) -> BankTable:
        seat, decision = state.seats[place], state.decision
        state = replace(state, decision="")
        playing = seat.playing or 0
        cards = seat.hands[playing].cards
        if decision == SWAP:
            return self._with(state, place, replace(seat, hands=(HandOnTable((face,)),), given_up=cards[0]))
        hands = [self._classes(hand.cards) for hand in seat.hands]
        if playing == 0 and rulebook.may_split(hands, self.classes[face], self.rules):
            return self._with(state, place, replace(seat, face_came=face))
        points = total(self._classes((*cards, face)))
        if points > SEVEN_AND_A_HALF:
            bust = state.deck.bust | {*cards, face}
            state = replace(state, deck=replace(state.deck, bust=bust))
            return self._with(state, place, _ended(seat, playing, (*cards, face), HandEnd.BUST))
        end = HandEnd.SEVEN_AND_A_HALF if points == SEVEN_AND_A_HALF else None
        return self._with(state, place, _ended(seat, playing, (*cards, face), end))

    def _face_placed(self, seat: SeatAtTable, option: str) -> SeatAtTable:
        face, hands = seat.face_came, seat.hands
        if option == SPLIT:
            return replace(seat, hands=(*hands, HandOnTable((face,))), face_came=NO_CARD)
        first = replace(hands[0], cards=(*hands[0].cards, face))
        return replace(seat, hands=(first, *hands[1:]), face_came=NO_CARD)

    @staticmethod
    def _with(state: BankTable, place: int, seat: SeatAtTable) -> BankTable:
        return replace(state, seats=(*state.seats[:place], seat, *state.seats[place + 1 :]))


def reference(game: Game) -> FreeBankRound:
    """Returns the reference round of a game."""
    paytable = next((wager.paytable for wager in game.wagers if wager.id == BET), None)
    return FreeBankRound(rules_of(game), paytable, game.equipment)


def _class(classes: tuple[int, ...], card: int) -> int:
    return classes[card] if card != NO_CARD else NO_CARD


def _ended(seat: SeatAtTable, place: int, cards: tuple[int, ...], end: HandEnd | None) -> SeatAtTable:
    hands = (*seat.hands[:place], HandOnTable(cards, end), *seat.hands[place + 1 :])
    return replace(seat, hands=hands)
