"""What a description of several draws requires that never comes, and what its author may have meant otherwise.

Mistakes are refused; remarks are what lint says of a description that can be played.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from math import comb
from typing import Any

from certify.analysis.engine.stage_points import MOMENT_LIMIT
from certify.by_key import reached
from certify.errors import ContradictionError, InputError, KeyPath
from certify.families.described.reading import (
    MOST_DEALT,
    Described,
    ReadTurn,
)
from certify.families.described.rules import (
    NO_BOUND,
    UNSTATED,
    All,
    Condition,
    Decided,
    DescribedRules,
    Measure,
    Measurement,
    Staked,
    Within,
    parts_of,
    readings_of,
)
from certify.families.described.submitted import (
    Kept,
    text_by_readings,
)
from certify.model import Equipment, Game
from certify.model.points import play_some


def misread(
    found: Described, rules: DescribedRules, equipment: Sequence[Equipment]
) -> Iterator[tuple[KeyPath, str]]:
    """Yields turns that nothing leads to, and conditions on a place where too little or too much can lie by then.

    Each comes with its place in the file. Cards that nobody turns up are not drawn: a condition on them would hold, or
    fail, of an empty place.
    """
    ahead = [reached(turn.following, lambda here: found.turns[here].following) for turn in found.turns]
    thrown = {piece.id for piece in equipment if piece.replaced}
    for number, (turn, lying) in enumerate(zip(found.turns, _lying(found.turns), strict=True)):
        if lying is None:
            yield ("each_turn", number, "id"), f'nothing leads to the turn "{turn.id}"'
            continue
        if turn.choices and turn.sees is not None:
            before = (one for at, one in enumerate(found.turns) if at == number or number in ahead[at])
            # A card that was cleared is missing from the deck; dice that were cleared say nothing of what comes.
            open_there = {
                place for one in before for place, of in one.draws if place in lying or of not in thrown
            }
            for place in sorted(open_there - turn.sees):
                name = found.places[place]
                said = f'who decides sees an open card at "{name}": expected "{name}" too, or covered cards'
                yield ("each_turn", number, "sees"), said
        for key, condition in _asked(turn, rules):
            for reading in {} if isinstance(condition, tuple) else dict.fromkeys(readings_of(condition)):
                if said := _too_little(reading, lying, found.places):
                    yield key, f'after turn "{turn.id}" "{reading.words}" is required, but {said}'
                if (kept := _least_kept(reading, turn, equipment)) > MOMENT_LIMIT:
                    ways = f"in {kept:,} ways or more before the last draw, expected at most {MOMENT_LIMIT:,}"
                    yield key, f'"{reading.words}": faces are kept as they came, {ways}: fewer draws'
            # A row that a condition leads to is found unreached; a way that is never taken has no row.
            if key[0] in ("turn_leads", "may_decide"):
                yield from ((key, said) for said in _never_holds(condition, turn, lying))
    yield from _undecided(found, rules)


def nothing_seen(found: Described) -> Iterator[tuple[KeyPath, str]]:
    """Yields places that who decides is stated to see, and at which no card can have been open until then."""
    dealt = _lying([replace(turn, clears=frozenset()) for turn in found.turns])
    for number, (turn, open_there) in enumerate(zip(found.turns, dealt, strict=True)):
        for place in sorted((turn.sees or frozenset()).difference(open_there or ())):
            yield (
                ("each_turn", number, "sees"),
                (
                    f'nothing is open at "{found.places[place]}" when "{turn.id}" is decided: covered cards are not '
                    "seen, and sees need not name it"
                ),
            )


def falls_through(rules: DescribedRules) -> Iterator[tuple[KeyPath, str]]:
    """Yields turns that one option leads to and that go on, unsaid, with the turn that another option leads to."""
    led = {offer.to: offer.option for offer in reversed(rules.offers)}
    for number, (turn, after) in enumerate(pairwise(rules.turns)):
        asked = any(offer.at == turn.id for offer in rules.offers)
        if turn.id in led and after.id in led and not turn.then and not asked:
            message = (
                f'the option "{led[turn.id]}" leads to the turn "{turn.id}", which goes on with "{after.id}", as no '
                f'then is stated: then = "end" ends the round there, then = "{after.id}" says that this is meant'
            )
            yield ("each_turn", number, "id"), message


def settled_too_early(game: Game, rules: DescribedRules) -> Iterator[tuple[KeyPath, str]]:
    """Yields a condition that settles a wager by a draw while the turn that drew it is led back to and drawn again."""
    ids = [turn.id for turn in rules.turns]
    for number, lead in enumerate(rules.leads):
        # The way back as one more settlement: where both hold in some round they contradict each other.
        before = "".join(f" and not ({one.when})" for one in rules.leads[:number] if one.after == lead.after)
        back = {
            (one.wager, one.after): replace(one, when=f"({lead.when}){before}", at=[lead.after])
            for one in rules.settlings
            if lead.after in (one.at or ids[-1:]) and lead.to in ids[: ids.index(lead.after) + 1]
        }
        for one in back.values():
            with suppress(InputError):
                try:
                    added = replace(rules, settlings=(*rules.settlings, one))
                    play_some(text_by_readings(Kept(game, added)), 4_000)
                except ContradictionError as error:
                    message = (
                        f'this settles "{one.wager}" by a draw that is drawn again, as "{lead.after}" leads to '
                        f'"{lead.to}" then: expected "and not ({lead.when})" where only the last draw counts'
                    )
                    yield error.keys[0], message


def never_cleared(
    found: Described, rules: DescribedRules, equipment: Sequence[Equipment]
) -> Iterator[tuple[KeyPath, str]]:
    """Yields turns that throw or spin again to a place that no turn clears, though a condition reads all of it.

    So do turns that deal cards to be compared one by one, where somebody sees them all and decides.
    """
    thrown = {piece.id for piece in equipment if piece.replaced}
    cleared = {place for turn in found.turns for place in turn.clears}
    read = [
        (place, reading.kind)
        for turn in found.turns
        for _, condition in _asked(turn, rules)
        if not isinstance(condition, tuple)
        for reading in readings_of(condition)
        for place in (*reading.places, *reading.beside)
    ]
    kept = {place for place, kind in read if kind is not Measure.LAST} - cleared
    compared = {place for place, kind in read if kind is Measure.LAST} - cleared
    for number, turn in enumerate(found.turns):
        again = reached(turn.following, lambda here: found.turns[here].following)
        seen = compared if any(found.turns[here].choices for here in again) else set[int]()
        came = {place for place, of in turn.draws if place in (kept if of in thrown else seen)}
        for place in sorted(came if number in again else ()):
            name = found.places[place]
            message = (
                f'the turn "{turn.id}" comes again and deals to "{name}" each time, and nobody clears it: clears = '
                f'["{name}"] where only the last time counts, or a turn for each draw where draws are compared (HiLo)'
            )
            yield ("each_turn", number, "deals"), message


def _undecided(found: Described, rules: DescribedRules) -> Iterator[tuple[KeyPath, str]]:
    """Yields conditions on an option, or on what it stakes, that are read only before anybody can have taken it."""
    taken = [
        {
            *(f"decided {one.option}" for one in turn.choices),
            *(f"stakes on {found.stakes[stake].id}" for one in turn.choices for stake, _ in one.stakes),
        }
        for turn in found.turns
    ]
    before = _taken_before(found.turns, taken)
    missing: dict[KeyPath, set[str]] = {}
    for turn, own, earlier in zip(found.turns, taken, before, strict=True):
        for key, condition in _asked(turn, rules):
            # Where a turn leads is read once more after its decision, all else before it.
            can = earlier | own if key[0] == "turn_leads" else earlier
            never = set() if isinstance(condition, tuple) else _spoken_of(condition) - can
            missing[key] = missing.get(key, never) & never
    for key, words in missing.items():
        for word in sorted(words):
            yield key, f'"{word}" is required, but nothing is decided of it until then'


def _spoken_of(condition: Condition) -> set[str]:
    """Returns the options and further stakes that a condition asks for."""
    parts = list(parts_of(condition))
    staked = [part.reading for part in parts if isinstance(part, Within)]
    return {
        *(f"decided {part.option}" for part in parts if isinstance(part, Decided)),
        *(f"stakes on {reading.stake}" for reading in staked if isinstance(reading, Staked)),
    }


def _taken_before(turns: Sequence[ReadTurn], taken: Sequence[set[str]]) -> list[set[str]]:
    """Returns what may have been decided before each turn."""
    ahead = [reached(turn.following, lambda here: turns[here].following) for turn in turns]
    return [
        set[str]().union(*(words for words, after in zip(taken, ahead, strict=True) if turn in after))
        for turn in range(len(turns))
    ]


def _too_little(reading: Measurement, lying: Counter[int], places: Sequence[str]) -> str:
    empty = [places[place] for place in (*reading.places, *reading.beside) if not lying[place]]
    if empty:
        return (
            f"nothing is open at {empty[0]} by then: expected a turn until then that deals there, or that shows "
            f'what is covered (shows = ["{empty[0]}"])'
        )
    most = sum(lying[place] for place in reading.places)
    wanted = reading.number if reading.kind is Measure.NTH else reading.order.cards if reading.order else 0
    return f"at most {most} are there by then: expected {wanted} or more" if most < wanted else ""


def _never_holds(condition: Condition | Any, turn: ReadTurn, lying: Counter[int]) -> Iterator[str]:
    """Yields the bounds that a condition requires, each of them, and that its reading never comes to."""
    for part in condition.parts if isinstance(condition, All) else (condition,):
        if isinstance(part, Within) and isinstance(part.reading, Measurement):
            least, most = _reach(part.reading, turn, lying)
            if part.low > most or part.high < least:
                limits = f"up to {most:,}" if least == -NO_BOUND else f"{least:,} to {most:,}"
                yield f'no draw fulfils this condition: "{part.reading.words}" is {limits} after turn "{turn.id}"'


def _reach(reading: Measurement, turn: ReadTurn, lying: Counter[int]) -> tuple[int, int]:
    """Returns bounds of what a reading comes to after a turn, while so many cards can lie at each place."""
    counts = [lying[place] for place in reading.places]
    cards = NO_BOUND if max(counts) >= MOST_DEALT else sum(counts)
    numbers = [number for _, worth in reading.numbers for number in worth]
    low, high = min(numbers, default=0), max(numbers, default=0)
    # A place that this turn deals to is not empty; an empty one is below every number.
    dealt = any(place in reading.places for place, _ in turn.draws)
    return {
        Measure.SUM: (0, reading.number - 1)
        if reading.number
        else (min(0, low * cards), max(0, high * cards)),
        **dict.fromkeys((Measure.HIGHEST, Measure.LOWEST, Measure.LAST), (low if dealt else -NO_BOUND, high)),
        Measure.NTH: (-NO_BOUND, high),
        Measure.SPREAD: (0 if dealt else -NO_BOUND, high - low),
        Measure.HAND: (-NO_BOUND, NO_BOUND),
    }.get(reading.kind, (0, cards))


def _least_kept(reading: Measurement, turn: ReadTurn, equipment: Sequence[Equipment]) -> int:
    """Returns how many different rows of faces are surely kept, sorted, while a turn deals what a reading looks at."""
    if reading.kind not in (Measure.ALIKE, Measure.DIFFERENT):
        return 0
    drawn = Counter(piece for place, piece in turn.draws if place in reading.places)
    pieces, numbers = {piece.id: piece for piece in equipment}, dict(reading.numbers)
    least = 0
    for piece, most in drawn.items():
        copies = Counter[int]()
        for number, times in zip(numbers[piece], pieces[piece].copies, strict=True):
            copies[number] += most if pieces[piece].replaced else times
        faces = sum(times >= most for times in copies.values())
        least = max(least, comb(most - 1 + faces, faces))
    return least


def _asked(turn: ReadTurn, rules: DescribedRules) -> Iterator[tuple[KeyPath, Condition | Any]]:
    """Yields every condition that is read after a turn, with its place in the file."""
    offers = [number for number, offer in enumerate(rules.offers) if offer.at == turn.id]
    leads = [number for number, lead in enumerate(rules.leads) if lead.after == turn.id]
    yield from (
        (("settled_by", one.number, "when"), one.when) for one in turn.endings if one.number != UNSTATED
    )
    yield from ((("paid_besides", one.number, "when"), one.when) for one in turn.bonuses)
    yield from (
        (("may_decide", number, "when"), one.when) for number, one in zip(offers, turn.choices, strict=True)
    )
    yield from (
        (("turn_leads", number, "when"), when) for number, (when, _) in zip(leads, turn.leads, strict=False)
    )


def _lying(turns: Sequence[ReadTurn]) -> list[Counter[int] | None]:
    """Returns the most cards that can lie at each place after each turn, none of one that nothing leads to.

    Where turns lead back a place comes to as many as one entry deals.
    """
    lying: list[Counter[int] | None] = [_dealt(turns[0], Counter()), *[None] * (len(turns) - 1)]
    waiting = [0]
    while waiting:
        here = waiting.pop()
        for to in turns[here].following:
            before, most = lying[to], _dealt(turns[to], lying[here] or Counter())
            most = most if before is None else before | most
            if most != before:
                lying[to] = most
                waiting.append(to)
    return lying


def _dealt(turn: ReadTurn, before: Counter[int]) -> Counter[int]:
    kept = Counter({place: count for place, count in before.items() if place not in turn.clears})
    kept.update(place for place, _ in turn.draws)
    return Counter({place: min(count, MOST_DEALT) for place, count in kept.items()})
