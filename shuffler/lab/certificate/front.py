"""The first page of the report: one page of summary, with the cover, the verdict and what it rests on."""

from html import escape
from typing import Any

from shuffler.lab.certificate.cover import FIELDS
from shuffler.lab.certificate.html import BAD, bullets, facts, one_in, paragraph
from shuffler.lab.certificate.sections import outside_words

WORDS = {"passed": "PASSED", "failed": "FAILED", "inconclusive": "INCONCLUSIVE"}
_CSS = {"passed": "pass", "failed": "fail", "inconclusive": "open"}
_MOST_TESTS = 14
_MOST_REASONS = 6
_MOST_PLACES = 3
_MEANING = {
    "passed": "No statistic is rejected: what the tests of this plan can see at this sample, they did not see.",
    "failed": "The shuffles are not what they should be; “Where to look” says where.",
    "inconclusive": "Neither passed nor failed: nothing is rejected, and the run does not meet what its plan asks for.",
}


def front(record: dict[str, Any], identity: str) -> str:
    """The whole first page."""
    return (
        f'<div class="summary">{_head(record, identity)}{_verdict(record)}{_cover(record)}'
        f'<h2 class="glance">Summary</h2>{_glance(record)}{_disclaimer(record)}</div>\n'
    )


def _head(record: dict[str, Any], identity: str) -> str:
    about, given = record["subject"], record.get("cover", {})
    device = about.get("provenance", {}).get("device", {}) if isinstance(about.get("provenance"), dict) else {}
    what = about.get("describes") or about.get("name", "")
    if given.get("model") or given.get("serial"):
        named = " ".join(filter(None, (given.get("manufacturer"), given.get("model", "device"))))
        what = named + (f", serial {given['serial']}" if given.get("serial") else "")
    elif isinstance(device, dict) and device.get("serial"):
        what = f"{device.get('model', 'device')}, serial {device['serial']} ({what})"
    over = "Certification report" if not record.get("retest_of") else "Certification report: re-test"
    return (
        f'<header><div><p class="over">{over}</p><h1>Randomness of shuffles</h1>'
        f"{paragraph(str(what), 'dim')}</div>"
        f'<p class="id"><span>Report</span>{escape(identity)}</p></header>\n'
    )


def _verdict(record: dict[str, Any]) -> str:
    verdict, about = record["verdict"], record["subject"]
    outcome = verdict["outcome"]
    rejected = len(verdict["rejected"])
    said = [
        f'<div class="verdict {_CSS[outcome]}"><b>{WORDS[outcome]}</b>',
        paragraph(
            f"{verdict['family']} statistics tested together by Holm's rule at the level {verdict['level']:g}: "
            + (f"{rejected} rejected. " if rejected else "none rejected. ")
            + _MEANING[outcome]
        ),
    ]
    reasons = [*verdict["failures"], *(verdict["missing"] if outcome == "inconclusive" else [])]
    said += [bullets(reasons[:_MOST_REASONS])] if reasons else []
    said += [paragraph(f"Note: {note}.") for note in verdict["notes"]]
    if verdict["retest"] is not None and verdict["retest"]["passed"] is not None:
        ended = "passed" if verdict["retest"]["passed"] else "failed"
        said.append(paragraph(f"Re-test: {verdict['retest']['why']}. The re-test {ended}."))
    said.append("</div>\n")
    if about.get("planted_defect"):
        said.append(paragraph("The subject is a planted defect: this is a negative control, not a device.", "test-run"))
    if about.get("test_run"):
        said.append(paragraph("Test run: decks marked as rigged or seeded were counted.", "test-run"))
    return "".join(said)


def _cover(record: dict[str, Any]) -> str:
    """The fields that were given, in their groups; nothing where none was."""
    given = record.get("cover", {})
    groups: dict[str, list[tuple[str, str]]] = {}
    for field in FIELDS:
        if given.get(field.key) and field.group != "Disclaimer":
            groups.setdefault(field.group, []).append((field.label, given[field.key]))
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


def _disclaimer(record: dict[str, Any]) -> str:
    said = record.get("cover", {}).get("disclaimer", "")
    return paragraph(f"Disclaimer: {said}", "dim") if said else ""


# ----- at a glance ----------------------------------------------------------------------------------------------------


