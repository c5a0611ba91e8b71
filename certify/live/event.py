"""An event that a regulator must be informed of: a signed record of the alarms of a watch, which anybody can replay.

The record is a folder. ``event.json`` says what the watch said, ``totals.csv`` holds the day totals that it follows
from, ``game.toml`` and ``map.toml`` the law; ``event.dsse`` is the signed statement over all four, and the chain of its
signer. With the totals and the law every alarm is worked out again. The logs are named by their digests.
"""

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final

from cryptography import x509

from certify import __version__
from certify.errors import CertifyError, NothingCheckedError, Refusing, TrustError
from certify.evidence.encode import plain
from certify.evidence.read import read
from certify.exact import many
from certify.live.audit import laws_of_log
from certify.live.columns import map_of
from certify.live.state import CellKey, DayTotals, KnownDays, TakenLog, WatchState, state_in_memory, totals_of
from certify.live.totals import take_log
from certify.live.watching import Watch, digest_of, look
from certify.model import Timestamp
from certify.seal.attestation import STATEMENT_TYPE, sign_statement
from certify.seal.canonical import canonical_bytes, parse_canonical, sha256_hex
from certify.seal.certificates import certificates_of, pem, read_certificates
from certify.seal.countersigned import require_entitled, verified_statement
from certify.seal.layout import ATTESTATION, EVENT as SIGNED, read_file
from certify.seal.register import moment_of
from certify.seal.signer import Signer, is_demonstration, revocations_of
from certify.seal.verification_report import StepOutcome, VerificationReport, VerificationStep
from certify.submission import parse_game
from certify.untrusted_input import JsonObject, SizeLimit, file_sha256, read_bounded

SCHEMA: Final = "certify-event/1"
PREDICATE_TYPE: Final = "urn:certify:event/1"
NUMBERS, TOTALS, GAME, MAP = "event.json", "totals.csv", "game.toml", "map.toml"
FILES: Final = (NUMBERS, TOTALS, GAME, MAP)

WITHIN: Final = 1e-9
"""How far, of itself, a float may be from what another processor makes of the same totals."""

ROUNDED: Final = {"log10_e": 1.5e-4, "low": 1.5e-6, "high": 1.5e-6}
"""How far those may be that are rounded when they are stated: to one step more or less."""

_TOTALS: Final = SizeLimit("day totals", 256 << 20)
_HEAD: Final = ["wager", "currency", "stake", "channel", "day", "returned", "rows"]


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """What is recorded of a watch with alarms.

    Args:
        schema: The form of this document.
        tool: Name and version of this software.
        recorded: When, by the clock of the signer.
        demonstration_key: Whether it is signed with a key for which nobody vouches.
        law: Digest of the laws that rounds are held against.
        lower: How much lower a return is whose time to be seen is simulated, in stakes.
        of: How many cells are watched.
        watch: What the watch says, the cells with an alarm alone.
        logs: The logs that were taken.
    """

    schema: str
    tool: str
    recorded: Timestamp
    demonstration_key: bool
    law: str
    lower: float
    of: int
    watch: Watch
    logs: tuple[TakenLog, ...]


def event_files(
    state: WatchState,
    seen: Watch,
    law: str,
    lower: float,
    game: bytes,
    map_: bytes,
    signer: Signer,
    at: datetime,
) -> dict[str, str]:
    """Returns the files of an event, signed.

    Args:
        state: The state of the watch.
        seen: What it says.
        law: Digest of the laws.
        lower: How much lower a return is whose time to be seen is simulated, in stakes.
        game: The submission.
        map_: The MAP.
        signer: Who signs.
        at: The present time, aware.

    Raises:
        NothingCheckedError: There is no alarm.
    """
    if not seen.wrong:
        raise NothingCheckedError("no alarm: there is no event to be recorded, and nothing was written")
    chain = (signer.certificate, *signer.chain)
    event = LiveEvent(
        SCHEMA,
        f"certify {__version__}",
        moment_of(at),
        is_demonstration(chain),
        law,
        lower,
        seen.of,
        seen.out,
        state.logs(),
    )
    contents = {
        NUMBERS: canonical_bytes(plain(event)),
        TOTALS: _as_csv(state.totals()).encode(),
        GAME: game,
        MAP: map_,
    }
    signed = sign_statement(_statement(event, contents), signer) + pem(chain)
    return {name: part.decode() for name, part in {**contents, SIGNED: signed}.items()}


