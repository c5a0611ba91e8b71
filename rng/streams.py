"""Independent, replayable streams keyed by (master seed, purpose, index)."""

from typing import Final

from cryptography.hazmat.primitives.hashes import SHA384
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from rng.drbg import CtrDrbg, FixedSeed
from rng.errors import RangeError
from rng.generator import registered
from rng.words import WordSource

MASTER_SEED_BYTES: Final = 32
"""The least a master seed holds: 256 bits."""

_SALT: Final = b"rng stream, byte-consumption rule 1"


class Stream(WordSource):
    """The words of one stream: CTR_DRBG (AES-256) seeded for one purpose and one index.

    2^48 blocks of 64 KiB may be drawn, the reseed interval of the standard; then, and in a child
    process, the stream refuses, because a stream that can be replayed is never reseeded.
    """

    __slots__ = ("_drbg", "index", "purpose")

    def __init__(self, drbg: CtrDrbg, purpose: str, index: int) -> None:
        super().__init__(drbg.generate_into)
        self._drbg = drbg
        self.purpose = purpose
        self.index = index

    def close(self) -> None:
        """Overwrite the state and the words not yet drawn; the stream serves no more."""
        self._drbg.uninstantiate()
        self.discard()

    def __repr__(self) -> str:
        return f"<Stream {self.purpose}/{self.index}, {self.drawn} words drawn>"


def stream(master_seed: bytes, purpose: str, index: int) -> Stream:
    """The stream of one purpose and index under a master seed.

    The seed of the stream is HKDF-SHA-384 of the master seed, with the purpose and the index in
    the `info` field, so that distinct (purpose, index) pairs give independent seeds and a campaign
    gives the same result however many workers share it.

    Args:
        master_seed: at least 32 bytes.
        purpose: the id of a registered purpose.
        index: 0 to 2^64 - 1.

    Raises:
        RangeError: the purpose is not registered, or a size is out of range.

    Source: RFC 5869; docs/byte-consumption-rule.md, version 1, rule 1.
    """
    registered(purpose)
    return Stream(
        CtrDrbg(FixedSeed(stream_seed(master_seed, purpose, index)), derivation_function=False),
        purpose,
        index,
    )


def stream_seed(master_seed: bytes, purpose: str, index: int) -> bytes:
    """The 48 bytes that seed one stream.

    `info` is the length of the purpose in one byte, the purpose in ASCII and the index as eight
    bytes, most significant first: no two pairs give the same `info`.
    """
    if not isinstance(master_seed, bytes | bytearray) or len(master_seed) < MASTER_SEED_BYTES:
        size = len(master_seed) if isinstance(master_seed, bytes | bytearray) else type(master_seed).__name__
        raise RangeError(f"master seed of {size}: at least {MASTER_SEED_BYTES} bytes expected")
    if type(index) is not int or not 0 <= index < 1 << 64:
        raise RangeError(f"stream index {index!r}: 0 to 2^64 - 1 expected")
    name = purpose.encode("ascii")
    info = bytes([len(name)]) + name + index.to_bytes(8, "big")
    return HKDF(algorithm=SHA384(), length=48, salt=_SALT, info=info).derive(bytes(master_seed))
