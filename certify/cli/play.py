"""``certify play``: rounds of a game on the terminal, each to be seen again by its seed and number."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache, cached_property
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from certify.cli.failures import Exit, exit_by
from certify.cli.options import (
    BANK,
    GAME,
    STRATEGY,
    Progress,
    executor_option,
    format_option,
    keeps_results,
    next_step,
    print_json,
    print_result,
    seed_option,
    strategy_name,
)
from certify.errors import InputError
from certify.evidence import StatedCampaign, plain
from certify.exact import decimal_text, fraction_text, units
from certify.executors import ExecutorSpec, execution_words, open_executor
from certify.families import (
    Chance,
    Choice,
    Decide,
    PlayedRound,
    RoundStep,
    Settled,
    decided_by,
    play as play_round,
)
from certify.mathematics import analyze, named_decision, plan_of, seen_in_words, values_of
from certify.model import Game, Strategy, costs
from certify.submission import read_game
from certify.untrusted_input import JsonObject, write_whole
from rng.draws import draw_many

if TYPE_CHECKING:
    from certify.simulation import PlayChunk


@click.command(
    epilog="Example: certify simulate fixtures/games/playtech-7-e-mezzo/game.toml --rounds 10000000 --workers 2"
)
@click.argument("game", type=GAME)
@click.option("--rounds", type=click.IntRange(1), required=True, help="Rounds to play.")
@STRATEGY
@BANK
@click.option(
    "--workers", type=click.IntRange(1, 256), default=1, show_default=True, help="Threads to play on."
)
@click.option(
    "--resume",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to keep results in and resume from.",
)
@executor_option
@click.option(
    "--chunk", type=click.IntRange(0), metavar="INDEX", help="Play one chunk of the campaign and no other."
)
@click.option(
    "--books",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write the rounds of the first stream into a new folder, each once with its weight: books.jsonl, lookup.csv.",
)
@click.option(
    "--log",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the rounds of the first stream as a log, a row a wager, as `certify audit` reads it (CSV).",
)
@seed_option
@format_option
@keeps_results
def simulate(
    game: Path,
    rounds: int,
    strategy: str | None,
    bank: str | None,
    workers: int,
    resume: Path | None,
    executor: ExecutorSpec | None,
    chunk: int | None,
    books: Path | None,
    log: Path | None,
    seed: bytes,
    output: str,
) -> int:
    """Play rounds of GAME.toml on shuffled decks and compare them with the exact figures."""
    from certify.kit.starting import write_folder
    from certify.simulation import StreamDecks, campaign_evidence, chunks_of, compare, run_campaign

    submission = read_game(game)
    name = strategy_name(submission, strategy, bank)
    analysis = analyze(submission, name)
    progress = Progress(quiet=output == "json")
    deal = StreamDecks.of(submission, seed)
    # Before anything is written: a refusal leaves no file behind.
    for option, target, most in (("--books", books, MOST_BOOKS), ("--log", log, MOST_LOGGED)):
        if target is not None and rounds > most:
            raise InputError(f"{option} of {rounds:,} rounds: expected at most {most:,}")
    if books is not None:
        progress.step(f"writing {rounds:,} rounds to {books}")
        write_folder(_books(submission, analysis.strategy, islice(_rows(submission, seed), rounds)), books)
    if log is not None:
        progress.step(f"writing {rounds:,} rounds to {log}")
        write_whole(
            log, _log(submission, analysis.strategy, islice(_rows(submission, seed), rounds)), new=True
        )
    if chunk is not None:
        return _one_chunk(chunks_of(submission, analysis.strategy, rounds, deal=deal), chunk, output)
    progress.step(f"playing {rounds:,} rounds of {submission.title}, {name}")
    with open_executor(executor or ExecutorSpec("threads", workers)) as running:
        campaign = run_campaign(
            submission,
            analysis.strategy,
            rounds,
            deal=deal,
            progress=lambda done, total: progress.at(done, total, "rounds"),
            resume=resume,
            executor=running,
        )
        progress.step(execution_words(running.execution()))
    agreements = compare(campaign, analysis, submission, Fraction(1, 100))
    found = campaign_evidence(campaign, agreements, submission, analysis)
    print_result(output, plain(found), _lines(found))
    next_step(output, "certify run --profile quick --out my-pack", game)
    return exit_by({str(agreement.verdict) for agreement in agreements})


def _books(game: Game, strategy: Strategy, rows: Iterable[list[int]]) -> Mapping[str, str]:
    """Returns rounds as books: each different round once with its weight, and a table of what they pay.

    What a round pays back is counted in hundredths of what is staked on it, one unit on each wager; where that is no
    whole number it is written N/D.
    """
    reference = game.port.reference(game)
    weights: Counter[str] = Counter()
    pays: dict[str, str] = {}
    for row in rows:
        played = play_round(reference, row, decided_by(strategy, row))
        back = [1 + one.net for one in played.results]
        book = {"events": list(played.trace), "results": _results(played)}
        told = json.dumps(book, ensure_ascii=False)
        pays[told] = fraction_text(100 * sum(back, Fraction(0)) / len(back))
        weights[told] += 1
    counted = [(number, told, weights[told]) for number, told in enumerate(pays, start=1)]
    lines = (
        f'{{"id": {number}, "weight": {weight}, "payoutMultiplier": "{pays[told]}", {told[1:]}\n'
        for number, told, weight in counted
    )
    table = (f"{number},{weight},{pays[told]}\n" for number, told, weight in counted)
    return {"books.jsonl": "".join(lines), "lookup.csv": "id,weight,payoutMultiplier\n" + "".join(table)}


_HEADINGS: Final = "number,round,time,wager,stake,win,currency,status,outcome,draws,decisions"

_BEGUN: Final = datetime(2026, 1, 1, tzinfo=UTC)
"""When the first round of a log is played; each other one second after the one before."""


def _log(game: Game, strategy: Strategy, rows: Iterable[list[int]]) -> Iterator[bytes]:
    """Yields rounds as a log: a row a wager, at its least stake, with what was drawn and decided."""
    from certify.rounds import Rounding, rounded

    reference = game.port.reference(game)
    limits = {wager.id: wager.limits for wager in game.wagers}
    yield f"{_HEADINGS}\n".encode()
    for number, row in enumerate(rows, start=1):
        played = play_round(reference, row, decided_by(strategy, row))
        drawn = row[: len(played.draws)] if len(game.equipment) == 1 else row
        told = f"{' '.join(map(str, drawn))},{' '.join(played.decisions)}"
        for one in played.results:
            stake, currency = limits[one.wager].minimum, limits[one.wager].currency
            # Where a player can lose more than the stake, less than nothing comes back.
            win = rounded(stake * (one.staked + one.net), Rounding.DOWN)
            yield (
                f"{number},{game.id}-{number},{_BEGUN + timedelta(seconds=number):%Y-%m-%dT%H:%M:%SZ},{one.wager},"
                f"{units(stake, currency)},{units(win, currency)},{currency},settled,{one.outcome},{told}\n"
            ).encode()


def _one_chunk(play: "PlayChunk", index: int, output: str) -> int:
    """Plays one chunk of a campaign and prints its counts, as whoever played it must have counted."""
    if index >= play.number:
        raise InputError(
            f"--chunk {index}: the campaign has {play.number} chunks, expected 0 to {play.number - 1}"
        )
    result = play(index)
    wagers = result.joint.marginals()
    document = {
        "configuration": play.digest,
        "chunk": index,
        "of": play.number,
        "rounds": result.rounds,
        "sha256": result.digest,
        "wagers": wagers,
    }
    lines = [
        f"chunk {index} of {play.number}: {result.rounds:,} rounds, SHA-256 of its counts {result.digest}"
    ]
    for wager, counts in wagers.items():
        lines += [f"\n{wager}", *(f"    {outcome:34} {count:>14,}" for outcome, count in counts.items())]
    print_result(output, document, lines)
    return int(Exit.SATISFIED)


def _lines(found: StatedCampaign) -> Iterator[str]:
    """Yields what was counted, and what was expected."""
    yield f"{found.rounds:,} rounds, {found.strategy}, seed {found.seed}"
    for wager in found.wagers:
        mean = wager.mean
        yield f"\n{wager.wager}: return {100 * mean.return_:.4f} %, z = {mean.z:+.2f}, {wager.verdict}"
        for outcome in wager.outcomes:
            yield (
                f"    {outcome.outcome:34} {int(outcome.count):>14,}   expected {outcome.expected:>16,.1f}"
                f"   residual {outcome.residual:+.2f}"
            )


MOST_BOOKS: Final = 100_000
"""Rounds that are written as books, at most: each is reported in full."""

MOST_LOGGED: Final = 100_000_000
"""Rounds that are written as a log, at most."""

AT_A_TIME: Final = 256
"""Rows that are drawn at a time until the round requested is reached."""

MOST_ROUNDS: Final = 10_000_000
"""Number that a round may have, at most."""


@click.command(epilog="Example: certify play fixtures/games/slot-lines/game.toml --rounds 3")
@click.argument("game", type=GAME)
@click.option(
    "--rounds", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Rounds to play."
)
@click.option(
    "--round",
    "first",
    type=click.IntRange(0, MOST_ROUNDS),
    default=0,
    show_default=True,
    help="Number of the first round.",
)
@click.option(
    "--strategy",
    metavar="NAME",
    help="Strategy that decides; if left out you decide, and a script plays best.",
)
@seed_option
@format_option
def play(game: Path, rounds: int, first: int, strategy: str | None, seed: bytes, output: str) -> None:
    """Play rounds of GAME.toml one by one: what is dealt or shown, every win, and how each wager ends.

    Where the best play of every decision is known, each decision is reported with its cost against the best one, in
    units of the first stake.

    Seed and number identify a round: it is the round of that number in the first stream of a campaign with this seed,
    dealt in full, and the same each time.
    """
    submission = read_game(game)
    reference, decide = (
        submission.port.reference(submission),
        _who_decides(submission, strategy, output),
    )
    told = []
    for number, row in enumerate(islice(_rows(submission, seed), first, first + rounds), start=first):
        seat = _TerminalSeat(submission, decide, row)
        if output == "json":
            played = play_round(reference, row, seat)
            told.append(
                {
                    "round": number,
                    "trace": list(played.trace),
                    "decisions": list(played.decisions),
                    "costs": [None if cost is None else fraction_text(cost) for cost in seat.costs],
                    "results": _results(played),
                }
            )
            continue
        click.echo(f"round {number}")
        seat.tell = click.echo
        play_round(reference, row, seat, seat.came)
    if output == "json":
        print_json({"game": submission.id, "seed": seed.hex(), "rounds": told})
    else:
        click.echo(
            f"\nseen again by: certify play {game} --round {first} --rounds {rounds} --seed {seed.hex()}"
        )


class _TerminalSeat:
    """Decides one round, and tells what each decision costs."""

    def __init__(self, game: Game, who: Callable[[], Strategy | Decide], row: list[int]) -> None:
        self.game, self._who, self._row, self.asked = game, who, row, who is _Asking
        self.covered: dict[str, list[str]] = {}
        self.costs: list[Fraction | None] = []
        self.tell: Callable[[str], object] = str

    @cached_property
    def _decide(self) -> Decide:
        return decided_by(self._who(), self._row)

    def __call__(self, choice: Choice) -> str | None:
        option = self._decide(choice)
        if option is not None and len(choice.ids) > 1:
            values = values_of(self.game, choice)
            counted = all(one in values for one in choice.ids)
            self.costs.append(costs(values)[option] if counted else None)
            if counted:
                worth = ", ".join(f"{one} is worth {decimal_text(values[one], 6)}" for one in choice.ids)
                cost = decimal_text(costs(values)[option], 6)
                self.tell(f"  on {named_decision(self.game, choice)}: {worth}; {option} costs {cost}")
        return option

    def came(self, step: RoundStep[Any], sentences: Sequence[str]) -> None:
        """Tells a step as it comes; what is face down is named to the user when its holder draws, or last."""
        node = step.node
        if self.asked and isinstance(node, Chance) and not node.shown:
            self.covered.setdefault(node.to, []).extend(sentences)
            sentences = [f"{node.to} {node.how} one card"]
        elif isinstance(node, Chance):
            sentences = [*self.covered.pop(node.to, ()), *sentences]
        elif isinstance(node, Settled):
            sentences = [*chain(*self.covered.values()), *sentences]
        for sentence in sentences:
            self.tell(f"  {sentence}")


def _rows(game: Game, seed: bytes) -> Iterator[list[int]]:
    """Yields the rows of the first stream, drawn as they are wanted."""
    from certify.simulation import StreamDecks

    source = StreamDecks.of(game, seed)
    words = source.words(0)
    while True:
        yield from draw_many(words, source.draw, AT_A_TIME).tolist()


def _who_decides(game: Game, strategy: str | None, output: str) -> Callable[[], Strategy | Decide]:
    """Returns what names who decides: a strategy, or whoever sits at the terminal.

    Best play is counted when the first decision is met: many games have none.
    """
    if strategy is None and output != "json" and sys.stdin.isatty():
        return _Asking
    if strategy is not None:
        named = analyze(game, strategy).strategy
        return lambda: named
    return cache(lambda: analyze(game, plan_of(game).analysed[0]).strategy)


class _Asking:
    """Asks for each decision, with what the seat sees."""

    def __call__(self, choice: Choice) -> str:
        """Returns what was answered."""
        if choice.seat != "player" and len(choice.ids) == 1:
            return choice.ids[0]
        click.echo(f"  the {choice.seat} sees {seen_in_words(choice.sees)}")
        answer: str = click.prompt("  decide", type=click.Choice(choice.ids), default=choice.ids[0])
        return answer


def _results(played: PlayedRound) -> list[JsonObject]:
    return [
        {
            "wager": one.wager,
            "outcome": one.outcome,
            "net": fraction_text(one.net),
            "awards": [
                {
                    "part": award.part,
                    "row": award.row,
                    "times": int(award.times),
                    "amount": fraction_text(award.contribution),
                }
                for award in one.won
            ],
        }
        for one in played.results
    ]
