"""Verifying a pack, with everything computed, rendered or repeated again that the caller asks for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from certify.seal.verification_report import VerificationReport
from certify.seal.verify import verify

if TYPE_CHECKING:
    from certify.certification.request import Reporter


def verify_pack(
    pack: Path,
    trust: Path | None,
    at: datetime,
    progress: Reporter,
    *,
    rerun: bool = False,
    replay: bool = False,
    revocations: Sequence[Path] = (),
) -> VerificationReport:
    """Verifies a pack or a report alone, and computes again what it claims as far as is asked.

    Args:
        pack: Folder of a pack, or a report (PDF).
        trust: PEM file with the roots that the caller trusts; None where the caller names none.
        at: The time of verification, aware.
        progress: Is told how far a repeated run is.
        rerun: Whether exact figures, conclusions, recorded rounds and pages are made again and compared.
        replay: Whether the whole run is repeated as well, which takes as long as the run did.
        revocations: PEM files with revocation lists, newer than those of the pack.

    Raises:
        InputError: A path cannot be read, or a file of trust or revocations is none.
    """
    # Imported where they are needed: a plain verification loads neither mathematics nor the renderer.
    if not (rerun or replay):
        return verify(pack, trust, at, revocations=revocations)
    from certify.issue.remake import rendered_differences
    from certify.issue.replay import replayed_differences
    from certify.issue.rerun import differences

    return verify(
        pack,
        trust,
        at,
        rerun=differences,
        render=rendered_differences,
        replay=(lambda evidence, files: replayed_differences(evidence, files, progress)) if replay else None,
        revocations=revocations,
    )
