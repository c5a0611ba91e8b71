"""The stages of every described game: deals, settles, asks and goes on, as its program says."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from certify.analysis.engine.walk import NumberedValues
from certify.analysis.hands.strength import RANKS, WILD, best_hand, strength_of
from certify.errors import ContradictionError
from certify.families.described.compiled_game import (
    AGAINST,
    ANY,
    DROP,
    EVERY,
    NO,
    REDUCE,
    RESET,
    TAKEN,
    WITHIN,
    Program,
    Register,
    Step,
    initial,
)
from certify.families.described.drawing import Drawing
from certify.families.described.reading import OVER, ReadOption
from certify.families.described.rules import LOSE, NO_BOUND, Ending, Measure
from certify.model import Card, Moment, NextDraw, Plain, Won, choose, draw, ended, settled

Values = tuple[Any, ...]
"""What is kept: a value a reading, then units of each further stake, options taken, stage and bonus of each wager."""


def start(program: Program) -> Moment:
    """Begins the first turn."""
    return _begin(program, 0, nothing_drawn(program))


@lru_cache(maxsize=64)
def nothing_drawn(program: Program) -> Values:
    """Returns what is kept before anything is drawn: of a layout hundreds of readings, needed by every round."""
    return (
        *(initial(one) for one in program.registers),
        *(0 for _ in program.stakes),
        *(False for _ in program.options),
        *("" for _ in program.wagers),
        *("" for _ in program.wagers),
    )


# --- turns -----------------------------------------------------------------------------------------------


def _begin(program: Program, turn: int, values: Values) -> Moment:
    """Begins a turn; what nothing settles any more is lost."""
    if turn == OVER:
        return ended(
            *(
                won
                for place in program.offered
                if values[program.wagers_at + place] is not None
                for won in _won(program, place, LOSE, values)
            )
        )
    step = program.steps[turn]
    won: list[Won] = []
    for wager in step.lost:
        if values[program.wagers_at + wager] is not None:
            won += _won(program, wager, LOSE, values)
            values = _closed(program, wager, values)
    if _all_settled(program, values):
        return ended(*won)
    kept = list(values)
    for number, what in enumerate(step.begins):
        if what == RESET:
            kept[number] = initial(program.registers[number])
        elif what == DROP:
            kept[number] = None
        elif what == REDUCE:
            kept[number] = _reduced(program.registers[number], kept[number])
    return settled(_deal(program, turn, 0, tuple(kept)), *won)


def _deal(program: Program, turn: int, place: int, values: Values) -> Moment:
    draws = program.steps[turn].draws
    if place == len(draws):
        ends = program.steps[turn].ends
        if ends:
            kept = list(values)
            for number in ends:
                kept[number] = _reduced(program.registers[number], kept[number])
            values = tuple(kept)
        return _after(program, turn, values)
    drawn = draws[place]
    return draw(drawn.holder, dealt, turn, place, values, piece=drawn.piece, how=drawn.how)


def dealt(program: Program, turn: int, place: int, values: Values, card: Card) -> Moment:
    """A card came: every reading that it adds to takes it up."""
    return _dealt_on(program, turn, place, taken_up(program, turn, place, values, card))


def _dealt_on(program: Program, turn: int, place: int, kept: Values) -> Moment:
    for number, inner, most in program.steps[turn].draws[place].bounds:
        if kept[number] - sum(kept[one] for one in inner) > most:
            raise ValueError(f"more than {most} were drawn of what is there {most} times")
    return _deal(program, turn, place + 1, kept)


def taken_up(program: Program, turn: int, place: int, values: Values, card: Card) -> Values:
    """Returns what is kept once a card came: every reading that it adds to, and that it is matched with."""
    drawn = program.steps[turn].draws[place]
    kept = list(values)
    for number in drawn.changes:
        kept[number] = _changed(program, drawn, number, kept[number], card)
    return tuple(kept)


def _changed(program: Program, drawn: Drawing, number: int, value: Any, card: Card) -> Any:
    """Returns what one reading comes to by a card."""
    register = program.registers[number]
    if number in drawn.adds:
        value = _added(register, value, card)
    if number in drawn.matched:
        refs, count = value
        value = (tuple(sorted({*refs, getattr(card, register.attribute)})), count)
    return value


def dealt_together(
    program: Program,
    turn: int,
    place: int,
    several: Sequence[Values],
    cards: Sequence[Card],
    may: NDArray[np.bool_],
) -> tuple[NDArray[np.int64], list[Moment | None]]:
    """Deals every card at many moments of one draw: each reading by itself, and what they come to together once."""
    drawn = program.steps[turn].draws[place]
    rest = NumberedValues[Values]()
    others = [number for number in range(len(several[0])) if number not in drawn.changes]
    key = np.array([[rest[tuple(map(values.__getitem__, others))]] for values in several]) + 0 * may
    found = []
    for number in drawn.changes:
        known = NumberedValues[Any]()
        lines = [known[values[number]] for values in several]
        change = partial(_changed, program, drawn, number)
        table, after = _changes(program.registers[number], known.listed, cards, change)
        found.append((number, table[lines], after))
        if int(key.max()) * len(after) > 1 << 62:
            key = np.unique(key, return_inverse=True)[1].reshape(may.shape)
        key = key * len(after) + table[lines]
    _, first, inverse = np.unique(key[may], return_index=True, return_inverse=True)
    moments: list[Moment | None] = []
    for at in np.flatnonzero(may)[first].tolist():
        line, face = divmod(at, len(cards))
        kept = list(several[line])
        for number, table, after in found:
            kept[number] = after[table[line, face]]
        try:
            moments.append(_dealt_on(program, turn, place, tuple(kept)))
        except ValueError:
            moments.append(None)  # The stage itself says it, of each moment that comes to it.
    places = np.full(may.shape, -1)
    places[may] = inverse
    return places, moments


TOGETHER: Final = {dealt: dealt_together}
"""Of the stages that follow a draw, the function that steps many of its moments at once."""


def _changes(
    register: Register, values: Sequence[Any], cards: Sequence[Card], change: Callable[[Any, Card], Any]
) -> tuple[NDArray[np.int64], list[Any]]:
    """Returns what different values of a reading come to by each card, by place among different values."""
    if register.kind is Measure.HAND and register.suits < 3:
        return _hands_with(register, values, cards)
    after, alike = NumberedValues[Any](), NumberedValues[Any]()
    read = [register.attribute] + ["suit"] * (register.kind is Measure.HAND)
    of = [alike[tuple(getattr(card, name, None) for name in read)] for card in cards]
    one_each = [cards[face] for face in np.unique(of, return_index=True)[1].tolist()]
    table = [[after[change(value, card)] for card in one_each] for value in values]
    return np.array(table)[:, of], after.listed


def _hands_with(
    register: Register, values: Sequence[Any], cards: Sequence[Card]
) -> tuple[NDArray[np.int64], list[Any]]:
    """Returns hands with one more card: those of the same ranks and of one suit to be a flush in are equal."""
    ranks = sorted(
        {getattr(card, register.attribute) for card in cards} | {rank for hand, _ in values for rank in hand}
    )
    # Hands may hold suits of another piece too.
    suits = [*dict.fromkeys((None, "", *(card.suit for card in cards), *(suit for _, suit in values)))]
    digits = {rank: 16**place for place, rank in enumerate(ranks)}
    one_more = np.array([digits[getattr(card, register.attribute)] for card in cards])
    own = np.array([suits.index(card.suit) for card in cards])
    wild = np.array([getattr(card, register.attribute) == WILD for card in cards])
    held = np.array([[sum(map(digits.__getitem__, hand))] for hand, _ in values])
    suit = np.array([[suits.index(one)] for _, one in values])
    apart = (suit > 1) & (suit != own) | (held // one_more % 16 > 0) & (register.suits == 1)
    then = np.where(wild | (suit == 1), suit, np.where(apart, 1, own))
    codes = (held + one_more) * len(suits) + then
    _, first, table = np.unique(codes, return_index=True, return_inverse=True)
    at = (divmod(place, len(cards)) for place in first.tolist())
    hands = [_hand_with(register, values[line], cards[face]) for line, face in at]
    return table.reshape(codes.shape), hands


def laid(program: Program, waiting: NextDraw, known: Mapping[int, int]) -> Moment:
    """Returns what comes once every card of a turn was dealt, given what some readings came to."""
    kept: tuple[Any, ...] = waiting.kept
    turn, _, values = kept
    return _after(program, turn, tuple(known.get(place, value) for place, value in enumerate(values)))


@lru_cache(maxsize=1 << 16)
def _after(program: Program, turn: int, values: Values) -> Moment:
    """Everything of a turn was dealt: wagers are settled, a decision is due, or the round goes on."""
    step = program.steps[turn]
    values, won = _settle(program, step, values)
    if _all_settled(program, values):
        return ended(*won)
    for when, to in step.leads[:-1]:
        if holds(program, when, values):
            return settled(_begin(program, to, values), *won)
    offered = [place for place, choice in enumerate(step.choices) if holds(program, choice.when, values)]
    if len(offered) > 1:
        options = tuple(step.options[place] for place in offered)
        return settled(choose(step.seat, options, _sees(program, step, values), decided, turn, values), *won)
    after = (
        _decide(program, turn, step.choices[offered[0]], values) if offered else _lead(program, turn, values)
    )
    return settled(after, *won)


def decided(program: Program, turn: int, values: Values, option: str) -> Moment:
    """An option was taken: the first of its name that is offered."""
    for choice in program.steps[turn].choices:
        if choice.option == option and holds(program, choice.when, values):
            return _decide(program, turn, choice, values)
    raise ValueError(f"{option} is not offered")


def _decide(program: Program, turn: int, choice: ReadOption, values: Values) -> Moment:
    kept = list(values)
    for stake, units in choice.stakes:
        name, wager = program.stakes[stake]
        counts = program.stakes_seen or wager in program.offered or name in program.kept_stakes
        if counts and values[program.wagers_at + wager] is not None:
            kept[program.stakes_at + stake] += units
    if choice.option in program.options:
        kept[program.options_at + program.options.index(choice.option)] = True
    values = tuple(kept)
    won: tuple[Won, ...] = ()
    if choice.row and values[program.wagers_at + choice.wager] is not None:
        won = _won(program, choice.wager, choice.row, values)
        values = _closed(program, choice.wager, values)
    after = _lead(program, turn, values) if choice.to is None else _begin(program, choice.to, values)
    return settled(after, *won)


def _lead(program: Program, turn: int, values: Values) -> Moment:
    to = next(to for when, to in program.steps[turn].leads if holds(program, when, values))
    return _begin(program, to, values)


# --- settlement --------------------------------------------------------------------------------------------


def _settle(program: Program, step: Step, values: Values) -> tuple[Values, list[Won]]:
    won: list[Won] = []
    for bonus in step.bonuses:
        bet_on = bonus.wager in program.offered and values[program.bonuses_at + bonus.wager] is not None
        if bet_on and holds(program, bonus.when, values):
            if values[program.bonuses_at + bonus.wager]:
                raise ValueError(f"two bonuses of {program.wagers[bonus.wager]} hold at once")
            values = _with(values, program.bonuses_at + bonus.wager, bonus.row)
    held: dict[int, Ending] = {}
    for ending in step.endings:
        if values[program.wagers_at + ending.wager] == ending.after and holds(program, ending.when, values):
            if ending.wager in held:
                both = held[ending.wager].number, ending.number
                raise ContradictionError(
                    f"conditions {both[0] + 1} and {both[1] + 1} of [[settled_by]] hold at once",
                    tuple(("settled_by", number) for number in both),
                )
            held[ending.wager] = ending
    for wager, ending in held.items():
        if ending.then:
            values = _with(values, program.wagers_at + wager, ending.then)
            continue
        won += _won(program, wager, ending.row, values)
        values = _closed(program, wager, values)
    return values, won


def _with(values: Values, place: int, value: Plain) -> Values:
    return (*values[:place], value, *values[place + 1 :])


def _all_settled(program: Program, values: Values) -> bool:
    at = program.wagers_at
    return all(values[at + place] is None for place in range(len(program.wagers)))


def _closed(program: Program, wager: int, values: Values) -> Values:
    """Returns what is kept once a wager is settled: nothing of it, but stakes that conditions ask for."""
    kept = list(values)
    kept[program.wagers_at + wager] = None
    kept[program.bonuses_at + wager] = None
    for place, (name, own) in enumerate(program.stakes):
        if own == wager and name not in program.kept_stakes:
            kept[program.stakes_at + place] = 0
    return tuple(kept)


def _won(program: Program, wager: int, row: str, values: Values) -> tuple[Won, ...]:
    """Returns the outcome of a wager, nothing of one that is not bet on."""
    if wager not in program.offered:
        return ()
    return ((program.wagers[wager], _outcome(program, wager, row, values)),)


def _outcome(program: Program, wager: int, row: str, values: Values) -> str:
    """Returns the outcome of a wager: its row, behind the bonus that is paid in addition, before what is staked."""
    units = [
        values[program.stakes_at + place] for place, (_, own) in enumerate(program.stakes) if own == wager
    ]
    bonus = values[program.bonuses_at + wager]
    return outcome_id(row, bonus, units)


def outcome_id(row: str, bonus: str, units: list[int]) -> str:
    """Returns the id of an outcome.

    >>> outcome_id("win", "", [0]), outcome_id("win", "", [2]), outcome_id("lose", "straight", [1, 0])
    ('win', 'win-on-3', 'straight-and-lose-on-1-1-0')
    """
    staked = (
        ""
        if not any(units)
        else f"-on-{1 + units[0]}"
        if len(units) == 1
        else "-on-" + "-".join(map(str, (1, *units)))
    )
    return f"{bonus}-and-{row}{staked}" if bonus else f"{row}{staked}"


# --- readings ----------------------------------------------------------------------------------------------


def _added(register: Register, value: Any, card: Card) -> Any:
    """Returns a reading with one more card."""
    kind = register.kind
    if kind is Measure.NUMBER:
        # Beyond the last number that a condition asks for, more draws change nothing.
        return value + (register.cuts is None or any(value < cut < NO_BOUND for cut in register.cuts))
    if kind is Measure.HAND:
        return _hand_with(register, value, card)
    number = getattr(card, register.attribute)
    if kind is Measure.SUM:
        return (value + number) % register.number if register.number else value + number
    if kind in (Measure.ALIKE, Measure.DIFFERENT):
        return tuple(sorted((*value, number)))
    if kind is Measure.MATCHES:
        refs, met = value
        return (refs, tuple(sorted((*met, number))) if register.number else met + (number in refs))
    if kind is Measure.NTH:
        count, found = value
        return (
            (count + 1, number) if count + 1 == register.number else (min(count + 1, register.number), found)
        )
    if kind is Measure.SPREAD:
        low, high = value
        return (number, number) if low is None else (min(low, number), max(high, number))
    if kind is Measure.LAST or value is None:
        return number
    return max(value, number) if kind is Measure.HIGHEST else min(value, number)


def _hand_with(register: Register, value: Any, card: Card) -> Any:
    rank = getattr(card, register.attribute)
    if register.suits == 3:
        own = "" if rank == WILD else card.suit
        return _with_suits_that_count(register, (*value, (rank, own)))
    ranks, suit = value
    if rank == WILD:
        return (tuple(sorted((*ranks, rank))), suit)
    # A pair of one deck is of two suits; suits that differ make no flush any more.
    if suit != "" and register.suits == 1 and rank in ranks:
        suit = ""
    if suit != "" and suit != card.suit:
        suit = card.suit if suit is None else ""
    return (tuple(sorted((*ranks, rank))), suit)


def _with_suits_that_count(register: Register, cards: tuple[tuple[int, str], ...]) -> Values:
    """Returns cards without the suits of which too few can still come for a flush."""
    left = register.most - len(cards) + sum(rank == WILD for rank, _ in cards)
    many = Counter(suit for _, suit in cards if suit)
    short = {suit for suit, count in many.items() if count + left < register.flush}
    return tuple(sorted((rank, "" if suit in short else suit) for rank, suit in cards))


def whole_numbers(
    register: Register, cards: Sequence[tuple[int, str]], hands: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns what a reading comes to by hands of cards by their places, each with what it counts and its suit."""
    each = [Card({register.attribute: number, "suit": suit}) for number, suit in cards]
    values, place = [initial(register)], np.zeros(len(hands), dtype=np.int64)
    for dealt_next in hands.T:
        table, values = _changes(register, values, each, partial(_added, register))
        place = table[place, dealt_next]
    return np.array([number_of(register, value) for value in values])[place]


