"""The pages of a watch: the fleet, each cell, each alarm, and what an event records; read without script or network."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from certify import __version__
from certify.live.judge import FAULTS
from certify.live.state import TakenLog
from certify.live.watching import EVIDENCE, RETURN_OUT, Alarm, CellDay, Fleet, WatchedCell
from certify.messages import tell
from certify.report.formats import DASH, grouped, percent, printable_within
from certify.report.layout import Fact, Figure, PageCell, PageParts, PageTable, fact, judged, listed, mono
from certify.report.markup import render_markup
from certify.report.svg import LEFT, RIGHT, SMALL, TOP, WIDTH, Scale, SvgDrawing, grid, legend, places_for

TEMPLATE: Final = "live.html.j2"

MOST_PAGES: Final = 500
"""Cells that have a page, those with an alarm and those of most evidence first."""

_LONGEST: Final = 80
"""Characters of a name of a log or a channel in a cell."""

_HEIGHT: Final = 200.0


@dataclass(frozen=True, slots=True)
class LivePages:
    """The pages of a watch, each made when it is wanted.

    Args:
        fleet: What the watch says.
        logs: The logs that were taken.
        law: Digest of the laws.
    """

    fleet: Fleet
    logs: tuple[TakenLog, ...]
    law: str

    @property
    def names(self) -> dict[str, Callable[[], str]]:
        """The pages by the names of their files, each with what makes it."""
        pages = {"index.html": self._index, "event.html": self._event}
        for number, cell in enumerate(self._paged, start=1):
            pages[f"cell-{number}.html"] = _bound(self._cell, cell)
            for place, alarm in enumerate(cell.alarms, start=1):
                pages[f"alarm-{number}-{place}.html"] = _bound(
                    self._alarm, cell, alarm, f"cell-{number}.html"
                )
        return pages

    @property
    def _paged(self) -> tuple[WatchedCell, ...]:
        return self.fleet.watch.cells[:MOST_PAGES]

    def _index(self) -> str:
        watch = self.fleet.watch
        alarmed = len(watch.alarmed)
        sentence = tell(
            "watch.sentence",
            cells=grouped(watch.of),
            begun=watch.begun,
            last=watch.last,
            alarms=grouped(alarmed),
            alpha=f"{watch.alpha:g}",
        )
        cells = listed(
            tell("watch.cells"),
            "cell #rounds:grouped #return:percent-4 #exact-return:percent-4 #lowest #highest #evidence verdict!judged",
            # No alarm is no verdict: a cell of few rounds could hardly have given one.
            (
                (
                    _linked(str(one.cell), f"cell-{number}.html"),
                    one.rows,
                    one.returned,
                    one.expected,
                    _share(one.low),
                    _share(one.high),
                    f"{one.log10_e:.2f}",
                    judged("not satisfied") if one.alarms else PageCell(DASH),
                )
                for number, one in enumerate(self._paged, start=1)
            ),
            " ".join((tell("watch.what-evidence-is"), self._left_out())),
        )
        return self._page(
            tell("watch.title", game=watch.game), sentence, (), (self._alarms(), self._faults(), cells)
        )

    def _left_out(self) -> str:
        count = len(self.fleet.watch.cells)
        counts = {"shown": grouped(min(count, MOST_PAGES)), "count": grouped(count)}
        return tell("audit.first-printed", **counts) if count > MOST_PAGES else ""

    def _alarms(self) -> PageTable | None:
        rows = [
            (
                _linked(alarm.first, f"alarm-{number}-{place}.html"),
                printable_within(str(cell.cell), _LONGEST),
                alarm.cause,
                alarm.what,
                alarm.since,
            )
            for number, cell in enumerate(self._paged, start=1)
            for place, alarm in enumerate(cell.alarms, start=1)
        ]
        rows += [
            (
                PageCell(alarm.first),
                printable_within(str(drawn.cell), _LONGEST),
                alarm.cause,
                alarm.what,
                alarm.since,
            )
            for drawn in self.fleet.watch.draws[:MOST_PAGES]
            for alarm in drawn.alarms
        ]
        return listed(tell("watch.alarms"), "alarm-of cell!note cause!note what-is-out!note since", rows)

    def _faults(self) -> PageTable | None:
        rows = (
            (
                one.day,
                printable_within(one.log, _LONGEST),
                FAULTS.get(one.fault, one.fault),
                one.rows,
                one.row,
            )
            for one in self.fleet.watch.faults[:MOST_PAGES]
        )
        return listed(
            tell("watch.rows-at-fault"), "day log!note fault!note #rows:grouped #first-row:grouped", rows
        )

    def _cell(self, cell: WatchedCell) -> str:
        course, alpha = self.fleet.course(cell.cell), self.fleet.watch.alpha
        facts = [*_facts(cell, alpha), *_power(cell)]
        for alarm in cell.alarms:
            facts.append(fact("head.alarm-of", f"{alarm.first}: {alarm.cause}, {alarm.what}"))
        drawn = (_returns(cell, course, alpha), _evidence(course, self.fleet.watch.of / alpha))
        return self._page(str(cell.cell), tell("watch.cell"), facts, (_data(course),), drawn)

    def _alarm(self, cell: WatchedCell, alarm: Alarm, page: str) -> str:
        course = self.fleet.course(cell.cell)
        facts = [
            fact("head.cell", _linked(str(cell.cell), page)),
            fact("head.alarm-of", alarm.first),
            fact("head.cause", alarm.cause),
            fact("head.what-is-out", alarm.what),
            fact("head.since", f"{alarm.since} ({alarm.since_from} … {alarm.since_to})"),
            fact("watch.size", _size(alarm)),
            fact("head.seen", _amount(alarm, alarm.seen)),
            fact("head.expected", _amount(alarm, alarm.expected)),
            *(_power(cell) if alarm.cause == EVIDENCE else ()),
        ]
        drawn = (_evidence(course, self.fleet.watch.of / self.fleet.watch.alpha),)
        sentence = tell("watch.examine")
        return self._page(tell("watch.alarm", cell=str(cell.cell)), sentence, facts, (_data(course),), drawn)

    def _event(self) -> str:
        watch = self.fleet.watch
        facts = [
            fact("fact.game", watch.game),
            fact("watch.law", mono(self.law)),
            fact("fact.software", f"certify {__version__}"),
            fact("watch.alpha", f"{watch.alpha:g}"),
        ]
        logs = listed(
            tell("watch.logs"),
            "log!note sha-256!hash #rows:grouped",
            ((printable_within(one.name, _LONGEST), one.sha256, one.rows) for one in self.logs[-MOST_PAGES:]),
        )
        sentence = tell("watch.event-sentence" if watch.wrong else "watch.no-event")
        return self._page(
            tell("watch.event", game=watch.game), sentence, facts, (self._alarms(), self._faults(), logs)
        )

    def _page(
        self,
        title: str,
        sentence: str,
        facts: Sequence[Fact],
        tables: Sequence[PageTable | None],
        figures: Sequence[Figure] = (),
    ) -> str:
        parts = PageParts(
            title=printable_within(title, _LONGEST),
            sentence=sentence,
            facts=tuple(facts),
            figures=tuple(figures),
            tables=tuple(table for table in tables if table is not None),
        )
        return render_markup(parts, "screen", template=TEMPLATE, faces=False)


def _size(alarm: Alarm) -> str:
    """Returns how large a change is: of the return in shares of the stake, of a pay in how many times as often."""
    if alarm.what == RETURN_OUT:
        return tell("watch.of-the-stake", share=f"{100 * alarm.size:+g}")
    return f"× {alarm.size:g}" if alarm.cause == EVIDENCE else grouped(round(alarm.size))


def _amount(alarm: Alarm, value: float) -> str:
    return _share(value) if alarm.what == RETURN_OUT else f"{value:,.1f}".replace(",", "\u202f")


def _bound(made: Callable[..., str], *given: object) -> Callable[[], str]:
    def page() -> str:
        return made(*given)

    return page


def _linked(text: str, page: str) -> PageCell:
    return PageCell(printable_within(text, _LONGEST), "page", target=page)


def _share(value: float | None) -> str:
    return DASH if value is None else f"{100 * value:.4f} %"


def _facts(cell: WatchedCell, alpha: float) -> Iterator[Fact]:
    yield fact("head.rounds", grouped(cell.rows))
    yield fact("head.return", percent(cell.returned, 4))
    yield fact("head.exact-return", percent(cell.expected, 4))
    bounds = f"{_share(cell.low)} … {_share(cell.high)}"
    yield Fact(tell("watch.interval", level=f"{100 * (1 - alpha):g}"), PageCell(bounds))
    rolling = cell.rolling
    if rolling is not None and rolling.low is not None and rolling.high is not None:
        seen = (percent(one, 4) for one in (rolling.returned, rolling.low, rolling.high))
        yield Fact(tell("watch.last-days", days=str(rolling.days)), PageCell("{}: {} … {}".format(*seen)))


def _power(cell: WatchedCell) -> Iterator[Fact]:
    power = cell.power
    if power is None:
        return
    half, most = (DASH if days is None else grouped(days) for days in (power.half, power.nine_tenths))
    label = tell("watch.lower", size=f"{power.size:g}", since=power.since)
    seen = {
        "half": half,
        "most": most,
        "seen": str(power.seen),
        "runs": str(power.runs),
        "rows": grouped(power.rows),
    }
    yield Fact(label, PageCell(tell("watch.seen-within", **seen)))


def _data(course: Sequence[CellDay]) -> PageTable | None:
    rows = (
        (one.day, one.rows, one.returned, _share(one.low), _share(one.high), f"{one.log10_e:.2f}")
        for one in course
    )
    return listed(
        tell("watch.data"), "day #rounds:grouped #return:percent-4 #lowest #highest #evidence", rows
    )


def _axes(course: Sequence[CellDay], values: tuple[float, float]) -> tuple[SvgDrawing, Scale, Scale]:
    """Returns a drawing with its axes: days to the right, values upwards."""
    drawing, first = SvgDrawing(WIDTH, _HEIGHT), date.fromisoformat(course[0].day)
    x = Scale((0.0, float(max(1, _number(course[-1], first)))), (LEFT, WIDTH - RIGHT))
    y = Scale(values, (_HEIGHT - 40, TOP))
    grid(
        drawing,
        x,
        y,
        lambda day: f"{first + timedelta(round(day)):%m-%d}",
        lambda value, step: f"{value:.{places_for(step)}f}",
    )
    return drawing, x, y


def _number(one: CellDay, first: date) -> int:
    return (date.fromisoformat(one.day) - first).days


def _returns(cell: WatchedCell, course: Sequence[CellDay], alpha: float) -> Figure:
    """Draws the return of all rounds so far, with the interval that holds at every look."""
    first, exact = date.fromisoformat(course[0].day), 100 * float(cell.expected)
    seen = [(_number(one, first), 100 * float(one.returned)) for one in course]
    bounds = [
        (_number(one, first), 100 * one.low, 100 * one.high)
        for one in course
        if one.low is not None and one.high is not None
    ]
    # The interval of the first days may be so wide that the last ones would be a line.
    later = [abs(end - exact) for _, *ends in bounds[len(bounds) // 2 :] for end in ends]
    reach = 1.1 * max((*later, abs(seen[-1][1] - exact), 0.1))
    drawing, x, y = _axes(course, (exact - reach, exact + reach))
    lower = [(x.at(day), y.clamped(low)) for day, low, _ in bounds]
    upper = [(x.at(day), y.clamped(high)) for day, _, high in bounds]
    drawing.area([*upper, *reversed(lower)], "band")
    drawing.path([(x.at(day), y.clamped(value)) for day, value in seen], "accent", width=1.8)
    drawing.line((LEFT, y.at(exact)), (WIDTH - RIGHT, y.at(exact)), "exact", width=1.3, dashes="5 3")
    level = tell("watch.interval", level=f"{100 * (1 - alpha):g}")
    legend(
        drawing, (("band", level), ("accent", tell("watch.return")), ("exact", tell("played.exact-return")))
    )
    drawing.text((0, 14), tell("exact.return"), "muted", size=SMALL)
    caption = tell("watch.returns-drawn")
    return Figure("returns", caption, f"{caption} {_last(course)}", drawing.svg())


def _evidence(course: Sequence[CellDay], alarm: float) -> Figure:
    """Draws the evidence by day, and how much of it is an alarm of this cell alone."""
    first, reach = date.fromisoformat(course[0].day), math.log10(alarm)
    highest = max(reach, *(one.log10_e for one in course)) * 1.1
    lowest = min(0.0, *(one.log10_e for one in course))
    drawing, x, y = _axes(course, (lowest, highest))
    drawing.path([(x.at(_number(one, first)), y.at(one.log10_e)) for one in course], "accent", width=1.8)
    drawing.line((LEFT, y.at(reach)), (WIDTH - RIGHT, y.at(reach)), "exact", width=1.3, dashes="5 3")
    legend(drawing, (("accent", tell("watch.evidence")), ("exact", tell("watch.is-an-alarm"))))
    caption = tell("watch.evidence-drawn")
    return Figure("evidence", caption, f"{caption} {_last(course)}", drawing.svg())


def _last(course: Sequence[CellDay]) -> str:
    one = course[-1]
    numbers = {"seen": percent(one.returned, 4), "evidence": f"{one.log10_e:.2f}"}
    return tell("watch.at-the-end", day=one.day, **numbers)
