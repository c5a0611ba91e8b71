"""``certify rounds``: the life of a round, recalled, and held to an implementation."""

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from threading import Event

import click

from certify.characters import shown as visible
from certify.cli.failures import Exit, exit_by
from certify.cli.options import DATABASE, GAME, Progress, format_option, print_result, seed_option
from certify.cli.rounds_exercise import (
    START,
    TargetAccess,
    TermReading,
    access_options,
    exercise,
    policy_of,
    shuffled,
    target_of,
    term_options,
)
from certify.cli.rounds_ledger import expire, ledger_options, no_draws, opened, play, read_key
from certify.databases import Place
from certify.errors import InputError, NothingCheckedError, TrustError
from certify.rounds import (
    GENESIS,
    STATUSES,
    Chain,
    HeadLog,
    Vault,
    check_recall,
    edition_of,
    latest,
    ledger_at,
    summaries,
    to_csv,
    to_json,
    to_text,
    walk_chain,
)
from certify.rounds.conformance.conform import ConformanceReport, conform as run
from certify.rounds.conformance.fixed import unsupported_of
from certify.rounds.conformance.server import serving
from certify.rounds.recall import recall
from certify.submission import read_game


@click.command(
    short_help="try a system in every phase of a round",
    epilog="Example: certify rounds conform fixtures/games/playtech-7-e-mezzo/game.toml "
    "--target http://127.0.0.1:8080",
)
@click.argument("game", type=GAME)
@click.option("--target", required=True, metavar="URL|MODULE:CLASS", help="The system under test.")
@click.option("--stories", type=click.IntRange(1), default=400, show_default=True, help="Stories to send.")
@click.option("--decks", type=click.IntRange(1, 1000), default=20, show_default=True, help="Decks to deal.")
@click.option(
    "--without",
    multiple=True,
    metavar="ACTION",
    help="An operation that the system does not support, such as undo; may be repeated, and the report says so.",
)
@access_options
@term_options
@seed_option
@format_option
def conform(
    game: Path,
    target: str,
    stories: int,
    decks: int,
    without: tuple[str, ...],
    access: TargetAccess,
    reading: TermReading,
    seed: bytes,
    output: str,
) -> int:
    """Try every action in every phase of a round on a system, send it random stories, and print the shortest failure.

    What the system does not offer (a history, restarts) or support is named: a verdict says nothing about it.
    """
    unsupported = unsupported_of(without)
    submission = read_game(game)
    edition = edition_of(submission, policy_of(submission.terms, reading))
    factory = target_of(target, access)
    progress = Progress(quiet=output == "json")
    progress.step(f"trying every action in every phase on {target}, then sending {stories} stories")
    report = run(
        factory,
        edition,
        shuffled(submission, seed, decks),
        START,
        count=stories,
        seed=int.from_bytes(seed, "big"),
        unsupported=unsupported,
        progress=lambda done, total: progress.at(done, total, "stories of the fixed part"),
    )
    print_result(output, report.to_evidence(), _lines(report))
    return exit_by([report.verdict])


def _lines(report: ConformanceReport) -> list[str]:
    """Returns the report as lines."""
    fixed = report.fixed
    matters = "; ".join(f"{what}: {stories}" for what, stories in fixed.matters)
    lines = [
        (
            f"fixed part: {report.fixed_told:,} of {len(fixed.stories):,} stories sent; {len(fixed.actions)} actions "
            f"in {len(fixed.phases)} phases, each {' and '.join(fixed.ways[:2])}: {fixed.cells:,} combinations"
        )
    ]
    if matters:
        lines.append(f"stories of what matters: {matters}")
    told = f"{report.stories:,} random stories, {report.steps:,} steps"
    if report.breach is None:
        lines.append(f"{told}: every promise was kept")
    else:
        where = f"after {report.stories:,} random stories" if report.stories else "in the fixed part"
        lines.append(f"broken {where}: {report.breach.promise}")
        lines += [f"    {line}" for line in report.script]
        if not report.repeats:
            lines.append(
                "it did not recur when the story was sent again: the answer depends on what came before"
            )
        lines += [f"expected: {report.breach.expected}", f"observed: {report.breach.observed}"]
    return lines + [f"not tested: {what}" for what in report.not_tested]


