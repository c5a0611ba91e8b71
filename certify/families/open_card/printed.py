"""Printed counts and rows held against exact counting: what each was counted over, and what is true.

The source counts ways: unordered hands of one or two cards of the player out of forty, 40 + 780 = 820 of them.
Its rows of outcomes put two such shares together: hands below the dealer's (the dealer's cards gone from the
deck, lone face cards left out) over 820, and busts out of 780. Each cell is recomputed in just that way, so that
a slip shows; then the same hands are counted over one denominator; then the true conditional probability is
counted, in which one- and two-card hands arise as the deal and the player's strategy make them arise.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from enum import StrEnum
from fractions import Fraction
from itertools import product
from math import comb
from typing import Final

from certify.evidence import ConditionalShare, JudgedCount, JudgedRow
from certify.exact import PrintedPercent, decimal_text, fraction_text, percent_text
from certify.families.open_card.chances import (
    OPEN_CLASSES,
    OpenDeal,
    TrueChances,
    Ways,
    busts_of_all,
    hand_of,
    in_deck,
    player_ways,
    true_chances,
    why_never,
)
from certify.families.open_card.text import POINTS, total_of
from certify.families.seven_and_a_half.cards import CLASS_FACE, CLASS_MATTA, SEVEN_AND_A_HALF, ClassDeck
from certify.model import ChoiceTable, PrintedCount, PrintedRow, PrintedShare

CERTAIN = Fraction(1)

COLUMNS: Final = TrueChances._fields[:3]
"""What a printed row states: how often the dealer wins, both tie, and the player wins."""

NO_DEAL: Final = "no deal produces this hand"
"""Begins the reason why a row about a hand on which the dealer never ends is no probability."""

ROUNDING = Fraction(2, 10_000)
"""Three shares rounded to hundredths of a percent add up to 100 % within 0.015 points."""


class Printing(StrEnum):
    """What a printed figure is worth, best first."""

    HOLDS = "holds"
    SLIP = "arithmetic slip"
    DENOMINATOR = "wrong denominator"
    NO_PROBABILITY = "not a probability"


class Footing(StrEnum):
    """What the cells of a printed row rest on: its own terms, and whether these are counted right."""

    HOLDS = "holds"
    MISCOUNTED = "miscounted"
    TERMS = "does not follow from its own terms"


def count_verdict(deck: ClassDeck, row: PrintedCount) -> JudgedCount:
    """Returns a printed count next to the exact one; the King of diamonds counts ½ in a two-card hand.

    The share of real hands is that among two-card hands as they are really dealt, never with the King of diamonds
    first; none where one-card hands are counted too.
    """
    counts = (*deck.class_counts[:CLASS_FACE], deck.class_counts[CLASS_FACE] + deck.class_counts[CLASS_MATTA])
    pairs = {
        (a, b): counts[a] * counts[b] if a != b else comb(counts[a], 2)
        for a in OPEN_CLASSES
        for b in OPEN_CLASSES
        if a <= b
    }
    named = {pair: ways for pair, ways in pairs.items() if POINTS[pair[0]] + POINTS[pair[1]] in row.totals}
    two = sum(named.values()) if row.totals else sum(pairs.values())
    one = deck.size
    ways = {"two-card-hands": two, "one-card-hands": one, "all-hands": two + one}[row.of]
    true = _dealt_share(deck, row.totals) if row.totals else None
    exact, printed = Fraction(ways), str(row.ways)
    holds, detail = row.ways == ways, f"printed {row.ways}, exact {ways}"
    if row.share is not None:
        hands = sum(pairs.values())
        exact, printed = Fraction(ways, hands), row.share.text
        slips = share_slips(row.share, (ways, hands))
        holds, detail = not slips, "; ".join(slips) or f"{ways}/{hands} = {percent_text(exact, 4)} %"
    return JudgedCount(
        id=row.id,
        label=row.id,
        of=row.of,
        printed=printed,
        exact=exact,
        verdict=str(Printing.HOLDS if holds else Printing.SLIP),
        detail=detail,
        share_of_real_two_card_hands=true,
        source=row.source,
        line=row.line,
    )


def _dealt_share(deck: ClassDeck, totals: tuple[int, ...]) -> Fraction:
    """Returns the share of two-card hands with some totals among ordered deals that go on after the first card."""
    counts = (*deck.class_counts[:CLASS_FACE], deck.class_counts[CLASS_FACE] + deck.class_counts[CLASS_MATTA])
    kings = deck.class_counts[CLASS_MATTA]
    found = sum(
        (counts[first] - (kings if first == CLASS_FACE else 0)) * (counts[second] - (first == second))
        for first, second in product(OPEN_CLASSES, repeat=2)
        if POINTS[first] + POINTS[second] in totals
    )
    return Fraction(found, (deck.size - kings) * (deck.size - 1))


def share_slips(printed: PrintedShare, exact: tuple[int, int]) -> list[str]:
    """Returns what is wrong with a printed fraction, and with the percentage printed for it."""
    slips = []
    if printed.ways is not None and printed.ways != exact:
        slips.append(
            f"printed {printed.ways[0]}/{printed.ways[1]}, counted {exact[0]}/{exact[1]}"
            + (": the denominator is misprinted" if printed.ways[0] == exact[0] else "")
        )
    if printed.percent is not None and not printed.percent.stands_for(Fraction(*exact)):
        # A cell may still be the right percentage of the wrong fraction next to it.
        own = printed.fraction
        follows = own is not None and printed.percent.stands_for(own)
        if not follows:
            slips.append(
                f"printed {_shown(printed.percent)} %, exact {percent_text(Fraction(*exact), 4)} %"
                + (
                    " (cut off, not rounded)"
                    if replace(printed.percent, truncated=True).stands_for(Fraction(*exact))
                    else ""
                )
            )
    return slips


Shares = tuple[Fraction, Fraction, Fraction]
"""Dealer wins, tie, player wins."""


def _judged(
    row: PrintedRow,
    implied: Shares,
    reason: str,
    worth: tuple[Printing, Printing, Footing],
    slips: tuple[str, ...] = (),
    *,
    ways: Ways | None = None,
    conditional: Mapping[str, TrueChances] | None = None,
    remarks: tuple[str, ...] = (),
) -> JudgedRow:
    """Returns the verdict on a row: what it is worth as it is implied, as a probability, and on what it rests."""
    cells = cells_of(row)
    rounded = (
        c.percent is None or c.percent.stands_for(share) for c, share in zip(cells, implied, strict=True)
    )
    as_implied, as_probability, footing = map(str, worth)
    return JudgedRow(
        label=row.label,
        printed=dict(zip(COLUMNS, (cell.text for cell in cells), strict=True)),
        implied=dict(zip(COLUMNS, implied, strict=True)),
        under_implied_reading=as_implied,
        slips=slips,
        ways=asdict(ways) if ways else {},
        conditional={
            name: {
                end: ConditionalShare(share, percent_text(share, 4))
                for end, share in chances._asdict().items()
            }
            for name, chances in (conditional or {}).items()
        },
        as_probability=as_probability,
        reason=reason,
        footing=footing,
        exactly_rounded=all(rounded),
        remarks=remarks,
        detail="; ".join((*slips, *remarks, reason)),
        source=row.source,
        line=row.line,
    )


def cells_of(row: PrintedRow) -> tuple[PrintedShare, ...]:
    """Returns the printed cells of a row: the dealer wins, both tie, the player wins."""
    return tuple(row.share(column) for column in COLUMNS)


def row_verdict(deal: OpenDeal, row: PrintedRow, tables: tuple[ChoiceTable, ...]) -> JudgedRow:
    """Returns the verdict on a printed row.

    Args:
        deal: Deck and rules.
        row: What is printed.
        tables: Strategies for which the true conditional probabilities are counted.
    """
    if row.hand == (CLASS_MATTA,):
        return _king_row(row)
    never = why_never(deal, row.hand)
    if not in_deck(deal, row.hand):
        return _absent_row(row, never)
    ways = player_ways(deal, row.hand)
    every = comb(deal.deck.size, 2) + deal.deck.size
    busts = busts_of_all(deal)
    implied_win = Fraction(ways.below, every) + busts
    implied = (implied_win, Fraction(ways.equal, every), 1 - implied_win - Fraction(ways.equal, every))
    slips = tuple(_row_slips(row, ways, every, busts))
    # Against a hand that no deal produces nothing has a probability; what the source counted is still judged.
    chances = {} if never else {table.name: true_chances(deal, table, row.hand) for table in tables}
    as_probability, reason = (
        (Printing.NO_PROBABILITY, f"{NO_DEAL}: {never}")
        if never
        else _as_probability(row, ways, every, busts, chances)
    )
    as_implied, footing = (Printing.SLIP, _footing(row, busts)) if slips else (Printing.HOLDS, Footing.HOLDS)
    remarks = (*(() if slips else _rounded_first(row, implied)), *_player_king(deal, row, slips))
    return _judged(
        row,
        implied,
        reason,
        (as_implied, as_probability, footing),
        slips,
        ways=ways,
        conditional=chances,
        remarks=remarks,
    )


def _footing(row: PrintedRow, busts: Fraction) -> Footing:
    """Returns what a row that slips rests on: right sums of wrong counts, or sums that are wrong themselves."""
    wrong = (*_added_wrong(row, busts), *_tie_of_its_own(row), *_remainder_wrong(row))
    return Footing.TERMS if wrong else Footing.MISCOUNTED


def _tie_of_its_own(row: PrintedRow) -> Iterator[str]:
    """Yields where the percentage of ties is not that of the fraction printed next to it."""
    _, tied, _ = cells_of(row)
    percent, own = tied.percent, tied.fraction
    if percent is not None and own is not None and not percent.stands_for(own):
        yield f"tie: printed {_shown(percent)} %, its own fraction is {percent_text(own, 4)} %"


def _rounded_first(row: PrintedRow, implied: Shares) -> Iterator[str]:
    """Yields the cells of a row that holds whose exact share would be printed otherwise."""
    cells = zip(("win", "tie", "loss"), cells_of(row), strict=True)
    moved = [
        f"{name} printed {_shown(cell.percent)}, exactly {percent_text(share, 4)} %"
        for (name, cell), share in zip(cells, implied, strict=True)
        if cell.percent is not None and not cell.percent.stands_for(share)
    ]
    if moved:
        yield f"each term rounded first: {', '.join(moved)}"


def _player_king(deal: OpenDeal, row: PrintedRow, slips: tuple[str, ...]) -> Iterator[str]:
    """Yields that a loss which is no remainder may be the player's King of diamonds, where it is as likely."""
    king = Fraction(deal.deck.kings_of_diamonds, deal.deck.size)
    lost = cells_of(row)[2].percent
    if slips and lost is not None and king and lost.value == king and any(_remainder_wrong(row)):
        yield (
            f"{_shown(lost)} % is {fraction_text(king)}, the chance that the player's first card is the King of "
            "diamonds: it may be meant"
        )


