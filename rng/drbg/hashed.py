"""Hash_DRBG and HMAC_DRBG (SP 800-90A 10.1), and the hash functions below them."""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Unpack

import numpy as np

from rng.drbg.envelope import Drbg, EntropyInput, Instantiation
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


class HashDrbg(Drbg):
    """Hash_DRBG on SHA-256, SHA-384, SHA-512 or another approved hash.

    >>> from rng.drbg.envelope import FixedSeed
    >>> HashDrbg(FixedSeed(bytes(32)), nonce=bytes(16)).security_strength
    256

    Source: NIST SP 800-90A Rev. 1, clause 10.1.1.
    """

    __slots__ = ("_c", "_hash", "_lengths", "_v")

    mechanism: ClassVar[str] = "Hash_DRBG"

    def __init__(
        self, entropy: EntropyInput, *, hash_name: str = "sha256", **options: Unpack[Instantiation]
    ) -> None:
        """Instantiate Hash_DRBG.

        Args:
            entropy: see `Drbg`.
            hash_name: the hash, as `hashlib` names it.
            options: see `Instantiation`.
        """
        self._lengths = hash_lengths(hash_name)
        self._hash = self._lengths.new
        self._v = bytearray(self._lengths.seed_bytes)
        self._c = bytearray(self._lengths.seed_bytes)
        super().__init__(entropy, **options)

    @property
    def security_strength(self) -> int:
        """The strength of the hash (Table 2)."""
        return self._lengths.strength

    @property
    def seed_bytes(self) -> int:
        """Seedlen (Table 2)."""
        return self._lengths.seed_bytes

    def _instantiate_algorithm(self, entropy: bytes, nonce: bytes, personalisation: bytes) -> None:
        # 10.1.1.2, steps 1 to 3.
        self._set_seed(entropy + nonce + personalisation)

    def _reseed_algorithm(self, entropy: bytes, additional: bytes) -> None:
        # 10.1.1.3, steps 1 to 3.
        self._set_seed(b"\x01" + self._v + entropy + additional)

    def _set_seed(self, material: bytes) -> None:
        # 10.1.1.2, steps 2 to 4: V = Hash_df(seed_material), C = Hash_df(0x00 ‖ V).
        self._v[:] = hash_df(self._hash, material, self.seed_bytes, self._lengths.output_bytes)
        self._c[:] = hash_df(self._hash, b"\x00" + self._v, self.seed_bytes, self._lengths.output_bytes)

    def _generate_algorithm(self, out: bytearray | memoryview, additional: bytes) -> None:
        # 10.1.1.4, step 2: w = Hash(0x02 ‖ V ‖ additional_input), V = V + w.
        if additional:
            self._add(self._hash(b"\x02" + self._v + additional).digest())
        # Step 3.
        self._hashgen(out)
        # Steps 4 and 5: V = V + Hash(0x03 ‖ V) + C + reseed_counter.
        h = self._hash(b"\x03" + self._v).digest()
        self._add(h, self._c, self._reseed_counter.to_bytes(8, "big"))

    def _hashgen(self, out: bytearray | memoryview) -> None:
        """Hashgen (10.1.1.4): hash V, V + 1, V + 2, … until enough bytes are there."""
        sha = self._hash
        size = len(out)
        left = -(-size // self._lengths.output_bytes)
        data = int.from_bytes(self._v, "big")
        modulus = 1 << 8 * self.seed_bytes
        blocks: list[bytes] = []
        # Only the last four bytes of data change while the sum does not carry beyond them.
        while left:
            run = min(left, (1 << 32) - (data & 0xFFFFFFFF))
            blocks += [sha(message).digest() for message in self._counting(data, run)]
            data = (data + run) % modulus
            left -= run
        out[:] = b"".join(blocks)[:size]

    def _counting(self, data: int, run: int) -> list[bytes]:
        """The `run` byte strings of data, data + 1, … whose last four bytes do not overflow."""
        prefix, low = (data >> 32).to_bytes(self.seed_bytes - 4, "big"), data & 0xFFFFFFFF
        if run < 64:
            return [prefix + i.to_bytes(4, "big") for i in range(low, low + run)]
        # Laying all of them side by side costs a third of making them one by one.
        rows = np.empty((run, self.seed_bytes), dtype=np.uint8)
        rows[:, :-4] = np.frombuffer(prefix, dtype=np.uint8)
        rows[:, -4:] = np.arange(low, low + run, dtype=">u4").view(np.uint8).reshape(run, 4)
        strings: list[bytes] = rows.view(f"V{self.seed_bytes}").ravel().tolist()
        return strings

    def _add(self, *terms: bytes | bytearray) -> None:
        """V = (V + terms) mod 2^seedlen."""
        total = int.from_bytes(self._v, "big") + sum(int.from_bytes(term, "big") for term in terms)
        self._v[:] = (total % (1 << 8 * self.seed_bytes)).to_bytes(self.seed_bytes, "big")

    def working_state(self) -> dict[str, bytes | int]:
        """The secret working state, by the standard's names, for known-answer tests alone."""
        return {"V": bytes(self._v), "C": bytes(self._c), "reseed counter": self._reseed_counter}

    def _wipe(self) -> None:
        self._v[:] = bytes(len(self._v))
        self._c[:] = bytes(len(self._c))


def hash_df(new: HashFunction, material: bytes, nbytes: int, output_bytes: int) -> bytes:
    """Hash_df: `nbytes` of seed condensed from input of any length by a hash.

    Source: NIST SP 800-90A Rev. 1, clause 10.3.1.
    """
    # Steps 1 to 5: Hash(counter ‖ no_of_bits_to_return ‖ input_string), counter from 1 in one byte.
    bits = (8 * nbytes).to_bytes(4, "big")
    blocks = (
        new(bytes([counter]) + bits + material).digest()
        for counter in range(1, -(-nbytes // output_bytes) + 1)
    )
    return b"".join(blocks)[:nbytes]


class HmacDrbg(Drbg):
    """HMAC_DRBG on SHA-256, SHA-384, SHA-512 or another approved hash.

    >>> from rng.drbg.envelope import FixedSeed
    >>> HmacDrbg(FixedSeed(bytes(32)), nonce=bytes(16), hash_name="sha512")
    <HMAC_DRBG 256 bits, ready>

    Source: NIST SP 800-90A Rev. 1, clause 10.1.2.
    """

    __slots__ = ("_hash_name", "_key", "_lengths", "_v")

    mechanism: ClassVar[str] = "HMAC_DRBG"

    def __init__(
        self, entropy: EntropyInput, *, hash_name: str = "sha256", **options: Unpack[Instantiation]
    ) -> None:
        """Instantiate HMAC_DRBG.

        Args:
            entropy: see `Drbg`.
            hash_name: the hash, as `hashlib` names it.
            options: see `Instantiation`.
        """
        self._lengths = hash_lengths(hash_name)
        self._hash_name = hash_name
        self._key = bytearray(self._lengths.output_bytes)
        self._v = bytearray(self._lengths.output_bytes)
        super().__init__(entropy, **options)

    @property
    def security_strength(self) -> int:
        """The strength of the hash (Table 2)."""
        return self._lengths.strength

    @property
    def seed_bytes(self) -> int:
        """The length of the two secret values together; HMAC_DRBG has no seedlen of its own."""
        return 2 * self._lengths.output_bytes

    def _instantiate_algorithm(self, entropy: bytes, nonce: bytes, personalisation: bytes) -> None:
        # 10.1.2.3, steps 1 to 4: Key = 0x00…00, V = 0x01…01, HMAC_DRBG_Update(seed_material).
        self._key[:] = bytes(len(self._key))
        self._v[:] = b"\x01" * len(self._v)
        self._update(entropy + nonce + personalisation)

    def _reseed_algorithm(self, entropy: bytes, additional: bytes) -> None:
        # 10.1.2.4, steps 1 and 2.
        self._update(entropy + additional)

    def _generate_algorithm(self, out: bytearray | memoryview, additional: bytes) -> None:
        # 10.1.2.5, step 2.
        if additional:
            self._update(additional)
        # Steps 3 to 5: V = HMAC(Key, V), temp = temp ‖ V. The keyed state is set up once and copied.
        keyed = hmac.new(self._key, digestmod=self._hash_name).copy
        size = len(out)
        v = bytes(self._v)
        blocks = []
        for _ in range(-(-size // len(v))):
            mac = keyed()
            mac.update(v)
            v = mac.digest()
            blocks.append(v)
        self._v[:] = v
        out[:] = b"".join(blocks)[:size]
        # Step 6.
        self._update(additional)

    def _update(self, provided: bytes) -> None:
        # 10.1.2.2, steps 1 to 6; a second pass with 0x01 only where data are provided.
        for separator in (b"\x00", b"\x01") if provided else (b"\x00",):
            self._key[:] = hmac.digest(self._key, self._v + separator + provided, self._hash_name)
            self._v[:] = hmac.digest(self._key, self._v, self._hash_name)

    def working_state(self) -> dict[str, bytes | int]:
        """The secret working state, by the standard's names, for known-answer tests alone."""
        return {"Key": bytes(self._key), "V": bytes(self._v)}

    def _wipe(self) -> None:
        self._key[:] = bytes(len(self._key))
        self._v[:] = bytes(len(self._v))
