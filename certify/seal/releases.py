"""Which software's packs are verified: a closed list of releases by schema, version and digest of their sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from certify import __version__
from certify.children import source_digest
from certify.errors import TrustError
from certify.evidence.document import SCHEMA


@dataclass(frozen=True, slots=True)
class Release:
    """One release of this software.

    Args:
        schema: Id of the evidence that it writes.
        version: Its version.
        source_sha256: Digest of its sources.
    """

    schema: str
    version: str
    source_sha256: str


EARLIER: Final[tuple[Release, ...]] = ()
"""Releases before this one; none so far. One is added when its successor is released, for no release can name its
own digest."""


def present() -> Release:
    """Returns this software as a release: the one whose sources are running."""
    return Release(SCHEMA, __version__, source_digest())


def release_of(evidence: Mapping[str, Any]) -> Release:
    """Returns the release that evidence says it was written by.

    Raises:
        TrustError: It is none of the list: nobody knows what such software would have checked.
    """
    tool = evidence.get("tool")
    told = tool if isinstance(tool, Mapping) else {}
    named = (evidence.get("schema"), told.get("version"), told.get("source_sha256"))
    known = (*EARLIER, present())
    for release in known:
        if (release.schema, release.version, release.source_sha256) == named:
            return release
    listed = "; ".join(f"{one.schema}, certify {one.version}, sources {one.source_sha256}" for one in known)
    schema, version, digest = (_short(part) for part in named)
    raise TrustError(
        f"the evidence names schema {schema}, version {version} and sources {digest}, which are no release "
        f"that this software knows: expected {listed}"
    )


def _short(part: object) -> str:
    text = part if isinstance(part, str) else f"of type {type(part).__name__}"
    return repr(text if len(text) <= 80 else f"{text[:80]}…")
