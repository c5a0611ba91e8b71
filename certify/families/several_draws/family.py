"""The family of games of several draws and decisions that submissions describe, and what one states."""

from collections import Counter
from collections.abc import Container, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial, reduce
from itertools import pairwise
from math import comb
from operator import or_
from types import ModuleType
from typing import Any, Final

from certify.analysis.engine.stage_points import MOMENT_LIMIT, walked
from certify.analysis.engine.strategies import ALWAYS, NOTHING_TO_DECIDE
from certify.analysis.hands.strength import not_whole, smaller
from certify.by_key import reached
from certify.errors import ContradictionError, InputError, KeyPath
from certify.families.declared_rules import own_rules
from certify.families.described.board import BoardScene, BoardShowdown, board_scene_of, shares_board
from certify.families.described.compiler import Compiler, TooManyDealsError
from certify.families.described.reading import (
    MOST_DEALT,
    MOST_ENTRIES,
    Described,
    Reader,
    ReadTurn,
    described_of,
)
from certify.families.described.rules import (
    NO_BOUND,
    UNSTATED,
    All,
    Bonus,
    Condition,
    Decided,
    DescribedRules,
    Lead,
    Measure,
    Measurement,
    Offer,
    SettledBy,
    Staked,
    Turn,
    Within,
    parts_of,
    readings_of,
)
from certify.families.described.second import settle
from certify.families.described.showdown import FORMS, Scene, Showdown, scene_of
from certify.families.described.submitted import (
    NAMES,
    DescribedSubmission,
    Kept,
    described,
    price_of,
    text_by_readings,
    text_of,
)
from certify.families.port import (
    Family,
    FamilyChecks,
    FamilyForm,
    FamilySources,
    FamilyStrategies,
    Listed,
    Problems,
    StrategyPlan,
    TableForm,
)
from certify.families.stage_machine import MOST_WALKED, check_stated, with_draws
from certify.model import MAIN_OPTIMAL, ChoiceTable, Decision, Equipment, Game, RoundText, Strategy
from certify.model.points import play_some
from certify.model.strategy_plan import listing_order

FAMILY_ID: Final = "several-draws"
"""Id of the family, as submissions name it."""

