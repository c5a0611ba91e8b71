"""What a run establishes about the generator itself: vectors, counting, arithmetic, refusals."""

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import combinations
from math import factorial, prod
from pathlib import Path
from typing import TYPE_CHECKING, Final

from certify import result_cache
from certify.children import source_digest
from certify.clauses import RngFacts
from certify.errors import InputError
from certify.evidence import (
    Bias,
    BiasLimit,
    Orders,
    Profile,
    StatedGenerator,
    StatedPurpose,
    Streams,
    TriedFault,
    VectorFile,
    VectorsOfAlgorithm,
)
from certify.executors import Executor, InTurn, environment
from certify.mathematics.possible import looked_at
from certify.messages import say, worded
from certify.model import Certainty, Game, ranges_needed
from rng.drbg import MAX_REQUEST_BYTES, CtrDrbg, FixedSeed
from rng.entropy import RecordedEntropy
from rng.errors import EntropyError, RangeError
from rng.generator import PURPOSES, Generator
from rng.kat import run_kat_files
from rng.shuffle import bound_groups, shuffle
from rng.streams import stream
from rng.uniform import ALLOWED, WORD_BITS, modulo_bias, rejection_bias

if TYPE_CHECKING:
    from rng.battery.planted.fault import PlantedFault

KIND: Final = "faults"
"""What the findings are kept as."""

_DRAWN: Final = 5
"""Of so many known faults a quick run plants one."""


