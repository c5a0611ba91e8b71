"""Good generators of four different makes, on which every test must give uniform p-values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numba import njit
from numpy.typing import NDArray

from rng.errors import SampleError
from rng.kernels import called_by_kernels

Words = NDArray[np.uint32]
Source = Callable[[int, int], Words]
"""A source of 32-bit words: (seed, how many) -> words, always the same for the same seed."""

# PCG's 128-bit multiplier, in two halves (O'Neill, HMC-CS-2014-0905, section 6.2).
_MULTIPLIER_HIGH = np.uint64(0x2360ED051FC65DA4)
_MULTIPLIER_LOW = np.uint64(0x4385DF649FCCF645)


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


@called_by_kernels
def _times(a: np.uint64, b: np.uint64) -> tuple[np.uint64, np.uint64]:
    """The 128-bit product of two 64-bit numbers: high half, low half."""
    mask, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    low = (a & mask) * (b & mask)
    middle = (a >> half) * (b & mask) + (low >> half)
    other = (a & mask) * (b >> half) + (middle & mask)
    return (a >> half) * (b >> half) + (middle >> half) + (other >> half), a * b


@njit(cache=True)
def pcg64_words(start: NDArray[np.uint64], count: int) -> NDArray[np.uint64]:
    """64-bit outputs of PCG64 (XSL-RR 128/64); ``start`` holds state and increment, high halves first.

    Source: O'Neill, HMC-CS-2014-0905, section 6.3.1 (XSL-RR); the state is stepped before the output.
    """
    result = np.empty(count, dtype=np.uint64)
    state_high, state_low, increment_high, increment_low = start
    for i in range(count):
        product_high, product_low = _times(state_low, _MULTIPLIER_LOW)
        product_high += state_low * _MULTIPLIER_HIGH + state_high * _MULTIPLIER_LOW
        state_low = product_low + increment_low
        carry = np.uint64(1) if state_low < product_low else np.uint64(0)
        state_high = product_high + increment_high + carry
        mixed = state_high ^ state_low
        turn = state_high >> np.uint64(58)
        result[i] = (mixed >> turn) | (mixed << ((np.uint64(64) - turn) & np.uint64(63)))
    return result


def pcg64(seed: int, count: int) -> Words:
    """PCG64 (not for money games: predictable, yet statistically sound)."""
    key = _key(seed, "pcg64")
    start = np.frombuffer(key, dtype=">u8").astype(np.uint64)
    start[3] |= np.uint64(1)  # the increment must be odd
    words = pcg64_words(start, -(-count // 2))
    return words.view("<u4")[:count].astype(np.uint32)


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
    """Unbiased integers below a bound from a source, which is asked for enough words to reject from."""
    share = (1 << 32) // below * below / (1 << 32)
    words = source(seed, int(count / share + 10 * (count * (1 - share)) ** 0.5) + 16)
    return numbers(words, below, count)


def struck(source: Source, seed: int, one_in: int, may: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Where a fault strikes: of the places where it may, one in so many, at random."""
    return np.flatnonzero(may & (uniform_numbers(source, seed, one_in, may.size) == 0))


def behind(count: int, first: int = 0) -> NDArray[np.bool_]:
    """The places of so many from one on: those that have enough of a past."""
    return np.arange(count) >= first