def _statement(event: LiveEvent, contents: Mapping[str, bytes]) -> JsonObject:
    """Returns the statement over the files of an event.

    Source: in-toto Attestation Framework, Statement v1.
    """
    return {
        "_type": STATEMENT_TYPE,
        "subject": [{"name": name, "digest": {"sha256": sha256_hex(contents[name])}} for name in FILES],
        "predicateType": PREDICATE_TYPE,
        "predicate": {
            "game": event.watch.game,
            "recorded": event.recorded,
            "cells": len(event.watch.alarmed),
            "logs": [{"name": one.name, "digest": {"sha256": one.sha256}} for one in event.logs],
        },
    }


def _as_csv(totals: DayTotals) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(_HEAD)
    for cell, days in totals.items():
        for day, wins in days.items():
            key = (cell.law, cell.currency, cell.stake, cell.channel, day.isoformat())
            writer.writerows((*key, win, count) for win, count in wins.items())
    return text.getvalue()


def _from_csv(content: bytes) -> DayTotals:
    """Returns the day totals of an event.

    Raises:
        TrustError: They are of another form.
    """
    with Refusing((ValueError, csv.Error), TrustError, f"{TOTALS} holds no day totals"):
        rows = csv.reader(io.StringIO(content.decode(), newline=""), strict=True)
        if next(rows, None) != _HEAD:
            raise ValueError(f"expected the headings {', '.join(_HEAD)}")
        return totals_of(
            (CellKey(law, currency, int(stake), channel), date.fromisoformat(day), int(win), int(count))
            for law, currency, stake, channel, day, win, count in rows
        )


@dataclass(slots=True)
class _Case:
    """An event that is verified.

    Args:
        files: Its files by name.
        trust: The roots that the caller trusts; none where the caller names none.
        lists: Revocation lists.
        at: The time of verification.
        folder: Where the event is.
        logs: The logs that it is of, where the caller has them.
        statement: What is signed.
        chain: Who signed it.
        event: What is recorded.
    """

    files: Mapping[str, bytes]
    trust: Sequence[x509.Certificate] | None
    lists: Sequence[x509.CertificateRevocationList]
    at: datetime
    folder: Path
    logs: Sequence[Path]
    statement: Mapping[str, Any]
    chain: tuple[x509.Certificate, ...]
    event: LiveEvent = field(init=False)

    def signed(self) -> str:
        content = self.files[SIGNED]
        certificates = read_certificates(content, SIGNED)
        envelope = content.removesuffix(pem(certificates))
        trusted = self.trust or certificates[-1:]
        self.statement, self.chain = verified_statement(envelope, certificates, trusted)
        return f"by {self.chain[0].subject.rfc4514_string()}"

    def attested(self) -> str:
        made = read(LiveEvent, parse_canonical(self.files[NUMBERS], NUMBERS))
        if not isinstance(made, LiveEvent) or made.schema != SCHEMA:
            raise TrustError(f"{NUMBERS} is no event of the form {SCHEMA}")
        if _statement(made, self.files) != self.statement:
            raise TrustError("the files are not those of the signed statement (altered or exchanged)")
        if made.demonstration_key is not is_demonstration(self.chain):
            raise TrustError(
                "it says otherwise than the certificates whether the key is one of a demonstration"
            )
        require_entitled(self.chain, self.lists, datetime.fromisoformat(made.recorded), self.at)
        self.event = made
        return f"{len(self.files)} files, recorded on {made.recorded}, of {len(made.logs)} logs"

    def replayed(self) -> str:
        event, watch = self.event, self.event.watch
        game = parse_game(self.files[GAME], GAME)
        named = map_of(self.files[MAP], MAP, [game], {})
        laws = laws_of_log([game], named)
        if digest_of(laws, named.log.rounding) != event.law:
            raise TrustError("the exact distribution is not the one that follows from the game and the MAP")
        totals = _from_csv(self.files[TOTALS])
        unknown = sorted({cell.law for cell in totals} - {*laws})
        if unknown:
            raise TrustError(f"{TOTALS}: {unknown[0]!r} is no wager of the game")
        with state_in_memory() as state:
            state.add("event", "", 0, totals, {}, KnownDays.REFUSED)
            rounding = named.log.rounding
            again = look(state, game.id, laws, rounding, watch.alpha, event.lower).watch
        # Of totals in another order or with a line twice, another reader makes something else.
        same = _agrees(plain(replace(again.out, faults=watch.faults)), plain(watch))
        if not same or (again.of, _as_csv(totals).encode()) != (event.of, self.files[TOTALS]):
            raise TrustError(
                "the alarms are not those that follow from the day totals and the exact distribution"
            )
        return f"{len(watch.alarmed)} of {event.of} cells with an alarm, {watch.begun} to {watch.last}"

    def taken_again(self) -> str:
        held = {file_sha256(path): path for path in self.logs}
        game = parse_game(self.files[GAME], GAME)
        with state_in_memory() as state:
            for one in self.event.logs:
                if one.sha256 not in held:
                    raise TrustError(f"{one.name}: expected all logs of the event, this one is missing")
                take_log(state, held[one.sha256], self.folder / MAP, game, one.again)
            # A log may have another name by now.
            found, said = (
                [replace(one, log="") for one in part] for part in (state.faults(), self.event.watch.faults)
            )
            if found != said or state.totals() != _from_csv(self.files[TOTALS]):
                raise TrustError("day totals or rows at fault are not those of the logs")
        return (
            f"{many(len(self.event.logs), 'log')}; entries of rows at fault: {len(self.event.watch.faults):,}"
        )


