"""Templates: filled without gaps, all in use, and valid by the tools of their own languages."""

import subprocess
from pathlib import Path

import pytest

from protocol.render import DOCUMENTS, template
from protocol.render.reference import prose
from protocol.render.template import fill

FOLDER = Path(template.__file__).parent / "templates"
DOCS = Path(__file__).parents[3] / "docs"


def accepts(*command: str | Path) -> str:
    """What a tool says against a file; nothing where it accepts it."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=60)
    return done.stderr if done.returncode else ""


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch):
    """A way to make a template of a text."""

    def write(text: str) -> str:
        monkeypatch.setattr(template, "_text", lambda _: text)
        return "any"

    return write


def test_places_are_filled_with_their_formats(written) -> None:
    assert fill(written("@a@ and @b:,@ and 0x@c:02X@\n"), a="x", b=2048, c=7) == "x and 2,048 and 0x07"


@pytest.mark.parametrize("line", ["/* @insert x@ */", "// @insert x@", "  -- @insert x@", "<!-- @insert x@ -->"])
def test_a_comment_that_is_a_place_is_replaced_whole(written, line: str) -> None:
    assert fill(written(f"a\n{line}\nb\n"), x="1\n2") == "a\n1\n2\nb"
    assert fill(written(f"a\n{line}\nb\n"), x="") == "a\nb"


def test_a_place_without_a_value_is_an_error(written) -> None:
    with pytest.raises(KeyError, match="missing"):
        fill(written("@missing@"))


def test_what_is_filled_in_is_not_filled_again(written) -> None:
    assert fill(written("@a@"), a="@b@") == "@b@"


def test_every_template_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    used: set[str] = set()
    read = template._text
    monkeypatch.setattr(template, "_text", lambda name: used.add(name) or read(name))
    prose.cache_clear()
    for render in DOCUMENTS.values():
        render()
    assert used == {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.*")}


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_place_is_left_in_what_is_rendered(name: str) -> None:
    assert "@insert" not in DOCUMENTS[name]()


@pytest.mark.needs("cc")
def test_the_header_passes_the_c_compiler(tmp_path: Path) -> None:
    (tmp_path / "shuffler_protocol.c").write_text(DOCUMENTS["protocol/shuffler_protocol.h"](), encoding="utf-8")
    flags = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only")
    assert accepts("cc", *flags, tmp_path / "shuffler_protocol.c") == ""


@pytest.mark.needs("node")
def test_the_module_and_its_template_pass_node(tmp_path: Path) -> None:
    for name, text in (
        ("rendered.mjs", DOCUMENTS["protocol/shuffler-protocol.js"]()),
        ("template.mjs", (FOLDER / "shuffler-protocol.js").read_text(encoding="utf-8")),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert accepts("node", "--check", tmp_path / name) == ""


@pytest.mark.needs("luac")
def test_the_dissector_and_its_template_pass_luac(tmp_path: Path) -> None:
    (tmp_path / "rendered.lua").write_text(DOCUMENTS["protocol/shuffler.lua"](), encoding="utf-8")
    for path in (tmp_path / "rendered.lua", FOLDER / "shuffler.lua"):
        assert accepts("luac", "-p", path) == ""


@pytest.mark.needs("cc", "node", "luac")
def test_the_tools_find_a_mistake(tmp_path: Path) -> None:
    for name, text, command in (
        ("broken.c", "int f(void) { int unused; }", ("cc", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")),
        ("broken.mjs", "export const = 3;", ("node", "--check")),
        ("broken.lua", "local function end", ("luac", "-p")),
    ):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert accepts(*command, tmp_path / name)
