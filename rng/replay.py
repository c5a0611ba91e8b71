"""Checks a transcript and draws it all again from the revealed seed."""

from dataclasses import asdict, dataclass
from hmac import compare_digest
from pathlib import Path
from typing import Any, Final

from rng.entropy import RecordedEntropy
from rng.errors import RngError, TranscriptError
from rng.generator import ROUND_LIMIT, TIME_LIMIT, Generator
from rng.outside import TRANSCRIPT, json_of, read_file
from rng.transcript import (
    CHAIN_START,
    CONSUMPTION_RULE,
    TRANSCRIPT_VERSION,
    Record,
    TranscriptRecorder,
    canonical,
    commitment,
    next_chain,
    record_generator,
    record_stream,
)


@dataclass(frozen=True, slots=True)
class ReplayDifference:
    """The first place where the replay gave something else; records are counted from 1, the header."""

    record: int
    field: str
    recorded: str
    replayed: str


@dataclass(frozen=True, slots=True)
class ReplayPromise:
    """What was published of a transcript: without it, another honest transcript replays just as well.

    Args:
        commitments: digests published before what follows them: that of a stream's seed, or those of the
            entropy inputs of a live generator's seed, in order, then those of each reseed and restart as
            far as they were published; empty if none is known.
        opening: chain digest of the record that commits to the first seed, published before play. It covers
            the header too: whoever may choose the index of a stream afterwards has as many seeds.
        chain: digest published at the end of play: the chain of the record of the end, or that of the
            reveal behind it.
    """

    commitments: tuple[str, ...] = ()
    chain: str | None = None
    opening: str | None = None

    @property
    def kept(self) -> tuple[str, ...]:
        """Which of them a transcript is held to."""
        given = {"commitment": self.commitments, "opening": self.opening, "chain": self.chain}
        return tuple(name for name, digest in given.items() if digest)


@dataclass(frozen=True, slots=True)
class SeedEvent:
    """A failure, reseed or restart during play: what follows it rests on other entropy than what went before.

    Args:
        record: Number of its record, the header being 1.
        kind: `failure`, `reseed` or `restart`.
        detail: what the generator stated of it.
        draws_before: draws before it.
        promised: whether the entropy that it used was committed to from outside.
    """

    record: int
    kind: str
    detail: str
    draws_before: int
    promised: bool


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """The outcome of a replay of a transcript whose chain and commitments hold."""

    records: int
    draws: int
    chain: str
    first_difference: ReplayDifference | None
    promised: tuple[str, ...] = ()
    """What the transcript was held to, of `commitment`, `opening` and `chain`."""
    events: tuple[SeedEvent, ...] = ()
    """Failures, reseeds and restarts during play, in order."""
    held: int = 0
    """Draws that rest on entropy committed to from outside, counted from the first one."""

    @property
    def holds(self) -> bool:
        """Whether every record came out the same."""
        return self.first_difference is None

    @property
    def end_shown(self) -> bool:
        """Whether the end of play is the published one, so that no last draw was left out."""
        return "chain" in self.promised

    @property
    def undecided(self) -> tuple[str, ...]:
        """What a replay alone cannot decide, one sentence each; empty where the transcript is wholly shown.

        Whoever holds the entropy can write a failure that never happened and restart on a seed of choice, or
        leave the last draws out: only what was published at its time tells.
        """
        found = []
        if self.held < self.draws:
            brought = next((e for e in self.events if not e.promised and e.draws_before == self.held), None)
            of = (
                "of the seed"
                if brought is None or not self.held
                else f"of the {brought.kind} in record {brought.record}"
            )
            found.append(
                f"draws {self.held} to {self.draws - 1}: no commitment {of} was given from outside, "
                "so that it may have been chosen after its draws were known (--commitment)"
            )
        if self.held and "opening" not in self.promised:
            found.append(
                "purpose, index of the stream and limits of the header may have been chosen among others (--opening)"
            )
        if not self.end_shown:
            found.append("the end is not proven: the last draws may have been left out (--chain)")
        return tuple(found)

    def to_json(self) -> dict[str, object]:
        """The document that `certify rng replay` prints."""
        return {
            "records": self.records,
            "draws": self.draws,
            "chain": self.chain,
            "holds": self.holds,
            "promised": list(self.promised),
            "end_shown": self.end_shown,
            "draws_committed": self.held,
            "events": [asdict(event) for event in self.events],
            "undecided": list(self.undecided),
            "first_difference": None if self.first_difference is None else asdict(self.first_difference),
        }


