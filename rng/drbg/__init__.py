"""The deterministic random bit generators of NIST SP 800-90A Rev. 1."""

from rng.drbg.ctr_drbg import CtrDrbg
from rng.drbg.envelope import (
    MAX_REQUEST_BYTES,
    MAX_RESEED_INTERVAL,
    Drbg,
    DrbgState,
    EntropyInput,
    FixedSeed,
    Instantiation,
)
from rng.drbg.hashed import HashDrbg, HmacDrbg

__all__ = [
    "MAX_REQUEST_BYTES",
    "MAX_RESEED_INTERVAL",
    "CtrDrbg",
    "Drbg",
    "DrbgState",
    "EntropyInput",
    "FixedSeed",
    "HashDrbg",
    "HmacDrbg",
    "Instantiation",
]
