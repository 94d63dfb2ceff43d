"""The cluster engine where there is no cluster; tests of `certify`'s files run one and kill a worker of it."""

from dataclasses import replace

import pytest

from randomness.certification import CertificationError, KernelSubject, Run, certify, load_plan
from randomness.certification.cluster import Cluster

pytest.importorskip("distributed")

PLAN = replace(load_plan("quick"), bit_sequences=0, controls=(), decks=3_600, decks_per_shard=200)
RUN = Run(plan=PLAN, subject=KernelSubject(mechanism="ideal", seed=21))


def test_no_cluster_there(monkeypatch: pytest.MonkeyPatch) -> None:
    from randomness.certification import cluster

    monkeypatch.setattr(cluster, "CONNECT_S", 0.2)
    with pytest.raises(CertificationError, match="no cluster answers"):
        certify(RUN, Cluster("tcp://127.0.0.1:1"))