MAX_DRAW_SIZE: Final = 1 << 28
"""The most values one record may claim, so that a hostile transcript cannot exhaust memory."""


BETWEEN_DRAWS: Final = ("requested", ROUND_LIMIT, TIME_LIMIT)
"""Reasons of a reseed that was requested from outside, not by a limit that a draw ran into."""


def replay_file(
    path: str | Path, secrets: list[bytes] | None = None, promise: ReplayPromise | None = None
) -> ReplayReport:
    """Check and replay a transcript file; see `replay`.

    Raises:
        TranscriptError: it cannot be read or does not verify.
    """
    path = Path(path)
    try:
        # As bytes: reading text would turn other line ends into the one that is canonical.
        refuse = lambda reason: TranscriptError(f"{path}: {reason}")  # noqa: E731
        text = read_file(path, TRANSCRIPT, refuse).decode("ascii")
    except UnicodeDecodeError as error:
        raise TranscriptError(f"{path}: byte {error.start}: ASCII text expected") from None
    if text and not text.endswith("\n"):
        last = text.count("\n") + 1
        raise TranscriptError(
            f"{path}: record {last}: a line end expected behind each record, the last one too"
        )
    try:
        return replay(text, secrets, promise)
    except TranscriptError as error:
        raise TranscriptError(f"{path}: {error}") from None


def replay(
    text: str, secrets: list[bytes] | None = None, promise: ReplayPromise | None = None
) -> ReplayReport:
    """Check the chain and the commitments of a transcript and draw everything again.

    Args:
        text: the transcript.
        secrets: the master seed, or the entropy inputs of a live generator, where the transcript
            itself does not reveal them.
        promise: what was published of the transcript that this one is stated to be.

    Raises:
        TranscriptError: a line is not canonical, the chain breaks, the end is missing, it is not
            the transcript that was promised, nothing is revealed or the revealed seed is not the
            committed one; the record is named.
    """
    records, chains = verify_chain(text)
    header, body, revealed = _parts(records)
    promise = promise or ReplayPromise()
    seeded = next((at for at, record in enumerate(records) if record.get("commitments")), None)
    opening = None if seeded is None else chains[seeded]
    _keep(promise, records, opening, chains[len(body) + 1 :])
    if secrets is None:
        if revealed is None:
            raise TranscriptError("nothing is revealed in it, and no seed was given to replay it from")
        secrets = revealed
    _verify_commitments(records, secrets)
    covered = len(promise.commitments)
    if promise.opening is not None and seeded is not None:
        covered = max(covered, len(records[seeded]["commitments"]))
    replayed = _open(header, secrets)
    difference = _compare(records[: len(body) + 1], replayed)
    draws = sum("draw" in record for record in body)
    events, held = _seeded(records[: len(body) + 1], covered)
    return ReplayReport(len(records), draws, chains[-1], difference, promise.kept, events, held)


def verify_chain(text: str) -> tuple[list[Record], list[str]]:
    """The records of a transcript and the chain digest of each, once every line and link was checked.

    A line is accepted only as the product writes it: one text for one record, so that nothing can be
    hidden in a second value of a field or in another way to write a number.

    Raises:
        TranscriptError: a line is not a record or does not follow from those before it.
    """
    records: list[Record] = []
    chains: list[str] = []
    chain = CHAIN_START
    for number, line in enumerate(text.removesuffix("\n").split("\n") if text else [], 1):
        try:
            record = json_of(line)
            text_of_record = canonical(record)
        except ValueError:  # not JSON, or a number of thousands of digits
            raise TranscriptError(f"record {number}: not JSON") from None
        if not isinstance(record, dict) or not isinstance(record.get("chain"), str):
            raise TranscriptError(f"record {number}: an object with a chain digest expected")
        if text_of_record != line:
            raise TranscriptError(
                f"record {number}: not the canonical text of a record (sorted fields, each once, no spaces)"
            )
        claimed = record.pop("chain")
        chain = next_chain(chain, record)
        if not compare_digest(claimed.encode(), chain.encode()):
            raise TranscriptError(f"record {number}: the chain breaks here: changed, moved, added or dropped")
        records.append(record)
        chains.append(chain)
    return records, chains


