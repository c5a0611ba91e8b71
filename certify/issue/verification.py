"""Verifying a pack, with everything computed, rendered or repeated again that the caller asks for."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from certify.certification.bit_sequences import IN_ONE, OVER
from certify.certification.evidence import build_evidence, items_evidence, with_files
from certify.certification.generator import VECTORS
from certify.certification.outputs import KINDS, PRACTICE, WHOLE, practice_of
from certify.certification.play_through import ALPHA
from certify.certification.randomness import first_sample, rows_tested, run_tests
from certify.certification.request import Reporter, RunRequest
from certify.certification.run import run_certification
from certify.certification.submitted import tool_evidence
from certify.certification.tables import data_files, exact_files, recorded_files, tables_of
from certify.clauses import ExactResults
from certify.errors import CertifyError, TrustError
from certify.evidence import Brought, Evidence, Output, Randomness, Tool, stated_in
from certify.evidence.read import evidence_of
from certify.gate.change import differing, paired
from certify.issue.data import (
    ENVIRONMENT,
    code_of_pack,
    data_differences,
    exact_results,
    one_verification,
    outcome_again,
)
from certify.issue.delta import DESCRIBED, since_differences
from certify.issue.make import concluded
from certify.issue.parties import GAME_FILE
from certify.issue.recorded import (
    evidence_differences,
    head_differences,
    recorded_issue,
    request_of,
    submission_of,
)
from certify.model import FieldOrigin, Game, Verdict
from certify.rounds.conformance.promise import PromiseId
from certify.seal import VerificationReport, audited, canonical_bytes
from certify.seal.audited import audit_of
from certify.seal.confined import confined_verification
from certify.seal.layout import AUDIT, CERTIFICATE, REPORT, SIGNED, WEB_REPORT
from certify.seal.pdf_validation import read_signature, signed_again
from certify.seal.stamp import language_of
from certify.seal.tested import NUMBERS, numbers_of, reason_of, results_of, tests_differing
from certify.seal.verify import verify
from certify.submission import parse_game
from rng.battery import BatteryVerdict, TestResult, conclude
from rng.errors import SampleError

_LONGEST: Final = 400
"""Characters of a text of a test, and of why one was not run."""

_BITS: Final = 1_000_000
"""Bits of a stream that every test of bits takes."""

_NUMBER: Final = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?(?:e[+-]?\d+)?", re.ASCII)


def worded_differences(request: RunRequest, claimed: Randomness) -> Iterator[str]:
    """Yields where tests say otherwise of themselves than on the smallest sample that all of them take.

    Numbers follow from the sample, and come again with the whole run; every word next to them is the test's own.

    Args:
        request: What the run was to do.
        claimed: The tests, as the evidence states them.
    """
    known = _smallest(request.game)
    for test in claimed.tests:
        where = f"/randomness/tests/{test.suite}/{test.test}"
        # A label names the place that a test found, of any number of places: its length alone is bounded here.
        if max(map(len, (test.detectable, test.null, *test.labels))) > _LONGEST:
            yield f"{where}: a text is longer than {_LONGEST} characters"
        own = known.get((test.suite, test.test))
        if own is None:
            continue
        words = {"null": (test.null, own.null), "detectable": (test.detectable, own.detectable)}
        for name, (told, said) in words.items():
            if _without_numbers(told) != _without_numbers(said):
                yield f"{where}/{name}: {told!r}, expected {said!r} but for its numbers"
    for left in claimed.not_run:
        if len(left.reason) > _LONGEST:
            yield f"/randomness/not_run: a reason is longer than {_LONGEST} characters"


@lru_cache(maxsize=4)
def _smallest(game: Game) -> dict[tuple[str, str], TestResult]:
    """Returns the results of the tests on the smallest sample that all of them take, by suite and test."""
    sample = first_sample(game, bytes(32), rows_tested(game.equipment, 1), 1, _BITS)
    return {(one.suite, one.test): one for one in run_tests(sample) if isinstance(one, TestResult)}


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("0", text)


def operator_item_differences(game: Game, brought: Brought) -> Iterator[str]:
    """Yields where what an operator submitted is stated to have come to what does not follow from its own numbers.

    Output and system are not in the pack: their numbers are the issuer's word. What they come to is not, nor are the
    words of tests, rules and promises.

    Args:
        game: The submission.
        brought: What the operator submitted, as the evidence states it.
    """
    for place, output in enumerate(brought.outputs):
        where = f"/brought/outputs/{place}"
        if output.doubled is not None:
            # No test has to find that a row cannot be drawn.
            tested = len(output.tests), output.family_size, output.rejected, output.reasons
            of_doubled = (
                ("verdict", output.verdict, Verdict.NOT_SATISFIED),
                ("tests", tested, (0, 0, 0, ())),
                ("rule", output.rule, WHOLE),
            )
            yield from _unlike(where, of_doubled)
            continue
        try:
            verdict = conclude(results_of(output.tests), alpha=float(ALPHA))
        except SampleError as error:
            yield f"{where}/tests: {error}"
            continue
        yield from _unlike(where, _of_output(game, output, verdict))
        yield from (f"{where}/tests: {one}" for one in tests_differing(output.tests, verdict))
    if brought.system is not None:
        system = brought.system
        broken, kept = system.broken, {one.promise: one.verdict for one in system.promises}
        failed = [promise for promise, verdict in kept.items() if verdict is Verdict.NOT_SATISFIED]
        of_system = (
            ("promises", [one.promise for one in system.promises], [str(promise) for promise in PromiseId]),
            ("verdict", system.verdict, Verdict.SATISFIED if broken is None else Verdict.NOT_SATISFIED),
            ("broken", failed, [] if broken is None else [broken.promise]),
        )
        yield from _unlike("/brought/system", of_system)
    paths = [file.path for file in brought.files or ()]
    odd = {"", ".", ".."} & {part for path in paths for part in path.split("/")}
    if (
        brought.files == ()
        or odd
        or paths != sorted(set(paths))
        or any(f.bytes_ < 0 for f in brought.files or ())
    ):
        yield "/brought/files: not the files of a folder, each once, sorted by their paths"
    for where, value in stated_in(brought, "/brought", word=True):
        if len(str(value)) > _LONGEST_SHOWN:
            yield f"{where}: a text is longer than {_LONGEST_SHOWN} characters"


def _unlike(where: str, stated: Iterable[tuple[str, object, object]]) -> Iterator[str]:
    """Yields what is stated and does not follow."""
    return (f"{where}/{name}: {said!r}, expected {due!r}" for name, said, due in stated if said != due)


def _of_output(game: Game, output: Output, verdict: BatteryVerdict) -> Iterator[tuple[str, object, object]]:
    """Yields what is stated of a file, next to what follows."""
    kind = next((kind for kind in KINDS if kind == output.kind), KINDS[0])
    practice = practice_of(kind, game)
    follows = {
        "kind": kind,
        "alpha": verdict.alpha,
        "practice": practice,
        "asked": PRACTICE[practice],
        "rule": verdict.rule,
        "family_size": verdict.family_size,
        "rejected": sum(one.rejected for one in verdict.decisions),
        "verdict": Verdict(verdict.word),
        "reasons": verdict.reasons,
    }
    yield from ((name, getattr(output, name), due) for name, due in follows.items())
    known = _smallest(game)
    for test in output.run:
        # Those that decide were looked at by the verdict.
        yield f"{test.suite} {test.test} p-values", all(0 <= p <= 1 for p in test.p_values), True
        own = known.get((test.suite, test.test))
        if own is not None:
            null, shown = own.null, own.detectable
            if test.over_sequences is not None:
                null, shown = f"{null}; {OVER}", f"{IN_ONE}{shown}"
            for text, expected in ((test.null, null), (test.detectable, shown)):
                yield f"{test.suite} {test.test} words", _without_numbers(text), _without_numbers(expected)


_LONGEST_SHOWN: Final = 1_000
"""Characters of a text about what was submitted."""


def differences(evidence: Mapping[str, Any], files: Mapping[str, bytes] | None = None) -> list[str]:
    """Returns what comes out differently when the evidence is computed again, empty where all is the same.

    Strategies that the run searched for are taken from the files and proven, not searched for again.

    The whole evidence is built again, as a run builds it, from the submission that it embeds, from seed, profile and
    parties, and from what it says was counted: outcomes of campaigns, p-values, planted faults. Every field that
    follows is compared. What was counted is held to its form here, and compared where the run is repeated.
    """
    try:
        claimed = evidence_of(evidence)
    except TrustError as error:
        return [str(error)]
    try:
        game = parse_game(submission_of(claimed), claimed.item.files[0].name)
    except CertifyError as error:
        return [f"the embedded submission cannot be read: {error}"]
    try:
        request = request_of(claimed)
        certificate = game.port.strategies.certificate
        if certificate is not None:
            certificate.offer(game, files or {})
        exact = exact_results(game, request.regime, thorough=request.profile.thorough)
        computed = evidence_again(exact, request, claimed, files or {})
    except (CertifyError, SampleError) as error:
        return [f"the evidence cannot be computed again: {error}"]
    return [
        *evidence_differences(computed, claimed, {FieldOrigin.FOLLOWS}),
        *head_differences(claimed, request),
        *worded_differences(request, claimed.randomness),
        *operator_item_differences(game, claimed.brought),
        *since_differences(claimed, files or {}),
    ]


def evidence_again(
    exact: ExactResults, request: RunRequest, claimed: Evidence, files: Mapping[str, bytes]
) -> Evidence:
    """Returns the evidence of a run that counted what evidence says it counted, issued as it says.

    Args:
        exact: What follows from the submission alone.
        request: What the run was to do.
        claimed: The evidence.
        files: The files of the pack by name; the report alone where no more is there.

    Raises:
        InputError: It does not count what was planned.
        SampleError: Nothing follows from its p-values.
    """
    outcome = outcome_again(exact, request, claimed)
    issue, submission = recorded_issue(claimed, request), submission_of(claimed)
    described = {
        name: text
        for name, (_, text) in exact_files(exact, submission, claimed.report, claimed.brought).items()
    }
    made = build_evidence(request, outcome, concluded(outcome, issue), issue, submission)
    described |= {table.name: table.description for table in tables_of(made)} | recorded_files(outcome)
    described |= {} if claimed.since is None else DESCRIBED
    listed = {name: (files.get(name, b""), text) for name, text in described.items()}
    return as_stated(with_files(made, listed), claimed, request.game, files)


def as_stated(made: Evidence, claimed: Evidence, game: Game, files: Mapping[str, bytes]) -> Evidence:
    """Returns evidence that was made again, with what other steps of verification hold taken from what is claimed.

    The code of a family is that of the pack, or what the caller allows in its place; the item names it. Files that are
    not here are those that the evidence lists. What changed since an earlier pack is held to the evidence of both.
    Installed without the published vectors, there is nothing to run them on.
    """
    family, theirs = made.family, {one.name: one for one in claimed.files}
    if family.sha256 != claimed.family.sha256:
        # Other code computes a pack only where the caller allowed it; family and package must still be the same.
        family = replace(claimed.family, family=family.family, package=family.package)
    rng = made.rng
    if not VECTORS.is_dir():
        rng = replace(
            rng,
            known_answers=claimed.rng.known_answers,
            known_answer_tests=claimed.rng.known_answer_tests,
            known_answers_passed=claimed.rng.known_answers_passed,
            known_answers_by_algorithm=claimed.rng.known_answers_by_algorithm,
        )
    return replace(
        made,
        family=family,
        items=items_evidence(game, submission_of(claimed), claimed.brought, claimed.tool, family),
        files=tuple(
            one
            if one.name in files or one.name not in theirs
            else replace(theirs[one.name], description=one.description)
            for one in made.files
        ),
        rng=rng,
        since=claimed.since,
    )


def printed_differences(files: Mapping[str, bytes]) -> list[str]:
    """Returns whether signed pages of tests, or of an audit, are not what this software makes of their numbers.

    Args:
        files: The pages and the numbers that they carry.
    """
    from certify.report.audit import render_audit
    from certify.report.battery import render_battery

    report = files[REPORT]
    signed = read_signature(report)
    if AUDIT in files:
        pages, twin = render_audit(audit_of(files[AUDIT]), files[AUDIT], signed.signing_time)
        reason = audited.reason_of(files[AUDIT])
    else:
        made = numbers_of(files[NUMBERS])
        pages, twin = render_battery(made, files[NUMBERS], signed.signing_time)
        reason = reason_of(made.input.sha256)
    again = signed_again(pages, report, reason=reason, signing_time=signed.signing_time)
    same = report == again and files.get(WEB_REPORT, twin) == twin
    return [] if same else ["the pages are not those that follow from their numbers"]


def rendered_differences(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> Iterator[str]:
    """Yields which pages and exact tables of a pack are not what this software makes of its evidence.

    Args:
        evidence: The evidence.
        files: The files of the pack by name; the report alone where no more is there.
    """
    from certify.report.certificate import render_certificate
    from certify.report.pdf import render_html, render_pdf

    claimed = evidence_of(evidence)
    submission, issued = submission_of(claimed), datetime.fromisoformat(claimed.report.issued)
    attachments = {"evidence.json": canonical_bytes(evidence), GAME_FILE: submission}
    language = language_of(files["report.pdf"])
    made = {REPORT: render_pdf(dict(evidence), attachments, issued=issued, language=language)}
    if CERTIFICATE in files:
        made[CERTIFICATE] = render_certificate(dict(evidence), issued=issued, language=language)
    for name, pages in made.items():
        if not files[name].startswith(pages):
            yield f"{name}: its pages are not those that follow from the evidence{other_versions(claimed.tool)}"
            continue
        # The whole file, not its first revision: what a signer adds to the revision of the signature is shown too.
        reason = SIGNED[name].format(claimed.report.number)
        if files[name] != signed_again(pages, files[name], reason=reason, signing_time=issued):
            yield (
                f"{name}: the revision with the signature holds more, or other things, than a signature"
                f"{other_versions(claimed.tool)}"
            )
    if "report.html" in files and files["report.html"] != render_html(dict(evidence), language):
        yield f"report.html: not what follows from the evidence{other_versions(claimed.tool)}"
    if len(files) <= 1:
        return
    # The tables: those of the submission alone, and those of evidence and seed.
    request = request_of(claimed)
    exact = exact_results(request.game, request.regime, thorough=request.profile.thorough)
    for name, (content, _) in exact_files(exact, submission, claimed.report, claimed.brought).items():
        if files.get(name) != content:
            yield f"{name}: not what follows from the submission{other_versions(claimed.tool)}"
    yield from data_differences(exact, request, claimed, files)


def other_versions(tool: Tool) -> str:
    """Returns which libraries the pack was made with that are others here, as the end of a sentence."""
    here, there = tool_evidence().packages, tool.packages
    others = [
        f"{name} {theirs or 'none'} there, {ours or 'none'} here"
        for name, (ours, theirs) in sorted(differing(paired(here, there)).items())
    ]
    return f" (made with other versions: {'; '.join(others)})" if others else ""


def replayed_differences(
    evidence: Mapping[str, Any], files: Mapping[str, bytes], progress: Reporter
) -> list[str]:
    """Repeats the whole run that evidence tells of, and returns what comes out differently.

    Args:
        evidence: The evidence.
        files: The files of the pack by name; the report alone where no more is there.
        progress: Receives how far the run is.

    Raises:
        InputError: The evidence tells of no run that this software can repeat.
    """
    claimed = evidence_of(evidence)
    request = request_of(claimed)
    issue = recorded_issue(claimed, request)
    outcome = run_certification(request, progress)
    conclusions = concluded(outcome, issue)
    submission = submission_of(claimed)
    made = build_evidence(request, outcome, conclusions, issue, submission)
    data = data_files(outcome, made, submission)
    made = as_stated(with_files(made, data), claimed, request.game, files)
    found = list(evidence_differences(made, claimed, {FieldOrigin.FOLLOWS, FieldOrigin.COUNTED}))
    for name, (content, _) in data.items():
        if len(files) > 1 and name not in ENVIRONMENT and files.get(name) != content:
            found.append(f"{name}: not what the run gives when it is repeated{other_versions(claimed.tool)}")
    return found


Compute = Callable[[Mapping[str, Any], Mapping[str, bytes]], Iterable[str]]


def verify_pack(
    pack: Path,
    trust: Path | None,
    at: datetime,
    progress: Reporter,
    *,
    rerun: bool = False,
    replay: bool = False,
    revocations: Sequence[Path] = (),
    allowed: Sequence[str] = (),
    trust_tsa: Path | None = None,
) -> VerificationReport:
    """Verifies a pack or a report alone, and computes again what it claims as far as is requested.

    Args:
        pack: Folder of a pack, or a report (PDF).
        trust: PEM file with the roots that the caller trusts; None where the caller names none.
        at: The time of verification, aware.
        progress: Receives how far a repeated run is.
        rerun: Whether exact figures, conclusions, recorded rounds and pages are made again and compared.
        replay: Whether the whole run is repeated as well, which takes as long as the run did.
        revocations: PEM files with revocation lists, newer than those of the pack.
        trust_tsa: PEM file with the roots of time-stamp authorities that the caller trusts.
        allowed: Installed families, as NAME@DIGEST, that may compute a pack which names other code.

    Raises:
        InputError: A path cannot be read, or a file of trust or revocations is none.
    """
    read = confined_verification(pack, trust, at, revocations, trust_tsa)
    if not read.holds or not (rerun or replay):
        return read

    def by_its_code(task: Compute) -> Callable[[Mapping[str, Any], Mapping[str, bytes]], list[str]]:
        def compute(evidence: Mapping[str, Any], files: Mapping[str, bytes]) -> list[str]:
            if not evidence:
                # A page of tests of randomness is of no family's code.
                return printed_differences(files)
            with code_of_pack(evidence, allowed):
                return [*task(evidence, files)]

        return compute

    with one_verification():
        return verify(
            pack,
            trust,
            at,
            rerun=by_its_code(differences),
            render=by_its_code(rendered_differences),
            replay=by_its_code(lambda evidence, files: replayed_differences(evidence, files, progress))
            if replay
            else None,
            revocations=revocations,
            trust_tsa=trust_tsa,
        )
