"""Strategies of both sides by the names of the command line."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Final

from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.free_bank.chart_files import parse_chart
from certify.families.free_bank.exact.answers import bank_answer, player_answer
from certify.families.free_bank.exact.equilibrium import FULL_WIDTH, Equilibrium, equilibrium
from certify.families.free_bank.exact.figures import analyze_pair
from certify.families.free_bank.exact.settlement import Terms, terms_of
from certify.families.free_bank.exact.splitting import split_answer
from certify.families.free_bank.looks_at_all import LooksAtAll
from certify.families.free_bank.rules import FreeBankRules, Sight
from certify.families.free_bank.strategy import BANK, PLAYER, Conduct, Pair, StandOn
from certify.families.port import StrategyPlan
from certify.families.seven_and_a_half.cards import SEVEN_AND_A_HALF
from certify.families.seven_and_a_half.strategy_files import strategy_text
from certify.model.game import Game
from certify.model.strategy import AGAINST, EQUILIBRIUM, pair_name

STAND_ON: Final = "stand-on:"
SWAP_THEN_STAND_ON: Final = "swap-then-stand-on:"
BEST_RESPONSE: Final = "best-response"
SPLIT_BEST_RESPONSE: Final = "split-best-response"
LOOKS_AT_ALL: Final = "looks-at-all:"
FILE: Final = "file:"

WIDTH: Final = FULL_WIDTH
"""The bracket that is asked of an equilibrium, in stakes; both profiles reach the narrow one."""


def split_name(name: str) -> tuple[str, str]:
    """Returns the names of both sides that a name of a pair holds; one name alone is meant for both.

    Raises:
        InputError: The name is that of one side alone.

    >>> split_name("stand-on:5 against best-response")
    ('stand-on:5', 'best-response')
    """
    player, against, bank = name.partition(AGAINST)
    if against:
        return player, bank
    if name != EQUILIBRIUM:
        raise InputError(
            f'{name!r} says nothing of the bank: expected a pair such as "{pair_name("stand-on:5", EQUILIBRIUM)}"'
        )
    return name, name


def solved(game: Game) -> Equilibrium:
    """Returns the equilibrium of a game, found once."""
    return equilibrium(terms_of(game), WIDTH)


def conduct(game: Game, player: str, bank: str) -> Pair:
    """Returns how both sides play by their names.

    Args:
        game: The game.
        player: Name of the player's strategy.
        bank: Name of the bank's.

    Raises:
        InputError: No such strategy, the rules do not know what it does, or both are best answers to each other.
    """
    terms = terms_of(game)
    answers = player in (BEST_RESPONSE, SPLIT_BEST_RESPONSE)
    if answers and bank == BEST_RESPONSE:
        raise InputError(
            f'both sides answer each other: expected "{EQUILIBRIUM}" for both, or one that is fixed'
        )
    if answers:
        against = _fixed(terms, bank, BANK)
        if player == SPLIT_BEST_RESPONSE:
            _require(terms.rules.hands > 1, player, "the rules know no splitting")
            return Pair(_split_answer(terms, against), against)
        return Pair(_player_answer(terms, against), against)
    fixed = _fixed(terms, player, PLAYER)
    return Pair(fixed, _bank_answer(terms, fixed) if bank == BEST_RESPONSE else _fixed(terms, bank, BANK))


@lru_cache(maxsize=32)
def _player_answer(terms: Terms, bank: Conduct) -> Conduct:
    return player_answer(terms, bank, BEST_RESPONSE)


@lru_cache(maxsize=32)
def _bank_answer(terms: Terms, player: Conduct) -> Conduct:
    return bank_answer(terms, player, BEST_RESPONSE)


@lru_cache(maxsize=8)
def _split_answer(terms: Terms, bank: Conduct) -> Conduct:
    return split_answer(terms, bank, SPLIT_BEST_RESPONSE)


def _fixed(terms: Terms, name: str, side: str) -> Conduct:
    """Returns a strategy that does not depend on the other side's."""
    if name.startswith(STAND_ON):
        return StandOn(name, _total(name, STAND_ON))
    if name.startswith(SWAP_THEN_STAND_ON) and side == PLAYER:
        _require(terms.rules.swap, name, "the rules know no swap")
        return StandOn(name, _total(name, SWAP_THEN_STAND_ON), swaps=True)
    if name.startswith(LOOKS_AT_ALL) and side == BANK:
        _require(terms.rules.sight is Sight.OPEN_CARDS, name, "the rules let the bank look at nothing")
        pays = (terms.win, terms.seven_and_a_half, terms.reale)
        return LooksAtAll(name, _total(name, LOOKS_AT_ALL), terms.rules, pays)
    if name == EQUILIBRIUM:
        found = equilibrium(terms, WIDTH)
        return found.player if side == PLAYER else found.bank
    if name.startswith(FILE):
        path = name.removeprefix(FILE)
        return parse_chart(strategy_text(Path(path)), path, side, terms.rules)
    raise InputError(f"no strategy {name!r} of a {side}: expected {', '.join(names_of(terms.rules, side))}")


