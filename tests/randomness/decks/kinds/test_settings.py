"""What is said of a deck at the head of a file or on a command line."""

import pytest

from randomness.decks.errors import KindError
from randomness.decks.kinds import KindSettings, deck_kind, settings_in
from randomness.decks.kinds.settings import is_kind_line


@pytest.mark.parametrize(
    "line",
    [
        "# deck=36 shoe=6 group=3 seats=7 dealer=no",
        "// deck: 36, shoe: 6; group: 3; seats: 7; dealer: no",
        '{"deck_kind": {"deck": 36, "shoe": 6, "group": 3, "seats": 7, "dealer": false}}',
        '{"provenance": {"serial": "7", "deck_kind": {"deck": 36, "shoe": 6, "group": 3, "seats": 7, "dealer": "no"}}}',
    ],
)
def test_a_header_says_what_the_deck_is(line: str) -> None:
    found = settings_in(["# from the left machine", line, "1,2,3"])
    assert found == KindSettings(deck=36, shoe=6, group=3, seats=7, dealer=False)
    assert found.options() == ("--deck 36", "--shoe 6", "--group 3", "--seats 7", "--no-dealer")
    assert found.kind() == deck_kind(36, shoe=6, seats=7, dealer=False)


def test_without_a_header_nothing_is_said() -> None:
    assert settings_in(["# deck of the left machine", '{"deck": [1, 2]}', "[1,2]", "{broken deck_kind"]).nothing
    assert KindSettings().kind().standard


def test_the_command_line_goes_before_the_file() -> None:
    assert KindSettings(shoe=2).over(KindSettings(deck=36, shoe=6)) == KindSettings(deck=36, shoe=2)


def test_a_line_that_says_the_deck_is_no_row() -> None:
    assert is_kind_line('{"deck_kind": {"deck": 36}}')
    assert not is_kind_line('{"deck": [1, 2], "deck_kind": {"deck": 36}}')
    assert not is_kind_line("[1, 2]")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("# deck=36 jokers=2", "has 'jokers'"),
        ("# deck=many", "deck=many: expected a number of cards"),
        ("# deck=36 dealer=perhaps", "expected yes or no"),
        ("# deck=36 and so on", "says 'and so on'"),
        ('{"deck_kind": {"deck": true}}', "deck=True"),
    ],
)
def test_what_a_header_can_not_say_is_refused(line: str, why: str) -> None:
    with pytest.raises(KindError, match=why):
        settings_in([line])