def _glance(record: dict[str, Any]) -> str:
    sample, verdict = record["sample"], record["verdict"]
    rows = [
        ("Decks", _decks_said(record)),
        ("Deck", _deck_said(record["deck"])),
        ("Plan", f"{record['plan']['name']}\nSHA-256 {record['plan']['sha256']}, fixed before the first deck"
                 + (f"; {record['plan_chosen']}" if record.get("plan_chosen") else "")),
        ("Level", f"{verdict['level']:g}, for all statistics together"
                  + (f"; {verdict['level_note']}" if verdict["level_note"] else "")
                  + f"\nan ideal device fails {one_in(verdict['level'])} runs"),
        *_places_said(record),
        *_retest_said(record.get("retest_of")),
        ("Not made", _not_made_said(verdict["not_made"], again=bool(record.get("retest_of")))),
        ("Clauses", _clauses_said(record["clauses"])),
        ("Generator's bits", _bits_said(record["bits"])),
        ("Outside engines", _outside_said(record)),
        ("Negative controls", _controls_said(record["controls"])),
        ("Excluded", f"{sample['malformed_rows'] + sample['excluded_rows']:,} decks"),
        ("Program", f"shuffler-bench {record['tool'].get('shuffler-bench', '')}\n"
                    f"code, SHA-256 {record['tool'].get('code_sha256', '')}"),
        ("Signature", "Ed25519, see the last section" if "signature" in record.get("seal", {}) else "none"),
    ]  # fmt: skip
    return facts(rows)


def _decks_said(record: dict[str, Any]) -> str:
    sample, least = record["sample"], record["verdict"]["least_decks"]
    parts = list(sample["sections"].items()) if len(sample["sections"]) > 1 else []
    said = f"{sample['decks']:,}" + "".join(f"; {name}: {part['decks']:,}" for name, part in parts)
    mark = BAD if sample["decks"] < least else ""
    return f"{mark}{said}\nthe plan's least sample is {least:,}"


def _deck_said(deck: dict[str, Any]) -> str:
    """Which deck was assumed, how it is dealt, and how that is known."""
    if "words" not in deck:
        return f"{deck['cards']} cards"
    return f"{deck['words']}; {deck['known']}\n{deck['dealing']}"


def _places_said(record: dict[str, Any]) -> list[tuple[str, str]]:
    """The place that stands out most in each of the first rejected tests."""
    firsts = [place["findings"][0]["place"] for place in record["where_to_look"] if place["findings"]]
    named = list(dict.fromkeys(firsts))[:_MOST_PLACES]
    return [("Where to look", BAD + "; ".join(named))] if named else []


def _retest_said(earlier: dict[str, Any] | None) -> list[tuple[str, str]]:
    """What was tested again, and of which record."""
    if not earlier:
        return []
    digests = f"record SHA-256 {earlier['record_sha256']}; {earlier['file_name']} SHA-256 {earlier['file_sha256']}"
    return [("Re-test of", f"{', '.join(earlier['doubtful'])}\n{digests}")]


def _not_made_said(groups: list[dict[str, Any]], *, again: bool) -> str:
    """Which tests of the plan have no result: on the first page, by name."""
    if not groups and again:
        return "none of those in doubt; the other tests of the plan stand in the first record"
    if not groups:
        return "none: every test of the plan was made"
    said = []
    for group in groups:
        more = len(group["tests"]) - _MOST_TESTS
        names = ", ".join(group["tests"][:_MOST_TESTS]) + (f" and {more} more" if more > 0 else "")
        said.append(f"{group['why']}: {names}")
    total = sum(group["count"] for group in groups)
    return f"{total} of the plan's tests could not be made; they count as neither passed nor failed\n" + "; ".join(said)


def _clauses_said(rows: list[dict[str, Any]]) -> str:
    many: dict[str, int] = {}
    for row in rows:
        many[row["verdict"]] = many.get(row["verdict"], 0) + 1
    mark = BAD if "not met" in many else ""
    return mark + ", ".join(f"{count} {verdict}" for verdict, count in many.items())


def _bits_said(bits: dict[str, Any] | None) -> str:
    if bits is None:
        return "not tested: no bits were given"
    return (
        f"SP 800-22, all fifteen tests, on {bits['sequences']:,} × {bits['length']:,} bits: {bits['below_0_01']} of "
        f"{bits['p_values']:,} p-values below 0.01, {bits['expected_below_0_01']:.1f} expected"
    )


def _outside_said(record: dict[str, Any]) -> str:
    if not record["outside"]:
        return "not requested"
    words = [f"{each['engine']}: {outside_words(each)}" for each in record["outside"]]
    return "; ".join(dict.fromkeys(words))


def _controls_said(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "none"
    found = sum(row["found"] for row in rows)
    if found == len(rows):
        return f"all {found} planted defects found"
    return f"{BAD}{found} of {len(rows)} planted defects found"
