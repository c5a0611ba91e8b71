"""A hash-chained record of every draw: commit to the seed before play, reveal it after, replay offline.

One record a line, each a JSON object with sorted keys and no spaces. The `chain` of a record is
SHA-256 of the chain before it and of the record's own text without `chain`; so no record can be
changed, dropped, added or moved without the chain breaking at that place. The last record of play
counts the draws, so that the end cannot be cut off either. The commitment is SHA-256 of the seed,
which holds at least 256 bits: it neither reveals the seed nor fits a second one.

Drawing without a transcript goes nowhere near this module, so a transcript costs nothing when off.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rng.draws import deal_decks
from rng.drbg import EntropyInput
from rng.entropy import RecordingEntropy
from rng.errors import TranscriptError
from rng.generator import RESEED_BYTES, RESEED_REQUESTS, Generator, GeneratorEvent, RoundLimits
from rng.shuffle import bound_groups, deal
from rng.streams import Stream, stream
from rng.uniform import many_below, together_below

TRANSCRIPT_VERSION: Final = 1
CONSUMPTION_RULE: Final = 1
CHAIN_START: Final = sha256(b"rng transcript 1").hexdigest()


def commitment(secret: bytes) -> str:
    """The digest published before play for a seed that is revealed after it."""
    return sha256(b"rng seed commitment 1\0" + secret).hexdigest()


Record: TypeAlias = dict[str, Any]
"""One line of a transcript; of one that is read nothing is known but that it is a JSON object."""


def canonical(record: Record) -> str:
    """The text of a record that the chain covers."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def next_chain(previous: str, record: Record) -> str:
    """The chain digest after a record."""
    return sha256(bytes.fromhex(previous) + canonical(record).encode("ascii")).hexdigest()


