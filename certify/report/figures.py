"""The charts of the report, each drawn from the evidence and described in words and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from certify.report.formats import NARROW, fraction, grouped, p_value, percent, statistic
from certify.report.layout import Figure
from certify.report.node import Node
from certify.report.svg import Drawing, Scale, places_for

_WIDTH = 640.0
_LEFT, _RIGHT, _TOP = 58.0, 14.0, 26.0
_RESIDUAL_LIMIT = 2.5758  # the 99.5 % point of the normal distribution: 99 % two-sided


def convergence(campaign: Node, wager: str, title: str) -> Figure:
    """Draws the running return of a wager with its 99 % interval closing in on the exact return."""
    points = [
        (point.number("rounds"), point.at("wagers").at(wager))
        for point in campaign.each("convergence")
        if point.at("wagers").has(wager)
    ]
    series = [(n, 100 * at.number("return"), 100 * at.number("half_width_99")) for n, at in points]
    exact_text = _exact_return(campaign, wager)
    exact = 100 * float(fraction(exact_text))
    height = 196.0
    drawing = Drawing(_WIDTH, height)
    x = Scale((series[0][0], max(series[-1][0], series[0][0] * 10)), (_LEFT, _WIDTH - _RIGHT), logarithmic=True)
    settled = [entry for entry in series if entry[0] ** 2 >= series[0][0] * series[-1][0]] or series
    reach = max(abs(value - exact) + half for _, value, half in settled) * 1.15
    y = Scale((exact - reach, exact + reach), (height - 40, _TOP))
    upper = [(x.at(n), y.clamped(value + half)) for n, value, half in series]
    lower = [(x.at(n), y.clamped(value - half)) for n, value, half in series]
    _grid(drawing, x, y, _rounds_label, lambda value, step: statistic(value, places_for(step)))
    drawing.area([*upper, *reversed(lower)], "band")
    visible = [(x.at(n), y.at(value)) for n, value, _ in series if abs(value - exact) <= reach]
    drawing.path(visible, "accent", width=1.8)
    drawing.line((_LEFT, y.at(exact)), (_WIDTH - _RIGHT, y.at(exact)), "exact", width=1.3, dashes="5 3")
    _legend(drawing, (("band", "99 % interval"), ("accent", "played return"), ("exact", "exact return")))
    drawing.text((0, 14), "Return, %", "muted", size=10.5)
    drawing.text((_WIDTH - _RIGHT, height - 4), "rounds played (logarithmic)", "muted", anchor="end", size=10.5)
    last = series[-1]
    words = (
        f"Line chart of the played return of {title} against the number of rounds. After "
        f"{grouped(int(last[0]))} rounds it stands at {statistic(last[1], 4)} % with a 99 % interval of plus or minus "
        f"{statistic(last[2], 4)} percentage points; the exact return is {percent(fraction(exact_text), 4)}."
    )
    return Figure(f"convergence-{wager}", f"{title}: played return closing in on the exact one", words, drawing.svg())


def _exact_return(campaign: Node, wager: str) -> str:
    for entry in campaign.each("wagers"):
        if entry.text("wager") == wager:
            return entry.at("mean").text("exact_return")
    return "1"


def residuals(campaign: Node, titles: dict[str, str]) -> Figure:
    """Draws how far each outcome's count lies from its expectation, in standard deviations."""
    rows = [
        (titles.get(entry.text("wager"), entry.text("wager")), outcome)
        for entry in campaign.each("wagers")
        for outcome in entry.each("outcomes")
    ]
    return _residual_chart([(f"{outcome.text('outcome')}", wager, outcome.number("residual")) for wager, outcome in rows])


def _residual_chart(rows: Sequence[tuple[str, str, float]]) -> Figure:
    row_height, left = 15.0, 245.0
    height = _TOP + row_height * len(rows) + 34
    drawing = Drawing(_WIDTH, height)
    reach = max(3.5, 1.1 * max(abs(value) for _, _, value in rows))
    x = Scale((-reach, reach), (left, _WIDTH - _RIGHT))
    bottom = _TOP + row_height * len(rows)
    drawing.box((x.at(-_RESIDUAL_LIMIT), _TOP - 4), x.at(_RESIDUAL_LIMIT) - x.at(-_RESIDUAL_LIMIT), bottom - _TOP + 8, "band")
    for tick in range(-math.floor(reach), math.floor(reach) + 1):
        drawing.line((x.at(tick), _TOP - 4), (x.at(tick), bottom + 4), "axis" if tick == 0 else "rule")
        drawing.text((x.at(tick), bottom + 18), statistic(tick, 0), "muted", anchor="middle", size=10.5)
    previous = ""
    for index, (outcome, wager, value) in enumerate(rows):
        middle = _TOP + row_height * (index + 0.5)
        if wager != previous:
            drawing.text((0, middle + 4), wager, "ink", size=10.5)
            previous = wager
        drawing.text((left - 10, middle + 4), outcome, "muted", anchor="end", size=9.5)
        drawing.line((x.at(0), middle), (x.at(value), middle), "accent", width=1.2)
        drawing.dot((x.at(value), middle), "exact" if abs(value) > _RESIDUAL_LIMIT else "accent", radius=3.2)
    drawing.text(((left + _WIDTH - _RIGHT) / 2, height - 2), "standardised residual", "muted", anchor="middle", size=10.5)
    outside = sum(abs(value) > _RESIDUAL_LIMIT for _, _, value in rows)
    listed = "; ".join(f"{wager}, {outcome}: {statistic(value, 2)}" for outcome, wager, value in rows)
    words = (
        f"Dot chart of the standardised residuals of {len(rows)} outcome counts; {outside} lie outside plus or minus "
        f"2.58, the 99 % range of a single one. {listed}."
    )
    return Figure("residuals", "Outcome counts against expectation; the band holds 99 % of single residuals", words, drawing.svg())


