"""The pytest plugin: a device, several, a table or a backup for a test, and scenario files as tests.

    def test_a_jam(shuffler_device):
        shuffler_device.inject("jam_exit", when="group=1")
        ...

Everything is made fresh for each test and taken away after it. A test that fails shows the panel and the last frames
of every device it had, its seed, and the command that repeats it. Nothing is imported before a test asks for it.
"""

import shlex
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from zlib import crc32

import pytest

if TYPE_CHECKING:
    from shuffler.kit.device import KitDevice
    from shuffler.kit.scenarios.running import ScenarioOutcome
    from shuffler.kit.table import KitTable

SUFFIX = ".scenario.toml"  # as `scenarios.scenario` has it; a test holds them equal


class MakeDevice(Protocol):
    """The type of `shuffler_devices`."""

    def __call__(self, **settings: Any) -> "KitDevice":
        """One more device; the settings are those of `shuffler.kit.settings.DeviceSettings`."""


class PlayScenario(Protocol):
    """The type of `shuffler_scenario`."""

    def __call__(self, name_or_path: str) -> "ScenarioOutcome":
        """Play a scenario; the test fails where it does."""


_MADE: "pytest.StashKey[list[Callable[[], list[KitDevice]]]]" = pytest.StashKey()
_SEED: pytest.StashKey[int] = pytest.StashKey()


# ---------------------------------------------------------------------------------------------------------------- hooks


def pytest_addoption(parser: pytest.Parser) -> None:
    """One option: the seed that a failure report names."""
    parser.getgroup("shuffler").addoption(
        "--shuffler-seed",
        type=int,
        default=None,
        metavar="N",
        help="Seed of every emulated device; without it each test has a seed of its own, the same in every run.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the markers known."""
    config.addinivalue_line(
        "markers", "shuffler(**settings): what kind of device shuffler_device is: profile, setup, port, hands, seed, …"
    )
    config.addinivalue_line(
        "markers", "shuffler_table(**settings): how shuffler_table is played: rules, seats, strategy"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
    call: pytest.CallInfo[None],  # noqa: ARG001
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test shows its devices."""
    report = yield
    if report.failed and report.when != "teardown" and _MADE in item.stash:
        from shuffler.kit.report import picture

        for made in item.stash[_MADE]:
            for device in made():
                report.sections.append((f"shuffler device {device.serial}", picture(device)))
        seed = item.stash[_SEED]
        command = f"python -m pytest {shlex.quote(item.nodeid)} --shuffler-seed {seed}"
        report.sections.append(("shuffler: repeat it", command))
    return report


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> "ScenarioFile | None":
    """Every scenario file is a test."""
    return ScenarioFile.from_parent(parent, path=file_path) if file_path.name.endswith(SUFFIX) else None


# ------------------------------------------------------------------------------------------------------------- fixtures


@pytest.fixture
def shuffler_seed(request: pytest.FixtureRequest) -> int:
    """The seed of this test: of the command line, or its own, the same in every run."""
    given: int | None = request.config.getoption("--shuffler-seed")
    seed = given if given is not None else crc32(request.node.nodeid.encode())
    request.node.stash[_SEED] = seed
    return seed


@pytest.fixture
def shuffler_devices(request: pytest.FixtureRequest, shuffler_seed: int) -> Iterator[MakeDevice]:
    """Makes devices: each call gives one more, fresh, on a port of its own."""
    from shuffler.kit.controller import ControlledDevice
    from shuffler.kit.served import served
    from shuffler.kit.settings import DeviceSettings

    made: list[KitDevice] = []
    _remember(request, lambda: made)
    with ExitStack() as open_devices:

        def make(**settings: Any) -> "KitDevice":
            number = len(made) + 1
            wanted = DeviceSettings.of({"serial": f"KIT-{number}", "seed": shuffler_seed + number - 1, **settings})
            device = ControlledDevice(wanted) if wanted.in_memory else open_devices.enter_context(served(wanted))
            made.append(device)
            return device

        yield make


@pytest.fixture
def shuffler_device(request: pytest.FixtureRequest, shuffler_devices: MakeDevice) -> "KitDevice":
    """A device as the marker `shuffler` says; without one an i-deal-style device on a free TCP port."""
    return shuffler_devices(**_marked(request, "shuffler"))


@pytest.fixture
def shuffler_backup(
    request: pytest.FixtureRequest,
    shuffler_devices: MakeDevice,
    shuffler_device: "KitDevice",  # noqa: ARG001
) -> "KitDevice":
    """A second device of the same kind on a port of its own, with nothing scheduled to go wrong."""
    settings = _marked(request, "shuffler")
    return shuffler_devices(**{key: value for key, value in settings.items() if key not in ("serial", "seed", "setup")})


@pytest.fixture
def shuffler_table(request: pytest.FixtureRequest, shuffler_seed: int) -> "KitTable":
    """A whole table in virtual time, with a backup that waits; device and table as their markers say."""
    from shuffler.kit.settings import DeviceSettings
    from shuffler.kit.table import KitTable, TableSettings

    device = DeviceSettings.of({"serial": "PRIMARY", "seed": shuffler_seed, **_marked(request, "shuffler")})
    table = KitTable(TableSettings.of(_marked(request, "shuffler_table")), device)
    _remember(request, lambda: [table.device, table.backup])
    return table


@pytest.fixture
def shuffler_scenario(request: pytest.FixtureRequest) -> PlayScenario:
    """Plays a scenario of the library, or a file, as part of a test."""
    seed: int | None = request.config.getoption("--shuffler-seed")

    def play(name_or_path: str) -> "ScenarioOutcome":
        from shuffler.kit.scenarios.running import run
        from shuffler.kit.scenarios.scenario import load

        outcome = run(load(name_or_path), seed=seed)
        if not outcome.passed:
            pytest.fail(outcome.text(), pytrace=False)
        return outcome

    return play


def _remember(request: pytest.FixtureRequest, made: "Callable[[], list[KitDevice]]") -> None:
    request.node.stash.setdefault(_MADE, []).append(made)


def _marked(request: pytest.FixtureRequest, name: str) -> dict[str, Any]:
    """The settings of a marker; the nearest one says each."""
    settings: dict[str, Any] = {}
    for mark in reversed(list(request.node.iter_markers(name))):
        if mark.args:
            raise pytest.UsageError(f"give the settings of @pytest.mark.{name} by name, not {mark.args[0]!r}")
        settings |= mark.kwargs
    return settings


# ------------------------------------------------------------------------------------------------------------ scenarios


class ScenarioFailed(Exception):
    """A scenario did not come out as it says; the text is for people."""


class ScenarioFile(pytest.File):
    """One scenario file."""

    def collect(self) -> Iterator["ScenarioItem"]:
        """One test."""
        yield ScenarioItem.from_parent(self, name=self.path.name.removesuffix(SUFFIX))


class ScenarioItem(pytest.Item):
    """One scenario as a test."""

    def runtest(self) -> None:
        """Play it."""
        from shuffler.kit.scenarios.running import run
        from shuffler.kit.scenarios.scenario import load

        outcome = run(load(str(self.path)), seed=self.config.getoption("--shuffler-seed"))
        if not outcome.passed:
            raise ScenarioFailed(outcome.text())

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What was expected and what came, without a traceback; a file that can't be read likewise."""
        from shuffler.kit.errors import KitError

        if isinstance(excinfo.value, ScenarioFailed | KitError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it is."""
        return self.path, 0, f"scenario {self.name}"
