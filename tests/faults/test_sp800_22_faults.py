"""Planted faults in bit streams, each found by the test that is there to find it; and a sound stream, passed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from representatives import firsts

from rng.battery.bits import from_bits
from rng.battery.result import TestResult
from rng.battery.sp800_22 import run, run_streams

Bits = np.ndarray  # type: ignore[type-arg]
N = 1_000_000


def sound(count: int = N, label: int = 1) -> Bits:
    cipher = Cipher(algorithms.AES(label.to_bytes(32, "big")), modes.CTR(bytes(16))).encryptor()
    return np.unpackbits(np.frombuffer(cipher.update(bytes(-(-count // 8))), dtype=np.uint8))[:count]


def biased(bits: Bits) -> Bits:
    """One zero in a hundred turned into a one."""
    wide = sound(8 * N, 2).reshape(N, 8)
    return bits | (np.packbits(wide, axis=1).ravel() < 3)


def uneven_blocks(bits: Bits) -> Bits:
    """Blocks of 128 bits alternate between 46 and 54 percent of ones."""
    chance = np.packbits(sound(8 * N, 3).reshape(N, 8), axis=1).ravel() < 20
    heavy = (np.arange(N) // 128) % 2 == 0
    return np.where(chance, heavy, bits).astype(np.uint8)


def sticky(bits: Bits) -> Bits:
    """One bit in sixty-four repeats the one before it."""
    repeat = np.packbits(sound(8 * N, 4).reshape(N, 8), axis=1).ravel() < 4
    out = bits.copy()
    out[1:][repeat[1:]] = bits[:-1][repeat[1:]]
    return out


def burst(bits: Bits) -> Bits:
    """Eighteen ones in a row in one block of ten thousand out of four."""
    out = bits.copy()
    for start in range(0, N, 40_000):
        out[start : start + 18] = 1
    return out


def dependent_rows(bits: Bits) -> Bits:
    """Every thirty-second word of 32 bits is the sum of the two before it."""
    rows = bits[: N // 32 * 32].reshape(-1, 32).copy()
    rows[31::32] = rows[30::32][: len(rows[31::32])] ^ rows[29::32][: len(rows[31::32])]
    return np.concatenate((rows.ravel(), bits[rows.size :]))


def periodic(bits: Bits) -> Bits:
    """One bit in twenty-one follows a square wave of period 100."""
    out = bits.copy()
    out[::21] = ((np.arange(N)[::21] // 50) % 2).astype(np.uint8)
    return out


def patterned(bits: Bits) -> Bits:
    """The pattern 000010111 written over every thousandth place."""
    out = bits.copy()
    for start in range(0, N - 9, 1000):
        out[start : start + 9] = (0, 0, 0, 0, 1, 0, 1, 1, 1)
    return out


def runs_of_nine(bits: Bits) -> Bits:
    """Ten ones in every third block of 1032 bits."""
    out = bits.copy()
    for start in range(100, N - 20, 3 * 1032):
        out[start : start + 10] = 1
    return out


def repeated(bits: Bits) -> Bits:
    """Seven bits in 280 copied from 140 bits before them."""
    out = bits[: N // 280 * 280].reshape(-1, 280).copy()
    out[:, 140:147] = out[:, :7]
    return np.concatenate((out.ravel(), bits[out.size :]))


def shift_register(bits: Bits) -> Bits:
    """A shift register of 89 cells, x^89 + x^38 + 1."""
    out = bits.copy()
    for start in range(89, N, 38):
        end = min(start + 38, N)
        out[start:end] = out[start - 89 : end - 89] ^ out[start - 38 : end - 38]
    return out


def no_zero_words(bits: Bits) -> Bits:
    """Every aligned byte of zeros is replaced by its complement."""
    octets = np.packbits(bits)
    octets[octets == 0] = 255
    return np.unpackbits(octets)


def repeated_word(bits: Bits) -> Bits:
    """Every hundredth word of 16 bits is the same."""
    out = bits[: N // 1600 * 1600].reshape(-1, 1600).copy()
    out[:, :16] = out[0, :16]
    return out.ravel()


def drifting(bits: Bits) -> Bits:
    """More ones in the first half, more zeros in the second, none in all."""
    flip = np.packbits(sound(8 * N, 5).reshape(N, 8), axis=1).ravel() < 4
    return np.where(flip, np.arange(N) < N // 2, bits).astype(np.uint8)


FAULTS: list[tuple[Callable[[Bits], Bits], str]] = [
    (biased, "frequency"),
    (uneven_blocks, "block-frequency"),
    (sticky, "runs"),
    (burst, "longest-run"),
    (dependent_rows, "rank"),
    (periodic, "fft"),
    (patterned, "non-overlapping-template"),
    (runs_of_nine, "overlapping-template"),
    (repeated, "universal"),
    (shift_register, "linear-complexity"),
    (repeated_word, "serial"),
    (no_zero_words, "approximate-entropy"),
    (drifting, "cumulative-sums"),
]


@pytest.mark.parametrize(("fault", "test"), FAULTS, ids=lambda value: getattr(value, "__name__", value))
def test_planted_fault_is_found(fault: Callable[[Bits], Bits], test: str) -> None:
    (result,) = run(from_bits(fault(sound())), tests=[test], constants="exact")
    assert isinstance(result, TestResult)
    assert min(result.p_values) < 1e-6, result.p_values


def leashed(bits: Bits) -> Bits:
    """A generator that corrects its own balance: one step in 32 goes back towards it."""
    correct = (np.packbits(sound(8 * N, 6).reshape(N, 8), axis=1).ravel() < 8).tolist()
    position, out = 0, bits.tolist()
    for at, pull in enumerate(correct):
        if pull and position:
            out[at] = int(position < 0)
        position += 2 * out[at] - 1
    return np.array(out, dtype=np.uint8)


@pytest.mark.parametrize("test", firsts(["random-excursions", "random-excursions-variant"]))
def test_corrected_balance_is_found_by_the_excursions(test: str) -> None:
    (result,) = run(from_bits(leashed(sound())), tests=[test], constants="exact")
    assert isinstance(result, TestResult)
    assert min(result.p_values) < 1e-6


def test_a_sound_stream_passes_over_many_sequences() -> None:
    report = run_streams(from_bits(sound(60 * 40_000, 7)), 60, 40_000, constants="exact")
    assert {r.test for r in report.results} >= {"frequency", "rank", "fft", "cumulative-sums"}
    assert all(result.uniform for result in report.results)
    assert all(result.proportion_p > 1e-4 for result in report.results)
