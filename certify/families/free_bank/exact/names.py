"""Strategies of both sides by the names of the command line."""

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Final

from certify.analysis.strategy_file import strategy_text
from certify.by_key import summed
from certify.errors import InputError
from certify.exact import format_half_points, parse_half_points
from certify.families.free_bank.chart_files import parse_chart
from certify.families.free_bank.charts import SplitChart
from certify.families.free_bank.exact.equilibrium import (
    FULL_WIDTH,
    PlayerWorth,
    ProvenPair,
    bank_answer,
    equilibrium,
    own_hand_answer,
    player_answer,
    player_best_response,
)
from certify.families.free_bank.exact.hands import (
    FIRST,
    PAID,
    ROW_BANK,
    ROW_BOTH,
    ROW_BOTH_REALE,
    ROW_BUST,
    ROW_LOSE,
    BankTerms,
    outcome_of,
    terms_of,
)
from certify.families.free_bank.exact.passing import Ends, joint, most_cards
from certify.families.free_bank.exact.splitting import split_answer, split_figures, split_worth
from certify.families.free_bank.rules import BET, FreeBankRules
from certify.families.free_bank.strategy import (
    BANK,
    HIT,
    PLAYER,
    STAND,
    SWAP,
    Conduct,
    Pair,
    PlayerSees,
    StandOn,
)
from certify.families.port import StrategyPlan
from certify.families.seven_and_a_half.cards import CLASSES, SEVEN_AND_A_HALF, Hand, single
from certify.model import (
    AGAINST,
    EQUILIBRIUM,
    Analysis,
    Bracket,
    Decision,
    Game,
    Outcome,
    WagerFigures,
    pair_name,
)

ORDER: Final = (*PAID, ROW_LOSE, ROW_BANK, ROW_BOTH, ROW_BOTH_REALE, ROW_BUST)
"""Outcomes of one hand, the best first."""

BY_LOT: Final = "by lot"
"""In place of a decision where the strategy draws lots."""


def outcomes_of(ends: Ends) -> tuple[Outcome, ...]:
    """Returns the outcomes of rounds with one hand, the best first."""
    chances = summed((outcome_of(*end), chance) for end, chance in ends.chances.items())
    nets = {outcome_of(*end): ends.terms.net(*end) for end in ends.chances}
    return tuple(Outcome(row, nets[row], chances[row]) for row in ORDER if row in chances)


@lru_cache(maxsize=64)
def _figures(terms: BankTerms, player: Conduct, bank: Conduct) -> WagerFigures:
    if isinstance(player, SplitChart):
        ends, split = split_figures(terms, player, bank)
        outcomes = (*outcomes_of(ends), *((split,) if split.probability else ()))
        staked = sum((outcome.staked * outcome.probability for outcome in outcomes), Fraction(0))
        return WagerFigures(BET, outcomes, staked)
    return WagerFigures(BET, outcomes_of(joint(terms, player, bank)))


def analyze_pair(game: Game, pair: Pair, bracket: Bracket | None = None) -> Analysis:
    """Returns the exact figures of a game for a pair of strategies.

    Args:
        game: The game.
        pair: How both sides play.
        bracket: What the pair secures, where it is an equilibrium; as returns, one plus the net result.

    Raises:
        InputError: A strategy has no answer to something that it sees.
    """
    terms = terms_of(game)
    found = _figures(terms, pair.player, pair.bank)
    figures = WagerFigures(BET, found.outcomes, found.total_wagered, bracket)
    return Analysis(game.id, pair, (figures,), tuple(_decisions(terms, pair)))


def _decisions(terms: BankTerms, pair: Pair) -> Iterator[Decision]:
    """Yields the decision on each first card, everything after it played best against the bank."""
    found = player_best_response(terms, pair.bank)
    for place, node in enumerate(found.own.nodes):
        if node.before != FIRST:
            continue
        values = values_of(found.worths[place])
        hand: Hand = single(node.cards[0])
        yield Decision(
            CLASSES[node.cards[0]],
            hand,
            None,
            max(values, key=lambda option: values[option]),
            values,
            _chosen(pair, PlayerSees(node.own), tuple(values)),
            found.own.dealt(node),
        )


