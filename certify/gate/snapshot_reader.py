"""Which state an argument names, commits among them, and which of its files say that they are submissions."""

import re
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import Final

from certify.errors import InputError
from certify.gate.git_store import LINK, SUBMODULE, GitStore
from certify.gate.snapshot import (
    GIT,
    MAXIMUM_FILES,
    NOTHING,
    CommitTree,
    Snapshot,
    is_toml,
    read_file,
    read_folder,
)
from certify.untrusted_input import MAXIMUM_BYTES, TomlError, bounded_toml

_ZEROS: Final = re.compile(r"^0{40}(0{24})?$")
_PARENT: Final = re.compile(r"^(.+?)(?:\^1?|~1?)$")
_SHALLOW: Final = (
    ", which is shallow: fetch the history that the comparison needs "
    "(git fetch --unshallow; fetch-depth: 0 in GitHub's checkout; GIT_DEPTH: 0 in GitLab)"
)


def read_commit(text: str, repository: Path) -> Snapshot:
    """Returns the TOML files of a commit.

    Args:
        text: ``git:REF`` or ``git:REF:PATH``, the path counted from the root of the repository; ``A...B`` as
            REF is the commit where A and B parted. The parent of a first commit, and the id of zeros that
            servers send for a new branch, are empty states.
        repository: Any folder of the repository.

    Raises:
        InputError: There is no repository or no such commit, or the clone is too shallow to have it.
        MissingPartError: git is not installed.
    """
    ref, _, path = text.removeprefix(GIT).partition(":")
    path = _clean_path(text, path)
    if not ref or ref.startswith("-") or any(ord(c) < 33 for c in ref):
        raise InputError(f"{text}: expected {GIT}REF or {GIT}REF:PATH, such as git:origin/main")
    store = GitStore(repository)
    store.require_repository()
    if _ZEROS.match(ref):
        return Snapshot(text, {}, note=f"{text} is no commit: every game is new")
    one, dots, other = ref.partition("...")
    if dots:
        return _snapshot(store, text, _branch_point(store, text, one, other), path)
    commit = store.resolve(ref)
    return _without_commit(store, text, ref) if commit is None else _snapshot(store, text, commit, path)


def first_push_base(repository: Path, remote: str, pushed: str) -> str:
    """Returns what a first push is compared with: where it parted from what the remote has, or its main branch.

    Args:
        repository: Any folder of the repository.
        remote: Name of the remote that is pushed to.
        pushed: What is pushed.

    Raises:
        InputError: The remote has branches and none of them is known to be its main one.
    """
    store = GitStore(repository)
    known = store.refs(f"refs/remotes/{remote}/")
    if not known:
        return NOTHING
    mains = [f"refs/remotes/{remote}/{name}" for name in ("HEAD", "main", "master")]
    main = next((ref for ref in mains if ref in known), None)
    if main is None:
        raise InputError(
            f"{store.where}: which branch of {remote} is its main one is not known: expected BASE and HEAD, "
            f"or git remote set-head {remote} --auto"
        )
    ends = [store.resolve(main), store.resolve(pushed)]
    parted = store.merge_bases(*(end for end in ends if end)) if all(ends) else ()
    # A history that shares nothing with the main branch is held against it as it is.
    return f"{GIT}{main}...{pushed}" if parted else f"{GIT}{main}"


def _clean_path(text: str, path: str) -> str:
    """Returns the path within a commit without dots and trailing slashes."""
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts:
        raise InputError(f"{text}: expected a path within the repository, counted from its root")
    return "/".join(parts)


def _branch_point(store: GitStore, text: str, one: str, other: str) -> str:
    """Returns the one commit where two branches parted; nobody may choose among several."""
    ends = []
    for ref in (one, other):
        commit = store.resolve(ref) if ref and not ref.startswith("-") else None
        if commit is None:
            raise InputError(
                f"{text}: no commit {ref!r} in {store.where}" + (_SHALLOW if store.is_shallow() else "")
            )
        ends.append(commit)
    found = store.merge_bases(*ends)
    if len(found) != 1:
        said = "share no history" if not found else f"parted at {len(found)} commits"
        raise InputError(
            f"{text}: {one} and {other} {said}: name the commit to compare with"
            + (_SHALLOW if store.is_shallow() else "")
        )
    return found[0]


def _without_commit(store: GitStore, text: str, ref: str) -> Snapshot:
    """Returns the empty state before a first commit, or says why a commit is not there."""
    child = _PARENT.match(ref)
    commit = store.resolve(child[1]) if child else None
    if commit is not None:
        if not store.parents(commit):
            return Snapshot(text, {}, note=f"{text} is before the first commit: every game is new")
        raise InputError(
            f"{text}: the parent of {commit[:12]} is not in this clone"
            + (_SHALLOW if store.is_shallow() else "; the repository is damaged or incomplete")
        )
    raise InputError(f"{text}: no such commit in {store.where}" + (_SHALLOW if store.is_shallow() else ""))


