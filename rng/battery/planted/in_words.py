"""Streams of bytes that look well bit by bit: what is wrong shows in words, or when a stretch comes again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rng.battery.planted.even import without_repetition
from rng.battery.planted.good import Source, uniform_numbers

Bytes = NDArray[np.unsignedinteger]


def uneven_parity(source: Source, seed: int, count: int, one_in: int) -> Bytes:
    """Words of 32 bits whose parity is made even in one case of so many."""
    words = source(seed, count // 32)
    struck = uniform_numbers(source, seed + 1, one_in, words.size) == 0
    words[struck] ^= (np.bitwise_count(words[struck]) & 1).astype(np.uint32)
    return words.view(np.uint8)


def permuted_words(source: Source, seed: int, count: int) -> Bytes:
    """Words of 16 bits in a shuffled order, each once before any comes again."""
    rounds = -(-count // (16 << 16))
    parts = [without_repetition(source, seed + i, 1 << 16, 16) for i in range(rounds)]
    return np.concatenate(parts).astype(np.uint16)[: count // 16].view(np.uint8)


def small_cipher(source: Source, seed: int, count: int) -> Bytes:
    """A counter under a Feistel cipher of 32 bits in eight rounds: no word comes again."""
    counter = np.arange(count // 32, dtype=np.uint32)
    left, right = counter >> np.uint32(16), counter & np.uint32(0xFFFF)
    for key in source(seed, 8):
        mixed = (right * np.uint32(0x85EB) + key) * np.uint32(0xC2B2AE35)
        mixed = (mixed ^ mixed >> np.uint32(15)) * np.uint32(0x27D4EB2F)
        left, right = right, left ^ (mixed ^ mixed >> np.uint32(13)) & np.uint32(0xFFFF)
    return (left << np.uint32(16) | right).astype(np.uint32).view(np.uint8)


def cleared_bit(source: Source, seed: int, count: int, bit: int, one_in: int) -> Bytes:
    """Words of 32 bits of which one bit is cleared in one case of so many."""
    words = source(seed, count // 32)
    words[uniform_numbers(source, seed + 1, one_in, words.size) == 0] &= np.uint32(0xFFFFFFFF ^ (1 << bit))
    return words.view(np.uint8)


def hot_word(source: Source, seed: int, count: int, one_in: int) -> Bytes:
    """One word of 16 bits in so many is the same."""
    words = source(seed, count // 32).view(np.uint16)
    words[uniform_numbers(source, seed + 1, one_in, words.size) == 0] = 0xBEEF
    return words.view(np.uint8)


def stuck_once(source: Source, seed: int, count: int, length: int) -> Bytes:
    """Once so many bytes in a row are zero."""
    octets = source(seed, count // 32).view(np.uint8)
    octets[octets.size // 3 + 1 :][:length] = 0
    return octets


def repeated_blocks(source: Source, seed: int, count: int, length: int, blocks: int) -> Bytes:
    """A few blocks of so many bytes that come again somewhere later, at any byte."""
    octets = source(seed, count // 32).view(np.uint8)
    places = uniform_numbers(source, seed + 1, octets.size // 2 - length, 2 * blocks).astype(np.int64)
    for first, second in places.reshape(-1, 2).tolist():
        octets[octets.size // 2 + second :][:length] = octets[first : first + length]
    return octets


def coming_round(source: Source, seed: int, count: int, period: int) -> Bytes:
    """Bytes that come round again after a period."""
    return np.resize(source(seed, -(-period // 4)).view(np.uint8)[:period], count // 8)


def runs_broken_up(source: Source, seed: int, count: int, longest: int) -> Bytes:
    """Bits of which none after so many equal ones is equal again."""
    bits = np.unpackbits(source(seed, count // 32).view(np.uint8))
    run = 0
    last = -1
    for place, bit in enumerate(bits.tolist()):
        run = run + 1 if bit == last else 1
        if run > longest:
            bits[place], bit, run = 1 - bit, 1 - bit, 1
        last = bit
    return np.packbits(bits)
