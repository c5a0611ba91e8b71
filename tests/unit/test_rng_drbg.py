"""The envelope of SP 800-90A: states, limits, reseeding, and everything that is refused."""

import copy
import hashlib
import logging
import pickle
import threading

import pytest
from cli_support import refuses

from rng.drbg import (
    MAX_REQUEST_BYTES,
    MAX_RESEED_INTERVAL,
    CtrDrbg,
    DrbgState,
    FixedSeed,
    HashDrbg,
    HmacDrbg,
)
from rng.entropy import RecordedEntropy
from rng.errors import DrbgError, EntropyError, RangeError


class Counting:
    """A live source of predictable inputs that counts how often it is asked."""

    live = True

    def __init__(self, fail_after=None):
        self.calls = 0
        self.fail_after = fail_after

    def entropy_input(self, min_bytes, max_bytes):
        if self.fail_after is not None and self.calls >= self.fail_after:
            raise EntropyError("the source has died")
        self.calls += 1
        return self.calls.to_bytes(min_bytes, "big")


def ctr(entropy=None, **options):
    return CtrDrbg(entropy or Counting(), derivation_function=False, **options)  # type: ignore[arg-type]


def ctr_df(entropy=None, **options):
    return CtrDrbg(entropy or Counting(), **options)  # type: ignore[arg-type]


def sha(entropy=None, **options):
    return HashDrbg(entropy or Counting(), **options)  # type: ignore[arg-type]


def mac(entropy=None, **options):
    return HmacDrbg(entropy or Counting(), **options)  # type: ignore[arg-type]


MAKERS = pytest.mark.parametrize("make", [ctr, ctr_df, sha, mac])


@MAKERS
def test_the_strength_and_lengths_are_those_of_the_tables(make):
    drbg = make()
    assert drbg.security_strength == 256
    assert drbg.max_request_bytes == MAX_REQUEST_BYTES == 65536
    assert MAX_RESEED_INTERVAL == 2**48
    assert drbg.min_entropy_bytes >= 32
    assert drbg.state is DrbgState.READY


@pytest.mark.parametrize(("bits", "seed"), [(128, 32), (192, 40), (256, 48)])
def test_seed_lengths_of_ctr_drbg(bits, seed):
    drbg = CtrDrbg(Counting(), key_bits=bits, derivation_function=False)
    assert (drbg.seed_bytes, drbg.min_entropy_bytes, drbg.max_entropy_bytes) == (seed, seed, seed)


@pytest.mark.parametrize(("name", "seed"), [("sha256", 55), ("sha384", 111), ("sha512", 111), ("sha1", 55)])
def test_seed_lengths_of_hash_drbg(name, seed):
    assert HashDrbg(Counting(), hash_name=name).seed_bytes == seed


@MAKERS
@pytest.mark.parametrize("size", [0, -1, MAX_REQUEST_BYTES + 1, 1.5, True, None, "8"])
def test_requests_of_a_wrong_size_are_refused(make, size):
    drbg = make()
    with pytest.raises(RangeError, match="request of"):
        drbg.generate(size)  # type: ignore[arg-type]
    assert drbg._reseed_counter == 1


@MAKERS
def test_buffers_of_a_wrong_size_are_refused(make):
    for size in (0, MAX_REQUEST_BYTES + 1):
        with pytest.raises(RangeError):
            make().generate_into(bytearray(size))


@MAKERS
def test_generating_into_a_buffer_gives_the_same_bytes(make):
    for size in (1, 15, 16, 17, 31, 32, 33, 1000, 65535, 65536):
        buffer = bytearray(size)
        make().generate_into(memoryview(buffer))
        assert buffer == make().generate(size)


@MAKERS
def test_short_or_wrong_entropy_is_refused(make):
    for wrong in (b"", bytes(31), "a" * 48, None, 48):
        with pytest.raises(EntropyError):
            make(RecordedEntropy([wrong, bytes(16)]))  # type: ignore[list-item]


def test_without_derivation_function_the_seed_has_one_length_and_no_nonce():
    for size in (47, 49):
        with pytest.raises(EntropyError, match="takes 48 to 48"):
            ctr(RecordedEntropy([bytes(size)]))
    with pytest.raises(DrbgError, match="no nonce"):
        ctr(nonce=bytes(16))
    for text in ({"personalisation": bytes(49)},):
        with pytest.raises(DrbgError, match="at most 48"):
            ctr(**text)
    refuses(
        DrbgError,
        ("at most 48", lambda: ctr().generate(1, bytes(49))),
        ("at most 48", lambda: ctr().reseed(bytes(49))),
    )


