"""``certify play``: rounds of a game on the terminal, each to be seen again by its seed and number."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from certify.cli.exits import Exit
from certify.cli.options import GAME, format_option, print_json, seed_option

if TYPE_CHECKING:
    from certify.families.driver import Decide, PlayedRound
    from certify.families.port import Choice
    from certify.model.game import Game
    from certify.model.strategy import Strategy

AT_A_TIME: Final = 256
"""Rows that are drawn at a time until the round asked for is reached."""

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
    help="Number of the first of them.",
)
@click.option(
    "--strategy", metavar="NAME", help="Who decides; where left out you are asked, and scripts play the best."
)
@seed_option
@format_option
def play(game: Path, rounds: int, first: int, strategy: str | None, seed: bytes, output: str) -> int:
    """Play rounds of GAME.toml one by one: what is dealt or shown, every win, and how each wager ends.

    A round is known by seed and number: it is the round of that number in the first stream of a campaign with this
    seed, dealt whole, and comes again whenever it is asked for.
    """
    from certify.submission import read_game

    submission = read_game(game)
    told = []
    for number, played in enumerate(_played(submission, rounds, first, strategy, seed, output), start=first):
        if output == "json":
            told.append(_document(number, played))
            continue
        click.echo(f"round {number}")
        for sentence in played.trace:
            click.echo(f"  {sentence}")
    if output == "json":
        print_json({"game": submission.id, "seed": seed.hex(), "rounds": told})
    else:
        click.echo(
            f"\nseen again by: certify play {game} --round {first} --rounds {rounds} --seed {seed.hex()}"
        )
    return int(Exit.SATISFIED)


def _played(
    game: Game, rounds: int, first: int, strategy: str | None, seed: bytes, output: str
) -> Iterator[PlayedRound]:
    from certify.families.driver import play as play_round
    from certify.families.registry import family_of

    reference, decide = family_of(game).reference(game), _decide(game, strategy, output)
    for row in islice(_rows(game, seed), first, first + rounds):
        yield play_round(reference, row, decide)


def _rows(game: Game, seed: bytes) -> Iterator[list[int]]:
    """Yields the rows of the first stream, drawn as they are wanted."""
    from certify.simulation.decks import StreamDecks
    from rng.draws import draw_many

    source = StreamDecks.of(game, seed)
    words = source.words(0)
    while True:
        yield from draw_many(words, source.draw, AT_A_TIME).tolist()


def _decide(game: Game, strategy: str | None, output: str) -> Strategy | Decide:
    """Returns who decides: a strategy, or whoever sits at the terminal."""
    from certify.analysis import analyze, plan_of

    if strategy is None and output != "json" and sys.stdin.isatty():
        return _asking(game)
    return analyze(game, strategy or plan_of(game).analysed[0]).strategy


def _asking(game: Game) -> Decide:
    """Returns what asks for each decision, with what the seat sees."""

    def ask(choice: Choice) -> str:
        if choice.seat != "player" and len(choice.ids) == 1:
            return choice.ids[0]
        click.echo(f"  the {choice.seat} sees {_seen(choice.sees)}")
        answer: str = click.prompt("  decide", type=click.Choice(choice.ids), default=choice.ids[0])
        return answer

    return ask


def _seen(sees: object) -> str:
    """Returns what a seat sees, in one line.

    >>> _seen((("7", "K"), 4, None))
    '7 K 4'
    """
    if isinstance(sees, tuple):
        return " ".join(filter(None, (_seen(part) for part in sees)))
    return "" if sees is None else str(sees)


def _document(number: int, played: PlayedRound) -> dict[str, Any]:
    from certify.exact import fraction_text

    return {
        "round": number,
        "trace": list(played.trace),
        "decisions": list(played.decisions),
        "results": [
            {
                "wager": one.wager,
                "outcome": one.outcome,
                "net": fraction_text(one.net),
                "awards": [
                    {
                        "part": award.part,
                        "row": award.row,
                        "times": int(award.times),
                        "amount": fraction_text(award.amount),
                    }
                    for award in one.won
                ],
            }
            for one in played.results
        ],
    }
