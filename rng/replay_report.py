"""What a replay of a transcript found, what it was held to, and what it cannot decide."""

from dataclasses import asdict, dataclass


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
        detail: what the generator said of it.
        draws_before: draws before it.
        promised: whether the entropy that it brought was committed to from outside.
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
            found.append("the end is not shown: the last draws may have been left out (--chain)")
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
