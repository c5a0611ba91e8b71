"""Two rounds reported in full, one void by a malfunction and one by its term: times, cards, money after each step."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from certify.children import source_digest
from certify.clauses import Regime
from certify.clock import SteppedClock
from certify.evidence import Situation, ToldRound, ToldStep
from certify.families import LongRound
from certify.model import Game, Verdict
from certify.rounds import (
    Command,
    Draws,
    Edition,
    Ledger,
    LedgerRequest,
    Machine,
    Play,
    RoundRecord,
    SeatAction,
    SessionOpened,
    SqliteStore,
    Vault,
    calmest,
    command_for,
    default_stakes,
    edition_of,
    finish,
    funds_for,
    reference_system,
    under_adopted_terms,
    view_of,
)
from certify.rounds.probe import money
from certify.rounds.recall import recall
from certify.simulation import StreamDecks

ROUNDS: Final = 12
_BETWEEN: Final = timedelta(seconds=7)


def _after_deal(play: Play) -> tuple[tuple[Command, ...], ...]:
    """Returns what follows the deal, in turn: a plain round, decisions, an interruption, a malfunction.

    Every decision that the rules offer is taken, what gives up last; where a decision adds a stake, an interruption
    and a malfunction follow the one that adds most. What is left open is decided by what commits to least.
    """
    settle, interrupted = (
        Command(SeatAction.SETTLE),
        (Command(SeatAction.DISCONNECT), Command(SeatAction.RESUME)),
    )
    decided = tuple((command_for(one),) for one in sorted(play.decisions, key=play.gives_up))
    after: tuple[tuple[Command, ...], ...] = ((*interrupted,), (Command(SeatAction.MALFUNCTION),))
    if play.adds_stakes:
        most = max(play.options.values(), key=lambda option: sum(units for _, units in option.adds))
        last = command_for(most.id)
        after = ((*interrupted, last, settle), (last, Command(SeatAction.MALFUNCTION)), after[-1])
    return (*(decided or ((),)), *after)


def recalled_rounds(game: Game, regime: Regime, seed: bytes, started: datetime) -> tuple[RoundRecord, ...]:
    """Plays rounds on a ledger of its own and returns what recall gives of them.

    Args:
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, from which the decks are dealt.
        started: Time of the first round.

    Raises:
        TrustError: A record was altered, or a replay does not reproduce what was recorded.
    """
    # Stream 0 of this purpose deals the decks on which the terms are exercised.
    decks = [tuple(deck) for deck in StreamDecks.of(game, seed, "round-exercise").deal(1, ROUNDS).tolist()]
    rows, clock = iter(decks), SteppedClock(started)
    with (
        tempfile.TemporaryDirectory(prefix="certify-ledger-") as folder,
        closing(_opened(game, regime, seed, clock, lambda _: next(rows), Path(folder))) as ledger,
    ):
        _recorded_play(ledger, clock, game, ",".join(regime.names))
        ledger.journal.verify()
        ids = dict.fromkeys(event.round for event in ledger.journal.events(SEAT) if event.round)
        return tuple(recall(ledger, round_id) for round_id in ids)


def _recorded_play(ledger: Ledger, clock: SteppedClock, game: Game, jurisdiction: str) -> None:
    """Plays the rounds at one seat."""
    stakes, play = default_stakes(game), ledger.machine.edition.play
    scripts = _after_deal(play)
    funds = ROUNDS * funds_for(play, stakes)
    ledger.open(SEAT, SessionOpened("player-1", "session-1", "test bench", jurisdiction), funds)
    for number in range(ROUNDS):
        asked = [Command(SeatAction.PLACE, *stake) for stake in stakes]
        asked += [Command(SeatAction.DEAL), *scripts[number % len(scripts)]]
        ledger.perform_all(
            LedgerRequest(SEAT, command, reason="planted for the test", decided_by="certify")
            for command in asked
        )
        # A decision that the draws did not ask for was refused; what is open is decided and settled.
        finish(ledger, SEAT)
        clock.advance(_BETWEEN)


SITUATION: Final = "restart-of-the-ledger"
SEAT: Final = "seat"
FILE: Final = "rounds.db"
AWAY: Final = timedelta(minutes=5)

Deck = tuple[int, ...]


def _play(ledger: Ledger) -> Iterator[tuple[str, Sequence[Command]]]:
    """Plays a round to its end: all bets, the deal, what commits to least, settlement.

    Yields each command as soon as it is acknowledged, with what is left to do behind it.
    """
    edition = ledger.machine.edition
    stakes, calm = default_stakes(edition.game), calmest(edition.play)
    funds = funds_for(edition.play, stakes)
    ledger.open(SEAT, SessionOpened("player-1", "session-1", "test bench", "test"), funds)
    commands = [Command(SeatAction.PLACE, *stake) for stake in stakes] + [Command(SeatAction.DEAL)]
    commands += [*([command_for(calm)] if calm else []), Command(SeatAction.SETTLE)]
    for number, command in enumerate(commands, start=1):
        # What the draws did not ask for is refused and changes nothing: there is nothing new to lose behind it.
        if ledger.perform(LedgerRequest(SEAT, command)).done:
            yield str(command), commands[number:]
    finish(ledger, SEAT)


def _money(ledger: Ledger) -> str:
    return money(view_of(ledger.seat(SEAT)))


def restarted(game: Game, regime: Regime, seed: bytes, started: datetime, decks: Sequence[Deck]) -> Situation:
    """Returns what a ledger knows after it was cut off behind every acknowledged command of a round.

    The files are taken as they lie on the disk while the first ledger still holds them open, as after a loss of power;
    a ledger of its own opens them, shows the round, and brings it to its end.

    Args:
        game: The submission.
        regime: The jurisdictions, which say how malfunctions end.
        seed: Master seed, from which the key of the decks follows.
        started: Time of the first round.
        decks: Decks of the rounds, one each.
    """
    trials = [trial for deck in decks for trial in _tried(game, regime, seed, started, deck)]
    failures = [(expected, seen) for expected, seen in trials if expected != seen]
    shown = failures[0] if failures else trials[0]
    observed = (
        f"{len(failures)} of {len(trials)} restarts differ; the first: expected {shown[0]}; observed {shown[1]}"
        if failures
        else f"as expected in all {len(trials)} restarts, such as: {shown[1]}"
    )
    return Situation(
        id=SITUATION,
        situation="The ledger is cut off behind a command and started again from its files",
        expected="What was acknowledged is there, and the round continues and ends with the same money",
        observed=observed,
        verdict=Verdict.NOT_SATISFIED if failures else Verdict.SATISFIED,
        trials=len(trials),
        failures=len(failures),
        evidence=(),
        clauses=("GLI-19 4.16.1", "GLI-19 4.16.2", "GLI-19 4.16.3(b)"),
        adopted_terms=under_adopted_terms(SITUATION, game.terms),
    )


def _tried(game: Game, regime: Regime, seed: bytes, started: datetime, row: Deck) -> list[tuple[str, str]]:
    """Returns, for a restart behind each command, what was acknowledged and what the restarted ledger shows."""
    with tempfile.TemporaryDirectory(prefix="certify-restart-") as name:
        files = Path(name, "ledger")
        files.mkdir()
        ledger = _opened(game, regime, seed, SteppedClock(started), lambda _: row, files)
        shown: list[tuple[str, Sequence[Command], str, Path]] = []
        for command, rest in _play(ledger):
            # The files as they lie on the disk while the ledger holds them open.
            copy = shutil.copytree(files, Path(name, f"after-{len(shown)}"))
            shown.append((command, rest, _money(ledger), copy))
        end = _money(ledger)
        ledger.close()
        found = []
        for command, rest, before, copy in shown:
            with closing(
                _opened(game, regime, seed, SteppedClock(started + AWAY), lambda _: row, copy)
            ) as again:
                again.journal.verify()
                seen = _money(again)
                again.perform_all(LedgerRequest(SEAT, one) for one in rest)
                finish(again, SEAT)
                seen = f"after {command}: {seen} and in the end {_money(again)}"
            found.append((f"after {command}: {before} and in the end {end}", seen))
        return found


def _opened(
    game: Game, regime: Regime, seed: bytes, clock: SteppedClock, rows: Draws, folder: Path
) -> Ledger:
    """Opens a ledger of a game, whose decks are sealed under a key that follows from the seed."""
    edition = edition_of(game, regime.policy(game.terms), source_digest())
    machine = Machine({edition.sha256: edition}, edition.sha256, clock)
    vault = Vault(hashlib.sha256(b"certify recall vault" + seed).digest())
    return Ledger(SqliteStore(folder / FILE), machine, vault, rows)


def narrated_rounds(edition: Edition, deck: tuple[int, ...], started: datetime) -> tuple[ToldRound, ...]:
    """Returns a round void by a malfunction, and one void by its term where one can be, on the reference machine.

    Args:
        edition: Rules and terms.
        deck: Deck of both rounds; of a game of long rounds, where nothing is decided on it, one that leaves one open.
        started: Time of the first step.
    """
    play = edition.play
    if isinstance(play.reference, LongRound) and not play.position(deck, ()).options:
        deck = next((row for row in play.witnesses((deck,)) if play.position(row, ()).options), deck)
    accept = [Command(SeatAction.PLACE, *stake) for stake in default_stakes(edition.game)]
    accept.append(Command(SeatAction.DEAL))
    calm = calmest(play)
    decided = [command_for(calm)] if calm and play.position(deck, ()).options else []
    plain = [*accept, *decided, Command(SeatAction.MALFUNCTION)]
    left = [*accept, Command(SeatAction.DISCONNECT)]
    deadline = edition.policy.deadline(started + (len(accept) - 1) * _BETWEEN)
    # The player never returns: up to a second before the term of the bets, and at it.
    late = [(deadline - timedelta(seconds=1), _EXPIRE), (deadline, _EXPIRE)]
    voided = _narrated(edition, deck, "voided", _one_by_one(plain, started))
    expired = _narrated(edition, deck, "expired", [*_one_by_one(left, started), *late])
    # Where nothing is left to decide the result is known and final: such a round is never void by its term.
    return (voided, expired) if expired.steps[-1].phase == "expired" else (voided,)


_EXPIRE: Final = Command(SeatAction.EXPIRE)


def _one_by_one(commands: Sequence[Command], started: datetime) -> list[tuple[datetime, Command]]:
    return [(started + number * _BETWEEN, command) for number, command in enumerate(commands)]


def _narrated(
    edition: Edition, deck: tuple[int, ...], ending: str, commands: Sequence[tuple[datetime, Command]]
) -> ToldRound:
    """Does commands, each at its time, on a system of its own, and writes down what every one of them left."""
    funds = funds_for(edition.play, default_stakes(edition.game))
    system = reference_system(edition, funds, commands[0][0])
    system.set_deck(deck)
    steps: list[ToldStep] = []
    for instant, command in commands:
        system.set_clock(instant)
        reply = system.perform(command)
        steps.append(
            ToldStep(
                at=instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                action=str(command.action),
                wager=command.wager,
                amount=command.amount,
                decision=command.decision,
                done=reply.done,
                hands=tuple(
                    f"{holder}: {', '.join(edition.play.names(faces, holder)) or '–'}"
                    for holder, faces in reply.view.hands
                ),
                phase=reply.view.phase,
                balance=reply.view.balance,
                held=reply.view.held,
            )
        )
    return ToldRound(ending, edition.game.wagers[0].limits.currency, funds, tuple(steps))
