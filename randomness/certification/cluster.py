"""The cluster engine: the same shards, counted by the workers of a Dask cluster. Dask is the extra `cluster`."""

import importlib
from collections import deque
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from randomness.certification.engines import IN_FLIGHT
from randomness.certification.errors import CertificationError
from randomness.certification.runs import code_digest
from randomness.certification.shards import Counted, Shard, count

LOCAL = "local"
CONNECT_S = 20
WORKERS_S = 20
"""How long to wait for the first worker."""
TRIES = 5
"""How often a shard is given to another worker when the one that had it dies."""


class OtherCode(Exception):
    """A worker runs another version of the program; says which."""


def count_as(shard: Shard, code_sha256: str) -> Counted:
    """Count a shard, if this worker has the code of the run."""
    if (own := code_digest()) != code_sha256:
        raise OtherCode(f"its code has SHA-256 {own[:16]}…, the run's {code_sha256[:16]}…")
    return count(shard)


class Cluster:
    """A cluster by the address of its scheduler ("tcp://host:8786"), or one of this machine's for "local"."""

    def __init__(self, address: str, *, workers: int = 2) -> None:
        self.address = address
        self.workers = workers

    def run(self, shards: Iterable[Shard]) -> Generator[Counted, None, None]:
        """Each shard counted, in order; a shard whose worker dies is counted again by another, to the same counts."""
        waiting: deque[Any] = deque()
        code = code_digest()
        with self._client() as client:
            self._wait_for_workers(client)
            try:
                for shard in shards:
                    waiting.append(client.submit(count_as, shard, code, pure=False, retries=TRIES))
                    if len(waiting) >= IN_FLIGHT * max(1, len(client.scheduler_info()["workers"])):
                        yield self._result(waiting.popleft())
                while waiting:
                    yield self._result(waiting.popleft())
            finally:
                client.cancel(list(waiting))

    def _result(self, future: Any) -> Counted:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        try:
            counted: Counted = future.result()
        except OtherCode as other:
            why = f"a worker of {self.address} runs another version of the program: {other}"
            raise CertificationError(why) from None
        except (KilledWorker, FutureCancelledError, OSError) as error:
            raise CertificationError(f"the cluster gave up ({error}); --resume continues") from None
        return counted

    def _wait_for_workers(self, client: Any) -> None:
        try:
            client.wait_for_workers(1, timeout=WORKERS_S)
        except (TimeoutError, OSError):
            raise CertificationError(
                f"the cluster at {self.address} has no workers: start some with `dask worker {self.address}`"
            ) from None

    @contextmanager
    def _client(self) -> Generator[Any, None, None]:
        try:
            dask: Any = importlib.import_module("distributed")
        except ImportError:
            raise CertificationError("--cluster needs Dask: pip install 'shuffler-bench[cluster]'") from None
        if self.address == LOCAL:
            made = dask.LocalCluster(
                n_workers=self.workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
            )
            with made, dask.Client(made) as client:
                yield client
            return
        try:
            client = dask.Client(self.address, timeout=CONNECT_S)
        except (OSError, TimeoutError, ValueError) as error:
            raise CertificationError(f"no cluster answers at {self.address}: {error}") from None
        with client:
            yield client
