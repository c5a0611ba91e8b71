"""Games, exact figures, packs and tests of random output for scripts and notebooks: what ``import certify`` offers."""

import importlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from certify.analysis.pay_search import PayBounds
from certify.cli.operator_items import Bringing
from certify.cli.options import Progress, drawn_seed, strategy_name
from certify.cli.rng_battery import BatteryOptions, judge_sample
from certify.cli.rng_source import SampleOptions, source_of
from certify.cli.run import RunOptions, certified, exit_code
from certify.cli.signing import Signing
from certify.clock import SystemClock
from certify.errors import InputError, require_known
from certify.evidence import Evidence, StatedCampaign, TestedSample
from certify.executors import ExecutorSpec, open_executor
from certify.gate.run import GateRequest, run_gate
from certify.gate.verdict import GateReport
from certify.issue.verification import verify_pack
from certify.mathematics import SeekPays, analyze
from certify.model import Analysis, Game as Submission
from certify.report.figures.played import convergence
from certify.seal import VerificationReport
from certify.simulation import StreamDecks, campaign_evidence, compare as agreements_of, run_campaign
from certify.submission import read_game
from certify.untrusted_input import write_whole

Cell = Fraction | float | str | None
DECKS: Final = (40, 52, 54)
"""Numbers of cards that a deck may have."""


class Records(tuple[Mapping[str, Cell], ...]):
    """Rows by the names of their columns, with exact fractions.

    >>> Records([{"outcome": "win", "probability": Fraction(1, 4)}]).records()
    [{'outcome': 'win', 'probability': 0.25, 'probability_exact': '1/4'}]
    """

    __slots__ = ()

    def records(self) -> list[dict[str, float | str | None]]:
        """Returns each row with its fractions as floats, and next to each the fraction as text."""
        rows: list[dict[str, float | str | None]] = []
        for row in self:
            rows.append({})
            for name, value in row.items():
                if isinstance(value, Fraction):
                    rows[-1] |= {name: float(value), f"{name}_exact": str(value)}
                else:
                    rows[-1][name] = value
        return rows

    def to_pandas(self) -> Any:
        """Returns a ``pandas.DataFrame`` of the records; pandas must be installed."""
        return importlib.import_module("pandas").DataFrame(self.records())

    def to_polars(self) -> Any:
        """Returns a ``polars.DataFrame`` of the records; polars must be installed."""
        return importlib.import_module("polars").DataFrame(self.records())

    def _repr_html_(self) -> str:
        """Returns the table for a notebook."""
        names = dict.fromkeys(name for row in self for name in row)
        lines = [names, *([row.get(name) for name in names] for row in self)]
        cells = ["".join(f"<td>{escape(str(cell))}</td>" for cell in line) for line in lines]
        return f"<table>{''.join(f'<tr>{line}</tr>' for line in cells)}</table>"


@dataclass(frozen=True)
class Figures:
    """Exact figures of every wager of a game under one strategy.

    Args:
        exact: The figures as the report states them.
    """

    exact: Analysis = field(repr=False)

    def __repr__(self) -> str:
        """Returns the returns: everything that is exact would fill a notebook."""
        return f"Figures({self.returns})"

    def _repr_html_(self) -> str:
        """Returns the outcomes as a table for a notebook."""
        return self.outcomes._repr_html_()

    @property
    def returns(self) -> dict[str, Fraction]:
        """Return to player of each wager, by its id; of a game with two strategies the lower end of the bracket."""
        return {one.wager: one.return_to_player for one in self.exact.wagers}

    @cached_property
    def outcomes(self) -> Records:
        """Every outcome of every wager: net result per unit staked, and probability."""
        return Records(
            {"wager": one.wager, "outcome": end.id, "net": end.pays, "probability": end.probability}
            for one in self.exact.wagers
            for end in one.outcomes
        )

    @cached_property
    def distribution(self) -> Records:
        """Net results of each wager with their probabilities, lowest first, as far as they are listed."""
        return Records(
            {"wager": one.wager, "net": net, "probability": chance}
            for one in self.exact.wagers
            for net, chance in one.listed
        )

    @cached_property
    def decisions(self) -> Records:
        """The best decision for every hand, with the value of each option in units of the deciding stake."""
        return Records(
            {"hand": one.hand, "dealer": one.dealer, "best": one.best, **one.values}
            for one in self.exact.decisions
        )


@dataclass(frozen=True, slots=True)
class PlayedRounds:
    """Rounds that were played, against the exact figures.

    Args:
        campaign: What was counted, as the report states it, with a verdict for each wager.
    """

    campaign: StatedCampaign = field(repr=False)

    def __repr__(self) -> str:
        """Returns the verdicts."""
        return f"PlayedRounds({self.verdicts})"

    @property
    def verdicts(self) -> dict[str, str]:
        """Verdict on each wager, by its id."""
        return {one.wager: str(one.verdict) for one in self.campaign.wagers}

    def plot(self, wager: str) -> str:
        """Returns how the mean return came to the exact one, as SVG: the drawing of the report.

        Raises:
            InputError: The game has no such wager.
        """
        require_known(f"no wager {wager!r}", wager, self.verdicts)
        return convergence(self.campaign, wager, wager).drawing


