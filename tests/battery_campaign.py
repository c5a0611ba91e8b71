"""The calibration campaign: good generators of several makes through every kind of input, false alarms counted.

Run ``python -m tests.battery_campaign FILE [SHARE [KIND…]]`` for the table of docs/methods/false-alarms.md, or the rows
of it whose kind and amount are named, such as ``0.5 decks "bits 10,000"``; the slow test runs the same with fewer
samples. Every verdict is kept in the file, one line each, as soon as it is known: the command can be stopped at any
time, goes on where it was, and has by then tried about the same share of every row.
"""

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from noise import recorded_words
from scipy import stats

from certify.certification.bit_sequences import Cut, _collected, _over
from rng.battery import (
    NotRun,
    TestResult,
    cards,
    conclude,
    from_bytes,
    rows,
    sequences,
    whole_stream,
    word_counts,
)
from rng.battery.planted import good
from rng.battery.sp800_22.battery import run_both
from rng.draws import Integer, OrderedSample, Product, Repetition, deal_decks, draw_many
from rng.given.names import Pack
from rng.streams import stream
from rng.uniform import many_below
from rng.words import WordSource

ALPHA = 0.01
REJECTED = "not satisfied"
MASTER = bytes(range(32))
REELS = Product(tuple(Integer(below) for below in (22, 22, 30, 64, 100)))


def _recorded(source):
    return lambda seed, words: recorded_words(source(1_000_000 + seed, 2 * words).tobytes())


def _numpy(name):
    def opened(seed, words):
        generator = getattr(np.random, name)(seed)
        return recorded_words(generator.random_raw(words).astype("<u8").tobytes())

    return opened


GENERATORS = {
    "this project's CTR_DRBG": lambda seed, _words: stream(MASTER, "battery-calibration", seed),
    "ChaCha20": _recorded(good.chacha20),
    "AES-256-CTR": _recorded(good.aes_ctr),
    "PCG64": _recorded(good.pcg64),
    "SFC64": _numpy("SFC64"),
    "Philox": _numpy("Philox"),
}


@dataclass(frozen=True)
class Cell:
    """One kind of input and how it is tested; ``samples`` of the whole campaign."""

    kind: str
    amount: str
    samples: int
    words: int
    run: Callable[[WordSource], Sequence[TestResult | NotRun]]


def _draws(below, count, samples, shown):
    def run(source):
        return sequences.run(many_below(source, below, count), below)

    return Cell(f"numbers below {shown}", f"{count:,}", samples, 3 * count, run)


