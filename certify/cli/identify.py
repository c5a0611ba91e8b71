"""``certify identify``: from a printed return back to readings and pays."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from certify.analysis.pay_search import PayBounds, nothing_printed, printed_wagers as printed
from certify.analysis.whole_pays import Order
from certify.cli.failures import Exit
from certify.cli.options import (
    GAME,
    executor_option,
    format_option,
    keeps_results,
    parse_stakes,
    print_result,
)
from certify.errors import NothingCheckedError
from certify.evidence import plain
from certify.executors import ExecutorSpec, open_executor
from certify.mathematics import SeekPays, identify_together
from certify.model import Game
from certify.submission import read_game
from certify.untrusted_input import Document


@click.command(epilog="Example: certify identify games/my-game/game.toml --wager side --maximum 200")
@click.argument("game", type=GAME)
@click.option(
    "--wager", metavar="ID", help="One wager; all wagers with a printed return or house edge if left out."
)
@click.option(
    "--minimum",
    type=click.IntRange(0),
    default=1,
    show_default=True,
    help="Lowest pay to 1 that is tried for a side bet, or for the King of diamonds.",
)
@click.option(
    "--maximum",
    type=click.IntRange(1, 100_000),
    default=500,
    show_default=True,
    help="Highest pay to 1 that is tried for a side bet, or for the King of diamonds.",
)
@click.option(
    "--order",
    type=click.Choice(["decreasing", "non-increasing", "any"]),
    default="non-increasing",
    show_default=True,
    help="How pays in printed order relate.",
)
@click.option(
    "--pays", "fixed", multiple=True, metavar="ROW=N,…", help="Pays allowed for one row; may be repeated."
)
@click.option(
    "--limit", type=click.IntRange(0, 100_000), default=20, show_default=True, help="Fits that are listed."
)
@click.option(
    "--for-one",
    is_flag=True,
    help="Pays are printed for 1 alone, the stake included: 9 for 1 is 8 to 1.",
)
@click.option("--together", is_flag=True, help="All printed returns at once, for one and the same player.")
@click.option("--stakes", metavar="W=N,…", help="With --together: joint play for these stakes is tried too.")
@executor_option
@format_option
@keeps_results
def identify(
    game: Path,
    wager: str | None,
    minimum: int,
    maximum: int,
    order: str,
    fixed: tuple[str, ...],
    limit: int,
    for_one: bool,
    together: bool,
    stakes: str | None,
    executor: ExecutorSpec | None,
    output: str,
) -> int:
    """Find which readings and whole-number pays of GAME.toml reproduce its printed returns or house edges."""
    bounds = PayBounds(minimum, maximum, _by_row(fixed), Order(order), limit, for_one)
    if together:
        if wager:
            raise click.UsageError("--together takes all wagers: expected no --wager")
        return _together(read_game(game), bounds, stakes, output)
    if fixed and not wager:
        raise click.UsageError("--pays needs --wager: rows belong to one wager")
    if stakes:
        raise click.UsageError("--stakes needs --together")
    submission = read_game(game)
    wagers = [wager] if wager else printed_wagers(submission)
    seek = SeekPays(submission, bounds)
    if sys.stderr.isatty():
        click.echo(f"identify: {', '.join(wagers)}", err=True)
    with open_executor(executor or ExecutorSpec("threads", 1)) as running:
        found = list(running.map(seek, wagers))
    documents = [plain(one) for one in found]
    result = documents[0] if wager else {"game": submission.id, "wagers": documents}
    print_result(output, result, (line for document in documents for line in _lines(document)))
    return int(Exit.SATISFIED if all(document["fits_count"] for document in documents) else Exit.FINDINGS)


def _lines(document: Document) -> Iterator[str]:
    yield f"{document['wager']}: printed {document['printed']}"
    yield f"  {document['conclusion']}"
    tried = _listed(document["bounds"], "; ", ": ")
    yield f"  Tried: {tried}. Others, such as 7.5 to 1, were not tried unless listed here."
    for fit in document["fits"]:
        reading = _listed(fit["reading"]) or "no open rule"
        yield f"  {fit['return_percent']} %  {_listed(fit['pays'])}  ({reading}; {fit['strategy']})"


def _listed(values: Document, mark: str = ", ", joint: str = " ") -> str:
    return mark.join(f"{name}{joint}{value}" for name, value in values.items())


def _together(submission: Game, bounds: PayBounds, stakes: str | None, output: str) -> int:
    """Prints what gives all printed returns at once."""
    document = identify_together(submission, parse_stakes(stakes), bounds)
    lines = [document["conclusion"]]
    for search in document["strategies"]:
        for fit in search["fits"]:
            returns = ", ".join(f"{name} {value} %" for name, value in fit["returns_percent"].items())
            pays = ", ".join(map(_listed, fit["pays"].values()))
            lines.append(f"  {search['strategy']}: {returns}  {pays}  ({_listed(fit['reading'])})")
    print_result(output, document, lines)
    return int(Exit.SATISFIED if document["fits_count"] else Exit.FINDINGS)


def printed_wagers(submission: Game) -> list[str]:
    """Returns the wagers whose return or house edge is printed: those that lost a pay, where one did.

    Raises:
        NothingCheckedError: There is none.
    """
    found = printed(submission)
    if not found:
        raise NothingCheckedError(nothing_printed(submission, [wager.id for wager in submission.wagers]))
    # Next to a wager that lost a pay, whole paytables are nothing to search.
    return [one for one in found if submission.wager(one).pays_are_recovered] or list(found)


def _by_row(fixed: tuple[str, ...]) -> dict[str, tuple[int, ...]]:
    """Returns the pays allowed for single rows."""
    allowed: dict[str, tuple[int, ...]] = {}
    for entry in fixed:
        row, separator, pays = entry.partition("=")
        if not separator or not all(pay.isascii() and pay.isdigit() for pay in pays.split(",")):
            raise click.BadParameter(f'"{entry}": expected such as royal-flush=100,200', param_hint="--pays")
        allowed[row] = tuple(int(pay) for pay in pays.split(","))
    return allowed
