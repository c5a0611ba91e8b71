"""HMAC_DRBG: output blocks are a chain of keyed hashes of the secret value V."""

import hmac
from typing import ClassVar, Unpack

from rng.drbg.envelope import Drbg, EntropyInput, Instantiation
from rng.drbg.hashes import hash_lengths


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