def _king_row(row: PrintedRow) -> JudgedRow:
    """The dealer's King of diamonds wins at once, so the printed 100 % is exact and nothing else is printed."""
    won = cells_of(row)[0]
    holds = won.percent is not None and won.percent.value == CERTAIN
    verdict = Printing.HOLDS if holds else Printing.SLIP
    return _judged(
        row,
        (CERTAIN, Fraction(0), Fraction(0)),
        "the dealer wins all antes at once; the player cannot hold the same card",
        (verdict, verdict, Footing.HOLDS if holds else Footing.MISCOUNTED),
        () if holds else (f"printed {won.text}, exact 100",),
        conditional={"any": TrueChances(CERTAIN, Fraction(0), Fraction(0), Fraction(0))},
    )


def _absent_row(row: PrintedRow, never: str) -> JudgedRow:
    """A hand of cards that the deck does not hold: nothing can be counted against it."""
    nothing = (Fraction(0), Fraction(0), Fraction(0))
    worth = (Printing.SLIP, Printing.NO_PROBABILITY, Footing.MISCOUNTED)
    return _judged(row, nothing, f"{NO_DEAL}: {never}", worth, (never,))


def _row_slips(row: PrintedRow, ways: Ways, every: int, busts: Fraction) -> Iterator[str]:
    """Yields where a row departs from its own reading: fractions, percentages, total, remainder."""
    if row.total is not None and row.total != total_of(hand_of(row.hand)):
        yield f"the printed total is not that of {row.label}"
    won, tied, _ = cells_of(row)
    if won.ways is not None and won.ways != (ways.below, every):
        printed = won.ways
        yield (
            f"win: printed {printed[0]}/{printed[1]}, counted {ways.below}/{every}: "
            f"{printed[0] - ways.below:+d} ways"
        )
    yield from _added_wrong(row, busts)
    yield from (f"tie: {slip}" for slip in share_slips(tied, (ways.equal, every)))
    yield from _remainder_wrong(row)


