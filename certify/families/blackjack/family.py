"""The family of blackjack."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from certify.errors import InputError
from certify.families.blackjack import rules as ids, side_bets
from certify.families.blackjack.exact.strategies import plan, read_card
from certify.families.blackjack.exact.terms import Convention, terms_of
from certify.families.blackjack.figures import EXACT, variants
from certify.families.blackjack.reference import reference
from certify.families.blackjack.rules import FAMILY_ID, rules_of
from certify.families.blackjack.second import settle
from certify.families.blackjack.side_bets import value_of
from certify.families.blackjack.volume.port import BlackjackVolume
from certify.families.declared_rules import Stated, french_shoe
from certify.families.port import (
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyPages,
    FamilyStrategies,
    FindingBasis,
    Problems,
)
from certify.messages.say import say
from certify.model import MAIN_OPTIMAL, Equipment, FindingDraft, Game, Kind, Recipe, Severity, shoe

_LEAST, _MOST = 24, 8 * 52
"""Cards of the smallest and the largest shoe that is dealt from."""

_OPTIONAL = (ids.SUITED_NATURAL, *ids.BY_SUITS[ids.SEVENS], *ids.BY_SUITS[ids.RUN], *ids.LONG)


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name; all but a win, a natural and a push may be left out."""
    if wager != ids.MAIN:
        return side_bets.paid_rows(game, wager)
    named = {row for one in game.wagers if one.id == ids.MAIN for row in one.paytable.ids}
    never = set() if rules_of(game).charlie else {ids.CHARLIE}
    return tuple(row for row in ids.ROWS if row not in never and (row in named or row not in _OPTIONAL))


def _unreachable(game: Game, wager: str) -> tuple[str, ...]:
    never = side_bets.out_of_reach(game.equipment[0], side_bets.ROWS.get(wager, ids.ROWS))
    charlie = 0 if wager in side_bets.ROWS else rules_of(game).charlie
    return (*never, *(row for cards, row in enumerate(ids.LONG, 5) if 0 < charlie < cards))


def _complaint(game: Game) -> str:
    """Returns what is wrong with the cards of a game; empty where they serve."""
    if [piece.kind for piece in game.equipment] != [Kind.WHEEL]:
        complaint = french_shoe(game, _LEAST)
        (size, *_) = (piece.size for piece in game.equipment) if game.equipment else (0,)
        return complaint or (f"a shoe of {size} cards: expected at most {_MOST}" if size > _MOST else "")
    (piece,) = game.equipment
    return _endless(piece)


def _endless(piece: Equipment) -> str:
    """Returns what is wrong with an endless deck, whose cards come as stops of a wheel do."""
    try:
        for face in piece.faces:
            value_of(face)
    except InputError as error:
        return f"an endless deck: {error}"
    return (
        ""
        if piece.supply >= _LEAST
        else f"an infinite deck of {piece.supply} draws: expected at least {_LEAST}"
    )


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    """Returns the game; records rows that need suits where cards have none, and pays that are not played."""
    suited = ids.SUITED_ROWS
    plain = any(" of " not in face for piece in game.equipment for face in piece.faces)
    for place, wager in enumerate(game.wagers):
        for position, row in enumerate(wager.paytable.rows):
            key = ("wagers", place, "paytable", position, "id")
            problems.refuse_where(
                plain and (row.id in suited or wager.id in side_bets.ROWS),
                key,
                f'row "{row.id}" looks at suits: expected cards such as "K of hearts"',
            )
            for base, rows in ids.BY_SUITS.items():
                problems.refuse_where(
                    row.id in rows and base not in wager.paytable.ids,
                    key,
                    f'row "{row.id}" is counted together with a row "{base}" alone: expected both',
                )
            problems.refuse_where(
                wager.id == ids.MAIN and row.id == ids.PUSH and row.pays,
                key,
                "a push gives the stake back: expected a pay of 0",
            )
    return game