def _keep(promise: ReplayPromise, records: list[Record], opening: str | None, ends: list[str]) -> None:
    """Hold a transcript to what was published of it: commitments of whole events, from the first one on."""
    if promise.opening is not None and promise.opening != opening:
        raise TranscriptError(
            f"not the transcript that was promised: it opens with chain {opening}, "
            f"published was {promise.opening}"
        )
    published, committed = list(promise.commitments), list[Any]()
    for record in records:
        if len(committed) >= len(published):
            break
        digests = record.get("commitments")
        committed += digests if isinstance(digests, list) else []
    if committed != published:
        raise TranscriptError(
            f"not the transcript that was promised: it commits to {_short(committed)}, "
            f"published was {_short(published)}"
        )
    if promise.chain is not None and promise.chain not in ends:
        raise TranscriptError(
            f"not the transcript that was promised: play ends with chain {ends[0]}, "
            f"published was {promise.chain}"
        )


def _seeded(play: list[Record], published: int) -> tuple[tuple[SeedEvent, ...], int]:
    """The failures, reseeds and restarts of play, and how many draws rest on the published commitments.

    A failure brings nothing by itself: what follows it rests on the restart behind it.
    """
    events: list[SeedEvent] = []
    draws = held = committed = 0
    first = promised = True
    for number, record in enumerate(play, 1):
        committed += len(record.get("commitments", ()))
        if "event" in record or number == 1:
            brings = bool(record.get("commitments")) or record.get("event") == "seed"
            promised = promised and (not brings or committed <= published)
            kind = {"seed": "restart"}.get(record.get("event", ""), record.get("event"))
            if kind is not None and not (first and kind == "restart"):
                events.append(SeedEvent(number, str(kind), str(record.get("detail")), draws, promised))
            first = first and record.get("event") != "seed"
        elif "draw" in record:
            draws += 1
            held = draws if promised else held
    return tuple(events), held


def _parts(
    records: list[Record],
) -> tuple[Record, list[Record], list[bytes] | None]:
    """The header, the records of play and what is revealed after the end."""
    if not records or records[0].get("transcript") != TRANSCRIPT_VERSION:
        raise TranscriptError(f"record 1: the header of a version {TRANSCRIPT_VERSION} transcript expected")
    if records[0].get("consumption_rule") != CONSUMPTION_RULE:
        raise TranscriptError(f"record 1: byte-consumption rule {CONSUMPTION_RULE} expected")
    ends = [i for i, record in enumerate(records) if "end" in record]
    if len(ends) != 1 or ends[0] < len(records) - 2:
        raise TranscriptError(f"record {len(records)}: the record of the end is missing or not at the end")
    body = records[1 : ends[0]]
    # Compared as text: 10.0 and true are not counts.
    if canonical(records[ends[0]]) != canonical({"end": sum("draw" in record for record in body)}):
        raise TranscriptError(f"record {ends[0] + 1}: the count of draws is not the number of draws")
    if ends[0] == len(records) - 1:
        return records[0], body, None
    try:
        secrets = [bytes.fromhex(secret) for secret in records[-1]["reveal"]]
    except (KeyError, TypeError, ValueError):
        secrets = []
    if canonical(records[-1]) != canonical({"reveal": [secret.hex() for secret in secrets]}):
        raise TranscriptError(f"record {len(records)}: a reveal of hexadecimal seeds expected")
    return records[0], body, secrets


def _verify_commitments(records: list[Record], secrets: list[bytes]) -> None:
    committed: list[Any] = []
    for place, record in enumerate(records, 1):
        digests = record.get("commitments", [])
        if not isinstance(digests, list):
            raise TranscriptError(f"record {place}: a list of commitments expected")
        committed += digests
    if len(committed) != len(secrets):
        raise TranscriptError(f"{len(secrets)} seeds are revealed, {len(committed)} were committed to")
    for number, (digest, secret) in enumerate(zip(committed, secrets, strict=True), 1):
        if digest != commitment(secret):
            raise TranscriptError(f"revealed seed {number} is not the one committed to before play")


