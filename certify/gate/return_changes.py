"""What a change does to returns: how far they move, who has the edge, and what they must not pass."""

from __future__ import annotations

from collections.abc import Iterator

from certify.exact import fraction_text, percent_text
from certify.gate.consequence import Consequence
from certify.gate.deltas import WagerDelta, edge, on_total
from certify.gate.policy import Policy
from certify.gate.words import percent, points
from certify.model.figures import WagerFigures
from certify.submission.locate import KeyPath


def returns_moved(
    delta: WagerDelta, before: WagerFigures, after: WagerFigures, key: KeyPath, policy: Policy
) -> Iterator[Consequence]:
    """Yields what moved of the return of a wager that both states have, by either measure."""
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


def above_stake(delta: WagerDelta, after: WagerFigures, key: KeyPath) -> Iterator[Consequence]:
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


def floors(delta: WagerDelta, after: WagerFigures, key: KeyPath, policy: Policy) -> Iterator[Consequence]:
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
