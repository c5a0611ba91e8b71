"""What a submission promises, each of it a test: claims, floors, stakes, printed tables, top awards, exposure.

Only ``pytest --certify`` imports this: every other call of pytest starts without the families and their figures.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pytest

from certify.errors import CertifyError, InputError
from certify.gate.fact_changes import short
from certify.gate.facts import Submission, read_submission
from certify.gate.figure_changes import compare_figures
from certify.gate.figures import GameFigures, figures_of, printed_subjects, refuse_folder
from certify.gate.impact_on_figures import claim_subject, figure_impacts
from certify.gate.policy import DEFAULT, GatePolicy, find_policy, load_policy
from certify.gate.snapshot_reader import declares_game, is_game_file
from certify.result_cache import kept_by_user
from certify.untrusted_input import read_bounded

WrongPromises = dict[tuple[str, str], str]
"""What is wrong, by game and promise."""


def is_submission(path: Path) -> bool:
    """Returns whether a file says that it is a submission; what cannot be read is one, and fails as such."""
    try:
        return is_game_file(path.name) or declares_game(read_bounded(path))
    except InputError:
        return True


class PromiseError(Exception):
    """A promise of a submission does not hold; the message is all that a reader needs."""


class SubmissionFile(pytest.File):
    """One submission.

    Args:
        known: What is known to be wrong.
        wrong: What is found to be wrong is added here.
    """

    def __init__(self, *, known: WrongPromises, wrong: WrongPromises, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.known = known
        self.wrong = wrong

    @cached_property
    def policy(self) -> GatePolicy:
        """The policy nearest to the submission."""
        path = find_policy(self.path.resolve().parent)
        return load_policy(path) if path else DEFAULT

    @cached_property
    def submission(self) -> Submission:
        """The submission with its meaning."""
        inside = self.path.is_relative_to(self.config.rootpath)
        shown = self.path.relative_to(self.config.rootpath).as_posix() if inside else str(self.path)
        return read_submission(read_bounded(self.path), self.path.name, shown)

    @cached_property
    def figures(self) -> GameFigures:
        """Its exact figures."""
        named = self.config.getoption("--certify-cache")
        with kept_by_user(Path(named) if named else None):
            refuse_folder([self.path.parent])
            return figures_of(self.submission)

    def collect(self) -> Iterator[pytest.Item]:
        """Yields a test for each promise; a submission that cannot be read has one test, which fails."""
        yield self._test("reads", 1, self._reads)
        try:
            game = self.submission.game.id
        except InputError:
            return
        items = list(self._promises())
        yield from items
        names = {item.name for item in items}
        if stray := [promise for of, promise in self.known if of == game and promise not in names]:
            wrong = f"{', '.join(stray)}: known to be wrong, but no promise of this game"
            yield self._test("known to be wrong", 1, lambda: wrong)

    def _promises(self) -> Iterator[pytest.Item]:
        """Yields a test for each promise of a submission that can be read."""
        submission, game = self.submission, self.submission.game
        for claim in game.claims:
            yield self._item(
                f"{claim.wager}: {claim.metric} {claim.text}",
                claim.line,
                ("claim-stale", claim_subject(claim, game.claims)),
            )
        for position, wager in enumerate(game.wagers):
            line = submission.lines.line(("wagers", position))
            yield self._test(
                f"{wager.id}: every configuration keeps to floors and stake",
                line,
                partial(self._offered, wager.id),
            )
            promised = {
                **{
                    f"above the floor of {name}": ("floor-crossed", f"{wager.id}/{name}")
                    for name in self.policy.floors
                },
                "returns no more than is staked": ("return-above-100", wager.id),
                "top award not too rare": ("top-award-rare", wager.id),
            }
            for name, about in promised.items():
                yield self._item(f"{wager.id}: {name}", line, about)
        lines = [one.line for one in game.printed_counts] + [one.line for one in game.printed_rows]
        for subject, line in zip(map(short, printed_subjects(game)), lines, strict=True):
            yield self._item(subject, line, ("printed-figure-wrong", subject), ("figures-missing", subject))
        exposures = [("exposure-above-limit", f"exposure{kind}") for kind in ("", "/endless")]
        yield self._item("exposure within the limit", 1, *exposures)

    @cached_property
    def _judged(self) -> Mapping[tuple[str, str], str]:
        """What the gate says against the submission as one that is new, by kind of change and subject."""
        figures = compare_figures(None, self.figures)
        found = figure_impacts(None, self.submission, figures, self.policy)
        return {(one.kind, one.subject): one.message for one in found}

    def _item(self, name: str, line: int, *about: tuple[str, str]) -> pytest.Item:
        return self._test(name, line, partial(self._against, about))

    def _against(self, about: Iterable[tuple[str, str]]) -> str:
        return "; ".join(self._judged[one] for one in about if one in self._judged)

    def _offered(self, wager: str) -> str:
        """Returns what is wrong with the further configurations of a wager."""
        offered = [one.id for one in self.figures.offered if one.wager == wager]
        floors = [("floor-crossed", f"{one}/{name}") for one in offered for name in self.policy.floors]
        return self._against([*(("return-above-100", one) for one in offered), *floors])

    def _reads(self) -> str:
        self.submission.basis  # noqa: B018 - what is wrong with it is raised
        return ""

    def _test(self, name: str, line: int, check: Callable[[], str]) -> pytest.Item:
        item: pytest.Item = PromiseItem.from_parent(self, name=name, check=check, line=line)
        return item


class PromiseItem(pytest.Item):
    """One promise of a submission.

    Args:
        check: Returns what is wrong; an empty text where nothing is.
        line: Line of the submission.
    """

    parent: SubmissionFile

    def __init__(self, *, check: Callable[[], str], line: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._check = check
        self._line = line

    def runtest(self) -> None:
        """Judges the promise; one that fails as it is known to fails as expected."""
        wrong, about = self._check(), (self.parent.submission.game.id, self.name)
        known = self.parent.known.get(about)
        if wrong:
            self.parent.wrong[about] = wrong
            if known == wrong:
                pytest.xfail(f"known to be wrong: {known}")
            raise PromiseError(f"{wrong} (known so far: {known})" if known else wrong)
        if known is not None:
            raise PromiseError(f"{self.name} is correct now: remove it from the known errors")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Returns what is wrong in one line; a trace only where the plugin itself is at fault."""
        if isinstance(excinfo.value, PromiseError):
            return f"{self.path}:{self._line}: {excinfo.value}"
        if isinstance(excinfo.value, CertifyError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        """Returns where the promise is."""
        return self.path, max(0, self._line - 1), f"{self.path.parent.name}/{self.path.name}: {self.name}"