def faults_to_plant(seed: bytes, profile: Profile) -> Sequence["PlantedFault"]:
    """Returns the known faults that a run plants: all of them, in ``quick`` a fifth that is drawn by the seed.

    Args:
        seed: Master seed of the run.
        profile: How much is computed.
    """
    from rng.battery.planted.catalogue import FAULTS

    drawn = sorted(FAULTS, key=lambda fault: hashlib.sha256(seed + fault.name.encode()).digest())
    return FAULTS if profile.thorough else drawn[: -(-len(drawn) // _DRAWN)]


def planted_faults(
    faults: Sequence["PlantedFault"],
    executor: Executor,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Sequence[TriedFault]:
    """Plants faults and returns whether its test found each; what this software found before is found by its digest.

    Faults are planted and found by `rng` alone, and written down by this module: other changes leave them as they are.

    Args:
        faults: The faults.
        executor: What runs the tests.
        progress: Receives how many faults are done, of how many.
    """
    from rng.battery.calibration import find_by_name

    rests_on = source_digest("rng/**/*", "certify/certification/generator.py"), environment()[1:]
    digest = hashlib.sha256(repr(rests_on).encode()).hexdigest() if result_cache.keeping() else ""
    known = result_cache.find(KIND, digest) or {}
    new = [fault for fault in faults if fault.name not in known]
    for fault, finding in zip(new, executor.map(find_by_name, [fault.name for fault in new]), strict=True):
        sample, p = f"{finding.sample} {fault.kind}", max(finding.p_values)
        known[fault.name] = fault.name, finding.caught_by, sample, p, finding.caught
        progress(sum(one.name in known for one in faults), len(faults))
    if new:
        result_cache.keep(KIND, digest, known)
    return tuple(TriedFault(*known[fault.name]) for fault in faults)


def faults_again(stated: Sequence[TriedFault], faults: Sequence["PlantedFault"]) -> Sequence[TriedFault]:
    """Returns the faults that a run plants with what evidence says was found of each.

    Args:
        stated: What evidence says.
        faults: The faults.

    Raises:
        InputError: The evidence says nothing of a fault, or that one was found whose p-value does not find it.
    """
    from rng.battery.calibration import CAUGHT_BELOW

    told = {one.fault: one for one in stated}
    for fault in faults:
        found = told.get(fault.name)
        if found is None:
            raise InputError(f"/randomness/planted: {fault.name} was not planted")
        if not 0 <= found.p <= 1 or (found.caught and found.p >= CAUGHT_BELOW):
            raise InputError(
                f"/randomness/planted: {fault.name} is stated to be {'' if found.caught else 'not '}found at "
                f"p = {found.p:g}: expected a p-value, of what is found one below {CAUGHT_BELOW:g}"
            )
    return tuple(
        replace(told[fault.name], caught_by=fault.found_by, sample=f"{fault.sample} {fault.kind}")
        for fault in faults
    )


ALGORITHM: Final = "CTR_DRBG, AES-256, no derivation function, seeded per stream by HKDF-SHA-384"
SMALL_DECKS: Final = (2, 3, 4, 5, 6, 7)
COMPARED_STREAMS: Final = 32
COMPARED_BYTES: Final = 4096
EXERCISED_INTERVAL: Final = 3
"""Requests between reseeds in the exercise; the product's own interval is the standard's."""

USUAL_RANGES: Final = range(2, 53)
"""Ranges that are always tabulated: those of a pack of 52 cards."""

VECTORS: Final = Path(__file__).parents[2] / "fixtures" / "vectors"
"""Published vectors, next to the packages in a checkout; a run elsewhere is given their folder."""


def establish(game: Game, seed: bytes, vectors: Path = VECTORS, executor: Executor | None = None) -> RngFacts:
    """Returns the facts about the generator.

    Args:
        game: The submission, whose equipment says below which n numbers are drawn.
        seed: Master seed of the run.
        vectors: Folder that is searched for ACVP and CAVS files.
        executor: Where small decks are enumerated, a deck each, instead of this thread.
    """
    paths = vector_files(vectors)
    report = run_kat_files(paths) if paths else None
    reseeded, refused = _reseeding(seed)
    ctr = CtrDrbg(FixedSeed(bytes(48)), derivation_function=False)
    bits = 8 * ctr.seed_bytes
    stated = StatedGenerator(
        algorithm=ALGORITHM,
        standard="NIST SP 800-90A Rev. 1",
        security_strength=ctr.security_strength,
        state_bits=bits,
        seed_bits=bits,
        needed_bits=f"{looked_at(game, bits).bits:.2f}",
        **worded(
            seeding=say("generator.seeding"),
            reseeding=say("generator.reseeding"),
            byte_rule=say("generator.byte-rule"),
        ),
        known_answers=tuple(_known_answers(path) for path in paths),
        known_answer_tests=report.tests if report else 0,
        known_answers_passed=report.passed if report else 0,
        known_answers_by_algorithm=tuple(
            VectorsOfAlgorithm(one.algorithm, one.tests, one.passed)
            for one in (report.algorithms if report else ())
        ),
        bias=tuple(
            Bias(n, rejection_bias(WORD_BITS, n), modulo_bias(16, n), modulo_bias(32, n))
            for n in sorted({*USUAL_RANGES, *ranges_needed(game.equipment)})
        ),
        bias_limit=BiasLimit(ALLOWED, "25 CFR 547.14(f)", str(Certainty.SECONDARY)),
        orders=tuple((executor or InTurn()).map(count_orders, SMALL_DECKS)),
        streams=_streams(seed),
        reseeds_exercised=reseeded,
        purposes=tuple(StatedPurpose(one.id, one.description, one.used_by) for one in PURPOSES.values()),
    )
    return RngFacts(stated, EXERCISED_INTERVAL, refused, _unregistered_is_refused(seed))


def _known_answers(path: Path) -> VectorFile:
    """Returns what one vector file gave by itself; half of a pair of files gives nothing alone."""
    report = run_kat_files([path])
    digest, form = (report.files[0].sha256, report.files[0].format) if report.files else ("", "")
    return VectorFile(path.name, digest, form, report.tests, report.passed)


def vector_files(folder: Path) -> list[Path]:
    """Returns the vector files of a folder in a fixed order."""
    if not folder.is_dir():
        return []
    return sorted(
        path
        for path in (folder / "acvp").rglob("*")
        if path.suffix in (".json", ".rsp", ".txt") and path.is_file()
    )


class _OneWord:
    """Serves chosen words, to lead the shuffle through every combination of its draws."""

    def __init__(self, words: list[int]) -> None:
        self._words = iter(words)

    def word(self) -> int:
        """Returns the next chosen word."""
        return next(self._words)


def count_orders(n: int) -> Orders:
    """Counts the orders of a small deck over all equally likely draws of the shuffle.

    Every combination of draws is led through the shuffle itself by a word that gives it; because each
    combination is equally likely (bias exactly 0), the shuffle is fair when each order occurs once.

    Returns:
        Cards, combinations of draws, and whether each of the n! orders occurred equally often.

    >>> count_orders(4)
    Orders(cards=4, draws=24, equal=True)
    """
    (group,) = bound_groups(n)
    product = prod(group)
    threshold = (1 << WORD_BITS) % product
    # The smallest word whose product with the bounds has this upper half and is not rejected.
    words = (-(-((one << WORD_BITS) + threshold) // product) for one in range(product))
    seen = Counter(shuffle(_OneWord([word]), n) for word in words)
    equal = len(seen) == factorial(n) and len(set(seen.values())) == 1
    return Orders(n, product, equal)


def _streams(seed: bytes) -> Streams:
    """Compares the first bytes of many streams block by block."""
    digests: list[set[bytes]] = []
    for purpose in PURPOSES:
        for index in range(COMPARED_STREAMS // len(PURPOSES) + 1):
            source = stream(seed, purpose, index)
            data = source.read(COMPARED_BYTES)
            digests.append({hashlib.sha256(data[at : at + 16]).digest() for at in range(0, len(data), 16)})
            source.close()
    return Streams(len(digests), sum(bool(a & b) for a, b in combinations(digests, 2)))


def _reseeding(seed: bytes) -> tuple[int, bool]:
    """Lets two live generators reseed until recorded entropy runs out, the second from it in another order.

    Returns:
        Reseeds after which their bytes differ, and whether bytes were refused once no entropy was left.
    """
    material = hashlib.shake_256(b"reseed exercise" + seed).digest(4096)
    inputs = [material[at : at + 48] for at in range(0, 48 * 8, 48)]
    first, second = (
        Generator(RecordedEntropy(recorded), "round-exercise", reseed_requests=EXERCISED_INTERVAL)
        # A seed and a nonce come before the reseeds.
        for recorded in (inputs, [*inputs[:2], *inputs[:1:-1]])
    )
    renewed, refused = 0, False
    try:
        for _ in inputs:
            many = EXERCISED_INTERVAL * MAX_REQUEST_BYTES
            renewed += first.read(many) != second.read(many)
    except EntropyError:
        refused = True
    return renewed, refused


def _unregistered_is_refused(seed: bytes) -> bool:
    """Asks for a stream of a purpose that nobody registered."""
    try:
        stream(seed, "unregistered-use", 0)
    except RangeError:
        return True
    return False
