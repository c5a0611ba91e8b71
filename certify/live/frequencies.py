"""All rows together: frequencies and returns against the exact law, in whole and in part, under one error."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.currency import units
from certify.evidence.played import Judged, Returned
from certify.live.judge import Judge
from certify.live.log import Logs
from certify.simulation import chi_square, holm
from rng.battery.goodness import binomial_two_sided

MOST_PARTS: Final = 20_000
"""Parts of the log, the largest first, that are judged by themselves."""

LEAST_ROWS: Final = 20
"""Rows of a part that is judged by itself, at least."""


def adjusted(tests: Sequence[Judged]) -> list[Judged]:
    """Returns the tests with their p-values adjusted together, the smallest first."""
    together = zip(tests, holm([one.p for one in tests]), strict=True)
    return sorted(
        (replace(one, adjusted=p) for one, p in together), key=lambda one: (one.p, one.of, one.part)
    )


def frequencies(logs: Logs, judge: Judge) -> Iterator[Judged]:
    """Yields how often each pay and outcome came, in whole, and pays by stake, channel and the result before."""
    keys = list(judge.laws)
    where = "state = 0 AND pay >= 0"
    # Rows that share their number and time have no order, and no pay before.
    before = (
        "SELECT *, lag(pay) OVER (PARTITION BY law, player ORDER BY number, time) AS before FROM seen "
        f"WHERE {where} QUALIFY count(*) OVER (PARTITION BY law, player, number, time) = 1"
    )
    parts = {"": ("NULL", "seen"), "stake ": ("stake || ' ' || currency", "seen")}
    if judge.map.columns.channel:
        parts["channel "] = ("channel", "seen")
    parts["after a pay of "] = ("before", f"({before})")
    for words, (by, source) in parts.items():
        counted: dict[tuple[int, str], dict[int, int]] = defaultdict(dict)
        for law, part, pay, count in logs.all(
            f"SELECT law, ({by})::VARCHAR AS part, pay, count(*) FROM {source} WHERE {where} AND law >= 0 "
            "GROUP BY law, part, pay"
        ):
            if words and part is None:
                continue
            counted[law, part or ""][pay] = count
        largest = sorted(counted.items(), key=lambda one: (-sum(one[1].values()), one[0]))
        for (law, part), counts in largest[:MOST_PARTS]:
            known = judge.laws[keys[law]]
            if known.chances is None or (words and sum(counts.values()) < LEAST_ROWS):
                continue
            named = str(known.pays[int(part)]) if words.startswith("after") else part
            if words.startswith("stake"):
                amount, currency = part.split(" ")
                named = f"{units(int(amount), currency)} {currency}"
            whole = [counts.get(pay, 0) for pay in range(len(known.pays))]
            yield from _compared(keys[law], f"{words}{named}", whole, known.chances, single=not words)
    yield from _outcomes(logs, judge, keys)


def _compared(
    of: str, part: str, counts: Sequence[int], chances: Sequence[Fraction], *, single: bool
) -> Iterator[Judged]:
    """Yields counts of pays against their law: together by chi-square, and of all rows each by its binomial tails."""
    rows = sum(counts)
    expected = [float(rows * chance) for chance in chances]
    together = chi_square(counts, expected)
    if together is not None:
        freedom = together.degrees_of_freedom
        yield Judged(of, part, "pays", rows, together.statistic, freedom, together.p_value)
    for count, chance, due in zip(counts, chances, expected, strict=True) if single else ():
        yield Judged(of, part, "pay", rows, count, due, binomial_two_sided(count, rows, float(chance)))


def _outcomes(logs: Logs, judge: Judge, keys: Sequence[str]) -> Iterator[Judged]:
    """Yields how often each outcome that is named came."""
    if not judge.map.columns.outcome:
        return
    counted: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for law, word, count in logs.all(
        "SELECT law, outcome, count(*) FROM seen WHERE state = 0 AND law >= 0 AND outcome IS NOT NULL "
        "GROUP BY law, outcome"
    ):
        counted[law][judge.map.outcomes.get(word, word)] += count
    for law, counts in counted.items():
        known = judge.laws[keys[law]].outcome_chances
        rows = sum(counts.values())
        for outcome, chance in known.items():
            p = binomial_two_sided(counts.get(outcome, 0), rows, float(chance))
            yield Judged(keys[law], outcome, "outcome", rows, counts.get(outcome, 0), float(rows * chance), p)


def returns(logs: Logs, judge: Judge) -> Iterator[Returned]:
    """Yields what came back by wager, stake, channel and currency, on all days and on each, the largest first."""
    keys = list(judge.laws)
    grouped = "law, currency, stake, channel"
    for law, currency, stake, channel, day, rows, total in logs.all(
        f"SELECT {grouped}, day::VARCHAR, count(*) AS n, sum(win) FROM (SELECT *, time::DATE AS day FROM seen) "
        "WHERE state = 0 AND law >= 0 AND stake > 0 AND win IS NOT NULL AND day IS NOT NULL "
        f"GROUP BY GROUPING SETS (({grouped}), ({grouped}, day)) "
        f"ORDER BY n DESC, {grouped}, day NULLS FIRST LIMIT {MOST_PARTS}"
    ):
        at = judge.laws[keys[law]].at(stake, judge.map.log.rounding)
        yield Returned(
            keys[law],
            currency or "",
            stake,
            channel or "",
            day or "",
            rows,
            Fraction(total),
            Fraction(total, rows * stake),
            None if at is None else at.mean / stake,
        )


def judged_returns(cells: Sequence[Returned], judge: Judge) -> Iterator[Judged]:
    """Yields each return against the exact law of so many rounds at its stake."""
    for cell in cells:
        at = judge.laws[cell.of].at(cell.stake, judge.map.log.rounding)
        if at is not None and cell.expected is not None:
            p = at.p_value(int(cell.total), cell.rows)
            yield Judged(
                cell.of, cell.part, "return", cell.rows, float(cell.returned), float(cell.expected), p
            )
