"""The story of one pull request, played for real: `python tests/gate_story.py > docs/gate/story.md` writes it down."""

import os
import sys
from contextlib import contextmanager, redirect_stdout
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest import mock

from gate_support import KING, LOWERED, Repository, edited, figures_folder, published, second_game

from certify.cli.main import run
from certify.clock import SteppedClock

POLICY = """[gate]
# No return moves without somebody's word, in either direction.
max_return_decrease = "0 pp"
max_return_increase = "0 pp"
never_approve = ["claim-stale", "version-not-bumped"]

[gate.floors]
"house rule" = "90 %"
"""

RAISED = ('version = "1.0.0"', 'version = "2.0.0"')
TRUE_CLAIM = ('printed = "99.54 %"', 'printed = "98.71 %"')


class Story:
    """A text that grows by what really happens in a repository."""

    def __init__(self, repository):
        self.repository = repository
        self.parts: list[str] = []

    def tell(self, text):
        self.parts.append(text.strip() + "\n")

    def certify(self, *arguments, shown_as=None):
        """Runs a command and writes down what it printed and how it ended."""
        output = StringIO()
        with redirect_stdout(output):
            code = run(list(arguments))
        said = " ".join(f'"{part}"' if " " in part else part for part in arguments)
        body = output.getvalue().rstrip()
        if shown_as == "markdown":
            self.parts.append(f"```console\n$ certify {said}\n$ echo $?\n{code}\n```\n\n{quoted(body)}\n")
        else:
            printed = f"{body}\n" if body else ""
            self.parts.append(f"```console\n$ certify {said}\n{printed}$ echo $?\n{code}\n```\n")

    def text(self):
        return "\n".join(self.parts)


def quoted(text):
    """Markdown as a quotation, as it would stand in a comment."""
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


@contextmanager
def desk(repository):
    """The repository's folder as working directory, at a fixed time."""
    clock = SteppedClock(datetime(2026, 11, 21, 9, tzinfo=UTC))
    before = Path.cwd()
    os.chdir(repository.folder)
    try:
        with (
            mock.patch("certify.cli.gate.SystemClock", return_value=clock),
            mock.patch("certify.cli.approve.SystemClock", return_value=clock),
            mock.patch.dict(os.environ, {"CERTIFY_CACHE": str(figures_folder())}),
        ):
            yield
    finally:
        os.chdir(before)


def fingerprint_of(arguments):
    """The fingerprint of all changes of the one game that a gate run finds changed."""
    import json

    output = StringIO()
    with redirect_stdout(output):
        run([*arguments, "--format", "json"])
    (found,) = (g["fingerprint"] for g in json.loads(output.getvalue())["games"] if g["status"] == "changed")
    return str(found)


def story():
    """The story as Markdown."""
    with TemporaryDirectory(prefix="story-") as folder:
        repository = Repository(Path(folder) / "games")
        with desk(repository):
            told = Story(repository)
            _tell(told)
        return told.text()


def _tell(told):
    repository = told.repository
    compare = ["gate", "git:main", "git:HEAD"]
    told.tell("""
# One pull request, from the first push to the merge

Every line of output below is real: the tests play this story again and compare. A team keeps two games in one
repository, each with its submission, and a policy beside them.
""")
    told.parts.append(f"```toml\n# certify.toml\n{POLICY}```\n")
    repository.write("certify.toml", POLICY)
    repository.commit("two games", mezzo__game=published(), notte__game=second_game())
    told.tell("""
## A pay is lowered

On a branch, somebody changes one line of `mezzo/game.toml`: the two-card 7½ with the King of Denari pays 3 to 2
instead of 2 to 1. The file is still sound, so the quick hook lets the commit pass:
""")
    repository.git("checkout", "-q", "-b", "lower-the-king")
    repository.commit("the king pays 3 to 2", mezzo__game=edited((KING, LOWERED)))
    told.certify("lint", "mezzo", "notte", "certify.toml")
    told.tell("At the push, the gate counts both versions of the game exactly and says what the line does:")
    told.certify(*compare)
    told.tell("""
The other game is untouched and says so. The Action writes the same as a comment, table first:
""")
    told.certify(*compare, "--format", "markdown", shown_as="markdown")
    told.tell("""
## What nobody may approve

Two findings are not a matter of opinion under this policy: the rules screen would print a return that the game no
longer has, and a game whose theoretical return changed is a new game for reports.
""")
    told.certify("explain", "version-not-bumped")
    told.tell("The branch mends both, the version to 2.0.0 and the printed return to 98.71 %:")
    mended = edited((KING, LOWERED), RAISED, TRUE_CLAIM)
    repository.commit("version and printed return", mezzo__game=mended)
    told.certify(*compare)
    told.tell("""
## The approval

What is left is a decision, and it is made by a person, with a reason and a last day. It can name one change or, as
here, all changes of the game between just these two meanings:
""")
    told.certify(
        "approve",
        fingerprint_of(compare)[:16],
        "--reason",
        "Pay of the King lowered as agreed with the operator, case 42",
        "--until",
        "2027-01-31",
        "--by",
        "Ada, game mathematics",
    )
    told.parts.append(
        f"```toml\n# certify-approvals.toml\n{(repository.folder / 'certify-approvals.toml').read_text()}```\n"
    )
    repository.commit("approval")
    told.certify(*compare)
    told.tell("""
## Another edit voids it

Before the merge somebody slips in one more change: unresolved bets become void after 60 days instead of 90. The
approval was given for another game than this one now is, so it stands for nothing:
""")
    slipped = edited(("unresolved_void_after_days = 90", "unresolved_void_after_days = 60"), text=mended)
    repository.commit("sixty days", mezzo__game=slipped)
    told.certify(*compare)
    told.tell("""
## The merge

The slip is taken back, the approval holds again, and the branch is merged. After the merge the gate compares main with
what it was before:
""")
    repository.commit("back to ninety days", mezzo__game=mended)
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--no-ff", "-m", "merge lower-the-king", "lower-the-king")
    told.certify("gate", "git:main^1", "git:main", "--format", "text")
    told.tell("""
In the next pull request the approval has done its work. The gate says so, as a note that fails nothing, until somebody
removes the entry:
""")
    repository.git("checkout", "-q", "-b", "next")
    repository.commit("a remark", notte__game="# reviewed\n" + second_game())
    told.certify(*compare)


if __name__ == "__main__":
    sys.stdout.write(story())
