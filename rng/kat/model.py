"""Vectors of generators: what a file holds, and in which modes it is tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Final, Literal

from rng.drbg.hashed import HASHES
from rng.errors import VectorError


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


_OPTIONS: Final = re.compile(r"#\s*(CTR|Hash|HMAC)[_ ]DRBG\b", re.IGNORECASE)
_BRACKET: Final = re.compile(r"\[\s*([^\]=]+?)\s*(?:=\s*([^\]]*?)\s*)?\]")
_FIELD: Final = re.compile(r"([A-Za-z][A-Za-z ]*?)\s*=\s*(\S*)")
_STATE_FIELDS: Final = {"V", "C", "Key", "reseed counter"}


def read_cavs(file: str, text: str) -> list[KatGroup]:
    """The groups of one CAVS file.

    Raises:
        VectorError: a line is not of the form; the line is named.
    """
    reader = _Reader(file)
    for number, line in enumerate(text.splitlines(), 1):
        reader.line(number, line.strip())
    return reader.finish()


class _Reader:
    """A reader that takes the file line by line and collects its groups."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.mechanism = _mechanism_of_name(file)
        self.groups: list[KatGroup] = []
        self.header: dict[str, str] = {}
        self.mode = ""
        self.cases: list[KatCase] = []
        self.fields: list[tuple[int, str, str]] = []
        self.label = ""

    def line(self, number: int, line: str) -> None:
        """Take one line."""
        if line.startswith("#"):
            if match := _OPTIONS.match(line):
                self.mechanism = MECHANISMS[f"{match[1].lower()}drbg"]
        elif match := _BRACKET.fullmatch(line):
            self._bracket(match[1], match[2])
        elif line.startswith("**"):
            self.fields.append((number, "**", line.strip("* :")))
        elif match := _FIELD.fullmatch(line):
            if match[1] == "COUNT":
                self._close_case()
                self.label = f"COUNT {match[2]} (line {number})"
            elif not self.label:
                raise VectorError(f"{self.file}: line {number}: {match[1]} before any COUNT")
            else:
                self.fields.append((number, match[1], match[2]))
        elif line:
            raise VectorError(f"{self.file}: line {number}: 'Name = value' or '[…]' expected, {line:.40}")

    def finish(self) -> list[KatGroup]:
        """Close the last group."""
        self._close_group()
        if not self.groups:
            raise VectorError(f"{self.file}: no tests found: '[mode]' and 'COUNT = …' expected")
        return self.groups

    def _bracket(self, name: str, value: str | None) -> None:
        if value is None:
            self._close_group()
            self.mode = name
            self.header = {}
        else:
            # Options that follow tests begin a new group of the same mode.
            if self.label:
                mode = self.mode
                self._close_group()
                self.mode = mode
            self.header[name] = value

    def _close_case(self) -> None:
        if self.label:
            if not unsupported(self._mechanism(), self.mode.split(" ")[0]):
                self.cases.append(_case(self.file, self.label, self.fields))
            else:
                self.cases.append(_EMPTY)
        self.label, self.fields = "", []

    def _mechanism(self) -> Mechanism:
        if self.mechanism is None:
            raise VectorError(
                f"{self.file}: neither a line '# CTR_DRBG options' (Hash, HMAC) nor the file's name "
                "says which DRBG this is"
            )
        return self.mechanism

    def _close_group(self) -> None:
        self._close_case()
        if self.cases:
            mechanism = self._mechanism()
            mode = self.mode.split(" ")[0]
            bits = self._number("ReturnedBitsLen", 8 * len(self.cases[0].returned))
            reason = unsupported(mechanism, mode)
            if bits % 8:
                reason = reason or f"ReturnedBitsLen {bits}: only whole bytes are generated"
            self.groups.append(
                KatGroup(
                    file=self.file,
                    label=f"[{self.mode}] {', '.join(f'{k}={v}' for k, v in self.header.items())}",
                    mechanism=mechanism,
                    mode=mode,
                    derivation_function="no df" not in self.mode,
                    prediction_resistance=self.header.get("PredictionResistance", "False").lower() == "true",
                    counter_bits=128,
                    returned_bytes=bits // 8,
                    cases=() if reason else tuple(self.cases),
                    test_count=len(self.cases),
                    unsupported=reason,
                )
            )
        self.cases = []

    def _number(self, name: str, default: int) -> int:
        text = self.header.get(name)
        if text is None:
            return default
        if not text.isdecimal():
            raise VectorError(f"{self.file}: [{name} = {text}]: a number expected")
        return int(text)


