"""What evidence must be before anyone relies on it: of a known release, of its form, without contradicting itself."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, Final

from certify.characters import unseen_in
from certify.errors import TrustError
from certify.evidence.document import Evidence
from certify.evidence.item import Item
from certify.evidence.read import read
from certify.evidence.tool import Tool
from certify.seal.canonical import sha256_hex
from certify.seal.contradictions import contradictions
from certify.seal.releases import release_of

_TOLD: Final = 20

_VERSION = r"[0-9]+(?:\.[0-9]+){1,3}(?:[a-z0-9.+-]{0,20})"

#: What the description of the tool may say: facts in their form, no prose.
_TOOL_FORMS: Final = {
    "name": re.compile(r"certify"),
    "python": re.compile(_VERSION),
    "platform": re.compile(r"[A-Za-z]{1,12} [A-Za-z0-9_]{1,16}, [a-z]{0,8} [0-9.]{0,12}"),
}
_PACKAGE_NAME: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def require_schema(evidence: Any) -> Evidence:
    """Returns evidence of a known release and of its form, whose parts do not contradict each other.

    Raises:
        TrustError: It names every mistake of form, and else every contradiction.
    """
    if not isinstance(evidence, dict):
        raise TrustError("the evidence was expected to be an object")
    release = release_of(evidence)
    found = read(Evidence, evidence)
    if isinstance(found, Evidence):
        problems = [
            *contradictions(found),
            *_item_problems(found.item),
            *_tool_problems(found.tool),
            *_text_problems(evidence),
        ]
        if not problems:
            return found
    else:
        problems = [str(problem) for problem in found]
    more = len(problems) - _TOLD
    told = "; ".join(problems[:_TOLD]) + (f"; and {more} more" if more > 0 else "")
    raise TrustError(f"the evidence does not follow {release.schema}: {told}")


def _tool_problems(tool: Tool) -> list[str]:
    """Returns what the description of the tool says beyond facts in their form."""
    problems = [
        f"tool.{key} has not the form of what a run writes there"
        for key, form in _TOOL_FORMS.items()
        if not form.fullmatch(getattr(tool, key))
    ]
    return problems + [
        f"tool.packages: {name!r} was expected to be a package with its version"
        for name, version in tool.packages.items()
        if not (_PACKAGE_NAME.fullmatch(name) and re.fullmatch(_VERSION, version))
    ]


def _text_problems(evidence: Mapping[str, Any]) -> list[str]:
    """Returns texts with characters that a reader does not see, or that turn the direction of writing."""
    problems: list[str] = []
    pending: list[tuple[str, Any]] = [("", evidence)]
    while pending and len(problems) <= _TOLD:
        where, value = pending.pop()
        if isinstance(value, dict):
            pending += [(f"{where}/{key}", part) for key, part in value.items()]
            problems += _unseen(where, *value)
        elif isinstance(value, list):
            pending += [(where, part) for part in value]
        elif isinstance(value, str):
            problems += _unseen(where, value)
    return problems


def _unseen(where: str, *texts: str) -> list[str]:
    return [
        f"{where or '/'} holds {found}, which a reader does not see"
        for found in (unseen_in(text, allowed="\n") for text in texts)
        if found is not None
    ]


def _item_problems(item: Item) -> list[str]:
    """Returns submitted files whose embedded bytes are not those of their digest."""
    problems = []
    for file in item.files:
        try:
            content = base64.b64decode(file.base64, validate=True)
        except (binascii.Error, ValueError):
            problems.append(f"the bytes of {file.name!r} are not base64")
            continue
        if sha256_hex(content) != file.sha256:
            problems.append(f"the bytes of {file.name!r} do not have their digest")
    if not item.files:
        problems.append("item.files names no submitted file")
    return problems
