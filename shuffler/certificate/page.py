"""The report: one HTML page drawn from a run's record alone. No script, nothing fetched; the record is inside."""

import json
from collections.abc import Callable
from html import escape
from importlib import resources
from typing import Any

from shuffler.certificate.drawings import drawings
from shuffler.certificate.html import bullets, facts, paragraph, percent
from shuffler.certificate.sections import (
    controls,
    every_test,
    excluded,
    generator_bits,
    literal,
    outside,
    outside_words,
    places,
    plan,
    power,
    reproduce,
    seal,
    subject,
    untested,
)

OPENING = '<script type="application/json" id="record">'
CLOSING = "</script>"

# title, anchor, what draws it; one that has nothing to say is left out
_SECTIONS: tuple[tuple[str, str, Callable[[dict[str, Any]], str]], ...] = (
    ("Where to look",                        "places",    places),
    ("What was tested",                      "subject",   subject),
    ("Plan",                                 "plan",      plan),
    ("The standards' literal readings",      "literal",   literal),
    ("Drawings",                             "drawings",  drawings),
    ("Every test",                           "tests",     every_test),
    ("The generator's bits: SP 800-22",      "bits",      generator_bits),
    ("Outside engines on the generator",     "outside",   outside),
    ("Power: what would have been found",    "power",     power),
    ("Negative controls",                    "controls",  controls),
    ("Excluded decks",                       "excluded",  excluded),
    ("Not tested",                           "untested",  untested),
    ("How to repeat it",                     "reproduce", reproduce),
    ("Seal",                                 "seal",      seal),
)  # fmt: skip


def page(record: dict[str, Any]) -> str:
    """The whole page."""
    css = resources.files("shuffler.certificate").joinpath("page.css").read_text(encoding="utf-8")
    drawn = [(title, anchor, body) for title, anchor, draw in _SECTIONS if (body := draw(record))]
    contents = "".join(f'<li><a href="#{anchor}">{escape(title)}</a></li>' for title, anchor, _ in drawn)
    parts = "".join(
        f'<section id="{anchor}"><h2><span>{n}</span>{escape(title)}</h2>\n{body}</section>\n'
        for n, (title, anchor, body) in enumerate(drawn, 1)
    )
    word = "passed" if record["verdict"]["passed"] else "FAILED"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Shuffle certification {identity(record)}: {word}</title>\n"
        f"<style>{css}{_running_foot(record)}</style></head>\n<body>\n{_head(record)}{_verdict(record)}{_glance(record)}"
        f"<nav><h2>Contents</h2><ol>{contents}</ol></nav>\n{parts}{OPENING}{inside(record)}{CLOSING}\n</body></html>\n"
    )


def inside(record: dict[str, Any]) -> str:
    """The record as it stands in a page. "</" would end the script element; JSON reads "<\\/" as the same."""
    return json.dumps(record, sort_keys=True, separators=(",", ":"), ensure_ascii=False).replace("</", "<\\/")


def record_in(text: str) -> str:
    """The record's JSON in a page."""
    return text.partition(OPENING)[2].rpartition(CLOSING)[0]


def without_record(text: str) -> str:
    """What a page shows: all of it but the record."""
    before, opening, rest = text.partition(OPENING)
    return before + opening + "".join(rest.rpartition(CLOSING)[1:])


def identity(record: dict[str, Any]) -> str:
    """The report's name: the beginning of its digest, which no two reports share."""
    digest = str(record.get("seal", {}).get("sha256", ""))[:12]
    kept = "".join(c for c in digest if c in "0123456789abcdef")
    return "-".join(kept[at : at + 4] for at in range(0, len(kept), 4)) or "unsealed"


# ----- the first page -------------------------------------------------------------------------------------------------


def _running_foot(record: dict[str, Any]) -> str:
    """The foot of every printed page."""
    word = "passed" if record["verdict"]["passed"] else "FAILED"
    return (
        f'@page {{ @bottom-left {{ content: "Shuffle certification {identity(record)} – {word}"; }} '
        '@bottom-right { content: counter(page) " / " counter(pages); } }\n'
    )


