"""The exact figures of one state of a game, with verdicts on printed tables, counted by the code of their state.

They are kept between runs, and believed only with digest and tool.
"""

import json
import os
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO, Final, cast

from certify.children import ChildError, answer, digest_of
from certify.errors import CertifyError, InputError, Refusing
from certify.evidence import plain
from certify.evidence.read import noun_of
from certify.families import Configuration, ConfigurationKind
from certify.gate.change import numbered
from certify.gate.facts import PRINTED, Subject, Submission, read_submission
from certify.gate.family_code import files_at, installed_code, places_of
from certify.gate.figure_inputs import GateBasis
from certify.gate.git_store import worktree_of
from certify.mathematics import analyze, exposure, further
from certify.model import NOT_COUNTED, WORTH, Game, PrintedVerdict, WagerFigures, optimal_play
from certify.result_cache import find, keep, keeping, secret_file
from certify.untrusted_input import JsonObject, json_of, read_bounded

FIGURES: Final = "figures"
"""What figures are called where results are kept."""

Verdicts = Mapping[Subject, PrintedVerdict]
"""Verdicts by what they are about: ``("printed_counts", "two-card-14")``, ``("printed_rows", "TWO ACES")``."""


def printed_subjects(game: Game) -> tuple[Subject, ...]:
    """Returns the subject of each printed count and row of a game, one after the other.

    They are those under which the facts of the submission stand, so that each fact finds its verdict.
    """
    counts, rows = PRINTED
    listed = [(counts, count.id) for count in game.printed_counts]
    listed += [(rows, row.label) for row in game.printed_rows]
    return tuple((*entry, f"#{count}") if count > 1 else entry for entry, count in numbered(listed))


def judge_printed(game: Game) -> Verdicts:
    """Returns the verdict on every printed count and row of a game.

    A figure that nothing counts is not one that holds: its verdict says that it cannot be counted, and why.
    """
    subjects = printed_subjects(game)
    counts = game.port.sources.printed
    if counts is None:
        missing = PrintedVerdict((NOT_COUNTED,), (), f"nothing counts printed tables of {game.family}")
        return dict.fromkeys(subjects, missing)
    judges = counts.judges(game) if subjects else ()
    return {about: _judged(judge) for about, judge in zip(subjects, judges, strict=True)}


def _judged(judge: Callable[[], PrintedVerdict]) -> PrintedVerdict:
    try:
        return judge()
    except InputError as error:
        return PrintedVerdict((NOT_COUNTED,), (), str(error))


@dataclass(frozen=True, slots=True)
class LikelyDecision:
    """What optimal play of the first wager does with one hand, and how often a round comes to it."""

    best: str
    probability: Fraction


@dataclass(frozen=True, slots=True)
class GameFigures:
    """Exact figures of one state of a game.

    Args:
        wagers: Figures by strategy and wager.
        decisions: Optimal play of the first wager by hand, and by the card that the dealer shows where there is one.
        exposure: The most that a round costs in minor units of the currency, whichever configuration is staked.
        currency: Currency of the exposure.
        family: Family of the game; hands of two families are not compared.
        judged: What each printed count and row is worth, in the order of the game.
        offered: Configurations that are more than a wager as submitted.
    """

    wagers: Mapping[str, Mapping[str, WagerFigures]]
    decisions: Mapping[str, LikelyDecision]
    exposure: int
    currency: str
    family: str
    judged: tuple[tuple[Subject, PrintedVerdict], ...]
    offered: tuple[Configuration, ...] = ()

    @property
    def printed(self) -> Verdicts:
        """What each printed count and row is worth, by what it is about."""
        return dict(self.judged)

    @property
    def by_wager(self) -> Mapping[str, Mapping[str, WagerFigures]]:
        """Figures by wager and strategy, in the order of the wagers."""
        ids = next(iter(self.wagers.values()))
        return {wager: {name: figures[wager] for name, figures in self.wagers.items()} for wager in ids}

    @property
    def metered(self) -> bool:
        """Whether meters are part of every round, so that no wager is staked without them."""
        return any(one.kind is ConfigurationKind.SEED for one in self.offered)

    @property
    def endless(self) -> bool:
        """Whether there is no end of what a round of some configuration wins: exposure is then of what is played."""
        return any(self.best(wager).endless for wager in self.by_wager) or any(
            one.endless for one in self.offered
        )

    def best_strategy(self, wager: str) -> str:
        """Returns the strategy, or the pair whose bracket is proven, of the optimal method of play of a wager.

        Source: GLI-19 v3.0 4.7.1(b): the return is that of the optimal method of play.
        """
        return optimal_play(self.by_wager[wager])

    def best(self, wager: str) -> WagerFigures:
        """Returns the figures of a wager under the named strategy that is best for it."""
        return self.wagers[self.best_strategy(wager)][wager]


def count_figures(basis: GateBasis) -> GameFigures:
    """Returns the exact figures of a game from what they rest on and nothing else, every order of the deck counted.

    Raises:
        InputError: The game cannot be analysed, such as one with limits in two currencies.
    """
    game, strategies = basis.game, basis.strategies
    analyses = {name: analyze(game, name) for name in strategies}
    highest, ways = exposure(game), further(game)
    most = [one.exposure(game.wager(one.wager).limits) or 0 for one in ways]
    return GameFigures(
        wagers={
            name: {figures.wager: figures for figures in analysis.wagers}
            for name, analysis in analyses.items()
        },
        decisions={
            # The cell of the strategy that a decision fills, as a player names it.
            one.hand if one.dealer is None else f"{one.hand} against {one.dealer}": LikelyDecision(
                one.best, one.probability
            )
            for one in analyses[strategies[0]].decisions
        },
        exposure=max(highest.amount, *most, 0),
        currency=highest.currency,
        family=game.family,
        judged=tuple(judge_printed(game).items()),
        offered=ways,
    )


