"""Options and output that all commands share."""

import math
import shlex
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import field, fields
from fractions import Fraction
from functools import wraps
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import click

from certify import result_cache
from certify.characters import json_text
from certify.cli.terminal import PlainStream
from certify.databases import place_of
from certify.errors import InputError
from certify.exact import parse_fraction
from certify.executors import parse_executor
from certify.model import AGAINST, Game, pair_name

AnyCommand = Callable[..., Any]
Command = TypeVar("Command", bound=AnyCommand)


def parse_stakes(text: str | None) -> dict[str, Fraction] | None:
    """Returns stakes such as ``main=1,side=1/2`` by wager.

    Raises:
        InputError: A part is not of that form.

    >>> parse_stakes("main=1,side=1/2")
    {'main': Fraction(1, 1), 'side': Fraction(1, 2)}
    """
    if text is None:
        return None
    stakes: dict[str, Fraction] = {}
    for part in text.split(","):
        wager, separator, amount = part.partition("=")
        if not separator or not wager or wager in stakes:
            raise InputError(f'stakes "{text}": expected such as main=1,side=1, each wager once')
        stakes[wager] = parse_fraction(amount)
        if stakes[wager] < 0:
            raise InputError(f'stakes "{text}": a stake is not negative')
    return stakes


class _File(click.Path):
    """A file that is there; of a folder with a submission, the submission."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        submission = Path(value) / "game.toml"
        if isinstance(param, click.Argument) and Path(value).is_dir() and not submission.is_file():
            self.fail(f"{value}: no game.toml in this folder.", param, ctx)
        return super().convert(submission if submission.is_file() else value, param, ctx)


GAME = _File(exists=True, dir_okay=False, path_type=Path)


class Database(click.Path):
    """A file, or a database of a server."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Returns where it is."""
        place = place_of(value) if isinstance(value, str) else value
        return super().convert(place, param, ctx) if isinstance(place, Path) else place


DATABASE = Database(dir_okay=False, path_type=Path)
PLACE = click.Path(dir_okay=False, path_type=Path)


STRATEGY = click.option(
    "--strategy",
    metavar="NAME",
    help="How the player plays: main-optimal where left out, or equilibrium where --bank applies.",
)
BANK = click.option(
    "--bank",
    metavar="NAME",
    help="How the bank plays, in games whose bank decides; equilibrium where left out.",
)


class FiniteRange(click.FloatRange):
    """A number within bounds; what is no number is within none, though it is beyond none either."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Returns the number that an option gives.

        Raises:
            click.BadParameter: It is none, not finite, or out of bounds.
        """
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


def strategy_name(game: Game, strategy: str | None, bank: str | None) -> str:
    """Returns the name of the strategy requested: of a pair of them where the bank decides too.

    What is left out is that of the pair at the head of the game's plan.

    Raises:
        InputError: The bank of the game decides nothing.
    """
    from certify.mathematics import MAIN_OPTIMAL, plan_of

    plan = plan_of(game)
    if plan.banks:
        player, _, bank_at_head = plan.analysed[0].partition(AGAINST)
        return pair_name(strategy or player, bank or bank_at_head)
    if bank is not None:
        raise InputError(f"--bank {bank}: the bank of {game.id} follows a fixed rule, expected no --bank")
    return strategy or MAIN_OPTIMAL


# Adds ``--format text|json``.
format_option = click.option(
    "--format", "output", type=click.Choice(["text", "json"]), default="text", help="Form of the output."
)

new_folder_option = click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder to create; nothing is overwritten.",
)
"""Adds ``--out DIR``, a folder that is not there yet."""