SUBMITTED = Stated(
    family=ids.FAMILY_ID,
    rule_ids=ids.RULE_IDS,
    optional_rules=ids.OPTIONAL_RULES,
    wager_ids=ids.WAGER_IDS,
    rules=ids.read_rules,
    rows=_rows,
    complaint=_complaint,
    unreachable=_unreachable,
    required=(ids.MAIN,),
    row=ids.row_of,
    checked=_checked,
)
"""Rules, wagers, rows and cards of blackjack."""


_SUITS: Final = {"d": "diamonds", "h": "hearts", "s": "spades", "c": "clubs"}


_TENS: Final = (("10", "10"), ("10", "Q"), ("10", "J"), ("10", "K"), ("K", "J"), ("K", "10"))
"""A rank, and one that is dealt in its place: Spanish decks are without tens, and any card may be taken out."""

_COLOURS: Final = ("dhsc", "hdsc", "dhcs", "hdcs", "scdh", "csdh", "schd", "cshd")
"""Suits in place of diamonds, hearts, spades and clubs, so that cards of one colour stay so."""


def _dealt(*rounds: str) -> tuple[Recipe, ...]:
    """Returns rounds, each cards and after a colon what is decided; where one does not serve the next is tried.

    Each is tried with other tens and suits too, and without suits, as an endless deck may have none.
    """
    found = []
    for one in rounds:
        cards, _, decided = one.partition(":")
        for rank, other in _TENS:
            dealt = [(other if card[:-1] == rank else card[:-1], card[-1]) for card in cards.split()]
            faces = [
                tuple(f"{name} of {_SUITS[suits['dhsc'.index(suit)]]}" for name, suit in dealt)
                for suits in _COLOURS
            ]
            found += [
                Recipe(some, tuple(decided.split())) for some in (*faces, tuple(name for name, _ in dealt))
            ]
    return tuple(dict.fromkeys(found))


_LOST: Final = _dealt("10h 6s 9d 10c 5h: stand", "10h 6s 9d 10c 5h")

RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (ids.MAIN, ids.SUITED_NATURAL): _dealt("Ah 6s Kh 10c"),
    (ids.MAIN, ids.NATURAL): _dealt("Ah 6s Kd 10c"),
    (ids.MAIN, ids.SUITED_SEVENS): _dealt("7h 6s 7h 10c 7h: hit", "7h 6s 7h 7h: hit"),
    (ids.MAIN, ids.SEVENS): _dealt("7h 6s 7d 10c 7s: hit", "7h 6s 7d 7s: hit"),
    (ids.MAIN, ids.SPADE_SEVENS): _dealt("7s 6s 7s 10c 7s: hit", "7s 6s 7s 7s: hit"),
    (ids.MAIN, ids.SPADE_RUN): _dealt("6s 5h 7s 10c 8s: hit", "6s 5h 7s 8s: hit"),
    (ids.MAIN, ids.SUITED_RUN): _dealt("6h 5h 7h 10c 8h: hit", "6h 5h 7h 8h: hit"),
    (ids.MAIN, ids.RUN): _dealt("6h 5h 7d 10c 8s: hit", "6h 5h 7d 8s: hit"),
    (ids.MAIN, ids.LONG[0]): _dealt("2h 6s 3d 10c 4h 5d 7s: hit hit hit", "2h 6s 3d 4h 5d 7s: hit hit hit"),
    (ids.MAIN, ids.LONG[1]): _dealt(
        "2h 6s 3d 10c 2s 4h 5d 5s: hit hit hit hit", "2h 6s 3d 2s 4h 5d 5s: hit hit hit hit"
    ),
    (ids.MAIN, ids.LONG[2]): _dealt(
        "2h 6s 2d 10c 3s 3h 2c 4d 5s: hit hit hit hit hit", "2h 6s 2d 3s 3h 2c 4d 5s: hit hit hit hit hit"
    ),
    (ids.MAIN, ids.CHARLIE): _dealt(
        "2h 6s 3d 10c 2d 3h 4h 2s: hit hit hit",
        "2h 6s 2d 10c 2s 2c 3h 3d 3s: hit hit hit hit",
        "2h 6s 2d 10c 2s 2c 3h 3d 3s: hit hit hit hit hit",
        "2h 6s 2d 2s 2c 3h 3d 3s: hit hit hit hit hit",
        "2h 6s 2d 10c 2s 2c 2h 2d 2s: hit hit hit hit hit",
        "2h 6s 2d 2s 2c 2h 2d 2s: hit hit hit hit hit",
    ),
    (ids.MAIN, ids.WIN): _dealt("10h 6s 9d 10c 10d: stand", "10h 6s 9d 10c: stand"),
    (ids.MAIN, ids.PUSH): _dealt("10h 6s 9d 7c 6d: stand"),
    (ids.MAIN, ids.LOSE): _LOST,
    (ids.PERFECT_PAIRS, side_bets.PERFECT): _dealt("9h 6s 9h"),
    (ids.PERFECT_PAIRS, side_bets.COLOURED): _dealt("9h 6s 9d"),
    (ids.PERFECT_PAIRS, side_bets.MIXED): _dealt("9h 6s 9c"),
    (ids.PERFECT_PAIRS, ids.LOSE): _LOST,
    (ids.TWENTY_ONE_THREE, side_bets.SUITED_THREE): _dealt("6s 6s 6s"),
    (ids.TWENTY_ONE_THREE, side_bets.STRAIGHT_FLUSH): _dealt("7s 6s 8s"),
    (ids.TWENTY_ONE_THREE, side_bets.THREE): _dealt("6h 6s 6d"),
    (ids.TWENTY_ONE_THREE, side_bets.STRAIGHT): _dealt("7h 6s 8d"),
    (ids.TWENTY_ONE_THREE, side_bets.FLUSH): _dealt("2s 6s 9s"),
    (ids.TWENTY_ONE_THREE, ids.LOSE): _LOST,
    (ids.LUCKY_LADIES, side_bets.QUEENS_AND_NATURAL): _dealt("Qh As Qh Kc", "Qh As Qh Kc: decline"),
    (ids.LUCKY_LADIES, side_bets.QUEENS): _dealt("Qh 6s Qh Kc"),
    (ids.LUCKY_LADIES, side_bets.MATCHED): _dealt("Kh 6s Kh Kc"),
    (ids.LUCKY_LADIES, side_bets.SUITED): _dealt("Kh 6s 10h Kc"),
    (ids.LUCKY_LADIES, side_bets.TWENTY): _dealt("Kh 6s 10d Kc"),
    (ids.LUCKY_LADIES, ids.LOSE): _LOST,
}


def findings(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Yields by which convention split hands are played, and that a cut card changes no figure, where there is any."""
    rules = terms_of(basis.game).rules
    if MAIN_OPTIMAL in basis.analyses and rules.split_hands > 1:
        yield _note("split-hands", convention=Convention.AS_UNSPLIT.value)
    if rules.cut_card:
        yield _note("cut-card", cards=str(rules.cut_card))


def _note(name: str, **words: str) -> FindingDraft:
    return FindingDraft(
        Severity.NOTE,
        say(f"{FAMILY_ID}.finding.{name}"),
        say(f"{FAMILY_ID}.finding.{name}.detail", **words),
        reproduce="certify analyze {game} --strategy main-optimal",
        status="information",
        action=say("finding.action.information"),
    )


_SMALLER: Final = (("8", "K"), 8)
"""Ranks of a shoe on which every path is walked, and cards of each: it makes pairs to four hands, and busts."""


def smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from so few cards that every path is walked."""
    (piece,) = game.equipment
    if piece.kind is Kind.SHOE:
        ranks, cards = _SMALLER
        yield replace(game, equipment=(shoe(piece.id, ranks, piece.suits[:1], decks=cards),))


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Blackjack: hands of twenty-one against the dealer, with doubles, splits, insurance and side bets",
    rules=SUBMITTED,
    reference=reference,
    exact=EXACT,
    volume=BlackjackVolume(),
    second=settle,
    strategies=FamilyStrategies(cards=read_card, plan=plan),
    alternatives=FamilyAlternatives(variants=variants),
    checks=FamilyChecks(smaller=smaller, recipes=RECIPES),
    pages=FamilyPages(findings=findings),
)
