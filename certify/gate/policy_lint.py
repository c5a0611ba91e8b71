"""What a policy names and nobody knows: roots that are not there, games and wagers that nobody submits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from certify.errors import InputError, KeyPath, Problem
from certify.gate.facts import submission_of
from certify.gate.folder_store import read_folder
from certify.gate.policy import GatePolicy
from certify.gate.snapshot_reader import submission_paths
from certify.outside import read_bounded
from certify.submission.locate import index_lines


def policy_mistakes(policy: GatePolicy, data: bytes, name: str) -> Iterator[Problem]:
    """Yields what a policy names that is not there: a threshold of a misspelt wager would hold for nobody.

    Args:
        policy: What it says.
        data: The bytes of its file.
        name: The file, as messages name it; what it names is looked for from its folder.
    """
    folder = Path(name).parent
    lines = index_lines(data.decode("utf-8"))
    prefix: KeyPath = ("tool", "certify") if Path(name).name == "pyproject.toml" else ()

    def problem(key: KeyPath, message: str) -> Problem:
        return Problem(name, lines.line((*prefix, "gate", *key)), message)

    for position, root in enumerate(policy.trust):
        wrong = _wrong_root(folder / root)
        if wrong:
            yield problem(("trust", position), f"trust: {root}: {wrong}")
    if policy.require_signed_approvals and not policy.trust:
        message = "require_signed_approvals needs a root to trust: nothing that needs an approval could land"
        yield problem(("require_signed_approvals",), message)
    if policy.wagers or policy.certified:
        known = _submitted(folder, policy)
        for key, message in _unknown(policy, known):
            yield problem(key, message)


def _wrong_root(path: Path) -> str:
    """Returns what is wrong with a file of roots; an empty text where nothing is."""
    if not path.is_file():
        return "no such file: expected the roots that signers of approvals chain to, in PEM"
    from certify.seal.certificates import read_certificates

    try:
        found = read_certificates(read_bounded(path), str(path))
    except InputError as error:
        return str(error)
    return "" if found else "holds no certificate"


def _submitted(folder: Path, policy: GatePolicy) -> dict[str, frozenset[str]]:
    """Returns the wagers of every game below a folder; what cannot be read is told by its own lint."""
    state = read_folder(str(folder), folder)
    known: dict[str, frozenset[str]] = {}
    for path in submission_paths(state, policy.paths, policy.exclude) & state.files.keys():
        try:
            game = submission_of(state.files[path], path, path).game
        except InputError:
            continue
        known[game.id] = frozenset(wager.id for wager in game.wagers)
    return known


def _unknown(policy: GatePolicy, known: dict[str, frozenset[str]]) -> Iterator[tuple[KeyPath, str]]:
    """Yields games and wagers that a policy names and no submission has."""
    wagers = frozenset().union(*known.values()) if known else frozenset()
    where = f"expected one of {', '.join(sorted(wagers))}" if wagers else "no submission is beside the policy"
    for wager in policy.wagers:
        if wager not in wagers:
            yield ("wagers", wager), f'no game has a wager "{wager}": {where}'
    for game, returns in policy.certified.items():
        if game not in known:
            games = f"expected one of {', '.join(sorted(known))}" if known else where
            yield ("certified", game), f'no game "{game}" is submitted: {games}'
            continue
        for subject in returns:
            wager = subject.removesuffix("/total-wagered")
            if wager not in known[game]:
                listed = ", ".join(sorted(known[game]))
                yield ("certified", game, subject), f'{game} has no wager "{wager}": expected one of {listed}'
