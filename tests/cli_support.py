"""What tests of the command line share: the game, a seed, and what a call gave."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
GAME = ROOT / "fixtures/games/playtech-7-e-mezzo/game.toml"
SEED = "5e77ee" * 11  # 33 bytes


@dataclass(frozen=True)
class Called:
    code: int
    out: str
    err: str
