"""Known-answer tests of the DRBGs against the vector files of NIST's validation programmes."""

from rng.kat.model import KatFailure, KatFile, KatNotRun, KatReport, KatTally
from rng.kat.runner import run_kat_files

__all__ = ["KatFailure", "KatFile", "KatNotRun", "KatReport", "KatTally", "run_kat_files"]
