"""Plugin of pytest: ``pytest --certify`` shows what every submission promises, as tests.

Each submission below the collected folders becomes a file of tests: that it can be read, that every printed figure
is what the game returns and every printed count and row what exact counting gives, that returns are above the floors
of the policy and not above what is staked, that top awards are not too rare, and that the exposure stays within the
policy's limit. Nothing is collected without ``--certify``. What is known to be wrong and stays so, such as misprints of
a source, is written down by ``--certify-write-known FILE`` and expected to fail in just that way by
``--certify-known FILE``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from certify.errors import InputError, SubmissionError
from certify.model.form import Filled
from certify.untrusted_input import quoted, read_bounded, write_whole

if TYPE_CHECKING:
    from certify.gate.facts import Submission
    from certify.gate.figures import GameFigures
    from certify.gate.policy import GatePolicy


SCHEMA: Final = "certify-known-wrong/1"


@dataclass(frozen=True, slots=True)
class _Known:
    """One ``[[known]]``."""

    game: Filled
    promise: Filled
    wrong: Filled


@dataclass(frozen=True, slots=True)
class _KnownFile:
    """A file of what is known to be wrong."""

    schema: str
    known: tuple[_Known, ...] = ()


_KEYS: Final = tuple(one.name for one in fields(_Known))
_HEADER: Final = f'''# What is known to be wrong: promises of submissions that fail in just this way are expected to.
# Written by `pytest --certify --certify-write-known FILE`.
schema = "{SCHEMA}"
'''

KnownWrong = Mapping[tuple[str, str], str]
"""What is wrong by game and promise."""


def read_known(path: Path) -> KnownWrong:
    """Returns what a file says is known to be wrong.

    Raises:
        InputError: The file cannot be read, or is not of that form.
    """
    from certify.submission.locate import located_form

    file, problems = located_form(read_bounded(path), str(path), _KnownFile)
    if file.schema != SCHEMA:
        problems.add(("schema",), f'schema: expected "{SCHEMA}"')
    found: dict[tuple[str, str], str] = {}
    for place, entry in enumerate(file.known):
        if (entry.game, entry.promise) in found:
            problems.add(("known", place), f"{entry.promise} of {entry.game} is known twice")
        found[entry.game, entry.promise] = entry.wrong
    if problems.found:
        raise SubmissionError(problems.found)
    return found


def write_known(path: Path, known: KnownWrong) -> None:
    """Writes what is known to be wrong, in the order of games and promises.

    Raises:
        InputError: The file cannot be written.
    """
    tables = [
        "\n[[known]]\n"
        + "".join(f"{key} = {quoted(value)}\n" for key, value in zip(_KEYS, entry, strict=True))
        for entry in sorted((game, promise, wrong) for (game, promise), wrong in known.items())
    ]
    write_whole(path, [(_HEADER + "".join(tables)).encode()])


_KNOWN = pytest.StashKey[Mapping[tuple[str, str], str]]()
_WRONG = pytest.StashKey[dict[tuple[str, str], str]]()


class PromiseError(Exception):
    """A promise of a submission does not hold; the message is all that a reader needs."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--certify`` and ``--certify-cache``."""
    group = parser.getgroup("certify", "mathematics of submitted games")
    group.addoption(
        "--certify", action="store_true", help="collect every submission as tests of what it promises"
    )
    group.addoption(
        "--certify-cache", metavar="DIR", help="folder of exact figures; CERTIFY_CACHE if left out"
    )
    group.addoption(
        "--certify-known", metavar="FILE", help="promises that are known to fail, and in which way (TOML)"
    )
    group.addoption(
        "--certify-write-known",
        metavar="FILE",
        help="write the promises that fail, as --certify-known reads them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Reads what is known to be wrong, before anything is collected."""
    named = config.getoption("--certify-known")
    if not named:
        return

    try:
        config.stash[_KNOWN] = read_known(Path(named))
    except InputError as error:
        raise pytest.UsageError(str(error)) from error


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Writes down which promises failed, where that is asked for."""
    named = session.config.getoption("--certify-write-known")
    if not named:
        return

    wrong = session.config.stash.get(_WRONG, None)
    write_known(Path(named), wrong or {})


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a file that says it is a submission."""
    if not parent.config.getoption("--certify") or file_path.suffix.lower() != ".toml":
        return None
    from certify.gate.snapshot_reader import declares_game, is_game_file
    from certify.untrusted_input import read_bounded

    try:
        if not (is_game_file(file_path.name) or declares_game(read_bounded(file_path))):
            return None
    except InputError:
        # What cannot be read fails as a submission: nobody can say that it is none.
        pass
    collector: pytest.Collector = SubmissionFile.from_parent(parent, path=file_path)
    return collector


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuses a run that was asked for submissions and found none: it would pass without having checked any."""
    if config.getoption("--certify") and not any(isinstance(item, PromiseItem) for item in items):
        raise pytest.UsageError("--certify: no submission was found below the collected folders")


class SubmissionFile(pytest.File):
    """One submission."""

    @cached_property
    def policy(self) -> GatePolicy:
        """The policy nearest to the submission."""
        from certify.gate.policy import DEFAULT, find_policy, load_policy

        path = find_policy(self.path.resolve().parent)
        return load_policy(path) if path else DEFAULT

    @cached_property
    def submission(self) -> Submission:
        """The submission with its meaning."""
        from certify.gate.facts import read_submission
        from certify.untrusted_input import read_bounded

        return read_submission(read_bounded(self.path), self.path.name, self._shown())

    @cached_property
    def figures(self) -> GameFigures:
        """Its exact figures."""
        from certify.gate.cache import Cache, refuse_folder
        from certify.result_cache import default_folder

        named = self.config.getoption("--certify-cache")
        folder = Path(named) if named else default_folder(os.environ)
        refuse_folder(folder, [self.path.parent])
        return Cache(folder).figures(self.submission)

    def _shown(self) -> str:
        try:
            return self.path.relative_to(self.config.rootpath).as_posix()
        except ValueError:
            return str(self.path)

    def collect(self) -> Iterator[pytest.Item]:
        """Yields a test for each promise; a submission that cannot be read has one test, which fails."""
        yield self._item("reads", lambda: self.submission, 1)
        try:
            game = self.submission.game.id
        except InputError:
            return
        names = []
        for item in self._promises():
            names.append(item.name)
            yield item
        known = self.config.stash.get(_KNOWN, {})
        if stray := [promise for of, promise in known if of == game and promise not in names]:
            yield self._item("known to be wrong", lambda: self._stray(stray), 1)

    def _stray(self, promises: list[str]) -> None:
        raise PromiseError(f"{', '.join(promises)}: known to be wrong, but no promise of this game")

    def _promises(self) -> Iterator[pytest.Item]:
        """Yields a test for each promise of a submission that can be read."""
        submission = self.submission
        for claim in submission.game.claims:
            name = f"{claim.wager}: {claim.metric} {claim.text}"
            yield self._item(name, lambda claim=claim: self._claim(claim), claim.line)  # type: ignore[misc]
        for position, wager in enumerate(submission.game.wagers):
            line = submission.lines.line(("wagers", position))
            yield self._item(
                f"{wager.id}: every configuration keeps to floors and stake", self._offered, line
            )
            for floor in self.policy.floors:
                check = lambda w=wager.id, f=floor: self._floor(w, f)  # noqa: E731
                yield self._item(f"{wager.id}: above the floor of {floor}", check, line)
            yield self._item(
                f"{wager.id}: returns no more than is staked",
                lambda w=wager.id: self._at_most_staked(w),  # type: ignore[misc]
                line,
            )
            yield self._item(
                f"{wager.id}: top award not too rare",
                lambda w=wager.id: self._top(w),  # type: ignore[misc]
                line,
            )
        for about, line in _printed_lines(submission):
            yield self._item("/".join(about), lambda about=about: self._printed(about), line)  # type: ignore[misc]
        yield self._item("exposure within the limit", self._exposure, 1)

    def _item(self, name: str, check: Callable[[], Any], line: int) -> pytest.Item:
        item: pytest.Item = PromiseItem.from_parent(self, name=name, check=check, line=line)
        return item

    def _claim(self, claim: Any) -> None:
        from fractions import Fraction

        from certify.gate.fact_changes import percent
        from certify.mathematics.figures_evidence import best_possible, claim_words, figure_words
        from certify.model.claims import RETURN, claimed_figure, prints_as

        game, strategy = self.submission.game, self.figures.strategy_of(claim)
        figures = self.figures.wagers[strategy][claim.wager]
        exact = claimed_figure(claim, figures, game.wager(claim.wager).limits)
        if prints_as(claim, exact):
            return
        said = (
            f", which returns {percent(exact)} = {exact}"
            if isinstance(exact, Fraction) and claim.metric == RETURN
            else f" as its {claim_words(claim)}, which is {figure_words(claim, exact)}"
        )
        raise PromiseError(
            f"{claim.text} is printed for {claim.wager}{said} under {strategy}{best_possible(game, claim, exact)}"
        )

    def _offered(self) -> None:
        from certify.gate.impact_on_returns import broken

        told = [words for one in self.figures.offered for _, _, _, words in broken(one, self.policy)]
        if told:
            raise PromiseError("; ".join(told))

    def _floor(self, wager: str, floor: str) -> None:
        from certify.gate.fact_changes import percent, proven_percent

        proven, least = self.figures.best(wager).proven, self.policy.floors[floor]
        if proven.lower < least and not self.figures.metered:
            raise PromiseError(
                f"{wager} returns {proven_percent(proven)}, below the {percent(least)} of {floor}"
            )

    def _at_most_staked(self, wager: str) -> None:
        from certify.gate.fact_changes import proven_percent

        proven = self.figures.best(wager).proven
        if proven.upper > 1 and not self.figures.metered:
            raise PromiseError(
                f"{wager} returns {proven_percent(proven)} = {proven.upper}: more than is staked"
            )

    def _printed(self, about: tuple[str, ...]) -> None:
        verdict = self.figures.printed[about]
        if not verdict.holds:
            raise PromiseError(f"{'/'.join(about)}: {verdict.words}: {verdict.detail}")

    def _top(self, wager: str) -> None:
        from certify.gate.figure_changes import top_award
        from certify.model.game import RAREST_AWARD

        award = top_award(self.figures.best(wager))
        if award.probability < RAREST_AWARD:
            raise PromiseError(
                f"{award.id} of {wager} comes with probability {award.probability}, below {RAREST_AWARD}"
            )

    def _exposure(self) -> None:
        from certify.gate.fact_changes import money

        currency = self.figures.currency
        limit = self.policy.max_exposure.get(currency)
        if limit is not None and self.figures.endless:
            raise PromiseError(
                f"there is no end of what one round may win, and {money(limit, currency)} is allowed"
            )
        if limit is not None and self.figures.exposure > limit:
            raise PromiseError(
                f"one round can cost {money(self.figures.exposure, currency)}, "
                f"more than the {money(limit, currency)} allowed"
            )


def _printed_lines(submission: Submission) -> Iterator[tuple[tuple[str, ...], int]]:
    """Yields what is printed about hands and outcomes, with its line."""
    from certify.gate.figures import printed_subjects

    game = submission.game
    lines = [count.line for count in game.printed_counts] + [row.line for row in game.printed_rows]
    yield from zip(printed_subjects(game), lines, strict=True)


class PromiseItem(pytest.Item):
    """One promise of a submission."""

    def __init__(self, *, check: Callable[[], Any], line: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._check = check
        self._line = line

    def runtest(self) -> None:
        """Judges the promise; one that fails as it is known to fails as expected."""
        if self.name == "reads":
            self._check()
            return
        about = (
            (self.parent.submission.game.id, self.name) if isinstance(self.parent, SubmissionFile) else None
        )
        known = self.config.stash.get(_KNOWN, {}).get(about) if about else None
        try:
            self._check()
        except PromiseError as error:
            if about:
                self.config.stash.setdefault(_WRONG, {})[about] = str(error)
            if known == str(error):
                pytest.xfail(f"known to be wrong: {known}")
            raise PromiseError(f"{error} (known so far: {known})" if known else str(error)) from error
        if known is not None:
            raise PromiseError(f"{self.name} holds by now: take it out of what is known to be wrong")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Returns what is wrong in one line; a trace only where the plugin itself is at fault."""
        from certify.errors import CertifyError

        if isinstance(excinfo.value, PromiseError):
            return f"{self.path}:{self._line}: {excinfo.value}"
        if isinstance(excinfo.value, CertifyError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str], int | None, str]:
        """Returns where the promise stands."""
        return self.path, max(0, self._line - 1), f"{self.path.parent.name}/{self.path.name}: {self.name}"
