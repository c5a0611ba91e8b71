"""The family of Seven and a Half games with an open dealer's card, and what its evidence has beyond every game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from fractions import Fraction
from typing import Final

from certify.analysis.engine.best import BestDecision
from certify.analysis.par_sheet import edge_evidence
from certify.analysis.pay_search import PayBounds, PrintedReturn, Reading, check_bounds, printed_return
from certify.errors import InputError
from certify.evidence import (
    Candidate,
    EqualBets,
    EvaluatedReading,
    JudgedCount,
    JudgedRow,
    JudgedTables,
    ReadingSearch,
    Recovery,
    Sections,
    analysis as evidence,
    plain,
)
from certify.exact import format_half_points, format_odds, fraction_text, parse_half_points, percent_text
from certify.families.open_card.chances import TrueChances, Ways, deal_of
from certify.families.open_card.printed import COLUMNS, NO_DEAL, Footing, count_verdict, row_verdict
from certify.families.open_card.readings import (
    combinations_evidence,
    combined_readings,
    evaluated_combinations,
    evaluated_readings,
    variants,
)
from certify.families.open_card.second import settle
from certify.families.open_card.strategies import ENGINE, best, named, plan, played, read_card
from certify.families.open_card.text import (
    ANTE,
    ANY_NUMBER,
    FAMILY_ID,
    FOLD,
    KING,
    KING_OF_DIAMONDS,
    STATED,
    WIN,
    OpenCardRules,
    listed,
    rules_of,
    text,
)
from certify.families.port import Family, FamilyAlternatives, FamilyPages, FamilySources, FamilyStrategies
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASSES, ClassDeck
from certify.families.seven_and_a_half.strategy_files import ALWAYS_SECOND_CARD, COMPOSITION, charted_by_total
from certify.messages import say, worded
from certify.model import (
    LEAST_RETURN,
    MAIN_OPTIMAL,
    Analysis,
    FindingDraft,
    Game,
    PrintedCount,
    PrintedRow,
    PrintedVerdict,
    Severity,
    WagerFigures,
    repaid,
)
from certify.untrusted_input import Document


def _equal_bets(game: Game, analysis: Analysis) -> EqualBets | None:
    """Returns what best play leaves open about the final bet; nothing where it leaves nothing open.

    The return per ante is the same under all of them; what is staked in all, and how far results scatter, is not. The
    smallest of the best bets, or none, is the rule of main-optimal; the other end places the largest.
    """
    if analysis.strategy.name != MAIN_OPTIMAL:
        return None

    def largest(one: BestDecision) -> str:
        values = dict(zip(one.options, one.values, strict=True))
        return max(values, key=lambda move: (values[move], _bet(move)))

    best = ENGINE.analyze(game, MAIN_OPTIMAL)
    table = played(game).table(MAIN_OPTIMAL, COMPOSITION, largest)
    placed = {(one.dealer, one.hand): one.chosen for one in best.decisions}
    told = sorted(
        ((listed(seen), move) for seen, move in table.choices),
        key=lambda told: (told[0].composition[::-1], told[0].place[-1]),
    )
    pairs = tuple(
        (one.hand, str(one.dealer))
        for one, move in told
        if _bet(placed.get((one.dealer, one.hand), move)) != _bet(move)
    )
    if not pairs:
        return None
    smaller, larger = best.wager(ANTE), ENGINE.analyze_table(game, table).wager(ANTE)
    low, high = sorted(map(_on_all, (smaller, larger)))
    return EqualBets(
        pairs=tuple(evidence.EqualBet(hand, dealer) for hand, dealer in pairs),
        smaller=_end(smaller),
        larger=_end(larger),
        interval=(low, high),
        **worded(
            rule=say("edge.equal-bets-rule"),
            sentence=say(
                "edge.equal-bets",
                decisions=len(pairs),
                smaller=_on_all(smaller),
                larger=_on_all(larger),
                smaller_variance=smaller.variance,
                larger_variance=larger.variance,
            ),
        ),
    )


def _bet(move: str) -> int:
    """Returns the final bet that a decision places; a fold places less than none."""
    return -1 if move == FOLD else int(move.partition("-")[2] or 0)


def _on_all(figures: WagerFigures) -> Fraction:
    return figures.return_on_total_wagered or figures.return_to_player


def _end(figures: WagerFigures) -> evidence.EqualBetsEnd:
    return evidence.EqualBetsEnd(
        return_on_total_wagered=_on_all(figures),
        total_wagered=figures.total_wagered or Fraction(1),
        variance=figures.variance,
        standard_deviation=figures.standard_deviation,
    )


ABOVE_TOTAL: Final = "returns.not-above-total"
TABLES_HOLD: Final = "printed.tables-hold"
"""Checks of the clauses that a finding names."""

REPRODUCE: Final = "certify analyze {game} --format json"

JUDGED_UNDER = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD)
"""Strategies for which the true conditional probabilities of a printed row are counted."""


class OpenCardSections:
    """Edge, readings in every combination, judged tables."""

    def figures(self, game: Game, analysis: Analysis) -> Mapping[str, object]:
        """Returns edge, findings, readings and printed tables."""
        return open_card_json(game, analysis)

    def evidence(self, game: Game, analyses: Mapping[str, Analysis]) -> Sections:
        """Returns edge, readings and judged tables under the best play."""
        return evidence_sections(game, analyses[MAIN_OPTIMAL])


def open_card_json(game: Game, analysis: Analysis) -> Document:
    """Returns edge, findings, readings and printed tables, as ``certify analyze`` prints them."""
    sections = evidence_sections(game, analysis)
    return {
        "edge": plain(sections.edge),
        "findings": [
            {
                "check": draft.check,
                "severity": draft.severity.name.lower(),
                "title": draft.title,
                "detail": draft.detail,
            }
            for draft in findings(game)
        ],
        "readings": plain(sections.evaluated_readings),
        "combinations": plain(sections.reading_combinations),
        "printed": plain(sections.judged_tables),
    }


def evidence_sections(game: Game, analysis: Analysis) -> Sections:
    """Returns edge, readings and judged tables."""
    readings, combinations = evaluated_readings(game), evaluated_combinations(game)
    counts, rows = printed_verdicts(game)
    edge = edge_evidence(analysis.wager(ANTE), analysis.strategy.name, game.banked_by, ANTE)
    return Sections(
        edge=replace(edge, equal_final_bets=_equal_bets(game, analysis)),
        evaluated_readings=readings,
        reading_combinations=combinations_evidence(combinations),
        judged_tables=JudgedTables(
            counts, rows, COLUMNS, TrueChances._fields, tuple(one.name for one in fields(Ways))
        ),
    )


def findings(game: Game) -> tuple[FindingDraft, ...]:
    """Returns what the analysis finds about edge and printed tables."""
    counts, rows = printed_verdicts(game)
    found = (
        _return_finding(game, evaluated_combinations(game), evaluated_readings(game)),
        _tables_finding(counts, rows),
    )
    return tuple(told for told in found if told)


def printed_verdicts(game: Game) -> tuple[tuple[JudgedCount, ...], tuple[JudgedRow, ...]]:
    """Returns the verdict on every printed count and every printed row of a game."""
    tables = OpenCardPrintedTables()
    return (
        tuple(tables.count(game, count) for count in game.printed_counts),
        tuple(tables.row(game, row) for row in game.printed_rows),
    )


class OpenCardPrintedTables:
    """Counts of hands, and rows of outcomes against one hand of the dealer, as sources of these games print them."""

    counted: tuple[str, ...] = ("two-card-hands", "one-card-hands", "all-hands")
    columns: tuple[str, ...] = COLUMNS
    cards: tuple[str, ...] = (*CLASSES[: CLASS_FACE + 1], KING_OF_DIAMONDS)

    def total(self, text: str) -> int:
        """Returns a printed total in half points."""
        return parse_half_points(text)

    def count(self, game: Game, count: PrintedCount) -> JudgedCount:
        """Returns the verdict on a printed count."""
        return count_verdict(ClassDeck(deal_of(game).deck.cards), count)

    def row(self, game: Game, row: PrintedRow) -> JudgedRow:
        """Returns the verdict on a printed row."""
        return row_verdict(deal_of(game), row, tuple(named(game, name) for name in JUDGED_UNDER))

    def judges(self, game: Game) -> Sequence[Callable[[], PrintedVerdict]]:
        """Returns what judges each count and row by itself: one that cannot be counted hides no other."""

        def judge_count(count: PrintedCount) -> PrintedVerdict:
            found = self.count(game, count)
            return PrintedVerdict((found.verdict,), (), found.detail)

        def judge_row(row: PrintedRow) -> PrintedVerdict:
            found = self.row(game, row)
            worth = (found.under_implied_reading, found.as_probability)
            return PrintedVerdict(worth, tuple(found.slips), found.reason)

        return [
            *(lambda count=count: judge_count(count) for count in game.printed_counts),
            *(lambda row=row: judge_row(row) for row in game.printed_rows),
        ]


def _return_finding(
    game: Game, combinations: tuple[EvaluatedReading, ...], readings: tuple[EvaluatedReading, ...]
) -> FindingDraft | None:
    """Returns that the game returns more than is staked, with what its readings change; nothing where it does not."""
    best = readings[0].return_
    if best <= 1:
        return None
    single = [entry for entry in readings if not entry.what_if]
    lawful = [entry for entry in single if entry.return_ <= 1]
    told = (
        f"Of the {len(single)} readings evaluated one at a time, it returns no more than 100 % only where "
        f"{_named(lawful)}."
        if lawful
        else f"None of the {len(single)} readings evaluated changes that by itself."
    )
    parts = (
        f"Exactly {fraction_text(best)}.",
        told,
        combinations_evidence(combinations).sentence,
        _below_floor(game, single, combinations),
    )
    return FindingDraft(
        Severity.CRITICAL,
        f"The game returns {percent_text(best, 4)} % of the ante to a player "
        "who plays best: more than is staked",
        " ".join(part for part in parts if part),
        reproduce=REPRODUCE,
        check=ABOVE_TOTAL,
    )


def _below_floor(
    game: Game, single: list[EvaluatedReading], combinations: tuple[EvaluatedReading, ...]
) -> str:
    """Returns which readings take a game that the house banks below the floor of its kind, if any."""
    low = [entry for entry in single if entry.return_ < LEAST_RETURN]
    count = sum(entry.return_ < LEAST_RETURN for entry in combinations)
    if game.banked_by != "house" or not count:
        return ""
    alone = f"{_named(low)}; and " if low else ""
    return (
        f"Below {percent_text(LEAST_RETURN, 0)} %, the floor of GLI-19 v3.0, 4.7.1, lie: {alone}{count} of the "
        f"{len(combinations)} combinations."
    )


def _named(entries: list[EvaluatedReading]) -> str:
    return "; ".join(f"{entry.reading}: {percent_text(entry.return_, 4)} %" for entry in entries)


def _tables_finding(counts: tuple[JudgedCount, ...], rows: tuple[JudgedRow, ...]) -> FindingDraft | None:
    """Returns what is wrong with printed tables, each row and count named by its kind; nothing where all hold."""
    wrong = [entry.id for entry in counts if entry.verdict != "holds"]
    poor = [entry.label for entry in rows if entry.as_probability != "holds"]
    miscounted = [entry.label for entry in rows if entry.footing == Footing.MISCOUNTED]
    unsound = [entry.label for entry in rows if entry.footing == Footing.TERMS]
    never = [entry.label for entry in rows if entry.reason.startswith(NO_DEAL)]
    if not (wrong or poor or miscounted or unsound):
        return None
    sound = [entry for entry in rows if entry.footing == Footing.HOLDS]
    parts = [
        f"{len(counts) - len(wrong)} of {len(counts)} printed counts hold"
        + (f"; wrong: {', '.join(wrong)}." if wrong else "."),
        (
            f"{len(sound)} of {len(rows)} rows are counted right and add up from "
            f"their own terms; {sum(entry.exactly_rounded for entry in sound)} of them print the exact shares, in the "
            "others each term was rounded first."
        ),
        f"Miscounted, though their percentages follow from their fractions: {', '.join(miscounted)}."
        if miscounted
        else "",
        f"Not following from their own terms: {', '.join(unsound)}." if unsound else "",
        f"No deal produces the hand of {', '.join(never)}." if never else "",
    ]
    return FindingDraft(
        Severity.MAJOR,
        f"Of {len(rows)} printed rows of outcomes {len(poor)} are no probabilities of any one set of hands, "
        f"{len(miscounted)} are miscounted, and {len(unsound)} do not follow from their own terms",
        " ".join(part for part in parts if part),
        reproduce=REPRODUCE,
        check=TABLES_HOLD,
    )


def reading_grid(game: Game) -> tuple[tuple[Reading, Game], ...]:
    """Returns every combination of readings with the game so read; what the King of diamonds pays is none of them."""
    games = [changed for _, changed in combined_readings(game, frozenset({KING}))]
    values = [_values(rules_of(changed)) for changed in games]
    open_rules = [rule for rule in values[0] if len({entry[rule] for entry in values}) > 1]
    return tuple(
        (tuple((rule, entry[rule]) for rule in open_rules), changed)
        for entry, changed in zip(values, games, strict=True)
    )


def _values(rules: OpenCardRules) -> dict[str, str]:
    antes = " or ".join(map(str, rules.final_bets)) or "none"
    if 0 in rules.final_bets:
        antes = f"up to {max(rules.final_bets)}"
    cards = rules.player_maximum_cards
    return {
        "dealer-stands-on": format_half_points(rules.dealer_stands_on),
        "dealer-always-draws": "yes" if rules.dealer_always_draws else "no",
        "player-maximum-cards": "any number" if cards == ANY_NUMBER else str(cards),
        "drawn-seven-and-a-half": str(rules.drawn_seven),
        "player-may-stand-on-first-card": "yes" if rules.player_may_stand_on_first_card else "no",
        "final-bet": f"{antes} antes" if antes != "1" else "1 ante",
        "tie": rules.tie.value,
    }


def king_search(
    claim: PrintedReturn, reading: Reading, game: Game, win: Fraction, pays: Sequence[int], limit: int
) -> ReadingSearch:
    """Returns which pays of the King of diamonds give a printed return under one reading.

    Nothing is decided on a first King of diamonds, so that the return is a straight line in what it pays: the
    pays that fit follow by division, and none is missed.

    Args:
        claim: The printed return.
        reading: The reading.
        game: The game so read.
        win: What a win pays to 1.
        pays: Pays that are tried for the King of diamonds, lowest first.
        limit: How many fits are listed.
    """
    figures = best(repaid(game, {(ANTE, WIN): win}))
    weight = sum((end.probability for end in figures.outcomes if end.id == KING), Fraction(0))
    # The return if the King of diamonds lost its stake.
    base = figures.return_to_player - weight * (1 + game.wager(ANTE).paytable.pays(KING))

    def candidate(pay: int) -> Candidate:
        exact = base + weight * (1 + pay)
        rows = {KING: Fraction(pay), WIN: win}
        return Candidate(dict(reading), MAIN_OPTIMAL, rows, exact, claim.stands_for(exact))

    fitting = pays[claim.among(pays, lambda pay: base + weight * (1 + pay))]
    nearest = min(pays, key=lambda pay: (abs(base + weight * (1 + pay) - claim.value), pay))
    return ReadingSearch(
        dict(reading),
        MAIN_OPTIMAL,
        {KING: weight},
        len(pays),
        len(fitting),
        tuple(candidate(pay) for pay in fitting[:limit]),
        tuple(candidate(pay).return_ for pay in fitting[:limit]),
        nearest_miss=None if fitting else candidate(nearest),
    )


def identify(game: Game, wager: str, bounds: PayBounds) -> Recovery:
    """Returns which readings and pays of the King of diamonds, and of a win where named, give the figure."""
    claim = printed_return(game, wager)
    check_bounds(game, wager, bounds)
    stray = sorted(set(bounds.by_row) - {KING, WIN})
    if stray:
        raise InputError(f"the pay of {', '.join(stray)} is fixed by the rules: expected {KING} or {WIN}")
    own = game.wager(claim.wager).paytable.pays(WIN)
    wins = tuple(Fraction(pay) for pay in bounds.pays(WIN)) if WIN in bounds.by_row else (own,)
    searches = tuple(
        king_search(claim, reading, read, win, bounds.pays(KING), bounds.limit)
        for reading, read in reading_grid(game)
        for win in wins
    )
    words = (
        ("king-of-diamonds", _pays_words(bounds, KING)),
        ("win", _pays_words(bounds, WIN) if WIN in bounds.by_row else f"{format_odds(own)}, as submitted"),
        ("readings", f"every combination: {len(searches) // len(wins)}"),
        ("strategy", "optimal for each reading"),
    )
    return claim.recovery(words, searches, _open_conclusion(claim, searches))


def _pays_words(bounds: PayBounds, row: str) -> str:
    if row in bounds.by_row:
        return f"{', '.join(map(str, bounds.pays(row)))} to 1"
    return f"whole numbers from {bounds.minimum} to {bounds.maximum} to 1"


def _open_conclusion(claim: PrintedReturn, searches: Sequence[ReadingSearch]) -> str:
    tried = sum(search.candidates_tried for search in searches)
    fits = [candidate for search in searches for candidate in search.fits]
    count = sum(search.fits_count for search in searches)
    if not count:
        misses = [search.nearest_miss for search in searches if search.nearest_miss]
        miss = min(misses, key=lambda candidate: abs(candidate.return_ - claim.value))
        return (
            f"Impossible within the bounds: none of {tried:,} candidates returns {claim.text}; "
            f"the nearest returns {percent_text(miss.return_)} %."
        )
    if count == 1:
        return (
            f"Unique within the bounds: one of {tried:,} candidates returns {claim.text}, "
            f"exactly {fits[0].return_}."
        )
    readings = sum(search.fits_count > 0 for search in searches)
    return (
        f"Ambiguous: {count:,} of {tried:,} candidates return {claim.text}, under {readings} of {len(searches)} "
        "readings; the figure alone cannot name the pays."
    )


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="2.0.0",
    title="Seven and a Half with an open dealer's card: one player, a dealer with a fixed rule, one wager",
    rules=STATED,
    text=text,
    second=settle,
    strategies=FamilyStrategies(
        named=named, listed=listed, cards=read_card, plan=plan, charted=charted_by_total
    ),
    sources=FamilySources(identify=identify, printed=OpenCardPrintedTables()),
    alternatives=FamilyAlternatives(variants=variants),
    pages=FamilyPages(findings=lambda basis: iter(findings(basis.game)), sections=OpenCardSections()),
)
