"""Reading without counting: every mistake that a reader alone can find, in submissions and in the policy."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from certify.analysis.pay_search import printed_wagers
from certify.errors import ContradictionError, InputError, KeyPath, Problem, Problems, SubmissionError
from certify.families import RankedRows, RemarkingRules
from certify.gate.approvals import SCHEMA as APPROVALS, parse_approvals
from certify.gate.facts import submission_of
from certify.gate.policy import GatePolicy, has_policy, parse_policy
from certify.gate.snapshot import is_toml, read_folder
from certify.gate.snapshot_reader import read_snapshot, require_seen, submission_paths
from certify.model import Game
from certify.model.points import play_some
from certify.submission import LineIndex, index_lines, row_never_reached
from certify.untrusted_input import file_sha256, read_bounded

NO_FILE: Final = "none"
"""What a submission names as the file of a source whose text does not come with it."""

_BLANKS: Final = re.compile(r"\s+")

Remarked = Iterator[tuple[KeyPath, str]]
"""What is stated of a file, each with the key that it is about."""


def policy_mistakes(policy: GatePolicy, folder: Path) -> Remarked:
    """Yields what a policy names that is not there: a threshold of a misspelt wager would hold for nobody.

    Args:
        policy: What it says.
        folder: The folder of its file, from which what it names is looked for.
    """
    for position, root in enumerate(policy.trust):
        wrong = _wrong_root(folder / root)
        if wrong:
            yield ("trust", position), f"trust: {root}: {wrong}"
    if policy.require_signed_approvals and not policy.trust:
        message = (
            "require_signed_approvals needs a root to trust: nothing that needs an approval could be merged"
        )
        yield ("require_signed_approvals",), message
    if policy.wagers or policy.certified:
        yield from _unknown(policy, _submitted(folder, policy))


def _wrong_root(path: Path) -> str:
    """Returns what is wrong with a file of roots; an empty text where nothing is."""
    if not path.is_file():
        return "no such file: expected the roots that signers of approvals chain to, in PEM"
    from certify.seal import read_certificates

    try:
        found = read_certificates(read_bounded(path), str(path))
    except InputError as error:
        return str(error)
    return "" if found else "holds no certificate"


def _submitted(folder: Path, policy: GatePolicy) -> dict[str, frozenset[str]]:
    """Returns the wagers of every game below a folder; what cannot be read is reported by its own lint."""
    state = read_folder(str(folder), folder)
    known: dict[str, frozenset[str]] = {}
    for path in submission_paths(state, policy.paths, policy.exclude) & state.files.keys():
        with suppress(InputError):
            game = submission_of(state.files[path], path, path).game
            known[game.id] = frozenset(wager.id for wager in game.wagers)
    return known


def _unknown(policy: GatePolicy, known: dict[str, frozenset[str]]) -> Remarked:
    """Yields games and wagers that a policy names and no submission has."""
    wagers = frozenset().union(*known.values()) if known else frozenset()
    where = (
        f"expected one of {', '.join(sorted(wagers))}" if wagers else "no submission is next to the policy"
    )
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


_APPROVALS: Final = re.compile(rf"^[\"']?schema[\"']?[ \t]*=[ \t]*[\"']{APPROVALS}".encode(), re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Linted:
    """What was read and what is wrong with it.

    Args:
        read: Files that are submissions, policies or approvals.
        mistakes: Every mistake in them, by file and line.
        remarks: What is no mistake but missing: a submission may be true to a source that does not print it.
    """

    read: tuple[str, ...]
    mistakes: tuple[Problem, ...]
    remarks: tuple[Problem, ...] = ()


def lint_paths(paths: Sequence[Path]) -> Linted:
    """Returns what is wrong with the submissions, policies and approvals among files and below folders."""
    files = {file[0]: file for path in paths for file in _files(path)}
    judged = {name: _judged(*file) for name, file in files.items()}
    found = {name: one for name, one in judged.items() if one is not None}
    mistakes = sorted(problem for one in found.values() for problem in one.mistakes)
    remarks = sorted(problem for one in found.values() for problem in one.remarks)
    return Linted(tuple(found), tuple(mistakes), tuple(remarks))


def _files(path: Path) -> Iterator[tuple[str, bytes, bool]]:
    """Yields the TOML files at a path: name, bytes, and whether it says that it is a submission."""
    if path.is_file() and not is_toml(path.name):
        return
    state = read_snapshot(str(path), path if path.is_dir() else path.parent)
    # A single file is judged as one of a folder: here nobody stated that it is a submission.
    folder = replace(state, single=False)
    require_seen(folder, (), ())
    submissions = submission_paths(folder, (), ())
    for name in sorted(submissions & state.links.keys()):
        raise InputError(f"{state.label}: {name} is a symbolic link: expected the submission itself")
    for name, data in state.files.items():
        yield state.shown(name), data, name in submissions


def _judged(name: str, data: bytes, is_submission: bool) -> Linted | None:
    """Returns what is to say about one file, nothing where it is not one of ours."""
    read = (name,)
    try:
        if is_submission:
            submission = submission_of(data, name, name)
            game, lines = submission.game, submission.lines
            return Linted(
                read,
                (*_located(name, lines, _untrue(game, name)), *_overlaps(name, lines, game)),
                tuple(_located(name, lines, _silences(game, name, lines))),
            )
        if _APPROVALS.search(data):
            parse_approvals(data, name)
            return Linted(read, ())
        base = Path(name).name
        if base in ("certify.toml", "pyproject.toml") and has_policy(base, data):
            prefix: KeyPath = ("tool", "certify", "gate") if base == "pyproject.toml" else ("gate",)
            found = policy_mistakes(parse_policy(data, name), Path(name).parent)
            named = (((*prefix, *key), message) for key, message in found)
            return Linted(read, tuple(_located(name, index_lines(data.decode("utf-8")), named)))
    except SubmissionError as error:
        return Linted(read, error.problems)
    except InputError as error:
        return Linted(read, (Problem(name, 1, str(error)),))
    return None


def _located(name: str, lines: LineIndex, remarked: Remarked) -> Iterator[Problem]:
    place = Problems(name, lines.line, lines.text).at
    return (place(key, message) for key, message in remarked)


MOST_PLAYED: Final = 4_000
"""Draws and decisions of rounds that are played to see whether two conditions hold at once."""


def _overlaps(name: str, lines: LineIndex, game: Game) -> Iterator[Problem]:
    """Yields the first two conditions of a described game that hold at once, with both of their lines."""
    text = game.port.text
    if text is None:
        return
    try:
        # Some rules make stages without a walk: no figure is computed here.
        play_some(getattr(game.port.rules, "stages", text)(game), MOST_PLAYED)
    except ContradictionError as error:
        one, other = (lines.line(key) for key in error.keys)
        message = f"{error} (lines {one} and {other}): expected conditions of which one holds"
        yield from _located(name, lines, iter([(error.keys[1], message)]))
    except Exception:  # noqa: BLE001 - a stranger's stages may raise anything
        return  # Whatever else is wrong with the stages the analysis finds, and names.


def _silences(game: Game, name: str, lines: LineIndex) -> Remarked:
    """Yields wagers without a printed return, and rows that no round reaches.

    GLI-19 v3.0 4.7.2 requires that the player is informed of the return of every wager. Whether that is done is for the
    clauses to judge; to the reader a submission is sound that says no more than its source.
    """
    rules = game.port.rules
    if isinstance(rules, RemarkingRules):
        yield from rules.remarks(game, lines.lines)
    printed = printed_wagers(game)
    for position, wager in enumerate(game.wagers):
        # A house edge is the same figure in other words.
        if wager.id not in printed:
            yield ("wagers", position), f'no printed return for "{wager.id}"'
        for number, row in enumerate(wager.paytable.ids):
            if said := row_never_reached(game, wager, row):
                yield ("wagers", position, "paytable", number, "id"), said
        yield from ((("wagers", position), said) for said in _forgotten(game, wager.id))


def _forgotten(game: Game, wager: str) -> Iterator[str]:
    """Yields what to say of kinds of hands that a wager forgets."""
    rules = game.port.rules
    for kind, lower in rules.unnamed_kinds(game, wager).items() if isinstance(rules, RankedRows) else ():
        yield f'no condition of "{wager}" names the kind "{kind}": such hands fall in no row, not in that of "{lower}"'


def source_remarks(game: Game, shown: str) -> Iterator[tuple[int, str]]:
    """Yields the place of each source whose text is empty, missing or another, with what to say.

    A digest of noughts states that nobody kept the text, and ``file = "none"`` that it is kept elsewhere.
    """
    for position, source in enumerate(game.sources):
        found = _digest_of_source(shown, source.file)
        if source.sha256 == hashlib.sha256(b"").hexdigest():
            yield (
                position,
                f'the file of the source "{source.id}" is empty: its digest is that of a file without a byte',
            )
        elif found and found != source.sha256:
            yield (
                position,
                f'{source.file} is not the file of the source "{source.id}": its SHA-256 is {found}',
            )
        elif not found and source.file != NO_FILE and set(source.sha256) != {"0"}:
            yield (
                position,
                f'no file {source.file} in the folder of the submission: source "{source.id}" was not compared',
            )


def _digest_of_source(shown: str, name: str) -> str:
    """Returns the digest of a file in the folder of a submission, empty where none of that name can be read."""
    path = Path(shown).parent / name
    try:
        return "" if Path(name).name != name or not path.is_file() else file_sha256(path)
    except OSError:
        return ""


def unfound(game: Game, shown: str) -> tuple[str, ...]:
    """Returns the terms whose sentence is in none of the sources that lie in the folder of a submission.

    Where none is there as text, nothing can be looked up, and nothing is stated.
    """
    texts = [
        _text_of(Path(shown).parent / source.file)
        for source in game.sources
        if _digest_of_source(shown, source.file) == source.sha256
    ]
    held = _BLANKS.sub(" ", " ".join(filter(None, texts)))
    printed = game.terms.printed if held.strip() else {}
    return tuple(term for term, sentence in printed.items() if _BLANKS.sub(" ", sentence) not in held)


def _text_of(path: Path) -> str:
    """Returns what is in a file of text; nothing of any other file."""
    try:
        return read_bounded(path).decode("utf-8")
    except UnicodeDecodeError:
        return ""


def _untrue(game: Game, name: str) -> Remarked:
    """Yields sources that are not there as stated, and quoted sentences that stand in none or say another term."""
    for position, said in source_remarks(game, name):
        yield ("sources", position, "sha256"), said
    for term in unfound(game, name):
        yield ("terms", "printed", term), f"is in none of the sources: “{game.terms.printed[term]}”"
    sentence = game.terms.printed.get("unresolved_void_after_days")
    days = game.terms.unresolved_void_after_days
    if sentence is not None and not re.search(rf"(?<!\d){days}(?!\d)", sentence):
        said = f"the printed sentence does not name the {days} days of the term: “{sentence}”"
        yield ("terms", "printed", "unresolved_void_after_days"), said