class TranscriptRecorder:
    """Draws from a source and writes each draw down.

    Open one with `record_stream` or `record_generator`.
    """

    __slots__ = ("_chain", "_closed", "_secrets", "_source", "draws", "lines", "records")

    def __init__(self, header: Record) -> None:
        self.records: list[Record] = []
        """The records without their chain digests."""
        self.lines: list[str] = []
        """The transcript, line by line."""
        self.draws = 0
        self._chain = CHAIN_START
        self._closed = False
        self._source: Stream | Generator | None = None
        self._secrets: list[bytes] = []
        self.append(header)

    def append(self, record: Record) -> None:
        """Chain a record to those before it."""
        self._chain = next_chain(self._chain, record)
        self.records.append(record)
        self.lines.append(canonical({**record, "chain": self._chain}))

    @property
    def source(self) -> Stream | Generator:
        """The source that is drawn from."""
        if self._source is None or self._closed:
            raise TranscriptError("the transcript is closed: nothing more can be drawn into it")
        return self._source

    def together_below(self, bounds: Sequence[int]) -> tuple[int, ...]:
        """`rng.uniform.together_below`, recorded."""
        before = self.source.drawn
        values = together_below(self.source, bounds)
        self._draw("below", {"n": list(bounds)}, list(values), before, 1)
        return values

    def many_below(self, n: int, count: int) -> "NDArray[np.uint64]":
        """`rng.uniform.many_below`, recorded by the digest of the little-endian values."""
        before = self.source.drawn
        values = many_below(self.source, n, count)
        self._draw("many", {"n": n, "count": count}, _digest(values.astype("<u8").tobytes()), before, count)
        return values

    def deal(self, n: int, k: int) -> tuple[int, ...]:
        """`rng.shuffle.deal`, recorded."""
        before = self.source.drawn
        cards = deal(self.source, n, k)
        self._draw("deal", {"n": n, "k": k}, list(cards), before, _words_for(n, k))
        return cards

    def deal_decks(self, count: int, cards: int) -> "NDArray[Any]":
        """`rng.draws.deal_decks`, recorded by the digest of the decks."""
        before = self.source.drawn
        decks = deal_decks(self.source, count, cards)
        least = count * _words_for(cards, cards)
        data = decks.astype(f"<u{decks.itemsize}").tobytes()
        self._draw("decks", {"n": cards, "count": count}, _digest(data), before, least)
        return decks

    def read(self, nbytes: int) -> bytes:
        """`WordSource.read`, recorded by the digest of the bytes."""
        before = self.source.drawn
        data = self.source.read(nbytes)
        self._draw("bytes", {"count": nbytes}, _digest(data), before, -(-nbytes // 8))
        return data

    def reseed(self, reason: str = "requested") -> None:
        """Reseed a live generator now; the event is recorded with its reason."""
        self._live().reseed(reason)

    def begin_round(self) -> None:
        """`Generator.begin_round`; a reseed that was due is recorded."""
        self._live().begin_round()

    def _live(self) -> Generator:
        if not isinstance(self.source, Generator):
            raise TranscriptError("a stream that can be replayed from its master seed is never reseeded")
        return self.source

    def close(self) -> str:
        """End play: write the count of draws and return the final chain digest, which may be published."""
        self.append({"end": self.draws})
        self._closed = True
        return self._chain

    def reveal(self) -> None:
        """Disclose the seed, or every entropy input of a live generator, after the end of play.

        Raises:
            TranscriptError: play has not ended.
        """
        if not self._closed:
            raise TranscriptError("a seed is revealed only after play has ended")
        self.append({"reveal": [secret.hex() for secret in self._secrets]})

    def text(self) -> str:
        """The transcript as the content of a file."""
        return "".join(f"{line}\n" for line in self.lines)

    def event(self, event: GeneratorEvent, inputs: Sequence[bytes]) -> None:
        """Write down a seed, reseed or failure, with commitments to the entropy inputs it used."""
        self.append(
            {"event": event.kind, "detail": event.detail, "commitments": [commitment(i) for i in inputs]}
        )

    def _draw(self, operation: str, asked: Record, value: object, before: int, least: int) -> None:
        words = self.source.drawn - before
        self.append(
            {
                "draw": self.draws,
                "op": operation,
                "purpose": self.source.purpose,
                **asked,
                "value": value,
                "words": words,
                "rejected": words - least,
            }
        )
        self.draws += 1

    def __repr__(self) -> str:
        return f"<Recorder, {self.draws} draws>"


def record_stream(master_seed: bytes, purpose: str, index: int) -> TranscriptRecorder:
    """A transcript over one replayable stream; its first line commits to the master seed.

    Raises:
        RangeError: the purpose is not registered, or a size is out of range.
    """
    source = stream(master_seed, purpose, index)
    recorder = TranscriptRecorder(
        {
            "transcript": TRANSCRIPT_VERSION,
            "consumption_rule": CONSUMPTION_RULE,
            "source": "stream",
            "purpose": purpose,
            "index": index,
            "commitments": [commitment(master_seed)],
        }
    )
    recorder._secrets.append(bytes(master_seed))
    recorder._source = source
    return recorder


def record_generator(
    entropy: EntropyInput,
    purpose: str,
    *,
    reseed_requests: int = RESEED_REQUESTS,
    reseed_bytes: int = RESEED_BYTES,
    limits: RoundLimits | None = None,
) -> TranscriptRecorder:
    """A transcript over a live generator; each seed and reseed commits to its entropy inputs.

    Raises:
        RangeError: the purpose is not registered.
        EntropyError: the source is not healthy.
    """
    recorder = TranscriptRecorder(
        {
            "transcript": TRANSCRIPT_VERSION,
            "consumption_rule": CONSUMPTION_RULE,
            "source": "generator",
            "purpose": purpose,
            "reseed_requests": reseed_requests,
            "reseed_bytes": reseed_bytes,
        }
    )
    kept = RecordingEntropy(entropy)
    recorder._secrets = kept.inputs
    told = 0

    def on_event(event: GeneratorEvent) -> None:
        nonlocal told
        recorder.event(event, kept.inputs[told:])
        told = len(kept.inputs)

    recorder._source = Generator(
        kept,
        purpose,
        reseed_requests=reseed_requests,
        reseed_bytes=reseed_bytes,
        limits=limits,
        on_event=on_event,
    )
    return recorder


def _words_for(n: int, k: int) -> int:
    """The words that dealing k cards of n uses when none is rejected."""
    position = words = 0
    for group in bound_groups(n):
        if position >= k:
            break
        position += len(group)
        words += 1
    return words


def _digest(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"
