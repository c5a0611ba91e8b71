"""Texts in stages that the tests of the engine walk: small, and several of them wrong on purpose."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from certify.model import FRENCH_RANKS, FRENCH_SUITS, Equipment, Kind, shoe, strip
from certify.model.stages import (
    Card,
    Moment,
    Option,
    Plain,
    Price,
    RoundText,
    Stage,
    by_name,
    choose,
    draw,
    ended,
    settled,
    shown,
)

DECK = shoe("deck", FRENCH_RANKS, FRENCH_SUITS)
SMALL = shoe("deck", ("2", "3", "4", "5"), FRENCH_SUITS[:2])
DIE = strip("die", Kind.DICE, "123456", 100)
WIN, LOSE = "win", "lose"


def ordered(piece: Equipment, face: int) -> Mapping[str, Plain]:
    """Returns the attributes of a card with its place among the ranks, the ace high."""
    card = by_name(piece, face)
    return {**card, "order": (*FRENCH_RANKS[1:], "A").index(str(card["rank"]))}


def even(wager: str, outcome: str) -> Price:
    return Price(Fraction({"win": 1, "push": 0}.get(outcome, -1)))


def game(
    start: Stage,
    *pieces: Equipment,
    wagers: tuple[str, ...] = ("bet",),
    face: Any = ordered,
    price: Any = even,
) -> RoundText:
    return RoundText(None, start, pieces or (SMALL,), wagers, price, face)


# --- Red Dog: two cards, then whether the third falls between them; the bet may be raised ------------------

CALL, RAISE = Option("call"), Option("raise", (("bet", Fraction(1)),))


def red_dog(table: None) -> Moment:
    return draw("table", red_dog_one)


def red_dog_one(table: None, card: Card) -> Moment:
    return draw("table", red_dog_two, card.order)


def red_dog_two(table: None, first: int, card: Card) -> Moment:
    low, high = sorted((first, card.order))
    if low == high:
        return draw("table", red_dog_pair, low)
    if high - low == 1:
        return ended(("bet", "push"))
    return choose("player", (CALL, RAISE), high - low - 1, red_dog_decided, low, high)


def red_dog_pair(table: None, rank: int, card: Card) -> Moment:
    return ended(("bet", "trips" if card.order == rank else "push"))


def red_dog_decided(table: None, low: int, high: int, option: str) -> Moment:
    return draw("table", red_dog_three, low, high, option == "raise")


def red_dog_three(table: None, low: int, high: int, raised: bool, card: Card) -> Moment:
    won = low < card.order < high
    spread = min(high - low - 1, 4)
    stake = "raised" if raised else "called"
    return ended(("bet", f"{stake}-spread-{spread}" if won else f"{stake}-lost"))


def red_dog_price(wager: str, outcome: str) -> Price:
    if outcome in ("push", "trips"):
        return Price(Fraction(0 if outcome == "push" else 11))
    stake = Fraction(2 if outcome.startswith("raised") else 1)
    pays = {"1": 5, "2": 4, "3": 2, "4": 1}.get(outcome[-1])
    return Price(stake * pays if pays else -stake, stake)


# --- a point made on one die, and a coin tossed with it: a loop, and two pieces -----------------------------

COIN = strip("coin", Kind.WHEEL, ("head", "tail"))


def point(table: None) -> Moment:
    return draw("table", point_coin, piece="coin")


def point_coin(table: None, card: Card) -> Moment:
    return settled(draw("table", point_set, piece="die"), ("coin", WIN if card.name == "head" else LOSE))


def point_set(table: None, card: Card) -> Moment:
    return draw("table", point_rolled, card.face, piece="die")


def point_rolled(table: None, point: int, card: Card) -> Moment:
    if card.face == point:
        return ended(("bet", WIN))
    return ended(("bet", LOSE)) if card.face == 5 else draw("table", point_rolled, point, piece="die")


# --- texts that are wrong ----------------------------------------------------------------------------------

REMEMBERED: list[int] = []
KEPT: dict[str, int] = {}


def listed(table: None) -> Moment:
    return draw("player", listed_one)


def listed_one(table: None, card: Card) -> Moment:
    REMEMBERED.append(card.order)
    return draw("banker", listed_two)


def listed_two(table: None, card: Card) -> Moment:
    return ended(("bet", WIN if (sum(REMEMBERED) + card.order) % 3 else LOSE))


def mapped(table: None) -> Moment:
    return draw("player", mapped_one)


def mapped_one(table: None, card: Card) -> Moment:
    KEPT["last"] = card.order
    return draw("banker", mapped_two)


def mapped_two(table: None, card: Card) -> Moment:
    return ended(("bet", WIN if KEPT["last"] < card.order else LOSE))


def attributed(table: None) -> Moment:
    return draw("player", attributed_one)


def attributed_one(table: None, card: Card) -> Moment:
    attributed.last = card.order  # type: ignore[attr-defined]
    return draw("banker", attributed_two)


def attributed_two(table: None, card: Card) -> Moment:
    return ended(("bet", WIN if attributed.last < card.order else LOSE))  # type: ignore[attr-defined]


def peeking(table: None) -> Moment:
    return draw("player", peeking_one)


def peeking_one(table: None, card: Card) -> Moment:
    return ended(("bet", WIN if card._attributes["order"] > 1 else LOSE))


def guessing(table: None) -> Moment:
    return draw("player", guessing_one)


def guessing_one(table: None, card: Card) -> Moment:
    return ended(("bet", WIN if getattr(card, "_attributes", {}).get("order", 99) > 1 else LOSE))


class Memory:
    """What a class holds is changed from outside."""

    last = 0


def classed(table: None) -> Moment:
    return draw("player", classed_one)


def classed_one(table: None, card: Card) -> Moment:
    Memory.last = card.order
    return draw("banker", classed_two)


def classed_two(table: None, card: Card) -> Moment:
    return ended(("bet", WIN if Memory.last < card.order else LOSE))


STACK: list[int] = []


def stacked(table: None) -> Moment:
    return draw("player", stacked_one)


def stacked_one(table: None, card: Card) -> Moment:
    if card.order == 12:
        STACK.append(card.face)
    return draw("banker", stacked_two, card.order == 12)


def stacked_two(table: None, rare: bool, card: Card) -> Moment:
    remembered = STACK[-1] if rare and STACK else 0
    STACK.clear()
    return ended(("bet", WIN if remembered % 2 else LOSE))


def seeing_types(table: None) -> Moment:
    return draw("player", seeing_types_one)


def seeing_types_one(table: None, card: Card) -> Moment:
    return choose("player", (CALL, RAISE), True if card.order == 0 else 1, seeing_types_two)


def seeing_types_apart(table: None) -> Moment:
    return draw("player", seeing_types_apart_one)


def seeing_types_apart_one(table: None, card: Card) -> Moment:
    # What is kept differs, so that the two are different moments.
    return choose(
        "player", (CALL, RAISE), True if card.order == 0 else 1, seeing_types_apart_two, card.order == 0
    )


def seeing_types_apart_two(table: None, lowest: bool, option: str) -> Moment:
    return ended(("bet", WIN if (option == "call") == lowest else LOSE))


def seeing_types_two(table: None, option: str) -> Moment:
    return ended(("bet", WIN if option == "call" else LOSE))


def closed(table: None) -> Moment:
    return draw("player", closed_one)


def closed_one(table: None, card: Card) -> Moment:
    first = card.order
    return draw("banker", lambda table, card: ended(("bet", WIN if first < card.order else LOSE)))


class Liar(int):
    """A number that says it equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


