"""Rules of 7 e Mezzo as parameters; every reading of a text is one of them."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from certify.errors import InputError
from certify.exact import format_half_points
from certify.families.declared_rules import Stated, own_rules
from certify.families.port import Problems, RuleReader, Variant
from certify.families.seven_and_a_half.cards import (
    MATTA_AS_PLAYED,
    MATTA_TABLE,
    SEVEN_AND_A_HALF,
    SUITS,
    require_target,
    with_cards,
)
from certify.model import Game, Paytable, Strategy

HIT: Final = "hit"
STAND: Final = "stand"

Seen = tuple[int, int, tuple[int, ...]]
"""What the player sees: rank of the first card, further cards of that rank in the hand, hand by class."""


@dataclass(frozen=True, slots=True)
class HitTable:
    """A complete strategy: for every hand that can occur, whether to draw.

    Args:
        name: Name of the strategy, as on the command line.
        strategy_class: What the strategy looks at, such as ``composition-dependent``, ``total-dependent`` or
            ``printed card``, and what it always does where it leaves nothing to choose.
        draws: Hands (cards counted by class) on which the player draws; on all others the player stands.
            Forced draws on a first face and the end of the hand on 7½ or a bust belong to the rules.
        looks_at_first_card: Whether the strategy needs to know which card came first; where it does,
            ``draws_by_first`` holds it and ``draws`` only the hands drawn on whatever came first.
        draws_by_first: (Rank of the first card, further cards of that rank in the hand, hand) on which the
            player draws.
    """

    name: str
    strategy_class: str
    draws: frozenset[tuple[int, ...]]
    looks_at_first_card: bool = False
    draws_by_first: frozenset[Seen] = frozenset()

    def choose(self, sees: Hashable, options: Sequence[str]) -> str:
        """Returns ``hit`` or ``stand`` for what the player sees; where the rules leave one option, that one.

        Raises:
            InputError: What is seen is not what a player of this family sees.
        """
        if len(options) == 1:
            return options[0]
        if not (isinstance(sees, tuple) and len(sees) == 3):
            raise InputError(f"strategy {self.name!r} got {sees!r}, expected first rank, further ones, hand")
        drawn = sees in self.draws_by_first if self.looks_at_first_card else sees[2] in self.draws
        return HIT if drawn else STAND

    def table(self) -> object:
        """Returns the hands drawn on, sorted."""
        by_first = sorted(self.draws_by_first) if self.looks_at_first_card else None
        return {"draws": sorted(self.draws), "draws_by_first": by_first}


def hit_table(strategy: Strategy) -> HitTable:
    """Returns a strategy as a table of this family.

    Raises:
        InputError: It is a strategy of another family.
    """
    if isinstance(strategy, HitTable):
        return strategy
    raise InputError(f"strategy {strategy.name!r} is of another family: expected a table of hands drawn on")


class Tie(StrEnum):
    """What happens to the main wager when player and dealer end on the same total."""

    LOSE = "lose"
    PUSH = "push"


class PairCondition(StrEnum):
    """When a pair of first cards wins Partita Perfetta."""

    UNCONDITIONAL = "unconditional"
    DEALER_MUST_UNCOVER = "dealer-must-uncover"


@dataclass(frozen=True, slots=True)
class SetteEMezzoRules:
    """Rules of ``playtech-7-e-mezzo``; totals are in half points.

    Args:
        tie: What a tie does to the main wager.
        king_wins_against_dealer_seven_and_a_half: Whether the player's two-card 7½ with the King of
            Denari is paid against a dealer's 7½; where not, such a round is settled as a tie.
        dealer_stands_on: Total on which the dealer stands against a player below 7½ (6 is three points).
        player_draws_on_first_face: Whether a first face card, King of Denari included, draws one more card.
        dealer_draws_on_first_face: The same for the dealer.
        dealer_chases_seven_and_a_half: Whether the dealer draws below 7½ against a player's 7½.
        pair_condition: When a pair of first cards wins Partita Perfetta.
    """

    tie: Tie = Tie.LOSE
    king_wins_against_dealer_seven_and_a_half: bool = False
    dealer_stands_on: int = 6
    player_draws_on_first_face: bool = True
    dealer_draws_on_first_face: bool = True
    dealer_chases_seven_and_a_half: bool = True
    pair_condition: PairCondition = PairCondition.DEALER_MUST_UNCOVER


MAIN: Final = "main"
PARTITA_PERFETTA: Final = "partita-perfetta"
MANO_DI_POKER: Final = "mano-di-poker"
WAGER_IDS: Final = (MAIN, PARTITA_PERFETTA, MANO_DI_POKER)

KING_SEVEN_AND_A_HALF: Final = "king-of-denari-seven-and-a-half"
WIN, PUSH, LOSE, BUST = "win", "push", "lose", "bust"
PAIR_OF_SEVENS, PAIR_OF_FACES, PAIR_ACE_TO_SIX = "pair-of-sevens", "pair-of-faces", "pair-ace-to-six"
NOT_UNCOVERED, NO_SECOND_CARD = "not-uncovered", "no-second-card"
LOSING: Final = (LOSE, BUST, NOT_UNCOVERED, NO_SECOND_CARD)
"""Outcomes that lose the stake."""
ROYAL_FLUSH, STRAIGHT_FLUSH, THREE_OF_A_KIND = "royal-flush", "straight-flush", "three-of-a-kind"
FLUSH, STRAIGHT = "flush", "straight"
COMBINATIONS: Final = (ROYAL_FLUSH, STRAIGHT_FLUSH, THREE_OF_A_KIND, FLUSH, STRAIGHT)
"""Combinations of Mano di Poker in printed order, the best first."""

RULE_IDS: Final = (
    "target",
    "player-draws-on-first-face",
    "dealer-draws-on-first-face",
    "dealer-stands-on",
    "dealer-chases-seven-and-a-half",
    "dealer-plays-after-player-bust",
    "tie",
    "king-wins-against-dealer-seven-and-a-half",
    "pair-condition",
)


def read_rules(read: RuleReader) -> SetteEMezzoRules:
    """Returns the rules that a submission states."""
    require_target(read)
    read.refuse_where(
        read.flag("dealer-plays-after-player-bust", False),
        "dealer-plays-after-player-bust",
        "not supported: this family's dealer does not play after a player's bust, expected false; no wager of the "
        "family depends on it, and a play-out for other seats is not dealt here",
    )
    stands_on = read.points("dealer-stands-on", 6)
    read.refuse_where(
        not 1 <= stands_on < SEVEN_AND_A_HALF,
        "dealer-stands-on",
        "the dealer's stand must be between ½ and 7",
    )
    return SetteEMezzoRules(
        tie=Tie(read.choice("tie", Tie.LOSE, tuple(Tie))),
        king_wins_against_dealer_seven_and_a_half=read.flag(
            "king-wins-against-dealer-seven-and-a-half", True
        ),
        dealer_stands_on=stands_on,
        player_draws_on_first_face=read.flag("player-draws-on-first-face", True),
        dealer_draws_on_first_face=read.flag("dealer-draws-on-first-face", True),
        dealer_chases_seven_and_a_half=read.flag("dealer-chases-seven-and-a-half", True),
        pair_condition=PairCondition(
            read.choice("pair-condition", PairCondition.DEALER_MUST_UNCOVER, tuple(PairCondition))
        ),
    )


FAMILY_ID: Final = "sette-e-mezzo"
"""Id of the family, as submissions name it."""


rules_of: Final = own_rules(SetteEMezzoRules, FAMILY_ID)
"""Returns the rules of a game of this family; a game of another family is refused."""


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    if wager == MAIN:
        return (KING_SEVEN_AND_A_HALF, WIN, *((PUSH,) if rules_of(game).tie is Tie.PUSH else ()))
    return COMBINATIONS if wager == MANO_DI_POKER else (PAIR_OF_SEVENS, PAIR_OF_FACES, PAIR_ACE_TO_SIX)


def _other_rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that return nothing."""
    if wager == MAIN:
        return (LOSE, BUST)
    forfeits = rules_of(game).pair_condition is PairCondition.DEALER_MUST_UNCOVER
    before = NO_SECOND_CARD if wager == MANO_DI_POKER else NOT_UNCOVERED if forfeits else ""
    return (before, LOSE) if before else (LOSE,)


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    return with_cards(game, SUITS, MATTA_AS_PLAYED, tables, problems)


