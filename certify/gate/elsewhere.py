"""Figures of a state whose family has other code than is installed: counted by a process of that code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from certify.errors import CertifyError, InputError
from certify.gate.facts import Submission, read_submission
from certify.gate.family_code import digest_of, files_at, places_of
from certify.gate.figures import GameFigures, count_figures, figures_document, figures_from
from certify.outside import json_of, read_bounded

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
        places = [str(Path(folder) / "code"), *(place for place in sys.path if place)]
        try:
            done = subprocess.run(  # noqa: S603 - the code of a state that is compared with, which has landed
                [
                    sys.executable,
                    "-P",
                    "-m",
                    __name__,
                    str(game),
                    str(Path(folder) / "code"),
                    submission.game.family,
                    code.sha256,
                ],
                env={**os.environ, "PYTHONPATH": os.pathsep.join(places), "PYTHONDONTWRITEBYTECODE": "1"},
                cwd=folder,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise OtherCodeError(f"{code.words} did not count within {SECONDS} seconds") from error
    if done.returncode != 0 or len(done.stdout) > MAXIMUM:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:] or ["it gave no figures"]
        raise OtherCodeError(f"{code.words} counts nothing here: {said[0]}")
    try:
        return figures_from(json_of(done.stdout), submission.basis)
    except (ValueError, InputError) as error:
        raise OtherCodeError(f"{code.words} gave figures of another form: {error}") from error


def main(arguments: list[str]) -> int:
    """Counts a submission with the code that is first on the path, if it is the code that is meant."""
    path, folder, family, sha256 = arguments
    try:
        submission = read_submission(read_bounded(Path(path)), "game.toml", "game.toml")
        files: dict[str, bytes] = {}
        for place in places_of(family, Path(folder).resolve()).values():
            files |= files_at(place)
        if digest_of(files) != sha256:
            raise InputError(f"the code on the path is {digest_of(files)[:12]}, expected {sha256[:12]}")
        document = figures_document(count_figures(submission.basis), submission.basis.game)
    except CertifyError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(json.dumps(document))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
