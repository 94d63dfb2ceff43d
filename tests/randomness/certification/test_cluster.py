"""The cluster engine: the same record as here, also when a worker is killed on the way."""

import json
import os
import signal
from dataclasses import replace

import pytest

from randomness.certification import CertificationError, KernelSubject, Run, certify, load_plan, local_engine
from randomness.certification.cluster import Cluster

pytest.importorskip("distributed")

PLAN = replace(load_plan("quick"), bit_sequences=0, controls=(), decks=3_600, decks_per_shard=200)
RUN = Run(plan=PLAN, subject=KernelSubject(mechanism="ideal", seed=21))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # the killed worker's connections are closed by the garbage collector
def test_a_cluster_with_a_worker_killed_midway_gives_the_same_record() -> None:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None) as made,
        Client(made) as client,
    ):
        first, *_ = client.run(os.getpid).values()
        killed: list[int] = []

        def progress(decks: int) -> None:
            if decks >= 800 and not killed:
                os.kill(first, signal.SIGKILL)
                killed.append(first)

        found = certify(RUN, Cluster(made.scheduler_address), progress=progress)
        assert killed
        assert first not in client.run(os.getpid).values()
    assert json.dumps(found) == json.dumps(certify(RUN, local_engine(1)))


def test_no_cluster_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from randomness.certification import cluster

    monkeypatch.setattr(cluster, "CONNECT_S", 0.2)
    with pytest.raises(CertificationError, match="no cluster answers"):
        certify(RUN, Cluster("tcp://127.0.0.1:1"))