def _snapshot(store: GitStore, text: str, commit: str, path: str) -> Snapshot:
    """Returns the TOML files of a commit, below a path where one is given."""
    tree = CommitTree(store, commit)
    links: dict[str, str] = {}
    gitlinks: dict[str, str] = {}
    wanted: dict[str, str] = {}
    for name, entry in tree.entries.items():
        inside = is_below(name, path)
        # A path inside a submodule is one that nobody here can read.
        if entry.mode == SUBMODULE and (inside or path.startswith(f"{name}/")):
            gitlinks[name] = entry.oid
        elif entry.mode == LINK and inside:
            links[name] = entry.oid
        # What is committed in a hidden folder is served from it like any other.
        elif entry.mode != SUBMODULE and inside and (name == path or is_toml(name)):
            wanted[name] = entry.oid
    if path and path in links:
        raise InputError(f"{text}: {path} is a symbolic link: expected the submission itself")
    if max(len(wanted), len(links)) > MAXIMUM_FILES:
        raise InputError(f"{text}: more than {MAXIMUM_FILES} TOML files or links")
    small = store.no_larger(list(wanted.values()), MAXIMUM_BYTES)
    large = frozenset(name for name, oid in wanted.items() if oid not in small)
    wanted = {name: oid for name, oid in wanted.items() if oid in small}
    blobs = store.blobs({oid: name for name, oid in (*wanted.items(), *links.items())})
    return Snapshot(
        text,
        {name: blobs[oid] for name, oid in wanted.items()},
        commit=commit,
        single=path in wanted or path in large,
        large=large,
        links={name: blobs[oid].decode("utf-8", "surrogateescape") for name, oid in links.items()},
        gitlinks=gitlinks,
        tree=tree,
        within=path,
    )


_SCHEMA: Final = "certify-game/"
_MARKS: Final = b"\xef\xbb\xbf\xff\xfe"
_DECLARED: Final = re.compile(rb"^[\"']?schema[\"']?[ \t]*=[ \t]*[\"']+certify-game/", re.MULTILINE)


def read_snapshot(text: str, repository: Path) -> Snapshot:
    """Returns the state that an argument names.

    Args:
        text: A file, a folder, ``git:REF``, ``git:REF:PATH``, ``git:REF...REF`` for the commit where both
            parted, or ``none`` for no state at all.
        repository: Folder of the repository that commits are read from.

    Raises:
        InputError: There is no such state, or it cannot be read.
        MissingPartError: git is needed and not installed.
    """
    if text == NOTHING:
        return Snapshot(NOTHING, {}, note="nothing to compare with: every game is new")
    if text.startswith(GIT):
        return read_commit(text, repository)
    path = Path(text)
    if path.is_dir():
        return read_folder(text, path)
    if path.is_file():
        return read_file(text, path)
    raise InputError(f"{text}: no such file or folder; expected a file, a folder, git:REF or {NOTHING}")


def submission_paths(snapshot: Snapshot, paths: tuple[str, ...], exclude: tuple[str, ...]) -> frozenset[str]:
    """Returns the files of a state that say they are submissions, and links that are called as submissions are.

    A file that declares the schema is one even where it is broken, and so is everything called
    ``game.toml``: what cannot be read must fail, not vanish.
    """
    if snapshot.single:
        return frozenset(snapshot.files)
    links = (path for path in snapshot.links if is_game_file(path))
    files = (path for path, data in snapshot.files.items() if is_game_file(path) or declares_game(data))
    return frozenset(path for path in (*links, *files) if is_wanted(path, paths, exclude))


def require_seen(snapshot: Snapshot, paths: tuple[str, ...], exclude: tuple[str, ...]) -> None:
    """Refuses a state with TOML files of which nobody can say whether they are submissions.

    Raises:
        InputError: A file that the patterns of a policy keep is larger than a submission; the first is named.
    """
    for path in sorted(path for path in snapshot.large if snapshot.single or is_wanted(path, paths, exclude)):
        raise InputError(
            f"{snapshot.shown(path)}: larger than {MAXIMUM_BYTES} bytes: expected a submission, or a file that the "
            "policy leaves out with exclude"
        )


def is_game_file(path: str) -> bool:
    """Returns whether a file is called as submissions are, in capitals too."""
    return PurePosixPath(path).name.lower() == "game.toml"


def declares_game(data: bytes) -> bool:
    r"""Returns whether a file says that it is a submission, however the key and its value are spelled.

    >>> declares_game(b'schema = "certify-game/1"'), declares_game(b'schema = "certify\\u002dgame/1"')
    (True, True)
    """
    return bool(_DECLARED.search(_bare(data))) or parses_as_game(data)


def parses_as_game(data: bytes) -> bool:
    r"""Returns whether a file is TOML as a whole and says that it is a submission.

    >>> parses_as_game('schema = "certify-game/1"'.encode("utf-16")), parses_as_game(b'`schema = "certify-game/1"`')
    (True, False)
    """
    bare = _bare(data)
    if b"\\" not in bare and _SCHEMA.encode() not in bare:
        return False
    try:
        schema = bounded_toml(bare).get("schema")
    except TomlError:
        return False
    return isinstance(schema, str) and schema.startswith(_SCHEMA)


def _bare(data: bytes) -> bytes:
    """Returns text without the marks and zeros of another encoding: what is written in it must fail, not vanish."""
    return data.replace(b"\0", b"").lstrip(_MARKS) if data[:1] in _MARKS or b"\0" in data[:4] else data


def is_wanted(path: str, paths: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """Returns whether the patterns of a policy keep a path; ``*`` matches across folders."""
    return not any(fnmatchcase(path, pattern) for pattern in exclude) and (
        not paths or any(fnmatchcase(path, pattern) for pattern in paths)
    )


def is_below(path: str, folder: str) -> bool:
    """Returns whether a path is a folder or is in it; an empty folder is the root."""
    return not folder or path == folder or path.startswith(f"{folder}/")