def values_of(worth: PlayerWorth) -> dict[str, Fraction]:
    """Returns what each decision is worth, by its id."""
    named = ((STAND, worth.stand), (HIT, worth.hit), (SWAP, worth.swap))
    return {option: value for option, value in named if value is not None}


def _chosen(pair: Pair, sees: PlayerSees, options: tuple[str, ...]) -> str:
    chances = pair.chances(sees, options)
    return chances[0][0] if len(chances) == 1 else BY_LOT


STAND_ON: Final = "stand-on:"
SWAP_THEN_STAND_ON: Final = "swap-then-stand-on:"
BEST_RESPONSE: Final = "best-response"
SPLIT_BEST_RESPONSE: Final = "split-best-response"
BEST_BY_OWN_HAND: Final = "best-by-own-hand"
FILE: Final = "file:"

WIDTH: Final = FULL_WIDTH
"""The bracket that is required of an equilibrium, in stakes; both profiles reach the narrow one."""


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


def solved(game: Game) -> ProvenPair:
    """Returns the equilibrium of a game, found once."""
    return equilibrium(terms_of(game), WIDTH)


def proven_value(game: Game) -> Bracket:
    """Returns what is proven of the value of a game, splits included, as expected net results of the player.

    The player's strategy secures the lower end without ever splitting. Where the rules know splitting, the upper end is
    what the best answer with splits brings against the bank's strategy.
    """
    terms, found = terms_of(game), solved(game)
    return found.bracket if terms.rules.hands == 1 else with_splits(terms, found.bracket, found.bank)


def with_splits(terms: BankTerms, proven: Bracket, bank: Conduct) -> Bracket:
    """Returns a bracket proven among players who never split, its upper end raised to what splitting brings."""
    return Bracket(proven.lower, split_worth(terms, bank).at_most)


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
    if terms.rules.seats > 1:
        return _several_seats(terms, player, bank)
    if player not in (BEST_RESPONSE, SPLIT_BEST_RESPONSE):
        conduct = fixed(terms, player, PLAYER)
        return Pair(conduct, _against(terms, conduct, bank))
    if bank == BEST_RESPONSE:
        raise InputError(
            f'both sides answer each other: expected "{EQUILIBRIUM}" for both, or one that is fixed'
        )
    against = fixed(terms, bank, BANK)
    _require(player == BEST_RESPONSE or terms.rules.hands > 1, player, "the rules know no splitting")
    return Pair((player_answer if player == BEST_RESPONSE else split_answer)(terms, against, player), against)


def _against(terms: BankTerms, player: Conduct, bank: str) -> Conduct:
    if bank == BEST_RESPONSE:
        return bank_answer(terms, player, bank)
    if bank == BEST_BY_OWN_HAND:
        return own_hand_answer(terms, player, bank)
    return fixed(terms, bank, BANK)


def _several_seats(terms: BankTerms, player: str, bank: str) -> Pair:
    """Returns how every seat and the bank play at a table of several seats, where the figures of a seat are known.

    Against a bank that looks at its own hand alone they are those of one seat as long as the deck lasts.
    """
    seats = terms.rules.seats
    seated = fixed(terms, player, PLAYER) if player.startswith((STAND_ON, SWAP_THEN_STAND_ON)) else None
    if not isinstance(seated, StandOn):
        raise InputError(
            f"{player}: with {seats} seats nobody knows what seats that look at each other's cards expect, "
            f"expected {STAND_ON}TOTAL for the seats, or seats = 1"
        )
    if bank != BEST_BY_OWN_HAND and not bank.startswith(STAND_ON):
        raise InputError(
            f"{bank}: with {seats} seats a bank that looks at open cards weighs all of them together, which is not "
            f"counted; expected {STAND_ON}TOTAL or {BEST_BY_OWN_HAND} for the bank, or seats = 1"
        )
    pair = Pair(seated, _against(terms, seated, bank))
    least = pair.bank.least if isinstance(pair.bank, StandOn) else SEVEN_AND_A_HALF
    if (most := most_cards(terms.rules, seated.least, least)) > terms.size:
        raise InputError(
            f"{seats} seats: {most} cards may be drawn and the deck has {terms.size}; where it runs out, a seat's "
            "figures depend on the other seats and are not counted: expected fewer seats"
        )
    return pair


