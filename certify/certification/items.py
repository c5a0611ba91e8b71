"""The items that checks were made on, with version and digest: the submission, ours, and what the operator brought."""

from __future__ import annotations

import hashlib

from certify.evidence.operator import Brought, ItemUnderTest
from certify.evidence.tool import FamilyCode, Tool
from certify.messages import say, verbatim, worded
from certify.model.game import Game
from certify.model.item import UnderTest

_OURS = (UnderTest.REFERENCE_GENERATOR, UnderTest.REFERENCE_ROUNDS, UnderTest.TESTS)


def items_evidence(
    game: Game, submission: bytes, brought: Brought, tool: Tool, family: FamilyCode
) -> tuple[ItemUnderTest, ...]:
    """Returns every item under test.

    Args:
        game: The submission.
        submission: Its bytes.
        brought: What the operator brought.
        tool: The software, whose generator and round machine stand in for those of the operator.
        family: The code that plays the game.
    """
    digest = hashlib.sha256(submission).hexdigest()
    ours = tuple(
        ItemUnderTest(
            id=item,
            version=f"{tool.name} {tool.version}",
            sha256=tool.source_sha256,
            **worded(title=say(f"item.{item}")),
        )
        for item in _OURS
    )
    outputs = tuple(
        ItemUnderTest(
            id=UnderTest.OPERATOR_OUTPUT,
            version=output.sampling.item if output.sampling is not None else "",
            sha256=output.sha256,
            **worded(
                title=say(
                    "item.operator-generator-output", name=output.name, kind=output.kind, count=output.count
                )
            ),
        )
        for output in brought.outputs
    )
    system = brought.system
    systems = (
        (
            ItemUnderTest(
                id=UnderTest.OPERATOR_ROUNDS,
                version=system.version,
                sha256=system.sha256,
                **worded(title=say("item.operator-round-system", target=system.target)),
            ),
        )
        if system is not None
        else ()
    )
    return (
        ItemUnderTest(
            id=UnderTest.SUBMISSION, version=game.version, sha256=digest, **worded(title=verbatim(game.title))
        ),
        ItemUnderTest(
            id=UnderTest.FAMILY,
            version=f"{family.package} {family.version}",
            sha256=family.sha256,
            **worded(title=say("item.family-code", family=family.family)),
        ),
        *ours,
        *outputs,
        *systems,
    )
