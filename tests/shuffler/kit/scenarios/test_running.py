"""A failed expectation shows what was expected, what came, and the frames around it."""

from xml.etree import ElementTree as xml

import pytest

from shuffler.kit.scenarios.junit import junit, printable
from shuffler.kit.scenarios.running import ScenarioFailure, ScenarioOutcome, run
from shuffler.kit.scenarios.scenario import parse


def played(steps: str, head: str = "") -> ScenarioOutcome:
    return run(parse("story", f'about = "a story"\n{head}\n{steps}'))


def failure(steps: str, head: str = "") -> ScenarioFailure:
    found = played(steps, head).failure
    assert found is not None
    return found


TABLE = "[table]\nseats = 2\n"
FAILING = [
    ("", 'send = "Shuffle"', "Shuffle to be carried out", "not_now"),
    ("", 'send = "Load"\nrefused = "faulted"', "Load to be refused as faulted", "Done"),
    ("", 'send = "GetInfo"\nanswer = "Info"\nwith = { decks = 6 }', "by Info with decks 6", "Info with decks 1"),
    ("", 'wait = "FaultRaised"\nwithin_s = 30', "FaultRaised within 30 s", "PoweredUp"),
    ("", 'never = "PoweredUp"\nfor_s = 1', "no PoweredUp for 1 s", "PoweredUp"),
    ("", 'fate = "done"\nwithin_s = 5', "the fate done", "no word of it in 5 s"),
    ("", "expect = { panel = { red = true } }", "panel red True", "[LOAD CARDS | ] lights: none; buttons: LOAD"),
    ("", 'expect = { status = { mode = "sort" } }', "status Status with mode sort", "Status with mode play"),
    ("", "expect = { events = { PoweredUp = 2 } }", "events PoweredUp 2", "PoweredUp 1"),
    ("", 'expect = { hands = { 1 = "As Ks Qs" } }', "hands 1 A♠ K♠ Q♠", "1 nothing"),
    ("", "expect = { cards = { infeed = 51 } }", "cards infeed 51", "infeed 52"),
    ("", "expect = { in_order = true }", "in_order true", "no card that is named"),
    ("", 'expect = { device = "BACKUP" }', "device BACKUP", "PRIMARY"),
    ("", "leave_inside = 105", "leave_inside to be possible", "52 cards lie beside the machine"),
    ("", 'put_back = 1', "put_back to be possible", "0 cards lie on the table"),
    (TABLE, "play = 1\nwithin_s = 10", "play to be possible", "1 rounds are missing after 10 s"),
    (TABLE, "expect = { settled = 1 }", "settled 1", "0"),
    (TABLE, 'expect = { reasons = ["smoke"] }', "reasons smoke", "nothing was said"),
    (TABLE, "expect = { money = { tray = 5 } }", "money tray 5", "tray 0"),
    (TABLE, "expect = { awarded = { 1 = 5 } }", "awarded 1 5", "nothing"),
    (TABLE, 'expect = { called = "backup" }', "called backup", "not called for"),
]


@pytest.mark.parametrize(("head", "step", "expected", "came"), FAILING, ids=[row[1][:24] for row in FAILING])
def test_what_is_not_met_is_told(head: str, step: str, expected: str, came: str) -> None:
    found = failure(f"[[step]]\n{step}\n", head)
    assert expected in found.expected
    assert came in found.came
    assert found.step == 1


def test_the_text_has_everything_that_a_person_asks_first() -> None:
    outcome = played('[[step]]\nsend = "Load"\n[[step]]\nwait = "DeckLoaded"\nfields = { count = 51 }\nwithin_s = 20\n')
    text = outcome.text()
    assert text.startswith("story: a story\nstep 2 (wait, line 5)\n  expected: DeckLoaded with count 51 within 20 s\n")
    assert "  came:     PoweredUp, DeckLoaded with count 52\n" in text
    assert "host  →  Load\n" in text
    assert "device ← DeckLoaded number 2" in text
    assert text.endswith("seed 1; repeat it: shuffler scenario run story --seed 1")


def test_frames_after_a_failure_are_shown_apart() -> None:
    steps = '[[step]]\nsend = "Load"\n[[step]]\nadvance = 6.5\n[[step]]\nexpect = { events = { DeckLoaded = 1 } }\n'
    found = failure(steps)
    assert not any("DeckLoaded" in frame for frame in found.before)
    assert any("DeckLoaded" in frame for frame in found.after)
    assert "  and in the 2 s after it:" in list(found.lines())


def test_bytes_that_are_no_frame_change_nothing() -> None:
    assert played('[[step]]\nraw = "00 01 02 ff 00"\n[[step]]\ndeal = [1]\n').passed


def test_an_outcome_is_a_case_of_a_junit_report() -> None:
    good, bad = played("[[step]]\nadvance = 1\n"), played('[[step]]\nsend = "Shuffle"\n')
    suite = xml.fromstring(junit([good, bad], [0.25, 0.5])).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "0.750")
    first, second = suite.findall("testcase")
    assert first.find("failure") is None
    told = second.find("failure")
    assert told is not None
    assert "expected Shuffle to be carried out" in (told.get("message") or "")
    assert "host  →  Shuffle" in (told.text or "")


def test_a_report_has_no_character_that_xml_refuses() -> None:
    assert printable("a\x00b\x1b[31m\n\ud800") == "a\ufffdb\ufffd[31m\n\ufffd"