@click.command(
    short_help="serve a system over HTTP, for tests",
    epilog="Example: certify rounds serve fixtures/games/playtech-7-e-mezzo/game.toml --port 8080",
)
@click.argument("game", type=GAME)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Port on this machine; a free one if 0."
)
@click.option("--target", metavar="MODULE:CLASS", help="The system to serve; ours if left out.")
@term_options
def serve(game: Path, port: int, target: str | None, reading: TermReading) -> None:
    """Serve a system on this machine over the HTTP binding, for tests, until interrupted."""
    submission = read_game(game)
    edition = edition_of(submission, policy_of(submission.terms, reading))
    with serving(target_of(target), edition, port=port) as url:
        click.echo(url)
        Event().wait()


@click.command(
    short_help="replay a round from its log",
    epilog="Example: certify rounds show seat-000001 game.toml --ledger rounds.db --deck-key key.hex",
)
@click.argument("round_id", metavar="ID")
@click.argument("games", metavar="GAME.toml...", type=GAME, nargs=-1, required=True)
@ledger_options
@click.option(
    "--format",
    "output",
    type=click.Choice(["text", "json", "csv"]),
    default="text",
    help="Form of the output.",
)
def show(round_id: str, games: tuple[Path, ...], path: Place, deck_key: Path, output: str) -> int:
    """Replay round ID from its log, card by card, and show every field that recall requires.

    Name the submissions under which the rounds of the ledger were played.
    """
    with opened(games, path, deck_key, no_draws, reading=True) as ledger:
        ledger.journal.verify()
        records = (recall(ledger, round_id),)
    check = check_recall(records)
    text = {"json": to_json, "csv": to_csv}.get(output)
    # What players named themselves and where they are must not steer the terminal that shows it.
    lines = (text(records) if text else to_text(*records)).rstrip("\n").split("\n")
    click.echo("\n".join(map(visible, lines)))
    if output == "text":
        click.echo(f"{check.title}: {check.verdict} ({check.observed})")
    return exit_by([check.verdict])


@click.command(
    "list",
    short_help="list the rounds of a ledger",
    epilog="Example: certify rounds list rounds.db --status open",
)
@click.argument("ledger", type=DATABASE)
@click.option("--seat", metavar="ID", help="Only rounds of this seat.")
@click.option("--status", type=click.Choice(STATUSES), help="Only rounds of this status.")
@click.option(
    "--last", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Most rounds to list."
)
@format_option
def list_rounds(ledger: Place, seat: str | None, status: str | None, last: int, output: str) -> None:
    """List the rounds of LEDGER: id, status, first and latest event, stakes. No key is needed, no deck is opened."""
    with closing(ledger_at(ledger, reading=True, make=False)) as store:
        rounds, total = latest(summaries(store, seat=seat, status=status or ""), last)
        records, head, _ = store.head()
    document = {
        "ledger": str(ledger),
        "records": records,
        "head": head.hex(),
        "rounds": [asdict(summary) for summary in rounds],
        "count": total,
        "left_out": total - len(rounds),
    }
    lines = (
        f"{visible(summary.round):<24} {summary.status:<8} {summary.began}  {summary.latest}  "
        f"staked {summary.staked:>9,}  {summary.records} records"
        for summary in rounds
    )
    counted = f"{len(rounds):,} of {total:,} rounds, {records:,} records, head {head.hex()}"
    print_result(output, document, (*lines, counted))


