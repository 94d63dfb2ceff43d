"""The envelope of SP 800-90A section 9: instantiate, reseed, generate, health; one class for every mechanism.

Owns lengths, limits, the reseed counter, prediction resistance and the error latch. Knows no cryptography.
"""

from collections.abc import Callable
from typing import TypeVar

from randomness.drbg.mechanism import MAX_REQUEST_BYTES, RESEED_INTERVAL, SLACK, DrbgMechanism
from randomness.drbg.selftest import power_up_self_test
from randomness.entropy import EntropySource
from randomness.errors import (
    DrbgError,
    EntropyError,
    GeneratorLatched,
    InputLengthError,
    RandomnessError,
    RequestTooLarge,
    ReseedRequired,
)

T = TypeVar("T")


class Drbg:
    """One instantiation of a DRBG, seeded from `entropy`; `generate` is one request of the standard.

    Known-answer tests run before the first instantiation of each mechanism in a process. An entropy, health or
    self-test failure latches: the state is wiped and every later call raises GeneratorLatched. Not for several
    threads at once.
    """

    def __init__(
        self,
        mechanism: Callable[[], DrbgMechanism],
        entropy: EntropySource,
        *,
        personalization: bytes = b"",
        nonce: bytes | None = None,
        prediction_resistance: bool = False,
        reseed_interval: int = RESEED_INTERVAL,
    ) -> None:
        """Instantiate (9.1). `nonce` is drawn from `entropy` where the mechanism needs one and none is given.

        `prediction_resistance` makes every request reseed first; a request can also ask for it by itself.
        """
        self._mechanism = mechanism()
        self._entropy = entropy
        self._always_fresh = prediction_resistance
        self._latched: str | None = None
        self.requests_since_reseed = 0
        self.reseeds = 0
        if not 1 <= reseed_interval <= RESEED_INTERVAL:
            raise DrbgError(f"a reseed interval is between 1 and 2^48 requests, not {reseed_interval}")
        self.reseed_interval = reseed_interval
        self._check_input("personalisation string", personalization)
        wanted = self._mechanism.nonce_bytes
        if nonce is not None and (len(nonce) < wanted or (wanted == 0 and nonce)):
            raise InputLengthError(f"{self.name} takes a nonce of {wanted} bytes, not {len(nonce)}")
        with_latch = self._latching
        with_latch(lambda: power_up_self_test(mechanism))
        seed = with_latch(lambda: self._read(self._mechanism.entropy_bytes))
        if nonce is None:
            nonce = with_latch(lambda: self._read(wanted)) if wanted else b""
        self._mechanism.instantiate(seed, nonce, personalization)

    @property
    def name(self) -> str:
        """The mechanism, as a report prints it."""
        return self._mechanism.name

    @property
    def security_strength(self) -> int:
        """Bits."""
        return self._mechanism.security_strength

    @property
    def entropy_name(self) -> str:
        """Where the entropy comes from, as a report prints it."""
        return self._entropy.name

    @property
    def latched(self) -> str | None:
        """Why the generator has stopped for good, or None."""
        return self._latched

    def reseed(self, additional_input: bytes = b"") -> None:
        """Mix in fresh entropy (9.2)."""
        self._check_running()
        self._check_input("additional input", additional_input)
        fresh = self._latching(lambda: self._read(self._mechanism.entropy_bytes))
        self._mechanism.reseed(fresh, additional_input)
        self.requests_since_reseed = 0
        self.reseeds += 1

    def generate(self, n: int, *, additional_input: bytes = b"", prediction_resistance: bool = False) -> bytes:
        """One request (9.3) of at most 65,536 bytes. DrbgSource gives more, as several requests."""
        if not 0 <= n <= MAX_REQUEST_BYTES:
            raise RequestTooLarge(f"one request carries 0 to {MAX_REQUEST_BYTES} bytes, not {n}; DrbgSource gives more")
        buffer = bytearray(n + SLACK)
        self.generate_into(memoryview(buffer), n, additional_input, prediction_resistance)
        return bytes(memoryview(buffer)[:n])

    def generate_into(
        self, out: memoryview, n: int, additional_input: bytes = b"", prediction_resistance: bool = False
    ) -> None:
        """The same, written to the front of `out`, which must have SLACK bytes to spare behind the `n`."""
        self._check_running()
        if n > MAX_REQUEST_BYTES or len(out) < n + SLACK:
            raise RequestTooLarge(f"{n} bytes with {SLACK} to spare do not fit one request into {len(out)}")
        self._check_input("additional input", additional_input)
        if prediction_resistance or self._always_fresh:
            self.reseed(additional_input)
            additional_input = b""
        elif self.requests_since_reseed >= self.reseed_interval:
            try:
                self.reseed(additional_input)
            except EntropyError as error:
                raise ReseedRequired(f"the reseed interval of {self.reseed_interval} requests is used up") from error
            additional_input = b""
        self._mechanism.generate_into(out, n, additional_input)
        self.requests_since_reseed += 1

    def mark_stale(self) -> None:
        """Reseed before the next output: the state may exist twice (a forked process, a restored snapshot)."""
        self.requests_since_reseed = self.reseed_interval

    def self_test(self) -> None:
        """Known-answer tests on demand (11.3); a failure latches."""
        self._check_running()
        self._latching(lambda: power_up_self_test(type(self._mechanism), again=True))

    def latch(self, reason: str) -> None:
        """Stop for good: a fault elsewhere in the device that forbids random output."""
        if self._latched is None:
            self._latched = reason
            self._mechanism.zeroise()

    def uninstantiate(self) -> None:
        """Wipe the state (9.4); the instance gives no more output."""
        self.latch("uninstantiated")

    def _read(self, n: int) -> bytes:
        fresh = self._entropy.read(n)
        if len(fresh) != n:
            raise InputLengthError(f"{self._entropy.name} gave {len(fresh)} bytes of entropy, {n} are needed")
        return fresh

    def _latching(self, step: Callable[[], T]) -> T:
        try:
            return step()
        except RandomnessError as error:
            self.latch(str(error))
            raise

    def _check_running(self) -> None:
        if self._latched is not None:
            raise GeneratorLatched(f"{self.name} gives no more output: {self._latched}")

    def _check_input(self, what: str, value: bytes) -> None:
        if len(value) > self._mechanism.max_input_bytes:
            raise InputLengthError(
                f"{self.name} takes a {what} of at most {self._mechanism.max_input_bytes} bytes, not {len(value)}"
            )


