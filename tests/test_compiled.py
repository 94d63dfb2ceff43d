"""The compiled build: what it compiles and what it says of itself. `make compiled` builds it and tries its wheel."""

import os

from test_architecture import EDGES

from proofs.compiled_build import ROOT
from shuffler.cli.compiled import MODULES, build, compiled_modules


def test_every_module_of_the_table_is_there_once_and_touches_nothing() -> None:
    assert len(set(MODULES)) == len(MODULES)
    paths = [module.replace(".", "/") + ".py" for module in MODULES]
    assert all((ROOT / path).is_file() for path in paths)
    assert not set(paths) & EDGES.keys()


def test_a_build_is_pure_or_compiled_as_a_whole() -> None:
    compiled = compiled_modules()
    assert compiled in ((), MODULES)
    assert compiled or "SHUFFLER_COMPILED" not in os.environ  # which `make compiled` sets
    assert build() == (f"compiled: {len(MODULES)} of {len(MODULES)} modules" if compiled else "pure Python")


def test_the_sources_hold_nothing_compiled() -> None:
    if not compiled_modules():
        assert not [path for module in MODULES for path in (ROOT / module.replace(".", "/")).parent.glob("*.so")]
