#!/usr/bin/env python3
"""Certifies every game of the fixtures, verifies and checks each pack as a stranger would, and repeats runs.

Run ``tools/packs.py --out build/packs --profile quick``; options after ``--`` go to ``certify run``, such as those
of a key. Exit 0 only if there is a pack for each game, every run ended as ``fixtures/games/outcomes.csv`` says it
must, every pack verifies and holds by its own ``check.py``, and the packs drawn for it verify with ``--replay``: one
game of every third family, others with another commit, or every game with ``--replay every``. Whatever else a run
ends with is printed and never swallowed, and so are the CPU seconds of each command and their sums.
"""

from __future__ import annotations

import argparse
import csv
import gc
import hashlib
import importlib
import json
import os
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from certify.children import run_program
from certify.cli.main import entry
from certify.errors import InputError
from certify.report.pdf import require_renderer
from certify.seal.pack import require_replaceable

ROOT = Path(__file__).resolve().parents[1]
GAMES = ROOT / "fixtures" / "games"
OUTCOMES = GAMES / "outcomes.csv"

#: Games certified at a time, each on one thread: two games keep two cores busier than one game does.
AT_ONCE = 2

#: Of so many families one has a run repeated.
SHARE = 3

#: The exit codes with which a run has written a pack: satisfied, findings, inconclusive.
WITH_A_PACK = (0, 1, 4)

#: What a run and a verification load in the end, ours and others'.
LOADED = (
    "certify.cli.run",
    "certify.cli.verify",
    "certify.certification.run",
    "certify.issue.make",
    "certify.report.certificate",
    "openpyxl",
    "pikepdf",
    "pyhanko.sign.signers",
    "pyhanko.sign.validation",
    "scipy.optimize",
)

#: The process of a thread from which its commands are forked.
SERVER = threading.local()

#: What has been run so far, with the CPU seconds of its processes.
USED: list[tuple[str, float]] = []


@dataclass(frozen=True, slots=True)
class Outcome:
    """What certifying a game must end with, and why; the statement where the table names one."""

    code: int
    because: str
    statement: str = ""


def expected(games: Path, table: Path) -> dict[str, Outcome]:
    """Returns the outcome of every game; a game without a row, or a row without a game, is refused."""
    there = {path.parent.name for path in games.glob("*/game.toml")}
    with table.open(encoding="utf-8", newline="") as stream:
        rows = {
            row["game"]: Outcome(int(row["exit"]), row["because"], row.get("statement") or "")
            for row in csv.DictReader(stream)
        }
    if not there:
        raise SystemExit(f"{games}: there are no games, and nothing was certified")
    for name in sorted(there ^ rows.keys()):
        missing = "no row for this game" if name in there else "there is no such game"
        raise SystemExit(f"{table}: {name}: {missing}")
    odd = sorted(name for name, row in rows.items() if row.code not in WITH_A_PACK or not row.because)
    if odd:
        raise SystemExit(f"{table}: {odd[0]}: expected the exit code of a run that writes a pack, and why")
    return {name: rows[name] for name in sorted(rows)}


def seed_of(game: Path) -> str:
    """Returns the seed of a game's pack: that of its submission, so that the same commit gives the same packs."""
    return hashlib.sha256(b"certify packs\0" + game.read_bytes()).hexdigest()


def families_of(games: Collection[str]) -> dict[str, str]:
    """Returns the family of each game, by name of the game."""
    read = {name: tomllib.loads((GAMES / name / "game.toml").read_text(encoding="utf-8")) for name in games}
    return {name: document["game"]["family"] for name, document in read.items()}


