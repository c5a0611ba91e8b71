"""What another battery says of some bytes: a line of evidence of its own, never mixed with our verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Judged = Literal["passed", "weak", "failed"]
Word = Literal["satisfied", "not satisfied", "inconclusive"]


@dataclass(frozen=True, slots=True)
class OtherRow:
    """One result of another battery.

    Args:
        test: Name and parameters, as the battery prints them.
        p_value: As printed; None where it prints none.
        printed: Its own judgement, as printed.
        judged: The same in three words.
        set_aside: Why the row is not counted; none if it is.
    """

    test: str
    p_value: float | None
    printed: str
    judged: Judged
    set_aside: str | None = None


@dataclass(frozen=True, slots=True)
class OtherBattery:
    """Another battery's results on one input.

    Args:
        program: Name of the battery.
        version: As it prints it; empty if it does not.
        rows: Results it names, in order.
        passed_unnamed: Results it counts as good without naming them.
        complete: Whether it came to its end.
        notes: What a reader must know of these results, one sentence each.
        command: How it was run; empty for a log.
        seconds: How long it ran; None for a log.
    """

    program: str
    version: str
    rows: tuple[OtherRow, ...]
    passed_unnamed: int = 0
    complete: bool = True
    notes: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    seconds: float | None = None

    @property
    def counted(self) -> tuple[OtherRow, ...]:
        """Results that count."""
        return tuple(row for row in self.rows if not row.set_aside)

    @property
    def word(self) -> Word:
        """Not satisfied if the battery itself calls a counted result a failure; nothing counted decides nothing."""
        if any(row.judged == "failed" for row in self.counted):
            return "not satisfied"
        return "satisfied" if self.complete and (self.counted or self.passed_unnamed) else "inconclusive"
