"""What every test of the standard declares: name, parameters with their limits, shortest sequence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22.sample import BitSample
from rng.errors import SampleError

SUITE = "sp800-22"

# `reference`: the constants the program STS 2.1.2 computes with. `exact`: the same recomputed from theory.
Constants = Literal["reference", "exact"]
Parameters = Mapping[str, int]
Evaluation = Callable[[BitSample, Parameters, Constants], TestResult | NotRun]


@dataclass(frozen=True, slots=True)
class SampleTest:
    """One of the fifteen tests.

    Args:
        name: As in ``certify rng test``.
        section: Of SP 800-22 Rev. 1a.
        evaluate: Computes statistic and p-values; only called with parameters and a length that were checked.
        minimum: Shortest sequence for given parameters.
        why: The clause or the reason of that minimum.
        least: Shortest sequence that a statistic can be computed from at all.
        defaults: Parameters, as the reference program sets them.
        limits: Smallest and largest value of each parameter.
    """

    name: str
    section: str
    evaluate: Evaluation
    minimum: Callable[[Parameters], int]
    why: str
    least: Callable[[Parameters], int] = lambda _: 4
    defaults: Parameters = field(default_factory=dict)
    limits: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def parameters(self, settings: Mapping[str, int]) -> dict[str, int]:
        """Return the defaults overridden by ``settings``.

        Raises:
            SampleError: If a name is unknown or a value out of its limits.
        """
        for name, value in settings.items():
            if name not in self.defaults:
                known = ", ".join(self.defaults) or "none"
                raise SampleError(f"{self.name}: unknown parameter {name!r}, expected one of: {known}")
            low, high = self.limits[name]
            if not low <= value <= high:
                raise SampleError(f"{self.name}: {name} = {value}, expected {low} to {high}")
        return {**self.defaults, **settings}

    def refusal(self, sample: BitSample, parameters: Parameters) -> NotRun | None:
        """Say why a sequence is too short, if it is."""
        length, minimum = sample.length, self.minimum(parameters)
        least = minimum if sample.enforce_lengths else min(minimum, self.least(parameters))
        if length >= least:
            return None
        chosen = "".join(f", {name} = {value}" for name, value in parameters.items())
        why = self.why if sample.enforce_lengths else "not one block otherwise"
        reason = f"{length} bits{chosen}: at least {least} bits are required ({why})"
        return NotRun(SUITE, self.name, reason, least)
