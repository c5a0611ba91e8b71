"""The family of video poker games."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.analysis.engine.exposure import costliest
from certify.analysis.engine.identify import OneLostPay
from certify.analysis.explanation import Explanation
from certify.analysis.hands.holds import HAND, HOLD_IDS, HOLD_OF, arranged, faces_named
from certify.analysis.hands.strength import RANKS
from certify.evidence import (
    Basis,
    Sections,
    SupplementaryColumn,
    SupplementaryFigure,
    SupplementaryRow,
    SupplementaryTable,
    Unit,
    plain,
)
from certify.families.declared_rules import Stated
from certify.families.port import (
    Family,
    FamilyChecks,
    FamilyForm,
    FamilyPages,
    FamilySources,
    FamilyStrategies,
    StrategyPlan,
)
from certify.families.video_poker import figures
from certify.families.video_poker.play import VideoPokerVolume
from certify.families.video_poker.second import settle
from certify.families.video_poker.text import (
    BET,
    BONUS_ROWS,
    FAMILY_ID,
    OPTIONAL_RULES,
    RANKING,
    ROWS_OF_KIND,
    RULE_IDS,
    deck_of,
    hold_table,
    read_rules,
    reference,
    rules_of,
)
from certify.messages import say, worded
from certify.model import (
    FRENCH_SUITS,
    MAIN_OPTIMAL,
    Analysis,
    Exposure,
    Game,
    Joint,
    Kind,
    Message,
    Parameter,
    Price,
    Recipe,
    Row,
    Strategy,
    joint_of_one_wager,
    shoe,
)

LEAST_CARDS: Final = 10
"""A deck holds a hand and five more cards, for a player who draws all anew."""

MOST_JOKERS: Final = 2


def _possible(game: Game) -> tuple[str, ...]:
    rules = rules_of(game)
    bonus = BONUS_ROWS if rules.wild == "none" else ()
    return tuple(row for row in RANKING if row in (*rules.required_rows, *bonus))


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that a paytable must name, and those that it splits off four of a kind, highest first."""
    required = rules_of(game).required_rows
    named = {row for one in game.wagers for row in one.paytable.ids}
    return tuple(row for row in _possible(game) if row in named or row in required)


def _unnamed(game: Game, wager: str) -> tuple[str, ...]:
    """Returns the rows that the paytable may name and does not."""
    named = game.wager(wager).paytable.ids
    return tuple(row for row in _possible(game) if row not in named)


def _shown(game: Game) -> Game:
    """Returns the game, its rules with the suits of the deck."""
    if not game.equipment:
        return game
    return replace(game, rules=replace(rules_of(game), suits=game.equipment[0].suits))


def _complaint(game: Game) -> str:
    """Returns what is wrong with the deck, nothing where it serves."""
    equipment, rules = game.equipment, rules_of(game)
    if [piece.kind for piece in equipment] != [Kind.SHOE] or equipment[0].decks != 1:
        return "video poker is dealt from one deck: expected one piece of the kind shoe with one deck"
    (deck,) = equipment
    if any(rank not in RANKS for rank in deck.ranks) or any(suit not in FRENCH_SUITS for suit in deck.suits):
        return f"expected ranks of {', '.join(RANKS)} and suits of {', '.join(FRENCH_SUITS)}"
    jokers = [face for face in deck.faces if " of " not in face]
    if len(deck.faces) - len(jokers) != len(deck.ranks) * len(deck.suits):
        return "a deck with cards removed is not supported: suits would not be equal any more"
    if bool(jokers) != rules.jokers_wild or len(jokers) > MOST_JOKERS:
        return f'{len(jokers)} jokers, and wild cards "{rules.wild}": expected 1 or 2 jokers where jokers are wild'
    if rules.deuces_wild and "2" not in deck.ranks:
        return "deuces are wild in a deck without any"
    if deck.size < LEAST_CARDS:
        return f"a deck of {deck.size} cards: expected at least {LEAST_CARDS}, a hand and five to draw"
    return ""


STATED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=RULE_IDS,
    optional_rules=OPTIONAL_RULES,
    wager_ids=(BET,),
    rules=read_rules,
    rows=_rows,
    complaint=_complaint,
    optional_rows=_unnamed,
    required=(BET,),
    completed=_shown,
)
"""Rules, the one wager, rows and deck of video poker."""


