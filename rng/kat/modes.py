"""How vector files name their primitives, and which of these are offered here."""

import re
from typing import Final, Literal

from rng.drbg.hashes import HASHES

Mechanism = Literal["CTR_DRBG", "Hash_DRBG", "HMAC_DRBG"]

MECHANISMS: Final[dict[str, Mechanism]] = {
    "ctrdrbg": "CTR_DRBG",
    "hashdrbg": "Hash_DRBG",
    "hmacdrbg": "HMAC_DRBG",
}
_HASH: Final = re.compile(r"SHA-?(1|2-224|2-256|2-384|2-512|2-512/224|2-512/256|3-224|3-256|3-384|3-512)")
_OLD_HASH: Final = re.compile(r"SHA-?(224|256|384|512|512/224|512/256)")


def hash_name(mode: str) -> str | None:
    """The `hashlib` name of a hash named as ACVP or CAVS do, or nothing if no DRBG is built on it here.

    >>> hash_name("SHA2-512/256"), hash_name("SHA-512/256"), hash_name("SHA-1"), hash_name("SHA3-384")
    ('sha512_256', 'sha512_256', 'sha1', 'sha3_384')
    """
    if match := _HASH.fullmatch(mode):
        digits = match[1].removeprefix("2-").replace("/", "_").replace("-", "_")
    elif match := _OLD_HASH.fullmatch(mode):
        digits = match[1].replace("/", "_")
    else:
        return None
    name = f"sha{digits}"
    return name if name in HASHES else None


def unsupported(mechanism: Mechanism, mode: str) -> str:
    """Why a mode cannot be run, or nothing if it can."""
    if mechanism == "CTR_DRBG":
        if mode in ("AES-128", "AES-192", "AES-256"):
            return ""
        if "TDE" in mode.upper():
            return f"{mode}: three-key TDEA is not supported (withdrawn from new use, SP 800-131A Rev. 2)"
        return f"{mode}: not a block cipher that CTR_DRBG is offered with (AES-128, AES-192, AES-256)"
    if hash_name(mode) is None:
        return f"{mode}: not a hash that {mechanism} is offered with ({', '.join(HASHES)})"
    return ""
