"""Whose code computes a pack again: that which the pack names by digest, or other code that the caller allows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

from certify.errors import InputError
from certify.evidence.submitted import FamilyCode
from certify.executors.packages import offers
from certify.families.registry import BUILT_IN, permitting
from certify.seal.verification_steps import NotPossibleError

_ALLOWED: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]{0,99})@([0-9a-f]{64})")

Allowed = Sequence[tuple[str, str]]
"""Family or package, and the digest of its sources, that may compute a pack which names other code."""


def read_allowed(stated: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Returns what ``--allow-family`` says.

    Raises:
        InputError: It is no ``NAME@DIGEST``.

    >>> read_allowed(["wheel@" + "0" * 64])[0][0]
    'wheel'
    """
    found = []
    for text in stated:
        match = _ALLOWED.fullmatch(text)
        if match is None:
            raise InputError(
                f'--allow-family "{text}": expected the name of a family or package, @, and the SHA-256 of its sources '
                "in 64 hexadecimal digits, as `certify families` prints it"
            )
        found.append((match[1], match[2]))
    return tuple(found)


@contextmanager
def code_of_pack(evidence: Mapping[str, Any], allowed: Allowed) -> Iterator[None]:
    """Lets the installed family that a pack names be loaded, and no other, while the pack is computed again.

    Args:
        evidence: The evidence, of its form.
        allowed: Other code that the caller allows.

    Raises:
        NotPossibleError: The code that the pack names is not here, or other code is, and nobody allowed it.
    """
    named = evidence["family"]
    if named["package"] == BUILT_IN:
        with permitting(()):
            yield
        return
    described = f"{named['package']} {named['version']} (SHA-256 of its sources {named['sha256']})"
    here = [
        offer for offer in offers() if (offer.family, offer.package) == (named["family"], named["package"])
    ]
    if not here:
        raise NotPossibleError(
            f"the family {named['family']!r} is played by the code of {described}, which is not installed here"
        )
    (offer,) = here[:1]
    told = any(name in (offer.family, offer.package) and digest == offer.sha256 for name, digest in allowed)
    if offer.sha256 != named["sha256"] and not told:
        raise NotPossibleError(
            f"other code: the pack was computed by {described}; installed here is {offer.package} {offer.version} "
            f"(SHA-256 {offer.sha256}), which may compute it with --allow-family {offer.family}@{offer.sha256}"
        )
    with permitting([(offer.package, offer.sha256)]):
        yield


def code_as_allowed(here: FamilyCode, claimed: FamilyCode) -> FamilyCode:
    """Returns the code named by evidence, as it may be where it was computed again by the code that is here.

    Other code computes a pack only where the caller allowed it; then family and package must still be the same.
    """
    return (
        here if here.sha256 == claimed.sha256 else replace(claimed, family=here.family, package=here.package)
    )
