"""The family of Seven and a Half against a bank that plays as it likes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from certify.analysis.par_sheet import edge_evidence
from certify.by_key import gathered
from certify.evidence import Edge, Sections, plain
from certify.families.declared_rules import Stated, with_rules
from certify.families.free_bank import rulebook
from certify.families.free_bank.exact.best_bank import worth_to_a_bank_that_swaps
from certify.families.free_bank.exact.hands import terms_of
from certify.families.free_bank.exact.names import conduct, plan, solved, split_name
from certify.families.free_bank.exact.port import (
    FreeBankCertificate,
    FreeBankExact,
    gain_of_choosing_stakes,
    variants,
)
from certify.families.free_bank.reference import FreeBankRound, reference
from certify.families.free_bank.rules import (
    BET,
    FAMILY_ID,
    MOST_SEATS,
    RULE_IDS,
    FreeBankRules,
    read_rules,
    rules_of,
)
from certify.families.free_bank.strategy import COVER, HIT, NO_CARD, SPLIT, STAND, BankTable, Pair, StandOn
from certify.families.free_bank.supplementary_tables import passing_tables, tables_of_several_seats
from certify.families.free_bank.volume.port import FreeBankVolume
from certify.families.port import (
    Chance,
    Choice,
    Family,
    FamilyAlternatives,
    FamilyChecks,
    FamilyPages,
    FamilyStrategies,
    FindingBasis,
    Problems,
    Settled,
    TableForm,
)
from certify.families.seven_and_a_half.cards import (
    FRENCH_SUITS,
    MATTA_AS_PLAYED,
    SUITS,
    SubmittedMatta,
    with_cards,
)
from certify.messages import say, worded
from certify.model import (
    EQUILIBRIUM,
    Analysis,
    FindingDraft,
    Game,
    Matter,
    Message,
    Parameter,
    Recipe,
    Severity,
    Strategy,
    pair_name,
    shoe,
)

SPANISH_SUITS: Final = ("Oros", "Copas", "Espadas", "Bastos")
"""Suits of the Spanish deck, in the order of the ids."""


def _checked(game: Game, tables: Mapping[str, Any], problems: Problems) -> Game:
    """Returns the game with the values of its cards; records what is not played here."""
    rules = rules_of(game)
    problems.refuse_where(
        rules.matta and tables.get("matta") is None,
        ("matta",),
        "the rules know a matta: expected a table that names it",
    )
    problems.refuse_where(
        not rules.matta and tables.get("matta") is not None,
        ("matta",),
        'the rules know no matta: expected rule "matta" to be true, or no such table',
    )
    decks = game.equipment[1:]
    problems.refuse_where(
        rules.seats == 1 and decks, ("equipment",), "one seat never empties a deck: expected one deck"
    )
    problems.refuse_where(
        any(deck.shows != game.equipment[0].shows or deck.faces != game.equipment[0].faces for deck in decks),
        ("equipment",),
        "further decks give the order of the same forty cards: expected equal ones",
    )
    dealt = replace(game, equipment=game.equipment[:1])
    read = with_cards(dealt, _suits(game, rules), MATTA_AS_PLAYED, tables, problems)
    return replace(read, equipment=game.equipment)


def _rows(game: Game, wager: str) -> tuple[str, ...]:
    return rulebook.PAID if rules_of(game).reale else rulebook.PAID[1:]


def _losing(game: Game, wager: str) -> tuple[str, ...]:
    rules = rules_of(game)
    return (
        rulebook.LOSE,
        rulebook.BUST,
        rulebook.BANK_SEVEN_AND_A_HALF,
        rulebook.BOTH_SEVEN_AND_A_HALF,
        *((rulebook.BOTH_REALE,) if rules.reale else ()),
        *((rulebook.SPLIT,) if rules.hands > 1 else ()),
    )


def _row(outcome: str) -> str:
    """Returns the outcome itself; of several hands, the row of rounds that were split."""
    return rulebook.SPLIT if rulebook.AND in outcome else outcome


def _suits(game: Game, rules: FreeBankRules) -> tuple[str, ...]:
    """Returns the suits that the deck is held to: those it has, where the game is played with them."""
    stated = game.equipment[0].suits if game.equipment else SUITS
    known = (SUITS,) if rules.matta else (SUITS, SPANISH_SUITS, FRENCH_SUITS)
    return stated if stated in known else known[0]


SUBMITTED: Final = Stated(
    family=FAMILY_ID,
    rule_ids=RULE_IDS,
    wager_ids=(BET,),
    rules=read_rules,
    rows=_rows,
    required=(BET,),
    losing=_losing,
    row=_row,
    bankers=("player",),
    tables={"matta": TableForm(SubmittedMatta)},
    checked=_checked,
)
"""Rules, the bet, its rows and tables of a game with a free bank."""


CARDS: Final = ("A", "3", "4", "5", "7", "7", "J", "Q", "K")
"""Ranks of cards with which a hand can be swapped, win, tie, exceed 7½, be 7½ in two cards or in more."""

WITH_SPLITS: Final = ("3", "4", "5", "7", "7", "J", "J", "Q", "K")
"""The same for games that split, with faces for four hands."""


def smaller(game: Game) -> Iterator[Game]:
    """Yields the game dealt from nine of its cards, the matta among them where it has one; one seat never empties them.

    Of several seats nothing is yielded: what is counted exactly is one seat against the bank.
    """
    rules = rules_of(game)
    if rules.seats > 1:
        return
    (deck,) = game.equipment
    kept: set[str] = set()
    for rank in CARDS if rules.hands == 1 else WITH_SPLITS:
        kept.add(next(card for suit in deck.suits if (card := f"{rank} of {suit}") not in kept))
    removed = [card for card in deck.faces if card not in kept]
    yield replace(game, equipment=(shoe(deck.id, deck.ranks, deck.suits, removed=removed),))


class FreeBankSections:
    """The edge, the passing of the bank, and the figures of several seats."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns how the bank passes, with the figures of the equilibrium; nothing with those of another pair."""
        if split_name(analysis.strategy.name) != (EQUILIBRIUM, EQUILIBRIUM):
            return {}
        return {"supplementary_tables": plain(passing_tables(game))}

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns the edge, and the tables of one seat exactly and of several in play-through."""
        tables = (*passing_tables(game), *tables_of_several_seats(game))
        return Sections(edge=_edge(game, analyses), supplementary_tables=tables)


def _edge(game: Game, analyses: Mapping[str, Analysis]) -> Edge | None:
    """Returns who has the edge, with what the value is that of; the common sentence where nothing is to be added."""
    name, analysis = next(iter(analyses.items()))
    if rules_of(game).hands == 1:
        return None
    common = edge_evidence(analysis.wagers[0], name, game.banked_by)
    told = (*common.messages["sentence"], say(f"{FAMILY_ID}.finding.splits-counted"))
    return replace(common, **worded(sentence=told))


_ROUNDS: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]]] = {
    # Ranks in dealing order (the player's first card, the bank's, then draws), what the player decides, and the bank.
    rulebook.REALE: ("7 A J", (HIT,), (STAND,)),
    rulebook.WIN: ("7 6", (STAND,), (STAND,)),
    rulebook.LOSE: ("6 7", (STAND,), (STAND,)),
    rulebook.BUST: ("7 6 5", (HIT,), ()),
    rulebook.BANK_SEVEN_AND_A_HALF: ("6 7 J", (STAND,), (HIT,)),
    rulebook.BOTH_SEVEN_AND_A_HALF: ("A 7 6 J Q", (HIT, HIT), (HIT,)),
    rulebook.BOTH_REALE: ("7 7 J Q", (HIT,), (HIT,)),
    rulebook.SEVEN_AND_A_HALF_WINS: ("A 5 6 J", (HIT, HIT), (STAND,)),
    rulebook.SPLIT: ("J 7 Q", (HIT, SPLIT, STAND, STAND), (STAND,)),
}

_OTHERS: Final = ("2", "3", "4")
"""Ranks of the other seats' first cards, on which they stand."""


