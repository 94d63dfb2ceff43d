"""The cover of a report: who tested what for whom. A small TOML file, or single fields, into plain values."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from randomness.certification.errors import ReportError
from strict_toml import Document, Section, Source, read_bounded


@dataclass(frozen=True, kw_only=True)
class CoverField:
    """One line of the cover: its key in a file, its words on the page, the group it stands in."""

    key: str
    label: str
    group: str


# key, on the page, group
_ROWS = (
    ("report",          "Report number",         "Report"),
    ("issued",          "Issued",                "Report"),
    ("jurisdiction",    "Jurisdiction",          "Report"),
    ("scope",           "Scope",                 "Report"),
    ("laboratory",      "Laboratory",            "Laboratory"),
    ("accreditation",   "Accreditation",         "Laboratory"),
    ("author",          "Author",                "Laboratory"),
    ("reviewer",        "Reviewer",              "Laboratory"),
    ("client",          "Client",                "Device"),
    ("manufacturer",    "Manufacturer",          "Device"),
    ("model",           "Model",                 "Device"),
    ("serial",          "Serial number",         "Device"),
    ("firmware",        "Firmware",              "Device"),
    ("firmware_sha256", "Firmware, SHA-256",     "Device"),
    ("received",        "Received",              "Device"),
    ("tested",          "Tested",                "Device"),
    ("disclaimer",      "Disclaimer",            "Disclaimer"),
)  # fmt: skip
FIELDS = tuple(CoverField(key=key, label=label, group=group) for key, label, group in _ROWS)
_KEYS = tuple(field.key for field in FIELDS)
_LONGEST = 2_000


def load_cover(path: Path | None, given: Iterable[str]) -> dict[str, str]:
    """The fields of a file, and over them those given as KEY=VALUE."""
    cover = {} if path is None else _from_file(path)
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or key.strip() not in _KEYS:
            raise ReportError(f"--about takes KEY=VALUE, not '{each}'; a cover has {', '.join(_KEYS)}")
        cover[key.strip()] = value.strip()
    return {key: cover[key] for key in _KEYS if cover.get(key)}


def _from_file(path: Path) -> dict[str, str]:
    try:
        text = read_bounded(path).decode("utf-8")
    except OSError as error:
        raise ReportError(f"can't read the cover {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ReportError(f"the cover {path} is not UTF-8 text") from None
    except ValueError as error:
        raise ReportError(f"can't read the cover {path}: {error}") from None
    document = Document(_refusal)
    document.add(Source(path.name, text))
    top = Section(document, (), document.data)
    cover = {key: _text(top, key) for key in _KEYS if top.has(key)}
    top.finish()
    return cover


def _refusal(file: str, line: int | None, problem: str) -> ReportError:
    return ReportError(f"{file}{'' if line is None else f', line {line}'}: {problem}")


def _text(top: Section, key: str) -> str:
    value = top.take(key)
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        top.refuse(f"{key} must be a text, a number or a date, not {value!r}", key)
    text = str(value).strip()
    if len(text) > _LONGEST:
        top.refuse(f"{key} is longer than {_LONGEST:,} characters", key)
    return text