def figures_document(figures: GameFigures) -> JsonObject:
    """Returns figures as JSON, as every noun of the evidence is written."""
    return cast(JsonObject, plain(figures))


def figures_from(document: object, basis: GateBasis) -> GameFigures:
    """Returns the figures that :func:`figures_document` wrote, wagers and strategies in the order of the game.

    Raises:
        InputError: The document is not of that form, its probabilities do not sum to one, or it is of other wagers,
            strategies or printed figures than the game has.
    """
    found = noun_of(GameFigures, document, InputError, "figures of the wrong form")
    ids = [wager.id for wager in basis.game.wagers]
    expected = {
        "family": basis.game.family,
        "strategies": {*basis.strategies},
        "wagers": [{*ids}] * len(basis.strategies),
        "printed figures": printed_subjects(basis.game),
    }
    stated = {
        "family": found.family,
        "strategies": {*found.wagers},
        "wagers": [{*wagers} for wagers in found.wagers.values()],
        "printed figures": tuple(about for about, _ in found.judged),
    }
    for name, value in expected.items():
        if stated[name] != value:
            raise InputError(f"figures of another game: {name} {stated[name]}, expected {value}")
    for _, verdict in found.judged:
        if not verdict.worth or not set(verdict.worth) <= set(WORTH):
            raise InputError(f"no verdict {verdict.worth}: expected some of {', '.join(WORTH)}")
    # Order in the document says nothing: JSON keeps none.
    ordered = {name: {wager: found.wagers[name][wager] for wager in ids} for name in basis.strategies}
    return replace(found, wagers=ordered)


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
        with Refusing(ChildError, OtherCodeError, f"{code.words} counts nothing here"):
            # The code of a state that is compared with, which is merged; it leaves nothing next to its sources.
            told = answer(
                f"{__name__}:serve",
                json.dumps(task).encode(),
                timeout=SECONDS,
                environment={"PYTHONDONTWRITEBYTECODE": "1"},
            )
    if len(told) > MAXIMUM:
        raise OtherCodeError(f"{code.words} counts nothing here: its answer is longer than {MAXIMUM}")
    with Refusing((ValueError, InputError), OtherCodeError, f"{code.words} gave figures of another form"):
        return figures_from(json_of(told), submission.basis)


def serve(given: BinaryIO, answers: BinaryIO) -> None:
    """Counts a submission with the code that is put first on the path, if it is the code that is meant."""
    path, folder, family, sha256 = json.load(given)
    sys.path.insert(0, folder)
    try:
        submission = read_submission(read_bounded(Path(path)), "game.toml", "game.toml")
        files: dict[str, bytes] = {}
        for place in places_of(family, Path(folder).resolve()).values():
            files |= files_at(place)
        if digest_of(files.items()) != sha256:
            raise InputError(
                f"the code on the path is {digest_of(files.items())[:12]}, expected {sha256[:12]}"
            )
        document = figures_document(count_figures(submission.basis))
    except CertifyError as error:
        raise SystemExit(str(error)) from error
    answers.write(json.dumps(document).encode())


def figures_of(submission: Submission) -> GameFigures:
    """Returns the figures of a submission: kept under the digest of all that they rest on, the tool too, or counted.

    Raises:
        InputError: The game cannot be analysed.
    """
    basis = submission.basis
    with suppress(InputError):
        return figures_from(find(FIGURES, basis.digest), basis)
    here = basis.code.identity == installed_code(submission.game.family).identity
    counted = count_figures(basis) if here else counted_elsewhere(submission)
    keep(FIGURES, basis.digest, figures_document(counted))
    return counted


def refuse_folder(checkouts: Iterable[Path], states: Iterable[Path] = ()) -> None:
    """Refuses to keep figures, or the key of their marks, where the judged changes are, or where others can write.

    Args:
        checkouts: Places that are judged; whatever checkout they lie in is meant as a whole.
        states: Folders that are read as states.

    Raises:
        InputError: The folder or the key is within one of them, or others than its owner can write to the folder.
    """
    folder = keeping()
    if folder is None:
        return
    if folder.is_dir() and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise InputError(
            f"{folder}: others can write there, so that figures kept there could be theirs: "
            "expected a folder of your own (--cache, CERTIFY_CACHE), or --no-cache"
        )
    found = [checkout for checkout in map(worktree_of, checkouts) if checkout is not None]
    for place in (*found, *(state.resolve() for state in states)):
        if folder.resolve().is_relative_to(place):
            raise InputError(
                f"{folder}: figures kept inside {place} could come from the change that is judged: "
                "expected a folder outside of it (--cache, CERTIFY_CACHE), or --no-cache"
            )
        secret = secret_file(os.environ)
        if secret.resolve().is_relative_to(place):
            raise InputError(
                f"{secret}: who makes the change that is judged may know the key of kept figures: "
                f"expected one outside of {place} (XDG_STATE_HOME), or --no-cache"
            )
