"""What thirty variants of one slot cost: each counted whole, and held against the game as it stands.

    .venv/bin/python benchmarks/bench_slots.py [--variants 30] [--game slot-lines] [--json]

Processor time of this process. A variant shows another symbol at one stop of the base game; of each the law of a round
is counted (return, variance, hit frequency, highest win, what every row contributes), and the exact change of every row
is told. The peer is counting the complete cycle alone, what any reckoning of such a change has to do. The run stops
unless what the rows contribute otherwise makes the change of the return.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from certify.families.slot.exact.round import round_figures
from certify.families.slot.exact.spin import spin_law
from certify.families.slot.rules import SlotRules, Strip, rules_of
from certify.gate.impact_on_returns import contributions_moved
from certify.submission import read_game

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Prints the processor time of a variant, and its ratio to the peer."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--variants", type=int, default=30)
    parser.add_argument("--game", default="slot-lines")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    rules = rules_of(read_game(next(ROOT.glob(f"fixtures/*/{asked.game}/game.toml"))))
    stated = round_figures(rules, "main")
    draws = random.Random(1)
    spent, peer = [], []
    for _ in range(asked.variants):
        variant = changed(rules, draws)
        begun = time.process_time()
        spin_law(variant, "base")
        counted = time.process_time()
        figures = round_figures(variant, "main")
        told = list(contributions_moved("main", stated, figures, ()))
        ended = time.process_time()
        peer.append(counted - begun)
        spent.append(ended - begun)
        moved = sum((Fraction(one.after or 0) - Fraction(one.before or 0) for one in told), Fraction(0))
        if moved != figures.return_to_player - stated.return_to_player:
            raise SystemExit("what the rows contribute otherwise does not make the change of the return")
    whole, ratio = sum(spent), sum(spent) / sum(peer)
    if asked.json:
        print(json.dumps({"variants": asked.variants, "seconds": whole, "ratio_to_cycle": ratio}))
    else:
        print(f"{asked.variants} variants of {asked.game}: {whole:.1f} s, {ratio:.2f} times the cycle alone")


def changed(rules: SlotRules, draws: random.Random) -> SlotRules:
    """Returns the rules with another symbol at one stop of the base game."""
    strips = rules.strip_set(rules.stage("base").strips)
    reel = draws.randrange(len(strips.reels))
    strip = strips.reels[reel]
    stop = draws.randrange(len(strip.symbols))
    symbol = draws.choice([name for name in rules.symbols if name != strip.symbols[stop]])
    shown = Strip((*strip.symbols[:stop], symbol, *strip.symbols[stop + 1 :]), strip.weights)
    other = replace(strips, reels=(*strips.reels[:reel], shown, *strips.reels[reel + 1 :]))
    return replace(rules, strip_sets=tuple(other if one.id == strips.id else one for one in rules.strip_sets))


if __name__ == "__main__":
    main()
