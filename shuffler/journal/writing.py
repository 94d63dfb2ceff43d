"""Entries to JSON text: for each type a function is written as Python source when it is first used.

What a record holds and how it is read back is in `layouts.py`; the two are equal field by field.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from json import JSONEncoder
from json.encoder import encode_basestring
from types import UnionType
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from protocol import messages as m
from round_engine.money.ledger import Posting
from round_engine.round.operations import Operation
from round_engine.table.state import TableState
from shuffler.journal.layouts import RECORDS, SECTIONS, layout

POSTINGS_KEPT = 4096  # texts; a table makes the same few hundred moves of money again and again

Write = Callable[[Any, list[bytes]], str]
_dumps = JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False, default=dict).encode
_BOOLS = {False: "false", True: "true"}


def written(entries: Sequence[Any], tail: list[bytes]) -> str:
    """Entries as a JSON array; their bytes go to the tail, in order."""
    return "[" + ",".join([_ENTRIES[type(entry)](entry, tail) for entry in entries]) + "]"


class _OnFirstUse(dict[type, Write]):
    """The writers of one section, each made when it is first asked for."""

    def __init__(self, section: str) -> None:
        super().__init__()
        self._section = section

    def __missing__(self, kind: type) -> Write:
        assert kind in SECTIONS[self._section], f"{kind.__name__} is not of the journal's {self._section}"
        self[kind] = made = _make(kind, named=True)
        return made


_ENTRIES, _OPERATIONS, _MESSAGES = _OnFirstUse("entries"), _OnFirstUse("operations"), _OnFirstUse("messages")


class _Part(NamedTuple):
    """One field: its place in a format of `%`, and the Python expression whose value goes there."""

    place: str
    expression: str

    @property
    def text(self) -> str:
        """The expression of the text that comes of both."""
        return self.expression if self.place == "%s" else f"{self.place!r} % ({self.expression},)"


def _make(kind: type, *, named: bool) -> Write:
    """Writes one type as Python source: no loop over fields is left at run time."""
    found, hints = layout(kind), get_type_hints(kind)
    names = dict(_NAMES)
    parts = [_part(hints[name], f"v.{name}", names) for name in found.names]
    places = [f'"{kind.__name__}"'] * named + [part.place for part in parts]
    values = "".join(f"{part.expression}, " for part in parts)
    source = f"def write(v, tail):\n    return {'[' + ','.join(places) + ']'!r} % ({values})"
    exec(compile(source, f"<journal {kind.__name__}>", "exec"), names)
    made: Write = names["write"]
    return made


def _part(hint: Any, value: str, names: dict[str, Any]) -> _Part:
    """A field of a type; `value` is the expression that has it, what is needed besides goes into `names`."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        (some,) = (arm for arm in inside if arm is not type(None))
        return _Part("%s", f"'null' if {value} is None else {_part(some, value, names).text}")
    if origin is tuple:
        if inside[0] in (Posting, int):
            return _Part("[%s]", f"','.join(map({'posting' if inside[0] is Posting else 'str'}, {value}))")
        return _Part("[%s]", f"','.join([{_part(inside[0], 'one', names).text} for one in {value}])")
    if origin is Literal:
        return _Part("%s", f"quoted({value})")
    if hint is bytes:
        return _Part("%d", f"put({value}, tail)")
    if hint is TableState:
        return _Part("%s", f"dumps({value}.to_json())")
    if hint in (Operation, m.Message, m.Event):
        section = "operations" if hint is Operation else "messages"
        return _Part("%s", f"{section}[type({value})]({value}, tail)")
    if hint in RECORDS:
        names[hint.__name__] = _make(hint, named=False)
        return _Part("%s", f"{hint.__name__}({value}, tail)")
    if origin is not None and issubclass(origin, Mapping):
        return _Part("%s", f"dumps({value})")
    kind = getattr(hint, "__supertype__", hint)
    if kind is bool:
        return _Part("%s", f"BOOLS[{value}]")
    if issubclass(kind, str):
        return _Part("%s", f"quoted({value})")
    assert kind is int or issubclass(kind, Enum), f"{hint} can't be written"
    return _Part("%d", value)


@lru_cache(maxsize=POSTINGS_KEPT)
def _posting(posting: Posting) -> str:
    return _dumps(posting)


def _put(value: bytes, tail: list[bytes]) -> int:
    tail.append(value)
    return len(value)


_NAMES: Mapping[str, Any] = {
    "BOOLS": _BOOLS,
    "dumps": _dumps,
    "messages": _MESSAGES,
    "operations": _OPERATIONS,
    "posting": _posting,
    "put": _put,
    "quoted": encode_basestring,
}
