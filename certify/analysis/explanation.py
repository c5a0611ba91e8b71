"""The tree behind one decision, with its fractions, so that a reader can follow it draw by draw."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from certify.by_key import summed
from certify.evidence import Covariance, JointFigures, NetResult
from certify.exact import decimal_text, format_half_points, fraction_text, means_and_covariances
from certify.model import Analysis, Joint, costs
from certify.untrusted_input import JsonObject


def figures_together(joint: Joint, analysis: Analysis, stakes: Mapping[str, Fraction]) -> JointFigures:
    """Returns the exact figures of all wagers together.

    Args:
        joint: Their joint distribution under one strategy.
        analysis: Their figures under it.
        stakes: Units on each wager.
    """
    net_of = {
        figures.wager: {outcome.id: outcome.pays for outcome in figures.outcomes}
        for figures in analysis.wagers
    }
    columns = [
        [net_of[wager][ended] for ended in outcomes]
        for wager, outcomes in zip(joint.wagers, zip(*joint.probabilities, strict=True), strict=True)
    ]
    off = max(figures.off for figures in analysis.wagers)
    shares = list(joint.probabilities.values())
    scale = math.lcm(*(share.denominator for share in shares))
    weights = [share.numerator * (scale // share.denominator) for share in shares]
    means, covariances = means_and_covariances(weights, columns)
    unit, staked = _in_units(columns, [stakes[wager] for wager in joint.wagers])
    net = summed((sum(results), weight) for weight, *results in zip(weights, *staked, strict=True))
    results_of_round = {Fraction(total, unit): weight for total, weight in sorted(net.items())}
    variances = [covariances[place, place] for place in range(len(columns))]
    return JointFigures(
        strategy=joint.strategy,
        strategy_class=joint.strategy_class,
        stakes={wager: stakes[wager] for wager in joint.wagers},
        returns={wager: 1 + mean for wager, mean in zip(joint.wagers, means, strict=True)},
        covariance=tuple(
            Covariance(
                (joint.wagers[one], joint.wagers[other]),
                value,
                # Of two wagers one of which never varies it is 0.
                float(value) / math.sqrt(spread) if (spread := variances[one] * variances[other]) else 0.0,
                (off and off * _range(columns[one], columns[other])) or None,
            )
            for (one, other), value in covariances.items()
        ),
        net=tuple(NetResult(total, Fraction(weight, scale)) for total, weight in results_of_round.items()),
        off={"probability": off, "variance": off * _range([*results_of_round], [*results_of_round])}
        if off
        else None,
    )


def _in_units(
    columns: Sequence[Sequence[Fraction]], stakes: Sequence[Fraction]
) -> tuple[int, list[list[int]]]:
    """Returns in how many parts one unit is divided, and net results times their stakes in whole parts."""
    values = [
        {result: result * stake for result in set(column)}
        for column, stake in zip(columns, stakes, strict=True)
    ]
    unit = math.lcm(*(value.denominator for each in values for value in each.values()))
    whole = [{result: int(value * unit) for result, value in each.items()} for each in values]
    return unit, [[each[result] for result in column] for each, column in zip(whole, columns, strict=True)]


def _range(one: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """Returns how far apart products of two net results lie."""
    products = [mine * theirs for mine, theirs in zip(one, other, strict=True)]
    return max(products) - min(products)


@dataclass(frozen=True, slots=True)
class Branch:
    """One thing that may come next, and what the round is worth then.

    Args:
        card: Class of the card that comes; empty where it is not one card.
        cards: Cards of the class that are left; 0 where it is not one card.
        chance: Probability that it comes.
        hand: The hand after it, or what is seen then; empty where nothing is decided any more.
        total: Its total in half points, none where hands have no total.
        then: What follows under best play, such as ``hit``, ``stand`` or ``bust``; ``settled`` where the round ends.
        value: Expected net result of the first wager after it.
        option: The option that leads there, where several lead on; empty where only one does.
    """

    card: str
    cards: int
    chance: Fraction
    hand: str
    total: int | None
    then: str
    value: Fraction
    option: str = ""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a decision is best, for the first wager.

    Args:
        hand: The hand, or what is seen.
        total: Its total in half points, none where hands have no total.
        cards_left: Cards that the player has not seen, none where that is no question of cards.
        standing: Probability of each outcome when the player stands.
        stand: Expected net result of standing.
        branches: What each next card, or each option, leads to.
        hit: Expected net result of drawing, none where the options are others.
        best: The best option, ``draw`` where the rules draw.
        values: Expected net result of every decision that is allowed.
    """

    hand: str
    total: int | None
    cards_left: int | None
    standing: tuple[tuple[str, Fraction], ...]
    stand: Fraction | None
    branches: tuple[Branch, ...]
    hit: Fraction | None
    best: str
    values: tuple[tuple[str, Fraction], ...] = ()


def explanation_text(found: Explanation) -> str:
    """Returns an explanation as lines of text."""
    lines = [
        found.hand
        if found.total is None
        else f"{found.hand}: {format_half_points(found.total)} points, {found.cards_left} cards not seen"
    ]
    if found.stand is not None:
        lines.append(f"stand: {_number(found.stand)}")
        lines += [f"  {outcome:8} {_number(chance)}" for outcome, chance in found.standing]
    if found.hit is not None:
        lines.append(f"{'hit' if found.best != 'draw' else 'draw'}: {_number(found.hit)}")
        lines += [
            f"  {one.card:5} {one.cards:2}/{found.cards_left}: {one.hand}"
            f"{'' if one.total is None else f' = {format_half_points(one.total)}'}, "
            f"then {one.then}: {_number(one.value)}"
            for one in found.branches
        ]
    else:
        lines += [line for option, value in found.values for line in _option_lines(found, option, value)]
    for decision, cost in costs(dict(found.values)).items():
        if cost:
            lines.append(
                f"{decision} instead of {found.best}: {_number(dict(found.values)[decision])}, "
                f"costs {_number(cost)}"
            )
    lines.append(f"best: {found.best}")
    return "\n".join(lines)


def _option_lines(found: Explanation, option: str, value: Fraction) -> list[str]:
    lines = [f"{option}: {_number(value)}"]
    for branch in found.branches:
        if branch.option == option:
            then = f"{branch.hand}, then {branch.then}" if branch.hand else branch.then
            lines.append(f"  {fraction_text(branch.chance)}: {then}: {_number(branch.value)}")
    return lines


def _number(value: Fraction) -> str:
    return f"{decimal_text(value, 6)} = {fraction_text(value)}"


def explanation_json(found: Explanation) -> JsonObject:
    """Returns an explanation as a JSON object."""
    return {
        "hand": found.hand,
        "total": _total(found.total),
        "cards_left": found.cards_left,
        "standing": {outcome: fraction_text(chance) for outcome, chance in found.standing},
        "stand": None if found.stand is None else fraction_text(found.stand),
        "hit": None if found.hit is None else fraction_text(found.hit),
        "best": found.best,
        "values": {decision: fraction_text(value) for decision, value in found.values},
        "costs": {decision: fraction_text(cost) for decision, cost in costs(dict(found.values)).items()},
        "branches": [
            {
                **({"option": branch.option} if branch.option else {}),
                "card": branch.card,
                "cards": branch.cards,
                "chance": fraction_text(branch.chance),
                "hand": branch.hand,
                "total": _total(branch.total),
                "then": branch.then,
                "value": fraction_text(branch.value),
            }
            for branch in found.branches
        ],
    }


def _total(half_points: int | None) -> str | None:
    return None if half_points is None else format_half_points(half_points)
