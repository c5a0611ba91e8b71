"""What an analysis of a game with an open dealer's card says beside the common figures, as JSON."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from certify.exact import fraction_text, percent_text
from certify.families.open_card.exact.chances import Chances
from certify.families.open_card.exact.equal_bets import equal_bets, equal_bets_json
from certify.families.open_card.exact.figures import open_solution
from certify.families.open_card.exact.printed import (
    NO_DEAL,
    CountVerdict,
    Footing,
    RowVerdict,
    count_verdict,
    row_verdict,
)
from certify.families.open_card.exact.readings import (
    EvaluatedReading,
    evaluated_combinations,
    evaluated_readings,
)
from certify.families.open_card.exact.strategies import open_strategy
from certify.families.open_card.exact.tree import ANTE
from certify.families.sette_e_mezzo.exact.strategies import ALWAYS_SECOND_CARD, MAIN_OPTIMAL
from certify.families.seven_and_a_half.counting import Deck
from certify.model.figures import Analysis, WagerFigures
from certify.model.game import Game

ABOVE_TOTAL: Final = "returns.not-above-total"
TABLES_HOLD: Final = "printed.tables-hold"
"""Checks of the clauses that a finding stands for."""

FLOOR: Final = Fraction(3, 4)
"""Least theoretical return of a house-banked table game. Source: GLI-19 v3.0, 4.7.1."""

JUDGED_UNDER = (MAIN_OPTIMAL, ALWAYS_SECOND_CARD)
"""Strategies for which the true conditional probabilities of a printed row are counted."""


def open_card_json(game: Game, analysis: Analysis) -> dict[str, Any]:
    """Returns edge, findings, readings and printed tables of a game with an open dealer's card."""
    readings, combinations = evaluated_readings(game), evaluated_combinations(game)
    counts, rows = printed_verdicts(game)
    return {
        "edge": edge_json(analysis.wager(ANTE), analysis.strategy.name, game.banked_by)
        | _equal_bets(game, analysis),
        "findings": _findings(game, combinations, readings, counts, rows),
        "readings": [_reading_json(reading) for reading in readings],
        "combinations": combinations_json(combinations),
        "printed": {
            "counts": [_count_json(verdict) for verdict in counts],
            "rows": [_row_json(verdict) for verdict in rows],
        },
    }


def _equal_bets(game: Game, analysis: Analysis) -> dict[str, Any]:
    """Returns what best play leaves open about the final bet, where that is what is analysed."""
    found = equal_bets(game) if analysis.strategy.name == MAIN_OPTIMAL else None
    return {"equal_final_bets": equal_bets_json(found)} if found else {}


def printed_verdicts(game: Game) -> tuple[tuple[CountVerdict, ...], tuple[RowVerdict, ...]]:
    """Returns the verdict on every printed count and every printed row of a game."""
    solution = open_solution(game)
    tree = solution.tree
    tables = tuple(open_strategy(tree, solution, name) for name in JUDGED_UNDER)
    deck = Deck(tree.deck.cards)
    counts = tuple(count_verdict(deck, tree.values.points, count) for count in game.printed_counts)
    return counts, tuple(row_verdict(tree, row, tables) for row in game.printed_rows)


def edge_json(figures: WagerFigures, strategy: str, banked_by: str = "house") -> dict[str, Any]:
    """Returns who has the edge, per ante and per unit of everything staked, with one plain sentence.

    Where a player banks there is no house: the other side is the bank.
    """
    net = figures.expectation
    bank = "house" if banked_by == "house" else "bank"
    side = "player" if net > 0 else bank if net < 0 else "nobody"
    size = abs(net)
    entry: dict[str, Any] = {
        "side": side,
        "bank": bank,
        "per_ante": fraction_text(size),
        "per_ante_percent": percent_text(size),
    }
    words = f"{percent_text(size, 4)} % of the ante"
    if figures.total_wagered is not None:
        part = size / figures.total_wagered
        entry |= {"per_total_wagered": fraction_text(part), "per_total_wagered_percent": percent_text(part)}
        words += f", {percent_text(part, 4)} % of everything staked"
    holder = {"player": "The player has the edge", "nobody": "Nobody has an edge"}.get(
        side, "The bank has the edge"
    )
    return entry | {"sentence": f"{holder}: {words}, under {strategy} play."}


