"""The family of games of several draws and decisions that are described in the submission alone."""

from __future__ import annotations

from collections.abc import Hashable
from pathlib import Path
from typing import Final

from certify.families.described.second import settle
from certify.families.port import Family, Listed
from certify.families.several_draws.rules import FAMILY_ID
from certify.families.several_draws.submitted import SeveralDrawsSubmission, text


def _listed(sees: Hashable) -> Listed:
    return Listed(str(sees))


FAMILY: Final = Family(
    id=FAMILY_ID,
    version="1.0.0",
    title="Games of several draws and decisions, described in the submission alone",
    rules=SeveralDrawsSubmission(),
    text=text,
    second=settle,
    listed=_listed,
    messages=Path(__file__).parent / "messages",
)