def _open(header: Record, secrets: list[bytes]) -> TranscriptRecorder:
    try:
        if header["source"] == "stream":
            return record_stream(secrets[0], header["purpose"], header["index"])
        return record_generator(
            RecordedEntropy(secrets),
            header["purpose"],
            reseed_requests=header["reseed_requests"],
            reseed_bytes=header["reseed_bytes"],
        )
    except (KeyError, IndexError, TypeError, RngError) as error:
        raise TranscriptError(f"record 1: the source cannot be opened again ({error})") from None


def _compare(recorded: list[Record], replayed: TranscriptRecorder) -> ReplayDifference | None:
    stopped = False
    for number, record in enumerate(recorded, 1):
        if stopped and "op" in record:
            said = "a failed generator serves nothing until it is restarted"
            return ReplayDifference(number, "draw", _short(record), said)
        stopped = record.get("event") == "failure" or (stopped and record.get("event") != "seed")
        if len(replayed.records) < number:
            try:
                _again(_cause(recorded[number - 1 :]), replayed)
            except (RngError, KeyError, TypeError) as error:
                return ReplayDifference(number, "draw", _short(record), str(error))
        if difference := _difference(number, record, replayed.records[number - 1]):
            return difference
    return None


def _difference(number: int, recorded: Record, replayed: Record) -> ReplayDifference | None:
    for field in sorted(recorded.keys() | replayed.keys()):
        # Compared as text: 1, 1.0 and true are equal to Python. A field with nothing in it is a field.
        missing = (field in recorded) != (field in replayed)
        if missing or canonical({"": recorded[field]}) != canonical({"": replayed[field]}):
            return ReplayDifference(number, field, _short(recorded.get(field)), _short(replayed.get(field)))
    return None


def _cause(pending: list[Record]) -> Record:
    """The record that brings about the first pending one.

    A reseed that was due is written down before the draw during which it happened, so that draw is
    its cause; unless the draw itself then failed, in which case nothing of it is in the transcript.
    """
    first = pending[0]
    if first.get("event") != "reseed" or first.get("detail") in BETWEEN_DRAWS:
        return first
    later = (r for r in pending if "op" in r or r.get("event") in ("failure", "seed"))
    cause = next(later, first)
    return cause if "op" in cause else first


def _again(record: Record, replayed: TranscriptRecorder) -> None:
    """Do once more what a record says was done."""
    match record:
        case {"event": "failure", "detail": str(detail), "commitments": list(inputs)} if isinstance(
            replayed.source, Generator
        ):
            # A failed source cannot be made to fail again; the replay goes on from the restart.
            replayed.source.repeat_event("failure", detail, len(inputs))
        case {"event": "seed"} if isinstance(replayed.source, Generator):
            replayed.source.restart()
        case {"event": "reseed", "detail": str(detail)} if detail in BETWEEN_DRAWS:
            replayed.reseed(detail)
        case {"event": "reseed", "detail": str(detail), "commitments": list(inputs)} if isinstance(
            replayed.source, Generator
        ):
            replayed.source.repeat_event("reseed", detail, len(inputs))
        case {"op": "below", "n": bounds}:
            replayed.together_below(bounds)
        case {"op": "many", "n": n, "count": count}:
            replayed.many_below(n, _size(count))
        case {"op": "deal", "n": n, "k": k}:
            replayed.deal(n, k)
        case {"op": "decks", "n": n, "count": count}:
            replayed.deal_decks(_size(count, n), n)
        case {"op": "bytes", "count": count}:
            replayed.read(_size(count))
        case _:
            raise TranscriptError("not a draw or event that can be repeated")


def _size(count: Any, width: Any = 1) -> int:
    """Returns how many rows of so many values a record asks for, once that is found to be bounded."""
    if type(count) is not int or type(width) is not int or count < 0 or count * width > MAX_DRAW_SIZE:
        raise TranscriptError(f"{count!r} × {width!r} values in one draw: 0 to {MAX_DRAW_SIZE} expected")
    return count


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 160 else f"{text[:157]}…"
