"""The cluster engine where there is no cluster; tests of `certify`'s files run one and kill a worker of it."""

from dataclasses import replace

import pytest

from randomness.certification import CertificationError, KernelSubject, Run, certify, load_plan
from randomness.certification.cluster import Cluster
from randomness.certification.shards import kernel_shards

pytest.importorskip("distributed")

PLAN = replace(load_plan("quick"), bit_sequences=0, controls=(), decks=3_600, decks_per_shard=200)
RUN = Run(plan=PLAN, subject=KernelSubject(mechanism="ideal", seed=21))


def test_no_cluster_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from randomness.certification import cluster

    monkeypatch.setattr(cluster, "CONNECT_S", 0.2)
    with pytest.raises(CertificationError, match="no cluster answers"):
        certify(RUN, Cluster("tcp://127.0.0.1:1"))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_cluster_without_workers_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    from randomness.certification import cluster

    monkeypatch.setattr(cluster, "WORKERS_S", 0.5)
    with (
        distributed.LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address=None) as made,
        pytest.raises(CertificationError, match="has no workers: start some with `dask worker tcp://127"),
    ):
        certify(RUN, Cluster(made.scheduler_address))


def test_a_worker_with_other_code_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from randomness.certification import cluster

    shard = next(kernel_shards(PLAN, 200, "ideal", 1))
    assert cluster.count_as(shard, cluster.code_digest()).decks == 67
    monkeypatch.setattr(cluster, "code_digest", lambda: "0" * 64)
    with pytest.raises(cluster.OtherCode, match=r"its code has SHA-256 0000000000000000…, the run's abab"):
        cluster.count_as(shard, "ab" * 32)