def ordered_p_values(values: Sequence[float], alpha: float) -> Figure:
    """Draws sorted p-values against the straight line that sound randomness follows on average."""
    ordered = sorted(values)
    count = len(ordered)
    # Dvoretzky–Kiefer–Wolfowitz inequality with Massart's constant: a band for the whole curve.
    band = math.sqrt(math.log(2 / alpha) / (2 * count))
    height = 250.0
    drawing = Drawing(_WIDTH, height)
    x = Scale((0.0, 1.0), (_LEFT, _WIDTH - _RIGHT))
    y = Scale((0.0, 1.0), (height - 40, _TOP))
    steps = [index / 50 for index in range(51)]
    upper = [(x.at(step), y.clamped(step + band)) for step in steps]
    lower = [(x.at(step), y.clamped(step - band)) for step in steps]
    drawing.area([*upper, *reversed(lower)], "band")
    _grid(drawing, x, y, lambda value: statistic(value, 2), lambda value, _: statistic(value, 2))
    drawing.line((x.at(0), y.at(0)), (x.at(1), y.at(1)), "exact", width=1.3, dashes="5 3")
    for index, value in enumerate(ordered):
        drawing.dot((x.at((index + 0.5) / count), y.at(value)), "accent", radius=2.6)
    drawing.text((0, 14), "p-value", "muted", size=10.5)
    drawing.text((_WIDTH - _RIGHT, height - 4), "share of p-values, in ascending order", "muted", anchor="end", size=10.5)
    words = (
        f"Scatter chart of {count} p-values in ascending order against the diagonal expected of sound randomness. "
        f"The smallest is {p_value(ordered[0])}, the median {p_value(ordered[count // 2])}, the largest "
        f"{p_value(ordered[-1])}."
    )
    label = statistic(100 * (1 - alpha), 0)
    caption = f"p-values in ascending order against the uniform line, with a {label}{NARROW}% band for independent tests"
    return Figure("p-values", caption, words, drawing.svg())


def recovery(candidates: Sequence[tuple[str, str, float, bool]], printed: str, low: float, high: float) -> Figure:
    """Draws the returns of all candidates; the printed figure is a line that one of them meets.

    Args:
        candidates: Reading, pays, return in per cent and whether it fits, in the order of the evidence.
        printed: The figure as printed.
        low: Lower end of the printed interval, in per cent.
        high: Upper end, in per cent.
    """
    readings = list(dict.fromkeys(reading for reading, _, _, _ in candidates))
    left, row_height, top = 250.0, 30.0, 30.0
    bottom = top + row_height * len(readings)
    drawing = Drawing(_WIDTH, bottom + 34)
    values = [value for _, _, value, _ in candidates]
    margin = (max(values) - min(values)) * 0.04 or 1.0
    x = Scale((min(values) - margin, max(values) + margin), (left, _WIDTH - _RIGHT))
    ticks = x.ticks(6)
    places = places_for(ticks[1] - ticks[0]) if len(ticks) > 1 else 0
    for tick in ticks:
        drawing.line((x.at(tick), top - 6), (x.at(tick), bottom), "rule")
        drawing.text((x.at(tick), bottom + 14), statistic(tick, places), "muted", anchor="middle", size=10.5)
    drawing.box((x.at(low) - 0.75, top - 6), max(1.5, x.at(high) - x.at(low)), bottom - top + 6, "exact")
    drawing.text((x.at((low + high) / 2), top - 12), f"printed {printed}", "exact", anchor="middle", size=10.5)
    for index, reading in enumerate(readings):
        middle = top + row_height * (index + 0.5)
        drawing.text((0, middle + 4), reading, "ink", size=10)
        drawing.line((left, middle), (_WIDTH - _RIGHT, middle), "rule")
        for _, pays, value, fits in (entry for entry in candidates if entry[0] == reading):
            drawing.dot((x.at(value), middle), "exact" if fits else "accent", radius=4.2 if fits else 3, hollow=not fits)
            if fits:
                drawing.text((x.at(value) + 7, middle - 6), f"{pays}: fits", "ink", size=10)
    drawing.text((_WIDTH - _RIGHT, bottom + 30), "exact return, %", "muted", anchor="end", size=10.5)
    fitting = [entry for entry in candidates if entry[3]]
    named = "; ".join(f"{reading}, {pays}: {statistic(value, 6)} %" for reading, pays, value, _ in fitting)
    words = (
        f"Dot chart of the exact returns of {len(candidates)} candidates from {statistic(min(values), 4)} % to "
        f"{statistic(max(values), 4)} %. {len(fitting)} of them round to the printed {printed}"
        f"{': ' + named if named else ''}."
    )
    return Figure("recovery", f"Exact returns of all {len(candidates)} candidates and the printed figure", words, drawing.svg())


