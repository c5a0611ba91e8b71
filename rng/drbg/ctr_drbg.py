"""CTR_DRBG with AES-128, AES-192 or AES-256, with and without the derivation function."""

from typing import ClassVar, Final, Unpack

from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes

from rng.drbg.envelope import MAX_INPUT_BYTES, MAX_REQUEST_BYTES, Drbg, EntropyInput, Instantiation
from rng.errors import DrbgError

BLOCK: Final = 16
_MASK = (1 << 128) - 1
_ZEROS: Final = bytes(MAX_REQUEST_BYTES)
# Block_Cipher_df, step 8: the key 0x00 01 02 … 1E 1F, cut to the key length.
_DF_KEY: Final = bytes(range(32))


class CtrDrbg(Drbg):
    """CTR_DRBG: AES in counter mode, its key and counter replaced after every request.

    >>> from rng.drbg.envelope import FixedSeed
    >>> CtrDrbg(FixedSeed(bytes(48)), derivation_function=False).generate(4).hex()
    '91618fe9'

    Source: NIST SP 800-90A Rev. 1, clause 10.2.1.
    """

    __slots__ = ("_cipher", "_ctr_bits", "_df", "_key", "_key_bytes", "_v", "_zero_seed")

    mechanism: ClassVar[str] = "CTR_DRBG"

    def __init__(
        self,
        entropy: EntropyInput,
        *,
        key_bits: int = 256,
        derivation_function: bool = True,
        counter_bits: int = 128,
        **options: Unpack[Instantiation],
    ) -> None:
        """Instantiate CTR_DRBG.

        Args:
            entropy: see `Drbg`; without derivation function exactly seedlen bytes are taken.
            key_bits: 128, 192 or 256: the AES key length, and the security strength.
            derivation_function: whether inputs pass through Block_Cipher_df.
            counter_bits: ctr_len, the width of the counter field inside V (4 to 128).
            options: see `Instantiation`; there is no nonce without derivation function.
        """
        if key_bits not in (128, 192, 256):
            raise DrbgError(f"AES key of {key_bits!r} bits: 128, 192 or 256 expected")
        if type(counter_bits) is not int or not 4 <= counter_bits <= 8 * BLOCK:
            raise DrbgError(f"counter field of {counter_bits!r} bits: 4 to 128 expected (SP 800-90A Table 3)")
        self._key_bytes = key_bits // 8
        self._df = derivation_function
        self._ctr_bits = counter_bits
        self._key = bytearray(self._key_bytes)
        self._v = bytearray(BLOCK)
        self._zero_seed = bytes(self._key_bytes + BLOCK)
        # The cipher refers to the two buffers, which Update overwrites in place: a new context then
        # takes the new key and counter without any further object being made.
        # AES256 spares the cipher library a look at the key's length, for each context.
        aes = algorithms.AES256 if key_bits == 256 else algorithms.AES
        self._cipher = Cipher(aes(self._key), modes.CTR(self._v))
        super().__init__(entropy, **options)

    @property
    def security_strength(self) -> int:
        """The AES key length (Table 3)."""
        return 8 * self._key_bytes

    @property
    def seed_bytes(self) -> int:
        """Seedlen = outlen + keylen (Table 3)."""
        return BLOCK + self._key_bytes

    @property
    def min_entropy_bytes(self) -> int:
        """The security strength, or the whole seed where there is no derivation function (Table 3)."""
        return self._key_bytes if self._df else self.seed_bytes

    @property
    def max_entropy_bytes(self) -> int:
        """2^35 bits, or exactly the seed length where there is no derivation function (Table 3)."""
        return MAX_INPUT_BYTES if self._df else self.seed_bytes

    @property
    def min_nonce_bytes(self) -> int:
        """Half the security strength; no nonce without derivation function (10.2.1.3.1)."""
        return self._key_bytes // 2 if self._df else 0

    @property
    def max_personalisation_bytes(self) -> int:
        """2^35 bits, or the seed length where there is no derivation function (Table 3)."""
        return MAX_INPUT_BYTES if self._df else self.seed_bytes

    @property
    def max_additional_bytes(self) -> int:
        """2^35 bits, or the seed length where there is no derivation function (Table 3)."""
        return self.max_personalisation_bytes

    @property
    def max_request_bytes(self) -> int:
        """B = min((2^ctr_len - 4) × blocklen, 2^19) bits (Table 3)."""
        if self._ctr_bits >= 16:
            return MAX_REQUEST_BYTES
        return int(min(((1 << self._ctr_bits) - 4) * BLOCK, MAX_REQUEST_BYTES))

    def _instantiate_algorithm(self, entropy: bytes, nonce: bytes, personalisation: bytes) -> None:
        if self._df:
            # 10.2.1.3.2, steps 1 and 2.
            seed = block_cipher_df(entropy + nonce + personalisation, self.seed_bytes, self._key_bytes)
        else:
            # 10.2.1.3.1, steps 1 to 3.
            if nonce:
                raise DrbgError("CTR_DRBG without derivation function takes no nonce (SP 800-90A 10.2.1.3.1)")
            seed = _xor(entropy, personalisation.ljust(self.seed_bytes, b"\0"))
        # 10.2.1.3, steps 4 to 6: Key = 0, V = 0, Update(seed_material).
        self._wipe()
        self._update(seed)

    def _reseed_algorithm(self, entropy: bytes, additional: bytes) -> None:
        # 10.2.1.4.1 and 10.2.1.4.2.
        if self._df:
            seed = block_cipher_df(entropy + additional, self.seed_bytes, self._key_bytes)
        else:
            seed = _xor(entropy, additional.ljust(self.seed_bytes, b"\0"))
        self._update(seed)

    def _generate_algorithm(self, out: bytearray | memoryview, additional: bytes) -> None:
        # 10.2.1.5.1, step 2: additional input first passes through Update, and counts again in step 6.
        provided = self._zero_seed
        if additional:
            provided = self._additional_seed(additional)
            self._update(provided)
        # Steps 3 to 6. Output blocks and the blocks of Update are one run of the counter under one
        # key, so one encryption context serves both.
        size = len(out)
        if self._ctr_bits != 128 and self._wraps(-(-size // BLOCK) + 3):
            self._generate_wrapping(out, provided)
            return
        context = self._context()
        if size == MAX_REQUEST_BYTES:
            context.update_into(_ZEROS, out)
        else:
            context.update_into(_ZEROS[:size], out)
            if size % BLOCK:
                context.update(_ZEROS[: -size % BLOCK])
        # 10.2.1.2, steps 5 and 6.
        temp = context.update(provided)
        self._key[:] = temp[: self._key_bytes]
        self._v[:] = temp[self._key_bytes :]

    def _additional_seed(self, additional: bytes) -> bytes:
        if self._df:
            return block_cipher_df(additional, self.seed_bytes, self._key_bytes)
        return additional.ljust(self.seed_bytes, b"\0")

    def _context(self) -> CipherContext:
        """AES-CTR from the block after V, which is the first one the standard encrypts (step 4.1)."""
        v = self._v
        if v[-1] != 0xFF:
            v[-1] += 1
        else:
            v[:] = ((int.from_bytes(v, "big") + 1) & _MASK).to_bytes(BLOCK, "big")
        return self._cipher.encryptor()

    def _update(self, provided: bytes) -> None:
        # 10.2.1.2, CTR_DRBG_Update: encrypting the provided data in counter mode is step 4's exclusive or.
        if self._ctr_bits != 128 and self._wraps(3):
            self._take(_xor(self._blocks(3)[: self.seed_bytes], provided))
        else:
            self._take(self._context().update(provided))

    def _take(self, temp: bytes) -> None:
        # 10.2.1.2, steps 5 and 6.
        self._key[:] = temp[: self._key_bytes]
        self._v[:] = temp[self._key_bytes :]

    def _wraps(self, blocks: int) -> bool:
        """Whether the counter field overflows into the rest of V within the next `blocks` blocks."""
        field = int.from_bytes(self._v, "big") & ((1 << self._ctr_bits) - 1)
        return field + blocks >= 1 << self._ctr_bits

    def _blocks(self, count: int) -> bytes:
        """Steps 4.1 and 4.2 of Generate one block at a time, for a counter field that wraps."""
        mask = (1 << self._ctr_bits) - 1
        v = int.from_bytes(self._v, "big")
        counters = bytearray()
        for _ in range(count):
            v = (v & ~mask) | ((v + 1) & mask)
            counters += v.to_bytes(BLOCK, "big")
        self._v[:] = v.to_bytes(BLOCK, "big")
        return _ecb(bytes(self._key), bytes(counters))

    def _generate_wrapping(self, out: bytearray | memoryview, provided: bytes) -> None:
        size = len(out)
        out[:] = self._blocks(-(-size // BLOCK))[:size]
        self._update(provided)

    def working_state(self) -> dict[str, bytes | int]:
        """The secret working state, by the standard's names, for known-answer tests alone."""
        return {"Key": bytes(self._key), "V": bytes(self._v)}

    def _wipe(self) -> None:
        self._key[:] = bytes(len(self._key))
        self._v[:] = bytes(BLOCK)


def block_cipher_df(material: bytes, nbytes: int, key_bytes: int) -> bytes:
    """Block_Cipher_df: `nbytes` of seed condensed from input of any length by AES.

    Source: NIST SP 800-90A Rev. 1, clause 10.3.2.
    """
    # Steps 2 to 4: S = L ‖ N ‖ input_string ‖ 0x80, padded with zeros to whole blocks.
    s = len(material).to_bytes(4, "big") + nbytes.to_bytes(4, "big") + material + b"\x80"
    s += bytes(-len(s) % BLOCK)
    # Steps 5 to 9: BCC over IV_i ‖ S, where IV_i is the block number padded with zeros.
    key = _DF_KEY[:key_bytes]
    temp = b"".join(
        _bcc(key, i.to_bytes(4, "big") + bytes(12) + s) for i in range(-(-(key_bytes + BLOCK) // BLOCK))
    )
    key, x = temp[:key_bytes], temp[key_bytes : key_bytes + BLOCK]
    # Steps 10 to 15: X = Block_Encrypt(K, X), as often as bytes are needed.
    blocks = []
    for _ in range(-(-nbytes // BLOCK)):
        x = _ecb(key, x)
        blocks.append(x)
    return b"".join(blocks)[:nbytes]


def _bcc(key: bytes, data: bytes) -> bytes:
    """BCC (10.3.3): the last block of CBC encryption from a zero chaining value."""
    encryptor = Cipher(algorithms.AES(key), modes.CBC(bytes(BLOCK))).encryptor()
    return encryptor.update(data)[-BLOCK:]


def _ecb(key: bytes, data: bytes) -> bytes:
    """Block_Encrypt of SP 800-90A on each block."""
    return Cipher(algorithms.AES(key), modes.ECB()).encryptor().update(data)  # noqa: S305 - the standard's primitive


def _xor(a: bytes, b: bytes) -> bytes:
    return (int.from_bytes(a, "big") ^ int.from_bytes(b, "big")).to_bytes(len(a), "big")
