"""``certify rounds show``, ``list`` and ``verify``: a ledger read, also from a medium that cannot be written."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from certify.characters import shown as visible
from certify.cli.failures import Exit
from certify.cli.options import GAME, format_option, print_json
from certify.cli.rounds_exercise import EXIT_OF
from certify.cli.rounds_ledger import ledger_options, no_draws, opened, read_key, require_ledger
from certify.errors import InputError, NothingCheckedError, TrustError

if TYPE_CHECKING:
    from certify.rounds.store import Chain

LEDGER = click.Path(dir_okay=False, path_type=Path)
STATUSES = ("betting", "open", "settled", "expired", "void")


@click.command(
    epilog="Example: certify rounds show seat-000001 game.toml --ledger rounds.db --deck-key key.hex"
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
def show(round_id: str, games: tuple[Path, ...], path: Path, deck_key: Path, output: str) -> int:
    """Replay round ID from its log, card by card, and show every field that recall requires.

    Name the submissions under which the rounds of the ledger were played.
    """
    from certify.rounds.recall import check_recall, recall, to_csv, to_json, to_text

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
    return EXIT_OF[check.verdict]


@click.command("list", epilog="Example: certify rounds list rounds.db --status open")
@click.argument("ledger", type=LEDGER)
@click.option("--seat", metavar="ID", help="Only rounds of this seat.")
@click.option("--status", type=click.Choice(STATUSES), help="Only rounds of this status.")
@click.option(
    "--last", type=click.IntRange(1, 100_000), default=100, show_default=True, help="Most rounds to list."
)
@format_option
def list_rounds(ledger: Path, seat: str | None, status: str | None, last: int, output: str) -> int:
    """List the rounds of LEDGER: id, status, first and latest event, stakes. No key is needed, no deck is opened."""
    from certify.rounds.listing import latest, summaries
    from certify.rounds.sqlite_store import SqliteStore

    with closing(SqliteStore.reading(require_ledger(ledger))) as store:
        rounds, total = latest(summaries(store, seat=seat, status=status or ""), last)
        records, head = store.head()
    if output == "json":
        print_json(
            {
                "ledger": str(ledger),
                "records": records,
                "head": head.hex(),
                "rounds": [asdict(summary) for summary in rounds],
                "count": total,
                "left_out": total - len(rounds),
            }
        )
        return int(Exit.SATISFIED)
    for summary in rounds:
        click.echo(
            f"{visible(summary.round):<24} {summary.status:<8} {summary.began}  {summary.latest}  "
            f"staked {summary.staked:>9,}  {summary.records} records"
        )
    click.echo(f"{len(rounds):,} of {total:,} rounds, {records:,} records, head {head.hex()}")
    return int(Exit.SATISFIED)


@click.command(epilog="Example: certify rounds verify rounds.db --head HEX --deck-key key.hex")
@click.argument("ledger", type=LEDGER)
@click.option(
    "--head", metavar="HEX", help="Digest with which the ledger was last seen to end, 64 hex digits."
)
@click.option(
    "--heads",
    type=GAME,
    help="Log of heads kept outside the ledger, as --heads of play and expire writes it.",
)
@click.option("--deck-key", type=GAME, help="File with the ledger's key: its keyed marks are compared too.")
@format_option
def verify(ledger: Path, head: str | None, heads: Path | None, deck_key: Path | None, output: str) -> int:
    """Verify the whole chain of LEDGER, and that it ends where it was last seen to end.

    Only a noted head that is the last record shows that nothing was cut off at the end; without the key, nobody can say
    who wrote what follows an older one. What was not shown is named, and then the result is inconclusive.

    Exit codes: 0 whole up to its end, 1 altered or cut off, 4 a head or the key is missing to say so, 5 no record.
    """
    from certify.rounds.journal import HeadLog
    from certify.rounds.sqlite_store import SqliteStore
    from certify.rounds.store import GENESIS, Vault, walk_chain

    noted = _digest(head)
    if noted == GENESIS:
        raise TrustError(f"{ledger}: no record has a digest of zeros, expected the noted head among them")
    marks = Vault(read_key(deck_key)) if deck_key else None
    with closing(SqliteStore.reading(require_ledger(ledger))) as store:
        chain = walk_chain(
            store.records(), head=noted, marks=marks, heads=HeadLog(heads).read() if heads else {}
        )
    if not chain.records:
        raise NothingCheckedError(f"{ledger} holds no record: nothing was checked")
    missing = not_shown(chain)
    verdict = "inconclusive" if missing else "satisfied"
    if output == "json":
        print_json(_document(ledger, chain, verdict, missing))
    else:
        click.echo(
            f"{chain.records:,} records, {chain.rounds:,} rounds: every record is in its place and unaltered"
        )
        click.echo(f"keyed marks: {'all made under this key' if chain.keyed else 'not compared'}")
        if chain.noted is not None:
            click.echo(
                f"noted head: record {chain.noted:,}, {chain.records - chain.noted:,} records after it"
            )
        click.echo(f"head: {chain.head.hex()}")
        click.echo("\n".join((f"verdict: {verdict}", *(f"not shown: {reason}" for reason in missing))))
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
    later = f"that nothing was cut off after record {chain.noted}, the noted head: give the head last noted"
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


def _document(ledger: Path, chain: Chain, verdict: str, missing: tuple[str, ...]) -> dict[str, object]:
    return {
        "ledger": str(ledger),
        "verdict": verdict,
        "records": chain.records,
        "rounds": chain.rounds,
        "head": chain.head.hex(),
        "noted_head_at": chain.noted,
        "keyed": chain.keyed,
        "not_shown": list(missing),
    }
