"""Every page that is made from the code is what the code renders."""

from pathlib import Path

import pytest

from proofs.pages import PAGES, registry, stale, write
from proofs.pages.registry import DOCS, rendered


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.slow
def test_the_committed_page_is_what_the_code_renders(name: str) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == rendered(name), "run `make docs` and commit what it writes"


def test_a_page_that_is_missing_or_old_is_named_and_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "PAGES", {"profiles.md": PAGES["profiles.md"], "states.md": PAGES["states.md"]})
    (tmp_path / "states.md").write_text("old", encoding="utf-8")
    assert stale(tmp_path) == ["profiles.md", "states.md"]
    assert write(tmp_path) == ["profiles.md", "states.md"]
    assert stale(tmp_path) == []
