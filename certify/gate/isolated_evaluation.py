"""Figures of a state whose family has other code than is installed: counted by a process of that code."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final

from certify.children import ChildError, answer
from certify.errors import CertifyError, InputError
from certify.gate.facts import Submission, read_submission
from certify.gate.family_code import digest_of, files_at, places_of
from certify.gate.figures import GameFigures, count_figures, figures_document, figures_from
from certify.untrusted_input import json_of, read_bounded

SECONDS: Final = 600
"""Time that counting one game with other code may take."""

MAXIMUM: Final = 1 << 22
"""Characters that its answer may have."""


class OtherCodeError(InputError):
    """Figures of a state cannot be counted with its own code."""


def counted_elsewhere(submission: Submission) -> GameFigures:
    """Returns the figures of a submission, counted with the code of its own state.

    Raises:
        OtherCodeError: That code is not at hand, does not run, or gives no figures.
    """
    code, files = submission.basis.code, submission.basis.code.files
    if files is None:
        raise OtherCodeError(f"{code.words} is neither installed nor in the repository")
    with TemporaryDirectory(prefix="certify-code-") as folder:
        for name, data in files.items():
            path = Path(folder) / "code" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        game = Path(folder) / "game.toml"
        game.write_bytes(submission.data)
        task = [str(game), str(Path(folder) / "code"), submission.game.family, code.sha256]
        try:
            # The code of a state that is compared with, which has landed; it leaves nothing beside its sources.
            told = answer(
                f"{__name__}:serve",
                json.dumps(task).encode(),
                timeout=SECONDS,
                environment={"PYTHONDONTWRITEBYTECODE": "1"},
            )
        except ChildError as error:
            raise OtherCodeError(f"{code.words} counts nothing here: {error}") from error
    if len(told) > MAXIMUM:
        raise OtherCodeError(f"{code.words} counts nothing here: its answer is longer than {MAXIMUM}")
    try:
        return figures_from(json_of(told), submission.basis)
    except (ValueError, InputError) as error:
        raise OtherCodeError(f"{code.words} gave figures of another form: {error}") from error


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Counts a submission with the code that is put first on the path, if it is the code that is meant."""
    path, folder, family, sha256 = json.load(given)
    sys.path.insert(0, folder)
    try:
        submission = read_submission(read_bounded(Path(path)), "game.toml", "game.toml")
        files: dict[str, bytes] = {}
        for place in places_of(family, Path(folder).resolve()).values():
            files |= files_at(place)
        if digest_of(files) != sha256:
            raise InputError(f"the code on the path is {digest_of(files)[:12]}, expected {sha256[:12]}")
        document = figures_document(count_figures(submission.basis), submission.basis.game)
    except CertifyError as error:
        raise SystemExit(str(error)) from error
    answers.write(json.dumps(document).encode())
