"""What was submitted, in the evidence: rules, readings, terms, paytables, printed returns and witnesses.

All of it follows from the submission and its exact figures, so that verification computes it again.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final

from certify import __version__
from certify.analysis.par_sheet import claim_status
from certify.characters import look_the_same
from certify.children import ROOT, source_digest
from certify.errors import InputError, Refusing
from certify.evidence import CriticalFile, FamilyCode, Recovery, SourceText, Tool, submitted as evidence
from certify.exact import format_odds
from certify.families import offer_of, witnesses_of
from certify.mathematics import figure_of
from certify.mathematics.possible import NOT_FOUND, possible
from certify.messages import say, worded
from certify.model import (
    BY_PAYS,
    Analysis,
    Claim,
    Game,
    TableLayout,
    Witness,
    ends_of,
    laid_out,
    prints_as,
)

PACKAGES: Final = (
    "cattrs",
    "click",
    "cryptography",
    "jinja2",
    "llvmlite",
    "numba",
    "numpy",
    "pikepdf",
    "pyhanko",
    "rfc8785",
    "scipy",
    "weasyprint",
)


def lock_digest() -> str:
    """Returns the SHA-256 of the lock of dependencies, or of nothing where it is not next to the packages."""
    lock = ROOT / "requirements.lock"
    return hashlib.sha256(lock.read_bytes() if lock.is_file() else b"").hexdigest()


def tool_evidence() -> Tool:
    """Returns what computes, as a noun of the evidence."""
    return Tool(
        name="certify",
        version=__version__,
        source_sha256=source_digest(),
        lock_sha256=lock_digest(),
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}, {platform.libc_ver()[0]} {platform.libc_ver()[1]}",
        packages={name: metadata.version(name) for name in PACKAGES},
    )


def family_evidence(game: Game) -> FamilyCode:
    """Returns the code that plays a game, as a noun of the evidence.

    Args:
        game: The submission.
    """
    known, offer = game.port, offer_of(game.family)
    # A family may bring a second implementation of its rules, which settles what the first one played.
    second = getattr(known, "second", None)
    return FamilyCode(
        family=known.id,
        package=known.package,
        version=__version__ if offer is None else offer.version,
        sha256=source_digest("certify/families/**/*") if offer is None else offer.sha256,
        reference=_text(type(known.reference(game) if known.text is None else known.text(game))),
        second=None if second is None else _text(second),
    )


def _text(written: Any) -> SourceText:
    """Returns the module in which a class or function is written."""
    name = written.__module__
    file = getattr(sys.modules[name], "__file__", None)
    content = Path(file).read_bytes() if file else b""
    return SourceText(name, hashlib.sha256(content).hexdigest())


MOST_FILES: Final = 5_000
"""Files of a product that one report lists, at most."""


def critical_files(folder: Path) -> tuple[CriticalFile, ...]:
    """Returns the schedule of the files of a product: every plain file of a folder, sorted by its path.

    Args:
        folder: The folder, as it was submitted.

    Raises:
        InputError: It holds no file, too many, a link or a special file, or one that cannot be read.
    """
    found: list[CriticalFile] = []
    paths: list[Path] = []
    with Refusing(OSError, InputError, f"--item-files {folder} cannot be read"):
        for path in _everything_in(folder):
            if path.is_symlink() or not (path.is_dir() or path.is_file()):
                raise InputError(
                    f"--item-files {folder}: {path.relative_to(folder).as_posix()!r} is a link or a special file: "
                    "expected plain files"
                )
            if path.is_file():
                paths.append(path)
            if len(paths) > MOST_FILES:
                raise InputError(
                    f"--item-files {folder} holds more than {MOST_FILES} files: expected at most so many"
                )
        named = sorted((path.relative_to(folder).as_posix(), path) for path in paths)
        if same := look_the_same(name for name, _ in named):
            raise InputError(
                f"--item-files {folder}: {same[0]} and {same[1]} look the same and differ in their code points: "
                "expected one of them, or another name"
            )
        for name, path in named:
            with path.open("rb") as stream:
                digest = hashlib.file_digest(stream, "sha256").hexdigest()
                found.append(CriticalFile(name, stream.tell(), digest))
    if not found:
        raise InputError(f"--item-files {folder} holds no file: expected the files of the product")
    return tuple(found)


def _everything_in(folder: Path) -> Iterator[Path]:
    """Yields all that is in a folder, at any depth; raises where a folder in it cannot be listed."""

    def refuse(error: OSError) -> None:
        raise error

    for place, folders, files in os.walk(folder, onerror=refuse):
        yield from (Path(place, name) for name in (*folders, *files))


def rules_evidence(game: Game) -> tuple[evidence.Rule, ...]:
    """Returns the rules as submitted."""
    return tuple(
        evidence.Rule(
            id=rule.id,
            title=rule.title,
            value=rule.value,
            provenance=rule.origin.provenance,
            by=rule.origin.by,
            unique=rule.origin.unique,
        )
        for rule in game.rule_values
    )


def claims_evidence(
    game: Game,
    analyses: Mapping[str, Analysis],
    strategy_of: Mapping[str, str],
    identifications: Mapping[str, Recovery],
) -> tuple[evidence.StatedClaim, ...]:
    """Returns every printed return next to the exact one.

    Args:
        game: The submission.
        analyses: Exact figures by strategy.
        strategy_of: For each wager, the strategy under which its printed return is read.
        identifications: Recovery of the lost pays by wager.
    """
    return tuple(
        _claim(
            game,
            claim,
            claim.strategy or strategy_of[claim.wager],
            analyses[claim.strategy or strategy_of[claim.wager]],
            unique=claim.wager in identifications and identifications[claim.wager].fits_count == 1,
        )
        for claim in game.claims
    )


def all_witnesses(game: Game) -> tuple[Witness, ...]:
    """Returns a round for every paytable row."""
    rules = game.port.rules
    reached = {wager.id: set(rules.reachable_rows(game, wager.id)) for wager in game.wagers}
    # A printed row that no round reaches has none: `awards.reachable` finds it missing.
    wanted = [
        (wager.id, row.id)
        for wager in game.wagers
        for row in wager.paytable.rows
        if row.id in reached[wager.id]
    ]
    return tuple(witnesses_of(game, wanted).values())


def layout_evidence(game: Game) -> TableLayout:
    """Returns what is drawn from, and where the family tells it, which draws win each wager, and how reels look."""
    covered = game.port.pages.coverage
    coverage = covered(game) if covered is not None else ()
    drawn = {one.piece: one.drawn for one in coverage}
    spun = game.port.pages.reels
    pieces = tuple(laid_out(piece, drawn.get(piece.id, 0)) for piece in game.equipment)
    return TableLayout(pieces, coverage, spun(game) if spun is not None else None)


def wagers_evidence(game: Game) -> tuple[evidence.StatedWager, ...]:
    """Returns wagers and paytables as submitted."""
    return tuple(
        evidence.StatedWager(
            id=wager.id,
            title=wager.title,
            description=wager.description,
            limits=evidence.StatedLimits(
                minimum=wager.limits.minimum,
                maximum=wager.limits.maximum,
                currency=wager.limits.currency,
                provenance=wager.limits.origin.provenance,
                by=wager.limits.origin.by,
                step=wager.limits.step if wager.limits.step > 1 else None,
            ),
            paytable=tuple(
                evidence.StatedRow(
                    id=row.id,
                    title=row.title,
                    pays=format_odds(row.pays),
                    provenance=row.origin.provenance,
                    by=row.origin.by,
                    unique=row.origin.unique,
                )
                for row in wager.paytable.rows
            ),
        )
        for wager in game.wagers
    )


def _claim(
    game: Game, claim: Claim, strategy: str, analysis: Analysis, *, unique: bool
) -> evidence.StatedClaim:
    wager = game.wager(claim.wager)
    exact = figure_of(claim, game, analysis.wager(claim.wager))
    (low, high), ends = claim.printed.interval, ends_of(exact)
    recovered = wager.pays_are_recovered and claim.metric in BY_PAYS
    able = NOT_FOUND if prints_as(claim, exact) else possible(game, claim)
    name = (
        "pays-recovered-unique" if recovered and unique else "pays-recovered" if recovered else "pays-printed"
    )
    return evidence.StatedClaim(
        wager=claim.wager,
        metric=claim.metric,
        printed=claim.text,
        interval=(low, high),
        source=claim.source,
        strategy=strategy,
        exact=exact,
        distance_to_edges=(ends[0] - low, high - ends[1]),
        holds=prints_as(claim, exact),
        by_construction=recovered,
        status=claim_status(claim, game.wager(claim.wager), exact),
        **worded(independent_evidence=say(f"claim.{name}")),
        row=claim.row or None,
        impossible=None if able is NOT_FOUND else able.excludes(claim),
        lowest=able.lowest,
        highest=able.highest,
    )