@pytest.mark.parametrize("make", [ctr_df, sha, mac])
def test_short_nonces_and_texts_that_are_no_bytes_are_refused(make):
    refuses(
        DrbgError,
        ("nonce of 15 bytes", lambda: make(nonce=bytes(15))),
        ("personalisation must be bytes", lambda: make(personalisation="text")),
        ("additional_input must be bytes", lambda: make().generate(1, "text")),
    )


@pytest.mark.parametrize("options", [{"key_bits": 64}, {"counter_bits": 3}, {"counter_bits": 129}])
def test_options_that_the_standard_does_not_know_are_refused(options):
    refuses(
        DrbgError,
        ("", lambda: CtrDrbg(Counting(), **options)),
        ("md5", lambda: HashDrbg(Counting(), hash_name="md5")),
    )


@MAKERS
@pytest.mark.parametrize("interval", [0, -1, 2**48 + 1, 1.0, True])
def test_reseed_intervals_beyond_the_standard_are_refused(make, interval):
    with pytest.raises(DrbgError, match="reseed_interval"):
        make(reseed_interval=interval)


@MAKERS
def test_the_instance_is_reseeded_by_count(make):
    source, reasons = Counting(), []  # type: ignore[var-annotated]
    drbg = make(source, reseed_interval=3, on_reseed=reasons.append)
    start = source.calls
    for expected in (0, 0, 0, 1, 1, 1, 2):
        drbg.generate(10)
        assert source.calls - start == expected
    assert reasons == ["reseed interval reached"] * 2
    assert drbg._reseed_counter == 2


@MAKERS
def test_the_instance_is_reseeded_by_bytes(make):
    source, reasons = Counting(), []  # type: ignore[var-annotated]
    drbg = make(source, reseed_bytes=100, on_reseed=reasons.append)
    start = source.calls
    for size, expected in ((60, 0), (40, 0), (1, 1), (99, 1), (1, 2)):
        drbg.generate(size)
        assert source.calls - start == expected
    assert reasons == ["byte limit reached"] * 2


@MAKERS
def test_prediction_resistance_takes_fresh_entropy_each_time(make):
    source = Counting()
    drbg = make(source, prediction_resistance=True)
    start = source.calls
    drbg.generate(8)
    drbg.generate(8)
    assert source.calls - start == 2
    once = make(source)
    start = source.calls
    once.generate(8)
    once.generate(8, prediction_resistance=True)
    assert source.calls - start == 1


@MAKERS
def test_a_fixed_seed_cannot_be_reseeded_and_stops_the_instance(make):
    seed = FixedSeed(bytes(48))
    drbg = make(seed, nonce=b"" if make is ctr else bytes(16), reseed_interval=1)
    drbg.generate(8)
    with pytest.raises(EntropyError, match="serves once"):
        drbg.generate(8)
    assert drbg.state is DrbgState.FAILED
    with pytest.raises(DrbgError, match="generate on a failed"):
        drbg.generate(8)


@MAKERS
def test_a_dead_source_stops_the_instance_for_good(make):
    source = Counting(fail_after=2)
    drbg = make(source, nonce=b"" if make is ctr else bytes(16))
    drbg.reseed()
    with pytest.raises(EntropyError, match="died"):
        drbg.reseed()
    source.fail_after = None
    for call in (lambda: drbg.generate(1), drbg.reseed):
        with pytest.raises(DrbgError, match="failed"):
            call()
    assert not any(bytes(v) != bytes(len(v)) for v in drbg.working_state().values() if isinstance(v, bytes))


@MAKERS
def test_nothing_is_generated_after_uninstantiate_and_the_state_is_overwritten(make):
    drbg = make()
    drbg.generate(10)
    assert any(v.strip(b"\0") for v in drbg.working_state().values() if isinstance(v, bytes))
    drbg.uninstantiate()
    assert not any(v.strip(b"\0") for v in drbg.working_state().values() if isinstance(v, bytes))
    for call in (lambda: drbg.generate(1), drbg.reseed, lambda: drbg.generate_into(bytearray(1))):
        with pytest.raises(DrbgError, match="uninstantiated"):
            call()


@MAKERS
def test_copying_and_pickling_are_refused(make):
    drbg = make()
    for refused in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(DrbgError, match="never"):
            refused(drbg)  # type: ignore[operator]


