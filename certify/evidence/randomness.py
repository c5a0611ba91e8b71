"""Statistical tests of what was dealt, and their collective verdict."""

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Messaged
from certify.model import Decimal, Label, Sha256, origins


@origins()
@dataclass(frozen=True, slots=True)
class VectorFile:
    """A file of published vectors.

    Args:
        file: Its name.
        sha256: Digest of its bytes.
        format: Its format.
        tests: Tests in it that were run.
        passed: Tests that passed.
    """

    file: str
    sha256: Sha256
    format: str
    tests: int
    passed: int


@origins()
@dataclass(frozen=True, slots=True)
class VectorsOfAlgorithm:
    """Published vectors of one mechanism and mode.

    Args:
        algorithm: Mechanism and mode.
        tests: Tests that were run.
        passed: Tests that passed.
    """

    algorithm: str
    tests: int
    passed: int


@origins()
@dataclass(frozen=True, slots=True)
class Bias:
    """Greatest bias of numbers below n.

    Args:
        n: The bound.
        ours: Bias of the rule in use.
        modulo_16: Bias of a plain modulo at 16 bits.
        modulo_32: Bias of a plain modulo at 32 bits.
    """

    n: int
    ours: Fraction
    modulo_16: Fraction
    modulo_32: Fraction


@origins()
@dataclass(frozen=True, slots=True)
class BiasLimit:
    """The greatest bias that is allowed.

    Args:
        value: The limit.
        source: Who sets it.
        certainty: How sure we are of the source.
    """

    value: Fraction
    source: str
    certainty: str


@origins()
@dataclass(frozen=True, slots=True)
class Orders:
    """Every order of a small deck counted.

    Args:
        cards: Cards in the deck.
        draws: Number of equally likely draws.
        equal: Whether every order was equally frequent.
    """

    cards: int
    draws: int
    equal: bool


@origins()
@dataclass(frozen=True, slots=True)
class Streams:
    """Streams compared with each other.

    Args:
        compared: Number of streams.
        sharing_a_block: Pairs that share a block.
    """

    compared: int
    sharing_a_block: int


@origins()
@dataclass(frozen=True, slots=True)
class StatedPurpose:
    """A registered use of randomness.

    Args:
        purpose: Its id.
        description: What it is for.
        where: Module that uses it.
    """

    purpose: str
    description: str
    where: str


@origins()
@dataclass(frozen=True, slots=True)
class StatedGenerator(Messaged):
    """What was established about the generator.

    Args:
        algorithm: Generator and options.
        standard: The standard that it follows.
        security_strength: In bits.
        state_bits: Size of its secret state.
        seed_bits: Size of the seed.
        needed_bits: Bits that tell apart everything that a round can draw; of one that goes on, its first draws.
        seeding: How streams are seeded, in words.
        reseeding: When they are reseeded, in words.
        byte_rule: How words become numbers, in words.
        known_answers: Files of published vectors.
        known_answer_tests: Published vectors run.
        known_answers_passed: Published vectors passed.
        known_answers_by_algorithm: The same for each mechanism and mode.
        bias: Greatest bias of numbers below n.
        bias_limit: The bias that is allowed.
        orders: Orders of small decks, counted.
        streams: Streams compared with each other.
        reseeds_exercised: Reseeds that were forced and seen to change the stream.
        purposes: Registered uses of randomness.
    """

    algorithm: str
    standard: str
    security_strength: int
    state_bits: int
    seed_bits: int
    needed_bits: Decimal
    seeding: str
    reseeding: str
    byte_rule: str
    known_answers: tuple[VectorFile, ...]
    known_answer_tests: int
    known_answers_passed: int
    known_answers_by_algorithm: tuple[VectorsOfAlgorithm, ...]
    bias: tuple[Bias, ...]
    bias_limit: BiasLimit
    orders: tuple[Orders, ...]
    streams: Streams
    reseeds_exercised: int
    purposes: tuple[StatedPurpose, ...]


@origins()
@dataclass(frozen=True, slots=True)
class PlanOfTests:
    """The plan of the tests, fixed beforehand.

    Args:
        sha256: Digest of the plan.
        rule: How the p-values are judged together, in words.
        stages: Samples that it took to decide.
    """

    sha256: Sha256
    rule: str
    stages: int


@origins(counted=("p_values", "labels", "statistic", "degrees_of_freedom", "null", "detectable"))
@dataclass(frozen=True, slots=True)
class JudgedTest:
    """One statistical test with its verdict within the family of all tests.

    Args:
        suite: Suite that it belongs to.
        test: Its name.
        p_values: Its p-values.
        labels: What each p-value is of; empty where they are numbered.
        verdict: How it ended.
        adjusted_p: The smallest p-value, adjusted for the whole family.
        threshold: What that is compared with.
        sample_size: Size of the sample.
        statistic: The statistic; none where there are several.
        degrees_of_freedom: Its degrees of freedom; none where it has none.
        null: The distribution that p-values are taken from, in words.
        detectable: What departure it would detect, in words.
    """

    suite: str
    test: str
    p_values: tuple[float, ...]
    labels: tuple[Label, ...]
    verdict: str
    adjusted_p: float
    threshold: float
    sample_size: int
    statistic: float | None
    degrees_of_freedom: int | None
    null: str
    detectable: str


@origins(counted=("deciding",))
@dataclass(frozen=True, slots=True)
class RandomTest(JudgedTest):
    """One statistical test of what was dealt.

    Args:
        smallest_p: The smallest of the p-values that decide.
        deciding: P-values that the verdict rests on, where they are others than those published.
    """

    smallest_p: float
    deciding: tuple[float, ...] | None = None


@origins(counted=("reason",))
@dataclass(frozen=True, slots=True)
class TestNotRun:
    """A test that was not run.

    Args:
        suite: Suite that it belongs to.
        test: Its name.
        reason: Why it was not run, in words.
    """

    suite: str
    test: str
    reason: str


@origins(counted=("p", "caught"))
@dataclass(frozen=True, slots=True)
class TriedFault:
    """A generator or shuffle known to be bad.

    Args:
        fault: Name of the fault.
        caught_by: Test that finds it.
        sample: On what sample.
        p: The greatest p-value of that test.
        caught: Whether it was found.
    """

    fault: str
    caught_by: str
    sample: str
    p: float
    caught: bool


@origins()
@dataclass(frozen=True, slots=True)
class Randomness:
    """The collective verdict with every test behind it.

    Args:
        plan: The plan, fixed beforehand.
        decks: Decks tested.
        bits: Bits tested.
        alpha: Error that is allowed over the family.
        family_size: Number of p-values.
        tests: The tests.
        not_run: Tests that were not run.
        verdict: How it ended.
        sentence: Why, in one sentence.
        smallest_adjusted_p: The smallest adjusted p-value.
        planted: Faults planted to see the tests find them.
    """

    plan: PlanOfTests
    decks: int
    bits: int
    alpha: float
    family_size: int
    tests: tuple[RandomTest, ...]
    not_run: tuple[TestNotRun, ...]
    verdict: str
    sentence: str
    smallest_adjusted_p: float
    planted: tuple[TriedFault, ...]
