"""The reference round of blackjack: its rules of play as a state machine, one card or decision at a time."""

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Final

from certify.errors import InputError
from certify.families.blackjack import rules as ids, side_bets
from certify.families.blackjack.rulebook import EndedDealer, EndedHand, How, MainEnd, settled
from certify.families.blackjack.rules import BlackjackRules, Doubling, Peek, SplitTens, Surrender
from certify.families.blackjack.side_bets import ACE, TEN, VALUES, Counts, Seen, total_of, value_of
from certify.families.port import Chance, Choice, Hand, Node, Option, Settled, WagerResult
from certify.model import Equipment, Game, Paytable

PLAYER, DEALER = "player", "dealer"
_SEVEN: Final = 6
_RUN: Final = {5, 6, 7}
"""Places of sixes, sevens and eights."""
_LONG: Final = 5
"""Cards of the shortest twenty-one that is paid by their number."""
_SPADES: Final = "spades"
_OPEN: Final = (How.DRAWS, How.PLAYS, How.DOUBLED)
_HOW: Final = {ids.STAND: How.STOOD, ids.SURRENDER: How.GIVEN_UP, ids.RESCUE: How.GIVEN_UP}


@dataclass(frozen=True, slots=True)
class OwnHand:
    """One hand of the player.

    Args:
        faces: Its cards in the order they came.
        how: Its state.
        stake: What is staked on it, in units of the initial stake.
    """

    faces: tuple[int, ...] = ()
    how: How = How.DRAWS
    stake: int = 1


@dataclass(frozen=True, slots=True)
class RoundState:
    """A round so far.

    Args:
        hands: Hands of the player, in the order in which they are played.
        dealer: Cards of the dealer, the open card first.
        insured: Whether half the stake is set on a dealer's natural; none before that is decided.
        kept: Whether the stake was kept before the dealer looked; none before that is decided.
        pair: The first two cards of the player, once they were split.
    """

    hands: tuple[OwnHand, ...] = (OwnHand(),)
    dealer: tuple[int, ...] = ()
    insured: bool | None = None
    kept: bool | None = None
    pair: tuple[int, ...] = ()

    @property
    def first_two(self) -> tuple[int, ...]:
        """The first two cards of the player."""
        return self.pair or self.hands[0].faces[:2]

    @property
    def split(self) -> bool:
        """Whether a pair was split."""
        return len(self.hands) > 1

    @property
    def begun(self) -> bool:
        """Whether the player's first two cards and the dealer's open card are dealt."""
        return bool(self.dealer) and (self.split or len(self.hands[0].faces) > 1)


