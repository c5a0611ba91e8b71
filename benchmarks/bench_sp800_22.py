"""How long the fifteen tests of SP 800-22 take here and in two C programs, on the same streams in the same run.

    python benchmarks/bench_sp800_22.py --fast DIR --stock DIR --stock-streams 20

Streams are AES-256-CTR output under a fixed key. Every program runs in a process of its own on one core; what is
reported is the processor time of that process, its start included, and the p-values are compared one by one.

The peers are not part of this project. Each is a folder that holds the built program ``assess`` and its
``templates``; without an option the program is looked for on PATH under the names ``sts-fast`` and ``assess``,
and left out with a word where it is absent:

- ``--stock``: NIST STS 2.1.2, built with its own makefile;
- ``--fast``: the optimised version by Sýs and Říha ("Alt E"), as in crocs-muni/rtt-statistical-batteries.

``--nistrng PYTHON`` names an interpreter that has the package nistrng, the most used one on PyPI; it is given one
stream only, and its p-values are not compared, since its tests are not those of the standard.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

if TYPE_CHECKING:
    from rng.battery.bits import BitStream
    from rng.battery.result import NotRun, TestResult

FOLDERS = {
    "frequency": "Frequency",
    "block-frequency": "BlockFrequency",
    "runs": "Runs",
    "longest-run": "LongestRun",
    "rank": "Rank",
    "fft": "FFT",
    "non-overlapping-template": "NonOverlappingTemplate",
    "overlapping-template": "OverlappingTemplate",
    "universal": "Universal",
    "linear-complexity": "LinearComplexity",
    "serial": "Serial",
    "approximate-entropy": "ApproximateEntropy",
    "cumulative-sums": "CumulativeSums",
    "random-excursions": "RandomExcursions",
    "random-excursions-variant": "RandomExcursionsVariant",
}
# Number of p-values where a test does not apply; the C programs write that many zeros.
NOT_APPLICABLE = {"random-excursions": 8, "random-excursions-variant": 18}

NISTRNG = """
import sys, numpy, nistrng
path, length = sys.argv[1], int(sys.argv[2])
bits = numpy.unpackbits(numpy.fromfile(path, dtype=numpy.uint8, count=length // 8)).astype(numpy.int64)
nistrng.run_all_battery(bits, nistrng.SP800_22R1A_BATTERY)
"""


@dataclass(frozen=True, slots=True)
class Timing:
    """Processor seconds of one program on a number of streams, and the p-values it printed."""

    name: str
    streams: int
    seconds: float
    p_values: list[dict[str, list[str]]]


def write_streams(path: Path, size: int) -> None:
    """Write AES-256-CTR output under the key 00 01 … 1f and a counter of zero."""
    cipher = Cipher(algorithms.AES(bytes(range(32))), modes.CTR(bytes(16))).encryptor()
    path.write_bytes(cipher.update(bytes(size)))


def processor_seconds(command: list[str], *, folder: Path, answers: str = "") -> float:
    """Run a program to its end on one core and return its processor time."""
    with tempfile.TemporaryFile() as silent, tempfile.TemporaryFile() as asked:
        asked.write(answers.encode())
        asked.seek(0)
        process = subprocess.Popen(command, cwd=folder, stdin=asked, stdout=silent, stderr=silent)
        _, _, used = os.wait4(process.pid, 0)
    return used.ru_utime + used.ru_stime


def peer_folder(given: Path | None, name: str) -> Path | None:
    """Return the folder of a peer, from its option or from PATH."""
    if given is not None:
        return given.resolve()
    found = shutil.which(name)
    return Path(found).resolve().parent if found else None


def run_peer(name: str, home: Path, data: Path, streams: int, length: int, *, fast: bool) -> Timing:
    """Run a C program in an empty folder of its own and read the files it writes."""
    program = next(str(home / each) for each in ("assess", "sts-fast") if (home / each).exists())
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "templates").symlink_to(home / "templates")
        results = folder / "experiments" / "AlgorithmTesting"
        for test in FOLDERS.values():
            (results / test).mkdir(parents=True)
        if fast:
            options = ["-fast", "-fileoutput", "-binary", "-defaultpar", "-tests", "1" * 15]
            command = [program, str(length), *options, "-file", str(data), "-streams", str(streams)]
            seconds = processor_seconds(command, folder=folder)
        else:
            # Its menu: a file, all tests, no other parameters, the number of streams, raw bytes.
            answers = f"0\n{data}\n1\n0\n{streams}\n1\n"
            seconds = processor_seconds([program, str(length)], folder=folder, answers=answers)
        return Timing(name, streams, seconds, read_results(results, streams))


def read_results(results: Path, streams: int) -> list[dict[str, list[str]]]:
    """Cut each file of p-values, one stream after the other, into streams."""
    found: list[dict[str, list[str]]] = [{} for _ in range(streams)]
    for test, folder in FOLDERS.items():
        values = (results / folder / "results.txt").read_text().split()
        each = len(values) // streams
        for number in range(streams):
            found[number][test] = values[number * each : (number + 1) * each]
    return found


def print_own(data: Path, streams: int, length: int, workers: int) -> None:
    """Print the processor time of this project's tests, after one sequence, and the p-values of the first twenty."""
    from rng.battery.bits import open_raw
    from rng.battery.sp800_22 import TESTS, judge
    from rng.battery.sp800_22.battery import evaluate_sample
    from rng.battery.sp800_22.sample import BitSample

    bits = open_raw(data)

    def p_values(segment: BitStream) -> dict[str, list[str]]:
        return {r.test: [f"{p:.6f}" for p in getattr(r, "p_values", ())] for r in tested(segment)}

    def tested(segment: BitStream) -> tuple[TestResult | NotRun, ...]:
        return evaluate_sample(BitSample(segment), TESTS.values(), {}, "reference")

    p_values(bits.segment(0, length))
    began, wall = time.process_time(), time.perf_counter()
    segments = [bits.segment(i * length, length) for i in range(streams)]
    with ThreadPoolExecutor(workers) as pool:
        judge(list(pool.map(tested, segments)), length, "reference")
    took = {"cpu": time.process_time() - began, "wall": time.perf_counter() - wall}
    found = [p_values(segment) for segment in segments[:20]]
    print(json.dumps({"took": took, "p_values": found}))


def run_own(data: Path, streams: int, length: int, workers: int) -> tuple[Timing, dict[str, float]]:
    """Run this project's tests in a process of their own."""
    numbers = [str(number) for number in (streams, length, workers)]
    command = [sys.executable, "-m", "benchmarks.bench_sp800_22", "--own", str(data), *numbers]
    root = Path(__file__).parents[1]
    output = subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout
    answer = json.loads(output)
    name = f"this project, {workers} worker{'s' if workers > 1 else ''}"
    return Timing(name, streams, answer["took"]["cpu"], answer["p_values"]), answer["took"]


def disagreements(own: Timing, peer: Timing) -> tuple[int, int]:
    """Count the p-values that differ and those compared."""
    differing = compared = 0
    for ours, theirs in zip(own.p_values, peer.p_values, strict=False):
        for test, values in ours.items():
            expected = values or ["0.000000"] * NOT_APPLICABLE[test]
            compared += len(expected)
            differing += sum(a != b for a, b in zip(expected, theirs[test], strict=True))
    return differing, compared


def line(timing: Timing, own_each: float) -> str:
    """One row of the table: seconds, per stream, throughput is the reciprocal, and how many times ours."""
    each = timing.seconds / timing.streams
    return (
        f"{timing.name:34}{timing.streams:8}{timing.seconds:10.2f}{1000 * each:12.2f}{each / own_each:10.2f}"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--streams", type=int, default=100)
    parser.add_argument("--length", type=int, default=1_000_000)
    parser.add_argument("--fast", type=Path, help="folder of the optimised C program")
    parser.add_argument("--stock", type=Path, help="folder of NIST STS 2.1.2")
    parser.add_argument(
        "--stock-streams", type=int, help="fewer streams for the stock program, which is slow"
    )
    parser.add_argument("--nistrng", metavar="PYTHON", help="interpreter with the package nistrng")
    parser.add_argument(
        "--own", nargs=4, metavar=("FILE", "STREAMS", "LENGTH", "WORKERS"), help=argparse.SUPPRESS
    )
    arguments = parser.parse_args()
    if arguments.own:
        print_own(Path(arguments.own[0]), *map(int, arguments.own[1:]))
        return
    streams, length = arguments.streams, arguments.length
    with tempfile.TemporaryDirectory() as scratch:
        data = Path(scratch) / "streams.bin"
        write_streams(data, streams * length // 8)
        own, _ = run_own(data, streams, length, 1)
        both, took = run_own(data, streams, length, 2)
        timings, missing = [own, both], []
        for option, name, fast in (
            ("fast", "optimised C (Alt E v5)", True),
            ("stock", "NIST STS 2.1.2", False),
        ):
            home = peer_folder(getattr(arguments, option), "sts-fast" if fast else "assess")
            if home is None:
                missing.append(f"{name}: not found, left out; name its folder with --{option}")
                continue
            some = streams if fast else arguments.stock_streams or streams
            timings.append(run_peer(name, home, data, some, length, fast=fast))
        if arguments.nistrng is None:
            missing.append("nistrng: left out; name an interpreter that has it with --nistrng")
        else:
            command = [arguments.nistrng, "-c", NISTRNG, str(data), str(length)]
            timings.append(Timing("nistrng (PyPI)", 1, processor_seconds(command, folder=Path(scratch)), []))
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores; {length} bits a stream")
    print(f"{'':34}{'streams':>8}{'cpu s':>10}{'ms/stream':>12}{'times':>10}")
    for timing in timings:
        print(line(timing, own.seconds / own.streams))
    print(f"with two workers: {took['wall']:.2f} s by the clock")
    for peer in (each for each in timings[2:] if each.p_values):
        differing, compared = disagreements(own, peer)
        print(f"{peer.name}: {differing} of {compared} p-values differ from ours in six decimals")
    for word in missing:
        print(word)


if __name__ == "__main__":
    main()
