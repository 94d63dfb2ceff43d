"""Where entropy comes from: the operating system, behind a seam that tests and faults can stand in for."""

import hashlib
import os
from collections.abc import Iterable
from typing import Protocol

from randomness.errors import EntropyUnavailable


class EntropySource(Protocol):
    """Full-entropy bytes: 8 bits of min-entropy in each, or the source has failed and says so."""

    @property
    def name(self) -> str:
        """What a report prints as the origin of the entropy."""
        ...

    def read(self, n: int) -> bytes:
        """Exactly `n` bytes; raises EntropyError when it cannot."""
        ...


class SystemEntropy:
    """The operating system's generator (os.urandom: getrandom(2) on Linux, which blocks until it is seeded)."""

    name = "operating system (os.urandom)"

    def read(self, n: int) -> bytes:
        """`n` bytes of the operating system's."""
        try:
            return os.urandom(n)
        except (NotImplementedError, OSError) as error:
            raise EntropyUnavailable(f"the operating system gives no random bytes: {error}") from error


class SeededEntropy:
    """Not entropy: bytes derived from a seed (SHAKE-256), so that a run can be repeated. Never for play.

    Two different (seed, stream) pairs give unrelated bytes; streams number the shards of one run.
    """

    def __init__(self, seed: int | bytes, stream: int = 0) -> None:
        material = seed if isinstance(seed, bytes) else str(int(seed)).encode()
        kind = b"bytes" if isinstance(seed, bytes) else b"int"
        head = b"shuffler-bench seeded entropy 1|%s|%d|%d|" % (kind, len(material), int(stream))
        self._key = hashlib.shake_256(head + material).digest(32)
        self._reads = 0
        shown = seed.hex() if isinstance(seed, bytes) else str(seed)
        self.name = f"seed {shown}, stream {stream} (repeatable; not for play)"

    def read(self, n: int) -> bytes:
        """The next `n` bytes; what they are depends on the number of reads before, not on their sizes."""
        self._reads += 1
        return hashlib.shake_256(self._key + self._reads.to_bytes(8, "big")).digest(n)


class ReplayedEntropy:
    """Gives back recorded inputs one by one: published test vectors, or a fault's own story."""

    name = "replayed inputs (test vectors)"

    def __init__(self, inputs: Iterable[bytes]) -> None:
        self._inputs = list(inputs)

    def read(self, n: int) -> bytes:
        """The next recorded input, which must have exactly the asked length."""
        if not self._inputs:
            raise EntropyUnavailable("the recorded entropy inputs are used up")
        value = self._inputs.pop(0)
        if len(value) != n:
            raise EntropyUnavailable(f"the next recorded entropy input has {len(value)} bytes, {n} were asked for")
        return value
