"""Submissions that git hands out otherwise than they were judged: by attributes of the commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from certify.gate.change import GateChange
from certify.gate.compare import GameComparison
from certify.gate.git_store import GitStore
from certify.gate.kinds import kind
from certify.gate.policy import GatePolicy
from certify.gate.snapshot import Snapshot

REWRITING: Final = ("export-subst", "export-ignore", "ident", "filter", "working-tree-encoding")
"""Attributes by which an archive or a checkout holds other bytes than the commit.

Source: gitattributes(5) of git 2.39.
"""


def rewritten(
    base: Snapshot, head: Snapshot, games: Sequence[GameComparison], policy: GatePolicy, repository: Path
) -> Iterator[GateChange]:
    """Yields submissions of a commit that git rewrites, where it did not rewrite them so before."""
    if not head.commit:
        return
    store, found = GitStore(repository), kind("rewritten-by-git")
    paths = {game.after.path: game for game in games if game.after is not None}
    now = store.attributes(head.commit, sorted(paths), REWRITING)
    before = store.attributes(base.commit, sorted(now), REWRITING) if base.commit else {}
    for path, attributes in sorted(now.items()):
        new = [
            f"{name}={value}" for name, value in attributes.items() if before.get(path, {}).get(name) != value
        ]
        game = paths[path]
        if new:
            yield GateChange(
                kind=found,
                game=game.game,
                subject=path,
                severity=policy.severity_of(found),
                message=f"{path} has the attribute {', '.join(new)}: what is handed out is not what was judged",
                before=None,
                after=", ".join(new),
                path=head.shown(path),
                before_digest=game.digests[0],
                after_digest=game.digests[1],
            )