def repeated(games: Mapping[str, str], turn: str) -> frozenset[str]:
    """Returns the games whose run is repeated: one of every third family, drawn by the digest of names and turn.

    A run repeated takes as long as a run that finds nothing kept, and what it would show of a second game of a family
    it has nearly shown of the first; with the turn every family and every game comes up.

    Args:
        games: Games with their families.
        turn: What the draw turns with, such as the commit; empty to repeat every game's.
    """
    if not turn:
        return frozenset(games)
    families: dict[str, list[str]] = defaultdict(list)
    for name, family in games.items():
        families[family].append(name)

    def drawn(names: Iterable[str], how_many: int) -> list[str]:
        return sorted(names, key=lambda name: hashlib.sha256(f"{turn}\0{name}".encode()).digest())[:how_many]

    return frozenset(drawn(families[family], 1)[0] for family in drawn(families, -(-len(families) // SHARE)))


def commit() -> str:
    """Returns the commit that is checked out; empty where there is none."""
    try:
        done = run_program(["git", "rev-parse", "HEAD"], folder=ROOT)
    except OSError:
        return ""
    return done.stdout.decode().strip() if done.returncode == 0 else ""


def code_of(evidence: Mapping[str, Any]) -> int:
    """Returns the exit code that the evidence of a pack stands for."""
    verdict = evidence["report"]["statement"]["verdict"]
    serious = [
        f
        for f in evidence["findings"]
        if f["status"] in ("open", "condition") and f["severity"] in ("major", "critical")
    ]
    if serious or verdict == "not satisfied":
        return 1
    return 4 if verdict == "inconclusive" else 0


def certified(name: str, outcome: Outcome, arguments: argparse.Namespace) -> str:
    """Certifies a game and returns what is wrong with its pack; empty if nothing is."""
    game, pack = GAMES / name / "game.toml", arguments.out / name
    # A pack of an earlier day must not stand in for one that was not written today; nothing else is removed.
    try:
        require_replaceable(pack)
    except InputError as error:
        return str(error)
    if pack.exists():
        shutil.rmtree(pack)
    options = ["--out", pack, "--profile", arguments.profile, *arguments.options]
    if "--seed" not in arguments.options:
        options += ["--seed", seed_of(game)]
    if not {"--workers", "--executor"} & set(arguments.options):
        options += ["--workers", "1"]
    code = certify("run", game, *options)
    if code != outcome.code:
        return f"certify run ended with {code}, expected {outcome.code}: {outcome.because}"
    if not (pack / "report.pdf").is_file():
        return "certify run wrote no report"
    trust = ["--trust", arguments.trust] if arguments.trust else []
    again = ["--replay"] if name in arguments.repeated else []
    verified = certify("verify", pack, *again, *trust)
    if verified != 0:
        return f"{' '.join(('certify verify', *again))} ended with {verified}"
    recounted = checked(pack)
    if recounted != 0:
        return f"check.py ended with {recounted}"
    evidence = json.loads((pack / "evidence.json").read_bytes())
    if code_of(evidence) != code:
        return f"the evidence stands for another result than the exit code {code}"
    return stated(evidence, outcome)


def stated(evidence: Mapping[str, Any], outcome: Outcome) -> str:
    """Returns how the statement of a pack is another than the table's; empty where it is that one, or none is named."""
    found = evidence["report"]["statement"]["verdict"]
    if outcome.statement in ("", found):
        return ""
    return f"the report says {found!r}, expected {outcome.statement!r}: {outcome.because}"


def ended(game: Path, pack: Path, code: int) -> int:
    """Says the verdict of one run and whether it is the one that the table expects of the game; returns 0 where it is.

    Args:
        game: The submission that was certified.
        pack: The pack that was written.
        code: Exit code of the run.
    """
    outcome = expected(GAMES, OUTCOMES).get(game.resolve().parent.name)
    report = pack / "report.pdf"
    if code not in WITH_A_PACK or not report.is_file():
        return code
    evidence = json.loads((pack / "evidence.json").read_bytes())
    statement = evidence["report"]["statement"]
    say(f"\nThe report is {report.resolve()}")
    say(f"Verdict: {statement['verdict'].upper()}. {statement['sentence']}")
    if outcome is None or game.resolve().parent.parent != GAMES:
        say("No outcome of this game is kept: the exit code is that of the run.")
        return code
    wrong = (
        f"certify run ended with {code}, expected {outcome.code}: {outcome.because}"
        if code != outcome.code
        else stated(evidence, outcome)
    )
    say(
        wrong
        or f"That is the outcome expected of this game ({outcome.because}): done, although the run ended with {code}."
    )
    return code or 1 if wrong else 0


def certify(*words: object) -> int:
    """Runs a command of certify, passes its output on when it is done, and returns its exit code.

    A run that is repeated is repeated as a stranger would, by an interpreter that has loaded nothing.
    """
    given = [str(word) for word in words]
    alone = "--replay" in given
    code, printed, seconds = (
        ran([sys.executable, "-P", "-m", "certify", *given], ROOT) if alone else forked(given)
    )
    USED.append(("verify --replay" if alone else given[0], seconds))
    # In one piece: two games are certified at a time.
    say(f"$ certify {shlex.join(given)} # {seconds:.1f} CPU seconds\n{printed}")
    return code


def forked(given: Sequence[str]) -> tuple[int, str, float]:
    """Runs a command of certify in a process of its own, forked from one that has loaded what a run needs.

    Each thread keeps one such process. What is returned is what :func:`ran` returns.
    """
    if not hasattr(SERVER, "process"):
        SERVER.process = subprocess.Popen(
            [sys.executable, "-P", __file__, "--serve"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    SERVER.process.stdin.write(f"{json.dumps(given)}\n".encode())
    SERVER.process.stdin.flush()
    code, printed, seconds = json.loads(SERVER.process.stdout.readline())
    return code, printed, seconds


def serve() -> int:
    """Runs each command that comes in a child that finds its modules loaded; answers exit code, output, CPU seconds."""
    for module in LOADED:
        importlib.import_module(module)
    require_renderer()
    # What is loaded stays: no child looks for garbage among it.
    gc.freeze()
    for line in sys.stdin:
        with TemporaryFile() as output:
            child = os.fork()
            if not child:
                nothing = os.open(os.devnull, os.O_RDONLY)
                for number, file in enumerate((nothing, output.fileno(), output.fileno())):
                    os.dup2(file, number)
                code = 3
                try:
                    entry(json.loads(line))
                except SystemExit as end:
                    code = int(end.code or 0)
                    sys.stdout.flush()
                finally:
                    os._exit(code)
            print(json.dumps(waited(child, output)), flush=True)
    return 0


def checked(pack: Path) -> int:
    """Runs the checker that lies in a pack as an auditor would, says its last line, and returns its exit code."""
    code, printed, seconds = ran([sys.executable, "-I", "check.py"], pack)
    USED.append(("check.py", seconds))
    shown = printed.splitlines()[-1] if code == 0 else printed
    say(f"$ python3 -I check.py # in {pack}, {seconds:.1f} CPU seconds\n{shown}")
    return code


def ran(command: Sequence[str], folder: Path) -> tuple[int, str, float]:
    """Runs a command in a folder; returns its exit code, what it printed, and CPU seconds of it and its children."""
    with (
        TemporaryFile() as output,
        subprocess.Popen(command, cwd=folder, stdout=output, stderr=output) as child,
    ):
        child.returncode, *more = waited(child.pid, output)
        return child.returncode, *more


def waited(child: int, output: IO[bytes]) -> tuple[int, str, float]:
    """Returns exit code, output and CPU seconds of a process and its children once it has ended."""
    _, status, used = os.wait4(child, 0)
    output.seek(0)
    return os.waitstatus_to_exitcode(status), output.read().decode(), used.ru_utime + used.ru_stime


def say(text: str) -> None:
    """Prints a line at once, so that it stands before the output of the next command."""
    print(text, flush=True)


def main(words: Sequence[str] | None = None) -> int:
    """Makes all packs and says for each how it ended."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "packs", help="folder of the packs")
    parser.add_argument("--profile", default="quick", choices=["quick", "standard", "full"])
    parser.add_argument(
        "--replay",
        default="family",
        choices=["family", "every"],
        help="repeat the run of one game of every third family, others with another commit, or of every game",
    )
    parser.add_argument(
        "--serve", action="store_true", help="run the commands on standard input, for this program itself"
    )
    parser.add_argument("--trust", type=Path, help="root certificates to verify by, in PEM")
    parser.add_argument("options", nargs="*", help="options of certify run, after --")
    parser.add_argument(
        "--ended", type=int, metavar="CODE", help="say how the one run of --game into --out ended"
    )
    parser.add_argument("--game", type=Path, help="with --ended: the submission that was certified")
    arguments = parser.parse_args(words)
    if arguments.serve:
        return serve()
    if arguments.ended is not None and arguments.game is not None:
        return ended(arguments.game, arguments.out, arguments.ended)
    arguments.out = arguments.out.absolute()
    outcomes = expected(GAMES, OUTCOMES)
    arguments.repeated = repeated(families_of(outcomes), commit() if arguments.replay == "family" else "")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = pool.map(lambda name: certified(name, outcomes[name], arguments), outcomes)
        wrong = dict(zip(outcomes, made, strict=True))
    say("")
    for name, outcome in outcomes.items():
        say(
            f"{'WRONG' if wrong[name] else 'ok   '} {name}: "
            + (
                wrong[name]
                or f"exit {outcome.code} as expected, verified and checked"
                f"{' and its run repeated' if name in arguments.repeated else ''}: {arguments.out / name}"
            )
        )
    phases = {phase: sum(used for of, used in USED if of == phase) for phase, _ in USED}
    say(
        f"CPU seconds: {', '.join(f'{phase} {used:.0f}' for phase, used in phases.items())}; "
        f"{sum(phases.values()):.0f} in all"
    )
    return 1 if any(wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
