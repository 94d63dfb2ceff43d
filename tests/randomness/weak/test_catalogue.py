"""Planted defects by name: reachable, marked, and nowhere else."""

import ast
from pathlib import Path

import numpy as np
import pytest

import randomness
from randomness.errors import BadParameter, UnknownKernel, UnknownSource
from randomness.kernels import Backend, make, parse
from randomness.kernels.catalogue import MECHANISMS
from randomness.sources import make_source, seeded_source
from randomness.weak import DEFECTS, SOURCES

WHOLE_DECKS = sorted(set(DEFECTS) - {"wrong-card"})


@pytest.mark.parametrize("name", DEFECTS)
def test_every_defect_is_a_kernel_marked_as_planted(name: str) -> None:
    kernel = make(f"defect:{name}")
    assert kernel.name == f"defect:{name}"
    assert kernel.describe().startswith("PLANTED DEFECT: ")
    assert not kernel.exact


@pytest.mark.parametrize("name", DEFECTS)
def test_every_defect_has_a_parameter_and_says_what_is_predicted(name: str) -> None:
    kind = DEFECTS[name]
    assert kind.__dataclass_fields__
    assert "redict" in (kind.__doc__ or "")


@pytest.mark.parametrize("name", DEFECTS)
def test_plain_and_numpy_agree(name: str) -> None:
    plain, vector = (
        make(f"defect:{name}").permutations(52, 200, seeded_source(1), engine=engine)
        for engine in (Backend.PLAIN, Backend.NUMPY)
    )
    assert plain.dtype == np.uint8
    assert (plain == vector).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFECTS)
def test_numba_agrees(name: str) -> None:
    pytest.importorskip("numba")
    vector, compiled = (
        make(f"defect:{name}").permutations(52, 3000, seeded_source(1), engine=engine)
        for engine in (Backend.NUMPY, Backend.NUMBA)
    )
    assert (vector == compiled).all()


@pytest.mark.parametrize("name", ["sattolo:rate=1/2", "naive-swap:rate=1/3"])
def test_mixtures_agree_too(name: str) -> None:
    plain, vector = (
        parse(f"defect:{name}").permutations(52, 200, seeded_source(1), engine=engine)
        for engine in (Backend.PLAIN, Backend.NUMPY)
    )
    assert (plain == vector).all()


@pytest.mark.parametrize("name", WHOLE_DECKS)
def test_all_but_the_wrong_card_keep_the_deck_whole(name: str) -> None:
    decks = make(f"defect:{name}").permutations(52, 100, seeded_source(1))
    assert (np.sort(decks, axis=1) == np.arange(52)).all()


@pytest.mark.parametrize("name", SOURCES)
def test_the_streams_are_sources_too(name: str) -> None:
    assert len(make_source(f"defect:{name}", seed=1).generate(100)) == 100


def test_parameters_are_read_from_text_and_shown() -> None:
    kernel = parse("defect:favoured-cell:card=3,position=4,relative=0.25")
    assert dict(kernel.parameters) == {"card": 3, "position": 4, "relative": "1/4"}
    assert parse("defect:sticky:rate=1/10").parameters == {"rate": "1/10"}
    assert make(kernel.name, **kernel.parameters).describe() == kernel.describe()


def test_unknown_defects_say_what_there_is() -> None:
    with pytest.raises(UnknownKernel, match="no planted defect 'defect:gremlin': there are sattolo, naive-swap"):
        make("defect:gremlin")
    with pytest.raises(UnknownSource, match="'gremlin' is not known: sources are lcg, minstd"):
        make_source("defect:gremlin")
    with pytest.raises(UnknownSource, match="'sattolo' is a shuffle, not a source"):
        make_source("defect:sattolo")
    with pytest.raises(BadParameter, match="'defect:lcg' has no parameter 'speed'"):
        make_source("defect:lcg:speed=3")


def test_no_defect_is_a_mechanism() -> None:
    assert not set(DEFECTS) & set(MECHANISMS)


def test_only_the_two_catalogues_know_the_folder_of_defects() -> None:
    root = Path(randomness.__file__).parent
    knowing = set()
    for path in root.rglob("*.py"):
        if "weak" in path.relative_to(root).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("randomness.weak"):
                knowing.add(str(path.relative_to(root)))
    assert knowing == {"kernels/catalogue.py", "sources.py"}
