"""The reference says every message, every field, every word and every number that another implementation needs."""

import re
from pathlib import Path

import pytest

from protocol.catalogue import CATALOGUE, CatalogueEntry, fingerprint
from protocol.framing import MAX_BODY, MAX_ENCODED, Framer
from protocol.layout import layout
from protocol.render.reference import anchor, hex_lines, reference
from protocol.vocabulary import VOCABULARY, FlagWord, Word

PAGE = reference()
ROOT = Path(__file__).parent.parent.parent.parent

every_kind = pytest.mark.parametrize("entry", CATALOGUE, ids=lambda entry: entry.name)


def section(entry: CatalogueEntry) -> str:
    return PAGE.split(f"\n#### {entry.name}\n")[1].split("\n#### ")[0].split("\n## ")[0].split("\n### ")[0]


@every_kind
def test_every_message_has_its_number_its_way_and_its_fields(entry: CatalogueEntry) -> None:
    text = section(entry)
    assert f"`0x{entry.number:02X}` · {entry.way.value}" in text
    for field in layout(entry.body):
        assert re.search(rf"^\| […\d]+ \| [^|]+ \| [^|]+ \| {field.name} \| \S", text, re.MULTILINE), field.name
    for role in entry.roles:
        assert role.name.lower() in text
    if entry.reply is not None:
        assert f"reply `{entry.reply.__name__}`" in text


@every_kind
def test_the_example_of_every_message_is_a_frame_of_it(entry: CatalogueEntry) -> None:
    block = section(entry).split("```\n")[1].split("\n```")[0].split("\n\n")[-1]
    (frame,) = Framer().feed(bytes.fromhex(block))
    assert frame.message == entry.number


@pytest.mark.parametrize("kind", VOCABULARY, ids=lambda kind: kind.__name__)
def test_every_word_has_its_number(kind: type[Word] | type[FlagWord]) -> None:
    text = PAGE.split(f"\n### {kind.__name__}\n")[1].split("\n### ")[0]
    for word in kind:
        assert re.search(rf"^\| (0x0*)?({word:d}|{word:X}) \| {word.name} \| \S", text, re.MULTILINE), word


def test_headings_are_unique_and_every_link_leads_to_one() -> None:
    anchors = [anchor(line.lstrip("# ")) for line in PAGE.splitlines() if line.startswith("#")]
    assert len(set(anchors)) == len(anchors)
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= set(anchors)


def test_it_says_whose_protocol_it_is_and_what_it_is_called_by() -> None:
    assert "not the protocol of any maker" in PAGE
    assert fingerprint().hex() in PAGE
    assert "0xE3069283" in PAGE
    assert f"{MAX_BODY:,}" in PAGE
    assert f"{MAX_ENCODED:,}" in PAGE


def test_code_blocks_are_closed_and_tables_have_equal_rows() -> None:
    assert PAGE.count("```") % 2 == 0
    for table in re.findall(r"(?:^\|.*\n)+", PAGE, re.MULTILINE):
        assert len({row.count("|") for row in table.splitlines()}) == 1, table


def test_hex_comes_in_lines() -> None:
    assert hex_lines(bytes(33)) == " ".join(["00"] * 32) + "\n00"


def test_rules_are_numbered_without_gaps_and_each_number_once() -> None:
    found: dict[str, list[int]] = {}
    for letter, number in re.findall(r"\*\*([A-Z])-(\d+)", reference()):
        found.setdefault(letter, []).append(int(number))
    assert set(found) == set("ABCDEFHKLPRSVX")
    for letter, numbers in found.items():
        assert numbers == list(range(1, len(numbers) + 1)), letter


def test_rules_that_are_referred_to_exist() -> None:
    text = reference()
    defined = set(re.findall(r"\*\*([A-Z]-\d+)", text))
    examples = "".join((ROOT / "examples" / name).read_text() for name in ("c/small_host.c", "node/client.mjs"))
    assert set(re.findall(r"\b([ABCDEFHKLPRSVX]-\d+)\b", text + examples)) <= defined


@pytest.mark.parametrize(
    ("chapter", "says"),
    [
        ("## Small hosts", r"`window` 1 and a `max_body` of at least 768"),
        ("## Conversations", r"\*\*A round of a shoe\*\*"),
        ("## Conversations", r"After `Misdealt` the round is over for the device"),
        ("## Conversations", r"every event up to `Welcome.last_event`"),
        ("## Faults and refusals", r"refused with `Error` FAULTED.*`BeginRound`, `DealGroup`"),
        ("## Capacities", r"\| events kept until acknowledged \| 512 \|"),
        ("#### ShuffleCompleted", r"flags \| SEEDED and RIGGED if they apply to this shuffle; no other bit"),
    ],
)
def test_it_answers_what_a_stranger_asks(chapter: str, says: str) -> None:
    rest = PAGE.split(f"\n{chapter}\n", 1)[1]
    assert re.search(says, re.split(r"\n#{2,4} ", rest)[0], re.DOTALL)


def test_the_reference_names_nothing_of_the_programs_inside() -> None:
    for word in ("crcmod", "construct", ".py", "firmware_sim", "()`", "None", "struct.error"):
        assert word not in reference(), word
