"""Logs of dieharder, PractRand and TestU01, read as they were printed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from rng.battery.external.model import Judged, OtherBattery, OtherRow
from rng.errors import SampleError
from rng.outside import BATTERY_LOG, read_file

# A log is never longer: all rows of dieharder take 12 KB, BigCrush in full some 100 KB.

# By dieharder's own list of tests (-l): OPSO, OQSO and DNA are "suspect", sums "do not use".
_DIEHARDER_SET_ASIDE = {
    "diehard_opso": "dieharder's own list calls the test suspect",
    "diehard_oqso": "dieharder's own list calls the test suspect",
    "diehard_dna": "dieharder's own list calls the test suspect",
    "diehard_sums": "dieharder's own list says not to use the test",
}
_DIEHARDER_ROW = re.compile(
    r"^\s*(?P<test>[a-z0-9_]+)\|\s*(?P<tuple>\d+)\|\s*\d+\|\s*\d+\|\s*(?P<p>[^|]*?)\s*\|\s*(?P<word>[^|]*?)\s*$"
)
# Dieharder's own threshold for the word FAILED.
DIEHARDER_FAILS = 1e-6
_REWOUND = re.compile(r"^# The file .* was rewound (\d+) times")
_DIEHARDER_LAST = "dab_monobit2"
_JUDGED: dict[str, Judged] = {"PASSED": "passed", "WEAK": "weak", "FAILED": "failed"}


def read_dieharder(text: str) -> OtherBattery:
    """Reads dieharder's table; rows of tests that rewound the file are set aside.

    A test for which the file is too short reads it again from its beginning: what it sees is not independent,
    and dieharder prints FAILED of good data. The number of rewindings is a running total.
    """
    version = re.search(r"dieharder version (\S+)", text)
    rows: list[OtherRow] = []
    rewound = times = 0
    repeating = ""
    most = 0
    for line in text.splitlines():
        if "dieharder version" in line:  # another run in the same log: its total begins anew
            rewound, repeating = 0, ""
        elif again := _REWOUND.match(line):
            times, rewound = int(again[1]) - rewound, int(again[1])
            most = max(most, rewound)
        elif row := _DIEHARDER_ROW.match(line):
            aside = _DIEHARDER_SET_ASIDE.get(row["test"], "")
            if times or repeating == row["test"]:
                aside = "the file was rewound during the test: the same bytes were tested again"
                repeating = row["test"] if times else repeating
            name = f"{row['test']} {row['tuple']}"
            rows.append(_dieharder_row(name, row["p"], row["word"], aside))
    notes = ["dieharder calls p below 0.000001 or above 0.999999 FAILED, below 0.005 or above 0.995 WEAK"]
    if most:
        notes.append(
            f"the file was rewound up to {most} times: tests that need more bytes than it has do not count"
        )
    else:
        notes.append("nothing was rewound, as far as is recorded: dieharder says so on standard error alone")
    # One test asked for alone prints its rows and is complete; all of them end with the last one.
    every = len({row.test.split()[0] for row in rows}) > 3
    complete = bool(rows) and (not every or rows[-1].test.startswith(_DIEHARDER_LAST))
    return OtherBattery("dieharder", version[1] if version else "", tuple(rows), 0, complete, tuple(notes))


def _dieharder_row(name: str, printed: str, word: str, aside: str) -> OtherRow:
    """Returns one row, judged by dieharder's word and by its number, whichever is worse.

    Raises:
        SampleError: It is no row as dieharder prints it: a failure could hide behind what cannot be read.
    """
    p = _number(printed)
    if p is None or not 0 <= p <= 1 or word not in _JUDGED:
        raise SampleError(
            f"the row of {name} in dieharder's table cannot be read: {printed[:20]!a}, {word[:20]!a}"
        )
    extreme = min(p, 1 - p) < DIEHARDER_FAILS
    return OtherRow(name, p, word, "failed" if extreme else _JUDGED[word], aside or None)


_PRACTRAND_ROW = re.compile(
    r"^\s+(?P<test>\S.*?)\s+R=\s*(?P<r>\S+)\s+p\s*(?P<about>~?)=\s*(?P<p>\S+)\s+(?P<word>[A-Za-z].*?)\s*$"
)
_PRACTRAND_LENGTH = re.compile(r"^length=\s*(?P<words>.*?\(2\^(?P<power>[0-9.]+) bytes\))", re.MULTILINE)
_PRACTRAND_WORDS: dict[str, Judged] = {
    "normal": "passed",
    "unusual": "weak",
    "mildly suspicious": "weak",
    "suspicious": "weak",
    "very suspicious": "weak",
}


def read_practrand(text: str) -> OtherBattery:
    """Reads PractRand's output: the results at the greatest length, which contain all bytes of the shorter ones."""
    version = re.search(r"using PractRand version (\S+)", text)
    lengths = list(_PRACTRAND_LENGTH.finditer(text))
    if not lengths:
        return OtherBattery("PractRand", version[1] if version else "", (), complete=False)
    rows: list[OtherRow] = []
    failed_earlier: set[str] = set()
    unnamed = 0
    for i, length in enumerate(lengths):
        part = text[length.end() : lengths[i + 1].start() if i + 1 < len(lengths) else len(text)]
        found = [_practrand_row(match) for line in part.splitlines() if (match := _PRACTRAND_ROW.match(line))]
        last = i + 1 == len(lengths)
        # A failure at a shorter length is a failure; anomalies that went away are what chance gives.
        earlier = [row for row in found if row.judged == "failed"] if not last else found
        rows += [row for row in earlier if last or row.test not in failed_earlier]
        failed_earlier |= {row.test for row in earlier}
        if last:
            counts = re.findall(r"(?:no anomalies in|\.\.\.and) (\d+) test result", part)
            unnamed = sum(map(int, counts))
    note = f"tested up to {lengths[-1]['words']}; p-values marked ~ are rough by PractRand's own words"
    complete = bool(rows) or unnamed > 0
    return OtherBattery("PractRand", version[1] if version else "", tuple(rows), unnamed, complete, (note,))


