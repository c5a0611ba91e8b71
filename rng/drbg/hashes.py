"""The hash functions a DRBG may be built on, with the lengths of SP 800-90A Rev. 1, Table 2."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from rng.errors import DrbgError

HashFunction = Callable[[bytes], Any]


@dataclass(frozen=True, slots=True)
class HashLengths:
    """One row of Table 2: a hash function, its output and seed length in bytes, its strength in bits."""

    name: str
    output_bytes: int
    seed_bytes: int
    strength: int

    @property
    def new(self) -> HashFunction:
        """The constructor of the hash in `hashlib`."""
        named: HashFunction | None = getattr(hashlib, self.name, None)
        if named is not None:
            return named
        return lambda data: hashlib.new(self.name, data)


# SP 800-90A Rev. 1, Table 2: seedlen 440 bits up to an output of 256 bits, 888 bits above; the
# strengths are those of SP 800-57 Part 1 for these functions in DRBGs. SHA-3 follows by output length.
HASHES: Final[dict[str, HashLengths]] = {
    h.name: h
    for h in (
        HashLengths("sha1", 20, 55, 128),
        HashLengths("sha224", 28, 55, 192),
        HashLengths("sha512_224", 28, 55, 192),
        HashLengths("sha256", 32, 55, 256),
        HashLengths("sha512_256", 32, 55, 256),
        HashLengths("sha384", 48, 111, 256),
        HashLengths("sha512", 64, 111, 256),
        HashLengths("sha3_224", 28, 55, 192),
        HashLengths("sha3_256", 32, 55, 256),
        HashLengths("sha3_384", 48, 111, 256),
        HashLengths("sha3_512", 64, 111, 256),
    )
}


def hash_lengths(name: str) -> HashLengths:
    """The lengths for a hash named as in `hashlib`.

    >>> hash_lengths("sha384").seed_bytes
    111

    Raises:
        DrbgError: no DRBG is built on that hash here, or this machine's OpenSSL lacks it.
    """
    found = HASHES.get(name)
    if found is None:
        raise DrbgError(f"hash {name!r}: a DRBG is built on one of {', '.join(HASHES)}")
    if name not in hashlib.algorithms_available:
        raise DrbgError(f"hash {name!r} is not offered by the OpenSSL library of this machine")
    return found
