"""The envelope of SP 800-90A Rev. 1, clause 9, that every mechanism shares: states, limits, reseeding."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum
from threading import Lock
from typing import ClassVar, Final, NoReturn, Protocol, TypedDict

from rng.errors import DrbgError, EntropyError, RangeError
from rng.words import after_fork, notice_fork

# SP 800-90A Rev. 1, Tables 2 and 3: max_number_of_bits_per_request = 2^19 bits.
MAX_REQUEST_BYTES: Final = 2**19 // 8
# Tables 2 and 3: max_length, max_personalization_string_length, max_additional_input_length = 2^35 bits.
MAX_INPUT_BYTES: Final = 2**35 // 8
# Tables 2 and 3: reseed_interval = 2^48 requests.
MAX_RESEED_INTERVAL: Final = 2**48


class EntropyInput(Protocol):
    """Where a DRBG gets its entropy input from: Get_entropy_input of SP 800-90A Rev. 1, clause 9."""

    @property
    def live(self) -> bool:
        """Whether each call gives fresh entropy; a fixed or recorded seed is not live."""

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        """One entropy input of at least `min_bytes` and at most `max_bytes` bytes.

        Raises:
            EntropyError: the source has failed or has nothing left to give.
        """


class FixedSeed:
    """One known entropy input that can be taken once, for streams that must be replayed.

    >>> FixedSeed(bytes(48)).entropy_input(48, 48) == bytes(48)
    True
    """

    __slots__ = ("_seed",)

    live: Final = False

    def __init__(self, seed: bytes) -> None:
        self._seed: bytes | None = seed

    def entropy_input(self, min_bytes: int, max_bytes: int) -> bytes:
        """The seed, the first time; afterwards there is nothing left to give."""
        if self._seed is None:
            raise EntropyError("a fixed seed serves once: this generator cannot be reseeded from it")
        seed, self._seed = self._seed, None
        return seed


class Instantiation(TypedDict, total=False):
    """What every mechanism may receive when it is instantiated."""

    nonce: bytes | None
    """At least half the security strength; taken from the entropy source when left out."""
    personalisation: bytes
    """The personalization string."""
    prediction_resistance: bool
    """Reseed before every request."""
    reseed_interval: int
    """Requests served between two reseeds, at most 2^48."""
    reseed_bytes: int | None
    """Bytes served between two reseeds; no limit of its own when left out."""
    on_reseed: Callable[[str], None] | None
    """Receives the reason each time the instance is reseeded."""


class DrbgState(Enum):
    """The states of a DRBG instance; only a ready one produces bytes."""

    READY = "ready"
    FAILED = "failed"
    UNINSTANTIATED = "uninstantiated"
    INHERITED = "inherited from the parent process"


class Drbg(ABC):
    """A DRBG instance: Instantiate, Reseed, Generate and Uninstantiate with every limit enforced.

    One instance may be used by several threads; each request is served whole. An instance is never
    copied, pickled or shared with a child process, because two holders of one state would draw
    the same bytes.

    Source: NIST SP 800-90A Rev. 1, clause 9.
    """

    __slots__ = (
        "__weakref__",
        "_bytes_since_seed",
        "_entropy",
        "_lock",
        "_max_request",
        "_on_reseed",
        "_prediction_resistance",
        "_reseed_bytes",
        "_reseed_counter",
        "_reseed_interval",
        "_state",
    )

    mechanism: ClassVar[str]
    """The standard's name of the mechanism."""

    def __init__(
        self,
        entropy: EntropyInput,
        *,
        nonce: bytes | None = None,
        personalisation: bytes = b"",
        prediction_resistance: bool = False,
        reseed_interval: int = MAX_RESEED_INTERVAL,
        reseed_bytes: int | None = None,
        on_reseed: Callable[[str], None] | None = None,
    ) -> None:
        """Instantiate_function (clause 9.1); the arguments are those of `Instantiation`.

        Raises:
            DrbgError: an input is outside the limits of the standard.
            EntropyError: the source failed.
        """
        self._state = DrbgState.UNINSTANTIATED
        self._max_request = self.max_request_bytes
        self._lock = Lock()
        self._entropy = entropy
        self._on_reseed = on_reseed
        self._prediction_resistance = prediction_resistance
        self._reseed_interval = _limit("reseed_interval", reseed_interval, MAX_RESEED_INTERVAL)
        self._reseed_bytes = (
            1 << 128 if reseed_bytes is None else _limit("reseed_bytes", reseed_bytes, 1 << 128)
        )
        self._check_text("personalisation", personalisation, self.max_personalisation_bytes)
        # 9.1, steps 6 to 8: entropy input, nonce.
        seed = self._draw_entropy()
        nonce = self._draw_nonce() if nonce is None else nonce
        self._check_text("nonce", nonce, MAX_INPUT_BYTES)
        if len(nonce) < self.min_nonce_bytes:
            raise DrbgError(
                f"nonce of {len(nonce)} bytes: {self.mechanism} takes at least {self.min_nonce_bytes} "
                "(SP 800-90A 8.6.7)"
            )
        # 9.1, step 9.
        self._instantiate_algorithm(seed, nonce, personalisation)
        self._seeded()
        after_fork(self)

    # What a mechanism states about itself (Tables 2 and 3) and does (clause 10).

    @property
    @abstractmethod
    def security_strength(self) -> int:
        """The security strength in bits."""

    @property
    @abstractmethod
    def seed_bytes(self) -> int:
        """The length of a seed (seedlen) in bytes."""

    @property
    def min_entropy_bytes(self) -> int:
        """The least entropy input: the security strength (Tables 2 and 3, min_length)."""
        return self.security_strength // 8

    @property
    def max_entropy_bytes(self) -> int:
        """The longest entropy input (Tables 2 and 3, max_length)."""
        return MAX_INPUT_BYTES

    @property
    def min_nonce_bytes(self) -> int:
        """The shortest nonce: half the security strength (8.6.7)."""
        return self.security_strength // 16

    @property
    def max_personalisation_bytes(self) -> int:
        """The longest personalization string."""
        return MAX_INPUT_BYTES

    @property
    def max_additional_bytes(self) -> int:
        """The longest additional input."""
        return MAX_INPUT_BYTES

    @property
    def max_request_bytes(self) -> int:
        """The most bytes one request may ask for."""
        return MAX_REQUEST_BYTES

    @abstractmethod
    def _instantiate_algorithm(self, entropy: bytes, nonce: bytes, personalisation: bytes) -> None: ...

    @abstractmethod
    def _reseed_algorithm(self, entropy: bytes, additional: bytes) -> None: ...

    @abstractmethod
    def _generate_algorithm(self, out: bytearray | memoryview, additional: bytes) -> None: ...

    @abstractmethod
    def _wipe(self) -> None: ...

    @abstractmethod
    def working_state(self) -> dict[str, bytes | int]:
        """The secret working state, by the standard's names, for known-answer tests alone."""

    # The functions of clause 9.

    @property
    def state(self) -> DrbgState:
        """Whether the instance is ready, failed or uninstantiated."""
        return self._state

    def generate(
        self, nbytes: int, additional_input: bytes = b"", *, prediction_resistance: bool = False
    ) -> bytes:
        """Generate_function (clause 9.3): `nbytes` pseudorandom bytes.

        Raises:
            RangeError: more bytes than one request may ask for, or none.
            DrbgError: the instance is not ready, must be reseeded and cannot, or an input is too long.
            EntropyError: a reseed was due and the source failed; the instance is now failed.
        """
        if type(nbytes) is not int or not 0 < nbytes <= self.max_request_bytes:
            raise RangeError(
                f"request of {nbytes!r} bytes: {self.mechanism} serves 1 to {self.max_request_bytes} "
                "a request (SP 800-90A 9.3.1, step 2)"
            )
        out = bytearray(nbytes)
        self.generate_into(out, additional_input, prediction_resistance=prediction_resistance)
        return bytes(out)

    def generate_into(
        self,
        out: bytearray | memoryview,
        additional_input: bytes = b"",
        *,
        prediction_resistance: bool = False,
    ) -> None:
        """Generate_function (clause 9.3) into a buffer of the caller's, filled whole.

        Args:
            out: writable contiguous bytes, at most `max_request_bytes` of them.
            additional_input: additional input, used once.
            prediction_resistance: reseed before this request.

        Raises:
            RangeError, DrbgError, EntropyError: as for `generate`.
        """
        # Before the lock: in a child it may be held by a thread that does not exist there.
        notice_fork()
        with self._lock:
            if self._state is not DrbgState.READY:
                self._not_ready("generate")
            size = len(out)
            if not 0 < size <= self._max_request:
                raise RangeError(
                    f"request of {size} bytes: {self.mechanism} serves 1 to {self._max_request} "
                    "a request (SP 800-90A 9.3.1, step 2)"
                )
            if additional_input:
                self._check_text("additional_input", additional_input, self.max_additional_bytes)
            # 9.3.1, steps 6 and 7: reseed on request, or because the interval is over; the
            # additional input is then spent on the reseed.
            if (
                prediction_resistance
                or self._prediction_resistance
                or self._reseed_counter > self._reseed_interval
                or self._bytes_since_seed + size > self._reseed_bytes
            ):
                self._reseed_due(prediction_resistance or self._prediction_resistance, additional_input)
                additional_input = b""
            self._generate_algorithm(out, additional_input)
            self._reseed_counter += 1
            self._bytes_since_seed += size

    def reseed(self, additional_input: bytes = b"", *, reason: str = "requested") -> None:
        """Reseed_function (clause 9.2): fresh entropy into the state.

        Args:
            additional_input: additional input, used once.
            reason: what listeners to reseeds receive.

        Raises:
            DrbgError: the instance is not ready, or its source is not live.
            EntropyError: the source failed; the instance is now failed.
        """
        notice_fork()
        with self._lock:
            if self._state is not DrbgState.READY:
                self._not_ready("reseed")
            self._check_text("additional_input", additional_input, self.max_additional_bytes)
            self._reseed_now(reason, additional_input)

    def uninstantiate(self) -> None:
        """Uninstantiate_function (clause 9.4): the state is overwritten and no request is served again.

        Python may have made copies of short-lived values (keys handed to the cipher, for instance)
        that cannot be reached; docs/state-erasure.md says which.
        """
        with self._lock:
            self._wipe()
            self._state = DrbgState.UNINSTANTIATED

    def _draw_entropy(self) -> bytes:
        """Get_entropy_input, with the lengths checked (9.1, step 6)."""
        low, high = self.min_entropy_bytes, self.max_entropy_bytes
        entropy = self._entropy.entropy_input(low, high)
        if not isinstance(entropy, bytes | bytearray):
            raise EntropyError(f"entropy input must be bytes, not {type(entropy).__name__}")
        if not low <= len(entropy) <= high:
            raise EntropyError(
                f"entropy input of {len(entropy)} bytes: {self.mechanism} takes {low} to {high} "
                "(SP 800-90A 9.1, step 6)"
            )
        return bytes(entropy)

    def _draw_nonce(self) -> bytes:
        """A nonce of half the security strength from the entropy source (8.6.7, first form)."""
        size = self.min_nonce_bytes
        return self._entropy.entropy_input(size, size) if size else b""

    def _reseed_due(self, prediction_resistance: bool, additional: bytes) -> None:
        if prediction_resistance:
            self._reseed_now("prediction resistance", additional)
        elif self._reseed_counter > self._reseed_interval:
            self._reseed_now("reseed interval reached", additional)
        else:
            self._reseed_now("byte limit reached", additional)

    def _reseed_now(self, reason: str, additional: bytes) -> None:
        """9.2, steps 4 to 6; any failure, of whatever kind, leaves no usable state behind."""
        try:
            entropy = self._draw_entropy()
        except BaseException:
            self._wipe()
            self._state = DrbgState.FAILED
            raise
        self._reseed_algorithm(entropy, additional)
        self._seeded()
        if self._on_reseed is not None:
            self._on_reseed(reason)

    def _seeded(self) -> None:
        self._reseed_counter = 1
        self._bytes_since_seed = 0
        self._state = DrbgState.READY

    def _forked(self) -> None:
        """In a child process: what was inherited must not be drawn from.

        The lock may have been held by a thread that does not exist in the child, so it is replaced.
        """
        self._lock = Lock()
        if self._state is DrbgState.READY:
            self._state = DrbgState.INHERITED

    def _not_ready(self, function: str) -> None:
        """Reseed an inherited instance from its live source; refuse in every other case."""
        if self._state is not DrbgState.INHERITED:
            raise DrbgError(
                f"{function} on a {self._state.value} {self.mechanism}: a fresh instance is needed"
            )
        if not self._entropy.live:
            self._wipe()
            self._state = DrbgState.FAILED
            raise DrbgError(
                "this instance belongs to the parent process and its seed is fixed: open a new one"
            )
        self._reseed_now("child process", b"")

    def _check_text(self, name: str, value: bytes, limit: int) -> None:
        if not isinstance(value, bytes | bytearray):
            raise DrbgError(f"{name} must be bytes, not {type(value).__name__}")
        if len(value) > limit:
            raise DrbgError(f"{name} of {len(value)} bytes: {self.mechanism} takes at most {limit}")

    def __repr__(self) -> str:
        return f"<{self.mechanism} {self.security_strength} bits, {self._state.value}>"

    def __copy__(self) -> NoReturn:
        raise DrbgError("a DRBG is never copied: two copies would draw the same bytes")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__copy__()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise DrbgError("a DRBG is never pickled: its state must not leave the process")


def _limit(name: str, value: int, most: int) -> int:
    if type(value) is not int or not 0 < value <= most:
        raise DrbgError(f"{name} of {value!r}: must be an integer from 1 to {most}")
    return value
