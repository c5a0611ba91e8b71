"""``certify rounds show``, ``play`` and ``expire``: rounds on a ledger file."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from certify.cli.exits import Exit
from certify.cli.options import GAME, format_option, print_json, seed_option
from certify.cli.rounds_exercise import EXIT_OF, shuffled
from certify.errors import InputError

if TYPE_CHECKING:
    from certify.rounds.ledger import Ledger
    from certify.rounds.probe import Deck

Command = TypeVar("Command", bound=Callable[..., Any])

FILE = click.Path(dir_okay=False, path_type=Path)


def ledger_options(command: Command) -> Command:
    """Adds ``--ledger FILE`` and ``--deck-key FILE``."""
    key = click.option(
        "--deck-key",
        type=GAME,
        required=True,
        help="File with the 64 hex digits under which decks are sealed.",
    )
    return click.option("--ledger", "path", type=FILE, required=True, help="The ledger file.")(key(command))


def read_key(path: Path) -> bytes:
    """Returns the key of a file of 64 hex digits.

    Raises:
        InputError: The file holds something else.
    """
    try:
        key = bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(f"{path}: expected 64 hexadecimal digits") from error
    if len(key) != 32:
        raise InputError(f"{path}: {2 * len(key)} hexadecimal digits, expected 64")
    return key


@contextmanager
def opened(
    games: tuple[Path, ...], path: Path, key: Path, decks: Callable[[], Deck], *, fresh: bool = False
) -> Iterator[Ledger]:
    """Opens a ledger with the editions of some submissions; the last one is in force for new rounds."""
    from certify.certification.tool import source_digest
    from certify.clock import SystemClock
    from certify.rounds.ledger import Ledger
    from certify.rounds.play import edition_of
    from certify.rounds.sqlite_store import SqliteStore
    from certify.rounds.vault import Vault
    from certify.rounds.voiding import Machine
    from certify.submission import read_game

    if not fresh and not path.is_file():
        raise InputError(f"no ledger at {path}")
    read = (edition_of(read_game(game), software=source_digest()) for game in games)
    editions = {edition.sha256: edition for edition in read}
    machine = Machine(editions, tuple(editions)[-1], SystemClock())
    ledger = Ledger(SqliteStore(path), machine, Vault(read_key(key)), decks)
    try:
        yield ledger
    finally:
        ledger.close()


def no_decks() -> Deck:
    """Refuses to deal: the command only reads or closes rounds.

    Raises:
        InputError: Always.
    """
    raise InputError("this command deals no cards")


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

    with opened(games, path, deck_key, no_decks) as ledger:
        ledger.verify()
        record = recall(ledger, round_id)
    check = check_recall((record,))
    text = {"json": to_json, "csv": to_csv}.get(output)
    click.echo((text((record,)) if text else to_text(record)).rstrip("\n"))
    if output == "text":
        click.echo(f"{check.title}: {check.verdict} ({check.observed})")
    return EXIT_OF[check.verdict]


@click.command(
    epilog="Example: certify rounds play game.toml --rounds 10 --ledger rounds.db --deck-key key.hex --seed …"
)
@click.argument("game", type=GAME)
@click.option(
    "--rounds", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Rounds to play."
)
@click.option("--seat", default="seat", show_default=True, help="Id of a fresh seat.")
@ledger_options
@seed_option
@format_option
def play(game: Path, rounds: int, seat: str, path: Path, deck_key: Path, seed: bytes, output: str) -> int:
    """Play demonstration rounds of GAME.toml at a fresh seat of a ledger: all bets, then what commits to least."""
    from certify.rounds.events import SessionOpened
    from certify.rounds.exercise import default_stakes
    from certify.rounds.finishing import finish
    from certify.rounds.ledger import Request
    from certify.rounds.play import funds_for
    from certify.rounds.system import Action
    from certify.rounds.system import Command as Ask
    from certify.submission import read_game

    number, submission = count(), read_game(game)
    with opened(
        (game,), path, deck_key, lambda: shuffled(submission, seed, 1, next(number))[0], fresh=True
    ) as ledger:
        stakes = default_stakes(ledger.machine.edition.game)
        rules = ledger.machine.edition.play
        funds = funds_for(rules, stakes) * rounds
        ledger.open(seat, SessionOpened("demonstration", f"{seat}-session", "none", "none"), funds)
        for _ in range(rounds):
            asks = [Ask(Action.PLACE, *bet) for bet in stakes]
            asks += [Ask(Action.DEAL)]
            ledger.perform_all(Request(seat, ask) for ask in asks)
            finish(ledger, seat)
        state, head = ledger.seat(seat), ledger.head.hex()
    document = {"seat": seat, "rounds": state.rounds, "funds": funds, "balance": state.balance, "head": head}
    if output == "json":
        print_json(document)
    else:
        click.echo("\n".join(f"{name}: {value}" for name, value in document.items()))
    return Exit.SATISFIED


@click.command(epilog="Example: certify rounds expire game.toml --ledger rounds.db --deck-key key.hex")
@click.argument("games", metavar="GAME.toml...", type=GAME, nargs=-1, required=True)
@ledger_options
@format_option
def expire(games: tuple[Path, ...], path: Path, deck_key: Path, output: str) -> int:
    """Void the unresolved bets of a ledger whose term has passed, and report counts and money."""
    with opened(games, path, deck_key, no_decks) as ledger:
        ledger.verify()
        closing = ledger.expire_due()
    document = {
        "rounds": list(closing.rounds),
        "count": len(closing.rounds),
        "refunded": closing.refunded,
        "forfeited": closing.forfeited,
    }
    if output == "json":
        print_json(document)
    else:
        click.echo(
            f"{len(closing.rounds)} rounds void, {closing.refunded} returned, {closing.forfeited} forfeited"
        )
    return Exit.SATISFIED
