"""The reference's numbered rules, by number: read out of the chapters, which are their one home."""

import re
from functools import cache

from protocol.render.reference import CHAPTERS

_NUMBER = re.compile(r"\*\*([A-Z]-\d+)(?: [^*]*)?\*\*")


@cache
def rules() -> dict[str, str]:
    """Number and text of each rule, in the order of the page; Markdown's marks are taken off."""
    found: dict[str, str] = {}
    for _, text in CHAPTERS:
        marks = list(_NUMBER.finditer(text))
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        for mark, end in zip(marks, ends, strict=False):
            whole = text[mark.start() : end]
            paragraph = whole.split("\n\n")[0].split("\n- ")[0]
            plain = " ".join(paragraph.replace("*", "").replace("`", "").split())
            found[mark[1]] = plain.removeprefix(mark[1]).strip()
    return found