def _bits(streams, length, samples):
    def run(source):
        pairs, parts = [], []
        for _ in range(streams):
            data = from_bytes(source.read((length + 7) // 8)).segment(0, length)
            parts.append(data.octets()[: length // 8])
            pairs.append(run_both(data))
        joined = from_bytes(np.concatenate(parts).tobytes())
        whole = (*whole_stream.run(joined), *word_counts.run(joined))
        if streams == 1:
            return [*pairs[0][1], *whole]
        over = _over([p[0] for p in pairs], [p[1] for p in pairs], length, ALPHA)
        cut = Cut(streams, length)
        columns = zip(*(exact for _, exact in pairs), strict=True)
        return [*(_collected(column, over.get(column[0].test), cut) for column in columns), *whole]

    words = streams * (length // 64 + 2)
    return Cell("bits", f"{streams:,} × {length:,}", samples, words, run)


def _decks(count, samples):
    return Cell(
        "decks of 40",
        f"{count:,}",
        samples,
        5 * count,
        lambda source: cards.run(deal_decks(source, count, 40)),
    )


def _shoes(packs, count, samples):
    pack = Pack(52, packs)

    def run(source):
        return cards.run(deal_decks(source, count, pack.cards), shoe=pack.shoe)

    return Cell(f"decks of {pack.cards}", f"{count:,}", samples, pack.cards * count, run)


def _rows(draw, count, samples, shown):
    return Cell(
        shown,
        f"{count:,}",
        samples,
        2 * draw.least_words * count + 1024,
        lambda source: rows.run_rows(draw, draw_many(source, draw, count)),
    )


def cells():
    """Every kind of input, from 1 to 10,000 sequences and from ranges of 2 to 2^63."""
    for below in (2, 3, 6, 7, 37, 40, 52, 1_000, 65_535):
        yield _draws(below, 20_000, 240, f"{below:,}")
    for shown, below in (
        ("2^16", 1 << 16),
        ("2^31 - 1", (1 << 31) - 1),
        ("2^32", 1 << 32),
        ("2^47", 1 << 47),
        ("2^48 + 21", (1 << 48) + 21),
        ("2^63 - 25", (1 << 63) - 25),
        ("2^63", 1 << 63),
    ):
        yield _draws(below, 12_000, 120, shown)
    yield _draws(40, 300_000, 120, "40")
    yield _bits(1, 1_000, 600)
    yield _bits(1, 50_000, 600)
    yield _bits(1, 1_000_000, 240)
    yield _bits(10, 1_000_000, 48)
    yield _bits(100, 20_000, 120)
    yield _bits(1_000, 20_000, 60)
    yield _bits(10_000, 2_000, 36)
    yield _decks(2_500, 1_200)
    yield _decks(20_000, 60)
    yield _bits(10_000, 45_000, 6)
    yield _shoes(1, 2_500, 60)
    yield _shoes(8, 600, 30)
    yield _rows(OrderedSample(49, 6), 1_000, 300, "rows of 6 of 49 balls")
    yield _rows(OrderedSample(49, 6), 10_000, 120, "rows of 6 of 49 balls")
    yield _rows(OrderedSample(80, 20), 2_000, 120, "rows of 20 of 80 balls")
    yield _rows(REELS, 10_000, 60, "rows of five reels of 22 to 100 stops")
    yield _rows(Repetition(Integer(6), 2), 10_000, 240, "rows of two dice")


@dataclass(frozen=True)
class Judged:
    """The words for one good sample, at one and at five per cent."""

    kind: str
    amount: str
    number: int
    word: str
    second: str


def judged(cell, number):
    """Tests one sample of a good generator, which are taken in turn."""
    opened = list(GENERATORS.values())
    verdict = conclude(cell.run(opened[number % len(opened)](1_000 + number, cell.words)), alpha=ALPHA)
    return Judged(cell.kind, cell.amount, number, verdict.word, verdict.second_word)


def alarms(cell, samples):
    """How many samples of good generators, in turn, are not satisfied."""
    return sum(judged(cell, number).word == REJECTED for number in range(samples))


def interval(found, samples):
    """The exact 95 % interval of a rate (Clopper and Pearson, Biometrika 26 (1934), 404-413)."""
    low = stats.beta.ppf(0.025, found, samples - found + 1) if found else 0.0
    high = stats.beta.ppf(0.975, found + 1, samples - found) if found < samples else 1.0
    return float(low), float(high)


def kept_in(file):
    """The verdicts known so far."""
    return [Judged(**json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def campaign(file, chosen, share):
    """Tests what is not in the file yet, the same share of every row at any time."""
    known = {(each.kind, each.amount, each.number) for each in kept_in(file)}
    planned = [
        ((number + 1) / cell.samples, index, number)
        for index, cell in enumerate(chosen)
        for number in range(max(2, int(cell.samples * share)))
    ]
    for _, index, number in sorted(planned):
        if (chosen[index].kind, chosen[index].amount, number) not in known:
            with file.open("a") as kept:
                kept.write(json.dumps(asdict(judged(chosen[index], number))) + "\n")


def table(found):
    """The lines of the table over all verdicts known."""
    yield "| input | amount | samples | alarms at 1 % | 95 % interval | alarms at 5 % | inconclusive |"
    yield "|---|---|---|---|---|---|---|"
    rows = {}
    for each in found:
        rows.setdefault((each.kind, each.amount), []).append(each)
        rows.setdefault(("**all**", ""), []).append(each)
    for (kind, amount), row in sorted(rows.items(), key=lambda item: item[0][0] == "**all**"):
        first, second = (sum(word == REJECTED for word in words) for words in _words(row))
        low, high = interval(first, len(row))
        open_ones = sum(each.word == "inconclusive" for each in row)
        yield (
            f"| {kind} | {amount} | {len(row):,} | {first} | {low:.2%} to {high:.2%} "
            f"| {second} | {open_ones} |"
        )


def _words(row):
    return [each.word for each in row], [each.second for each in row]


def main():
    """Goes on with the campaign and prints its table."""
    file, share, wanted = Path(sys.argv[1]), float((sys.argv[2:3] or ["1"])[0]), sys.argv[3:]
    chosen = [
        cell
        for cell in cells()
        if not wanted or any(f"{cell.kind} {cell.amount}".startswith(name) for name in wanted)
    ]
    try:
        campaign(file, chosen, share)
    except KeyboardInterrupt:
        print("stopped; the same command goes on")
    print("\n".join(table(kept_in(file))))


if __name__ == "__main__":
    main()