def _agrees(again: Any, said: Any, named: str = "") -> bool:
    """Returns whether what is worked out again is what was said: floats within their bound, all else exactly."""
    if isinstance(again, dict) and isinstance(said, dict):
        return again.keys() == said.keys() and all(_agrees(again[key], said[key], key) for key in again)
    if isinstance(again, list) and isinstance(said, list):
        return len(again) == len(said) and all(map(_agrees, again, said))
    if isinstance(again, float) and isinstance(said, float | int):
        return math.isclose(again, said, rel_tol=WITHIN, abs_tol=ROUNDED.get(named, 0.0))
    return bool(again == said)


def verify_event(
    folder: Path,
    trust: Path | None,
    at: datetime,
    revocations: Sequence[Path] = (),
    logs: Sequence[Path] = (),
) -> VerificationReport:
    """Verifies an event: who signed it, that no file is another, and that its alarms follow from its totals.

    Where its logs are named, day totals and rows at fault must follow from them too.

    Args:
        folder: Its folder.
        trust: PEM file with the roots that the caller trusts; none where the caller names none.
        at: The time of verification, aware.
        revocations: PEM files with revocation lists.
        logs: All logs that the event is of, where the caller has them.

    Raises:
        InputError: A file of trust or revocations is none.
    """
    roots = None if trust is None else certificates_of(trust)
    case = _Case({}, roots, revocations_of(revocations), at, folder, logs, {}, ())

    def files() -> str:
        names = sorted(path.name for path in folder.iterdir())
        if names != sorted((*FILES, SIGNED)):
            raise TrustError(
                f"expected just the files {', '.join((*FILES, SIGNED))}, found {', '.join(names)}"
            )
        case.files = {name: _content(folder / name) for name in names}
        return ", ".join(names)

    plan: list[tuple[str, str, str, Callable[[], str]]] = [
        ("files", "The event is complete, and holds nothing else", "there is something to check", files),
        ("signed", "The statement is signed", "its signer vouches for every digest in it", case.signed),
        ("attested", "Every file is as stated", "no file was altered since it was signed", case.attested),
        (
            "replayed-event",
            "The alarms come out again",
            "they follow from the day totals and the exact distribution",
            case.replayed,
        ),
    ]
    if logs:
        meant = "reading the logs gives the same totals and rows at fault"
        plan.append(("taken-again", "The logs are read again", meant, case.taken_again))
    steps = tuple(_steps(plan))
    held = all(one.outcome is StepOutcome.HOLDS for one in steps)
    return VerificationReport(
        str(folder),
        steps,
        held and trust is not None,
        (
            *(() if logs else ("that day totals and rows at fault are those of the logs: --log names them",)),
            "that the logs hold all rounds played",
        ),
        is_demonstration(case.chain),
    )


def _content(path: Path) -> bytes:
    if path.name == TOTALS:
        return read_bounded(path, _TOTALS, links=False)
    return read_file(path, ATTESTATION if path.name == SIGNED else path.name)


def _steps(plan: Sequence[tuple[str, str, str, Callable[[], str]]]) -> Iterator[VerificationStep]:
    """Yields the steps as taken; after one that fails no other is."""
    failed = ""
    for name, title, means, check in plan:
        outcome, detail = StepOutcome.NOT_CHECKED, f"step {failed!r} fails"
        if not failed:
            try:
                outcome, detail = StepOutcome.HOLDS, check()
            except (CertifyError, OSError, ValueError, ArithmeticError) as error:
                outcome, detail, failed = StepOutcome.FAILS, str(error), name
        yield VerificationStep(name, title, means, outcome, detail)
