"""Every number that a report shows is a number of its record, rounded as it is shown."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import msgspec
import pytest

from randomness.certification import Cover, KernelSubject, Run, RunRecord, certify, load_plan, local_engine
from randomness.certification.clauses import counted
from randomness.certification.plan import NegativeControl
from shuffler.lab.certificate.page import identity
from shuffler.lab.certificate.sealing import record_digest, sealed

pytestmark = pytest.mark.slow
# Numbers of the page's own sentences and of the standards' names: no result.
OWN = {
    "1",
    "2",
    "3",
    "4",
    "5",
    "10",
    "22",
    "41",
    "52",
    "90",
    "99",
    "800",
    "1e-300",
    "0.01",
    "4.2",
    "256",
    "25519",
    "95",
}
NUMBER = re.compile(r"(?<![\w.:-])[-+−]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?![\w:]|\.\d)")


class Shown(HTMLParser):
    """Tables by caption, and all text outside charts."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.said: list[str] = []
        self._open: list[str] = []
        self._rows: list[list[str]] = []
        self._caption = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("meta", "col"):
            return
        self._open.append(tag)
        if tag == "table":
            self._rows, self._caption = [], ""
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()
        if tag == "table" and self._caption:
            self.tables[self._caption] = self._rows[1:]

    def handle_data(self, data: str) -> None:
        if {"svg", "style", "script", "title"} & set(self._open):
            return
        if "caption" in self._open:
            self._caption += data
        elif {"td", "th"} & set(self._open):
            self._rows[-1][-1] += ("\n" if "small" in self._open else "") + data
        self.said.append(data)


def value_of(shown: str) -> tuple[float, float]:
    """A shown number and half of its last place."""
    text = shown.replace(",", "").replace("−", "-")
    digits, _, power = text.partition("e")
    places = len(digits.partition(".")[2])
    return float(text), 0.5 * 10.0 ** (int(power or 0) - places) * 1.000001


def shows(shown: str, value: float | None) -> bool:
    """Whether a cell is this value, to the digits that it has."""
    shown = shown.partition("\n")[0]
    if value is None or shown == "–":
        return value is None and shown == "–"
    if shown == "< 1e-300":
        return value == 0.0
    if shown.endswith(" %"):
        return shows(shown.removesuffix(" %"), 100 * value)
    near, half = value_of(shown)
    if "." not in shown and "e" not in shown and abs(value) >= 1000 and value != int(value):
        half = max(half, 0.5 * 10 ** (len(shown.replace(",", "").lstrip("-")) - 4))  # four digits of a large number
    return abs(near - value) <= half


@pytest.fixture(scope="module")
def record() -> RunRecord:
    plan = replace(
        load_plan("quick"), name="numbers", decks=2_400, decks_per_shard=160, least_decks=1_000, bit_sequences=1,
        bit_length=100_000, starts=("factory", "previous"),
        controls=(NegativeControl(mechanism="shelf:shelves=10", size=64),),
    )  # fmt: skip
    subject = KernelSubject(mechanism="defect:sticky:rate=1/40", seed=5)
    return certify(Run(plan=plan, subject=subject, cover=Cover(laboratory="L", serial="77-A")), local_engine(1))


@pytest.fixture(scope="module")
def shown(record: RunRecord) -> Shown:
    parser = Shown()
    parser.feed(sealed(record).html)
    return parser


def test_every_row_of_every_test(record: RunRecord, shown: Shown) -> None:
    seen = 0
    blocks = {(row.section, row.test): row for row in record.results if row.second_level}
    for row in record.results:
        if row.second_level or row.section.startswith("generator"):
            continue
        (cells,) = [
            each for each in shown.tables[f"Results, {row.section}"] if each[0].startswith(f"{row.test}\n")
        ]
        _, _, decks, statistic, p, adjusted, block, effect = cells
        assert shows(decks, row.samples) or (decks == "–" and not row.samples)
        assert shows(statistic, row.statistic)
        assert shows(p, row.p)
        assert shows(adjusted, row.adjusted_p)
        second = blocks.get((row.section, row.test))
        assert shows(block, second and second.p)
        if second:
            assert shows(block.partition("\n")[2], second.adjusted_p)
        assert shows(effect.partition(" (")[0], row.effect)
        seen += 1
    assert seen > 50


def test_readings_power_controls_clauses_and_places(record: RunRecord, shown: Shown) -> None:
    for cells, reading in zip(shown.tables["Literal readings"], record.readings, strict=False):
        assert shows(cells[1], reading.confidence)
        assert shows(cells[2], reading.tests)
        assert shows(cells[3], len(reading.below))
        assert shows(cells[4], reading.expected)
    for row in record.power:
        (cells,) = [each for each in shown.tables["Power"] if each[0] == row.test]
        assert any(shows(cell, row.least_effect) for cell in cells[3:])
    for cells, control in zip(shown.tables["Negative controls"], record.controls, strict=True):
        assert shows(cells[1].partition(" ")[0], control.size)
        assert shows(cells[4], control.adjusted_p)
    for cells, clause in zip(shown.tables["For card shufflers"], record.clauses, strict=True):
        assert shows(cells[4], clause.least_adjusted_p)
        assert cells[5] == clause.verdict
    findings = [one for place in record.where_to_look for one in place.findings[:3]]
    for cells, finding in zip(shown.tables["Findings"], findings, strict=False):
        assert shows(cells[2], finding.observed)
        assert shows(cells[3], finding.expected)
        assert finding.z is None or shows(cells[4], finding.z)


def numbers_in(value: Any) -> Iterator[float]:
    """Every number of a record: values, lengths of lists, and numbers in its texts."""
    if isinstance(value, dict):
        for part in value.values():
            yield from numbers_in(part)
    elif isinstance(value, list | tuple):
        yield float(len(value))
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, str):
        yield from (float(found.replace(",", "").replace("−", "-")) for found in NUMBER.findall(value))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield float(value)


def test_no_number_on_the_page_comes_from_anywhere_else(record: RunRecord, shown: Shown) -> None:
    kept = {key: value for key, value in msgspec.to_builtins(record).items() if key not in ("tables", "curves")}
    known = {value * times for value in numbers_in(kept) for times in (1.0, 100.0)}
    known |= {reading.positions * (1 - reading.confidence) for reading in record.position_readings}
    known |= {1 / record.verdict.level, sum(row.found for row in record.controls)}
    known |= {float(many) for many in counted(record.clauses).values()}
    known |= {float(sum(p is not None for p in [row.p for row in record.results if not row.second_level]))}
    text = "\n".join(
        part for part in shown.said if "expected in a cell" not in part and "p-values in twenty" not in part
    )
    text = text.replace(identity(record_digest(record)), "")  # a name, whose groups may be all digits
    strange = [
        found for found in NUMBER.findall(text)
        if found.lstrip("+-−") not in OWN and not any(shows(found, value) for value in known)
    ]  # fmt: skip
    assert strange == []


def test_a_number_changed_on_the_page_is_noticed(record: RunRecord) -> None:
    row = next(row for row in record.results if row.test == "suit-runs" and not row.second_level)
    forged = Shown()
    right = f">{row.p:.4f}<" if row.p >= 1e-4 else f">{row.p:.1e}<"
    assert right in sealed(record).html
    forged.feed(sealed(record).html.replace(right, ">0.7771<"))
    with pytest.raises(AssertionError):
        test_every_row_of_every_test(record, forged)