def _head(record: dict[str, Any]) -> str:
    about = record["subject"]
    device = about.get("provenance", {}).get("device", {}) if isinstance(about.get("provenance"), dict) else {}
    what = about.get("describes") or about.get("name", "")
    if isinstance(device, dict) and device.get("serial"):
        what = f"{device.get('model', 'device')}, serial {device['serial']} ({what})"
    return (
        '<header><div><p class="over">Certification report</p><h1>Randomness of shuffles</h1>'
        f"{paragraph(what, 'dim')}</div>"
        f'<p class="id"><span>Report</span>{escape(identity(record))}</p></header>\n'
    )


def _verdict(record: dict[str, Any]) -> str:
    verdict, about = record["verdict"], record["subject"]
    passed = verdict["passed"]
    rejected = len(verdict["rejected"])
    said = [
        f'<div class="verdict {"pass" if passed else "fail"}"><b>{"PASSED" if passed else "FAILED"}</b>',
        paragraph(
            f"{verdict['family']} figures judged together at {percent(1 - verdict['level'])} confidence (Holm's rule): "
            + (f"{rejected} rejected." if rejected else "none rejected.")
            + (
                f" {len(verdict['untested'])} tests could not be made, and count as neither passed nor failed."
                if verdict["untested"]
                else ""
            )
        ),
    ]
    said += [bullets(verdict["failures"])] if verdict["failures"] else []
    said += [paragraph(f"Note: {hint}.") for hint in verdict["hints"]]
    if verdict["retest"] is not None:
        ended = {True: " The re-test passed.", False: " The re-test failed.", None: ""}[verdict["retest"]["passed"]]
        said.append(paragraph(f"Re-test: {verdict['retest']['why']}.{ended}"))
    said.append("</div>\n")
    if about.get("planted_defect"):
        said.append(paragraph("The subject is a planted defect: this is a negative control, not a device.", "test-run"))
    if about.get("test_run"):
        said.append(paragraph("A test of the bench: decks marked as rigged or seeded were counted.", "test-run"))
    return "".join(said)


def _glance(record: dict[str, Any]) -> str:
    sample, bits, shown = record["sample"], record["bits"], record["controls"]
    rows = [
        ("Decks", f"{sample['decks']:,}" + "".join(f"; {name}: {part['decks']:,}" for name, part in _starts(sample))),
        ("Plan", f"{record['plan']['name']}\nSHA-256 {record['plan']['sha256']}, fixed before the first deck"),
        ("Generator's bits", _bits_said(bits)),
        ("Outside engines", _outside_said(record)),
        ("Negative controls", _controls_said(shown)),
        ("Excluded", f"{sample['malformed_rows'] + sample['excluded_rows']:,} rows"),
        (
            "Program",
            f"shuffler-bench {record['tool'].get('shuffler-bench', '')}\ncode {record['tool'].get('code_sha256', '')}",
        ),
        ("Signature", "Ed25519, see the last section" if "signature" in record.get("seal", {}) else "none"),
    ]
    return facts(rows)


def _starts(sample: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return list(sample["sections"].items()) if len(sample["sections"]) > 1 else []


def _bits_said(bits: dict[str, Any] | None) -> str:
    if bits is None:
        return "not tested: no bits were given"
    return (
        f"SP 800-22, all fifteen tests, on {bits['sequences']:,} × {bits['length']:,} bits: {bits['below_0_01']} of "
        f"{bits['p_values']:,} p-values below 0.01, {bits['expected_below_0_01']:.1f} expected"
    )


def _outside_said(record: dict[str, Any]) -> str:
    if not record["outside"]:
        return "none asked"
    words = [f"{each['engine']}: {outside_words(each)}" for each in record["outside"]]
    return "; ".join(dict.fromkeys(words))


def _controls_said(rows: list[dict[str, Any]]) -> str:
    if not rows:
        return "none in the plan"
    found = sum(row["found"] for row in rows)
    return (
        f"all {found} planted defects found" if found == len(rows) else f"!{found} of {len(rows)} planted defects found"
    )
