"""The reference's numbered rules, by number: read out of the chapters, which are their one home."""

import re
from functools import cache

from protocol.render.reference import prose

_NUMBER = re.compile(r"\*\*([A-Z]-\d+)(?: [^*]*)?\*\*")


@cache
def rules() -> dict[str, str]:
    """Number and text of each rule, in the order of the page; Markdown's marks are taken off."""
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