def _practrand_row(match: re.Match[str]) -> OtherRow:
    word = match["word"]
    judged: Judged = "failed" if word.startswith("FAIL") else _PRACTRAND_WORDS.get(word.lower(), "weak")
    return OtherRow(match["test"], _number(match["p"]), word, judged)


_TESTU01_HEAD = re.compile(r"=+ Summary results of (?P<battery>\S+) =+")
_TESTU01_ROW = re.compile(r"^\s*(?P<number>\d+)\s+(?P<test>\S.*?)\s{2,}(?P<p>1 -\s+\S+|eps1?|\d\S*)\s*$")
# L'Ecuyer and Simard (2007), section 7: such a p-value is a clear failure.
TESTU01_FAILS = 1e-10


def read_testu01(text: str) -> OtherBattery:
    """Reads every summary of TestU01's batteries in a log; they name the suspect p-values alone."""
    heads = list(_TESTU01_HEAD.finditer(text))
    version = re.search(r"Version:\s+TestU01 (\S+)", text)
    if not heads:
        return OtherBattery("TestU01", version[1] if version else "", (), complete=False)
    rows: list[OtherRow] = []
    unnamed, complete = 0, True
    for i, head in enumerate(heads):
        summary = text[head.end() : heads[i + 1].start() if i + 1 < len(heads) else len(text)]
        found = [_testu01_row(m) for line in summary.splitlines() if (m := _TESTU01_ROW.match(line))]
        statistics = re.search(r"Number of statistics:\s+(\d+)", summary)
        whole = "All tests were passed" in summary or "All other tests were passed" in summary
        complete &= whole
        unnamed += max(0, int(statistics[1]) - len(found)) if statistics and whole else 0
        name = f"{head['battery']} " if len(heads) > 1 else ""
        rows += [replace(row, test=f"{name}{row.test}") for row in found]
    notes = [
        "TestU01 names p-values outside 0.001 to 0.999; one within 1e-10 of 0 or 1 counts as a failure here",
        "TestU01 reads 32 bits of each number, the upper ones first",
    ]
    batteries = ", ".join(dict.fromkeys(head["battery"] for head in heads))
    return OtherBattery(
        f"TestU01 {batteries}", version[1] if version else "", tuple(rows), unnamed, complete, tuple(notes)
    )


def _testu01_row(match: re.Match[str]) -> OtherRow:
    printed = " ".join(match["p"].split())
    tail = _number(printed.removeprefix("1 - "))
    upper = printed.startswith("1 - ")
    p = None if tail is None else 1 - tail if upper else tail
    extreme = 0.0 if tail is None else min(tail, abs(1 - tail))
    judged: Judged = "failed" if extreme < TESTU01_FAILS else "weak"
    return OtherRow(f"{match['number']} {match['test']}", p, printed, judged)


# TestU01's own words: eps is below 1e-300, eps1 below 1e-15.
_EPS = {"eps": 1e-300, "eps1": 1e-15}


def _number(text: str) -> float | None:
    """A printed p-value; ``1-2.3e-9`` and the like too."""
    if text in _EPS:
        return _EPS[text]
    try:
        if text.startswith("1-"):
            return 1 - float(text[2:])
        # Below the smallest float a number is nothing but small.
        return float(text)
    except ValueError:
        return None


_KINDS: tuple[tuple[str, Callable[[str], OtherBattery]], ...] = (
    ("dieharder version", read_dieharder),
    ("PractRand", read_practrand),
    ("TestU01", read_testu01),
)


def parse_log(text: str, source: str = "log") -> OtherBattery:
    """Reads a log by whichever battery printed it.

    Raises:
        SampleError: If it is of none of the three, or holds no result.
    """
    for mark, reader in _KINDS:
        if mark in text:
            try:
                found = reader(text)
            except SampleError as error:
                raise SampleError(f"{source}: {error}") from None
            if not found.rows and not found.passed_unnamed:
                raise SampleError(f"{source}: a log of {found.program} without any result")
            return found
    raise SampleError(f"{source}: no log of dieharder, PractRand or TestU01")


def read_log(path: Path) -> OtherBattery:
    """Reads a log file.

    Raises:
        SampleError: If it cannot be read, is too long, or is of none of the three.
    """
    data = read_file(path, BATTERY_LOG, lambda reason: SampleError(f"{path}: {reason}"))
    return parse_log(data.decode("utf-8", "replace"), str(path))
