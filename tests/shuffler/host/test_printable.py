"""Text of a device or a file does not reach a terminal as commands to it."""

import json

from shuffler.host.printable import json_line, printable


def test_escape_sequences_are_shown_not_carried_out() -> None:
    assert printable("SB\x1b[2J\x9b31m\x07\n9") == "SB\\x1b[2J\\x9b31m\\x07\\x0a9"


def test_names_as_people_write_them_are_left_alone() -> None:
    assert printable("Pit 3 round table, Q♥ – Müller") == "Pit 3 round table, Q♥ – Müller"


def test_direction_marks_and_line_separators_are_shown_too() -> None:
    assert printable("a\u202eb\u2028c") == "a\\u202eb\\u2028c"


def test_json_stays_json_and_comes_back_as_it_was() -> None:
    value = {"text": "Q♥ \x1b[2J \x9b \u2028 \U000e0001"}
    line = json_line(value)
    assert line.isprintable()
    assert "Q♥" in line
    assert json.loads(line) == value
