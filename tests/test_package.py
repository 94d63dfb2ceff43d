"""What the package says of itself: a version that the changelog has with a date, and what goes into an sdist."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_newest_released_entry_of_the_changelog_is_this_version_with_its_date() -> None:
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    if headings[0].endswith(" (unreleased)"):
        coming = headings.pop(0).removesuffix(" (unreleased)")
        assert tuple(map(int, coming.split("."))) > tuple(map(int, PROJECT["version"].split(".")))
    versions = [re.fullmatch(r"(\d+\.\d+\.\d+) \((\d{4}-\d\d-\d\d)\)", heading) for heading in headings]
    assert all(versions), headings
    told = [(tuple(map(int, found[1].split("."))), found[2]) for found in versions if found is not None]
    assert told == sorted(told, reverse=True)
    assert told[0][0] == tuple(map(int, PROJECT["version"].split(".")))


def test_no_change_is_told_twice() -> None:
    told = [line for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    assert len(told) == len(set(told))


def test_the_licence_is_named_as_spdx_does_and_its_file_is_there() -> None:
    assert PROJECT["license"] == "MIT"
    assert all((ROOT / name).is_file() for name in PROJECT["license-files"])


def test_every_python_that_is_claimed_is_allowed() -> None:
    claimed = [found[1] for line in PROJECT["classifiers"] if (found := re.search(r":: 3\.(\d+)$", line))]
    assert claimed == ["11", "12", "13"]
    assert PROJECT["requires-python"] == ">=3.11"


def test_an_sdist_has_tests_docs_and_proofs() -> None:
    manifest = (ROOT / "MANIFEST.in").read_text(encoding="utf-8")
    for folder in ("docs", "tests", "proofs", "benchmarks"):
        assert f"graft {folder}\n" in manifest
        assert (ROOT / folder).is_dir()