def _returned(entry: EvaluatedReading) -> Fraction:
    return entry.figures.return_to_player


def combinations_json(found: tuple[EvaluatedReading, ...]) -> dict[str, Any]:
    """Returns every combination of readings as JSON, with the lowest and the highest and one plain sentence."""
    lowest, highest = min(found, key=_returned), max(found, key=_returned)
    above = sum(_returned(entry) > 1 for entry in found)
    many = {0: "none returns", 1: "one returns", len(found): "all return"}.get(above, f"{above} return")
    return {
        "count": len(found),
        "above_100_percent": above,
        "lowest": _reading_json(lowest),
        "highest": _reading_json(highest),
        "sentence": f"Of {len(found)} combinations of the readings evaluated {many} more than 100 %. The lowest "
        f"returns {percent_text(_returned(lowest), 4)} % ({lowest.reading}), the highest "
        f"{percent_text(_returned(highest), 4)} % ({highest.reading}).",
        "all": [_reading_json(entry) for entry in found],
    }


def _findings(
    game: Game,
    combinations: tuple[EvaluatedReading, ...],
    readings: tuple[EvaluatedReading, ...],
    counts: tuple[CountVerdict, ...],
    rows: tuple[RowVerdict, ...],
) -> list[dict[str, str]]:
    found = (_return_finding(game, combinations, readings), _tables_finding(counts, rows))
    return [told for told in found if told]


def _return_finding(
    game: Game, combinations: tuple[EvaluatedReading, ...], readings: tuple[EvaluatedReading, ...]
) -> dict[str, str] | None:
    """Returns that the game returns more than is staked, with what its readings change; nothing where it does not."""
    best = readings[0].figures.return_to_player
    if best <= 1:
        return None
    single = [entry for entry in readings if not entry.what_if]
    lawful = [entry for entry in single if _returned(entry) <= 1]
    told = (
        f"Of the {len(single)} readings evaluated one at a time, it returns no more than 100 % only where "
        f"{_named(lawful)}."
        if lawful
        else f"None of the {len(single)} readings evaluated changes that by itself."
    )
    parts = (
        f"Exactly {fraction_text(best)}.",
        told,
        combinations_json(combinations)["sentence"],
        _below_floor(game, single, combinations),
    )
    return {
        "check": ABOVE_TOTAL,
        "severity": "critical",
        "title": f"The game returns {percent_text(best, 4)} % of the ante to a player "
        "who plays best: more than is staked",
        "detail": " ".join(part for part in parts if part),
    }


def _below_floor(
    game: Game, single: list[EvaluatedReading], combinations: tuple[EvaluatedReading, ...]
) -> str:
    """Returns which readings take a game that the house banks below the floor of its kind, if any."""
    low = [entry for entry in single if _returned(entry) < FLOOR]
    count = sum(_returned(entry) < FLOOR for entry in combinations)
    if game.banked_by != "house" or not count:
        return ""
    alone = f"{_named(low)}; and " if low else ""
    return (
        f"Below {percent_text(FLOOR, 0)} %, the floor of GLI-19 v3.0, 4.7.1, lie: {alone}{count} of the "
        f"{len(combinations)} combinations."
    )


def _named(entries: list[EvaluatedReading]) -> str:
    return "; ".join(f"{entry.reading}: {percent_text(_returned(entry), 4)} %" for entry in entries)


