"""The command line: every job is loaded only when called, and no error leaves without its exit code."""

import gc
import importlib
import os
import sys
import traceback
from typing import Final

import click

from certify import __version__
from certify.children import leave_current_folder
from certify.cli.failures import Exit, failure_of, wants_json
from certify.cli.options import print_json
from certify.cli.terminal import PlainStream, plain_output, terminated_by_signal

COMMANDS: Final = {
    "run": "certify.cli.run:run",
    "verify": "certify.cli.verify:verify",
    "register": "certify.cli.register:register",
    "analyze": "certify.cli.analyze:analyze",
    "identify": "certify.cli.identify:identify",
    "simulate": "certify.cli.play:simulate",
    "play": "certify.cli.play:play",
    "rng": "certify.cli.rng:rng",
    "rounds": "certify.cli.rounds:rounds",
    "audit": "certify.cli.audit:audit",
    "watch": "certify.cli.watch:watch",
    "gate": "certify.cli.gate:gate",
    "approve": "certify.cli.gate:approve",
    "explain": "certify.cli.gate:explain",
    "lint": "certify.cli.gate:lint",
    "families": "certify.cli.families:families",
    "import-par": "certify.cli.families:import_par",
    "new-family": "certify.cli.families:new_family",
    "new-game": "certify.cli.families:new_game",
    "check-family": "certify.cli.families:check_family",
    "export": "certify.cli.export:export",
    "new-key": "certify.cli.signing:new_key",
    "schema": "certify.cli.schema:schema",
    "doctor": "certify.cli.doctor:doctor",
}

COLLECTED_AFTER: Final = (50_000, 20, 50)
"""Thresholds of the collector of garbage: exact figures and pages are millions of objects that stay in use."""


class LazyGroup(click.Group):
    """A group whose commands are imported when requested, so that ``--help`` stays quick."""

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
    "register": "list issued reports; enter, revoke or replace one",
    "analyze": "compute the exact figures of a game",
    "identify": "find the readings and pays that reproduce a printed return",
    "simulate": "play rounds in volume and compare them with the exact figures",
    "play": "play rounds on the terminal; a seed repeats each of them",
    "rng": "test random output, run known answers, export random output",
    "rounds": "exercise the life of a round, recall rounds, test a round system",
    "audit": "compare played rounds with the exact distribution, one by one and together",
    "watch": "watch live returns every day without more false alarms",
    "gate": "decide whether a paytable change may be merged",
    "approve": "approve a change that the gate reports, with a reason and a last day",
    "explain": "explain a kind of change and what to do about it",
    "lint": "report every mistake of submissions, in seconds",
    "families": "list the installed families of games and what each contains",
    "new-game": "write a submission with comments to start from",
    "import-par": "write a submission from a PAR sheet or another spreadsheet",
    "new-family": "write a package for a family of your own, which certifies as it is",
    "check-family": "test a family against every requirement, with planted faults",
    "export": "write a round as a Markov decision process for a model checker",
    "new-key": "write a first key, the request for its certificate and a test certificate",
    "schema": "print the JSON Schema of submissions, exact figures or evidence",
    "doctor": "report what this machine has and lacks",
}


HELP: Final = """Certify the mathematics of a game: exact figures, play-through, signed evidence.

\b
Exit codes: 0 all satisfied, 1 findings, 2 wrong call or input,
3 internal error or missing part, 4 inconclusive, 5 nothing was checked,
130 interrupted, 141 the output was closed, 143 terminated.
"""

COMPLETION: Final = "_CERTIFY_COMPLETE"
"""Set by a shell that asks for the words that can follow."""


@click.command(
    cls=LazyGroup,
    # Only their names are read here: which command a misspelt one is nearly.
    commands={name: click.Command(name) for name in COMMANDS},
    help=HELP,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: certify run fixtures/games/playtech-7-e-mezzo/game.toml --out build/pack",
)
@click.version_option(__version__, prog_name="certify")
def main() -> None:
    """Takes the command line apart; each command does its own job."""


def entry(arguments: list[str] | None = None) -> None:
    """Runs the command line and leaves with a documented exit code, whatever happens."""
    gc.set_threshold(*COLLECTED_AFTER)
    sys.exit(run(arguments))


def run(arguments: list[str] | None = None) -> int:
    """Returns the exit code of a call; an error that nobody foresaw is 3, never 1."""
    given = sys.argv[1:] if arguments is None else arguments
    with plain_output():
        try:
            with terminated_by_signal(lambda error: int(_explained(error, wants_json(given)))):
                leave_current_folder()
                code = _called(given)
                # What stays in the buffer is delivered here, where a closed pipe can still be reported.
                sys.stdout.flush()
                return code
        except SystemExit:
            raise
        except BaseException as error:  # noqa: BLE001 - the last fence: a defect must not look like a finding
            return int(_explained(error, wants_json(given)))


def _called(arguments: list[str]) -> int:
    if COMPLETION in os.environ:
        main.main(arguments, prog_name="certify", complete_var=COMPLETION, standalone_mode=False)
    # Not by main.main: it makes a closed pipe a finding, and an interrupt an unnamed failure.
    try:
        with main.make_context("certify", list(arguments)) as context:
            result = main.invoke(context)
    except click.exceptions.Exit as error:
        return error.exit_code
    return int(result) if isinstance(result, int) else int(Exit.SATISFIED)


def _explained(error: BaseException, as_json: bool) -> Exit:
    """Says what went wrong, on standard error and as JSON where that was requested; returns the exit code."""
    failure = failure_of(error)
    if failure.code is Exit.PIPE_CLOSED:
        _discard_output()
        return failure.code
    try:
        if isinstance(error, click.ClickException):
            error.show()
        else:
            click.echo("\n".join(failure.lines()), err=True)
        if failure.unforeseen and os.environ.get("CERTIFY_TRACEBACK"):
            traceback.print_exception(error)
        # A result that is already out stays the only object there.
        if as_json and not (isinstance(sys.stdout, PlainStream) and sys.stdout.used):
            print_json(failure.to_json())
    except BrokenPipeError:
        _discard_output()
    return failure.code


def _discard_output() -> None:
    """Lets the interpreter flush into nothing when it ends: the reader is gone, and that is stated by the code."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