rules_of: Final = own_rules(DescribedRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


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


def _nothing_seen(found: Described) -> Iterator[tuple[KeyPath, str]]:
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


def _settled_too_early(game: Game) -> Iterator[tuple[KeyPath, str]]:
    """Yields a condition that settles a wager by a draw while the turn that drew it is led back to and drawn again."""
    rules = rules_of(game)
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


def _never_cleared(
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


def supplied(found: Described, game: Game) -> tuple[Equipment, ...]:
    """Returns the equipment with the draws of what is put back that a round needs, where none are stated.

    Raises:
        InputError: They cannot be counted, a round may go on without end, or fewer are stated or there than it needs.
    """
    straight = _straight(found)
    for piece in game.equipment:
        dealt = (straight or {}).get(piece.id, 0)
        if not piece.replaced and dealt > piece.size:
            raise InputError(
                f"a round may deal {dealt} of {piece.id}: expected at most {piece.size}, as are there"
            )
    if not any(piece.replaced for piece in game.equipment):
        return game.equipment
    if straight is None:
        return with_draws(text_of(game, rules_of(game)))
    # No draw is counted by a walk here: what a seat sees besides its readings is found with the first figures.
    check_stated(text_by_readings(Kept(game, rules_of(game))), straight)
    return tuple(
        replace(piece, supply=max(1, straight.get(piece.id, 1)))
        if piece.replaced and piece.supply == 1
        else piece
        for piece in game.equipment
    )


def _straight(found: Described) -> dict[str, int] | None:
    """Returns the most draws of each piece where no turn leads back; none where one does."""
    turns = found.turns
    if any(n in reached(turn.following, lambda to: turns[to].following) for n, turn in enumerate(turns)):
        return None

    @cache
    def ahead(turn: int) -> Counter[str]:
        own = Counter(piece for _, piece in turns[turn].draws)
        return own + reduce(or_, map(ahead, turns[turn].following), Counter[str]())

    return ahead(0)


TABLES: Final[Mapping[str, TableForm]] = {
    "each_turn": TableForm(Turn, many=True, required=True),
    "turn_leads": TableForm(Lead, many=True),
    "may_decide": TableForm(Offer, many=True),
    "settled_by": TableForm(SettledBy, many=True, required=True),
    "paid_besides": TableForm(Bonus, many=True),
    **NAMES,
}


class SeveralDrawsSubmission(DescribedSubmission):
    """Rules and tables of games of several draws; wagers and rows are the submission's own."""

    tables: Mapping[str, TableForm] = TABLES

    def check(self, game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
        """Returns the game with what it describes; records every mistake with its line."""
        stated = [tuple(tables.get(name) or ()) for name in TABLES]
        for name, entries in zip(TABLES, stated, strict=True):
            if len(entries) > MOST_ENTRIES:
                problems.add((name,), f"{len(entries)} entries: expected at most {MOST_ENTRIES:,}")
                return game
        turns, leads, offers, settlings, bonuses, groups, worths, rankings = stated
        wagers = tuple(wager.id for wager in game.wagers)
        rules = DescribedRules(turns, leads, offers, settlings, bonuses, groups, worths, rankings, wagers)
        described = replace(game, rules=rules)
        if not game.equipment or not turns or not wagers:
            return described
        reader = Reader(described, rules, problems.add)
        found = reader.described()
        reader.check_references()
        for key, message in () if reader.mistakes else misread(found, rules, game.equipment):
            reader.refuse(key, message)
        if reader.mistakes:
            return described
        filled = list(_never_cleared(found, rules, game.equipment))
        try:
            Compiler(found, game.equipment, wagers).program()
            if filled:
                # A place that fills up without end is named soon, not once memory holds no more.
                walked(text_by_readings(Kept(described, rules), cards=True), MOST_WALKED)
            return replace(described, equipment=supplied(found, described))
        except TooManyDealsError as error:
            try:
                if not_whole(game.equipment):
                    raise InputError(FORMS)
                _scene(Kept(described, rules))
            except InputError as other:
                formless = str(other) == FORMS
                problems.add(("each_turn",), f"{error}; {FORMS}" if formless else str(other))
        except InputError as error:
            for key, message in filled or [(("each_turn",), str(error))]:
                problems.add(key, message)
        return described

    def stages(self, game: Game) -> RoundText:
        """Returns the implementation, in which seats see what conditions read: nothing is walked to make it."""
        return text_by_readings(Kept(game, rules_of(game)))

    def remarks(self, game: Game, stated: Container[KeyPath]) -> Iterator[tuple[KeyPath, str]]:
        """Yields turns that go on with another way out of a decision, missing jokers, and places that fill up."""
        yield from falls_through(rules_of(game))
        yield from _settled_too_early(game)
        jokers = any(" of " not in face for piece in game.equipment if piece.suits for face in piece.faces)
        for number, ranking in enumerate(() if jokers else rules_of(game).rankings):
            if ranking.joker:
                yield (
                    ("hand_rankings", number, "joker"),
                    "no piece has jokers: expected them in the equipment",
                )
        found = described(game)
        if found is not None:
            yield from _never_cleared(found, rules_of(game), game.equipment)
            yield from _nothing_seen(found)
        yield from super().remarks(game, stated)


def text(game: Game) -> RoundText:
    """Returns the implementation that plays a game."""
    return text_of(game, rules_of(game))


def showdown(game: Game) -> Showdown | None:
    """Returns the rounds of a game in which whole hands meet; none of a game that is walked card by card."""
    return _showdown(Kept(game, rules_of(game), paid=True))


@lru_cache(maxsize=32)
def _showdown(kept: Kept) -> Showdown | None:
    scene = _scene(Kept(kept.game, kept.rules))
    price = price_of(kept.game, kept.rules)
    if isinstance(scene, BoardScene):
        return BoardShowdown(kept.game, scene, price)
    return None if scene is None else Showdown(kept.game, scene, price)


@lru_cache(maxsize=32)
def _scene(kept: Kept) -> Scene | None:
    found = described_of(kept.game, kept.rules)
    try:
        Compiler(found, kept.game.equipment, kept.rules.wagers).program()
    except TooManyDealsError:
        return (board_scene_of if shares_board(found) else scene_of)(kept.game, kept.rules)
    return None


def _listed(sees: Hashable) -> Listed:
    # What is seen begins with the turn where several are decided.
    return Listed(str(sees), place=listing_order(str(sees)), turn=str(sees).rpartition(": ")[0])


# --- games in which whole hands meet --------------------------------------------------------------------------


_SMALLER: Final = (("2 Q A", 4), ("A 2 3 4 5", 2))
_SMALLER_BOARD: Final = (("2 Q A", 3), ("A 2 3 4 5", 2))
"""Ranks and suits of decks on which every path is walked."""


def _meeting(game: Game) -> Showdown:
    found = showdown(game)
    if found is None:
        raise InputError(f"no whole hands meet in {game.id}: it is walked card by card")
    return found


def _strategies(found: Showdown) -> ModuleType:
    """Returns what knows the strategies of a game: where a board is shared they are of another form."""
    # Loaded here: games that are walked card by card need not wait for the kernels.
    from certify.families.one_decision import exact as three_cards
    from certify.families.shared_board import exact as board_strategies

    return board_strategies if isinstance(found, BoardShowdown) else three_cards


def _plan(game: Game) -> StrategyPlan:
    """Returns the named strategies: best play, and every hand played."""
    found = _meeting(game)
    options = found.options
    if not options:
        return StrategyPlan((MAIN_OPTIMAL,), (MAIN_OPTIMAL,), (MAIN_OPTIMAL,))
    played = MAIN_OPTIMAL, f"{ALWAYS}{found.play}"
    return StrategyPlan(_strategies(found).names_of(options), played, played, lambda _: (played[1],))


def _strategy(game: Game, name: str) -> Strategy:
    found = _meeting(game)
    if found.options:
        named: Strategy = _strategies(found).strategy_of(found, name)
        return named
    if name != MAIN_OPTIMAL:
        raise InputError(f"no strategy {name!r}: expected {MAIN_OPTIMAL}, nothing is decided in this game")
    return ChoiceTable(name, NOTHING_TO_DECIDE, frozenset())


def _decisions(game: Game, strategy: Strategy) -> tuple[Decision, ...]:
    found = _meeting(game)
    lines: tuple[Decision, ...] = _strategies(found).decisions(found.terms, strategy) if found.options else ()
    return lines


def _smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from fewer cards, where its faces have names there still."""
    for one in smaller(game, _SMALLER_BOARD if isinstance(showdown(game), BoardShowdown) else _SMALLER):
        with suppress(InputError):
            _meeting(one)
            yield one


def _alone(found: Family, game: Game, wager: str) -> Game | None:
    """Returns the first turn of a game with one wager, where that turn settles it whatever is decided afterwards."""
    rules = rules_of(game)
    first = rules.turns[0]
    settlings = tuple(one for one in rules.settlings if one.wager == wager)
    bonuses = tuple(one for one in rules.bonuses if one.wager == wager)
    decided = any((one.wager or rules.wagers[0]) == wager for one in rules.offers)
    settled = [*(one.at for one in settlings), *(one.at for one in bonuses)]
    if decided or any(at != [first.id] for at in settled):
        return None
    turns, wagers = (Turn(first.id, first.deals, then="end"),), (game.wager(wager),)
    told = replace(
        rules, turns=turns, leads=(), offers=(), settlings=settlings, bonuses=bonuses, wagers=(wager,)
    )
    alone = replace(game, port=found, wagers=wagers, rules=told)
    with suppress(InputError):
        return alone if showdown(alone) is None else None
    return None


def _played_by(found: Family, game: Game) -> Family:
    """Returns the family as it plays a game: by its text, or by counting whole hands where such meet."""
    meeting = showdown(game)
    return _walked(found) if meeting is None else _meeting_hands(found, isinstance(meeting, BoardShowdown))


@cache
def _walked(found: Family) -> Family:
    return replace(found, sources=FamilySources(alone=partial(_alone, found)))


@cache
def _meeting_hands(found: Family, shared: bool) -> Family:
    from certify.families.one_decision.exact import OneDecisionExact
    from certify.families.one_decision.play import OneDecisionVolume
    from certify.families.shared_board.exact import BoardExact, BoardVolume

    return replace(
        found,
        text=None,
        reference=_meeting,
        exact=(BoardExact if shared else OneDecisionExact)(
            *(_meeting, _strategy, _decisions),
            "different cards, the own two first," if shared else "three different cards",
        ),
        volume=BoardVolume(_meeting) if shared else OneDecisionVolume(_meeting),
        strategies=FamilyStrategies(plan=_plan),
        sources=FamilySources(alone=partial(_alone, found)),
        checks=FamilyChecks(smaller=_smaller),
        form=FamilyForm(walked=found.reference),
    )


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Games of several draws and decisions, described in the submission alone",
    rules=SeveralDrawsSubmission(),
    text=text,
    second=settle,
    strategies=FamilyStrategies(listed=_listed),
    form=FamilyForm(played_by=_played_by),
)
