"""Deal again any deck that this product has dealt, from its seed, with a program of its own.

    python redeal.py MASTER_SEED_HEX PURPOSE INDEX [FIRST_DECK [DECKS [CARDS]]]

Follows docs/byte-consumption-rule.md, version 1. Nothing of the product is imported: hashing and HMAC
are Python's own, AES is that of the `cryptography` package, because Python has none.
"""

import hmac
import sys

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

BLOCK_BYTES = 65536  # rule 2: the stream is drawn in requests of 64 KiB
GROUP_LIMIT = 1 << 57  # rule 4: bounds share a word while their product is at most this


def stream_seed(master, purpose, index):
    """Rule 1: HKDF-SHA-384 (RFC 5869), 48 bytes."""
    name = purpose.encode("ascii")
    info = bytes([len(name)]) + name + index.to_bytes(8, "big")
    key = hmac.digest(b"rng stream, byte-consumption rule 1", master, "sha384")  # extract
    return hmac.digest(key, info + b"\x01", "sha384")  # expand: one block is 48 bytes


class CtrDrbg:
    """Rule 2: CTR_DRBG of SP 800-90A Rev. 1 with AES-256, without derivation function."""

    def __init__(self, seed):
        self.key, self.v = bytes(32), 0
        self.update(seed)

    def blocks(self, count):
        """The AES encryptions of V + 1, V + 2, … as one run of bytes."""
        counters = b"".join(((self.v + i) % (1 << 128)).to_bytes(16, "big") for i in range(1, count + 1))
        self.v = (self.v + count) % (1 << 128)
        return Cipher(algorithms.AES(self.key), modes.ECB()).encryptor().update(counters)  # noqa: S305 - one block

    def update(self, provided):
        """CTR_DRBG_Update: three blocks, exclusive-or the provided data, are the new Key and V."""
        new = bytes(a ^ b for a, b in zip(self.blocks(3), provided, strict=True))
        self.key, self.v = new[:32], int.from_bytes(new[32:], "big")

    def generate(self, nbytes):
        """One request without additional input."""
        out = self.blocks(nbytes // 16)
        self.update(bytes(48))
        return out


def words(seed):
    """Rule 2: the words of the stream, 8 bytes each, least significant byte first."""
    drbg = CtrDrbg(seed)
    while True:
        block = drbg.generate(BLOCK_BYTES)
        for i in range(0, BLOCK_BYTES, 8):
            yield int.from_bytes(block[i : i + 8], "little")


def draw(source, bounds):
    """Rule 3: one number below each bound from a single word, or from the next one if it is rejected."""
    product = 1
    for bound in bounds:
        product *= bound
    while True:
        rest, numbers = next(source), []
        for bound in bounds:
            number, rest = divmod(rest * bound, 1 << 64)
            numbers.append(number)
        if rest >= (1 << 64) % product:
            return numbers


def groups(cards):
    """Rule 4: the bounds n, n - 1, …, 2 in the groups that share a word."""
    made, product = [], GROUP_LIMIT + 1
    for bound in range(cards, 1, -1):
        if product * bound > GROUP_LIMIT:
            made.append([])
            product = 1
        made[-1].append(bound)
        product *= bound
    return made


def deal(source, cards):
    """Rule 4: a full shuffle of the cards 0 to n - 1."""
    deck, position = list(range(cards)), 0
    for bounds in groups(cards):
        for number in draw(source, bounds):
            other = position + number
            deck[position], deck[other] = deck[other], deck[position]
            position += 1
    return deck


def redeal(master, purpose, index, first=0, count=1, cards=40):
    """The decks numbered from `first` of the stream (master seed, purpose, index)."""
    source = words(stream_seed(master, purpose, index))
    decks = [deal(source, cards) for _ in range(first + count)]
    return decks[first:]


if __name__ == "__main__":
    if not 4 <= len(sys.argv) <= 7:
        sys.exit(__doc__)
    numbers = [int(text) for text in sys.argv[3:]]
    for dealt in redeal(bytes.fromhex(sys.argv[1]), sys.argv[2], *numbers):
        sys.stdout.write(" ".join(map(str, dealt)) + "\n")