def advantage(rows: Sequence[tuple[str, float]], better: str, worse: str) -> Figure:
    """Draws by how much one decision beats the other, hand by hand.

    Args:
        rows: The hand and the difference of the expected results, in units of the stake.
        better: The decision on the positive side.
        worse: The decision on the negative side.
    """
    left, row_height = 120.0, 14.0
    bottom = _TOP + row_height * len(rows)
    drawing = Drawing(_WIDTH, bottom + 34)
    reach = max(abs(value) for _, value in rows) * 1.08 or 1.0
    x = Scale((-reach, reach), (left, _WIDTH - _RIGHT))
    ticks = x.ticks(6)
    places = places_for(ticks[1] - ticks[0]) if len(ticks) > 1 else 0
    for tick in ticks:
        drawing.line((x.at(tick), _TOP), (x.at(tick), bottom), "axis" if abs(tick) < reach / 1e6 else "rule")
        drawing.text((x.at(tick), bottom + 14), statistic(tick, places), "muted", anchor="middle", size=10.5)
    for index, (hand, value) in enumerate(rows):
        top = _TOP + row_height * index + 2.5
        drawing.text((left - 10, top + 8), hand, "ink", anchor="end", size=10)
        start = min(x.at(0), x.at(value))
        drawing.box((start, top), max(1.0, abs(x.at(value) - x.at(0))), row_height - 5, "accent" if value > 0 else "axis")
    drawing.text((x.at(reach), 14), f"{better} is better", "accent", anchor="end", size=10.5)
    drawing.text((x.at(-reach), 14), f"{worse} is better", "muted", size=10.5)
    drawing.text((_WIDTH - _RIGHT, bottom + 30), "difference of expected results, in stakes", "muted", anchor="end", size=10.5)
    listed = "; ".join(f"{hand}: {statistic(value, 3)}" for hand, value in rows)
    words = f"Bar chart of the expected result of {better} minus that of {worse} for {len(rows)} hands. {listed}."
    return Figure("advantage", f"What {better} gains over {worse}, hand by hand", words, drawing.svg())


def _grid(
    drawing: Drawing, x: Scale, y: Scale, x_label: Callable[[float], str], y_label: Callable[[float, float], str]
) -> None:
    """Draws rules and labels of both axes."""
    bottom, top = y.pixels
    left, right = x.pixels
    ticks = y.ticks(5)
    step = ticks[1] - ticks[0] if len(ticks) > 1 else 1.0
    for tick in ticks:
        drawing.line((left, y.at(tick)), (right, y.at(tick)), "rule")
        drawing.text((left - 7, y.at(tick) + 4), y_label(tick, step), "muted", anchor="end", size=10.5)
    for tick in x.ticks(5):
        drawing.line((x.at(tick), top), (x.at(tick), bottom), "rule")
        drawing.text((x.at(tick), bottom + 16), x_label(tick), "muted", anchor="middle", size=10.5)
    drawing.line((left, bottom), (right, bottom), "axis")


def _legend(drawing: Drawing, entries: Sequence[tuple[str, str]]) -> None:
    """Writes the legend above the plot, on its right side."""
    place = _WIDTH - _RIGHT - 118.0 * len(entries)
    for colour, label in entries:
        if colour == "band":
            drawing.box((place, 6), 20, 10, colour)
        else:
            drawing.line((place, 11), (place + 20, 11), colour, width=1.8, dashes="5 3" if colour == "exact" else "")
        drawing.text((place + 26, 14.5), label, "muted", size=10.5)
        place += 118.0


def _rounds_label(value: float) -> str:
    """Returns 1 000 000 as ``1 M``."""
    for unit, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= unit:
            return f"{value / unit:g}{NARROW}{letter}"
    return f"{value:g}"