def _tables_finding(counts: tuple[CountVerdict, ...], rows: tuple[RowVerdict, ...]) -> dict[str, str] | None:
    """Returns what is wrong with printed tables, each row and count named by its kind; nothing where all hold."""
    wrong = [entry.row.id for entry in counts if str(entry.verdict) != "holds"]
    poor = [entry.row.label for entry in rows if str(entry.as_probability) != "holds"]
    miscounted = [entry.row.label for entry in rows if entry.footing is Footing.MISCOUNTED]
    unsound = [entry.row.label for entry in rows if entry.footing is Footing.TERMS]
    never = [entry.row.label for entry in rows if entry.reason.startswith(NO_DEAL)]
    if not (wrong or poor or miscounted or unsound):
        return None
    sound = [entry for entry in rows if entry.footing is Footing.HOLDS]
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
    return {
        "check": TABLES_HOLD,
        "severity": "major",
        "title": f"Of {len(rows)} printed rows of outcomes {len(poor)} are no probabilities of any one set of hands, "
        f"{len(miscounted)} are miscounted, and {len(unsound)} do not follow from their own terms",
        "detail": " ".join(part for part in parts if part),
    }


def _reading_json(entry: EvaluatedReading) -> dict[str, Any]:
    figures = entry.figures
    on_all = figures.return_on_total_wagered
    return {
        "reading": entry.reading,
        "adopted": entry.adopted,
        "what_if": entry.what_if,
        "return": fraction_text(figures.return_to_player),
        "return_percent": percent_text(figures.return_to_player),
        "house_edge": fraction_text(figures.house_edge),
        "return_on_total_wagered": None if on_all is None else fraction_text(on_all),
    }


def _count_json(entry: CountVerdict) -> dict[str, Any]:
    row = entry.row
    return {
        "id": row.id,
        "label": row.id,
        "of": row.of,
        "printed": row.share.text if row.share else str(row.ways),
        "exact": fraction_text(entry.exact),
        "verdict": str(entry.verdict),
        "detail": entry.detail,
        "share_of_real_two_card_hands": _or_none(entry.true_share),
        "source": row.source,
        "line": row.line,
    }


def _or_none(value: Fraction | None) -> str | None:
    return None if value is None else fraction_text(value)


def _row_json(entry: RowVerdict) -> dict[str, Any]:
    row, ways = entry.row, entry.ways
    return {
        "label": row.label,
        "printed": {
            "dealer_wins": row.dealer_wins.text,
            "tie": row.tie.text,
            "player_wins": row.player_wins.text,
        },
        "implied": dict(
            zip(("dealer_wins", "tie", "player_wins"), map(fraction_text, entry.implied), strict=True)
        ),
        "under_implied_reading": str(entry.as_implied),
        "slips": list(entry.slips),
        "ways": None
        if ways is None
        else {
            "below": ways.below,
            "equal": ways.equal,
            "above": ways.above,
            "lone_faces": ways.lone_faces,
            "bust": ways.bust,
            "total": ways.total,
        },
        "conditional": {name: _chances_json(chances) for name, chances in entry.chances},
        "as_probability": str(entry.as_probability),
        "reason": entry.reason,
        "footing": str(entry.footing),
        "exactly_rounded": entry.exactly_rounded,
        "remarks": list(entry.remarks),
        "detail": "; ".join((*entry.slips, *entry.remarks, entry.reason)),
        "source": row.source,
        "line": row.line,
    }


def _chances_json(chances: Chances) -> dict[str, str]:
    return {
        "dealer_wins": fraction_text(chances.dealer_wins),
        "tie": fraction_text(chances.tie),
        "player_wins": fraction_text(chances.player_wins),
        "player_folds": fraction_text(chances.player_folds),
        "dealer_wins_percent": percent_text(chances.dealer_wins, 4),
        "tie_percent": percent_text(chances.tie, 4),
        "player_wins_percent": percent_text(chances.player_wins, 4),
        "player_folds_percent": percent_text(chances.player_folds, 4),
    }