def fixed(terms: BankTerms, name: str, side: str) -> Conduct:
    """Returns a strategy that does not depend on the other side's.

    Args:
        terms: Deck, rules and pays.
        name: Its name.
        side: Whose it is, ``player`` or ``bank``.

    Raises:
        InputError: No such strategy.
    """
    if name.startswith(STAND_ON):
        return StandOn(name, _total(name, STAND_ON))
    if name.startswith(SWAP_THEN_STAND_ON) and side == PLAYER:
        _require(terms.rules.swap, name, "the rules know no swap")
        return StandOn(name, _total(name, SWAP_THEN_STAND_ON), swaps=True)
    if terms.rules.seats > 1 and name == EQUILIBRIUM:
        raise InputError(f"{name}: found for one seat against the bank, expected seats = 1")
    if name == EQUILIBRIUM:
        found = equilibrium(terms, WIDTH)
        return found.player if side == PLAYER else found.bank
    if name.startswith(FILE):
        path = name.removeprefix(FILE)
        return parse_chart(strategy_text(Path(path)), path, side, terms.rules)
    raise InputError(f"no strategy {name!r} of a {side}: expected {', '.join(names_of(terms.rules, side))}")


def names_of(rules: FreeBankRules, side: str) -> tuple[str, ...]:
    """Returns every name that a side's strategy may have, as a reader sees them."""
    swaps = (f"{SWAP_THEN_STAND_ON}TOTAL",) if rules.swap and side == PLAYER else ()
    splits = (SPLIT_BEST_RESPONSE,) if rules.hands > 1 and side == PLAYER else ()
    blind = (BEST_BY_OWN_HAND,) if side == BANK else ()
    if rules.seats > 1:
        return (*blind, f"{STAND_ON}TOTAL", *swaps)
    return (
        EQUILIBRIUM,
        BEST_RESPONSE,
        *blind,
        *splits,
        f"{STAND_ON}TOTAL",
        *swaps,
        f"{FILE}PATH.toml",
    )


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
    fixed, best = pair_name(f"{STAND_ON}5", f"{STAND_ON}5"), pair_name(EQUILIBRIUM, EQUILIBRIUM)
    alone = rules.seats == 1
    return StrategyPlan(
        names=names_of(rules, PLAYER),
        banks=names_of(rules, BANK),
        analysed=(best if alone else pair_name(f"{STAND_ON}5", BEST_BY_OWN_HAND), fixed),
        played=(best, fixed) if alone else (fixed,),
        simpler=simpler if alone else lambda game: (),
    )


def simpler(game: Game) -> tuple[str, ...]:
    """Returns the simpler strategies of the player against the bank's equilibrium: the best single total first."""
    terms = terms_of(game)
    kinds = (STAND_ON, SWAP_THEN_STAND_ON) if terms.rules.swap else (STAND_ON,)
    totals = [format_half_points(total).replace("½", ".5") for total in range(7, 14)]
    names = [pair_name(f"{kind}{total}", EQUILIBRIUM) for kind in kinds for total in totals]
    return tuple(
        sorted(
            names,
            key=lambda name: analyze_pair(game, conduct(game, *split_name(name))).wagers[0].expectation,
            reverse=True,
        )[:3]
    )
