"""The control API beside devices: a missing extra is named, another failed import is not hidden behind it."""

import pytest
import typer

from shuffler.cli.control_plane import EXTRA, blame


@pytest.mark.parametrize("module", [*EXTRA, "uvicorn.config"])
def test_a_missing_extra_is_named_with_what_to_type(module: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit):
        raise blame(ModuleNotFoundError(f"No module named {module!r}", name=module))
    assert "pip install 'shuffler-bench[live]'" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["termios", "shuffler.api.starting", None])
def test_another_import_that_fails_is_raised_as_it_is(name: str | None) -> None:
    problem = ImportError("something else", name=name)
    assert blame(problem) is problem
