"""What broke a peer as a file that repeats it: TOML, one table a step, for `shuffler fuzz URL --repeat FILE`."""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from protocol.catalogue import BY_NUMBER
from protocol.framing import VERSION
from shuffler.errors import ShufflerError
from shuffler.kit.fuzz.steps import LAST, NEXT, SESSION, FuzzStep
from strict_toml import Document, Section, Source

FORMAT = "shuffler-fuzz/1"
MOST_STEPS = 100_000
MOST_HEX = 20_000  # digits of one step: far above any frame
_WORDS = {SESSION: "session", NEXT: "next", LAST: "last"}
_NUMBERS = ("message", "version", "flags", "session", "sequence", "acknowledge", "request", "wait_ms")
_DEFAULTS = {one.name: one.default for one in fields(FuzzStep)}


class BadCase(ShufflerError):
    """A file that is no case, with its line."""


def text_of(steps: Sequence[FuzzStep], *, seed: int, problem: str) -> str:
    """The file; what each frame is stands beside it."""
    lines = [
        f'format = "{FORMAT}"', f"seed = {seed}", f'problem = "{_escaped(problem)}"', f"protocol = {VERSION}", "",
    ]  # fmt: skip
    for step in steps:
        entry = BY_NUMBER.get(step.message)
        name = f"  # {entry.name}" if entry is not None and not step.raw else ""
        lines += ["[[step]]", f'what = "{_escaped(step.what)}"{name}']
        if step.raw:
            lines.append(f'raw = "{step.raw.hex()}"')
        elif step.body:
            lines.append(f'body = "{step.body.hex()}"')
        for name in _NUMBERS:
            value = getattr(step, name)
            if value != _DEFAULTS[name] or (name == "message" and not step.raw):
                lines.append(f"{name} = " + (f'"{_WORDS[value]}"' if value < 0 else str(value)))
        lines.append("")
    return "\n".join(lines)


def read_case(source: Source) -> list[FuzzStep]:
    """The steps of a file; raises BadCase."""
    document = Document(_refusal)
    document.add(source)
    top = Section(document, (), document.data)
    if top.take("format") != FORMAT:
        raise BadCase(f"{source.name}: not a case of this version: format must be {FORMAT}")
    for name in ("seed", "problem", "protocol"):
        if top.has(name):
            top.take(name)
    rows = top.take("step")
    top.finish()
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_STEPS:
        raise BadCase(f"{source.name}: [[step]] must stand 1 to {MOST_STEPS:,} times")
    return [_step(row, f"{source.name}, step {number}") for number, row in enumerate(rows, 1)]


def _refusal(file: str, line: int | None, problem: str) -> BadCase:
    return BadCase(f"{file}{'' if line is None else f', line {line}'}: {problem}")


def _step(row: Any, where: str) -> FuzzStep:
    if not isinstance(row, dict) or set(row) - set(_DEFAULTS) or not isinstance(row.get("what", ""), str):
        raise BadCase(f"{where}: a step has {', '.join(_DEFAULTS)}")
    values: dict[str, Any] = {"what": row.get("what", "")}
    for name in ("raw", "body"):
        values[name] = _bytes(row.get(name, ""), f"{where}: {name}")
    for name in _NUMBERS:
        if name in row:
            values[name] = _number(name, row[name], where)
    return FuzzStep(**values)


def _bytes(text: Any, where: str) -> bytes:
    try:
        if len(text) > MOST_HEX:
            raise ValueError
        return bytes.fromhex(text)
    except (TypeError, ValueError):
        raise BadCase(f"{where} must be at most {MOST_HEX:,} hexadecimal digits") from None


def _number(name: str, value: Any, where: str) -> int:
    words = {word: number for number, word in _WORDS.items()}
    if isinstance(value, str) and value in words and name in ("session", "sequence", "acknowledge"):
        return words[value]
    most = 0xFF if name in ("message", "version", "flags") else 60_000 if name == "wait_ms" else 0xFFFF_FFFF
    if type(value) is not int or not 0 <= value <= most:
        raise BadCase(f"{where}: {name} must be 0 to {most:,}, not {value!r}")
    return value


def _escaped(text: str) -> str:
    return "".join(one if one.isprintable() and one not in '"\\' else "?" for one in text)
