"""Runs vector files of either format through the DRBGs and counts what came of it."""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from rng.drbg import CtrDrbg, Drbg, HashDrbg, HmacDrbg
from rng.errors import EntropyError, RngError, VectorError
from rng.kat.acvp import AcvpDocument, acvp_groups, expected_bits, read_acvp
from rng.kat.cavs import read_cavs
from rng.kat.model import KatCase, KatFailure, KatFile, KatGroup, KatNotRun, KatReport, KatTally, hash_name
from rng.outside import VECTORS, read_file

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


class _Script:
    """The entropy inputs of a test, served one by one."""

    __slots__ = ("_inputs",)

    live: Final = False

    def __init__(self, inputs: Iterable[bytes]) -> None:
        self._inputs = list(inputs)

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        """The next entropy input of the file, whatever its length."""
        if not self._inputs:
            raise EntropyError("the test gives no entropy input for this call")
        return self._inputs.pop(0)


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
    entropy = _Script([case.entropy, *(step.entropy for step in case.steps if step.entropy)])
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
