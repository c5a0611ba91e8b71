"""``certify audit``: logs of played rounds against the exact law of their game."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.cli.failures import Exit, exit_by
from certify.cli.options import (
    GAME,
    Database,
    FiniteRange,
    Progress,
    executor_option,
    format_option,
    next_step,
    print_result,
)
from certify.cli.signing import FILE, Signing, identify_signer, signing_options
from certify.clock import SystemClock
from certify.databases import Place
from certify.errors import InputError
from certify.exact import percent_text
from certify.executors import ExecutorSpec, open_executor

if TYPE_CHECKING:
    from certify.evidence.played import Audit


LOG = Database(exists=True, dir_okay=False, path_type=Path)

TABLE = click.option(
    "--table",
    default="",
    metavar="NAME",
    help="Table or view of a database, or a query of it (SELECT ...); a ledger of `certify rounds` needs none.",
)


PROBABILITY = FiniteRange(0, 1, min_open=True, max_open=True)

ALPHA = click.option(
    "--alpha",
    type=PROBABILITY,
    default=0.01,
    show_default=True,
    help="Probability of a false alarm, over all tests together.",
)


@click.command(epilog="Example: certify audit rounds.csv --game game.toml --map map.toml --out audited")
@click.argument("logs", metavar="LOG...", type=LOG, nargs=-1, required=True)
@click.option(
    "--game",
    "games",
    type=GAME,
    required=True,
    multiple=True,
    help="The game whose rounds they are; repeated for its editions, whose days the MAP names.",
)
@click.option("--map", "map_", metavar="MAP.toml", type=FILE, help="What the columns of the logs mean.")
@click.option(
    "--suggest", is_flag=True, help="Print a first MAP from headings and values, and do nothing else."
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder that is made; nothing is overwritten.")
@TABLE
@ALPHA
@click.option(
    "--list",
    "listed",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    help="Rows of each deviation that are listed; all are counted.",
)
@click.option(
    "--settle",
    type=click.IntRange(0, 1_000_000),
    default=1_000,
    show_default=True,
    help="Rounds that are settled again, those that deviate first.",
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Folder for intermediate results, from which an interrupted audit continues; they are removed at the end.",
)
@executor_option
@signing_options
@format_option
def audit(
    logs: tuple[Place, ...],
    games: tuple[Path, ...],
    map_: Path | None,
    suggest: bool,
    out: Path | None,
    table: str,
    alpha: float,
    listed: int,
    settle: int,
    resume: Path | None,
    executor: ExecutorSpec | None,
    signing: Signing,
    output: str,
) -> int:
    """Compare every row of LOG, and all rows together, with the exact distribution of a game; write a signed report.

    A log is Parquet, CSV, TSV or JSON lines, each compressed or not, SQLite, or postgresql://USER@HOST/NAME. MAP.toml
    names its columns: round, time, stake and win; if the log has them, also wager, number, outcome, status, draws,
    decisions, channel, currency, variant, player, level, jackpot. The report names what it could not judge for want
    of a column.
    """
    from certify.evidence.encode import plain
    from certify.kit.starting import require_new
    from certify.live.audit import Asked, audit as judged
    from certify.live.columns import suggested_map
    from certify.live.log import opened
    from certify.live.sources import copied
    from certify.report.audit import render_audit
    from certify.report.pdf import require_renderer
    from certify.seal.canonical import canonical_bytes
    from certify.seal.pack import write_audit
    from certify.submission import read_game

    submissions = [read_game(game) for game in games]
    if suggest:
        with copied(logs, table) as sources, opened(sources) as open_logs:
            text = suggested_map([*open_logs.files[0].types], open_logs.sample(), submissions[0])
        print_result(output, {"map": text}, [text.rstrip("\n")])
        return int(Exit.SATISFIED)
    if map_ is None or out is None:
        raise InputError("expected --map and --out, or --suggest for a first MAP")
    moment = SystemClock().now().replace(microsecond=0)
    identity = identify_signer(signing, moment)
    require_new(out)
    require_renderer()
    progress = Progress(quiet=output == "json")
    asked = Asked(logs, map_, table, alpha, listed, settle, identity.signer.demonstration, resume)
    with open_executor(executor or ExecutorSpec("threads", 1)) as running:
        found = judged(submissions, asked, progress.step, running)
    progress.step("rendering and signing the report")
    pages = render_audit(found, canonical_bytes(plain(found)), moment)
    write_audit(
        out,
        found,
        pages,
        identity.signer,
        moment,
        timestamper=identity.timestamper,
        stamp_roots=identity.stamp_roots,
    )
    print_result(output, plain(found), _lines(found, out))
    next_step(output, "certify verify --rerun", out)
    return exit_by([found.verdict])


def _lines(found: "Audit", out: Path) -> list[str]:
    alarm = f"a faultless log is rejected with a probability of at most {found.alpha:g}"
    lines = [f"{found.rows:,} rows, {found.tests:,} tests together: {alarm}"]
    for deviation in found.deviations:
        first = deviation.worst[0]  # The worst come first.
        lines.append(
            f"{deviation.id:18} {deviation.count:>12,}  {deviation.words}; the worst in {first.log}, row {first.row}"
        )
    lines += [
        f"{'play':18} {one.rounds:>12,}  {one.of}: {one.errors:,} of {one.decisions:,} decisions were errors, "
        f"which cost {float(one.cost):.6f} stakes a round; best play returns {percent_text(one.best, 4)} %, theirs "
        f"{percent_text(one.returned, 4)} %, and the source prints {one.printed or 'no return'}; the closest "
        f"strategy is {one.closest}"
        for one in (found.settled_again.play if found.settled_again is not None else ())
    ]
    lines += [
        f"{one.test:18} {one.rows:>12,}  {one.of}, {one.part or 'all rows'}: seen {one.seen:.6g}, "
        f"expected {one.expected:.6g}, adjusted p {one.adjusted:.3g}"
        for one in found.worst[:5]
        if one.adjusted <= found.alpha
    ]
    lines += [f"not judged: {line}" for line in found.not_judged]
    return [*lines, f"{out}: {found.verdict}"]
