"""The command line: every job is loaded only when called, and no error leaves without its exit code."""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from typing import Final

import click

from certify import __version__
from certify.characters import shown
from certify.cli.exits import Exit, exit_for
from certify.errors import CertifyError
from rng.errors import RngError

COMMANDS: Final = {
    "run": "certify.cli.run:run",
    "verify": "certify.cli.verify:verify",
    "analyze": "certify.cli.analyze:analyze",
    "identify": "certify.cli.identify:identify",
    "simulate": "certify.cli.simulate:simulate",
    "rng": "certify.cli.rng:rng",
    "rounds": "certify.cli.rounds:rounds",
    "gate": "certify.cli.gate:gate",
    "approve": "certify.cli.approve:approve",
    "explain": "certify.cli.explain:explain",
    "lint": "certify.cli.lint:lint",
    "doctor": "certify.cli.doctor:doctor",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when asked for, so that ``--help`` stays quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the names of all commands in the order of the documentation."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Returns a command, importing its module."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        command = getattr(importlib.import_module(module), name)
        if not isinstance(command, click.Command):
            raise TypeError(f"{COMMANDS[cmd_name]} is not a command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes the list of commands without importing any of them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, JOBS[name]) for name in COMMANDS])


JOBS: Final = {
    "run": "check a submission in full and write the signed pack",
    "verify": "verify a pack: signature, trust, digests, attestation",
    "analyze": "exact figures of a game",
    "identify": "which readings and pays reproduce the printed return",
    "simulate": "play-through of a game",
    "rng": "known answers, tests and export of random output",
    "rounds": "the life of a round: exercise, show, conform",
    "gate": "may this paytable change land?",
    "approve": "let a change of the gate land, with a reason and a last day",
    "explain": "what a kind of change means and what to do about it",
    "lint": "read submissions and say what is wrong with them, quickly",
    "doctor": "is everything this machine needs there?",
}


HELP: Final = """Certify the mathematics of a game: exact figures, play-through, signed evidence.

\b
Exit codes: 0 all satisfied, 1 findings, 2 wrong call or input,
3 internal error or missing part, 4 inconclusive, 5 nothing was checked.
"""


@click.command(
    cls=LazyGroup,
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: certify run fixtures/games/playtech-7-e-mezzo/game.toml --out build/pack",
)
@click.version_option(__version__, prog_name="certify")
def main() -> None:
    """Takes the command line apart; each command does its own job."""


def entry(arguments: list[str] | None = None) -> None:
    """Runs the command line and leaves with a documented exit code, whatever happens."""
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Returns the exit code of a call; an error that nobody foresaw is 3, never 1."""
    try:
        result = main.main(arguments, prog_name="certify", standalone_mode=False)
        return int(result) if isinstance(result, int) else int(Exit.SATISFIED)
    except click.ClickException as error:
        error.show()
        return int(Exit.WRONG_INPUT)
    except click.exceptions.Exit as error:
        return error.exit_code
    except click.Abort:
        click.echo("certify: interrupted", err=True)
        return int(Exit.INTERNAL)
    except (CertifyError, RngError) as error:
        # An error may quote a pack, a target or a table: each of its lines is shown, never obeyed.
        said = "\n".join(map(shown, str(error).split("\n")))
        click.echo(f"certify: {said}", err=True)
        return int(exit_for(error))
    except BrokenPipeError:
        # The reader of our output went away; what was asked for was not delivered.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(Exit.INTERNAL)
    except OSError as error:
        # The machine's fault, not a defect: a full disk, a folder that cannot be read.
        place = f"{error.filename}: " if error.filename else ""
        click.echo(f"certify: {place}{error.strerror or error}", err=True)
        return int(Exit.INTERNAL)
    except Exception as error:  # noqa: BLE001 - the last fence: a defect must not look like a finding
        click.echo(f"certify: internal error: {type(error).__name__}: {shown(str(error))}", err=True)
        if os.environ.get("CERTIFY_TRACEBACK"):
            traceback.print_exc()
        else:
            click.echo("certify: set CERTIFY_TRACEBACK=1 to see where", err=True)
        return int(Exit.INTERNAL)
