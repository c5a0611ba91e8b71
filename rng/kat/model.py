"""Vectors of generators: what a file holds, and in which modes it is tried."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

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
                raise VectorError(f"{self.file}:{number}: {match[1]} before any COUNT")
            else:
                self.fields.append((number, match[1], match[2]))
        elif line:
            raise VectorError(f"{self.file}:{number}: 'Name = value' or '[…]' expected, {line:.40}")

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
    # HMAC first: no other name contains it, while Hash and CTR could be next to it in a folder name.
    for key in ("HMAC", "HASH", "CTR"):
        if key in upper:
            return MECHANISMS[f"{key.lower()}drbg"]
    return None


# The fields of each call, in the order in which a file prints them; the first of them begins the call.
_CALLS: Final[dict[str, tuple[str, ...]]] = {
    "instantiate": ("EntropyInput", "Nonce", "PersonalizationString"),
    "reseed": ("EntropyInputReseed", "AdditionalInputReseed"),
    "generate": ("AdditionalInput", "EntropyInputPR", "ReturnedBits"),
}
_BEGUN_BY: Final = {fields[0]: call for call, fields in _CALLS.items()}


@dataclass(slots=True)
class _Call:
    """A call of the DRBG as it is read: its fields, and the working state that is printed after it."""

    kind: str
    fields: dict[str, bytes]
    state: dict[str, bytes | int]
    ended: bool = False

    def takes(self, name: str) -> bool:
        """Whether a field may follow: one of the state once that is printed, else one of those not yet passed."""
        if self.ended:
            return name in _STATE_FIELDS
        order = _CALLS[self.kind]
        return name in order and all(order.index(name) > order.index(one) for one in self.fields)


def _case(file: str, label: str, fields: list[tuple[int, str, str]]) -> KatCase:
    """The test in the lines after one COUNT; their order is the order of the calls."""
    calls: list[_Call] = []
    for number, name, text in fields:
        kind = _BEGUN_BY.get(name)
        if kind is not None and (kind == "instantiate") is (not calls):
            calls.append(_Call(kind, {}, {}))
        if calls and name == "**" and not calls[-1].ended:
            calls[-1].ended = True
        elif calls and calls[-1].takes(name):
            into: dict[str, Any] = calls[-1].state if calls[-1].ended else calls[-1].fields
            into[name] = _value(f"{file}:{number}", name, text)
        else:
            wanted = "a call of the DRBG" if calls else "EntropyInput"
            raise VectorError(f"{file}:{number}: {wanted} expected, {name} found")
    if not calls:
        raise VectorError(f"{file}: {label}: EntropyInput expected, but the test ends")
    returned = [call.fields["ReturnedBits"] for call in calls if "ReturnedBits" in call.fields]
    if not returned:
        raise VectorError(f"{file}: {label}: no ReturnedBits")
    entropy, nonce, personalisation = (calls[0].fields.get(name, b"") for name in _CALLS["instantiate"])
    steps = tuple(map(_step, calls[1:]))
    return KatCase(label, entropy, nonce, personalisation, steps, returned[-1], calls[0].state)


def _step(call: _Call) -> KatStep:
    if call.kind == "reseed":
        fresh, additional = call.fields["EntropyInputReseed"], call.fields.get("AdditionalInputReseed", b"")
        return KatStep("reseed", additional, fresh, call.state)
    return KatStep(
        "generate", call.fields["AdditionalInput"], call.fields.get("EntropyInputPR", b""), call.state
    )


def _value(where: str, name: str, text: str) -> bytes | int:
    """The value of a field: a number of the reseed counter, else bytes."""
    if name == "reseed counter":
        if not text.isdecimal():
            raise VectorError(f"{where}: reseed counter: a number expected")
        return int(text)
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise VectorError(f"{where}: {name}: hexadecimal expected ({error})") from None