@dataclass(frozen=True, slots=True)
class LoadedGame:
    """A game as it was submitted.

    Args:
        path: File of the submission.
        submission: What the file states.
    """

    path: Path
    submission: Submission = field(repr=False)

    def analyze(self, strategy: str | None = None, bank: str | None = None) -> Figures:
        """Returns the exact figures under a strategy.

        Args:
            strategy: How the player plays; ``main-optimal`` where left out, or ``equilibrium`` where the bank decides.
            bank: How the bank plays, in games whose bank decides.

        Raises:
            InputError: The game knows no such strategy.
        """
        return Figures(analyze(self.submission, strategy_name(self.submission, strategy, bank)))

    def simulate(
        self,
        rounds: int,
        seed: bytes | None = None,
        strategy: str | None = None,
        bank: str | None = None,
        workers: int = 1,
    ) -> PlayedRounds:
        """Plays rounds on the certified generator and compares them with the exact figures.

        Args:
            rounds: How many.
            seed: 32 to 128 bytes; drawn from the operating system where left out.
            strategy: As :meth:`analyze`.
            bank: As :meth:`analyze`.
            workers: Threads to play on; the result does not depend on it.

        Raises:
            InputError: The seed has another form, or the game knows no such strategy.
        """
        found = self.analyze(strategy, bank).exact
        deal = StreamDecks.of(self.submission, drawn_seed(seed))
        with open_executor(ExecutorSpec("threads", workers)) as running:
            campaign = run_campaign(self.submission, found.strategy, rounds, deal=deal, executor=running)
        agreements = agreements_of(campaign, found, self.submission, Fraction(1, 100))
        return PlayedRounds(campaign_evidence(campaign, agreements, self.submission, found))

    def identify(self, wager: str, maximum: int = 500) -> Any:
        """Returns which readings and whole-number pays reproduce the printed return or house edge of a wager.

        Args:
            wager: Id of the wager.
            maximum: Highest pay to 1 that is tried.
        """
        return SeekPays(self.submission, PayBounds(1, maximum))(wager)


@dataclass(frozen=True, slots=True)
class WrittenPack:
    """A signed pack.

    Args:
        path: Its folder.
        evidence: Everything that the report states.
        exit_code: The exit code of ``certify run``: 0 only where nothing is against the game.
    """

    path: Path
    evidence: Evidence = field(repr=False)
    exit_code: int

    @property
    def verdict(self) -> str:
        """The overall verdict."""
        return str(self.evidence.report.statement.verdict)


def load(path: str | Path) -> LoadedGame:
    """Returns the game of a submission, ``game.toml`` or its folder.

    Raises:
        SubmissionError: The file cannot be read or contains mistakes; all are listed with their lines.
    """
    file = Path(path) / "game.toml" if Path(path).is_dir() else Path(path)
    return LoadedGame(file, read_game(file))


def run(
    game: LoadedGame, out: str | Path, profile: str = "quick", seed: bytes | None = None, **options: Any
) -> WrittenPack:
    """Checks a game in full and writes its signed pack, as ``certify run`` does.

    Args:
        game: The game.
        out: Folder of the pack.
        profile: ``quick``, ``standard`` or ``full``.
        seed: 32 to 128 bytes; drawn from the operating system where left out.
        options: Further fields of :class:`certify.cli.run.RunOptions`, such as ``named=("ontario",)``.

    Raises:
        CertifyError: The call or a file is wrong, or a part of the system is missing; nothing was written.
    """
    asked = {"signing": Signing(), "bringing": Bringing(), **options}
    chosen = RunOptions(profile=profile, seed=seed, **asked)
    evidence, conclusions = certified(game.path, Path(out), chosen, Progress(quiet=True))
    return WrittenPack(Path(out), evidence, int(exit_code(conclusions, chosen.fail_on)))


def verify(
    pack: WrittenPack | str | Path,
    trust: str | Path | None = None,
    *,
    rerun: bool = False,
    replay: bool = False,
) -> VerificationReport:
    """Verifies a pack or a report, as ``certify verify`` does; ``holds`` says whether every step holds.

    Args:
        pack: The pack, its folder, or a report alone.
        trust: Root certificates that you trust, in PEM.
        rerun: Whether figures, conclusions, recorded rounds and pages are computed again.
        replay: Whether the whole run is repeated too.
    """
    path = pack.path if isinstance(pack, WrittenPack) else Path(pack)
    roots = None if trust is None else Path(trust)
    return verify_pack(path, roots, SystemClock().now(), Progress(quiet=True), rerun=rerun, replay=replay)


def test_random(
    values: bytes | Iterable[int] | Iterable[Sequence[int]],
    below: int | None = None,  # noqa: PT028
) -> TestedSample:
    """Tests random output, as ``certify rng test`` does.

    Args:
        values: Raw bytes, whole numbers from 0, or decks: each a row of the numbers of its cards.
        below: The range of whole numbers, 37 for 0 to 36; left out for bytes and decks.

    Raises:
        InputError: There are no values, or decks of another size.
        SampleError: A value is no number of the range, or a deck is not whole.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "values"
        if isinstance(values, bytes):
            write_whole(file, [values])
            sample = SampleOptions(bits=(file,))
        else:
            rows = [row if isinstance(row, Sequence) else (row,) for row in values]
            size = len(rows[0]) if rows else 0
            if below is None and size not in DECKS:
                raise InputError(
                    f"decks of {size} cards: expected 40, 52 or 54 in each, or below= for whole numbers"
                )
            write_whole(file, [f"{' '.join(map(str, row))}\n".encode() for row in rows])
            sample = (
                SampleOptions(decks=(file,), pack=str(size))
                if below is None
                else SampleOptions(draws=(file,), ranges=str(below))
            )
        return judge_sample(source_of(sample), BatteryOptions(), Progress(quiet=True))[0]


def compare(before: str | Path, after: str | Path) -> GateReport:
    """Compares two states of submissions by meaning, as ``certify gate`` does: files, folders or ``git:REF``.

    Raises:
        InputError: A state, the policy or the approvals cannot be read.
    """
    return run_gate(GateRequest(str(before), str(after), SystemClock().now()))
