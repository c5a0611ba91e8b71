"""The fifteen tests on one sequence: which to run, with which parameters and which constants."""

from collections.abc import Iterable, Mapping

from rng.battery.bits import BitStream
from rng.battery.result import NotRun, TestResult
from rng.battery.sp800_22 import (
    fft,
    linearity,
    ones_and_runs,
    patterns,
    templates,
    walks,
)
from rng.battery.sp800_22.sample import SUITE, BitSample, Constants, SampleTest
from rng.errors import SampleError

# One sequence is held in memory, signal and spectrum with eight bytes for each bit: 4 GiB for this many bits.
LONGEST = 1 << 28

# In the order of section 2 of the standard.
TESTS: Mapping[str, SampleTest] = {
    test.name: test
    for test in (
        ones_and_runs.FREQUENCY,
        ones_and_runs.BLOCK_FREQUENCY,
        ones_and_runs.RUNS,
        ones_and_runs.LONGEST_RUN,
        linearity.RANK,
        fft.TEST,
        templates.NON_OVERLAPPING_TEMPLATE,
        templates.OVERLAPPING_TEMPLATE,
        patterns.TEST,
        linearity.LINEAR_COMPLEXITY,
        patterns.SERIAL,
        patterns.APPROXIMATE_ENTROPY,
        walks.CUMULATIVE_SUMS,
        walks.RANDOM_EXCURSIONS,
        walks.RANDOM_EXCURSIONS_VARIANT,
    )
}


def chosen_tests(tests: Iterable[str] | None) -> tuple[SampleTest, ...]:
    """Return the tests of these names, all fifteen for None.

    Raises:
        SampleError: If a name is not one of the fifteen, or none is given.
    """
    names = tuple(TESTS) if tests is None else tuple(dict.fromkeys(tests))
    unknown = [name for name in names if name not in TESTS]
    if unknown or not names:
        what = f"unknown test {unknown[0]!r}" if unknown else "no test named"
        raise SampleError(f"sp800-22: {what}, expected some of: {', '.join(TESTS)}")
    return tuple(TESTS[name] for name in names)


def read_settings(settings: Mapping[str, int | str] | None) -> dict[str, dict[str, int]]:
    """Sort settings such as ``block-frequency.m = 128`` by test.

    Raises:
        SampleError: If a key names no parameter of the fifteen tests or a value is out of its limits.

    Example:
        >>> read_settings({"block-frequency.m": "64"})["block-frequency"]
        {'m': 64}
    """
    sorted_settings: dict[str, dict[str, int]] = {}
    for key, value in (settings or {}).items():
        name, _, parameter = key.partition(".")
        if name not in TESTS or not parameter:
            raise SampleError(f"sp800-22: unknown setting {key!r}, expected TEST.PARAMETER")
        try:
            sorted_settings.setdefault(name, {})[parameter] = int(value)
        except ValueError as error:
            raise SampleError(f"sp800-22: {key} = {value!r}, expected a whole number") from error
        TESTS[name].parameters(sorted_settings[name])
    return sorted_settings


def evaluate_sample(
    sample: BitSample,
    tests: Iterable[SampleTest],
    settings: Mapping[str, Mapping[str, int]],
    constants: Constants,
) -> tuple[TestResult | NotRun, ...]:
    """Run tests on one sequence that is shared between them."""
    results: list[TestResult | NotRun] = []
    for test in tests:
        parameters = test.parameters(settings.get(test.name, {}))
        refusal = test.refusal(sample, parameters)
        results.append(refusal or _evaluate_one(test, sample, parameters, constants))
    return tuple(results)


def _evaluate_one(
    test: SampleTest, sample: BitSample, parameters: Mapping[str, int], constants: Constants
) -> TestResult | NotRun:
    """Runs one test; what cannot be computed takes no other test with it, and leaves the verdict open."""
    try:
        found = test.evaluate(sample, parameters, constants)
        return found if isinstance(found, NotRun) else found.run_as(SUITE, test.name, sample.length)
    except (SampleError, ArithmeticError) as error:
        return NotRun(SUITE, test.name, f"could not be computed: {error}", failed=True)


def _sample(bits: BitStream, *, enforce_lengths: bool) -> BitSample:
    if bits.length > LONGEST:
        message = f"{bits.source}: {bits.length} bits in one sequence, expected at most {LONGEST}"
        raise SampleError(f"{message}; longer data is cut into sequences")
    return BitSample(bits, enforce_lengths=enforce_lengths)


def run(
    bits: BitStream,
    *,
    tests: Iterable[str] | None = None,
    settings: Mapping[str, int | str] | None = None,
    constants: Constants = "reference",
    enforce_lengths: bool = True,
) -> tuple[TestResult | NotRun, ...]:
    """Run the tests of NIST SP 800-22 Rev. 1a on one sequence of bits.

    Args:
        bits: The sequence; all of it is one sample, of at most 2^28 bits.
        tests: Names of the tests to run, all fifteen when left out.
        settings: Parameters such as ``{"block-frequency.m": 128}``; the reference program's when left out.
        constants: ``reference`` for the program's constants, ``exact`` for those recomputed from theory.
        enforce_lengths: Refuse sequences shorter than the standard allows; the standard's own worked examples
            are shorter and are computed with this off.

    Returns:
        One result for each test, in the order requested. A test that this sequence is too short for, or that
        does not apply to it, says so as a ``NotRun``.

    Raises:
        SampleError: If a name, a parameter or the constants are unknown, or if a single test was requested
            and cannot be run on this sequence.

    Source: NIST SP 800-22 Rev. 1a, section 2.
    """
    if constants not in ("reference", "exact"):
        raise SampleError(f"sp800-22: constants {constants!r}, expected 'reference' or 'exact'")
    chosen = chosen_tests(tests)
    sample = _sample(bits, enforce_lengths=enforce_lengths)
    results = evaluate_sample(sample, chosen, read_settings(settings), constants)
    if tests is not None and len(results) == 1 and isinstance(results[0], NotRun):
        raise SampleError(f"{bits.source}: {results[0].test} not run: {results[0].reason}")
    return results


def run_both(
    bits: BitStream, *, tests: Iterable[str] | None = None, settings: Mapping[str, int | str] | None = None
) -> tuple[tuple[TestResult | NotRun, ...], tuple[TestResult | NotRun, ...]]:
    """Run the tests with both sets of constants on the same counts, to show them side by side.

    Args:
        bits: The sequence.
        tests: Names of the tests, all fifteen when left out.
        settings: As for :func:`run`.

    Returns:
        The results with the reference program's constants, and those with exact ones, in the same order.
    """
    sample, chosen, read = _sample(bits, enforce_lengths=True), chosen_tests(tests), read_settings(settings)
    return (
        evaluate_sample(sample, chosen, read, "reference"),
        evaluate_sample(sample, chosen, read, "exact"),
    )
