"""Counts from the C program, made once."""

import pytest

from benchmarks import brute_force


@pytest.fixture(scope="session")
def all_deals_in_c(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, ...], int]:
    return brute_force.counts(brute_force.compile_to(tmp_path_factory.mktemp("brute_force")), "deals")
