"""The first page of the report: one page of summary, with the cover, the verdict and what it rests on."""

from collections.abc import Iterator, Mapping
from html import escape

from randomness.certification.clauses import counted
from randomness.certification.model import FileDescription, KernelDescription, Practical, RunRecord
from shuffler.lab.certificate.cover import FIELDS, missing_fields
from shuffler.lab.certificate.html import BAD, bullets, facts, number, one_in, paragraph, percent, seal_slot
from shuffler.lab.certificate.sections import outside_words

WORDS = {"passed": "PASSED", "failed": "FAILED", "inconclusive": "INCONCLUSIVE"}
_CSS = {"passed": "pass", "failed": "fail", "inconclusive": "open"}
_MOST_TESTS = 14
_MOST_REASONS = 6
_MOST_PLACES = 3
_MOST_RUNS = 3
ONLY_THESE = "The results relate only to the items tested."


def front(record: RunRecord, identity: str, numbers: Mapping[str, int]) -> str:
    """The whole first page; `numbers` are those of the sections."""
    return (
        f'<div class="summary">{_head(record, identity)}{_verdict(record, numbers)}{_cover(record)}'
        f'<h2 class="glance">Summary</h2>{_glance(record)}{_disclaimer(record)}</div>\n'
    )


def _head(record: RunRecord, identity: str) -> str:
    about, given = record.subject, record.cover
    what = about.describes if isinstance(about, KernelDescription) else about.name
    device = about.provenance.get("device") if isinstance(about, FileDescription) else None
    if given.model or given.serial:
        named = " ".join(filter(None, (given.manufacturer, given.model or "device")))
        what = named + (f", serial {given.serial}" if given.serial else "")
    elif isinstance(device, dict) and device.get("serial"):
        what = f"{device.get('model', 'device')}, serial {device['serial']} ({what})"
    over = "Test report" if record.retest_of is None else "Test report: re-test"
    return (
        f'<header><div><p class="over">{over}</p><h1>Randomness of shuffles</h1>'
        f"{paragraph(str(what), 'dim')}</div>"
        f'<p class="id"><span>Report</span>{escape(identity)}</p></header>\n'
    )


def meaning(record: RunRecord, numbers: Mapping[str, int]) -> str:
    """The verdict in one or two plain sentences."""
    if record.verdict.outcome == "failed":
        return f"A deviation was detected. Section {numbers['places']} says where." if "places" in numbers else (
            "The run failed for the reasons below."
        )  # fmt: skip
    power = f" Section {numbers['power']} lists what would have been." if "power" in numbers else ""
    if record.verdict.outcome == "passed":
        return f"No deviation was detected.{power}"
    return "Neither passed nor failed: no deviation was detected, but the plan asks for more."


def _verdict(record: RunRecord, numbers: Mapping[str, int]) -> str:
    verdict = record.verdict
    rejected = len(verdict.rejected)
    said = [
        f'<div class="verdict {_CSS[verdict.outcome]}"><b>{WORDS[verdict.outcome]}</b>',
        paragraph(meaning(record, numbers)),
        paragraph(
            f"{verdict.family} statistics were tested together by Holm's rule; "
            + (f"{rejected} rejected. " if rejected else "none was rejected. ")
            + f"An ideal device fails at most {one_in(verdict.level)} runs, re-test included. {ONLY_THESE}"
        ),
    ]
    reasons = [*verdict.failures, *(verdict.missing if verdict.outcome == "inconclusive" else [])]
    said += [bullets(reasons[:_MOST_REASONS])] if reasons else []
    if verdict.outcome == "inconclusive" and verdict.doubtful:
        said.append(paragraph(f"In doubt: {', '.join(verdict.doubtful[:_MOST_TESTS])}."))
    said += [paragraph(f"Note: {note}.") for note in verdict.notes]
    if verdict.retest is not None and verdict.retest.passed is not None:
        ended = "No deviation was confirmed" if verdict.retest.passed else "A deviation was confirmed"
        names = ", ".join(row.label for row in verdict.retest.tests[:_MOST_TESTS])
        said.append(paragraph(f"Re-tested: {names}. {ended}."))
    said.append("</div>\n")
    said += [paragraph(line, "test-run") for line in _marks(record)]
    return "".join(said)