@dataclass(frozen=True)
class BlackjackRound:
    """One round against the dealer: two cards, insurance, surrender, doubles and splits, the dealer's draw.

    Cards come to the player, the dealer, the player and, unless the dealer never looks, face down to the dealer. A
    dealer who never looks takes a second card after the player, under an ace or a ten in every case. The second card
    of a split hand comes when that hand is played. Twenty-one stands by itself.

    Args:
        rules: Rules of play.
        paytables: What each wager pays, by wager.
        equipment: The shoe.
    """

    rules: BlackjackRules
    paytables: tuple[tuple[str, Paytable], ...]
    equipment: tuple[Equipment, ...]

    @property
    def most_rows(self) -> int:
        """More rows of faces than one round can look at: those that count no more together than its hands can.

        A hand with 21 or more draws no more, so that all its cards but the last count at most 20 with aces as one, and
        the dealer's at most 16; the last of each counts at most ten.
        """
        hands = max(self.rules.split_hands, 1)
        most = 20 * hands + 16 + 10 * (hands + 1)
        faces = Counter(map(value_of, self.equipment[0].faces))
        rows = [1]
        for total in range(1, most + 1):
            rows.append(sum(many * rows[total - 1 - value] for value, many in faces.items() if value < total))
        return sum(rows)

    # --- what waits for what -------------------------------------------------------------------------------

    def start(self) -> RoundState:
        """Returns the table before anything is dealt."""
        return RoundState()

    def node(self, state: RoundState) -> Node:
        """Returns what the round waits for."""
        if not state.begun:
            return self._chance(DEALER if state.hands[0].faces and not state.dealer else PLAYER)
        if self._hole_is_next(state):
            return self._chance(DEALER, "is dealt, face down,", shown=False)
        choice = self._choice(state)
        if choice is not None:
            return choice
        place = self._playing(state)
        if place is not None:
            return self._chance(self._name(place), "draws")
        if self.dealer_draws(state):
            return self._chance(DEALER, "draws")
        return Settled(tuple(self._results(state)))

    def drawn(self, state: RoundState, face: int) -> RoundState:
        """Returns the table after a card."""
        first = state.hands[0]
        if first.faces and not state.dealer:
            return replace(state, dealer=(face,))
        if not state.begun:
            faces = (*first.faces, face)
            whole, natural = len(faces) == 2, total_of(self.counts(faces))[0] == 21
            how = (How.STOOD if natural else How.PLAYS) if whole else How.DRAWS
            return self._with(state, 0, OwnHand(faces, how))
        place = None if self._hole_is_next(state) else self._playing(state)
        if place is None:
            return replace(state, dealer=(*state.dealer, face))
        hand = state.hands[place]
        hand = replace(hand, faces=(*hand.faces, face))
        return self._with(state, place, replace(hand, how=self._how_after_card(state, hand)))

    def decided(self, state: RoundState, option: str) -> RoundState:
        """Returns the table after a decision.

        Raises:
            InputError: The option is not offered.
        """
        choice = self._choice(state) if state.begun and not self._hole_is_next(state) else None
        if choice is None or option not in choice.ids:
            offered = " or ".join(choice.ids) if choice else "no decision here"
            raise InputError(f"{option!r} was decided, expected {offered}")
        if self._insurance_is_open(state):
            return replace(state, insured=option == ids.INSURE)
        if self._early_is_open(state):
            kept = option == ids.DECLINE
            how = state.hands[0].how if kept else How.GIVEN_UP
            return replace(self._with(state, 0, replace(state.hands[0], how=how)), kept=kept)
        place = self._playing(state) or 0
        hand = state.hands[place]
        if option == ids.SPLIT:
            parts = tuple(OwnHand((face,)) for face in hand.faces)
            hands = (*state.hands[:place], *parts, *state.hands[place + 1 :])
            return replace(state, hands=hands, pair=state.first_two)
        stake = 2 if option == ids.DOUBLE else hand.stake
        return self._with(state, place, replace(hand, how=_HOW.get(option, How.DRAWS), stake=stake))

    def hands(self, state: RoundState) -> tuple[Hand, ...]:
        """Returns what is on the table; the dealer's second card is hidden until it is turned up."""
        own = [
            Hand(self._name(place), hand.faces, (), self._total(hand.faces))
            for place, hand in enumerate(state.hands)
            if hand.faces
        ]
        closed = len(state.dealer) == 2 and not self._natural_was_seen(state)
        waits = closed and (self._choice(state) is not None or self._playing(state) is not None)
        hidden = (1,) if waits else ()
        seen = state.dealer[: 1 if hidden else None]
        return (*own, *((Hand(DEALER, state.dealer, hidden, self._total(seen)),) if seen else ()))

    # --- what may be merged --------------------------------------------------------------------------------

    def alike(self, state: RoundState, face: int) -> Hashable:
        """Returns the class of a card: its value, with rank or suit where these still decide something."""
        return self._class(face, first=not state.begun or self._thirds_suit_matters(state))

    def matters(self, state: RoundState) -> Hashable:
        """Returns the table with cards by what they still decide, and what has left the shoe."""
        playing = self._playing(state)
        own = tuple(
            (
                hand.how,
                hand.stake,
                self._held(
                    hand,
                    early=not state.begun or self.may_be_three(hand.faces, split=state.split),
                    whole=playing is not None and place >= playing,
                ),
            )
            for place, hand in enumerate(state.hands)
        )
        dealer = total_of(self.counts(state.dealer)) if state.dealer else None
        up = self.values[state.dealer[0]] if state.dealer else None
        at_table = (own, up, dealer, len(state.dealer) < 3 and len(state.dealer), state.insured, state.kept)
        gone: list[Hashable] = []
        later = state.hands[playing:] if playing is not None else ()
        suits = any(self.may_be_three(hand.faces, split=state.split) for hand in later)
        if not self.equipment[0].replaced:
            faces = (*(face for hand in state.hands for face in hand.faces), *state.dealer)
            gone += sorted(self._class(face, first=suits) for face in faces)
        # The first cards as far as a side bet or a suited row looks at them.
        return at_table, tuple(gone), (*state.first_two, *state.dealer[:1]) if self._suits_matter else ()

    def _held(self, hand: OwnHand, *, early: bool, whole: bool) -> Hashable:
        """Returns what matters of a hand: its cards while it is played, else what it counts."""
        cards = tuple(sorted(self._class(face, first=early) for face in hand.faces))
        return cards if whole else (total_of(self.counts(hand.faces)), self.row_of(hand, split=False))

    def _class(self, face: int, *, first: bool) -> tuple[int, ...]:
        rank = self.cards[face][0] if self.rules.split_tens is SplitTens.RANK else 0
        return (self.values[face], rank, face if first and self._suits_matter else 0)

    @cached_property
    def _suits_matter(self) -> bool:
        named = {row for _, paytable in self.paytables for row in paytable.ids}
        sides = any(wager in side_bets.ROWS for wager, _ in self.paytables)
        return sides or not named.isdisjoint(ids.SUITED_ROWS)

    def _thirds_suit_matters(self, state: RoundState) -> bool:
        place = self._playing(state)
        return place is not None and self.may_be_three(state.hands[place].faces, split=state.split)

    def may_be_three(self, faces: tuple[int, ...], *, split: bool) -> bool:
        """Tells whether one or two cards may become three that are paid by their suits."""
        values = {self.values[face] for face in faces}
        sevens = values == {_SEVEN} and not split and ids.SEVENS in self._named
        run = values <= _RUN and ids.RUN in self._named
        return len(faces) < 3 and (sevens or run)

    # --- decisions -----------------------------------------------------------------------------------------

    def _choice(self, state: RoundState) -> Choice | None:
        """Returns the decision that is open, none where there is none."""
        place = self._playing(state)
        if self._insurance_is_open(state):
            adds = ((ids.MAIN, Fraction(1, 2)),)
            return Choice(PLAYER, (Option(ids.DECLINE), Option(ids.INSURE, adds)), self._sees(state, 0))
        if self._early_is_open(state):
            given_up = Option(ids.SURRENDER, gives_up=True)
            return Choice(PLAYER, (Option(ids.DECLINE), given_up), self._sees(state, 0))
        if place is None or state.hands[place].how is How.DRAWS:
            return None
        offered = tuple(_option(one) for one in self._options(state, place))
        return Choice(PLAYER, offered, self._sees(state, place), self._name(place))

    def _options(self, state: RoundState, place: int) -> tuple[str, ...]:
        """Returns what may be done with a hand, the least committing first."""
        hand = state.hands[place]
        if hand.how is How.DOUBLED:
            return (ids.STAND, ids.RESCUE)
        splits = (ids.SPLIT,) if self._may_split(state, hand) else ()
        if self._takes_one_card(state, hand):
            return (ids.STAND, *splits)
        doubles = (ids.DOUBLE,) if self._may_double(state, hand) else ()
        first = not state.split and len(hand.faces) == 2
        gives_up = (ids.SURRENDER,) if first and self._surrender(state, looked=True) else ()
        return (ids.STAND, ids.HIT, *doubles, *splits, *gives_up)

    def _sees(self, state: RoundState, place: int) -> Seen:
        hand = state.hands[place]
        return Seen(
            self.values[state.dealer[0]], self.counts(hand.faces), self.is_pair(hand.faces), state.split
        )

    def is_pair(self, faces: tuple[int, ...]) -> bool:
        """Returns whether a hand is two cards that may be split by their ranks."""
        if len(faces) != 2 or self.values[faces[0]] != self.values[faces[1]]:
            return False
        same = self.cards[faces[0]][0] == self.cards[faces[1]][0]
        tens = self.rules.split_tens
        return self.values[faces[0]] != TEN or tens is SplitTens.VALUE or (tens is SplitTens.RANK and same)

    def _may_split(self, state: RoundState, hand: OwnHand) -> bool:
        aces = self.values[hand.faces[0]] == ACE
        most = self.rules.ace_hands if aces else self.rules.split_hands
        return self.is_pair(hand.faces) and len(state.hands) < most

    def _may_double(self, state: RoundState, hand: OwnHand) -> bool:
        allowed = self.rules.double
        if allowed is Doubling.NEVER or (state.split and not self.rules.double_after_split):
            return False
        total, soft = total_of(self.counts(hand.faces))
        fits = not allowed.totals or (total in allowed.totals and not soft)
        return fits and (len(hand.faces) == 2 or allowed is Doubling.ANY_CARDS)

    def _takes_one_card(self, state: RoundState, hand: OwnHand) -> bool:
        """Returns whether a hand is a split ace that is not drawn to."""
        return state.split and self.values[hand.faces[0]] == ACE and not self.rules.draw_to_aces

    def _surrender(self, state: RoundState, *, looked: bool) -> bool:
        """Returns whether half the stake may be given up, before the dealer looks or once that is behind."""
        kind, up = self.rules.surrender, self.values[state.dealer[0]]
        if kind is Surrender.NONE or (kind is Surrender.EARLY_NOT_ACE and up == ACE):
            return False
        # Early surrender before a look is a decision of its own.
        return (self.keeps_half(up) and self.looks(up)) != looked

    def keeps_half(self, up: int) -> bool:
        """Returns whether what is surrendered keeps half the stake even against a natural."""
        early = {
            Surrender.EARLY: (ACE, TEN),
            Surrender.EARLY_TEN: (TEN,),
            Surrender.EARLY_ACE: (ACE,),
            Surrender.EARLY_NOT_ACE: (TEN,),
        }
        return up in early.get(self.rules.surrender, ())

    def _insurance_is_open(self, state: RoundState) -> bool:
        return self.rules.insurance and state.insured is None and self.values[state.dealer[0]] == ACE

    def _early_is_open(self, state: RoundState) -> bool:
        plays = state.hands[0].how is How.PLAYS and not state.split and len(state.hands[0].faces) == 2
        return state.kept is None and plays and self._surrender(state, looked=False)

    # --- cards ---------------------------------------------------------------------------------------------

    def looks(self, up: int) -> bool:
        """Returns whether the dealer looks under an open card before anybody plays."""
        return up in {Peek.BOTH: (ACE, TEN), Peek.ACE: (ACE,), Peek.NEVER: ()}[self.rules.peek]

    def _hole_is_next(self, state: RoundState) -> bool:
        return state.begun and self.rules.peek is not Peek.NEVER and len(state.dealer) == 1

    def _chance(self, to: str, how: str = "is dealt", *, shown: bool = True) -> Chance:
        return Chance(self.equipment[0].id, to, how, shown)

    def _playing(self, state: RoundState) -> int | None:
        """Returns the hand that is played now, none where the round is the dealer's."""
        if not state.begun or self._natural_was_seen(state):
            return None
        return next((place for place, hand in enumerate(state.hands) if hand.how in _OPEN), None)

    def _natural_was_seen(self, state: RoundState) -> bool:
        return self.looks(self.values[state.dealer[0]]) and self.dealer_natural(state)

    def dealer_natural(self, state: RoundState) -> bool:
        """Returns whether the dealer's two cards are a natural."""
        return len(state.dealer) == 2 and total_of(self.counts(state.dealer))[0] == 21

    def dealer_draws(self, state: RoundState) -> bool:
        """Returns whether the dealer takes a card, once the player is done."""
        if self._natural_was_seen(state):
            return False
        live = any(hand.how is How.STOOD and not self.row_of(hand, split=state.split) for hand in state.hands)
        if len(state.dealer) == 1:
            # Under an ace or a ten there may be a natural, which settles more than what is still open.
            return live or self.values[state.dealer[0]] in (ACE, TEN)
        total, soft = total_of(self.counts(state.dealer))
        return live and (total < 17 or (total == 17 and soft and self.rules.hits_soft_17))

    def _how_after_card(self, state: RoundState, hand: OwnHand) -> How:
        """Returns the state of a hand after a card that it drew."""
        total, _ = total_of(self.counts(hand.faces))
        if total > 21:
            return How.BUST
        if self.row_of(hand, split=state.split):
            return How.PAID
        if hand.stake == 2:
            return How.DOUBLED if self.rules.double_rescue else How.STOOD
        goes_on = self._may_split(state, hand) or not self._takes_one_card(state, hand)
        return How.PLAYS if total < 21 and goes_on else How.STOOD

    @staticmethod
    def _with(state: RoundState, place: int, hand: OwnHand) -> RoundState:
        return replace(state, hands=(*state.hands[:place], hand, *state.hands[place + 1 :]))

    # --- how it ends ---------------------------------------------------------------------------------------

    def _results(self, state: RoundState) -> Iterator[WagerResult]:
        natural = self.dealer_natural(state)
        for wager, paytable in self.paytables:
            if wager == ids.MAIN:
                ended = self._main(state, paytable)
                yield WagerResult(wager, ended.outcome, ended.net, ended.staked)
                continue
            one, two, up = (self.cards[face] for face in (*state.first_two, state.dealer[0]))
            end = side_bets.outcome(wager, paytable.ids, one, two, up, natural=natural)
            yield WagerResult(wager, end, paytable.pays(end) if end in paytable.ids else Fraction(-1))

    def _main(self, state: RoundState, paytable: Paytable) -> MainEnd:
        up = self.values[state.dealer[0]]
        hands = [
            EndedHand(
                hand.how,
                hand.stake,
                total_of(self.counts(hand.faces))[0],
                self.row_of(hand, split=state.split),
            )
            for hand in state.hands
        ]
        dealer = EndedDealer(
            total_of(self.counts(state.dealer))[0], self.dealer_natural(state), self.looks(up)
        )
        return settled(
            hands,
            dealer,
            paytable,
            self.rules,
            insured=bool(state.insured),
            early=self.keeps_half(up),
        )

    def row_of(self, hand: OwnHand, *, split: bool) -> str:
        """Returns the row by which a hand is paid at once, or as a natural; empty for all others."""
        named = self._named
        faces = hand.faces
        suited = len({self.cards[face][1] for face in faces}) == 1
        if not split and len(faces) == 2 and total_of(self.counts(faces))[0] == 21:
            return ids.SUITED_NATURAL if suited and ids.SUITED_NATURAL in named else ids.NATURAL
        values = {self.values[face] for face in faces}
        three = ids.SEVENS if values == {_SEVEN} and not split else ids.RUN if values == _RUN else ""
        if three and len(faces) == 3 and three in named and (three == ids.SEVENS or hand.stake == 1):
            spades, suits, plain = ids.BY_SUITS[three]
            if suited and spades in named and self.cards[faces[0]][1] == _SPADES:
                return spades
            return suits if suited and suits in named else plain
        total = total_of(self.counts(faces))[0]
        if total == 21 and hand.stake == 1 and len(faces) >= _LONG:
            row = ids.LONG[min(len(faces), _LONG + len(ids.LONG) - 1) - _LONG]
            if row in named:
                return row
        reached = 0 < self.rules.charlie <= len(faces) and total_of(self.counts(faces))[0] <= 21
        return ids.CHARLIE if reached and ids.CHARLIE in named else ""

    @cached_property
    def _named(self) -> tuple[str, ...]:
        return tuple(row for wager, paytable in self.paytables if wager == ids.MAIN for row in paytable.ids)

    @property
    def paytable(self) -> Paytable:
        """What the main wager pays."""
        return dict(self.paytables)[ids.MAIN]

    # --- faces ---------------------------------------------------------------------------------------------

    @cached_property
    def values(self) -> tuple[int, ...]:
        """Place of the value of each face."""
        return tuple(value_of(name) for name in self.equipment[0].faces)

    @cached_property
    def cards(self) -> tuple[side_bets.Card, ...]:
        """Rank and suit of each face."""
        return tuple(side_bets.card_of(name) for name in self.equipment[0].faces)

    def counts(self, faces: tuple[int, ...]) -> Counts:
        """Returns cards by value."""
        values = [self.values[face] for face in faces]
        return tuple(map(values.count, range(VALUES)))

    def _total(self, faces: tuple[int, ...]) -> str:
        total, soft = total_of(self.counts(faces))
        return f"{'soft ' if soft else ''}{total}" + (", bust" if total > 21 else "")

    @staticmethod
    def _name(place: int) -> str:
        return PLAYER + (f"-{place + 1}" if place else "")


def _option(name: str) -> Option:
    added = ((ids.MAIN, Fraction(1)),) if name in (ids.DOUBLE, ids.SPLIT) else ()
    return Option(name, added, gives_up=name in (ids.SURRENDER, ids.RESCUE))


def reference(game: Game) -> BlackjackRound:
    """Returns the reference round of a game."""
    paytables = tuple((wager.id, wager.paytable) for wager in game.wagers)
    return BlackjackRound(ids.rules_of(game), paytables, game.equipment)
