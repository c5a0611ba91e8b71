"""Our DRBGs and OpenSSL's give the same bytes in thousands of scenarios drawn at random."""

import hashlib
from collections.abc import Iterator

import pytest
from evp_rand import LIBCRYPTO, EvpRand

from rng.drbg import CtrDrbg, Drbg, HashDrbg, HmacDrbg
from rng.entropy import RecordedEntropy

pytestmark = pytest.mark.skipif(
    LIBCRYPTO is None, reason="the system libcrypto has no EVP_RAND (OpenSSL 3 needed)"
)

SCENARIOS = 220
HASHES = {"sha1": 128, "sha224": 192, "sha256": 256, "sha384": 256, "sha512": 256, "sha512_256": 256}


class Choices:
    """Choices that are the same in every run: a hash of a counter."""

    def __init__(self, name: str) -> None:
        self.name, self.count = name, 0

    def data(self, low: int, high: int) -> bytes:
        """Between low and high bytes."""
        self.count += 1
        block = hashlib.shake_256(f"{self.name} {self.count}".encode()).digest(8 + high)
        return block[8 : 8 + low + int.from_bytes(block[:8], "big") % (high - low + 1)]

    def below(self, n: int) -> int:
        """A number below n."""
        return int.from_bytes(self.data(8, 8), "big") % n


def scenario(
    choices: Choices, ours: Drbg, theirs: EvpRand, script: list[bytes], additional: int
) -> Iterator[None]:
    """Some calls in any order, the outputs compared at each generate."""
    low = ours.min_entropy_bytes
    high = min(ours.max_entropy_bytes, low + 40)
    for _ in range(1 + choices.below(5)):
        text = choices.data(0, additional) if choices.below(2) else b""
        kind = choices.below(4)
        if kind == 0:
            fresh = choices.data(low, high)
            script.append(fresh)
            ours.reseed(text)
            theirs.reseed(fresh, text)
            continue
        size = 1 + choices.below(700)
        if kind == 1:
            fresh = choices.data(low, high)
            script.append(fresh)
            mine = ours.generate(size, text, prediction_resistance=True)
            assert mine == theirs.generate(size, text, fresh)
        else:
            assert ours.generate(size, text) == theirs.generate(size, text)
        yield


class Script(RecordedEntropy):
    """Entropy inputs that are appended while the scenario runs."""

    def __init__(self, inputs: list[bytes]) -> None:
        super().__init__(())
        self._inputs = inputs


def run(name: str, openssl: str, options: dict[str, str | int], make: object) -> int:
    compared = 0
    for number in range(SCENARIOS):
        choices = Choices(f"{name} {number}")
        script: list[bytes] = []
        ours, seed, nonce, personalisation, additional = make(choices, script)  # type: ignore[operator]
        theirs = EvpRand(openssl, **options)
        theirs.instantiate(seed, nonce, personalisation, ours.security_strength)
        compared += sum(1 for _ in scenario(choices, ours, theirs, script, additional))
        theirs.close()
    return compared


@pytest.mark.parametrize("derivation_function", [True, False])
@pytest.mark.parametrize("key_bits", [128, 192, 256])
def test_ctr_drbg(key_bits: int, derivation_function: bool) -> None:
    seed_bytes = key_bits // 8 + 16

    def make(choices: Choices, script: list[bytes]) -> tuple[Drbg, bytes, bytes, bytes, int]:
        if derivation_function:
            seed, nonce = choices.data(key_bits // 8, 90), choices.data(key_bits // 16, 40)
        else:
            seed, nonce = choices.data(seed_bytes, seed_bytes), b""
        text = choices.data(0, 60 if derivation_function else seed_bytes)
        script.append(seed)
        ours = CtrDrbg(
            Script(script),
            key_bits=key_bits,
            derivation_function=derivation_function,
            nonce=nonce,
            personalisation=text,
        )
        return ours, seed, nonce, text, 60 if derivation_function else seed_bytes

    options: dict[str, str | int] = {
        "cipher": f"AES-{key_bits}-CTR",
        "use_derivation_function": int(derivation_function),
    }
    assert run(f"ctr {key_bits} {derivation_function}", "CTR-DRBG", options, make) > SCENARIOS


@pytest.mark.parametrize("mechanism", [HashDrbg, HmacDrbg])
@pytest.mark.parametrize("hash_name", list(HASHES))
def test_hash_and_hmac_drbg(mechanism: type[HashDrbg] | type[HmacDrbg], hash_name: str) -> None:
    strength = HASHES[hash_name]

    def make(choices: Choices, script: list[bytes]) -> tuple[Drbg, bytes, bytes, bytes, int]:
        seed, nonce = choices.data(strength // 8, 90), choices.data(strength // 16, 40)
        text = choices.data(0, 60)
        script.append(seed)
        ours = mechanism(Script(script), hash_name=hash_name, nonce=nonce, personalisation=text)
        return ours, seed, nonce, text, 200

    options: dict[str, str | int] = {"digest": hash_name.replace("_", "-").upper()}
    if mechanism is HmacDrbg:
        options["mac"] = "HMAC"
    name = "HASH-DRBG" if mechanism is HashDrbg else "HMAC-DRBG"
    assert run(f"{name} {hash_name}", name, options, make) > SCENARIOS


def test_the_largest_request_agrees() -> None:
    seed = bytes(range(48))
    theirs = EvpRand("CTR-DRBG", cipher="AES-256-CTR", use_derivation_function=0)
    theirs.instantiate(seed, b"", b"", 256)
    ours = CtrDrbg(RecordedEntropy([seed]), derivation_function=False)
    for _ in range(3):
        assert ours.generate(65536) == theirs.generate(65536, b"")
    theirs.close()


def test_the_comparison_would_notice_one_bit() -> None:
    theirs = EvpRand("CTR-DRBG", cipher="AES-256-CTR", use_derivation_function=0)
    theirs.instantiate(bytes(48), b"", b"", 256)
    ours = CtrDrbg(RecordedEntropy([bytes(47) + b"\x01"]), derivation_function=False)
    assert ours.generate(64) != theirs.generate(64, b"")
    theirs.close()