def option(
    words: str,
    *,
    name: str | None = None,
    default: object = None,
    type: Any = None,  # noqa: A002 (as click names it)
    metavar: str | None = None,
    shown: bool = False,
) -> Any:
    """Returns a field of a record that is an option of a command: a flag by its default False, repeated by ().

    Args:
        words: Its help.
        name: Its name on the command line, where that is not the field's.
        default: Its default.
        type: Its type, where that is not text or the default's.
        metavar: The word for its value.
        shown: Whether help shows the default.
    """

    def made(field: str) -> Callable[[AnyCommand], AnyCommand]:
        return click.option(
            *((f"--{field.replace('_', '-')}",) if name is None else (name, field)),
            default=None if default == () else default,
            is_flag=default is False,
            multiple=default == (),
            type=type,
            metavar=metavar,
            show_default=shown or None,
            help=words,
        )

    return field(default=default, metadata={_OPTION: made})


def placed(options: Callable[[AnyCommand], AnyCommand], default: object = None) -> Any:
    """Returns a field of a record that other options hand over, at this place of the help."""
    return field(default=default, metadata={_OPTION: lambda _: options})


_OPTION: Final = "option"


def handed_over(kind: type[object], name: str) -> Callable[[AnyCommand], AnyCommand]:
    """Returns a decorator that adds the options of a record to a command, and hands them over together.

    Args:
        kind: Dataclass whose fields are the options, by :func:`option` and :func:`placed`.
        name: Parameter of the command that takes the record.
    """
    record: Any = kind

    def decorated(command: AnyCommand) -> AnyCommand:
        @wraps(command)
        def gathered(*arguments: Any, **given: Any) -> Any:
            chosen = record(**{each.name: given.pop(each.name) for each in fields(record)})
            return command(*arguments, **{name: chosen}, **given)

        made: Any = gathered
        for each in reversed(fields(record)):
            made = each.metadata[_OPTION](each.name)(made)
        return cast(AnyCommand, made)

    return decorated


# Adds ``--executor WHERE``; the form is checked before the command begins.
executor_option = click.option(
    "--executor",
    metavar="WHERE",
    callback=lambda _context, _parameter, value: None if value is None else parse_executor(value),
    help="threads:N, processes:N, dask:ADDRESS or dask:local:N; the bytes of the result are the same.",
)


def drawn_seed(given: bytes | None) -> bytes:
    """Returns the master seed given, or a fresh one from the operating system, which is then printed."""
    if given is not None:
        return given
    from rng.entropy import fresh_master_seed

    seed = fresh_master_seed()
    click.echo(f"seed {seed.hex()} (drawn from the operating system)", err=True)
    return seed


def _given_seed(context: click.Context, parameter: click.Parameter, value: str | None) -> bytes | None:
    """Returns the master seed given, if one is."""
    if value is None:
        return None
    try:
        seed = bytes.fromhex(value)
    except ValueError as error:
        raise click.BadParameter(
            "expected an even number of hexadecimal digits", context, parameter
        ) from error
    if not 32 <= len(seed) <= 128:
        raise click.BadParameter(
            f"{len(seed)} bytes: at least 32 expected (64 hex digits), and at most 128", context, parameter
        )
    return seed


def _seed_option(callback: Callable[..., bytes | None]) -> Callable[[AnyCommand], AnyCommand]:
    return click.option(
        "--seed",
        metavar="HEX",
        callback=callback,
        help="Master seed, at least 64 hex digits; drawn and printed if left out.",
    )


# Adds ``--seed HEX``: one is drawn before the command begins if none is given, or the command itself draws one, by
# `drawn_seed`, once it knows that it will begin.
seed_option = _seed_option(lambda *place: drawn_seed(_given_seed(*place)))
given_seed_option = _seed_option(_given_seed)


def print_json(document: object) -> None:
    """Prints one JSON object on standard output, and nothing else."""
    click.echo(json_text(document), nl=False)


def print_result(output: str, document: object, lines: Iterable[object]) -> None:
    """Prints a result in the form that was requested: as one JSON object, or line by line."""
    if output == "json":
        print_json(document)
        return
    for line in lines:
        click.echo(line)


