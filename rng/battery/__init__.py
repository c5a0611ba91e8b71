"""Statistical tests of random output: one small module per family, many tests, one decision."""

from rng.battery.bits import (
    CHUNK_BYTES,
    BitStream,
    ByteSource,
    SampleStore,
    from_bytes,
    mapped,
    open_raw,
    read_ascii,
    read_raw,
)
from rng.battery.result import NotRun, TestResult, at_size
from rng.battery.two_stage import (
    ENLARGEMENT,
    HARD_THRESHOLD,
    BatteryPlan,
    PlannedTest,
    borderline,
    conclude_plan,
    plan_of,
    suspects,
)
from rng.battery.verdict import (
    ALONE,
    BatteryDecision,
    BatteryVerdict,
    conclude,
    decide_each,
    family_of_column,
    holm,
)
