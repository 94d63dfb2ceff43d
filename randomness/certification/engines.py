"""Who counts the shards: this process, or several of this machine's. Results come in the order of the shards."""

import multiprocessing
import signal
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

from randomness.certification.errors import CertificationError
from randomness.certification.shards import Counted, Shard, count

IN_FLIGHT = 2
"""Shards handed out for each worker: enough to keep it busy, few enough to keep memory flat."""


class ShardEngine(Protocol):
    """Counts shards somewhere."""

    def run(self, shards: Iterable[Shard]) -> Generator[Counted, None, None]:
        """Each shard counted, in order."""
        ...


class Here:
    """One after the other in this process."""

    def run(self, shards: Iterable[Shard]) -> Generator[Counted, None, None]:
        """See Engine."""
        yield from (count(shard) for shard in shards)


class Processes:
    """So many processes of this machine."""

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def run(self, shards: Iterable[Shard]) -> Generator[Counted, None, None]:
        """See Engine. Leaving early gives up what is not counted yet."""
        pool = ProcessPoolExecutor(
            self.workers, mp_context=multiprocessing.get_context("spawn"), initializer=_leave_interrupts_to_the_parent
        )
        waiting: deque[Future[Counted]] = deque()
        try:
            for shard in shards:
                waiting.append(pool.submit(count, shard))
                if len(waiting) >= IN_FLIGHT * self.workers:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        except BrokenProcessPool:
            raise CertificationError(
                "a worker process ended early (out of memory?); --resume continues, with fewer --workers"
            ) from None
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def local_engine(workers: int) -> ShardEngine:
    """The engine for so many workers."""
    return Here() if workers == 1 else Processes(workers)