class VideoPokerExact:
    """Exact figures by complete enumeration of deals and holds."""

    def analyze(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Analysis:
        """Returns the exact figures of the bet under a named strategy; stakes change nothing for one wager."""
        return figures.analyze_table(game, figures.table_of(game, strategy))

    def analyze_table(self, game: Game, strategy: Strategy) -> Analysis:
        """Returns the exact figures of the bet under a strategy."""
        return figures.analyze_table(game, hold_table(strategy))

    def joint(self, game: Game, strategy: str, stakes: Mapping[str, Fraction] | None = None) -> Joint:
        """Returns the distribution of the one wager."""
        return joint_of_one_wager(self.analyze(game, strategy))

    def exposure(self, game: Game) -> Exposure:
        """Returns the most that one round can cost the house, with a deal that shows it."""
        rows = {row.id: self.shows(game, BET, row.id.__eq__) for row in game.wager(BET).paytable.rows}
        pays = game.wager(BET).paytable.pays
        prices = {row: {BET: Price(pays(row), Fraction(1))} for row, found in rows.items() if found}

        def dealt(row: str) -> tuple[Row, tuple[str, ...]]:
            shown, faces = rows[row], game.equipment[0].faces
            hand = [faces.index(name) for name in shown.faces] if shown else []
            rest = (face for face in range(game.equipment[0].size) if face not in hand)
            return (*hand, *rest), (HOLD_IDS[0],)

        return costliest(game, prices, dealt)

    def shows(self, game: Game, wager: str, falls: Callable[[str], bool]) -> Recipe | None:
        """Returns a hand, held as dealt, whose outcome falls as required; none where no hand of the deck does."""
        rules, names = reference(game), game.equipment[0].faces
        faces = figures.hand_that(rules.deck, rules.rules, lambda kind: falls(rules.paid(ROWS_OF_KIND[kind])))
        return None if faces is None else Recipe(tuple(names[face] for face in faces), (HOLD_IDS[0],))

    def explain(self, game: Game, text: str) -> Explanation:
        """Returns what every hold of a hand is worth, such as ``A of hearts, K of hearts, ...``.

        Raises:
            InputError: The text does not name five different cards of the deck.
        """
        hand = faces_named(game.equipment[0], text, HAND, "five different cards")
        values = figures.values_of_hand(game, hand)
        best = max(HOLD_IDS, key=lambda hold: values[HOLD_OF[hold]])
        named = tuple((hold, values[HOLD_OF[hold]]) for hold in HOLD_IDS)
        names = (game.equipment[0].faces[face] for face in arranged(deck_of(game), hand))
        return Explanation(", ".join(names), None, None, (), None, (), None, best, named)


HANDS: Final = (3, 5, 10, 25, 50, 100)
"""Numbers of hands on one deal whose variance is listed."""


class VideoPokerSections:
    """The variance of several hands on one deal, the same in the evidence and on the terminal."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns the table as plain values."""
        return {"supplementary_tables": plain((_several_hands(game, analysis),))}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the table under the first strategy."""
        return Sections(supplementary_tables=(_several_hands(game, next(iter(analyses.values()))),))


def _several_hands(game: Game, analysis: Analysis) -> SupplementaryTable:
    shared, alone = figures.covariance(game, hold_table(analysis.strategy)), analysis.wager(BET).variance

    def row(of: Message, value: Fraction) -> SupplementaryRow:
        figure = SupplementaryFigure(value, value, Unit.SQUARED, Basis.EXACT)
        return SupplementaryRow(figures={"variance": figure}, detail="", **worded(of=of))

    several = (row(_said("hands", hands=many), alone + (many - 1) * shared) for many in HANDS)
    return SupplementaryTable(
        id="several-hands",
        columns=(SupplementaryColumn(id="variance", **worded(title=_said("variance"))),),
        rows=(row(_said("covariance"), shared), *several),
        **worded(title=_said("several-hands"), remark=_said("several-hands.remark")),
    )


def _said(message: str, **parameters: Parameter) -> Message:
    return say(f"{FAMILY_ID}.table.{message}", **parameters)


def plan(game: Game) -> StrategyPlan:
    """Returns the named strategies."""
    return StrategyPlan(
        names=(MAIN_OPTIMAL, "hold-list", "as-dealt", "file:PATH.toml"),
        analysed=(MAIN_OPTIMAL, "hold-list"),
        played=(MAIN_OPTIMAL, "hold-list"),
        simpler=lambda _: ("hold-list", "as-dealt"),
    )


_SMALLER: Final = {
    "none": (("10", "J", "Q", "K", "A"), ()),
    "deuces": (("2", "3", "J", "K", "A"), ()),
    "jokers": (("J", "Q", "K", "A"), ("joker", "joker 2")),
}
"""Ranks and jokers of decks of two suits on which every path is walked, by what is wild."""


def smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from ten cards."""
    ranks, jokers = _SMALLER[rules_of(game).wild]
    (piece,) = game.equipment
    yield replace(game, equipment=(shoe(piece.id, ranks, piece.suits[:2], jokers=jokers),))


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Video poker with one draw: jacks or better, bonus tables, deuces or jokers wild",
    rules=STATED,
    reference=reference,
    volume=VideoPokerVolume(),
    second=settle,
    exact=VideoPokerExact(),
    strategies=FamilyStrategies(plan=plan),
    sources=FamilySources(identify=OneLostPay(lambda game, _: figures.return_of_best(game)).identify),
    checks=FamilyChecks(smaller=smaller),
    pages=FamilyPages(sections=VideoPokerSections()),
    form=FamilyForm(machine=True),
)
