"""Compiles kernels before anybody waits for them: a game of each family is counted, played and tested, in few rounds.

What a run calls is compiled because it is called, so no list of kernels has to be kept. What is not met here is
compiled where it is first called. What is proved and planted on the way is kept, and found by the runs that follow.
"""

import os
from collections.abc import Callable
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from certify import result_cache
from certify.children import source_digest
from certify.executors import InTurn
from certify.executors.processes import Processes
from certify.untrusted_input import write_whole
from rng.kernels import draw_rows

_ROUNDS: Final = 20_000
_ROWS: Final = 20_000
_BITS: Final = 1_000_000
_SEED: Final = bytes(32)


def compiled() -> str:
    """Returns what the kernels of these sources were compiled for; empty where they were not compiled ahead."""
    try:
        return _target() if _mark().read_bytes() == _sources() else ""
    except OSError:
        return ""


def compile_all(processes: int) -> None:
    """Compiles the kernels of every family and of the tests of random output, and notes that this was done.

    Args:
        processes: How many compile.
    """
    from certify.kit.starting import fixtures
    from certify.submission import read_game

    games = {read_game(path).family: path for path in fixtures().values()}
    with Processes(processes) as workers:
        tasks: list[Callable[[], None]] = [
            keep_planted,
            *(partial(play_few, path) for path in games.values()),
        ]
        for one in [workers.submit(result_cache.to_send(task)) for task in tasks]:
            if one is not None:
                one.result()
    write_whole(_mark(), [_sources()])


def keep_planted() -> None:
    """Plants every known fault, and keeps what was found."""
    from certify.certification.generator import planted_faults
    from rng.battery.planted.catalogue import FAULTS

    planted_faults(FAULTS, InTurn())


def play_few(path: Path) -> None:
    """Counts a game, plays a few rounds of it under each strategy that a run plays, and tests what was dealt.

    Args:
        path: The submission.
    """
    from certify.certification.cross_checks import agreement_of_rounds
    from certify.certification.randomness import first_sample, run_tests
    from certify.mathematics import analyze, head_of, plan_of
    from certify.simulation import StreamDecks, run_campaign
    from certify.submission import read_game

    game = read_game(path)
    source = StreamDecks.of(game, _SEED)
    for name in plan_of(game).played:
        run_campaign(game, analyze(game, name).strategy, _ROUNDS, deal=source, executor=InTurn())
    agreement_of_rounds(source, 1, game, analyze(game, head_of(game)).strategy)
    run_tests(first_sample(game, _SEED, _ROWS, 1, _BITS), executor=InTurn())


def _target() -> str:
    return os.environ.get("NUMBA_CPU_NAME", "this processor")


def _sources() -> bytes:
    return f"{source_digest()} numba {metadata.version('numba')} {_target()}".encode()


def _mark() -> Path:
    """Returns the file, in the folder where kernels are kept, that says that this was done."""
    kernel: Any = draw_rows
    return Path(kernel.stats.cache_path) / "compiled-ahead"
