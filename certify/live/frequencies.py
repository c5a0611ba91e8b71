"""All rows together: frequencies and returns against the exact law, in whole and in part, under one error."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from certify.by_key import summed
from certify.evidence.played import Judged, Returned
from certify.exact import units
from certify.live.judge import Judge
from certify.live.log import Logs
from certify.simulation import chi_square, holm
from rng.battery.goodness import binomial_two_sided

MOST_PARTS: Final = 20_000
"""Parts of the log, the largest first, that are judged by themselves."""

MOST_PLAYERS: Final = 1_000
"""Players, those of most rows first, that are judged by themselves."""

MANY_ROWS: Final = 10_000
"""Rows of a part from which on its pays are judged together by chi-square."""

LEAST_DRAWN: Final = 1_000
"""Rows whose draws are judged together, at least."""

MOST_PLACES: Final = 12
"""Places of a round that are judged, the first ones."""

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
        "SELECT law, state, pay, lag(pay) OVER own AS before, (number, time) AS place FROM seen "
        f"WHERE {where} WINDOW own AS (PARTITION BY law, player ORDER BY number, time) "
        "QUALIFY place IS DISTINCT FROM lag(place) OVER own AND place IS DISTINCT FROM lead(place) OVER own"
    )
    parts = {"": ("NULL", "seen"), "stake ": ("stake || ' ' || currency", "seen")}
    if judge.map.columns.channel:
        parts["channel "] = ("channel", "seen")
    parts["hour "] = ("hour(time)", "seen")
    if judge.map.columns.player:
        parts["player "] = ("player", "seen")
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
        for (law, part), counts in largest[: MOST_PLAYERS if words == "player " else MOST_PARTS]:
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
    if judge.map.columns.draws:
        yield from _draws(logs, judge, keys)


def _draws(logs: Logs, judge: Judge, keys: Sequence[str]) -> Iterator[Judged]:
    """Yields how often each item came at each place of a round that was drawn whatever was decided.

    Every item is as likely as any other there. Where one piece is drawn from until the round ends, those are the places
    that every round reaches. Each game is looked at in its wager of most rows.
    """
    logged = "FROM seen WHERE state = 0 AND law >= 0 AND draws IS NOT NULL"
    looked: set[str] = set()
    for law, rows, least in logs.all(
        f"SELECT law, count(*) AS n, min(len(string_split(draws, ' '))) {logged} GROUP BY law ORDER BY n DESC, law"
    ):
        game = judge.laws[keys[law]].game
        pieces = [piece for piece in game.equipment for _ in range(piece.supply)]
        whole = len(game.equipment) == 1 or least == len(pieces)
        if rows < LEAST_DRAWN or not whole or game.sha256 + keys[law].rpartition("/")[0] in looked:
            continue
        looked.add(game.sha256 + keys[law].rpartition("/")[0])
        for place, piece in enumerate(pieces[: min(least, MOST_PLACES)], start=1):
            item = f"try_cast(split_part(draws, ' ', {place}) AS INTEGER)"
            counted: dict[int, int] = dict(
                logs.all(
                    f"SELECT {item} AS item, count(*) {logged} AND law = {law} GROUP BY item "
                    f"HAVING item BETWEEN 0 AND {piece.size - 1}"
                )
            )
            shown = summed((piece.shows[number], count) for number, count in counted.items())
            faces = [shown.get(face, 0) for face in range(len(piece.faces))]
            tested = [("face", faces, piece.copies)] if len(faces) < piece.size else []
            # Of a pool of which most items never come, the faces alone say something.
            if piece.size <= max(rows, len(faces)):
                items = [counted.get(number, 0) for number in range(piece.size)]
                tested.insert(0, ("item", items, (1,) * piece.size))
            for name, counts, copies in tested:
                due = [sum(counts) * share / piece.size for share in copies]
                yield from _together(keys[law], f"{name} of draw {place}", "draws", counts, due)


def _together(
    of: str, part: str, test: str, counts: Sequence[int], expected: Sequence[float]
) -> Iterator[Judged]:
    """Yields counts against their law together, by chi-square."""
    together = chi_square(counts, expected)
    if together is not None:
        freedom = together.degrees_of_freedom
        yield Judged(of, part, test, sum(counts), together.statistic, freedom, together.p_value)


def _compared(
    of: str, part: str, counts: Sequence[int], chances: Sequence[Fraction], *, single: bool
) -> Iterator[Judged]:
    """Yields counts of pays against their law: together by chi-square, and of all rows each by its binomial tails."""
    rows = sum(counts)
    expected = [float(rows * chance) for chance in chances]
    if single or rows >= MANY_ROWS:
        yield from _together(of, part, "pays", counts, expected)
    alone = [
        Judged(of, part, "pay", rows, count, due, binomial_two_sided(count, rows, float(chance)))
        for count, chance, due in zip(counts, chances, expected, strict=True)
        if single or rows < MANY_ROWS
    ]
    if single:
        yield from alone
    elif alone:
        # Of few rows chi-square is too rough where so many parts are judged: the pay that is furthest off is exact.
        worst = min(alone, key=lambda one: one.p)
        yield replace(worst, test="worst pay", p=min(1.0, worst.p * len(alone)))


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
