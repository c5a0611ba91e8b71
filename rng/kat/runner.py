"""Runs vector files of either format through the DRBGs and counts what came of it."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeVar

from rng.drbg import CtrDrbg, Drbg, HashDrbg, HmacDrbg
from rng.entropy import RecordedEntropy
from rng.errors import RngError, VectorError
from rng.kat.model import (
    MECHANISMS,
    KatCase,
    KatFailure,
    KatFile,
    KatGroup,
    KatNotRun,
    KatReport,
    KatStep,
    KatTally,
    Mechanism,
    hash_name,
    read_cavs,
    unsupported,
)
from rng.outside import VECTORS, json_of, read_file

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
        raise VectorError(f"{file}:{error.lineno}:{error.colno}: not JSON ({error.msg})") from None
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


def _tests(file: str, groups: list[Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for g, group in enumerate(groups):
        place = f"testGroups[{g}]"
        if not isinstance(group, dict):
            raise VectorError(f"{file}: {place}: an object expected")
        for t, test in enumerate(_get(group, "tests", list, file, place)):
            if not isinstance(test, dict):
                raise VectorError(f"{file}: {place}.tests[{t}]: an object expected")
            yield (f"{place}.tests[{t}]", test)


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


# A CAVS file may begin with a bracket too, but its bracket holds a word.
_JSON: Final = re.compile(r"\s*(\{|\[\s*[\[{])")


def run_kat_files(paths: Iterable[str | Path]) -> KatReport:
    """Run every test in the given files against our DRBGs.

    Args:
        paths: ACVP JSON files (internal projections, or prompts together with their expected
            results) and CAVS `.rsp` or `.txt` files, in any mixture.

    Raises:
        VectorError: a file cannot be read or is malformed; the file and the place are named.
    """
    files: list[KatFile] = []
    groups: list[KatGroup] = []
    documents: list[AcvpDocument] = []
    for path in map(Path, paths):
        text, digest = _read(path)
        document = read_acvp(str(path), text) if _JSON.match(text) else None
        if document is None:
            groups += read_cavs(str(path), text)
            files.append(KatFile(path.name, digest, "CAVS"))
        else:
            documents.append(document)
            files.append(
                KatFile(path.name, digest, f"ACVP {document.identity[1]} {document.kind}".replace("  ", " "))
            )
    paired, not_run = _pair(documents)
    return _run(groups + paired, not_run, files)


def _read(path: Path) -> tuple[str, str]:
    try:
        data = read_file(path, VECTORS, lambda reason: VectorError(f"{path}: {reason}"))
        return data.decode("utf-8-sig"), hashlib.sha256(data).hexdigest()
    except UnicodeDecodeError as error:
        raise VectorError(f"{path}: byte {error.start}: text in UTF-8 expected") from None


def _pair(documents: Sequence[AcvpDocument]) -> tuple[list[KatGroup], list[KatNotRun]]:
    """Complete files as they are; prompts with the expected results that belong to them."""
    groups: list[KatGroup] = []
    not_run: list[KatNotRun] = []
    halves = [d for d in documents if d.kind == "expected"]
    used: set[int] = set()
    for document in documents:
        if document.kind == "complete":
            groups += acvp_groups(document)
        elif document.kind == "prompt":
            match = _answers_for(document, halves, used)
            if match is None:
                not_run.append(_half(document, "no expected results for this prompt among the files"))
            else:
                used.add(match)
                groups += acvp_groups(document, expected_bits(halves[match]))
    not_run += [
        _half(d, "expected results whose prompt is not among the files")
        for i, d in enumerate(halves)
        if i not in used
    ]
    return groups, not_run


def _answers_for(prompt: AcvpDocument, halves: Sequence[AcvpDocument], used: set[int]) -> int | None:
    """Which expected results belong to a prompt: same identity, the same folder before another."""
    candidates = [i for i, d in enumerate(halves) if i not in used and d.identity == prompt.identity]
    candidates.sort(key=lambda i: Path(halves[i].file).parent != Path(prompt.file).parent)
    return candidates[0] if candidates else None


def _half(document: AcvpDocument, reason: str) -> KatNotRun:
    tests = sum(len(group["tests"]) for group in document.body["testGroups"])
    return KatNotRun(document.file, "all", tests, reason)


def _run(groups: Sequence[KatGroup], not_run: list[KatNotRun], files: list[KatFile]) -> KatReport:
    failed: list[KatFailure] = []
    counts: dict[str, list[int]] = {}
    run_groups = 0
    for group in groups:
        if group.unsupported:
            not_run.append(KatNotRun(group.file, group.label, group.test_count, group.unsupported))
            continue
        run_groups += bool(group.cases)
        tally = counts.setdefault(group.algorithm, [0, 0])
        for case in group.cases:
            reason = run_case(group, case)
            tally[0] += 1
            tally[1] += not reason
            if reason:
                failed.append(KatFailure(group.file, group.label, case.label, reason))
    return KatReport(
        groups=run_groups,
        tests=sum(tests for tests, _ in counts.values()),
        passed=sum(passed for _, passed in counts.values()),
        failed=tuple(failed),
        not_run=tuple(not_run),
        files=tuple(files),
        algorithms=tuple(KatTally(name, tests, passed) for name, (tests, passed) in sorted(counts.items())),
    )


def run_case(group: KatGroup, case: KatCase) -> str:
    """Run one test; the reason for which it failed, or nothing if it passed."""
    try:
        return _compare(group, case)
    except RngError as error:
        return str(error)


def _compare(group: KatGroup, case: KatCase) -> str:
    drbg = _instantiate(group, case)
    if difference := _state_difference(drbg, case.instantiated):
        return f"after instantiate: {difference}"
    returned = b""
    for number, step in enumerate(case.steps, 1):
        if step.kind == "reseed":
            drbg.reseed(step.additional)
        else:
            returned = drbg.generate(group.returned_bytes, step.additional)
        if difference := _state_difference(drbg, step.state):
            return f"after call {number} ({step.kind}): {difference}"
    # Only the bits of the last generate are published.
    if returned != case.returned:
        return f"returned bits {returned.hex()[:32]}…, expected {case.returned.hex()[:32]}…"
    return ""


def _instantiate(group: KatGroup, case: KatCase) -> Drbg:
    entropy = RecordedEntropy([case.entropy, *(step.entropy for step in case.steps if step.entropy)])
    if group.mechanism == "CTR_DRBG":
        return CtrDrbg(
            entropy,
            key_bits=int(group.mode.removeprefix("AES-")),
            derivation_function=group.derivation_function,
            counter_bits=group.counter_bits,
            # Without derivation function there is no nonce (SP 800-90A 10.2.1.3.1).
            nonce=case.nonce if group.derivation_function else b"",
            personalisation=case.personalisation,
            prediction_resistance=group.prediction_resistance,
        )
    mechanism = HashDrbg if group.mechanism == "Hash_DRBG" else HmacDrbg
    return mechanism(
        entropy,
        hash_name=hash_name(group.mode) or group.mode,
        nonce=case.nonce,
        personalisation=case.personalisation,
        prediction_resistance=group.prediction_resistance,
    )


def _state_difference(drbg: Drbg, expected: Mapping[str, bytes | int]) -> str:
    """Where the working state is not the one the file prints; nothing if it is, or none is printed."""
    found = drbg.working_state()
    for name, value in expected.items():
        if found.get(name) != value:
            return f"{name} is not the published value"
    return ""