@click.command(
    short_help="verify the chain of a ledger",
    epilog="Example: certify rounds verify rounds.db --head HEX --deck-key key.hex",
)
@click.argument("ledger", type=DATABASE)
@click.option(
    "--head", metavar="HEX", help="Noted head: the digest with which the ledger last ended, 64 hex digits."
)
@click.option(
    "--heads",
    type=GAME,
    help="Log of heads kept outside the ledger, as --heads of play and expire writes it.",
)
@click.option("--deck-key", type=GAME, help="File with the ledger's key: its keyed marks are compared too.")
@format_option
def verify(ledger: Place, head: str | None, heads: Path | None, deck_key: Path | None, output: str) -> int:
    """Verify the whole chain of LEDGER, and that it ends where it was last seen to end.

    Only a noted head that is the last record proves that nothing was cut off at the end. Without the key, nobody can
    say who wrote what follows an older head. Whatever is not proven is named, and the result is then inconclusive.

    Exit codes: 0 complete and unaltered, 1 altered or cut off, 4 not proven without a head or the key, 5 no record.
    """
    noted = _digest(head)
    if noted == GENESIS:
        raise TrustError(f"{ledger}: no record has a digest of zeros, expected the noted head among them")
    marks = Vault(read_key(deck_key)) if deck_key else None
    with closing(ledger_at(ledger, reading=True, make=False)) as store:
        chain = walk_chain(
            store.records(), head=noted, marks=marks, heads=HeadLog(heads).read() if heads else {}
        )
    if not chain.records:
        raise NothingCheckedError(f"{ledger} holds no record: nothing was checked")
    missing = not_shown(chain)
    verdict = "inconclusive" if missing else "satisfied"
    document = {
        "ledger": str(ledger),
        "verdict": verdict,
        "records": chain.records,
        "rounds": chain.rounds,
        "head": chain.head.hex(),
        "noted_head_at": chain.noted,
        "keyed": chain.keyed,
        "not_shown": list(missing),
    }
    after = "" if chain.noted is None else f"{chain.records - chain.noted:,} records after it"
    lines = (
        f"{chain.records:,} records, {chain.rounds:,} rounds: every record is in its place and unaltered",
        f"keyed marks: {'all made under this key' if chain.keyed else 'not compared'}",
        *([f"noted head: record {chain.noted:,}, {after}"] if after else []),
        f"head: {chain.head.hex()}",
        f"verdict: {verdict}",
        *(f"not proven: {reason}" for reason in missing),
    )
    print_result(output, document, lines)
    return int(Exit.INCONCLUSIVE if missing else Exit.SATISFIED)


def not_shown(chain: Chain) -> tuple[str, ...]:
    """Returns what a walk along a chain could not show, each with what would show it."""
    if chain.noted == chain.records:
        # The head commits to everything before it, whoever holds the key.
        return ()
    cut = "that nothing was cut off at the end: note the head elsewhere and give it with --head or --heads"
    if chain.noted is None:
        anew = "that it was not written anew as a whole: give the head, or the key with --deck-key"
        return (cut,) if chain.keyed else (cut, anew)
    # Any older head is kept by a ledger whose end was cut off behind it.
    later = f"that nothing was cut off after record {chain.noted}, the noted head: give the latest one"
    who = "who wrote what follows the noted head: give the key with --deck-key"
    return (later,) if chain.keyed else (later, who)


def _digest(text: str | None) -> bytes | None:
    if text is None:
        return None
    try:
        digest = bytes.fromhex(text)
    except ValueError:
        digest = b""
    if len(digest) != 32:
        raise InputError(f"--head {text!r}: expected 64 hexadecimal digits")
    return digest


@click.group(epilog="Example: certify rounds exercise fixtures/games/playtech-7-e-mezzo/game.toml --decks 50")
def rounds() -> None:
    """Terms exercised, rounds recalled, ledgers verified, an operator's system tested."""


for command in (exercise, show, list_rounds, verify, conform, serve, play, expire):
    rounds.add_command(command)
