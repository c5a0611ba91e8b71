"""What was established about the random number generator itself."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from certify.evidence.encode import Worded
from certify.model.form import Decimal, Sha256, origins


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
class StatedGenerator:
    """What was established about the generator.

    Args:
        algorithm: Generator and options.
        standard: The standard that it follows.
        security_strength: In bits.
        state_bits: Size of its secret state.
        seed_bits: Size of the seed.
        needed_bits: Bits below which not every order of the deck can occur.
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
        messages: The messages of its texts, by their names.
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
    messages: Worded
