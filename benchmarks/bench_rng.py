"""The generator against its yardsticks, as ratios within one run on one core.

    taskset -c 0 python benchmarks/bench_rng.py [--rounds N]

Every pair is measured alternately, round by round, and the best round of each counts: noise of the
machine only ever adds time.
"""

import argparse
import ctypes
import hashlib
import hmac
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from evp_rand import LIBCRYPTO, EvpRand

from rng.draws import Permutation, _order, deal_decks
from rng.drbg import CtrDrbg, FixedSeed, HashDrbg, HmacDrbg
from rng.kernels import draw_rows
from rng.shuffle import shuffle
from rng.streams import stream
from rng.transcript import record_stream

BLOCK = 65536
DECKS = 20_000
SEED = bytes(range(32))
Work = Callable[[], Any]


def measure(works: dict[str, tuple[int, Work]], rounds: int) -> dict[str, float]:
    """Seconds for one call of each work: the best of so many rounds, taken in turn."""
    best = dict.fromkeys(works, float("inf"))
    for work in works.values():
        work[1]()
    for _ in range(rounds):
        for name, (repeats, work) in works.items():
            start = time.perf_counter()
            for _ in range(repeats):
                work()
            best[name] = min(best[name], (time.perf_counter() - start) / repeats)
    return best


def ctr_works() -> dict[str, tuple[int, Work]]:
    """CTR_DRBG with 64 KiB requests, the cipher alone, and OpenSSL's CTR-DRBG."""
    zeros, out, key, counter = bytes(BLOCK), bytearray(BLOCK), bytes(32), bytes(16)
    context = Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor()
    ours = CtrDrbg(FixedSeed(bytes(48)), derivation_function=False)

    def rekeyed() -> None:
        Cipher(algorithms.AES(key), modes.CTR(counter)).encryptor().update_into(zeros, out)

    works: dict[str, tuple[int, Work]] = {
        "CTR_DRBG AES-256, 64 KiB requests": (40, lambda: ours.generate_into(out)),
        "AES-256-CTR update_into, one context": (40, lambda: context.update_into(zeros, out)),
        "AES-256-CTR update_into, new key for each 64 KiB": (40, rekeyed),
    }
    if LIBCRYPTO is not None:
        theirs = EvpRand("CTR-DRBG", cipher="AES-256-CTR", use_derivation_function=0)
        theirs.instantiate(bytes(48), b"", b"", 256)
        buffer = ctypes.create_string_buffer(BLOCK)
        generate, handle = LIBCRYPTO.EVP_RAND_generate, theirs.context
        works["OpenSSL CTR-DRBG, 64 KiB requests"] = (
            300,
            lambda: generate(handle, buffer, BLOCK, 0, 0, None, 0),
        )
    return works


def hash_works() -> dict[str, tuple[int, Work]]:
    """Hash_DRBG and HMAC_DRBG against the hash calls that one request cannot do without."""
    out = bytearray(BLOCK)
    hash_drbg = HashDrbg(FixedSeed(bytes(32)), nonce=bytes(16))
    hmac_drbg = HmacDrbg(FixedSeed(bytes(32)), nonce=bytes(16))
    data, blocks = bytes(55), range(BLOCK // 32)
    keyed = hmac.new(bytes(32), digestmod="sha256")

    def hashes() -> None:
        sha = hashlib.sha256
        for _ in blocks:
            sha(data).digest()

    def macs() -> None:
        copy, v = keyed.copy, bytes(32)
        for _ in blocks:
            mac = copy()
            mac.update(v)
            v = mac.digest()

    return {
        "Hash_DRBG SHA-256, 64 KiB requests": (1, lambda: hash_drbg.generate_into(out)),
        "its SHA-256 calls alone": (1, hashes),
        "HMAC_DRBG SHA-256, 64 KiB requests": (1, lambda: hmac_drbg.generate_into(out)),
        "its HMAC calls alone": (1, macs),
    }


def compiled_loop() -> Any:
    """The C loop, compiled with gcc -O3 for this machine."""
    source = Path(__file__).parent / "c" / "shuffle.c"
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "shuffle.so"
        subprocess.run(
            ["gcc", "-O3", "-march=native", "-shared", "-fPIC", "-o", str(library), str(source)], check=True
        )
        function = ctypes.CDLL(str(library)).shuffle_rows
    function.restype = ctypes.c_size_t
    function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_size_t] + [
        ctypes.c_void_p
    ] * 2
    return function


