"""Every refusal of a scenario file names file, line and reason."""

import pytest

from shuffler.kit import plugin
from shuffler.kit.errors import BadScenario
from shuffler.kit.scenarios import scenario
from shuffler.kit.scenarios import steps as s
from shuffler.kit.scenarios.reading import VERBS
from shuffler.kit.scenarios.running import _DO
from shuffler.kit.scenarios.scenario import parse

ABOUT = 'about = "x"\n'
TABLE = ABOUT + "[table]\nseats = 2\n"

REFUSED = [
    ("", "f: the file lacks 'about'"),
    (ABOUT, "f: a scenario has 1 to 1000 steps, written as [[step]]; this one has 0"),
    ("about = \n", "f:1: not valid TOML"),
    (ABOUT + 'profile = "x"', "f:2: profile must be one of"),
    (ABOUT + 'hands = "x"', "f:2: hands must be one of auto, manual, not 'x'"),
    (ABOUT + "[table]\nseats = 9", "f:3: table.seats must be a whole number from 1 to 7, not 9"),
    (ABOUT + '[table]\nrules = "x"', "f:3: "),
    (ABOUT + '[table]\nstrategy = "x"', "f:3: "),
    (ABOUT + "[table]\nseat = 2", "f:3: table has an unknown key 'seat'; it may have rules, seats, strategy"),
    (ABOUT + "[[step]]\n", "f:2: a step has one verb of send, raw"),
    (ABOUT + '[[step]]\npress = "OK"\nadvance = 1', "f:4: a step has one verb of"),
    (ABOUT + '[[step]]\npress = "KO"', "f:3: step[1].press must be one of OK, LOAD, STUB, SORT, VERIFY, not 'KO'"),
    (ABOUT + '[[step]]\npress = "OK"\ntwice = true', "f:4: step[1] has an unknown key 'twice'; it may have press"),
    (ABOUT + "[[step]]\nplay = 1", "f:3: play is a table's, and this scenario has no [table]"),
    (TABLE + '[[step]]\nsend = "Load"', "f:5: send is a controller's: at a [table] the table is the controller"),
    (ABOUT + '[[step]]\nsend = "Lode"', "f:3: step[1].send must be one of"),
    (ABOUT + '[[step]]\nsend = "BeginRound"', "f:3: BeginRound needs seats: write fields = { seats = … }"),
    (ABOUT + '[[step]]\nsend = "BeginRound"\nfields = { seats = [0] }', "must be a list of seats from 1 to 16"),
    (ABOUT + '[[step]]\nsend = "Load"\nfields = { fast = 1 }', "f:4: Load has no field 'fast'; it has none"),
    (ABOUT + '[[step]]\nsend = "Load"\nrefused = "no"', "f:4: step[1].refused must be one of"),
    (ABOUT + '[[step]]\nsend = "Load"\nrefused = "faulted"\nhost_dies = true', "f:5: a host that dies sees no answer"),
    (ABOUT + '[[step]]\nsend = "Load"\nrefused = "faulted"\nanswer = "Done"', "f:4: a command is answered or refused"),
    (ABOUT + '[[step]]\nsend = "Shuffle"\nfields = { nonce = "xy" }', "must be bytes in hex (\"00 ff 1a\"), not 'xy'"),
    (ABOUT + '[[step]]\nwait = "Done"', "f:3: step[1].wait must be one of PoweredUp"),
    (
        ABOUT + '[[step]]\nwait = "FaultRaised"\nfields = { code = "jam" }',
        "f:4: step[1].fields.code must be one of none",
    ),
    (ABOUT + '[[step]]\nwait = "GroupRemoved"\nfields = { opening = 1 }', "it is made of several fields"),
    (ABOUT + '[[step]]\nwait = "PoweredUp"\nwithin_s = -1', "f:4: step[1].within_s must be from 0 to 86400, not -1"),
    (ABOUT + '[[step]]\nnever = "PoweredUp"', "step[1] lacks 'for_s'"),
    (ABOUT + '[[step]]\ninject = { name = "jam" }', "f:3: step[1].inject.name must be one of jam_feeder"),
    (ABOUT + '[[step]]\ninject = { name = "jam_exit", when = "x" }', "a condition reads NAME=VALUE"),
    (ABOUT + '[[step]]\nrig_deck = "Qx"', "f:3: 'Qx' is not a card"),
    (ABOUT + '[[step]]\nclear = "jam"', "f:3: step[1].clear must be one of jam_feeder"),
    (ABOUT + '[[step]]\nlift = "all"', "f:3: step[1].lift must be a whole number from 1 to 432, not 'all'"),
    (ABOUT + "[[step]]\ngather = 3", "f:3: gather has no parameters: write gather = {}"),
    (ABOUT + '[[step]]\ninject = { name = "jam_exit", when = "infeed=LOADED" }', "infeed in a condition is one of"),
    (ABOUT + "[[step]]\nexpect = {}", "f:3: expect what? There are status, panel, events"),
    (ABOUT + "[[step]]\nexpect = { light = 1 }", "f:3: nothing called 'light' can be expected; there are status"),
    (ABOUT + "[[step]]\nexpect = { settled = 1 }", "f:3: settled can be expected of a table alone"),
    (ABOUT + "[[step]]\nexpect = { status = { lamp = 1 } }", "f:3: Status has no field 'lamp'; it has power"),
    (ABOUT + "[[step]]\nexpect = { events = { Bang = 1 } }", "f:3: step[1].expect.events may have PoweredUp"),
    (ABOUT + "[[step]]\nexpect = { cards = { pocket = 1 } }", "may have infeed, stack, rack"),
    (ABOUT + '[[step]]\nexpect = { hands = { 17 = "As" } }', "a seat is a number from 1 to 16 or dealer, not '17'"),
    (ABOUT + '[[step]]\nexpect = { hands = { 1 = "A" } }', "is not a card"),
    (TABLE + '[[step]]\nexpect = { reasons = "x" }', "step[1].expect.reasons must be a list of texts, not 'x'"),
    (TABLE + '[[step]]\nback_out = { record = 0, by = "x" }', "step[1].back_out.record must be a whole number from 1"),
]


@pytest.mark.parametrize(("text", "reason"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_meant_is_refused(text: str, reason: str) -> None:
    with pytest.raises(BadScenario) as refused:
        parse("f", text)
    assert str(refused.value).startswith("f:")
    assert reason in str(refused.value)


def test_a_step_knows_its_line_and_fills_in_what_a_controller_would() -> None:
    text = ABOUT + '\n[[step]]\nsend = "DealGroup"\n# a remark\n[[step]]\nrig_deck = "As Kd"\n'
    send, rig = parse("f", text).steps
    assert isinstance(send, s.Send)
    assert (send.line, dict(send.values)) == (3, {"groups": 0})
    assert isinstance(rig, s.Act)
    assert (rig.line, rig.call.values) == (6, {"order": (51, 24)})


def test_a_name_that_is_none_is_refused_with_those_there_are() -> None:
    with pytest.raises(BadScenario, match="nowhere: no file and no scenario is called so; there are back-out-after"):
        scenario.load("nowhere")


def test_every_verb_is_read_into_a_step_that_can_be_performed() -> None:
    assert {verb.step for verb in VERBS.values()} | {s.End} == set(_DO)


def test_the_plugin_collects_what_the_library_is_made_of() -> None:
    assert plugin.SUFFIX == scenario.SUFFIX
