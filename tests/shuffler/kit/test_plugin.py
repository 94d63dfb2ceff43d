"""The plugin in test runs of its own: the example project, a failure's report, xdist, a wheel, and what it costs."""

import os
import shutil
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import construct
import pytest

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]  # processes of their own, on a machine that may be busy

WAIT_S = 600
ROOT = Path(__file__).parent.parent.parent.parent
EXAMPLE = ROOT / "examples" / "pytest_project"
FIVE_LINES = """\
def test_a_royal_survives_a_jam(shuffler_device):
    shuffler_device.rig_hands({2: "Qs Ks As"}, seats=[1, 2, 3])
    shuffler_device.inject("jam_exit", when="group=1")
    dealt = shuffler_device.deal([1, 2, 3])  # or your controller, on shuffler_device.url
    assert dealt[2] == "Q♠ K♠ A♠"
"""
FAILING = """\
import pytest

@pytest.mark.shuffler(port="memory", profile="ace-style")
def test_it(shuffler_device):
    shuffler_device.inject("jam_exit", when="group=0", by_hand=True)
    with pytest.raises(Exception):
        shuffler_device.deal([1], limit_s=60)
    assert not shuffler_device.panel().red

@pytest.mark.shuffler(profil="ace-style")
def test_a_wrong_setting(shuffler_device):
    pass
"""
BAD_SCENARIO = 'about = "a light that is not red"\n[[step]]\nexpect = { panel = { red = true } }\n'


def run_pytest(folder: Path, *options: str, python: str = sys.executable) -> subprocess.CompletedProcess[str]:
    """A test run of its own; the plugin is named where this installation does not have its entry point yet."""
    installed = any(entry.value == "shuffler.kit.plugin" for entry in entry_points(group="pytest11"))
    named = [] if installed or python != sys.executable else ["-p", "shuffler.kit.plugin"]
    command = [python, "-m", "pytest", "-p", "no:cacheprovider", "-q", *named, *options]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=WAIT_S, check=False
    )


@pytest.mark.parametrize("options", [[], ["-n", "2"]], ids=["in one process", "by xdist"])
def test_the_example_project_passes(options: list[str], tmp_path: Path) -> None:
    project = shutil.copytree(EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns("__pycache__"))
    told = run_pytest(project, *options)
    assert told.returncode == 0, told.stdout + told.stderr
    assert "15 passed" in told.stdout


def test_a_failure_shows_frames_panel_seed_and_the_command_that_repeats_it(tmp_path: Path) -> None:
    (tmp_path / "test_failing.py").write_text(FAILING, encoding="utf-8")
    (tmp_path / "dark.scenario.toml").write_text(BAD_SCENARIO, encoding="utf-8")
    told = run_pytest(tmp_path, "--shuffler-seed", "77", f"--junit-xml={tmp_path / 'report.xml'}").stdout
    assert "3 failed" in told or "2 failed, 1 error" in told
    for part in (
        "shuffler device KIT-1",
        "KIT-1: profile ace-style, port memory (memory:KIT-1), hands auto\nseed 77\npanel [JAM AT EXIT",
        "device ← FaultRaised number",
        "python -m pytest test_failing.py::test_it --shuffler-seed 77",
        "a device has no setting 'profil'; there are profile, setup, port",
        "dark.scenario.toml: a light that is not red",
        "expected: panel red True",
    ):
        assert part in told, told
    assert "expected: panel red True" in (tmp_path / "report.xml").read_text(encoding="utf-8")


def test_a_test_run_that_does_not_use_it_imports_nothing_of_the_product(tmp_path: Path) -> None:
    (tmp_path / "test_nothing.py").write_text(
        "import sys\n\ndef test_it():\n    rooms = {'firmware_sim', 'protocol', 'randomness', 'numpy'}\n"
        "    assert not rooms & set(sys.modules)\n"
        "    assert [n for n in sys.modules if n.startswith('shuffler.kit.')] == ['shuffler.kit.plugin']\n",
        encoding="utf-8",
    )
    told = run_pytest(tmp_path, "-p", "no:hypothesispytest", "-p", "no:schemathesis", "-p", "no:anyio")
    assert told.returncode == 0, told.stdout + told.stderr


PACKAGES = ("strict_toml", "protocol", "randomness", "round_engine", "firmware_sim", "shuffler")
FILES = ("pyproject.toml", "README.md", "LICENSE", "MANIFEST.in")


@pytest.fixture
def clean_python(tmp_path: Path) -> Path:
    """A virtual environment outside the repository with the wheel in it, and beside it what this one has installed."""
    source, home = tmp_path / "source", tmp_path / "venv"
    for name in PACKAGES:
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, source)
    build = "import sys; from setuptools.build_meta import build_wheel; build_wheel(sys.argv[1])"
    _do([sys.executable, "-c", build, str(tmp_path)], source)
    (wheel,) = tmp_path.glob("*.whl")
    _do([sys.executable, "-m", "venv", "--without-pip", str(home)], tmp_path)
    inside = home / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"
    beside = dict.fromkeys(str(Path(module.__file__ or "").parent.parent) for module in (pytest, construct))
    (inside / "beside.pth").write_text("\n".join(beside), encoding="utf-8")
    python = home / "bin" / "python"
    _do(
        [sys.executable, "-m", "pip", "--python", str(python), "install", "-q", "--no-deps", "--no-index", str(wheel)],
        home,
    )
    return python


def _do(command: list[str], folder: Path) -> None:
    told = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert told.returncode == 0, told.stdout + told.stderr


def test_the_five_lines_of_the_page_run_from_a_wheel_in_a_clean_environment(tmp_path: Path, clean_python: Path) -> None:
    for page in ("README.md", "docs/kit.md"):
        assert FIVE_LINES in (ROOT / page).read_text(encoding="utf-8")
    project = tmp_path / "project"
    project.mkdir()
    (project / "test_five_lines.py").write_text(FIVE_LINES, encoding="utf-8")
    home = str(clean_python.parent.parent)
    (project / "test_where.py").write_text(
        "import firmware_sim\nimport shuffler\n\n\ndef test_it():\n"
        f"    assert all(room.__file__.startswith({home!r}) for room in (firmware_sim, shuffler))\n",
        encoding="utf-8",
    )
    told = run_pytest(project, python=str(clean_python))
    assert told.returncode == 0, told.stdout + told.stderr
    assert "2 passed" in told.stdout