def _marks(record: RunRecord) -> Iterator[str]:
    """What a reader must not overlook."""
    about, sample = record.subject, record.sample
    if record.settings.partial:
        total = "an unknown number of" if sample.rows_in_file is None else f"{sample.rows_in_file:,}"
        yield f"Partial use: {sample.rows_read:,} of {total} rows were read. Reason given: {record.settings.partial}"
    for run in record.earlier_runs[:_MOST_RUNS]:
        name = f"record {run.record_sha256[:12]}"
        yield f"Tested before: {run.of}, plan {run.plan}, {run.rows:,} rows: {run.outcome} ({name})."
    if len(record.earlier_runs) > _MOST_RUNS:
        yield f"And {len(record.earlier_runs) - _MOST_RUNS} earlier runs more: section “Item tested”."
    if isinstance(about, KernelDescription) and about.planted_defect:
        yield "The subject is a planted defect: this is a negative control, not a device."
    if isinstance(about, FileDescription) and about.test_run:
        yield "Test run: decks marked as rigged or seeded were counted."
    if missing := missing_fields(record.cover):
        yield f"Draft: the cover has no {', '.join(missing)}. A draft can't be signed."


def _cover(record: RunRecord) -> str:
    """The fields that were given, in their groups; nothing where none was."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for field in FIELDS:
        if (value := getattr(record.cover, field.key)) and field.group != "Disclaimer":
            groups.setdefault(field.group, []).append((field.label, value))
    if not groups:
        return ""
    left = [group for group in ("Device",) if group in groups]
    right = [group for group in ("Report", "Laboratory") if group in groups]
    columns = [
        "".join(f"<div><h2>{group}</h2>{facts(groups[group])}</div>" for group in side)
        for side in (left, right)
        if side
    ]
    return f'<div class="cover">{"".join(f"<div>{column}</div>" for column in columns)}</div>'


def _disclaimer(record: RunRecord) -> str:
    said = record.cover.disclaimer
    return paragraph(f"Disclaimer: {said}", "dim") if said else ""


# ----- at a glance ----------------------------------------------------------------------------------------------------


def _glance(record: RunRecord) -> str:
    sample, verdict = record.sample, record.verdict
    opening, closing = seal_slot("word")
    rows = [
        *_data_said(record),
        ("Decks", _decks_said(record)),
        ("Deck", f"{record.deck.words}; {record.deck.known}\n{record.deck.dealing}"),
        *_practical_said(record),
        *_places_said(record),
        *_retest_said(record),
        ("Plan", f"{record.plan.name}, level {verdict.level:g}"
                 + (f" ({verdict.level_note})" if verdict.level_note else "")
                 + f"\nSHA-256 {record.plan_sha256}, fixed before the first deck"
                 + (f"; {record.plan_chosen}" if record.plan_chosen else "")),
        ("Not performed", _not_performed_said(record)),
        ("Requirements", _clauses_said(record)),
        ("Generator's bits", _bits_said(record)),
        ("External programs", _outside_said(record)),
        ("Negative controls", _controls_said(record)),
        ("Rows excluded", f"{sample.malformed_rows + sample.excluded_rows:,}"),
        ("Program", f"shuffler-bench {record.tool.versions.get('shuffler-bench', '')}\n"
                    f"code, SHA-256 {record.tool.code_sha256}"),
    ]  # fmt: skip
    seal = f'<tr><th scope="row">Signature</th><td>{opening}{closing}</td></tr>\n'
    return facts(rows).replace("</tbody>", f"{seal}</tbody>")


def _data_said(record: RunRecord) -> Iterator[tuple[str, str]]:
    """The data file and how well it was read."""
    about, sample = record.subject, record.sample
    if isinstance(about, KernelDescription):
        yield "Data", f"emulated mechanism {about.mechanism}, seed {about.seed}"
        return
    yield "Data file", f"{about.name}\nSHA-256 {about.sha256}"
    many = "rows unknown" if sample.rows_in_file is None else f"{sample.rows_in_file:,} rows in the file"
    mark = BAD if record.settings.partial else ""
    yield "Rows", f"{mark}{many}, {sample.rows_read:,} read"
    lost = sample.misreads
    mark = BAD if lost.share_of_rows > lost.most else ""
    yield (
        "Misreads",
        f"{mark}{lost.cards:,} cards in {lost.rows:,} rows ({percent(lost.share_of_rows)} of the rows; "
        f"at most {percent(lost.most)} to pass)",
    )


def _decks_said(record: RunRecord) -> str:
    sample, least = record.sample, record.verdict.least_decks
    parts = list(sample.sections.items()) if len(sample.sections) > 1 else []
    said = f"{sample.decks:,}" + "".join(f"; {name}: {part.decks:,}" for name, part in parts)
    mark = BAD if sample.decks < least else ""
    return f"{mark}{said}\nthe plan's least sample is {least:,}"


def practical_words(one: Practical) -> str:
    """`expected 4.538, found 4.541 (4.532 to 4.550)`."""
    if one.unit == "of the stake":
        low, high = percent(round(one.low, 4)), percent(round(one.high, 4))
        return f"expected {percent(round(one.expected, 4))}, found {percent(round(one.found, 4))} ({low} to {high})"
    low, high = number(one.low), number(one.high)
    return f"expected {number(one.expected)}, found {number(one.found)} ({low} to {high})"


def _practical_said(record: RunRecord) -> Iterator[tuple[str, str]]:
    """The figures farthest off, one of cards guessed and one of a bet."""
    guesses = [one for one in record.practical if one.unit != "of the stake"]
    bets = [one for one in record.practical if one.unit == "of the stake"]
    for name, ones in (("Cards guessed", guesses), ("Player advantage", bets)):
        if ones:
            worst = max(ones, key=lambda one: abs(one.found - one.expected) / max(one.high - one.low, 1e-12))
            yield name, f"{practical_words(worst)}\n{worst.figure}; {worst.section}"
        elif name == "Cards guessed":
            yield name, "not measured: the data have no order before the shuffle and no deck before"


def _places_said(record: RunRecord) -> list[tuple[str, str]]:
    """The place that stands out most in each of the first rejected tests."""
    firsts = [f"{one.test} ({one.findings[0].place})" for one in record.where_to_look if one.findings]
    return [("Findings", BAD + "; ".join(firsts[:_MOST_PLACES]))] if firsts else []


def _retest_said(record: RunRecord) -> list[tuple[str, str]]:
    """What was tested again, and of which record."""
    earlier = record.retest_of
    if earlier is None:
        return []
    digests = f"record SHA-256 {earlier.record_sha256}; {earlier.file_name} SHA-256 {earlier.file_sha256}"
    return [("Re-test of", f"{', '.join(earlier.doubtful)}\n{digests}; same device: {earlier.same_device}")]


def _not_performed_said(record: RunRecord) -> str:
    """Which tests of the plan have no result: on the first page, by name."""
    groups = record.verdict.not_performed
    if not groups and record.retest_of is not None:
        return "none of those in doubt; the other tests of the plan are in the first record"
    if not groups:
        return "none: every test of the plan was performed"
    said = []
    for group in groups:
        more = len(group.tests) - _MOST_TESTS
        names = ", ".join(group.tests[:_MOST_TESTS]) + (f" and {more} more" if more > 0 else "")
        said.append(f"{group.why}: {names}")
    total = sum(group.count for group in groups)
    return f"{total} of the plan's tests; they count as neither passed nor failed\n" + "; ".join(said)


def _clauses_said(record: RunRecord) -> str:
    many = counted(record.clauses)
    mark = BAD if "not met" in many else ""
    return mark + ", ".join(f"{count} {verdict}" for verdict, count in many.items())


def _bits_said(record: RunRecord) -> str:
    bits = record.bits
    if bits is None:
        return "not tested: no bits were given"
    return (
        f"SP 800-22, all fifteen tests, on {bits.sequences:,} × {bits.length:,} bits: {bits.below_0_01} of "
        f"{bits.p_values:,} p-values below 0.01, {bits.expected_below_0_01:.1f} expected"
    )


def _outside_said(record: RunRecord) -> str:
    if not record.outside:
        return "not requested"
    return "; ".join(dict.fromkeys(f"{each.engine}: {outside_words(each)}" for each in record.outside))


def _controls_said(record: RunRecord) -> str:
    rows = record.controls
    if not rows:
        return "none"
    found = sum(row.found for row in rows)
    if found == len(rows):
        return f"all {found} planted defects found"
    return f"{BAD}{found} of {len(rows)} planted defects found"
