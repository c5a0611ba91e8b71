"""Randomness: entropy, DRBGs, unbiased numbers, shuffles and their tests; knows nothing of games."""

import os
from pathlib import Path

# Matrix products here are small: further threads only wait for each other, which costs as much processor time again,
# and the last digits of a sum would follow the number of cores. Read by the library when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Kernels are compiled for x86-64-v3 where the machine has it, so that what one machine compiled serves every such one
# (System V ABI for x86-64, 1.0, section 3.1.1), and are believed where `rng.compiled` says. Read when numba is loaded.
_TARGET = "x86-64-v3"
_FLAGS = "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave cx16 lahf_lm popcnt sse4_1 sse4_2 ssse3"


def _has(flags: str, processors: Path = Path("/proc/cpuinfo")) -> bool:
    """Returns whether every processor of this machine has some features, by the names that Linux gives them."""
    lines = processors.read_text("utf-8").splitlines() if processors.is_file() else ()
    known = [set(line.split()) for line in lines if line.startswith("flags")]
    return bool(known) and all(set(flags.split()) <= one for one in known)


if "NUMBA_CPU_NAME" not in os.environ and _has(_FLAGS):
    os.environ |= {"NUMBA_CPU_NAME": _TARGET, "NUMBA_CPU_FEATURES": ""}
os.environ.setdefault(
    "NUMBA_CACHE_LOCATOR_CLASSES",
    "rng.compiled.NamedFolder,rng.compiled.BesideSource,rng.compiled.UserFolder,IPythonCacheLocator,"
    "rng.compiled.PassingFolder",
)