class DrbgSource:
    """A RandomSource over a Drbg: `generate(n)` of any size, as full requests of 65,536 bytes and one for the rest.

    The bytes of a call are a function of the generator's state and of `n` alone, so that two runs that ask for the
    same sizes get the same bytes.
    """

    def __init__(self, drbg: Drbg, request_bytes: int = MAX_REQUEST_BYTES) -> None:
        if not 1 <= request_bytes <= MAX_REQUEST_BYTES:
            raise RequestTooLarge(f"a request carries 1 to {MAX_REQUEST_BYTES} bytes, not {request_bytes}")
        self.drbg = drbg
        self._request_bytes = request_bytes

    @property
    def name(self) -> str:
        """Mechanism and origin of the entropy."""
        return f"{self.drbg.name}; entropy: {self.drbg.entropy_name}"

    def generate(self, n: int) -> bytes:
        """`n` bytes."""
        if n < 0:
            raise RequestTooLarge(f"{n} bytes cannot be given")
        if n <= self._request_bytes:
            return self.drbg.generate(n)
        out = bytearray(n)
        self.fill(memoryview(out))
        return bytes(out)

    def fill(self, out: memoryview) -> None:
        """The bytes of `generate(len(out))`, written in place: for callers that reuse their memory."""
        n, size = len(out), self._request_bytes
        start = 0
        # A request writes SLACK bytes past its end, which the next one overwrites; the last ones go through a copy.
        while n - start >= size + SLACK:
            self.drbg.generate_into(out[start : start + size + SLACK], size)
            start += size
        while start < n:
            take = min(size, n - start)
            out[start : start + take] = self.drbg.generate(take)
            start += take