STATED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=RULE_IDS,
    wager_ids=WAGER_IDS,
    rules=read_rules,
    rows=_rows,
    losing=_other_rows,
    # Joint figures are counted over all three.
    required=WAGER_IDS,
    tables=MATTA_TABLE,
    checked=_checked,
)
"""Rules, wagers, rows and tables of 7 e Mezzo."""


# --- one rule of play otherwise -----------------------------------------------------------------------------


def variants(game: Game) -> Iterator[Variant]:
    """Yields the game with each of its rules otherwise, one at a time."""
    for subject, words, rules in _other_rules(rules_of(game)):
        yield Variant(subject, words, with_push(replace(game, rules=rules)))


def with_push(game: Game) -> Game:
    """Returns a game whose paytable names the tie that returns the stake, where the rules have one."""
    main, *others = game.wagers
    if rules_of(game).tie is Tie.LOSE or PUSH in main.paytable.ids:
        return game
    returned = replace(main.paytable.rows[0], id=PUSH, title="Tie", pays=Fraction(0))
    rows = Paytable((*main.paytable.rows, returned))
    return replace(game, wagers=(replace(main, paytable=rows), *others))


def _other_rules(rules: SetteEMezzoRules) -> Iterator[tuple[str, str, SetteEMezzoRules]]:
    tie = Tie.PUSH if rules.tie is Tie.LOSE else Tie.LOSE
    yield "tie", f"a tie is a {tie.value}", replace(rules, tie=tie)
    for name in (
        "king_wins_against_dealer_seven_and_a_half",
        "player_draws_on_first_face",
        "dealer_draws_on_first_face",
        "dealer_chases_seven_and_a_half",
    ):
        other = not getattr(rules, name)
        changed = replace(rules, **{name: other})  # type: ignore[arg-type]
        yield name.replace("_", "-"), "yes" if other else "no", changed
    for total in (rules.dealer_stands_on - 1, rules.dealer_stands_on + 1):
        words = f"the dealer stands on {format_half_points(total)}"
        yield "dealer-stands-on", words, replace(rules, dealer_stands_on=total)
    free = rules.pair_condition is PairCondition.UNCONDITIONAL
    condition = PairCondition.DEALER_MUST_UNCOVER if free else PairCondition.UNCONDITIONAL
    yield "pair-condition", condition.value, replace(rules, pair_condition=condition)
