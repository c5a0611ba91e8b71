"""Who has the edge, per unit of the initial stake and of everything staked, in one plain sentence."""

from collections.abc import Sequence
from fractions import Fraction
from operator import itemgetter

from certify.evidence import Edge
from certify.exact import outward_texts
from certify.messages import say, worded
from certify.model import (
    BY_PAYS,
    Bracket,
    Claim,
    Figure,
    Verdict,
    Wager,
    WagerFigures,
    ends_of,
    parse_claim,
    prints_as,
)


def cut_off(metric: str, printed: str, exact: Figure | None) -> str:
    """Returns what to add to a printed figure that is wrong as rounded and right with further digits cut off.

    >>> cut_off("return", "85.0 %", Fraction(850602, 10**6))
    'it holds cut off after its digits: rounding = "truncated"'
    >>> cut_off("return", "85.1 %", Fraction(850402, 10**6))
    ''
    """
    if not isinstance(exact, Fraction) or printed.startswith("-"):
        return ""
    holds = parse_claim(metric, printed, truncated=True).stands_for(exact)
    return 'it holds cut off after its digits: rounding = "truncated"' if holds else ""


def claim_status(claim: Claim, wager: Wager, exact: Figure) -> Verdict:
    """Returns the status of a printed return, which is the same wherever it is reported.

    A figure is never confirmed by what was derived from it; that it is contradicted still counts.

    Args:
        claim: The printed return.
        wager: The wager that it speaks about.
        exact: The exact return that it is held against.
    """
    if not prints_as(claim, exact):
        low, high = ends_of(exact)
        apart = high < claim.printed.interval[0] or low >= claim.printed.interval[1]
        return Verdict.NOT_SATISFIED if apart or low == high else Verdict.INCONCLUSIVE
    fitted = wager.pays_are_recovered and claim.metric in BY_PAYS
    return Verdict.FITTED if fitted else Verdict.SATISFIED


def edge_evidence(
    figures: WagerFigures, strategy: str, banked_by: str = "house", stake: str = "stake"
) -> Edge:
    """Returns who has the edge, per unit of the initial stake and of everything staked, with one plain sentence.

    Where a player banks there is no house: the other side is the bank.

    Args:
        figures: Exact figures of the wager.
        strategy: Name of the strategy that they are counted under.
        banked_by: Who banks, ``house`` or ``player``.
        stake: What the initial stake is called.
    """
    if figures.bracket is not None:
        return _proven_edge(figures.bracket, banked_by, stake)
    net = figures.expectation
    side, bank, holder = _sides(net, banked_by)
    size = abs(net)
    # An approximation is reported as one where it is tabulated, and never in a plain sentence.
    total = None if figures.near else figures.total_wagered
    part = None if total is None else size / total
    if part is None:
        sentence = say(f"edge.{holder}", size=size, stake=stake, strategy=strategy)
    else:
        sentence = say(f"edge.{holder}-of-total", size=size, part=part, stake=stake, strategy=strategy)
    return Edge(
        side=side,
        bank=bank,
        per_stake=size,
        per_total_wagered=part,
        **worded(sentence=sentence),
    )


def edge_among(returns: Sequence[tuple[str, Fraction]], banked_by: str) -> Edge:
    """Returns who has the edge where several configurations may be staked: no sentence is of one of them alone.

    Args:
        returns: The highest return of each configuration, by its name. Even ones give nobody an edge, and are counted.
        banked_by: Who banks, ``house`` or ``player``.

    >>> edge_among([("main", Fraction(9, 10)), ("buy", Fraction(19, 20)), ("gamble", Fraction(1))], "house").sentence
    'The bank has the edge in 2 of 3 wagering configurations: 5.0000 % of what is staked in “buy”, the least of these; \
the others return exactly what is staked.'
    """
    uneven = [(named, returned) for named, returned in returns if returned != 1]
    named, highest = max(uneven or returns, key=itemgetter(1))
    side, bank, holder = _sides(highest - 1, banked_by)
    size, count = abs(highest - 1), len(returns)
    if holder == "player":
        above = sum(returned > 1 for _, returned in returns)
        sentence = say("edge.player-among", size=size, configuration=named, above=above, count=count)
    elif len(uneven) in (0, count):
        sentence = say(f"edge.{holder}-among", size=size, configuration=named)
    else:
        sentence = say("edge.bank-among-even", size=size, configuration=named, below=len(uneven), count=count)
    return Edge(side=side, bank=bank, per_stake=size, **worded(sentence=sentence))


def _sides(net: Fraction, banked_by: str) -> tuple[str, str, str]:
    """Returns who has the edge, what the other side is called, and which sentence says it."""
    bank = "house" if banked_by == "house" else "bank"
    side = "player" if net > 0 else bank if net < 0 else "nobody"
    return side, bank, side if side in ("player", "nobody") else "bank"


def _proven_edge(proven: Bracket, banked_by: str, stake: str) -> Edge:
    """Returns who has the edge where a second party decides too: its size is the least that is proven."""
    below, above = min(proven.upper - 1, Fraction(0)), max(proven.lower - 1, Fraction(0))
    side, bank, holder = _sides(below + above, banked_by)
    nearest, farthest = sorted((abs(1 - proven.lower), abs(1 - proven.upper)))
    ends = (proven.lower, proven.upper) if side == "nobody" else (nearest, farthest)
    low, high = outward_texts(100 * ends[0], 100 * ends[1], 4)
    return Edge(
        side=side,
        bank=bank,
        per_stake=abs(below + above),
        **worded(sentence=say(f"edge.{holder}-proven", low=low, high=high, stake=stake)),
    )
