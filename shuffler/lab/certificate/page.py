"""The report: one HTML page drawn from a run's record alone. No script, nothing fetched; the record is inside.

The page is drawn once, with its seal left out. `joined` puts seal and record in, `apart` takes them out again, so that
a check draws nothing: a later version of the program can check this page.
"""

from dataclasses import dataclass
from html import escape
from importlib import resources

from randomness.certification.model import ReportSeal, RunRecord, encoded
from shuffler.lab.certificate.front import WORDS, front
from shuffler.lab.certificate.html import seal_slot
from shuffler.lab.certificate.sections import SECTIONS

OPENING = '<script type="application/json" id="record">'
CLOSING = "</script>"


def drawn(record: RunRecord, record_sha256: str) -> str:
    """The whole page, without its seal and its record."""
    css = resources.files("shuffler.lab.certificate").joinpath("page.css").read_text(encoding="utf-8")
    parts = [(title, anchor, body) for title, anchor, draw in SECTIONS if (body := draw(record))]
    numbers = {anchor: n for n, (_, anchor, _) in enumerate(parts, 1)}
    contents = "".join(f'<li><a href="#{anchor}">{escape(title)}</a></li>' for title, anchor, _ in parts)
    sections = "".join(
        f'<section id="{anchor}"><h2><span>{numbers[anchor]}</span>{escape(title)}</h2>\n{body}</section>\n'
        for title, anchor, body in parts
    )
    name, word = identity(record_sha256), WORDS[record.verdict.outcome]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Shuffle certification {name}: {word}</title>\n"
        f"<style>{css}{_running_foot(name, word)}</style></head>\n<body>\n"
        f'<a class="skip" href="#contents">Skip to the contents</a>\n<main>\n{front(record, name, numbers)}'
        f'<nav id="contents" aria-label="Contents"><h2>Contents</h2><ol>{contents}</ol></nav>\n{sections}</main>\n'
        f"{OPENING}{CLOSING}\n</body></html>\n"
    )


def identity(record_sha256: str) -> str:
    """The report's name: the beginning of its record's digest."""
    return "-".join(record_sha256[at : at + 4] for at in (0, 4, 8))


def _running_foot(name: str, word: str) -> str:
    """The foot of every printed page."""
    return (
        f'@page {{ @bottom-left {{ content: "Shuffle certification {name} – {word}"; }} '
        '@bottom-right { content: counter(page) " / " counter(pages); } }\n'
    )


# ----- seal and record ------------------------------------------------------------------------------------------------


def seal_lines(seal: ReportSeal) -> str:
    """The seal as it is shown in its section. A check compares these lines: they belong to the format of the record."""
    said = [f"record, SHA-256   {seal.record_sha256}", f"page, SHA-256     {seal.page_sha256}"]
    for one in seal.signatures:
        said.append(f"signed as         {one.role} ({one.algorithm})")
        said.append(f"  public key      {one.public_key}")
        said.append(f"  signature       {one.signature[:64]}")
        said.append(f"                  {one.signature[64:]}")
    said.append("signature         none" if not seal.signatures else f"signatures        {len(seal.signatures)}")
    said.append(f"timestamp         {seal.timestamp.time if seal.timestamp is not None else 'none'}")
    return "\n".join(said)


def seal_word(seal: ReportSeal) -> str:
    """The seal on the first page."""
    if not seal.signatures:
        return "not signed"
    stamp = "" if seal.timestamp is None else f"; RFC 3161 timestamp {seal.timestamp.time}"
    return f"signed ({', '.join(one.role for one in seal.signatures)}){stamp}"


SLOTS = {"lines": seal_lines, "word": seal_word}


def joined(page: str, record: RunRecord) -> str:
    """The page with its seal and its record in their places."""
    assert record.seal is not None
    for name, said in SLOTS.items():
        opening, closing = seal_slot(name)
        page = page.replace(opening + closing, opening + escape(said(record.seal)) + closing)
    # "</" would end the script element; JSON reads "<\/" as the same.
    inside = encoded(record).decode().replace("</", "<\\/")
    return page.replace(OPENING + CLOSING, OPENING + inside + CLOSING)


@dataclass(frozen=True, kw_only=True)
class Apart:
    """A report's page without seal and record, what its slots show, and its record."""

    page: str
    slots: dict[str, str]
    record: str


def apart(text: str) -> Apart:
    """What `joined` put together."""
    before, _, rest = text.partition(OPENING)
    record, _, after = rest.rpartition(CLOSING)
    slots = {}
    for name in SLOTS:
        opening, closing = seal_slot(name)
        head, _, tail = before.partition(opening)
        shown, _, tail = tail.partition(closing)
        slots[name] = shown
        before = head + opening + closing + tail
    return Apart(page=before + OPENING + CLOSING + after, slots=slots, record=record.replace("<\\/", "</"))


def slots_of(seal: ReportSeal) -> dict[str, str]:
    """What the slots of a page should show."""
    return {name: escape(said(seal)) for name, said in SLOTS.items()}