def lying(table: None) -> Moment:
    return draw("player", lying_one)


def lying_one(table: None, card: Card) -> Moment:
    return draw("banker", lying_two, Liar(card.order))


def lying_two(table: None, first: int, card: Card) -> Moment:
    return ended(("bet", WIN if int(first) < card.order else LOSE))


def typed(table: None) -> Moment:
    return draw("player", typed_one)


def typed_one(table: None, card: Card) -> Moment:
    return draw("banker", typed_two, True if card.order == 0 else 1)


def typed_two(table: None, first: int, card: Card) -> Moment:
    return ended(("bet", WIN if first is True else LOSE))


def counted(table: None, seen: list[int] = []) -> Moment:  # noqa: B006 - the fault that is planted
    return draw("player", counted_one)


def counted_one(table: None, card: Card, seen: list[int] = []) -> Moment:  # noqa: B006 - the fault that is planted
    seen.append(1)
    return ended(("bet", WIN if len(seen) % 2 else LOSE))


HIT, STAND = Option("hit"), Option("stand")


def leaking(table: None) -> Moment:
    return draw("dealer", leaking_dealt, hidden_from=("player",))


def leaking_dealt(table: None, card: Card) -> Moment:
    return draw("player", leaking_two, card.order)


def leaking_two(table: None, hole: int, card: Card) -> Moment:
    return choose("player", (STAND, HIT), (card.order, hole > 2), leaking_decided, hole, card.order)


def leaking_decided(table: None, hole: int, own: int, option: str) -> Moment:
    return ended(("bet", WIN if (own > hole) == (option == "hit") else LOSE))


def offering(table: None) -> Moment:
    return draw("dealer", offering_dealt, hidden_from=("player",))


def offering_dealt(table: None, card: Card) -> Moment:
    return draw("player", offering_two, card.order)


def offering_two(table: None, hole: int, card: Card) -> Moment:
    if hole == 3:
        return ended(("bet", LOSE))
    return choose("player", (STAND, HIT), card.order, leaking_decided, hole, card.order)


def announcing(table: None) -> Moment:
    return draw("dealer", announcing_dealt, hidden_from=("player",))


def announcing_dealt(table: None, card: Card) -> Moment:
    return draw("player", announcing_two, card.order)


def announcing_two(table: None, hole: int, card: Card) -> Moment:
    if hole == 3:
        return shown(ended(("bet", LOSE)), "dealer", "the dealer has it")
    decision = choose("player", (STAND, HIT), card.order, leaking_decided, hole, card.order)
    return shown(decision, "", "the dealer has it not")