@MAKERS
def test_the_state_is_in_neither_repr_nor_errors_nor_logs(make, caplog):
    caplog.set_level(logging.DEBUG)
    drbg = make()
    drbg.generate(16)
    secrets = [v.hex() for v in drbg.working_state().values() if isinstance(v, bytes)]
    shown = [repr(drbg), str(drbg), f"{drbg}", caplog.text]
    for call in (lambda: drbg.generate(0), lambda: drbg.generate(1, "x")):  # type: ignore[arg-type]
        with pytest.raises((RangeError, DrbgError)) as caught:
            call()
        shown.append(str(caught.value))
    for secret in secrets:
        assert not any(secret[:16] in text.lower() for text in shown)
    assert not hasattr(drbg, "__dict__")


@MAKERS
def test_threads_that_share_an_instance_never_get_the_same_bytes(make):
    shared, alone = make(), make()
    taken = []
    barrier = threading.Barrier(4)

    def draw():
        barrier.wait()
        for _ in range(50):
            taken.append(shared.generate(64))

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(alone.generate(64) for _ in range(200))
    assert len(set(taken)) == 200


def naive_ctr(key, v, bits, count):
    """Steps 4.1 to 4.3 of CTR_DRBG as written: one block at a time, only the counter field counts."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    out = b""
    for _ in range(count):
        low = (v + 1) % (1 << bits)
        v = (v >> bits << bits) | low
        out += Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(v.to_bytes(16, "big"))  # noqa: S305
    return out, v


@pytest.mark.parametrize("bits", [4, 5, 8, 16, 32, 64, 128])
def test_a_narrow_counter_field_wraps_inside_v(bits):
    drbg = CtrDrbg(Counting(), derivation_function=False, counter_bits=bits)
    for number in range(60):
        state = drbg.working_state()
        size = min(drbg.max_request_bytes, 16 * (number % 12 + 1) - number % 7)
        assert isinstance(state["Key"], bytes)
        assert isinstance(state["V"], bytes)
        blocks, v = naive_ctr(state["Key"], int.from_bytes(state["V"], "big"), bits, -(-size // 16))
        assert drbg.generate(size) == blocks[:size]
        update, _ = naive_ctr(state["Key"], v, bits, 3)
        assert drbg.working_state() == {"Key": update[:32], "V": update[32:]}


@pytest.mark.parametrize("blocks", [1, 2, 12])
@pytest.mark.parametrize("start", range(16))
def test_a_narrow_counter_field_wraps_from_every_start(start, blocks):
    drbg = CtrDrbg(Counting(), derivation_function=False, counter_bits=4)
    drbg._v[-1] = 0xA0 | start
    key, v = bytes(drbg._key), int.from_bytes(drbg._v, "big")
    out, v = naive_ctr(key, v, 4, blocks)
    assert drbg.generate(16 * blocks) == out
    update, _ = naive_ctr(key, v, 4, 3)
    assert drbg.working_state() == {"Key": update[:32], "V": update[32:]}


def test_a_narrow_counter_field_limits_the_request():
    assert CtrDrbg(Counting(), counter_bits=4).max_request_bytes == (2**4 - 4) * 16
    with pytest.raises(RangeError):
        CtrDrbg(Counting(), counter_bits=4).generate(193)


def test_the_carry_runs_through_the_whole_counter():
    drbg = CtrDrbg(Counting(), derivation_function=False)
    drbg._v[:] = b"\xff" * 16
    key = bytes(drbg._key)
    assert drbg.generate(32) == naive_ctr(key, (1 << 128) - 1, 128, 2)[0]
    drbg._v[:] = bytes(12) + b"\x00\xff\xff\xff"
    key = bytes(drbg._key)
    assert drbg.generate(32) == naive_ctr(key, 0xFFFFFF, 128, 2)[0]


@pytest.mark.parametrize("start", [b"\xff" * 54 + b"\xfe", b"\0" * 51 + b"\xff\xff\xff\x80", bytes(55)])
@pytest.mark.parametrize("size", [100, 2048, 2049, 40_000, 65_536])
def test_hashgen_counts_and_carries_as_written(start, size):
    drbg = HashDrbg(Counting())
    drbg._v[:] = start
    v = int.from_bytes(start, "big")
    blocks = [
        hashlib.sha256(((v + i) % (1 << 440)).to_bytes(55, "big")).digest() for i in range(-(-size // 32))
    ]
    assert drbg.generate(size) == b"".join(blocks)[:size]
