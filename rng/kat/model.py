"""Vectors of generators: what a file holds, and in which modes it is tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, Literal

from rng.drbg.hashed import HASHES


@dataclass(frozen=True, slots=True)
class KatStep:
    """One call after Instantiate: a reseed or a generate, with the state that a CAVS file prints after it."""

    kind: Literal["reseed", "generate"]
    additional: bytes
    entropy: bytes
    state: Mapping[str, bytes | int]


@dataclass(frozen=True, slots=True)
class KatCase:
    """One test: the inputs in order and the bits that the last generate must return."""

    label: str
    entropy: bytes
    nonce: bytes
    personalisation: bytes
    steps: tuple[KatStep, ...]
    returned: bytes
    instantiated: Mapping[str, bytes | int]


@dataclass(frozen=True, slots=True)
class KatGroup:
    """Tests with the same mechanism and options.

    `mode` is the hash as `hashlib` names it, or the AES key length; `unsupported` says why the
    group cannot be run, and is empty where it can.
    """

    file: str
    label: str
    mechanism: Literal["CTR_DRBG", "Hash_DRBG", "HMAC_DRBG"]
    mode: str
    derivation_function: bool
    prediction_resistance: bool
    counter_bits: int
    returned_bytes: int
    cases: tuple[KatCase, ...]
    test_count: int
    unsupported: str = ""

    @property
    def algorithm(self) -> str:
        """The mechanism with its options in words.

        Example: ``CTR_DRBG AES-256 df``.
        """
        if self.mechanism != "CTR_DRBG":
            return f"{self.mechanism} {self.mode}"
        return f"{self.mechanism} {self.mode} {'df' if self.derivation_function else 'no df'}"


@dataclass(frozen=True, slots=True)
class KatFile:
    """A vector file that was read, with the digest by which the report names it."""

    name: str
    sha256: str
    format: str


@dataclass(frozen=True, slots=True)
class KatFailure:
    """A test whose answer was not the published one."""

    file: str
    group: str
    test: str
    reason: str


@dataclass(frozen=True, slots=True)
class KatNotRun:
    """A group of tests that was not run, and why; never counted as passed."""

    file: str
    group: str
    tests: int
    reason: str


@dataclass(frozen=True, slots=True)
class KatTally:
    """Tests run and passed for one mechanism and mode."""

    algorithm: str
    tests: int
    passed: int


@dataclass(frozen=True, slots=True)
class KatReport:
    """The outcome of a set of vector files; `tests` and `groups` count only what was run."""

    groups: int
    tests: int
    passed: int
    failed: tuple[KatFailure, ...]
    not_run: tuple[KatNotRun, ...]
    files: tuple[KatFile, ...]
    algorithms: tuple[KatTally, ...]

    @property
    def holds(self) -> bool:
        """Whether something was run and all of it passed."""
        return self.tests > 0 and not self.failed

    def to_json(self) -> dict[str, object]:
        """The document that `certify rng kat` prints."""
        return asdict(self)


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
