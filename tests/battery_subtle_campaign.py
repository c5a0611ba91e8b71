"""The tests of subtle faults alone, on many small samples of good generators, false alarms counted.

Run ``python -m tests.battery_subtle_campaign`` for the table of false alarms in docs/methods/power.md; the slow test
runs the same with fewer samples.
"""

from benchmarks.power_table import NEW
from rng.battery import cards, from_bytes, sequences, whole_stream
from rng.draws import deal_decks
from rng.uniform import many_below
from tests.battery_campaign import Cell, alarms, interval

RANGES = {"2": 2, "6": 6, "37": 37, "40": 40, "52": 52, "1,000": 1_000, "2^32": 1 << 32}


def _numbers(shown, below):
    def run(source):
        return sequences.run(many_below(source, below, 3_000), below, sorted(NEW["sequences"]))

    return Cell(f"numbers below {shown}", "3,000", 1_000, 9_000, run)


def subtle_cells():
    """Every kind of input, the tests of subtle faults alone."""
    yield Cell(
        "decks of 40",
        "1,100",
        600,
        6_000,
        lambda source: cards.run(deal_decks(source, 1_100, 40), sorted(NEW["cards"])),
    )
    for shown, below in RANGES.items():
        yield _numbers(shown, below)
    yield Cell(
        "bits", "1 × 16,000", 1_500, 500, lambda source: whole_stream.run(from_bytes(source.read(2_000)))
    )


def main():
    """Prints the table."""
    print("| input | amount | samples | stated | alarms | observed | 95 % interval |")
    print("|---|---|---|---|---|---|---|")
    every = [(cell.kind, cell.amount, alarms(cell, cell.samples), cell.samples) for cell in subtle_cells()]
    total = ("**all**", "", sum(row[2] for row in every), sum(row[3] for row in every))
    for kind, amount, found, samples in (*every, total):
        low, high = interval(found, samples)
        print(
            f"| {kind} | {amount} | {samples:,} | at most 1 % | {found} | {found / samples:.2%} "
            f"| {low:.2%} to {high:.2%} |"
        )


if __name__ == "__main__":
    main()