def number_of(register: Register, value: Any) -> int:
    """Returns the number that a reading has come to."""
    kind = register.kind
    if isinstance(value, int):
        return value
    if value is None:
        return -NO_BOUND
    if kind is Measure.ALIKE:
        return max(Counter(value).values(), default=0)
    if kind is Measure.DIFFERENT:
        return len(set(value))
    if kind is Measure.MATCHES:
        refs, met = value
        return sum(label in refs for label in met) if register.number else int(met)
    if kind is Measure.NTH:
        return -NO_BOUND if value[1] is None else int(value[1])
    if kind is Measure.SPREAD:
        return -NO_BOUND if value[0] is None else int(value[1] - value[0])
    return _strength(register, value)


def _strength(register: Register, value: Any) -> int:
    order = register.order
    if order is None or len(value if register.suits == 3 else value[0]) < order.cards:
        return -NO_BOUND
    # Cards that are wild, all of them, are of any suit.
    return best_hand(order, value) if register.suits == 3 else strength_of(order, value[0], value[1] != "")


@lru_cache(maxsize=1 << 16)
def _reduced(register: Register, value: Any) -> int:
    """Returns the least that conditions still ask of a reading that gets no more cards."""
    number = number_of(register, value)
    if register.cuts is None:
        return number
    place = bisect_right(register.cuts, number)
    return register.cuts[place - 1] if place else -NO_BOUND


