"""The numbered rules of the reference, read from its chapters."""

import re
from functools import cache

from protocol.render.reference import prose

_NUMBER = re.compile(r"\*\*([A-Z]-\d+)(?: [^*]*)?\*\*")


@cache
def rules() -> dict[str, str]:
    """Return number and text of each rule in the order of the page, without Markdown."""
    found: dict[str, str] = {}
    text = prose()
    marks = list(_NUMBER.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    for mark, end in zip(marks, ends, strict=True):
        whole = text[mark.start() : end].split("\n## ")[0]
        paragraph = whole.split("\n\n")[0].split("\n- ")[0]
        plain = " ".join(paragraph.replace("*", "").replace("`", "").split())
        found[mark[1]] = plain.removeprefix(mark[1]).strip()
    return found
