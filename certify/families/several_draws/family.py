"""The family of games of several draws and decisions that submissions describe, and what one states."""

from collections import Counter
from collections.abc import Container, Hashable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache, partial, reduce
from operator import or_
from types import ModuleType
from typing import Any, Final

from certify.analysis.engine.stage_points import walked
from certify.analysis.engine.strategies import ALWAYS, NOTHING_TO_DECIDE
from certify.analysis.hands.strength import not_whole, smaller
from certify.by_key import reached
from certify.errors import InputError, KeyPath
from certify.families.declared_rules import own_rules
from certify.families.described.board import BoardScene, BoardShowdown, board_scene_of, shares_board
from certify.families.described.compiler import Compiler, TooManyDealsError
from certify.families.described.reading import (
    MOST_ENTRIES,
    Described,
    Reader,
    described_of,
)
from certify.families.described.rules import (
    Bonus,
    DescribedRules,
    Lead,
    Offer,
    SettledBy,
    Turn,
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
from certify.families.several_draws.misread import (
    falls_through,
    misread,
    never_cleared,
    nothing_seen,
    settled_too_early,
)
from certify.families.stage_machine import MOST_WALKED, check_stated, with_draws
from certify.model import MAIN_OPTIMAL, ChoiceTable, Decision, Equipment, Game, RoundText, Strategy
from certify.model.strategy_plan import listing_order

FAMILY_ID: Final = "several-draws"
"""Id of the family, as submissions name it."""

rules_of: Final = own_rules(DescribedRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


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
        filled = list(never_cleared(found, rules, game.equipment))
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
        yield from settled_too_early(game, rules_of(game))
        jokers = any(" of " not in face for piece in game.equipment if piece.suits for face in piece.faces)
        for number, ranking in enumerate(() if jokers else rules_of(game).rankings):
            if ranking.joker:
                yield (
                    ("hand_rankings", number, "joker"),
                    "no piece has jokers: expected them in the equipment",
                )
        found = described(game)
        if found is not None:
            yield from never_cleared(found, rules_of(game), game.equipment)
            yield from nothing_seen(found)
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
    from certify.families.one_decision import exact as three_cards, play
    from certify.families.shared_board import exact as board_strategies

    return replace(
        found,
        text=None,
        reference=_meeting,
        exact=(board_strategies.BoardExact if shared else three_cards.OneDecisionExact)(
            *(_meeting, _strategy, _decisions),
            "different cards, the own two first," if shared else "three different cards",
        ),
        volume=(board_strategies.BoardVolume if shared else play.OneDecisionVolume)(_meeting),
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
