"""Reads the JSON vector files of NIST's ACVP server: internal projections, prompts and expected results."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from rng.errors import VectorError
from rng.kat.model import MECHANISMS, KatCase, KatGroup, KatStep, Mechanism, unsupported
from rng.outside import json_of

Kind = Literal["complete", "prompt", "expected"]
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class AcvpDocument:
    """One ACVP file: a whole set of tests, or one of the halves that make up a set."""

    file: str
    kind: Kind
    identity: tuple[str, str, str]
    mechanism: Mechanism
    body: Mapping[str, Any]


def read_acvp(file: str, text: str) -> AcvpDocument:
    """The document in one JSON vector file.

    Raises:
        VectorError: it is not JSON or not of an ACVP DRBG file's form; the place is named.
    """
    try:
        document = json_of(text)
    except json.JSONDecodeError as error:
        raise VectorError(
            f"{file}: line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except ValueError as error:
        raise VectorError(f"{file}: not JSON that can be read in one way: {error}") from None
    # On the wire the server sends a list of a version object and the vector set.
    if isinstance(document, list):
        sets = [item for item in document if isinstance(item, dict) and "testGroups" in item]
        if len(sets) != 1:
            raise VectorError(f"{file}: a list with exactly one vector set expected, {len(sets)} found")
        document = sets[0]
    if not isinstance(document, dict):
        raise VectorError(f"{file}: a JSON object expected")
    algorithm = _get(document, "algorithm", str, file, "top level")
    mechanism = MECHANISMS.get(algorithm.replace("-", "").replace("_", "").lower())
    if mechanism is None:
        raise VectorError(f"{file}: algorithm {algorithm!r}: ctrDRBG, hashDRBG or hmacDRBG expected")
    groups = _get(document, "testGroups", list, file, "top level")
    identity = (algorithm, str(document.get("revision", "")), str(document.get("vsId", "")))
    return AcvpDocument(file, _kind(file, groups), identity, mechanism, document)


def _kind(file: str, groups: list[Any]) -> Kind:
    for place, test in _tests(file, groups):
        if "entropyInput" not in test:
            return "expected"
        if "returnedBits" not in test:
            return "prompt"
        if not isinstance(test["entropyInput"], str):
            raise VectorError(f"{file}: {place}.entropyInput: hexadecimal text expected")
    return "complete"


def _tests(file: str, groups: list[Any]) -> list[tuple[str, Mapping[str, Any]]]:
    found: list[tuple[str, Mapping[str, Any]]] = []
    for g, group in enumerate(groups):
        place = f"testGroups[{g}]"
        if not isinstance(group, dict):
            raise VectorError(f"{file}: {place}: an object expected")
        for t, test in enumerate(_get(group, "tests", list, file, place)):
            if not isinstance(test, dict):
                raise VectorError(f"{file}: {place}.tests[{t}]: an object expected")
            found.append((f"{place}.tests[{t}]", test))
    return found


def expected_bits(document: AcvpDocument) -> dict[tuple[int, int], str]:
    """The answers in a file of expected results, by group and test number."""
    file = document.file
    answers: dict[tuple[int, int], str] = {}
    for g, group in enumerate(document.body["testGroups"]):
        place = f"testGroups[{g}]"
        group_id = _get(group, "tgId", int, file, place)
        for t, test in enumerate(group["tests"]):
            at = f"{place}.tests[{t}]"
            key = (group_id, _get(test, "tcId", int, file, at))
            if key in answers:
                raise VectorError(f"{file}: {at}: test {key[1]} of group {key[0]} appears twice")
            answers[key] = _get(test, "returnedBits", str, file, at)
    return answers


def acvp_groups(
    document: AcvpDocument, answers: Mapping[tuple[int, int], str] | None = None
) -> list[KatGroup]:
    """The groups of a complete file, or of a prompt with its answers.

    Raises:
        VectorError: a field is missing or malformed, or a test has no answer.
    """
    return [_group(document, g, group, answers) for g, group in enumerate(document.body["testGroups"])]


def _group(
    document: AcvpDocument,
    number: int,
    group: Mapping[str, Any],
    answers: Mapping[tuple[int, int], str] | None,
) -> KatGroup:
    file, place = document.file, f"testGroups[{number}]"
    group_id = _get(group, "tgId", int, file, place)
    mode = _get(group, "mode", str, file, place)
    tests = group["tests"]
    reason = unsupported(document.mechanism, mode)
    bits = _get(group, "returnedBitsLen", int, file, place)
    if bits <= 0 or bits % 8:
        reason = reason or f"returnedBitsLen {bits}: only whole bytes are generated"
    counter_bits = group.get("counterFieldLen")
    cases = (
        ()
        if reason
        else tuple(
            _case(document, f"{place}.tests[{t}]", group_id, test, answers) for t, test in enumerate(tests)
        )
    )
    return KatGroup(
        file=file,
        label=f"tgId {group_id}",
        mechanism=document.mechanism,
        mode=mode,
        derivation_function=bool(group.get("derFunc", True)),
        prediction_resistance=_get(group, "predResistance", bool, file, place),
        counter_bits=128 if counter_bits is None else _get(group, "counterFieldLen", int, file, place),
        returned_bytes=bits // 8,
        cases=cases,
        test_count=len(tests),
        unsupported=reason,
    )


def _case(
    document: AcvpDocument,
    place: str,
    group_id: int,
    test: Mapping[str, Any],
    answers: Mapping[tuple[int, int], str] | None,
) -> KatCase:
    file = document.file
    number = _get(test, "tcId", int, file, place)
    if answers is None:
        returned = _hex(test, "returnedBits", file, place)
    elif (group_id, number) in answers:
        returned = _hex({"returnedBits": answers[group_id, number]}, "returnedBits", file, place)
    else:
        raise VectorError(f"{file}: {place}: no expected result for test {number} of group {group_id}")
    steps = _get(test, "otherInput", list, file, place)
    return KatCase(
        label=f"tcId {number}",
        entropy=_hex(test, "entropyInput", file, place),
        nonce=_hex(test, "nonce", file, place, optional=True),
        personalisation=_hex(test, "persoString", file, place, optional=True),
        steps=tuple(_step(file, f"{place}.otherInput[{s}]", step) for s, step in enumerate(steps)),
        returned=returned,
        instantiated={},
    )


def _step(file: str, place: str, step: Any) -> KatStep:
    if not isinstance(step, dict):
        raise VectorError(f"{file}: {place}: an object expected")
    use = _get(step, "intendedUse", str, file, place)
    if use.lower() not in ("reseed", "generate"):
        raise VectorError(f"{file}: {place}.intendedUse {use!r}: reSeed or generate expected")
    return KatStep(
        kind="reseed" if use.lower() == "reseed" else "generate",
        additional=_hex(step, "additionalInput", file, place, optional=True),
        entropy=_hex(step, "entropyInput", file, place, optional=True),
        state={},
    )


def _get(holder: Mapping[str, Any], key: str, kind: type[_T], file: str, place: str) -> _T:
    value = holder.get(key)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        what = "missing" if key not in holder else f"{value!r:.40}"
        raise VectorError(f"{file}: {place}.{key}: {kind.__name__} expected, {what}")
    return value


def _hex(holder: Mapping[str, Any], key: str, file: str, place: str, *, optional: bool = False) -> bytes:
    if optional and holder.get(key) is None:
        return b""
    text = _get(holder, key, str, file, place)
    try:
        return bytes.fromhex(text)
    except ValueError as error:
        raise VectorError(f"{file}: {place}.{key}: hexadecimal text expected ({error})") from None