def holds(program: Program, condition: Any, values: Values) -> bool:
    """Returns whether a condition holds of what is kept."""
    what = condition[0]
    if what == WITHIN:
        _, place, low, high = condition
        return bool(low <= number_of(program.registers[place], values[place]) <= high)
    if what == AGAINST:
        _, one, sign, other = condition
        mine = number_of(program.registers[one], values[one])
        theirs = number_of(program.registers[other], values[other])
        return bool((mine > theirs) - (mine < theirs) == sign)
    if what == EVERY:
        return all(holds(program, part, values) for part in condition[1:])
    if what == ANY:
        return any(holds(program, part, values) for part in condition[1:])
    if what == NO:
        return not holds(program, condition[1], values)
    if what == TAKEN:
        return bool(values[condition[1]])
    _, place, low, high = condition
    return bool(low <= values[place] <= high)


# --- what is seen ------------------------------------------------------------------------------------------


def _sees(program: Program, step: Step, values: Values) -> str:
    """Returns everything that a seat looks at, in words."""
    parts: dict[str, dict[str, None]] = {}
    for number in step.sees:
        register = program.registers[number]
        never = register.kind is Measure.NTH and number_of(register, values[number]) == -NO_BOUND
        if never or values[number] == initial(register):
            continue  # Nothing has come there yet.
        # A card that nothing was matched with yet is named at its own place: the other may be empty.
        unmet = register.kind is Measure.MATCHES and not values[number][1]
        places = register.word if unmet else register.places
        parts.setdefault(places, {})[_seen(register, values[number])] = None
    words = [f"{places} {', '.join(own)}" for places, own in parts.items()]
    if step.stakes:
        at = program.stakes_at
        words += [
            f"{values[at + place]} on {name}"
            for place, (name, _) in enumerate(program.stakes)
            if values[at + place]
        ]
    told = "; ".join(words) or "whatever was dealt"
    return f"{step.id}: {told}" if program.told else told


def _named(rank: int) -> str:
    return "wild" if rank == WILD else RANKS[rank]


def _seen(register: Register, value: Any) -> str:
    """Returns a reading as a seat sees it: cards of a hand from the highest, labels, or a number by its name."""
    names = dict(register.names)
    if register.kind is Measure.HAND and isinstance(value, tuple):
        if register.suits == 3:
            return " ".join(_named(rank) + (f" of {suit}" if suit else "") for rank, suit in reversed(value))
        ranks, suit = value
        return " ".join(map(_named, reversed(ranks))) + (" suited" if suit and len(ranks) > 1 else "")
    if register.kind in (Measure.ALIKE, Measure.DIFFERENT) and isinstance(value, tuple):
        return " ".join(names[label] for label in value)
    if register.kind is Measure.MATCHES and isinstance(value, tuple):
        refs, met = value
        told = " ".join(names[label] for label in met) if register.number else str(met)
        shown = " ".join(names[label] for label in refs)
        return f"{told} with {shown}" if met and shown else told if met else shown
    number = number_of(register, value)
    return f"{register.word} {names.get(number, number)}".strip()
