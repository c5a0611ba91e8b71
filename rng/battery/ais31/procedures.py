"""Test procedures A and B of AIS 20/31: which bits go where, and when a failure may be repeated.

Procedure A is meant for numbers after post-processing, procedure B for raw ones. Either is passed if all its
tests are; if exactly one fails the whole procedure is run once more on fresh bits, and then all must pass.

Source: BSI, Functionality classes for random number generators, version 2.0 (2011), 2.4.4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from rng.battery.ais31 import constants as c
from rng.battery.ais31 import tests
from rng.battery.ais31.tests import Ais31Outcome

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rng.battery.bits import BitStream

    Bits = NDArray[np.uint8]

Procedure = Literal["A", "B"]
Word = Literal["satisfied", "not satisfied", "inconclusive"]

# Bits read at once where a test takes as many as it needs.
PIECE = 1 << 20
# A past expected so many times as often as is needed comes often enough in any good output: the rest is thirty
# standard deviations.
AMPLE = 1.1


class _TooShortError(Exception):
    """The bits ran out before every test had what it needs."""


class _StarvedError(Exception):
    """A past that ought to come often enough hardly comes: a failure of its own.

    Args:
        outcome: What failed, and by how much.
    """

    def __init__(self, outcome: Ais31Outcome) -> None:
        super().__init__(outcome.bounds)
        self.outcome = outcome


class _Supply:
    """Bits handed out in their order, each once."""

    def __init__(self, bits: BitStream) -> None:
        self._bits, self.used = bits, 0

    def take(self, count: int) -> Bits:
        if self.used + count > self._bits.length:
            raise _TooShortError
        taken = self._bits.segment(self.used, count).unpacked()
        self.used += count
        return taken

    def after_contexts(self, test: str, length: int) -> list[Bits]:
        """Of disjoint groups of ``length + 1`` bits: the last bit, by the ``length`` before it, 100,000 of each."""
        found: list[list[Bits]] = [[] for _ in range(1 << length)]
        have = [0] * (1 << length)
        group = length + 1
        places = 1 << np.arange(length - 1, -1, -1)
        groups = 0
        while min(have) < c.VALUES:
            start = self.used
            if self._left() < group and groups >= AMPLE * (c.VALUES << length):
                few = f"{c.VALUES} bits after each past of {length}, {groups >> length} expected"
                raise _StarvedError(Ais31Outcome(test, 1, False, min(have), few))
            rows = self.take(min(PIECE, self._left()) // group * group or group).reshape(-1, group)
            groups += len(rows)
            contexts = rows[:, :length].astype(np.int64) @ places
            needed = 0
            for context in range(1 << length):
                at = np.flatnonzero(contexts == context)[: c.VALUES - have[context]]
                found[context].append(rows[at, length])
                have[context] += at.size
                needed = max(needed, int(at[-1]) + 1 if at.size else 0)
            if min(have) >= c.VALUES:
                # What the test did not need is left to the next one.
                self.used = start + needed * group
        return [np.concatenate(parts) for parts in found]

    def _left(self) -> int:
        return self._bits.length - self.used


@dataclass(frozen=True, slots=True)
class ProcedureResult:
    """One procedure on one stream of bits.

    Args:
        procedure: ``A`` or ``B``.
        word: Verdict.
        reason: Why, in one sentence.
        rounds: The outcomes of the procedure, and of its repetition if there was one.
        used: Bits used.
    """

    procedure: Procedure
    word: Word
    reason: str
    rounds: tuple[tuple[Ais31Outcome, ...], ...]
    used: int

    @property
    def failed(self) -> tuple[Ais31Outcome, ...]:
        """What did not pass, in order."""
        return tuple(outcome for outcomes in self.rounds for outcome in outcomes if not outcome.passed)


def _round_a(supply: _Supply) -> tuple[Ais31Outcome, ...]:
    outcomes = [tests.disjointness(supply.take(c.DISJOINT_WORDS * c.DISJOINT_BITS))]
    for sequence in range(1, c.SEQUENCES + 1):
        bits = supply.take(c.SEQUENCE)
        outcomes += [
            test(bits, sequence)
            for test in (tests.monobit, tests.poker, tests.runs, tests.long_run, tests.autocorrelation)
        ]
    return tuple(outcomes)


def _round_b(supply: _Supply) -> tuple[Ais31Outcome, ...]:
    outcomes = [tests.uniform(supply.take(c.VALUES)), tests.transitions(supply.after_contexts("T6b", 1))]
    for name, length in (("T7a", 2), ("T7b", 3)):
        by_context = supply.after_contexts(name, length)
        # Two pasts that differ in their first bit alone are compared, for each of the rest.
        rest = 1 << (length - 1)
        outcomes += [
            tests.homogeneity(name, tail + 1, by_context[tail], by_context[rest + tail])
            for tail in range(rest)
        ]
    outcomes.append(tests.entropy(supply.take(c.WORD * (c.START + c.TESTED))))
    return tuple(outcomes)


def run_procedure(bits: BitStream, procedure: Procedure) -> ProcedureResult:
    """Runs a procedure from the first bit on; a single failure is repeated on the bits that follow.

    Args:
        bits: Output of the generator: internal numbers for A, raw ones for B.
        procedure: ``A`` or ``B``.

    Returns:
        Satisfied, not satisfied, or inconclusive where the bits do not suffice for the procedure, or for the
        repetition that one failure asks for.
    """
    supply, rounds = _Supply(bits), list[tuple[Ais31Outcome, ...]]()
    once = _round_a if procedure == "A" else _round_b

    def result(word: Word, reason: str) -> ProcedureResult:
        return ProcedureResult(procedure, word, reason, tuple(rounds), supply.used)

    for repetition in (False, True):
        try:
            rounds.append(once(supply))
        except _StarvedError as starved:
            rounds.append((starved.outcome,))
            return result("not satisfied", f"{starved.outcome.test} failed: {starved.outcome.bounds}")
        except _TooShortError:
            which = "the repetition that one failure asks for" if repetition else f"procedure {procedure}"
            return result("inconclusive", f"{bits.length} bits do not suffice for {which}")
        failed = [outcome for outcome in rounds[-1] if not outcome.passed]
        if not failed:
            return result("satisfied", f"all {len(rounds[-1])} tests passed" + " when repeated" * repetition)
        if repetition or len(failed) > 1:
            names = ", ".join(sorted({outcome.test for outcome in failed}))
            return result(
                "not satisfied",
                f"{len(failed)} of {len(rounds[-1])} tests failed ({names})" + " when repeated" * repetition,
            )
    raise AssertionError("the second round always decides")
