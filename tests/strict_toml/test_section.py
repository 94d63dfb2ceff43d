"""The strict reader: every key read, every refusal with file and line in the caller's own error."""

import pytest

from strict_toml import Document, Section, Source


class Refused(Exception):
    def __init__(self, name: str, line: int | None, problem: str) -> None:
        super().__init__(f"{name}:{line}: {problem}")


def section(text: str) -> Section:
    document = Document(Refused)
    document.add(Source("file.toml", text))
    return Section(document, (), document.data)


def test_values_of_every_kind_are_read() -> None:
    top = section('a = "x"\nb = true\nc = 3\nd = 0.5\ne = "two"\n[f]\ng = 1\n[[h]]\ni = 1\n[[h]]\ni = 2\n')
    assert (top.text("a"), top.flag("b"), top.whole("c", 0, 9), top.number("d", 0, 1)) == ("x", True, 3, 0.5)
    assert top.choice("e", ["one", "two"]) == "two"
    assert top.section("f").whole("g", 0, 9) == 1
    assert [row.whole("i", 0, 9) for row in top.rows("h")] == [1, 2]
    assert top.rows("none") == []
    assert (top.text("z", "d"), top.flag("y", True), top.whole("x", 0, 9, 4), top.number("w", 0, 9, 1.5)) == (
        "d", True, 4, 1.5,
    )  # fmt: skip
    top.finish()


@pytest.mark.parametrize(
    ("text", "read", "says"),
    [
        ("", lambda top: top.text("a"), "file.toml:None: the file lacks 'a'"),
        ("\na = 1", lambda top: top.text("a"), "file.toml:2: a must be a text, not 1"),
        ("a = 1", lambda top: top.flag("a"), "file.toml:1: a must be true or false, not 1"),
        ("a = true", lambda top: top.whole("a", 0, 9), "file.toml:1: a must be a whole number from 0 to 9, not True"),
        ("a = 10", lambda top: top.whole("a", 0, 9), "file.toml:1: a must be a whole number from 0 to 9, not 10"),
        ("a = nan", lambda top: top.number("a", 0, 9), "file.toml:1: a must be a number, not nan"),
        ("a = inf", lambda top: top.number("a", 0, 9), "file.toml:1: a must be a number, not inf"),
        ("a = 9.5", lambda top: top.number("a", 0, 9), "file.toml:1: a must be from 0 to 9, not 9.5"),
        ("a = 'b'", lambda top: top.choice("a", ["c"]), "file.toml:1: a must be one of c, not 'b'"),
        ("a = 1", lambda top: top.section("a"), "file.toml:1: a must be a table"),
        ("[a]", lambda top: top.rows("a"), "file.toml:1: write each a as [[a]]"),
        ("[[a]]\n[[a]]\nb = 1", lambda top: top.rows("a")[1].flag("b"), "file.toml:3: a[2].b must be true or false"),
        ("a = 1\nb = 2", lambda top: (top.take("a"), top.finish()), "file.toml:2: the file has an unknown key 'b'; it"),
    ],
)
def test_a_refusal_names_file_line_and_what_was_expected(text, read, says) -> None:
    with pytest.raises(Refused) as refused:
        read(section(text))
    assert str(refused.value).startswith(says)


def test_a_syntax_error_names_its_line() -> None:
    with pytest.raises(Refused, match=r"file\.toml:2: not valid TOML"):
        section("a = 1\nb = = 2")


def test_a_later_source_lies_over_an_earlier_one_and_is_named_for_what_it_brought() -> None:
    document = Document(Refused)
    document.add(Source("base.toml", "[t]\na = 1\nb = 2\n"))
    document.add(Source("own.toml", "[t]\nb = 'x'\n"))
    table = Section(document, (), document.data).section("t")
    assert table.whole("a", 0, 9) == 1
    with pytest.raises(Refused, match=r"own\.toml:2: t\.b must be"):
        table.whole("b", 0, 9)
