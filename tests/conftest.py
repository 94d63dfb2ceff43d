"""Shared by all tests: what an outside program's absence means."""

import itertools
import os
import shutil
from collections.abc import Iterator

import axe_core
import pytest
from hypothesis import HealthCheck, settings

from proofs import postgres

# Machines are noisy: how long an example takes says nothing about the code.
settings.register_profile("bench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bench")


def _is_there(name: str) -> bool:
    """A program on the path, or axe-core's script, or PostgreSQL's programs, which Debian keeps off the path."""
    places = {"axe-core": axe_core.script, "postgresql": postgres.programs}
    return places.get(name, lambda: shutil.which(name))() is not None


@pytest.fixture(autouse=True, scope="session")
def _register(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A register of certifications for the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SHUFFLER_REGISTER", str(tmp_path_factory.mktemp("register")))
        yield


@pytest.fixture(scope="session")
def postgresql() -> Iterator[postgres.Cluster]:
    """A PostgreSQL server in a scratch folder, with an empty set of meters to copy from."""
    from shuffler.meters.database import migrate

    with postgres.cluster() as server:
        migrate(server.database("template"))
        yield server


_databases = itertools.count(1)


@pytest.fixture
def meters_url(postgresql: postgres.Cluster) -> str:
    """The address of a database of its own, migrated and empty."""
    return postgresql.database(f"meters{next(_databases)}", template="template")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for mark in item.iter_markers("needs"):
            missing = [name for name in mark.args if not _is_there(name)]
            if missing and not os.environ.get("SHUFFLER_REQUIRE_ALL"):
                item.add_marker(pytest.mark.skip(reason=f"not installed: {', '.join(missing)}"))
    items.sort(key=_when)  # what waits for browsers and proofs begins at once, the quick ones fill what is left


def _when(item: pytest.Item) -> int:
    if "page" in item.path.parts:
        return 0
    return 1 if item.get_closest_marker("slow") or item.get_closest_marker("needs") else 2


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Where everything must be there (SHUFFLER_REQUIRE_ALL), a skip is a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("SHUFFLER_REQUIRE_ALL") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped although SHUFFLER_REQUIRE_ALL is set: {report.longrepr}"
