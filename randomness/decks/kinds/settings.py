"""What somebody says of a deck, on the command line or at the head of a file; what is not said stays open.

At the head of a text: a comment `# deck=36 shoe=1 group=3 seats=7 dealer=no`; of JSON lines: `{"deck_kind": {"deck":
36}}`, or the same inside `provenance`.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from randomness.decks.errors import KindError
from randomness.decks.faces import CARDS
from randomness.decks.kinds.kind import DeckKind, deck_kind, plain_ranks

JSON_KEY = "deck_kind"
_COMMENT = re.compile(r"^\s*(?:#|//|%)\s*(?=deck\s*[=:])", re.IGNORECASE)
_PAIR = re.compile(r"(\w+)\s*[=:]\s*([\w.]+)")
_BETWEEN = " \t,;"
_YES_NO = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True, kw_only=True)
class KindSettings:
    """None where nothing is said."""

    deck: int | None = None
    shoe: int | None = None
    ranks: str | None = None
    told_apart: bool | None = None
    group: int | None = None
    seats: int | None = None
    dealer: bool | None = None

    @property
    def nothing(self) -> bool:
        return all(getattr(self, field.name) is None for field in fields(self))

    def options(self) -> tuple[str, ...]:
        """As they stand on a command line."""
        numbers = [(f"--{name}", getattr(self, name)) for name in ("deck", "shoe", "ranks", "group", "seats")]
        said = [f"{option} {value}" for option, value in numbers if value is not None]
        said += [] if self.told_apart is None else ["--told-apart" if self.told_apart else "--not-told-apart"]
        return (*said, *([] if self.dealer is None else ["--dealer" if self.dealer else "--no-dealer"]))

    def kind(self) -> DeckKind:
        """The deck, where no file says more: 52 cards, dealt in threes, unless these say otherwise."""
        ranks = None if self.ranks is None else plain_ranks(self.ranks)
        deck = self.deck if self.deck is not None else (CARDS if ranks is None else 4 * len(ranks))
        return deck_kind(
            deck, shoe=self.shoe or 1, ranks=ranks, told_apart=bool(self.told_apart), group=self.group or 3,
            seats=self.seats, dealer=self.dealer is not False,
        )  # fmt: skip

    def over(self, other: "KindSettings") -> "KindSettings":
        """These, and the other's where these say nothing."""
        said = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(other, **{name: value for name, value in said.items() if value is not None})


def settings_in(lines: Iterable[str]) -> KindSettings:
    """What the first lines of a file say of its deck."""
    for text in lines:
        if found := _COMMENT.match(text):
            return _of_comment(text[found.end() :].strip())
        if f'"{JSON_KEY}"' in text and text.lstrip().startswith("{"):
            try:
                said = json.loads(text)
            except (ValueError, RecursionError):
                continue
            inside = said.get("provenance") if isinstance(said.get("provenance"), dict) else said
            if isinstance(inside.get(JSON_KEY), dict):
                return _of_values(inside[JSON_KEY])
    return KindSettings()


def is_kind_line(text: str) -> bool:
    """Whether a line of JSON says what the deck is, and is no row."""
    if f'"{JSON_KEY}"' not in text:
        return False
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(said, dict) and isinstance(said.get(JSON_KEY), dict) and "deck" not in said


def _of_comment(text: str) -> KindSettings:
    pairs = {key.lower(): value for key, value in _PAIR.findall(text)}
    if left := _PAIR.sub("", text).strip(_BETWEEN):
        raise KindError(f"the deck's description says '{left[:40]}': expected deck=36 shoe=1 group=3 seats=7 dealer=no")
    return _of_values(pairs)


def _of_values(said: Mapping[str, Any]) -> KindSettings:
    known = [field.name for field in fields(KindSettings)]
    values: dict[str, Any] = {}
    for key, value in said.items():
        if key not in known:
            raise KindError(f"the deck's description has '{key}'; there are {', '.join(known)}")
        values[key] = _value(key, value)
    return KindSettings(**values)


def _value(key: str, value: Any) -> Any:
    if key == "ranks" and isinstance(value, str):
        return value
    if key in ("told_apart", "dealer"):
        if isinstance(value, bool):
            return value
        if str(value).lower() in _YES_NO:
            return _YES_NO[str(value).lower()]
    elif not isinstance(value, bool) and re.fullmatch(r"\d{1,4}", str(value)):
        return int(value)
    raise KindError(f"the deck's description says {key}={value}: expected {_EXPECTED[key]}")


_EXPECTED = {
    "ranks": "ranks such as 6789TJQKA", "deck": "a number of cards", "shoe": "a number of decks",
    "told_apart": "yes or no", "group": "a number of cards", "seats": "a number of players", "dealer": "yes or no",
}  # fmt: skip
