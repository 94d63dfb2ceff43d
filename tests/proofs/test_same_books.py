"""The books of today's program against those that version 0.2.0 wrote from the same seeds."""

import json

import pytest

from proofs.same_books import KNOWN, Case, cases, play

TABLES = json.loads(KNOWN.read_text(encoding="utf-8"))["tables"]


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case.name)
def test_the_same_seed_writes_the_same_books(case: Case) -> None:
    rounds, entries, digest = TABLES[case.name]
    written = play(case, rounds)
    assert (written.entries, written.digest) == (entries, digest)
