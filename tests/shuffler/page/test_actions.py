"""The page performs actions of the table and has no labels of its own for them."""

import re
from pathlib import Path

from firmware_sim.control.actions import ACTION_OF, ACTIONS
from firmware_sim.program.panel import BUTTONS

STATIC = Path(__file__).parents[3] / "shuffler" / "page" / "static"
SCRIPTS = {path.name: path.read_text(encoding="utf-8") for path in STATIC.glob("*.js")}
PERFORMED = re.compile(r'(?:perform\(|label\(this\.\w+, )(?:[^",)]*(?:\(\)[^",)]*)*\? )?"(\w+)"(?: : "(\w+)")?')


def test_every_action_of_the_page_is_in_the_table() -> None:
    named = {name for text in SCRIPTS.values() for found in PERFORMED.findall(text) for name in found if name}
    assert {"inject", "clear", "press", "open_door", "close_door", "switch_on", "switch_off"} <= named
    assert named <= set(ACTION_OF)


def test_no_script_has_a_label_of_an_action_or_a_list_of_buttons() -> None:
    for name, text in SCRIPTS.items():
        assert [action.label for action in ACTIONS if f'"{action.label}"' in text] == [], name
        assert not all(f'"{button}"' in text for button in BUTTONS), name
        assert "mend" not in text.lower().replace("recommend", ""), name
