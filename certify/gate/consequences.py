"""From exact differences to changes that a policy can judge."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from certify.exact import decimal_text, format_odds, fraction_text, percent_text
from certify.gate.consequence import Consequence
from certify.gate.deltas import Deltas, WagerDelta, edge, on_total, top_award
from certify.gate.meaning import Submission
from certify.gate.policy import Policy
from certify.gate.printed_changes import printed_consequences
from certify.model.figures import WagerFigures
from certify.submission.locate import KeyPath

RAREST: Final = Fraction(1, 100_000_000)
"""GLI-19 v3.0 4.7.3: a top award rarer than this must have its odds displayed."""

PLACES: Final = 6
"""Decimal places of percentages; the fraction beside them is exact."""


def percent(value: Fraction) -> str:
    """Returns a fraction of one as a percentage with its sign.

    >>> percent(Fraction(1, 60))
    '1.666667 %'
    """
    return f"{percent_text(value, PLACES)} %"


def points(value: Fraction) -> str:
    """Returns a difference in percentage points, with its sign always.

    A difference too small to show six places is never shown as nothing.

    >>> points(Fraction(-1, 60)), points(Fraction(1, 60)), points(Fraction(1, 10**12))
    ('-1.666667 pp', '+1.666667 pp', '+0.0000000001 pp')
    """
    places = PLACES
    while value and not any(c in "123456789" for c in percent_text(value, places)) and places < 30:
        places += 1
    return f"{'+' if value >= 0 else ''}{percent_text(value, places)} pp"


def consequences(
    before: Submission | None, after: Submission, deltas: Deltas, policy: Policy
) -> Iterator[Consequence]:
    """Yields everything that is otherwise about the figures of a game, its wagers first."""
    for delta in deltas.wagers:
        key = _wager_key(after, delta.wager)
        if delta.after is None:
            continue
        if delta.before is not None:
            yield from _moved(delta, delta.before, delta.after, key, policy)
        yield from _above_stake(delta, delta.after, key)
        yield from _floors(delta, delta.after, key, policy)
        yield from _rare(delta, delta.after, key)
        yield from _claims(before, after, delta, delta.after)
    yield from _exposure(deltas, policy)
    yield from _strategy(deltas, after.game.wagers[0].id)
    yield from printed_consequences(before, after, deltas)


def _wager_key(submission: Submission, wager: str) -> KeyPath:
    """Returns the key of a wager in the file."""
    ids = [entry.id for entry in submission.game.wagers]
    return ("wagers", ids.index(wager)) if wager in ids else ("wagers",)


def _moved(
    delta: WagerDelta, before: WagerFigures, after: WagerFigures, key: KeyPath, policy: Policy
) -> Iterator[Consequence]:
    """Yields what moved of a wager that both states have."""
    change, wager = after.return_to_player - before.return_to_player, delta.wager
    allowed = all(policy.allows(wager, move) for move in delta.moves)
    if change:
        yield Consequence(
            "return-changed",
            wager,
            f"return of {wager}: {percent(before.return_to_player)} → {percent(after.return_to_player)}, "
            f"{points(change)} ({fraction_text(change)}) under {delta.strategy}",
            fraction_text(before.return_to_player),
            fraction_text(after.return_to_player),
            key,
            wager,
            within=allowed,
        )
    yield from _moved_on_total(delta, before, after, key, allowed)
    yield from _changed_side(wager, before, after, key)
    yield from _moved_with_play(delta, bool(change), key)
    hits = (before.hit_frequency, after.hit_frequency)
    if hits[0] != hits[1]:
        yield Consequence(
            "hit-frequency-changed",
            wager,
            f"hit frequency of {wager}: {percent(hits[0])} → {percent(hits[1])}, {points(hits[1] - hits[0])}",
            fraction_text(hits[0]),
            fraction_text(hits[1]),
            key,
            wager,
        )
    if before.variance != after.variance:
        yield Consequence(
            "volatility-changed",
            wager,
            f"standard deviation of {wager}: {before.standard_deviation:.6f} → {after.standard_deviation:.6f}",
            f"{before.standard_deviation:.6f}",
            f"{after.standard_deviation:.6f}",
            key,
            wager,
        )
    yield from _top(wager, before, after, key)


def _moved_on_total(
    delta: WagerDelta, before: WagerFigures, after: WagerFigures, key: KeyPath, allowed: bool
) -> Iterator[Consequence]:
    """Yields that the return on everything wagered moved, where a player may add to the initial stake."""
    old, new = on_total(before), on_total(after)
    if delta.adds_to_stake and old != new:
        yield Consequence(
            "return-on-total-changed",
            delta.wager,
            f"return of {delta.wager} on everything wagered: {percent(old)} → {percent(new)}, "
            f"{points(new - old)} ({fraction_text(new - old)}) under {delta.strategy}",
            fraction_text(old),
            fraction_text(new),
            key,
            delta.wager,
            within=allowed,
        )


def _changed_side(
    wager: str, before: WagerFigures, after: WagerFigures, key: KeyPath
) -> Iterator[Consequence]:
    """Yields that the edge went from one side to the other, or to nobody."""
    if edge(before) != edge(after):
        yield Consequence(
            "edge-changed-side",
            wager,
            f"the edge on {wager} went from {_edge(before)} to {_edge(after)}",
            edge(before),
            edge(after),
            key,
            wager,
        )


def _edge(figures: WagerFigures) -> str:
    """Returns who has the edge and how large it is, on everything wagered too where that is more."""
    size = abs(figures.expectation)
    if not size:
        return edge(figures)
    total = figures.total_wagered
    of_all = "" if total is None else f", {percent(size / total)} of everything wagered"
    return f"{edge(figures)} ({percent(size)} of the initial stake{of_all})"


def _above_stake(delta: WagerDelta, after: WagerFigures, key: KeyPath) -> Iterator[Consequence]:
    """Yields that a wager returns more than is staked: under best play the player wins in the long run."""
    now = after.return_to_player
    if now <= 1:
        return
    was_above = delta.before is not None and delta.before.return_to_player > 1
    of_all = "" if after.total_wagered is None else f", {percent(on_total(after))} of everything wagered"
    yield Consequence(
        "above-100-before" if was_above else "return-above-100",
        delta.wager,
        f"{delta.wager} returns {percent(now)} of the initial stake{of_all}: more than is staked, "
        f"under {delta.strategy}",
        None if delta.before is None else fraction_text(delta.before.return_to_player),
        fraction_text(now),
        key,
        delta.wager,
    )


def _moved_with_play(delta: WagerDelta, changed: bool, key: KeyPath) -> Iterator[Consequence]:
    """Yields returns under single strategies that moved although the best return did not."""
    if changed:
        return
    for name, (old, new) in delta.by_strategy.items():
        if old is not None and new is not None and old != new:
            yield Consequence(
                "return-moved-with-play",
                f"{delta.wager}/{name}",
                f"return of {delta.wager} under {name}: {percent(old)} → {percent(new)}, {points(new - old)}",
                fraction_text(old),
                fraction_text(new),
                key,
                delta.wager,
            )


def _top(wager: str, before: WagerFigures, after: WagerFigures, key: KeyPath) -> Iterator[Consequence]:
    """Yields what changed about the highest pay of a wager."""
    old, new = top_award(before), top_award(after)
    if (old.id, old.pays) != (new.id, new.pays):
        yield Consequence(
            "top-award-changed",
            wager,
            f"top award of {wager}: {old.id} at {format_odds(old.pays)} → {new.id} at {format_odds(new.pays)}",
            f"{old.id} {format_odds(old.pays)}",
            f"{new.id} {format_odds(new.pays)}",
            key,
            wager,
        )
    if old.probability != new.probability:
        yield Consequence(
            "top-award-odds-changed",
            wager,
            f"odds of the top award of {wager}: {_odds(old.probability)} → {_odds(new.probability)}",
            fraction_text(old.probability),
            fraction_text(new.probability),
            key,
            wager,
        )


def _odds(probability: Fraction) -> str:
    return f"1 in {decimal_text(1 / probability, 2)}" if probability else "never"


def _rare(delta: WagerDelta, after: WagerFigures, key: KeyPath) -> Iterator[Consequence]:
    """Yields a top award that became too rare to stay silent about."""
    new = top_award(after).probability
    was_rare = delta.before is not None and top_award(delta.before).probability < RAREST
    if new < RAREST and not was_rare:
        yield Consequence(
            "top-award-rare",
            delta.wager,
            f"the top award of {delta.wager} is won {_odds(new)}, rarer than 1 in 100,000,000",
            None,
            fraction_text(new),
            key,
            delta.wager,
        )


def _floors(delta: WagerDelta, after: WagerFigures, key: KeyPath, policy: Policy) -> Iterator[Consequence]:
    """Yields floors of jurisdictions that a return fell below."""
    now = after.return_to_player
    for name, floor in policy.floors.items():
        if now >= floor:
            continue
        was_below = delta.before is not None and delta.before.return_to_player < floor
        yield Consequence(
            "below-floor-before" if was_below else "floor-crossed",
            f"{delta.wager}/{name}",
            f"return of {delta.wager} is {percent(now)}, below the {percent_text(floor, 2)} % of {name}",
            None if delta.before is None else fraction_text(delta.before.return_to_player),
            fraction_text(now),
            key,
            delta.wager,
        )


def _claims(
    before: Submission | None, after: Submission, delta: WagerDelta, figures: WagerFigures
) -> Iterator[Consequence]:
    """Yields printed returns that are not what the game returns."""
    now = figures.return_to_player
    for position, claim in enumerate(after.game.claims):
        if claim.wager != delta.wager or claim.printed.stands_for(now):
            continue
        was = delta.before.return_to_player if delta.before else None
        same = [
            old
            for old in (before.game.claims_on(claim.wager) if before else ())
            if old.printed == claim.printed
        ]
        stood_false = was is not None and bool(same) and not claim.printed.stands_for(was)
        yield Consequence(
            "claim-false-before" if stood_false else "claim-stale",
            f"{claim.wager}/{claim.metric}",
            f"{claim.text} is printed for {claim.wager}, which returns {percent(now)} under {delta.strategy}",
            claim.text,
            percent(now),
            ("claims", position, "printed"),
            claim.wager,
        )


def _exposure(deltas: Deltas, policy: Policy) -> Iterator[Consequence]:
    """Yields what changed about the most that one round can cost."""
    (old, new), (old_currency, currency) = deltas.exposure, deltas.currency
    if new is None:
        return
    if old is not None and (old, old_currency) != (new, currency):
        yield Consequence(
            "max-exposure-changed",
            "exposure",
            f"highest win of one round: {money(old, old_currency)} → {money(new, currency)}",
            money(old, old_currency),
            money(new, currency),
            ("wagers", 0),
        )
    limit = policy.max_exposure.get(currency)
    above_before = limit is not None and old is not None and old_currency == currency and old > limit
    if limit is not None and new > limit and not above_before:
        yield Consequence(
            "exposure-above-limit",
            "exposure",
            f"one round can cost {money(new, currency)}, more than the {money(limit, currency)} allowed",
            None if old is None else money(old, old_currency),
            money(new, currency),
            ("wagers", 0),
        )


def money(amount: int, currency: str) -> str:
    """Returns an amount of minor units as text.

    >>> money(4_100_000, "EUR")
    '41,000.00 EUR'
    """
    return f"{amount // 100:,}.{amount % 100:02d} {currency}"


def _strategy(deltas: Deltas, wager: str) -> Iterator[Consequence]:
    """Yields that optimal play changed, with the hands."""
    if not deltas.flips and not any(deltas.cells):
        return
    shown = ", ".join(f"{flip.hand} {flip.before} → {flip.after}" for flip in deltas.flips[:5])
    rest = len(deltas.flips) - 5
    said = [
        f"optimal play changed on {len(deltas.flips)} hands{': ' if shown else ''}{shown}"
        + (f" and {rest} more" if rest > 0 else "")
    ]
    new, gone = deltas.cells
    if new:
        said.append(f"{new} hands come up that did not before")
    if gone:
        said.append(f"{gone} hands no longer come up")
    yield Consequence(
        "strategy-changed",
        wager,
        "; ".join(said),
        None,
        str(len(deltas.flips)),
        ("wagers", 0),
        wager,
    )
