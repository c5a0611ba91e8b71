"""The deterministic random bit generators of NIST SP 800-90A Rev. 1."""

from rng.drbg.ctr_drbg import CtrDrbg
from rng.drbg.envelope import Drbg, DrbgState, EntropyInput, FixedSeed

__all__ = ["CtrDrbg", "Drbg", "DrbgState", "EntropyInput", "FixedSeed"]
