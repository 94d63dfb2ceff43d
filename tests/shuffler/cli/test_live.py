"""`shuffler live`: the browser is shown a page that it can open."""

import signal
import webbrowser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from typer.testing import CliRunner

from shuffler.cli import app


@pytest.mark.slow
def test_a_token_file_named_without_a_folder_is_opened_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []

    def browse(address: str) -> bool:
        page = Path(unquote(urlsplit(address).path))
        shown.append(page.read_text(encoding="utf-8"))
        assert page == tmp_path / "-.html"
        signal.raise_signal(signal.SIGINT)
        return True

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(webbrowser, "open", browse)
    done = CliRunner().invoke(app, ["live", "--port", "0", "--token-file", "-"])
    assert done.exit_code == 0, done.output
    assert len(shown) == 1
    assert "http://127.0.0.1:" in shown[0]
    assert not (tmp_path / "-.html").exists()