def shuffle_works() -> dict[str, tuple[int, Work]]:
    """Full 40-card shuffles: from the stream, from ready words, in C, and NumPy's."""
    source = stream(SEED, "battery-calibration", 0)
    words = np.frombuffer(stream(SEED, "battery-calibration", 1).read(8 * 4 * DECKS), dtype="<u8").copy()
    order = _order(Permutation(40))
    thresholds = order[3]
    ours, theirs = np.empty((DECKS, 40), np.uint8), np.empty((DECKS, 40), np.uint8)
    loop, used = compiled_loop(), ctypes.c_size_t()

    def c_loop() -> None:
        loop(
            words.ctypes.data,
            len(words),
            theirs.ctypes.data,
            DECKS,
            thresholds.ctypes.data,
            ctypes.byref(used),
        )

    c_loop()
    draw_rows(words, ours, *order)
    if not np.array_equal(ours, theirs):
        raise SystemExit("the C loop and the kernel deal different decks")
    numpy_generator = np.random.Generator(np.random.PCG64(1))
    sorted_decks = np.tile(np.arange(40, dtype=np.uint8), (DECKS, 1))
    recorder = record_stream(SEED, "battery-calibration", 2)
    single, plain = record_stream(SEED, "battery-calibration", 3), stream(SEED, "battery-calibration", 3)
    return {
        "decks from the stream (deal_decks)": (1, lambda: deal_decks(source, DECKS, 40)),
        "decks from ready words, our kernel": (1, lambda: draw_rows(words, ours, *order)),
        "decks from ready words, C loop, gcc -O3": (1, c_loop),
        "NumPy Generator.permuted, PCG64": (1, lambda: numpy_generator.permuted(sorted_decks, axis=1)),
        "deal_decks with a transcript": (1, lambda: recorder.deal_decks(DECKS, 40)),
        "one plain shuffle": (200, lambda: shuffle(plain, 40)),
        "one plain shuffle with a transcript": (200, lambda: single.deal(40, 40)),
    }


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    ctr, hashes = measure(ctr_works(), 8 * rounds), measure(hash_works(), 5 * rounds)
    decks = measure(shuffle_works(), 6 * rounds)
    for name, seconds in {**ctr, **hashes}.items():
        print(f"{name:52} {BLOCK / seconds / 1e6:9,.0f} MB/s {seconds * 1e6:10.2f} µs")
    for name, seconds in decks.items():
        per = seconds if name.startswith("one") else seconds / DECKS
        print(f"{name:52} {1 / per / 1e6:9.2f} M/s  {per * 1e9:10.1f} ns a deck")
    c, h, d = list(ctr.values()), list(hashes.values()), list(decks.values())
    rows = [
        ("CTR_DRBG / raw AES-CTR, one context", c[1] / c[0], 0.9),
        ("CTR_DRBG / raw AES-CTR, new key for each request", c[2] / c[0], 0.9),
        ("Hash_DRBG / its hash calls", h[1] / h[0], 0.8),
        ("HMAC_DRBG / its HMAC calls", h[3] / h[2], 0.8),
        ("decks from the stream / C loop on ready words", d[2] / d[0], 0.8),
        ("kernel / C loop on the same words", d[2] / d[1], 0.8),
        ("decks from the stream / NumPy permuted", d[3] / d[0], 1.0),
        ("deal_decks with / without transcript", d[0] / d[4], None),
        ("one shuffle with / without transcript", d[5] / d[6], None),
    ]
    if len(c) > 3:
        rows.insert(2, ("CTR_DRBG / OpenSSL CTR-DRBG through EVP_RAND", c[3] / c[0], 1.0))
    print()
    for name, ratio, target in rows:
        goal = (
            ""
            if target is None
            else f"wanted {target:.1f}  {'reached' if ratio >= target else 'NOT reached'}"
        )
        print(f"{name:52} {ratio:6.2f}  {goal}")


if __name__ == "__main__":
    main()