def next_step(output: str, *words: object) -> None:
    """Says on a terminal which command comes next, after a result that a person reads; not for scripts."""
    if output != "json" and sys.stderr.isatty():
        command = words[0], *(shlex.quote(str(word)) for word in words[1:])
        click.echo(f"next: {' '.join(map(str, command))}", err=True)


_WIDTH: Final = 90
"""Characters of the line that shows how far a step is, so that a shorter text leaves nothing of a longer one."""

BAR: Final = 24
"""Characters of the bar."""

SHOWN_EVERY: Final = 0.2
LOGGED_EVERY: Final = 10.0
"""Seconds between two signs of how far a step is: on a terminal, and in a log."""

REMAINING_AFTER: Final = 5.0
"""Seconds that a step takes before it is reported how much time is left: before, and before a twentieth is done, what
compiles and starts says more about the pace than the work does."""


def bar(done: int, total: int, unit: str, seconds: float) -> str:
    """Returns how far a step is: a bar, the share done, and after a while the time that is left at the pace so far.

    Args:
        done: Units that are done.
        total: Units in all.
        unit: What is counted.
        seconds: How long the step has taken so far.

    >>> bar(1, 4, "rounds", 2.0)
    '[######..................]  25 % of 4 rounds'
    >>> bar(3_000, 4_000, "decks", 90.0)
    '[##################......]  75 % of 4,000 decks, 30 s left'
    >>> bar(1, 61, "chunks", 60.0)
    '[........................]   1 % of 61 chunks'
    """
    full = BAR * done // total
    left = seconds * (total - done) / done if done else 0.0
    amount = f"{left / 60:.0f} min" if left >= 100 else f"{left:.0f} s"
    told = f", {amount} left" if seconds >= REMAINING_AFTER and 20 * done >= total else ""
    return f"[{'#' * full}{'.' * (BAR - full)}] {100 * done // total:3} % of {total:,} {unit}{told}"


class Progress:
    """Reports the progress of long work on standard error: one line a step, and how far it is.

    A terminal shows that in one line, which changes a few times a second; a log gets a line every ten seconds.
    """

    def __init__(self, quiet: bool = False) -> None:
        self.quiet = quiet
        self.started = self._began = time.monotonic()
        self._last = 0.0
        self._open = False
        self._unit = ""

    def step(self, text: str) -> None:
        """Announces the next step of the work."""
        self._began, self._unit = time.monotonic(), ""
        if self.quiet:
            return
        self._close()
        click.echo(f"[{time.monotonic() - self.started:6.1f} s] {text}", err=True)

    def at(self, done: int, total: int, unit: str) -> None:
        """Shows how far the present step is and how long it will take."""
        now = time.monotonic()
        if unit != self._unit:
            self._began, self._unit = (now if self._unit else self._began), unit
        if self.quiet or not total:
            return
        shown = bar(done, total, unit, now - self._began)
        if not sys.stderr.isatty():
            if now - max(self._last, self._began) >= LOGGED_EVERY:
                self._last = now
                click.echo(f"[{now - self.started:6.1f} s] {shown}", err=True)
        elif now - self._last >= SHOWN_EVERY or done == total:
            self._last, self._open = now, True
            if isinstance(sys.stderr, PlainStream):
                sys.stderr.overwrite(f"           {shown}".ljust(_WIDTH))

    def _close(self) -> None:
        if self._open:
            click.echo("", err=True)
            self._open = False


def keeps_results(command: Command) -> Command:
    """Lets a command find results by the digest of all that they rest on, and keep what it computes.

    The folder is that of ``--cache`` where the command has one, else CERTIFY_CACHE, else the user's. It goes above
    what hands these options over together, so that it sees them.
    """

    @wraps(command)
    def keeping(*given: Any, **named: Any) -> Any:
        with nullcontext() if named.get("no_cache") else result_cache.kept_by_user(named.get("cache")):
            return command(*given, **named)

    return cast(Command, keeping)
