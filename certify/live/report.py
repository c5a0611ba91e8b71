"""The pages of an audit: Markdown for people, and the statement that is signed over every file."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from certify.characters import json_text
from certify.evidence import plain
from certify.live.audit import Audit
from certify.live.judge import Deviation
from certify.seal import PREDICATE_TYPE, STATEMENT_TYPE, Signer, pem, sign_statement

_RESULTS = {"satisfied": "PASSED", "inconclusive": "WARNED", "not satisfied": "FAILED"}
_SHOWN = 10
"""Lines of each table on the page; the document holds more."""


def audit_files(found: Audit, signer: Signer) -> dict[str, str]:
    """Returns the files of an audit, each with its text, the signed statement about the others last.

    Args:
        found: What the audit found.
        signer: Who signs.
    """
    files = {
        "audit.json": json_text(plain(found)),
        "report.md": "\n".join(page(found, demonstration=signer.demonstration)) + "\n",
        "certs/signer.pem": pem([signer.certificate]).decode("ascii"),
        "certs/root.pem": pem([signer.root]).decode("ascii"),
    }
    digests = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in sorted(files.items())}
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": digest}} for name, digest in digests.items()],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "result": _RESULTS[str(found.verdict)],
            "configuration": [{"name": one.name, "digest": {"sha256": one.sha256}} for one in found.files],
        },
    }
    files["attestation.dsse.json"] = sign_statement(statement, signer).decode("ascii")
    files["SHA256SUMS"] = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
    return files


def page(found: Audit, *, demonstration: bool) -> Iterator[str]:
    """Yields the lines of the page."""
    yield f"# Audit of played rounds: {found.game}"
    if demonstration:
        yield "\n**Not signed by a trusted party**: the key is a demonstration key."
    yield f"\n**{str(found.verdict).capitalize()}**: {found.rows:,} rows, error {found.alpha:g} over all tests."
    yield from (f"- {_cell(reason)}" for reason in found.reasons)
    yield from _table("Files", ("file", "SHA-256"), [(one.name, one.sha256) for one in found.files])
    for deviation in found.deviations:
        yield from _deviation(deviation)
    if found.settled_again is not None:
        again = found.settled_again
        yield f"\n{again.rounds:,} of {again.of:,} rounds were settled again from what was drawn."
        for told in again.told:
            yield "\n" + "\n".join(f"    {_cell(line)}" for line in told)
    heads = ("of", "rows that", "test", "rows", "seen", "expected", "p", "adjusted p")
    worst = [
        (
            one.of,
            one.part,
            one.test,
            f"{one.rows:,}",
            f"{one.seen:.6g}",
            f"{one.expected:.6g}",
            f"{one.p:.3g}",
            f"{one.adjusted:.3g}",
        )
        for one in found.worst[:_SHOWN]
    ]
    yield from _table(f"Tests with the smallest p-values, of {found.tests:,}", heads, worst)
    yield "\n`pays` is chi-square with its degrees of freedom; `pay`, `outcome` and `return` are exact."
    largest = [
        (one.of, one.part, f"{one.rows:,}", f"{float(one.returned):.6f}", _known(one.expected))
        for one in found.returns
        if not one.day
    ]
    yield from _table("Returns on all days", ("of", "rows that", "rows", "return", "exact"), largest[:_SHOWN])
    yield "\n## What was not judged\n"
    yield from (f"- {_cell(line)}" for line in found.not_judged or ("Nothing was left out.",))


def _known(figure: Fraction | None) -> str:
    return "not known" if figure is None else f"{float(figure):.6f}"


def _deviation(found: Deviation) -> Iterator[str]:
    heads = ("log", "row", "round", "wager", "stake", "win", "off", "why")
    rows = [
        (one.log, one.row, one.round or "", one.wager or "", one.stake, one.win, one.off, one.why)
        for one in found.worst[:_SHOWN]
    ]
    yield from _table(f"{found.count:,} times: {found.words}", heads, rows)


def _table(title: str, heads: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> Iterator[str]:
    if rows:
        yield f"\n## {title}\n"
        yield f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}"
        yield from (f"| {' | '.join(map(_cell, row))} |" for row in rows)


_OBEYED: Mapping[int, str] = {ord(mark): f"\\{mark}" for mark in "\\`*_{}[]<>#|"}


def _cell(value: object) -> str:
    """Returns a value for Markdown: what a log holds is shown, never obeyed."""
    text = "".join(letter if letter.isprintable() else " " for letter in str("" if value is None else value))
    return text.translate(_OBEYED)
