"""The report: one HTML page drawn from a run's record alone. No script, nothing fetched; the record is inside."""

import json
from html import escape
from importlib import resources
from typing import Any

from shuffler.lab.certificate.front import WORDS, front
from shuffler.lab.certificate.sections import SECTIONS

OPENING = '<script type="application/json" id="record">'
CLOSING = "</script>"


def page(record: dict[str, Any]) -> str:
    """The whole page."""
    css = resources.files("shuffler.lab.certificate").joinpath("page.css").read_text(encoding="utf-8")
    drawn = [(title, anchor, body) for title, anchor, draw in SECTIONS if (body := draw(record))]
    contents = "".join(f'<li><a href="#{anchor}">{escape(title)}</a></li>' for title, anchor, _ in drawn)
    parts = "".join(
        f'<section id="{anchor}"><h2><span>{n}</span>{escape(title)}</h2>\n{body}</section>\n'
        for n, (title, anchor, body) in enumerate(drawn, 1)
    )
    name = identity(record)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Shuffle certification {name}: {_word(record)}</title>\n"
        f"<style>{css}{_running_foot(record)}</style></head>\n<body>\n"
        f'<a class="skip" href="#contents">Skip to the contents</a>\n<main>\n{front(record, name)}'
        f'<nav id="contents" aria-label="Contents"><h2>Contents</h2><ol>{contents}</ol></nav>\n{parts}</main>\n'
        f"{OPENING}{inside(record)}{CLOSING}\n</body></html>\n"
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


def _word(record: dict[str, Any]) -> str:
    return WORDS[record["verdict"]["outcome"]]


def _running_foot(record: dict[str, Any]) -> str:
    """The foot of every printed page."""
    return (
        f'@page {{ @bottom-left {{ content: "Shuffle certification {identity(record)} – {_word(record)}"; }} '
        '@bottom-right { content: counter(page) " / " counter(pages); } }\n'
    )
