"""The reference's rules by number: all of them, each once, with their texts."""

import re

from protocol.render.reference import reference
from protocol.render.rules import rules


def test_every_number_on_the_page_is_a_rule() -> None:
    assert set(rules()) == set(re.findall(r"\*\*([A-Z]-\d+)\b", reference()))


def test_a_number_is_given_once() -> None:
    numbers = re.findall(r"\*\*([A-Z]-\d+)\b", reference())
    assert len(numbers) == len(set(numbers))


def test_a_rule_is_its_paragraph_without_marks() -> None:
    assert rules()["H-3"] == "The welcome echoes the hello's nonce: a host drops one that echoes another."
    assert rules()["C-3"] == "A repeat gets the first answer and has no second effect."
    assert all(text and "*" not in text and "`" not in text for text in rules().values())
