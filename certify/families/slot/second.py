"""A slot settled from its printed rules, apart from everything else here: the second implementation."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000)
Cell = tuple[str, int, str]
"""What a cell shows, its factor, and the symbol at which the reel stopped there."""
Cells = Sequence[Cell]


def settle(
    rules: Any, pays: Mapping[str, Any], draws: Sequence[str], decisions: Sequence[str]
) -> dict[str, tuple[str, Fraction]]:
    """Returns the outcome and the net result of the round.

    Args:
        rules: The rules as submitted.
        pays: The wager; what its rows pay is stated by the rules, stage by stage.
        draws: Names of what was drawn, in order: ``17 seven`` is stop 17, which shows a seven.
        decisions: None, for nothing is decided.

    Raises:
        ValueError: The rules ask for more or fewer draws, or for a decision.
    """
    slot = _Slot(rules, list(draws))
    coins, begun = slot.spin("base", "")
    if slot.draws or decisions:
        raise ValueError(f"{len(slot.draws)} draws and {len(decisions)} decisions are left over")
    won = coins / rules.cost
    if rules.most is not None:
        won = min(won, rules.most)
    reached = [edge for edge in EDGES if won >= edge]
    band = f"win-from-{reached[-1]}" if reached else "win-below-1" if won else "nothing"
    return {wager: ("+".join(begun) or band, won - 1) for wager in pays}


class _Slot:
    """Takes draws one after the other, and pays."""

    def __init__(self, rules: Any, draws: list[str]) -> None:
        self.rules, self.draws = rules, draws
        self.more = 0

    def take(self) -> str:
        if not self.draws:
            raise ValueError("the rules need more draws than there are")
        return self.draws.pop(0)

    def spin(self, stage_id: str, series: str) -> tuple[Fraction, list[str]]:
        """Plays a spin and all that it starts; games added to its own series are left in ``more``."""
        stage = next(one for one in self.rules.stages if one.id == stage_id)
        wilds = {one.symbol: one for one in self.rules.wilds if not one.stages or stage_id in one.stages}
        coins, begun, own, started = Fraction(0), [], 0, []
        features = [one for one in (*self.rules.free_games, *self.rules.bonuses) if stage_id in one.begins_in]
        granted = [0] * len(features)
        for window, by in self.windows(stage, wilds):
            coins += self.paid(stage, wilds, window, by)
            for place, times in enumerate(self.granted(features, stage_id, wilds, window)):
                granted[place] += times
        for feature, times in zip(features, granted, strict=True):
            if times and feature.id == series:
                own = times
            elif times:
                started.append((feature, times))
            begun += [feature.id] if times else []
        for feature, times in started:
            if getattr(feature, "draws", "") == "hold":
                coins += self.hold(feature, times) * self.unit(feature.per) * self.by(feature, stage)
            elif hasattr(feature, "prizes"):
                coins += sum(self.bonus(feature, stage) for _ in range(times))
            else:
                coins += self.series(feature, times)
        self.more = own
        return coins, begun

    def granted(
        self, features: Sequence[Any], stage_id: str, wilds: Mapping[str, Any], window: list[Cells]
    ) -> Iterator[int]:
        """Yields how often a window starts each feature."""
        for feature in features:
            played_in = dict(getattr(feature, "stages", ()))
            grants = feature.again if played_in.get(stage_id) and feature.again else feature.trigger.starts
            yield self.starts(feature.trigger, grants, wilds, window)

    def windows(self, stage: Any, wilds: Mapping[str, Any]) -> Iterator[tuple[list[Cells], int]]:
        """Yields the windows of one spin, each with what its falls multiply lines by."""
        holds = [one for one in self.rules.respins if stage.id in one.stages]
        falls = [one for one in self.rules.cascades if stage.id in one.stages]
        held: dict[int, str] = {}
        window, above = self.window(stage, wilds, held)
        number = 0
        while True:
            grow = falls[0].multipliers if falls else (1,)
            yield window, grow[number] if number < len(grow) else grow[-1]
            number += 1
            fresh = {
                reel - 1: one.symbol
                for one in holds
                for reel in one.reels
                if reel - 1 not in held and one.symbol in [name for name, *_ in window[reel - 1]]
            }
            gone = self.gone(stage, wilds, window) if falls else []
            if fresh:
                held.update(fresh)
                window, above = self.window(stage, wilds, held)
            elif any(gone):
                # What vanished makes room: the strip is pulled down by so many symbols.
                for reel, rows in enumerate(gone):
                    stays = [cell for row, cell in enumerate(window[reel]) if row not in rows]
                    while len(stays) < len(window[reel]):
                        name = above[reel][-1]
                        above[reel] = [name, *above[reel][:-1]]
                        own = wilds[name].multiplies[0][0] if name in wilds else 1
                        stays.insert(0, (name, own, name))
                    window = [*window[:reel], stays, *window[reel + 1 :]]
            else:
                return

    def gone(self, stage: Any, wilds: Mapping[str, Any], window: list[Cells]) -> list[set[int]]:
        """Returns the rows of each reel whose symbols have won."""
        gone: list[set[int]] = [set() for _ in window]
        here = [pay for pay in self.rules.line_pays if not pay.stages or stage.id in pay.stages]
        for line in self.rules.lines:
            cells = [column[row] for column, row in zip(window, line, strict=True)]
            worth = [self.line(stage, wilds, [pay], cells) for pay in here]
            if any(worth):
                best = worth.index(max(worth))
                paid = [n for n, one in enumerate(worth) if one] if self.rules.line_wins == "all" else [best]
                for which in paid:
                    run = _run(
                        [self.fits(wilds, cell, here[which].symbols) for cell in cells], range(len(cells))
                    )
                    for reel in run:
                        gone[reel].add(line[reel])
        for pay in here if self.rules.ways else ():
            for reel, column in enumerate(window if self.ways(stage, wilds, pay, window) else ()):
                rows = {row for row, cell in enumerate(column) if self.fits(wilds, cell, pay.symbols)}
                if not rows:
                    break
                gone[reel] |= rows
        counting = [
            pay
            for pay in self.rules.scatter_pays
            if (not pay.stages or stage.id in pay.stages)
            and (0, *pay.pays)[min(self.count(pay, wilds, window), len(pay.pays))]
        ]
        features = [one for one in (*self.rules.free_games, *self.rules.bonuses) if stage.id in one.begins_in]
        begun = zip(features, self.granted(features, stage.id, wilds, window), strict=True)
        for what in (*counting, *(one.trigger for one, times in begun if times)):
            names = set(what.symbols)
            names |= {name for name, wild in wilds.items() if what.wilds and names & set(wild.replaces)}
            for reel, column in enumerate(window):
                gone[reel] |= {row for row, (name, *_) in enumerate(column) if name in names}
        return gone

    def series(self, feature: Any, games: int) -> Fraction:
        """Plays free games until none is left."""
        most, coins, played, again = feature.most_games, Fraction(0), 0, 0
        games = min(games, most or games)
        name = self.take() if len(feature.stages) > 1 else feature.stages[0][0]
        while played < games:
            won, _ = self.spin(name, feature.id)
            coins, played = coins + won, played + 1
            if self.more and again != feature.most_again:
                before, games = games, min(games + self.more, most or games + self.more)
                again += games > before
        return coins

    def bonus(self, bonus: Any, stage: Any) -> Fraction:
        """Draws prizes and pays them."""
        boxes = [prize for prize in bonus.prizes for _ in range(prize.weight)]
        paid = Fraction(0)
        if bonus.draws == "ladder":
            for prize in bonus.prizes:
                if self.take() != "up":
                    break
                paid = prize.pays
        elif bonus.draws == "wheel":
            paid = sum((bonus.prizes[int(self.take().split()[0]) - 1].pays for _ in range(bonus.times)), paid)
        else:
            for _ in range(len(boxes) if bonus.draws == "pick until" else bonus.times):
                prize = boxes.pop(int(self.take()) - 1)
                paid += prize.pays
                if prize.ends and bonus.draws == "pick until":
                    break
        return paid * self.unit(bonus.per) * self.by(bonus, stage)

    def by(self, bonus: Any, stage: Any) -> int:
        return int(stage.multiplier) if bonus.multiplied else 1

    def hold(self, bonus: Any, held: int) -> Fraction:
        """Holds what shows a prize, and draws the rest until nothing new came so many times, or all is held."""
        window = [self.prize(bonus) for _ in range(held)] + [Fraction(0)] * (bonus.places - held)
        idle, still = 0, Fraction(0)
        while still in window and idle < bonus.times:
            before = window.count(still)
            window = [one or self.prize(bonus) for one in window]
            idle = idle + 1 if window.count(still) == before else 0
        return sum(window, still if still in window else bonus.full)

    def prize(self, bonus: Any) -> Fraction:
        return Fraction(bonus.prizes[int(self.take().split()[0]) - 1].pays)

    def unit(self, per: str) -> int:
        if per == "bet":
            return int(self.rules.cost)
        return int(self.rules.line_bet) * (len(self.rules.lines) if per == "every line" else 1)

    def window(
        self, stage: Any, wilds: Mapping[str, Any], held: Mapping[int, str]
    ) -> tuple[list[Cells], list[list[str]]]:
        """Draws what the reels show: heights, stops, then factors of wilds; and each strip as it is above that."""
        strips = next(one for one in self.rules.strip_sets if one.id == stage.strips)
        rows = [int(self.take()) if len(some) > 1 else some[0].rows for some in strips.heights]
        shown: list[list[str]] = []
        above: list[list[str]] = []
        for place, (reel, height) in enumerate(zip(strips.reels, rows, strict=True)):
            if place in held:
                shown.append([held[place]] * height)
                above.append([])
                continue
            if strips.fill == "cells":
                shown.append([self.take() for _ in range(height)])
                continue
            stop = int(self.take().split()[0]) - 1
            above.append([*reel.symbols[stop:], *reel.symbols[:stop]])
            shown.append([(reel.symbols * 99)[stop + row] for row in range(height)])
        window: list[Cells] = []
        for place, column in enumerate(shown):
            if place in held:
                window.append([(name, 1, name) for name in column])
                continue
            cover = [name for name, wild in wilds.items() if wild.expands and name in column][:1]
            cells = cover * len(column) or column
            factors = {}
            for name, wild in wilds.items():
                if name in cells:
                    several = len(wild.multiplies) > 1
                    factors[name] = int(self.take()) if several else wild.multiplies[0][0]
            window.append(
                [(name, factors.get(name, 1), stop) for name, stop in zip(cells, column, strict=True)]
            )
        return window, above

    def full(self, stage: Any, wilds: Mapping[str, Any], window: list[Cells]) -> int:
        """Returns what reels full of one symbol multiply lines by."""
        times = 1
        for one in self.rules.full_reels:
            best = 0
            for symbol in one.symbols if not one.stages or stage.id in one.stages else ():
                names = {
                    symbol,
                    *(name for name, wild in wilds.items() if one.wilds and symbol in wild.replaces),
                }
                filled = "".join(
                    "x" if all(name in names for name, *_ in column) else "." for column in window
                )
                count = filled.count("x")
                if one.counted == "from the left":
                    count = len(filled) - len(filled.lstrip("x"))
                elif one.counted == "through the middle":
                    middle = len(filled) // 2
                    left, right = filled[: middle + 1], filled[middle:]
                    count = len(left) - len(left.rstrip("x")) + len(right) - len(right.lstrip("x")) - 1
                best = max(best, count)
            times *= (1, *one.times)[min(best, len(one.times))]
        return times

    def paid(self, stage: Any, wilds: Mapping[str, Any], window: list[Cells], by: int) -> Fraction:
        """Returns the coins of a window whose lines are multiplied by so much."""
        rules, total = self.rules, 0
        here = [pay for pay in rules.line_pays if not pay.stages or stage.id in pay.stages]
        for line in rules.lines:
            total += self.line(
                stage, wilds, here, [column[row] for column, row in zip(window, line, strict=True)]
            )
        total *= by * self.full(stage, wilds, window)
        for pay in here if rules.ways else ():
            total += by * self.ways(stage, wilds, pay, window)
        for pay in rules.scatter_pays:
            if not pay.stages or stage.id in pay.stages:
                count = self.count(pay, wilds, window)
                times = stage.multiplier if pay.multiplied else 1
                total += ((0, *pay.pays)[min(count, len(pay.pays))]) * self.unit(pay.per) * times
        if stage.expanding:
            reels = sum(any(stop == stage.expanding for *_, stop in column) for column in window)
            own = next((pay.pays for pay in rules.line_pays if pay.symbols == (stage.expanding,)), (0,))
            total += (0, *own)[min(reels, len(own))] * self.unit("every line") * stage.multiplier
        return Fraction(total)

    def fits(self, wilds: Mapping[str, Any], cell: Cell, symbols: Sequence[str]) -> int:
        """Returns how often a cell counts for symbols; below nothing for a wild that replaces one."""
        for doubled in self.rules.doubled:
            if doubled.symbol == cell[0] and doubled.stands_for in symbols and cell[0] not in symbols:
                return int(doubled.times)
        if cell[0] in symbols:
            return 1
        return -1 if cell[0] in wilds and set(wilds[cell[0]].replaces) & set(symbols) else 0

    def line(self, stage: Any, wilds: Mapping[str, Any], here: Sequence[Any], cells: Cells) -> int:
        """Returns the coins of one line."""
        rules, wins, lefts = self.rules, [], [(0, False)]
        ends = {"left": (1,), "right": (-1,), "both": (1, -1)}.get(rules.direction, ())
        for pay in here:
            found = [self.fits(wilds, cell, pay.symbols) for cell in cells]
            runs: list[tuple[int, list[int]]] = [(1, [place for place, fit in enumerate(found) if fit])]
            if not pay.anywhere and rules.direction == "adjacent":
                runs = [(1, _run(found, range(first, len(found)))) for first in range(len(found))]
            elif not pay.anywhere:
                runs = [(end, _run(found, range(len(found))[::end])) for end in ends]
            values = []
            for end, run in runs:
                count = sum(abs(found[place]) for place in run)
                whole = rules.direction == "both" and end < 0 and len(run) == len(cells)
                coins = (0, *pay.pays)[count] if count <= len(pay.pays) and not whole else 0
                values.append(
                    (end, coins * self.worth(stage, wilds, pay, [(found[one], cells[one]) for one in run]))
                )
                lefts += [(values[-1][1], len(run) == len(cells))] if end > 0 else []
            wins += [max(values, key=lambda win: win[1])] if rules.direction == "adjacent" else values
        for pattern in rules.patterns:
            parts = [
                (self.fits(wilds, cell, some), cell)
                for cell, some in zip(cells, pattern.cells, strict=True)
                if some
            ]
            if (not pattern.stages or stage.id in pattern.stages) and all(fit for fit, _ in parts):
                wins.append((1, pattern.pays * self.worth(stage, wilds, pattern, parts)))
                lefts.append((wins[-1][1], True))
        if rules.line_wins == "all":
            return sum(coins for _, coins in wins)
        sides = ((1,), (-1,)) if rules.line_wins.startswith("each end") else ((1, -1),)
        left, *right = (max((coins for end, coins in wins if end in side), default=0) for side in sides)
        over_all = max(lefts, key=lambda win: win[0])[1]
        return left if over_all and rules.line_wins == "each end unless whole" else sum(right, left)

    def worth(self, stage: Any, wilds: Mapping[str, Any], pay: Any, parts: Sequence[tuple[int, Cell]]) -> int:
        """Returns what coins are multiplied by: line bet, stage, wilds; nothing for wilds that must not win alone."""
        if not all(wild.alone for wild in wilds.values()) and not any(fit > 0 for fit, _ in parts):
            return 0
        how = next((one.together for one in wilds.values() if one.multiplies != ((1, Fraction(1)),)), "once")
        helping = [factor for fit, (_, factor, _) in parts if fit < 0 and factor > 1] or [1]
        times = sum(helping) if how == "add" else max(helping)
        if how == "multiply":
            times = 1
            for factor in helping:
                times *= factor
        return times * int(self.rules.line_bet) * (stage.multiplier if pay.multiplied else 1)

    def ways(self, stage: Any, wilds: Mapping[str, Any], pay: Any, window: list[Cells]) -> int:
        """Returns the coins of all ways of one row."""
        length, ways, bare = 0, 1, 1
        for column in window:
            each = [(self.fits(wilds, cell, pay.symbols), cell[1]) for cell in column]
            if not any(fit for fit, _ in each):
                break
            standing = sum(factor for fit, factor in each if fit < 0)
            ways, bare = ways * (standing + sum(fit for fit, _ in each if fit > 0)), bare * standing
            length += 1
        if not 0 < length <= len(pay.pays):
            return 0
        won = ways if all(wild.alone for wild in wilds.values()) else ways - bare
        return int(
            won * pay.pays[length - 1] * self.rules.line_bet * (stage.multiplier if pay.multiplied else 1)
        )

    def count(self, what: Any, wilds: Mapping[str, Any], window: list[Cells]) -> int:
        """Counts symbols, or reels that show them."""
        names = set(what.symbols)
        if what.wilds:
            names |= {name for name, wild in wilds.items() if names & set(wild.replaces)}
        each = [sum(stop in names for *_, stop in column) for column in window]
        if what.counted == "symbols":
            return sum(each)
        if what.counted == "reels":
            return len(each) - each.count(0)
        return (*each, 0).index(0)

    def starts(self, what: Any, grants: Sequence[int], wilds: Mapping[str, Any], window: list[Cells]) -> int:
        """Returns how often a window starts a feature."""
        if not what.on_line:
            return (0, *grants)[min(self.count(what, wilds, window), len(grants))]
        total = 0
        for line in self.rules.lines:
            cells = [column[row] for column, row in zip(window, line, strict=True)]
            found = [self.fits(wilds, cell, what.symbols) for cell in cells]
            found = [fit if what.wilds else max(fit, 0) for fit in found]
            for end in {"left": (1,), "right": (-1,), "both": (1, -1)}.get(self.rules.direction, ()):
                run = _run(found, range(len(found))[::end])
                if not (self.rules.direction == "both" and end < 0 and len(run) == len(cells)):
                    total += (0, *grants)[min(sum(abs(found[place]) for place in run), len(grants))]
        return total


def _run(found: Sequence[int], places: Sequence[int]) -> list[int]:
    """Returns the places, one after the other, up to the first where nothing fits."""
    run = []
    for place in places:
        if not found[place]:
            break
        run.append(place)
    return run