_EMPTY: Final = KatCase("", b"", b"", b"", (), b"", {})


def _mechanism_of_name(file: str) -> Mechanism | None:
    upper = file.rsplit("/", 1)[-1].upper()
    # HMAC first: no other name contains it, while Hash and CTR could stand beside it in a folder name.
    for key in ("HMAC", "HASH", "CTR"):
        if key in upper:
            return MECHANISMS[f"{key.lower()}drbg"]
    return None


def _case(file: str, label: str, fields: list[tuple[int, str, str]]) -> KatCase:
    """The test in the lines after one COUNT; their order is the order of the calls."""
    scanner = _Scanner(file, fields)
    entropy = scanner.take("EntropyInput")
    nonce = scanner.take("Nonce", optional=True)
    personalisation = scanner.take("PersonalizationString", optional=True)
    instantiated = scanner.state()
    steps: list[KatStep] = []
    returned: bytes | None = None
    while not scanner.done:
        if scanner.next_is("EntropyInputReseed"):
            fresh = scanner.take("EntropyInputReseed")
            additional = scanner.take("AdditionalInputReseed", optional=True)
            steps.append(KatStep("reseed", additional, fresh, scanner.state()))
        elif scanner.next_is("AdditionalInput"):
            additional = scanner.take("AdditionalInput")
            fresh = scanner.take("EntropyInputPR", optional=True)
            if scanner.next_is("ReturnedBits"):
                returned = scanner.take("ReturnedBits")
            steps.append(KatStep("generate", additional, fresh, scanner.state()))
        else:
            scanner.unexpected()
    if returned is None:
        raise VectorError(f"{file}: {label}: no ReturnedBits")
    return KatCase(label, entropy, nonce, personalisation, tuple(steps), returned, instantiated)


class _Scanner:
    """Walks the fields of one test in order."""

    def __init__(self, file: str, fields: list[tuple[int, str, str]]) -> None:
        self.file = file
        self.fields = fields
        self.at = 0

    @property
    def done(self) -> bool:
        """Whether every field has been taken."""
        return self.at == len(self.fields)

    def next_is(self, name: str) -> bool:
        """Whether the next field has that name."""
        return not self.done and self.fields[self.at][1] == name

    def take(self, name: str, *, optional: bool = False) -> bytes:
        """The bytes of the next field, which must have that name unless it may be left out."""
        if not self.next_is(name):
            if optional:
                return b""
            if self.done:
                raise VectorError(f"{self.file}: {name} expected, but the test ends")
            self.unexpected(name)
        number, _, text = self.fields[self.at]
        self.at += 1
        try:
            return bytes.fromhex(text)
        except ValueError as error:
            raise VectorError(f"{self.file}: line {number}: {name}: hexadecimal expected ({error})") from None

    def state(self) -> dict[str, bytes | int]:
        """The working state printed after a call, where there is one."""
        found: dict[str, bytes | int] = {}
        if not self.next_is("**"):
            return found
        self.at += 1
        while not self.done and self.fields[self.at][1] in _STATE_FIELDS:
            number, name, text = self.fields[self.at]
            if name == "reseed counter" and text.isdecimal():
                self.at += 1
                found[name] = int(text)
            elif name == "reseed counter":
                raise VectorError(f"{self.file}: line {number}: reseed counter: a number expected")
            else:
                found[name] = self.take(name)
        return found

    def unexpected(self, wanted: str = "a call of the DRBG") -> None:
        """Refuse the next field."""
        number, name, _ = self.fields[self.at]
        raise VectorError(f"{self.file}: line {number}: {wanted} expected, {name} found")
