"""Limits on nesting, checked before the parser runs: its time and memory grow with the square of the depth."""

import re

MAX_DEPTH = 16  # brackets open at once; the deepest file of the product has 3
MAX_KEY_PARTS = 16  # a.b.c has three; the longest key of the product has 4

_TOKEN = re.compile(
    r"""(?P<text> \"{3} (?:[^\\]|\\.)*? \"{3} | '{3} .*? '{3} | " (?:[^"\\\n]|\\.)* " | ' [^'\n]* ')
      | (?P<comment> \#[^\n]*)
      | (?P<bare> [^\s.,\[\]{}="'\#]+)
      | (?P<mark> [.\[\]{}])
      | (?P<space> [\ \t]+)
      | (?P<other> .)
    """,
    re.VERBOSE | re.DOTALL,
)


def excess(text: str) -> tuple[int, str] | None:
    """Return the line and the problem where a text nests too deeply, else None."""
    depth = parts = 0
    for token in _TOKEN.finditer(text):
        kind, said = token.lastgroup, token.group()
        if kind in ("text", "bare"):
            parts = parts or 1
        elif said == ".":
            parts += 1
        elif kind != "space":
            parts = 0
            depth += (said in "[{") - (said in "]}") if kind == "mark" else 0
        if depth > MAX_DEPTH:
            return _line(text, token.start()), f"more than {MAX_DEPTH} brackets are open at once"
        if parts > MAX_KEY_PARTS:
            return _line(text, token.start()), f"a key has more than {MAX_KEY_PARTS} parts"
    return None


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