def names_of(rules: FreeBankRules, side: str) -> tuple[str, ...]:
    """Returns every name that a side's strategy may have, as a reader is told them."""
    swaps = (f"{SWAP_THEN_STAND_ON}TOTAL",) if rules.swap and side == PLAYER else ()
    splits = (SPLIT_BEST_RESPONSE,) if rules.hands > 1 and side == PLAYER else ()
    looks = (f"{LOOKS_AT_ALL}TOTAL",) if rules.sight is Sight.OPEN_CARDS and side == BANK else ()
    return (EQUILIBRIUM, BEST_RESPONSE, *splits, f"{STAND_ON}TOTAL", *swaps, *looks, f"{FILE}PATH.toml")


def bank_conduct(terms: Terms, name: str) -> Conduct:
    """Returns how the bank plays by a name that does not depend on the player's.

    Raises:
        InputError: No such strategy.
    """
    return _fixed(terms, name, BANK)


def _require(holds: bool, name: str, otherwise: str) -> None:
    if not holds:
        raise InputError(f"{name}: {otherwise}")


def _total(name: str, kind: str) -> int:
    text = name.removeprefix(kind)
    points = text[: -len(".5")].removesuffix("0") + "½" if text.endswith(".5") else text
    total = parse_half_points(points)
    if not 1 <= total <= SEVEN_AND_A_HALF:
        raise InputError(f"{name}: expected a total from ½ to 7½, such as {kind}5 or {kind}5.5")
    return total


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies of a game with a free bank."""
    rules = terms_of(game).rules
    fixed = pair_name(f"{STAND_ON}5", f"{STAND_ON}5")
    return StrategyPlan(
        names=names_of(rules, PLAYER),
        banks=names_of(rules, BANK),
        analysed=(pair_name(EQUILIBRIUM, EQUILIBRIUM), fixed),
        played=(pair_name(EQUILIBRIUM, EQUILIBRIUM), fixed),
        simpler=simpler,
    )


def simpler(game: Game) -> tuple[str, ...]:
    """Returns the simpler strategies of the player against the bank's equilibrium: the best single total first."""
    terms = terms_of(game)
    kinds = (STAND_ON, SWAP_THEN_STAND_ON) if terms.rules.swap else (STAND_ON,)
    names = [
        pair_name(f"{kind}{points_name(total)}", EQUILIBRIUM) for kind in kinds for total in range(7, 14)
    ]
    return tuple(sorted(names, key=lambda name: _value(game, name), reverse=True)[:3])


def points_name(total: int) -> str:
    """Returns a total as names of strategies write it.

    >>> points_name(10), points_name(11)
    ('5', '5.5')
    """
    return format_half_points(total).replace("½", ".5")


def _value(game: Game, name: str) -> Fraction:
    return analyze_pair(game, conduct(game, *split_name(name))).wagers[0].expectation
