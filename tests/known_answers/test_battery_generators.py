"""The planted generators put out what their authors published, so that what is caught is the real thing."""

import hashlib

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from rng.battery.planted import good, known, shuffles
from rng.errors import SampleError


def test_against_randu_of_the_scientific_subroutine_package():
    assert known.randu(1, 4).tolist() == [65539, 393225, 1769499, 7077969]


def test_against_numerical_recipes_congruential():
    assert known.lcg32(0, 3).tolist() == [1013904223, 1196435762, 3519870697]


def test_against_java_util_random_seed_42():
    assert known.java_random(42, 2).astype(np.int32).tolist() == [-1170105035, 234785527]


def test_against_msvc_rand_seed_1():
    assert known.msvc_rand(1, 5).tolist() == [41, 18467, 6334, 26500, 19169]


def test_against_glibc_random_seed_1():
    assert known.glibc_random(1, 4).tolist() == [1804289383, 846930886, 1681692777, 1714636915]


def test_against_mt19937_of_numpy():
    assert known.mt19937(5489, 1).tolist() == [3499211612]
    other = np.random.MT19937()
    other._legacy_seeding(20261121)  # init_genrand of the authors
    assert known.mt19937(20261121, 2000).tolist() == other.random_raw(2000).tolist()


def test_against_marsaglia_xorshift():
    assert known.xorshift32(2463534242, 1).tolist() == [723471715]
    assert known.xorshift128(123456789, 1).tolist() == [3701687786]


def test_xorshift128plus_against_its_definition():
    mask = (1 << 64) - 1
    first, second = 7, 7 ^ 0x5DEECE66D
    expected = []
    for _ in range(100):
        x, y = first, second
        expected.append((x + y) & 0xFFFFFFFF)
        first = y
        x ^= (x << 23) & mask
        second = x ^ y ^ (x >> 17) ^ (y >> 26)
    assert known.xorshift128plus_low(7, 100).tolist() == expected


@pytest.mark.parametrize(
    ("key", "stream"),
    [(b"Key", "eb9f7781b734ca72a719"), (b"Wiki", "6044db6d41b7"), (b"Secret", "04d46b053ca87b59")],
)
def test_against_published_rc4_streams(key, stream):
    keys = np.frombuffer(key, dtype=np.uint8)[None, :].copy()
    assert known.rc4(keys, len(stream) // 2)[0].tobytes().hex() == stream


def test_against_pcg64_of_numpy():
    other = np.random.PCG64(7)
    state, mask = other.state["state"], (1 << 64) - 1
    halves = [
        state["state"] >> 64,
        state["state"] & mask,
        state["inc"] >> 64,
        state["inc"] & mask,
    ]
    assert good.pcg64_words(np.array(halves, dtype=np.uint64), 500).tolist() == other.random_raw(500).tolist()


def test_against_openssl_aes_and_chacha_keystreams():
    key = hashlib.sha256(b"aes-ctr:9").digest()
    block = Cipher(algorithms.AES(key), modes.ECB()).encryptor()  # noqa: S305 (one block, to check the counter mode)
    assert good.aes_ctr(9, 8)[4:].tobytes() == block.update((1).to_bytes(16, "big"))
    assert len({good.SOURCES[name](9, 4).tobytes() for name in good.SOURCES}) == 4


@pytest.mark.parametrize("name", good.SOURCES)
def test_sources_are_prefixes_of_themselves(name):
    source = good.SOURCES[name]
    assert np.array_equal(source(3, 11), source(3, 50)[:11])
    assert not np.array_equal(source(3, 11), source(4, 11))


def test_numbers_are_rejected_exactly():
    # 2^32 = 40 · 107374182 + 16: the last sixteen words must be thrown away.
    edge = np.array([0xFFFFFFFF, 0xFFFFFFF0, 0xFFFFFFEF, 39], dtype=np.uint32)
    assert good.numbers(edge, 40, 2).tolist() == [39, 39]
    with pytest.raises(SampleError, match="too few"):
        good.numbers(edge, 40, 3)


def test_correct_shuffle_reaches_every_order_equally():
    # Every table of draws of the shuffle of four cards, once each: all orders, each exactly once.
    draws = np.array([(a, b, c) for a in range(4) for b in range(3) for c in range(2)])
    decks = shuffles.swap_by(draws, range(3, 0, -1), 4)
    assert len(np.unique(decks, axis=0)) == 24
