"""The record of a certification run: frozen types with one JSON form. A report shows nothing that is not in here.

`assemble` builds one; report, API, `verify` and bundle read it. No clock, no machine: same run, same record.
"""

from typing import Any

import msgspec

from randomness.certification.plan import Plan

FORMAT = "shuffler certification record 3"


class Part(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the record: an unknown field makes it unreadable."""


# ----- what was tested ------------------------------------------------------------------------------------------------


class KernelDescription(Part, frozen=True, kw_only=True, tag="kernel", tag_field="kind"):
    """The emulated device's shuffle."""

    mechanism: str
    describes: str
    planted_defect: bool
    profile: str
    seed: str
    seed_from: str
    generator: str
    shuffles_a_request: int
    declared_not_applicable: tuple[str, ...] = ()


class FileDescription(Part, frozen=True, kw_only=True, tag="recorded decks", tag_field="kind"):
    """Decks recorded from any machine."""

    name: str
    sha256: str
    bytes: int | None
    form: str
    read_as: dict[str, Any]
    provenance: dict[str, Any]
    provenance_continued: tuple[dict[str, Any], ...]
    test_run: bool
    declared_not_applicable: tuple[str, ...] = ()


Source = KernelDescription | FileDescription


class DeckPart(Part, frozen=True, kw_only=True):
    """The deck that every row should hold, and how that is known."""

    cards: int
    names: tuple[str, ...]
    copies: tuple[int, ...]
    decks_mixed: int
    told_apart: bool
    group: int
    seats: int
    dealer: bool
    words: str
    dealing: str
    known: str


class RunSettings(Part, frozen=True, kw_only=True):
    """What the command line said beyond the plan; `reproduce` is written from it."""

    decks: int | None = None
    partial: str = ""
    """Why only a part of a file was read; empty when all of it was."""
    plan_file: str = ""
    retest_of: str = ""
    deck: tuple[str, ...] = ()
    outside: str = ""
    outside_seconds: float = 0.0
    bits: str = ""
    noise: str = ""
    also: tuple[str, ...] = ()
    """Clauses evaluated by choice."""


class Tool(Part, frozen=True, kw_only=True):
    """What did the testing."""

    versions: dict[str, str]
    code_sha256: str


class EarlierRun(Part, frozen=True, kw_only=True):
    """An earlier certification of the same rows, or of the first ones of this file."""

    record_sha256: str
    plan: str
    plan_sha256: str
    rows: int
    of: str
    outcome: str
    open: str = ""
    """Why that run keeps this one from passing; empty when it doesn't."""


# ----- the sample -----------------------------------------------------------------------------------------------------


class RowNote(Part, frozen=True, kw_only=True):
    """A row that is not counted, and why."""

    row: int
    reason: str


class SubSample(Part, frozen=True, kw_only=True):
    """Tests that counted a part of a long run."""

    share: str
    of: str
    counted: int
    tests: tuple[str, ...]


class RepeatsFound(Part, frozen=True, kw_only=True):
    """How many decks were remembered to find those that came twice."""

    of: str
    seen: int
    fingerprints: int
    bytes: int
    pairs_found: str


class SectionPart(Part, frozen=True, kw_only=True):
    """One start order, or a whole file."""

    decks: int
    not_whole: int
    blocks: int
    data_digest: str
    sub_samples: tuple[SubSample, ...] = ()
    repeats: tuple[RepeatsFound, ...] = ()


class Misreads(Part, frozen=True, kw_only=True):
    """Cards that the reader did not read: their rows are excluded from all tests."""

    cards: int = 0
    rows: int = 0
    share_of_rows: float = 0.0
    most: float = 0.0
    """The largest share of rows with which a run can pass."""


class Sample(Part, frozen=True, kw_only=True):
    """What was counted."""

    decks: int
    shards: int
    rows_in_file: int | None
    """Rows of the whole file; None for a mechanism, or for a pipe that was not read to its end."""
    rows_read: int
    sections: dict[str, SectionPart]
    misreads: Misreads = Misreads()
    malformed_rows: int = 0
    malformed: tuple[RowNote, ...] = ()
    excluded_rows: int = 0
    excluded: tuple[RowNote, ...] = ()


# ----- results --------------------------------------------------------------------------------------------------------


class PlacePart(Part, frozen=True, kw_only=True):
    """The cell, card, position, seat, lag or row that stands out most."""

    place: str
    observed: float | None
    expected: float | None
    z: float | None


class TestRow(Part, frozen=True, kw_only=True):
    """One statistic."""

    __test__ = False

    label: str
    section: str
    test: str
    second_level: bool
    clauses: tuple[str, ...]
    sees: str
    outcome: str
    samples: int
    statistic: float | None
    p: float | None
    adjusted_p: float | None
    null: str | None
    effect: float | None
    effect_low: float | None
    effect_high: float | None
    effect_unit: str
    unmet: tuple[str, ...]
    findings: tuple[PlacePart, ...]


class Rejected(Part, frozen=True, kw_only=True):
    """A test that failed, and where to look."""

    test: str
    sees: str
    findings: tuple[PlacePart, ...]


class Practical(Part, frozen=True, kw_only=True):
    """What a deviation is worth to a player: a figure that a maker or a regulator can weigh."""

    section: str
    figure: str
    expected: float
    found: float
    low: float
    high: float
    unit: str
    samples: int


class ReadingRow(Part, frozen=True, kw_only=True):
    """Every statistic alone at one confidence level."""

    confidence: float
    tests: int
    below: tuple[str, ...]
    expected: float
    chance_of_an_alarm: float


class PositionRow(Part, frozen=True, kw_only=True):
    """Each position's chi-square alone."""

    section: str
    confidence: float
    positions: int
    below: tuple[int, ...]
    chance_of_an_alarm: float


class PowerRow(Part, frozen=True, kw_only=True):
    """The least effect that a test would have found."""

    section: str
    test: str
    samples: int
    level: float
    power: float
    least_effect: float | None
    unit: str


class Curve(Part, frozen=True, kw_only=True):
    """Counts over decks, and their exact law."""

    section: str
    counts: str
    decks: int
    observed: tuple[int, ...]
    expected: tuple[float, ...]


class BitRow(Part, frozen=True, kw_only=True):
    """One test of SP 800-22 over all sequences."""

    test: str
    clause: str
    sees: str
    p_values: int
    unmet: tuple[str, ...] = ()
    lowest_p: float | None = None
    below_0_01: int = 0
    lowest_share: float | None = None
    share_low: float | None = None
    lowest_uniformity: float | None = None


class BitsPart(Part, frozen=True, kw_only=True):
    """The generator's bits through SP 800-22."""

    source: str
    sequences: int
    length: int
    bits: int
    sha256: str
    constants: str
    p_values: int
    below_0_01: int
    expected_below_0_01: float
    tests: tuple[BitRow, ...]
    name: str = ""
    file_sha256: str = ""
    provenance: dict[str, Any] = {}


class OutsidePart(Part, frozen=True, kw_only=True):
    """One call of an outside engine."""

    engine: str
    version: str
    command: str
    verdicts: int
    worst: str | None
    unmet: tuple[str, ...]


class ControlPart(Part, frozen=True, kw_only=True):
    """A planted defect, and whether the battery found it."""

    mechanism: str
    describes: str
    size: int
    of: str
    found: bool
    by: str
    adjusted_p: float | None


# ----- the decision ---------------------------------------------------------------------------------------------------


class NotPerformed(Part, frozen=True, kw_only=True):
    """Tests without a p-value, by reason."""

    why: str
    count: int
    tests: tuple[str, ...]
    reasons: tuple[str, ...]


class RetestRow(Part, frozen=True, kw_only=True):
    """One doubtful statistic, tested twice."""

    label: str
    sees: str
    samples: int
    first_adjusted_p: float
    p: float | None
    adjusted_p: float | None
    """Holm's, among the statistics that were tested again."""
    combined_p: float | None
    rejected: bool


class Retest(Part, frozen=True, kw_only=True):
    """The re-test, made or owed."""

    why: str
    rule: str
    tests: tuple[RetestRow, ...]
    passed: bool | None


class VerdictPart(Part, frozen=True, kw_only=True):
    """The decision."""

    outcome: str
    level: float
    """Family-wise, re-test included."""
    first_level: float
    """Level of the first look; less than `level` where the plan has a re-test."""
    level_note: str
    family: int
    least_decks: int
    missing: tuple[str, ...]
    failures: tuple[str, ...]
    rejected: tuple[str, ...]
    doubtful: tuple[str, ...]
    untested: tuple[str, ...]
    not_performed: tuple[NotPerformed, ...]
    notes: tuple[str, ...]
    retest: Retest | None

    @property
    def passed(self) -> bool:
        """Whether the one word is `passed`."""
        return self.outcome == "passed"


class ClauseRow(Part, frozen=True, kw_only=True):
    """A requirement, the evidence for it in this run, and what follows."""

    id: str
    standard: str
    number: str
    applies_to: str
    gist: str
    source: str
    certainty: str
    by_choice: bool
    """Evaluated by choice: the clause was not written for card shufflers."""
    level: float | None
    tests: tuple[str, ...]
    performed: int
    not_performed: int
    least_adjusted_p: float | None
    worst: str
    evidence: str
    verdict: str


class RetestOf(Part, frozen=True, kw_only=True):
    """The record that this one re-tests."""

    record_sha256: str
    file_name: str
    file_sha256: str
    data_digest: str
    decks: int
    doubtful: dict[str, float]
    same_device: str
    """How it is known that both files are of one device."""


# ----- cover and seal -------------------------------------------------------------------------------------------------


class Cover(Part, frozen=True, kw_only=True):
    """Who tested what for whom. Empty fields were not given."""

    report: str = ""
    issued: str = ""
    jurisdiction: str = ""
    scope: str = ""
    standards: str = ""
    laboratory: str = ""
    place: str = ""
    accreditation: str = ""
    operator: str = ""
    author: str = ""
    reviewer: str = ""
    client: str = ""
    manufacturer: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    firmware_sha256: str = ""
    sampling: str = ""
    received: str = ""
    tested: str = ""
    disclaimer: str = ""


class Signature(Part, frozen=True, kw_only=True):
    """An Ed25519 signature over digest of record and page, the role and the key."""

    role: str
    public_key: str
    signature: str
    algorithm: str = "Ed25519"


class Timestamp(Part, frozen=True, kw_only=True):
    """An RFC 3161 token over the seal without it."""

    token: str
    """Base64 of the DER bytes."""
    time: str


class ReportSeal(Part, frozen=True, kw_only=True):
    """Digests, signatures, timestamp."""

    record_sha256: str
    page_sha256: str
    signatures: tuple[Signature, ...] = ()
    timestamp: Timestamp | None = None


# ----- all of it ------------------------------------------------------------------------------------------------------


class RunRecord(Part, frozen=True, kw_only=True):
    """Everything."""

    format: str
    verdict: VerdictPart
    where_to_look: tuple[Rejected, ...]
    practical: tuple[Practical, ...]
    clauses: tuple[ClauseRow, ...]
    plan: Plan
    plan_sha256: str
    plan_chosen: str
    settings: RunSettings
    reproduce: str
    earlier_runs: tuple[EarlierRun, ...]
    subject: Source
    deck: DeckPart
    sample: Sample
    tool: Tool
    results: tuple[TestRow, ...]
    readings: tuple[ReadingRow, ...]
    position_readings: tuple[PositionRow, ...]
    power: tuple[PowerRow, ...]
    tables: dict[str, tuple[tuple[int, ...], ...]]
    curves: tuple[Curve, ...]
    bits: BitsPart | None = None
    noise: dict[str, Any] | None = None
    outside: tuple[OutsidePart, ...] = ()
    controls: tuple[ControlPart, ...] = ()
    retest_of: RetestOf | None = None
    cover: Cover = Cover()
    seal: ReportSeal | None = None


# ----- JSON -----------------------------------------------------------------------------------------------------------


class NotARecord(Exception):
    """The bytes are no record of this format; says why."""


def canonical(record: RunRecord) -> bytes:
    """The bytes that are sealed: the record without its seal."""
    return encoded(msgspec.structs.replace(record, seal=None))


def encoded(part: Part) -> bytes:
    """One JSON form for equal values: fields in their order, keys of open tables sorted."""
    return msgspec.json.encode(part, order="deterministic")


def decoded(data: bytes | str) -> RunRecord:
    """The record in JSON; raises NotARecord."""
    try:
        record = msgspec.json.decode(data, type=RunRecord)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise NotARecord(_why(data, error)) from None
    if record.format != FORMAT:
        raise NotARecord(_other_format(record.format))
    return record


def _why(data: bytes | str, error: Exception) -> str:
    """A record of another version first says so."""
    try:
        given = msgspec.json.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return "it is not JSON"
    if isinstance(given, dict) and isinstance(given.get("format"), str) and given["format"] != FORMAT:
        return _other_format(given["format"])
    return str(error)


def _other_format(found: str) -> str:
    return f"its format is '{found[:60]}'; this program reads '{FORMAT}'"


def settled(record: RunRecord) -> RunRecord:
    """The record as it will be read back: plain numbers, each of its field's type."""
    return decoded(msgspec.json.encode(record, enc_hook=_plain))


def _plain(value: Any) -> Any:
    """NumPy's numbers as Python's."""
    return value.item()


MOST_DEPTH = 12
_SAFE = 2**53


def open_table(value: Any, depth: int = 0) -> Any:
    """Free data of a file as JSON that reads back the same: no huge integer, no infinity, bounded depth."""
    if depth > MOST_DEPTH:
        return "…"
    if isinstance(value, dict):
        return {str(key): open_table(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [open_table(part, depth + 1) for part in value]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int):
        return value if abs(value) < _SAFE else str(value)
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return str(value).encode("utf-8", "replace").decode()


def schema() -> dict[str, Any]:
    """The JSON Schema of a record."""
    return msgspec.json.schema(RunRecord)
