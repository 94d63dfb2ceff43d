"""Every target of the coverage-guided fuzz: its seeds and its committed corpus run without a finding, fuzzer or not."""

from pathlib import Path

import pytest

from proofs.coverage_fuzz import CORPUS, Broken, Lines, committed
from proofs.coverage_targets import BY_NAME, TARGETS, Target


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_seeds_and_corpus_are_taken_or_refused(target: Target, tmp_path: Path) -> None:
    take = target.make(tmp_path)
    inputs = [*target.seeds()[:20], *committed(target)]
    assert inputs
    for data in inputs:
        take(data)


def test_the_corpus_is_small_and_of_known_targets() -> None:
    files = [path for path in CORPUS.rglob("*") if path.is_file()]
    assert {path.parent.name for path in files} <= set(BY_NAME)
    assert sum(path.stat().st_size for path in files) < 500_000


def test_lines_are_counted_and_a_finding_is_raised(tmp_path: Path) -> None:
    lines = Lines(BY_NAME["device-log"], tmp_path)
    assert lines.those_that_add([b"", b"", b'{"device": 1}']) == [b"", b'{"device": 1}']
    assert 0 < len(lines.reached) < len(lines.all)

    def breaks(_: Path):
        def take(data: bytes) -> None:
            raise OverflowError(data)

        return take

    with pytest.raises(Broken, match="OverflowError"):
        Lines(Target("broken", ("protocol.crc",), breaks, list), tmp_path).run(b"\1")
