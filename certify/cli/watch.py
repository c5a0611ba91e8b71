"""``certify watch``: the live return of every cell of a game, looked at as often as one likes."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.characters import shown
from certify.cli.audit import LOG, PROBABILITY, TABLE
from certify.cli.failures import Exit
from certify.cli.options import DATABASE, GAME, Progress, format_option, print_result
from certify.cli.signing import FILE, Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.databases import Place
from certify.errors import InputError, Refusing
from certify.exact import many, percent_text

if TYPE_CHECKING:
    from certify.live.pages import LivePages
    from certify.live.process import Power
    from certify.live.state import WatchState
    from certify.live.watching import Alarm, Watch, WatchedCell

ALPHA = 0.01
"""Alpha of a watch for which none is named."""


@click.command(epilog="Example: certify watch state.db --game game.toml --take monday.parquet --map map.toml")
@click.argument("state", metavar="STATE", type=DATABASE)
@click.option("--game", type=GAME, required=True, help="The game whose rounds are watched.")
@click.option(
    "--take",
    "logs",
    metavar="LOG",
    type=LOG,
    multiple=True,
    help="A log to read into the state; may be repeated.",
)
@click.option(
    "--map", "map_", metavar="MAP.toml", type=FILE, required=True, help="What the columns of the logs mean."
)
@TABLE
@click.option(
    "--late",
    is_flag=True,
    help="Add the new rows of days that were read before.",
)
@click.option(
    "--corrected",
    is_flag=True,
    help="Replace the rows of days that were read before.",
)
@click.option(
    "--alpha",
    type=PROBABILITY,
    help=f"Largest share of false alarms among the cells with an alarm, fixed with a new state: {ALPHA} if left out.",
)
@click.option(
    "--lower",
    type=PROBABILITY,
    default=0.02,
    show_default=True,
    help="Fall of the return, in stakes, for which the time until an alarm is simulated.",
)
@click.option(
    "--event",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the alarms there as a signed record that `certify verify DIR` replays.",
)
@signing_options
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the pages there: all cells, each cell, each alarm, the event; they need no network and no script.",
)
@click.option("--serve", is_flag=True, help="Serve the same pages on this machine only, until you stop it.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="Port of the pages."
)
@format_option
def watch(
    state: Place,
    game: Path,
    logs: tuple[Place, ...],
    map_: Path,
    table: str,
    late: bool,
    corrected: bool,
    alpha: float | None,
    lower: float,
    event: Path | None,
    signing: Signing,
    html: Path | None,
    serve: bool,
    port: int,
    output: str,
) -> int:
    """Read logs into STATE, a file or postgresql://… that later calls extend, and report cells with a wrong return.

    A cell is a wager at one stake, in one channel and currency, of one variant. You may look every day: the share of
    false alarms stays at most --alpha, and so does the probability of any alarm while every cell is right.

    Exit codes: 0 no alarm, 1 an alarm, 5 no log was read yet.
    """
    from certify.kit.starting import require_new, write_folder
    from certify.live.audit import laws_of_log
    from certify.live.columns import read_map
    from certify.live.event import event_files
    from certify.live.pages import LivePages
    from certify.live.state import KnownDays, opened_state
    from certify.live.totals import take_log
    from certify.live.watching import digest_of, look
    from certify.submission import read_game, submission_bytes
    from certify.untrusted_input import read_bounded

    if late and corrected:
        raise InputError("--late and --corrected: expected one of them")
    if event is None and signing.names_any:
        raise InputError("a key signs an event: expected --event")
    if signing.tsa is not None:
        raise InputError("--tsa dates the signature of a report: an event states its own time")
    moment = SystemClock().now().replace(microsecond=0)
    for folder in filter(None, (event, html)):
        require_new(folder)
    if event is not None:
        identity = identify_signer(signing, moment)
    again = KnownDays.LATE if late else KnownDays.CORRECTED if corrected else KnownDays.REFUSED
    submission = read_game(game)
    progress = Progress(quiet=output == "json")
    named = read_map(map_, [submission], {})
    laws = laws_of_log([submission], named)
    rounding = named.log.rounding
    notes: list[str] = []
    law = digest_of(laws, rounding)

    def pages_of(kept: "WatchState", level: float) -> "LivePages":
        return LivePages(look(kept, submission.id, laws, rounding, level, lower), kept.logs(), law)

    with opened_state(state, submission.sha256, law, alpha, ALPHA) as (kept, level):
        for log in logs:
            progress.step(f"taking {log}")
            notes += take_log(kept, log, map_, submission, again, table)
        notes += [f"{key}: not watched: {law.unjudged}" for key, law in laws.items() if law.chances is None]
        progress.step("looking at every cell")
        pages = pages_of(kept, level)
        seen = replace(pages.fleet.watch, notes=tuple(notes))
        if event is not None:
            files = event_files(
                kept, seen, law, lower, submission_bytes(game), read_bounded(map_), identity.signer, moment
            )
            write_folder(files, event)
    if html is not None:
        progress.step("making the pages")
        write_folder({name: made() for name, made in pages.names.items()}, html)
    from certify.evidence import plain

    # A name in a log is a stranger's: nothing in it is obeyed by a terminal.
    print_result(output, plain(seen), map(shown, _lines(seen)))
    if serve:
        _serve(port, state, lambda kept: pages_of(kept, level))
    return int(Exit.FINDINGS if seen.wrong else Exit.SATISFIED)


def _serve(port: int, state: Place, pages_of: "Callable[[WatchState], LivePages]") -> None:
    """Shows pages until it is stopped."""
    from certify.live.serving import CurrentPages, page_server

    with Refusing(OSError, InputError, f"port {port} cannot be listened on"):
        server = page_server(port, CurrentPages(state, pages_of))
    with server, suppress(KeyboardInterrupt):
        host, taken = server.server_address[:2]
        click.echo(f"http://{host!s}:{taken}/ until you stop it (Ctrl-C)", err=True)
        server.serve_forever()


def _lines(seen: "Watch") -> Iterator[str]:
    from certify.live.judge import FAULTS
    from certify.live.watching import SHOWN

    yield from seen.notes
    alarms = f"{len(seen.alarmed):,} with an alarm (alpha {seen.alpha:g})"
    yield f"{many(seen.of, 'cell')}, {seen.begun} to {seen.last}: {alarms}"
    for fault in seen.faults:
        words = FAULTS.get(fault.fault, fault.fault)
        yield f"ALARM {fault.day}: {words}: {many(fault.rows, 'row')}, the first in {fault.log}, row {fault.row}"
    for one in seen.cells[:SHOWN]:
        yield from _cell_lines(one, seen.alpha)
    for drawn in seen.draws[:SHOWN]:
        yield (
            f"{drawn.cell}: {many(drawn.rows, 'round')}, "
            f"evidence against the exact distribution 10^{drawn.log10_e:.1f}"
        )
        yield from map(_alarm_line, drawn.alarms)


def _alarm_line(alarm: "Alarm") -> str:
    from certify.live.watching import RETURN_OUT

    seen, expected = (
        f"{100 * value:.4f} %" if alarm.what == RETURN_OUT else f"{value:,.1f} times"
        for value in (alarm.seen, alarm.expected)
    )
    return (
        f"    ALARM first given on {alarm.first}: {alarm.cause}: {alarm.what}: {seen} since {alarm.since} (no "
        f"earlier than {alarm.since_from}, no later than {alarm.since_to}), expected {expected}"
    )


def _cell_lines(one: "WatchedCell", alpha: float) -> Iterator[str]:
    yield (
        f"{one.cell}: {many(one.rows, 'round')}, return {percent_text(one.returned, 4)} %, expected "
        f"{percent_text(one.expected, 4)} %, evidence against it 10^{one.log10_e:.1f}"
    )
    yield from map(_alarm_line, one.alarms)
    if one.low is not None and one.high is not None:
        held = f"{100 * (1 - alpha):g} % interval of the return, at every look"
        yield f"    {held}: {100 * one.low:.4f} % to {100 * one.high:.4f} %"
    else:
        yield "    no interval at every look: more came back, or may, than any analysis lists"
    rolling = one.rolling
    if rolling is not None and rolling.low is not None and rolling.high is not None:
        outside = ": outside" if rolling.outside else ""
        last = "day" if rolling.days == 1 else f"{rolling.days} days"
        low, high = percent_text(rolling.low, 4), percent_text(rolling.high, 4)
        yield (
            f"    last {last}: return {percent_text(rolling.returned, 4)} %, customary limits {low} % to "
            f"{high} %{outside}"
        )
    if one.power is not None:
        yield f"    {_power(one.power)}"


def _power(power: "Power") -> str:
    """Returns in words how long a lower return takes to be seen."""
    long = "; ".join(
        f"{part} {'later than was simulated' if days is None else 'within ' + many(days, 'day')}"
        for part, days in (("half", power.half), ("nine tenths", power.nine_tenths))
    )
    return (
        f"a return lower by {100 * power.size:g} % of the stake from {power.since} on, at "
        f"{many(power.rows, 'round')} a day, is seen in {power.seen} of {power.runs} simulated watches: {long}"
    )
