"""Good generators of four different makes, on which every test must give uniform p-values."""

import hashlib
from collections.abc import Callable
from types import EllipsisType
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from rng.errors import SampleError

Words = NDArray[np.uint32]
# A source of 32-bit words: (seed, how many) -> words, always the same for the same seed.
Source = Callable[[int, int], Words]
Output = NDArray[np.unsignedinteger]
# What makes output: (source, seed, how many) -> output.
Make = Callable[[Source, int, int], Output]


def _key(seed: int, purpose: str) -> bytes:
    return hashlib.sha256(f"{purpose}:{seed}".encode()).digest()


def aes_ctr(seed: int, count: int) -> Words:
    """AES-256 in counter mode under a key hashed from the seed.

    Example:
        >>> len(aes_ctr(1, 5))
        5
    """
    cipher = Cipher(algorithms.AES(_key(seed, "aes-ctr")), modes.CTR(bytes(16))).encryptor()
    return np.frombuffer(cipher.update(bytes(4 * count)), dtype="<u4").astype(np.uint32)


def chacha20(seed: int, count: int) -> Words:
    """ChaCha20 (RFC 8439 2.4) under a key hashed from the seed."""
    cipher = Cipher(algorithms.ChaCha20(_key(seed, "chacha20"), bytes(16)), mode=None).encryptor()
    return np.frombuffer(cipher.update(bytes(4 * count)), dtype="<u4").astype(np.uint32)


def sha256_counter(seed: int, count: int) -> Words:
    """SHA-256 of the key and a counter."""
    key = _key(seed, "sha256-counter")
    blocks = (hashlib.sha256(key + i.to_bytes(8, "big")).digest() for i in range(-(-count // 8)))
    return np.frombuffer(b"".join(blocks), dtype="<u4")[:count].astype(np.uint32)


def pcg64(seed: int, count: int) -> Words:
    """PCG64 (not for money games: predictable, yet statistically sound)."""
    key = _key(seed, "pcg64")
    generator = np.random.PCG64(0)
    generator.state = {
        "bit_generator": "PCG64",
        # The increment must be odd.
        "state": {"state": int.from_bytes(key[:16], "big"), "inc": int.from_bytes(key[16:], "big") | 1},
        "has_uint32": 0,
        "uinteger": 0,
    }
    return generator.random_raw(-(-count // 2)).view("<u4")[:count].astype(np.uint32)


SOURCES: dict[str, Source] = {
    "aes-256-ctr": aes_ctr,
    "chacha20": chacha20,
    "sha-256-counter": sha256_counter,
    "pcg64": pcg64,
}


def numbers(words: Words, below: int, count: int) -> NDArray[np.uint32]:
    """Unbiased integers below a bound from 32-bit words, by rejection.

    Raises:
        SampleError: If the words run out.
    """
    limit = (1 << 32) // below * below
    kept = words if limit == 1 << 32 else words[words < limit]
    if len(kept) < count:
        raise SampleError(f"{len(words)} words are too few for {count} numbers below {below}")
    return np.asarray(kept[:count] % below if below < 1 << 32 else kept[:count], dtype=np.uint32)


def uniform_numbers(source: Source, seed: int, below: int, count: int) -> NDArray[np.uint32]:
    """Unbiased integers below a bound from a source with enough words to reject from."""
    share = (1 << 32) // below * below / (1 << 32)
    words = source(seed, int(count / share + 10 * (count * (1 - share)) ** 0.5) + 16)
    return numbers(words, below, count)


def below_a_bound(below: int) -> Make:
    """Makes unbiased integers below a bound."""
    return lambda source, seed, count: uniform_numbers(source, seed, below, count)


def struck(source: Source, seed: int, one_in: int, may: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where a fault strikes: of the places where it may, one in so many, at random."""
    return np.flatnonzero(may & (uniform_numbers(source, seed, one_in, may.size) == 0))


def behind(count: int, first: int = 0) -> NDArray[np.bool_]:
    """The places of so many from one on: those that have enough of a past."""
    return np.arange(count) >= first


def later(first: int) -> Callable[[Output], NDArray[np.bool_]]:
    """The rows of output from one on."""
    return lambda made: behind(len(made), first)


def altered(
    made_by: Make,
    one_in: int,
    offset: int,
    may: Callable[[Output], NDArray[np.bool_]],
    place: int | slice | EllipsisType,
    rule: Callable[[Output, int], Any],
) -> Make:
    """Output of which, in one row of so many that may be struck, a place holds what a rule makes of those so far.

    Args:
        made_by: Makes the output as it was before.
        one_in: One row in so many is struck.
        offset: Of the seed that the rows are drawn by, from that of the output.
        may: The rows that may be struck.
        place: What is changed of such a row; ``...`` is all of it.
        rule: What it becomes: (output, row) -> numbers.
    """

    def make(source: Source, seed: int, count: int) -> Output:
        made = made_by(source, seed, count)
        for row in struck(source, seed + offset, one_in, may(made)).tolist():
            made[row, place] = rule(made, row)
        return made

    return make


def packed(made_by: Make) -> Make:
    """Output of zeros and ones, eight to a byte."""
    return lambda source, seed, count: np.packbits(made_by(source, seed, count).astype(np.uint8))


def in_words(kind: str, one_in: int, rule: Callable[[Output], Output]) -> Make:
    """Bits read as words, of which one in so many is what a rule makes of it."""

    def make(source: Source, seed: int, count: int) -> Output:
        words = source(seed, count // 32).view(kind)
        chosen = uniform_numbers(source, seed + 1, one_in, words.size) == 0
        words[chosen] = rule(words[chosen])
        return words.view(np.uint8)

    return make