def _added_wrong(row: PrintedRow, busts: Fraction) -> Iterator[str]:
    """Yields that a win is not the sum of its terms: the share of ways and the bust share, each rounded."""
    won = cells_of(row)[0]
    lower = won.fraction or Fraction(0)
    added = _rounded(lower) + _rounded(busts)
    if won.percent is not None and won.percent.value != added:
        yield f"win: printed {_shown(won.percent)}, its own terms add up to {percent_text(added, 2)}"


def _remainder_wrong(row: PrintedRow) -> Iterator[str]:
    """Yields that a loss is not what win and tie leave to 100 %."""
    won, tied, lost = (cell.percent for cell in cells_of(row))
    if won is None or tied is None or lost is None:
        return
    left = 1 - won.value - tied.value
    if lost.value != left:
        yield (
            f"loss: printed {_shown(lost)}, the remainder to 100 % is {percent_text(left, 2)}; "
            f"the row adds up to {percent_text(1 - left + lost.value, 2)} %"
        )


def _as_probability(
    row: PrintedRow,
    ways: Ways,
    every: int,
    busts: Fraction,
    chances: Mapping[str, TrueChances],
) -> tuple[Printing, str]:
    """Returns what a row is worth as a probability: does it sum to one, and is it over one set of hands?"""
    percents = [cell.percent for cell in cells_of(row)]
    added = sum((percent.value for percent in percents if percent is not None), Fraction(0))
    if abs(added - 1) > ROUNDING:
        return (
            Printing.NO_PROBABILITY,
            (
                f"the three shares add up to {percent_text(added, 2)} %, not 100 %; "
                f"{ways.above} hands beat the dealer's"
            ),
        )
    lone, total = POINTS[CLASS_FACE], total_of(hand_of(row.hand))
    loses = lone < total <= SEVEN_AND_A_HALF
    exact = (
        Fraction(ways.below + ways.lone_faces * loses + ways.bust, ways.total),
        Fraction(ways.equal + ways.lone_faces * (lone == total), ways.total),
    )
    for name, chance in (("the same hands over one denominator", exact), *_pairs(chances)):
        if _agrees(row, chance):
            return Printing.HOLDS, f"it is {name}"
    return (
        Printing.DENOMINATOR,
        (
            f"wins are {ways.below} of {every} plus {fraction_text(busts)} of another set, with "
            f"{every - ways.total} hands "
            f"that the dealer's cards make impossible; over the {ways.total} hands that are left the dealer wins "
            f"{percent_text(exact[0], 2)} %, ties {percent_text(exact[1], 2)} % and loses to {ways.above} hands, "
            f"{percent_text(1 - exact[0] - exact[1], 2)} %"
        ),
    )


def _pairs(chances: Mapping[str, TrueChances]) -> Iterator[tuple[str, tuple[Fraction, Fraction]]]:
    for name, chance in chances.items():
        yield f"the conditional probability under {name}", (chance.dealer_wins, chance.tie)


def _agrees(row: PrintedRow, chance: tuple[Fraction, Fraction]) -> bool:
    cells = [cell.percent for cell in cells_of(row)[:2]]
    return all(cell is not None and cell.stands_for(value) for cell, value in zip(cells, chance, strict=True))


def _rounded(value: Fraction, places: int = 4) -> Fraction:
    """Returns a share rounded half up to hundredths of a percent."""
    scale = 10**places
    return Fraction((2 * value * scale + 1) // 2, scale)


def _shown(printed: PrintedPercent) -> str:
    return decimal_text(printed.value * 100, printed.places)
