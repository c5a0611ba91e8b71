"""Outcomes, numbers and decisions of the invented game in the sample of the evidence."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from typing import Any

GAME_TOML = b'# a sample, not a submission\nid = "sample-7-e-mezzo"\n'


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def unit(label: str) -> float:
    """A number in (0, 1) that depends on the label alone."""
    return (int(sha(label)[:12], 16) + 0.5) / 16**12


def normal(label: str) -> float:
    """Roughly normal: the sum of twelve uniform numbers, less six."""
    return sum(unit(f"{label}/{index}") for index in range(12)) - 6


OUTCOMES: dict[str, list[tuple[str, str | None, Fraction]]] = {
    "main": [
        ("king-of-denari-seven-and-a-half", "2 to 1", Fraction(41, 2964)),
        ("win", "1 to 1", Fraction(1261739, 2829006)),
        ("lose", None, Fraction(1093471, 3319719)),
    ],
    "partita-perfetta": [
        ("pair-of-sevens", "25 to 1", Fraction(53, 7020)),
        ("pair-of-faces", "9 to 1", Fraction(1, 43)),
        ("pair-ace-to-six", "11 to 1", Fraction(4, 89)),
    ],
    "mano-di-poker": [
        ("royal-flush", "100 to 1", Fraction(1, 2470)),
        ("straight-flush", "40 to 1", Fraction(1, 494)),
        ("three-of-a-kind", "30 to 1", Fraction(1, 247)),
        ("flush", "4 to 1", Fraction(103, 2470)),
        ("straight", "6 to 1", Fraction(12, 247)),
    ],
}
TITLES = {"main": "Main bet", "partita-perfetta": "Partita Perfetta", "mano-di-poker": "Mano di Poker"}
PRINTED = {"main": "99.54 %", "partita-perfetta": "96.15 %", "mano-di-poker": "96.32 %"}
LONG = Fraction(
    10**78 + 1234567890123456789012345678901234567890123456789012345678901,
    10**78 + 5000000000000000000000000000000000003,
)


def pays_of(text: str | None) -> Fraction:
    if text is None:
        return Fraction(-1)
    up, _, down = text.partition(" to ")
    return Fraction(int(up), int(down))


def outcomes_of(wager: str) -> list[tuple[str, str, Fraction]]:
    """The rows that pay, the rows that lose, and whatever is left as the last loss."""
    rows = [(name, pays, probability) for name, pays, probability in OUTCOMES[wager]]
    rest = 1 - sum((probability for _, _, probability in rows), Fraction(0))
    return [*rows, ("bust" if wager == "main" else "lose", None, rest)]


def wager_analysis(wager: str, shift: Fraction) -> dict[str, Any]:
    rows = outcomes_of(wager)
    net: dict[Fraction, Fraction] = {}
    for _, pays, probability in rows:
        net[pays_of(pays)] = net.get(pays_of(pays), Fraction(0)) + probability
    mean = sum((value * share for value, share in net.items()), Fraction(0)) + shift
    variance = sum((value**2 * share for value, share in net.items()), Fraction(0)) - mean**2
    deviation = float(variance) ** 0.5
    hit = sum((share for value, share in net.items() if value > 0), Fraction(0))
    best = max(rows, key=lambda row: pays_of(row[1]))
    exact = (1 + mean) * LONG if wager == "main" else 1 + mean
    return {
        "return": str(exact),
        "return_percent": f"{float(100 * exact):.6f}",
        "house_edge": str(1 - exact),
        "outcomes": [
            {
                "outcome": name,
                "pays": pays,
                "net": str(pays_of(pays)),
                "probability": str(share),
                "contribution": str(share * (1 + pays_of(pays))),
            }
            for name, pays, share in rows
        ],
        "net": [{"net": str(value), "probability": str(share)} for value, share in sorted(net.items())],
        "hit_frequency": str(hit),
        "hit_frequency_percent": f"{float(100 * hit):.4f}",
        "win_frequency": str(hit),
        "variance": str(variance),
        "standard_deviation": deviation,
        "volatility_index": {"90 %": round(1.645 * deviation, 4)},
        "top_award": {"outcome": best[0], "probability": str(best[2]), "one_in": str(1 / best[2])},
        "claims": [
            {"printed": PRINTED[wager], "metric": "return-to-player", "holds": True, "status": "fitted"}
        ],
    }


def decisions() -> list[dict[str, Any]]:
    made = []
    for half_points in range(1, 15):
        hit, stand = Fraction(60 - 7 * half_points, 100), Fraction(-60 + 9 * half_points, 120)
        hand = f"{half_points // 2 or ''}{'½' if half_points % 2 else ''}"
        made.append(
            {
                "hand": hand,
                "dealer": None,
                "best": "hit" if hit > stand else "stand",
                "values": {"hit": str(hit), "stand": str(stand)},
                "probability": "1/10",
            }
        )
    return made


def clauses() -> list[dict[str, Any]]:
    rows = [
        (
            "3.2.3",
            "Every selection is equally likely; scaling and shuffling are unbiased.",
            "satisfied",
            ["rng-bias"],
            "test",
        ),
        (
            "4.7.1",
            "The theoretical return of every wager reaches the floor under optimal play.",
            "satisfied",
            ["return-floor"],
            "test",
        ),
        (
            "4.4.4",
            "Cards come from a randomly shuffled deck; none returns during a round.",
            "satisfied",
            ["deck-invariants"],
            "test",
        ),
        (
            "A.6.2",
            "Results and generator output are monitored while the game is live.",
            "operator",
            [],
            "operator",
        ),
        ("3.3.3", "Output of a hardware generator is monitored.", "not applicable", [], "not applicable"),
    ]
    return [
        {
            "standard": "GLI-19",
            "edition": "3.0",
            "id": f"gli-19@3.0/{number}",
            "number": number,
            "paraphrase": text,
            "status": status,
            "checks": checks,
            "method": method,
            "certainty": "V",
            "note": "",
        }
        for number, text, status, checks, method in rows
    ]
