"""``certify rounds play`` and ``expire``: rounds on a ledger file."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import click

from certify import untrusted_input
from certify.children import source_digest
from certify.cli.failures import Exit
from certify.cli.options import DATABASE, GAME, PLACE, format_option, print_result, seed_option
from certify.cli.rounds_exercise import shuffled
from certify.clock import SystemClock
from certify.databases import Place
from certify.errors import InputError, OperationError, Refusing
from certify.model import Equipment, Row
from certify.rounds import (
    Command as Ask,
    Draws,
    HeadCommand,
    HeadKeeper,
    HeadLog,
    Ledger,
    LedgerRequest,
    Machine,
    PostgresStore,
    SeatAction,
    SessionOpened,
    Vault,
    default_stakes,
    edition_of,
    finish,
    funds_for,
    ledger_at,
    walk_chain,
)
from certify.submission import read_game

Command = TypeVar("Command", bound=Callable[..., Any])

LEDGER = "The ledger: a file, or postgresql://USER@HOST/NAME."


def ledger_options(command: Command) -> Command:
    """Adds ``--ledger FILE`` and ``--deck-key FILE``."""
    key = click.option(
        "--deck-key",
        type=GAME,
        required=True,
        help="File with the 64 hex digits under which decks are sealed and records marked.",
    )
    return click.option("--ledger", "path", type=DATABASE, required=True, help=LEDGER)(key(command))


def heads_options(command: Command) -> Command:
    """Adds ``--heads FILE`` and ``--heads-command COMMAND``, which keep the head of a ledger outside of it."""
    program = click.option(
        "--heads-command",
        "program",
        metavar="COMMAND",
        help="Program that receives number and digest of the latest record on its standard input.",
    )
    return click.option(
        "--heads",
        type=PLACE,
        help="Log outside the ledger: compared first, then number and digest of the latest record are appended.",
    )(program(command))


def keeper_of(heads: Path | None, program: str | None) -> HeadKeeper | None:
    """Returns what keeps the heads of a ledger.

    Raises:
        InputError: Two ways are named, or the program is none.
    """
    if heads and program:
        raise InputError("--heads and --heads-command: expected one of them")
    if program is not None and not program.strip():
        raise InputError("--heads-command: expected a program and its arguments")
    return HeadLog(heads) if heads else HeadCommand(program) if program else None


def read_key(path: Path) -> bytes:
    """Returns the key of a file of 64 hex digits.

    Raises:
        InputError: The file holds something else, or others may read it.
    """
    with Refusing(ValueError, InputError, f"{path}: expected 64 hexadecimal digits", words=None):
        # The text is never printed: a mistyped key is still a secret.
        key = bytes.fromhex(untrusted_input.read_key(path, pipes=False).decode("ascii").strip())
    if len(key) != 32:
        raise InputError(f"{path}: {2 * len(key)} hexadecimal digits, expected 64")
    return key


@contextmanager
def opened(
    games: tuple[Path, ...],
    path: Place,
    key: Path,
    rows: Draws,
    *,
    fresh: bool = False,
    reading: bool = False,
    keeper: HeadKeeper | None = None,
) -> Iterator[Ledger]:
    """Opens a ledger with the editions of some submissions; the last one is in force for new rounds.

    Args:
        games: The submissions.
        path: Where the ledger is.
        key: File of the ledger's key.
        rows: Gives the draws of each deal.
        fresh: Whether the file may be made; it is removed again where the call turns out wrong.
        reading: Whether nothing is to be written, so that the medium may be read-only.
        keeper: Keeps each head outside; where it is a log, the ledger is first compared with it.
    """
    # Everything that can be wrong with the call comes before the first byte is written.
    vault = Vault(read_key(key))
    read = (edition_of(read_game(game), software=source_digest()) for game in games)
    editions = {edition.sha256: edition for edition in read}
    machine = Machine(editions, tuple(editions)[-1], SystemClock())
    with _removed_if_wrong(path) if fresh and isinstance(path, Path) else nullcontext():
        store = ledger_at(path, reading=reading, make=fresh)
        try:
            ledger = Ledger(store, machine, vault, rows, keeper)
            if isinstance(keeper, HeadLog):
                walk_chain(store.records(), marks=vault, heads=keeper.read())
            yield ledger
        except (InputError, OperationError):
            if isinstance(store, PostgresStore):
                store.discard()
            raise
        finally:
            store.close()


@contextmanager
def _removed_if_wrong(path: Path) -> Iterator[None]:
    """Removes a ledger that was made by a call which turns out wrong: exit code 2 says that nothing was written."""
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")
    made = not path.exists()
    try:
        yield
    except (InputError, OperationError):
        if made:
            for part in ("", "-wal", "-shm"):
                path.with_name(f"{path.name}{part}").unlink(missing_ok=True)
        raise


def no_draws(equipment: Sequence[Equipment]) -> Row:
    """Refuses to deal: the command only reads or closes rounds.

    Raises:
        InputError: Always.
    """
    raise InputError("this command deals no cards")


@click.command(
    short_help="play demonstration rounds on a ledger",
    epilog="Example: certify rounds play game.toml --rounds 10 --ledger rounds.db --deck-key key.hex --seed …",
)
@click.argument("game", type=GAME)
@click.option(
    "--rounds", type=click.IntRange(1, 100_000), default=1, show_default=True, help="Rounds to play."
)
@click.option("--seat", default="seat", show_default=True, help="Id of a fresh seat.")
@ledger_options
@heads_options
@seed_option
@format_option
def play(
    game: Path,
    rounds: int,
    seat: str,
    path: Place,
    deck_key: Path,
    heads: Path | None,
    program: str | None,
    seed: bytes,
    output: str,
) -> None:
    """Play demonstration rounds of GAME.toml at a fresh seat of a ledger: all bets, then what commits to least."""
    number, submission = count(), read_game(game)

    def dealt(_: Sequence[Equipment]) -> Row:
        return shuffled(submission, seed, 1, next(number))[0]

    with opened((game,), path, deck_key, dealt, fresh=True, keeper=keeper_of(heads, program)) as ledger:
        stakes = default_stakes(ledger.machine.edition.game)
        rules = ledger.machine.edition.play
        funds = funds_for(rules, stakes) * rounds
        ledger.open(seat, SessionOpened("demonstration", f"{seat}-session", "none", "none"), funds)
        for _ in range(rounds):
            asks = [Ask(SeatAction.PLACE, *bet) for bet in stakes]
            asks += [Ask(SeatAction.DEAL)]
            ledger.perform_all(LedgerRequest(seat, ask) for ask in asks)
            finish(ledger, seat)
        state, head = ledger.seat(seat), ledger.head.hex()
    document = {"seat": seat, "rounds": state.rounds, "funds": funds, "balance": state.balance, "head": head}
    print_result(output, document, (f"{name}: {value}" for name, value in document.items()))


@click.command(
    short_help="settle or void rounds whose term has passed",
    epilog="Example: certify rounds expire game.toml --ledger rounds.db --deck-key key.hex",
)
@click.argument("games", metavar="GAME.toml...", type=GAME, nargs=-1, required=True)
@ledger_options
@heads_options
@format_option
def expire(
    games: tuple[Path, ...],
    path: Place,
    deck_key: Path,
    heads: Path | None,
    program: str | None,
    output: str,
) -> int:
    """Settle the rounds of a ledger whose result is known, void the unresolved bets whose term has passed.

    Reports counts and money. Name every submission under which rounds of the ledger were played. A round whose rules
    are not among them is named and left as it is; the others are judged all the same.

    Exit codes: 0 every unresolved round was judged, 1 a record does not replay, 4 rules are missing to judge a round.
    """
    with opened(games, path, deck_key, no_draws, keeper=keeper_of(heads, program)) as ledger:
        ledger.journal.verify()
        closing = ledger.close_due()
    document = {
        "rounds": closing.rounds,
        "count": len(closing.rounds),
        "settled": closing.settled,
        "paid": closing.paid,
        "refunded": closing.refunded,
        "forfeited": closing.forfeited,
        "not_judged": closing.not_judged,
        "not_replayed": closing.not_replayed,
    }
    void = f"{len(closing.rounds)} rounds void, {closing.refunded} returned, {closing.forfeited} forfeited"
    lines = (
        f"{void}; {len(closing.settled)} rounds settled, {closing.paid} paid",
        *(f"not judged: {one}" for one in closing.not_judged),
        *(f"does not replay: {one}" for one in closing.not_replayed),
    )
    print_result(output, document, lines)
    if closing.not_replayed:
        return Exit.FINDINGS
    return Exit.INCONCLUSIVE if closing.not_judged else Exit.SATISFIED
