"""The cover of a report: who tested what for whom. A small TOML file, or single fields."""

import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from randomness.certification.errors import ReportError
from randomness.certification.model import Cover
from strict_toml import Document, Section, Source, read_bounded


@dataclass(frozen=True, kw_only=True)
class CoverField:
    """One line of the cover: its key in a file, its words on the page, its group, whether a signature needs it."""

    key: str
    label: str
    group: str
    needed: bool


# key, on the page, group, needed for a signature
_ROWS = (
    ("report",          "Report number",         "Report",     True),
    ("issued",          "Issued",                "Report",     True),
    ("jurisdiction",    "Jurisdiction",          "Report",     False),
    ("scope",           "Scope",                 "Report",     False),
    ("standards",       "Standards",             "Report",     False),
    ("laboratory",      "Laboratory",            "Laboratory", True),
    ("place",           "Place of the test",     "Laboratory", True),
    ("accreditation",   "Accreditation",         "Laboratory", False),
    ("operator",        "Operator",              "Laboratory", True),
    ("author",          "Author",                "Laboratory", True),
    ("reviewer",        "Reviewer",              "Laboratory", False),
    ("client",          "Client",                "Device",     True),
    ("manufacturer",    "Manufacturer",          "Device",     False),
    ("model",           "Model",                 "Device",     True),
    ("serial",          "Serial number",         "Device",     True),
    ("firmware",        "Firmware",              "Device",     False),
    ("firmware_sha256", "Firmware, SHA-256",     "Device",     False),
    ("sampling",        "Sampling",              "Device",     True),
    ("received",        "Received",              "Device",     False),
    ("tested",          "Tested",                "Device",     True),
    ("disclaimer",      "Disclaimer",            "Disclaimer", False),
)  # fmt: skip
FIELDS = tuple(CoverField(key=key, label=label, group=group, needed=needed) for key, label, group, needed in _ROWS)
_KEYS = tuple(field.key for field in FIELDS)
_LONGEST = 2_000


def load_cover(path: Path | None, given: Iterable[str]) -> Cover:
    """The fields of a file, and over them those given as KEY=VALUE."""
    cover = {} if path is None else _from_file(path)
    for each in given:
        key, equals, value = each.partition("=")
        if not equals or key.strip() not in _KEYS:
            raise ReportError(f"--about takes KEY=VALUE, not '{each}'; a cover has {', '.join(_KEYS)}")
        cover[key.strip()] = value.strip()
    return Cover(**cover)


def missing_fields(cover: Cover) -> tuple[str, ...]:
    """The fields that a signed report needs and this cover does not have."""
    return tuple(field.key for field in FIELDS if field.needed and not getattr(cover, field.key))


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
