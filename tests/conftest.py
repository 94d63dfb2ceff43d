"""Shared by all tests: what an outside program's absence means."""

import os
import shutil

import pytest
from hypothesis import HealthCheck, settings

# Machines are noisy: how long an example takes says nothing about the code.
settings.register_profile("bench", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("bench")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        for mark in item.iter_markers("needs"):
            missing = [name for name in mark.args if shutil.which(name) is None]
            if missing and not os.environ.get("SHUFFLER_REQUIRE_ALL"):
                item.add_marker(pytest.mark.skip(reason=f"not installed: {', '.join(missing)}"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Where everything must be there (SHUFFLER_REQUIRE_ALL), a skip is a failure."""
    outcome = yield
    report = outcome.get_result()
    if report.skipped and os.environ.get("SHUFFLER_REQUIRE_ALL") and not hasattr(report, "wasxfail"):
        report.outcome = "failed"
        report.longrepr = f"skipped although SHUFFLER_REQUIRE_ALL is set: {report.longrepr}"