def _recipes(ranks: str, player: tuple[str, ...], bank: tuple[str, ...]) -> Iterator[Recipe]:
    # The suit of each card is the first that its rank has not used; in front of a seat's decisions is the cover,
    # where the game asks for one.
    first, *rest = ranks.split()
    for others in range(MOST_SEATS):
        dealt = [first, *(_OTHERS[other // 4] for other in range(others)), *rest]
        # With another seat still in, the bank plays against a seat that exceeded 7½ too.
        last = bank or ((STAND,) if others else ())
        for suits in (SUITS, SPANISH_SUITS, FRENCH_SUITS):
            faces = tuple(
                f"{rank} of {suits[(1 + dealt[:place].count(rank)) % len(suits)]}"
                for place, rank in enumerate(dealt)
            )
            for cover in ((COVER,), ()):
                yield Recipe(faces, (*cover, *player, *(*cover, STAND) * others, *last))


RECIPES: Final[Mapping[tuple[str, str], tuple[Recipe, ...]]] = {
    (BET, row): tuple(_recipes(*shown)) for row, shown in _ROUNDS.items()
}


FIXED: Final = pair_name("stand-on:5", "stand-on:5")
"""The pair of strategies at which readings are compared: what changes is then the rule alone."""

SWAPPING: Final = pair_name("swap-then-stand-on:5", "best-response")
"""The pair at which a bank that may swap is compared with one that may not: only a bank that answers swaps."""

STAKED: Final = (2, 3, 4)
"""Units up to which a player may stake once the first card is seen."""

_RULES: Final = (Matter.SILENT_RULES,)
_FIXED_COMMAND: Final = "certify analyze {game} --strategy stand-on:5 --bank stand-on:5"


def findings(basis: FindingBasis) -> Iterator[FindingDraft]:
    """Yields what a reader must know of the rules of a game with a free bank."""
    game, rules = basis.game, rules_of(basis.game)
    if rules.bank_collects_from_seven_and_a_half > rules.bank_collects:
        yield _both(game, rules)
    yield from _doubled(game)
    if rules.matta:
        # What the King of Denari counts: whatever serves best, or as a face like others.
        yield _otherwise(game, "matta", FIXED, "as-face", _return(with_rules(game, matta=False)))
    if rules.swap and not rules.bank_swaps:
        # Whether the bank may swap too: the text speaks of a player.
        worth = worth_to_a_bank_that_swaps(terms_of(game), conduct(game, *split_name(SWAPPING)).player)
        yield _otherwise(game, "bank-swaps", SWAPPING, "as-bank-swaps", 1 + worth)
    if any(reading.id == "stakes" and reading.alternatives for reading in game.readings):
        yield _stakes(game)
    yield from _edge_of_the_bank(basis, rules)


def _said(message: str, **parameters: Parameter | Fraction) -> Message:
    return say(f"{FAMILY_ID}.finding.{message}", **parameters)


def _return(game: Game, pair: str = FIXED) -> Fraction:
    """Returns the return of the bet, both sides playing as the pair says."""
    return FreeBankExact().analyze(game, pair).wager(BET).return_to_player


def _read(words: Message, value: Fraction) -> Message:
    """Returns a reading with its figure, rounded and exact."""
    return _said("read", words=(words,), value=value)


def _both(game: Game, rules: FreeBankRules) -> FindingDraft:
    """A hand of 7½ pays the bank more than a worse one does."""
    told = _said(
        "both.detail",
        collects=rules.bank_collects_from_seven_and_a_half,
        others=rules.bank_collects,
        pair=FIXED,
        value=_return(game),
    )
    readings = (
        _read(
            _said("as-stakes", stakes=stakes),
            _return(with_rules(game, bank_collects_from_seven_and_a_half=stakes)),
        )
        for stakes in (rules.bank_collects, 1)
    )
    confirm = say("finding.action.information")
    return FindingDraft(
        Severity.MINOR, _said("both"), (told, *readings), _RULES, _FIXED_COMMAND, action=confirm
    )


def _doubled(game: Game) -> Iterator[FindingDraft]:
    """A row of double pay: in addition to the stake, or double in all."""
    bet = game.wager(BET)
    for row in bet.paytable.rows:
        if row.id == rulebook.WIN or row.pays <= 1:
            continue
        rows = tuple(replace(one, pays=Fraction(1)) if one.id == row.id else one for one in bet.paytable.rows)
        other = replace(game, wagers=(replace(bet, paytable=replace(bet.paytable, rows=rows)),))
        name = (say(f"{FAMILY_ID}.outcome.{row.id}"),)
        yield FindingDraft(
            Severity.NOTE,
            _said("doubled", row=name),
            (
                _said("doubled.detail", pays=row.pays, pair=FIXED, value=_return(game)),
                _read(_said("as-one"), _return(other)),
            ),
            _RULES,
            _FIXED_COMMAND,
            "information",
        )


def _otherwise(game: Game, subject: str, pair: str, reading: str, value: Fraction) -> FindingDraft:
    """One rule of which the text can be read otherwise, with the figure of each reading."""
    player, bank = split_name(pair)
    return FindingDraft(
        Severity.NOTE,
        _said(subject),
        (
            _said(f"{subject}.detail", pair=pair),
            _read(_said("as-adopted"), _return(game, pair)),
            _read(_said(reading), value),
        ),
        _RULES,
        f"certify analyze {{game}} --strategy {player} --bank {bank}",
        "information",
    )


def _stakes(game: Game) -> FindingDraft:
    """Whether a player stakes before or after looking at the first card."""
    terms, bank = terms_of(game), solved(game).bank
    gains = (
        _said("stakes.gain", most=most, value=gain_of_choosing_stakes(terms, bank, most)) for most in STAKED
    )
    return FindingDraft(
        Severity.NOTE,
        _said("stakes"),
        (_said("stakes.detail"), *gains),
        _RULES,
        "certify analyze {game} --format json",
        "information",
    )


def _edge_of_the_bank(basis: FindingBasis, rules: FreeBankRules) -> Iterator[FindingDraft]:
    """Who banks wins: the value of the game belongs to the bank."""
    bracket = next(iter(basis.analyses.values())).wager(BET).bracket
    if bracket is None or bracket.upper >= 1:
        return
    yield FindingDraft(
        Severity.NOTE,
        _said("edge"),
        (
            _said("edge.detail", low=bracket.lower, high=bracket.upper),
            *((_said("splits-counted"),) if rules.hands > 1 else ()),
        ),
        reproduce="certify analyze {game}",
        status="information",
    )


Key = tuple[object, ...]


def counted_return(game: Game, pair: Pair) -> Fraction:
    """Returns the exact return of the bet under a pair of strategies, counted without the enumerator.

    Every ordered deal is followed card by card through the reference round, cards of one class at once, each with
    the number of cards of its class that are left. What was dealt in another order but leaves the same hands is
    followed once, where neither strategy looks at the order.

    Args:
        game: The game, of one seat.
        pair: How player and bank play; a strategy that decides by lot is followed both ways.
    """
    rules = reference(game)
    return 1 + _Counted(rules, pair).value(rules.start())


class _Counted:
    """Expected net results of the states of one round, each followed once."""

    def __init__(self, rules: FreeBankRound, pair: Pair) -> None:
        self.round, self.pair = rules, pair
        self.blind = isinstance(pair.player, StandOn) and isinstance(pair.bank, StandOn)
        self.known: dict[Key, Fraction] = {}

    def value(self, state: BankTable) -> Fraction:
        """Returns the expected net result of the first seat."""
        key = self._key(state)
        if key not in self.known:
            self.known[key] = self._follow(state)
        return self.known[key]

    def _follow(self, state: BankTable) -> Fraction:
        node = self.round.node(state)
        if isinstance(node, Settled):
            return node.results[0].net
        if isinstance(node, Choice):
            sees = node.sees
            chances = self.pair.chances(sees, node.ids)  # type: ignore[arg-type]
            return sum(
                (chance * self.value(self.round.decided(state, option)) for option, chance in chances),
                Fraction(0),
            )
        return self._drawn(state, node)

    def _drawn(self, state: BankTable, node: Chance) -> Fraction:
        by_class = gathered((self.round.classes[card], card) for card in sorted(state.deck.left))
        total = sum(
            (len(cards) * self.value(self.round.drawn(state, cards[0])) for cards in by_class.values()),
            Fraction(0),
        )
        return total / len(state.deck.left)

    def _key(self, state: BankTable) -> Key:
        """Returns what still matters of a state to the rules and to both strategies."""
        if not self.blind:
            return (self.round.matters(state),)
        kinds = self.round.classes
        seat = state.seats[0]
        hands = tuple((tuple(sorted(kinds[card] for card in hand.cards)), hand.end) for hand in seat.hands)
        bank = tuple(sorted(kinds[card] for card in state.bank))
        gone = -1 if seat.given_up == NO_CARD else kinds[seat.given_up]
        return hands, bank, gone, seat.covered, seat.face_came != NO_CARD, state.bank_stood, state.decision


def counted(game: Game, strategy: Strategy) -> Mapping[str, Fraction]:
    """Returns the exact return of the bet where both look at their own total alone: others look at the order."""
    if not isinstance(strategy, Pair) or rules_of(game).seats != 1:
        return {}
    if not all(isinstance(side, StandOn) for side in (strategy.player, strategy.bank)):
        return {}
    return {BET: counted_return(game, strategy)}


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Seven and a Half against a bank that plays as it likes: one seat or several, one bet",
    rules=SUBMITTED,
    reference=reference,
    volume=FreeBankVolume(),
    exact=FreeBankExact(),
    strategies=FamilyStrategies(plan=plan, certificate=FreeBankCertificate()),
    alternatives=FamilyAlternatives(variants=variants),
    checks=FamilyChecks(counting=counted, recipes=RECIPES, smaller=smaller),
    pages=FamilyPages(findings=findings, sections=FreeBankSections()),
)
