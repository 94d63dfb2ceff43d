"""Names are data: text of devices and files for a terminal, with control characters shown instead of carried out."""

import json
from typing import Any


def printable(text: str) -> str:
    """One line of text; line feeds and escape sequences show as \\x0a and \\x1b."""
    return "".join(one if one.isprintable() else _shown(ord(one)) for one in text)


def json_line(value: Any) -> str:
    """JSON that people can read and a terminal does not act on: unprintable characters are escaped, others are not."""
    text = json.dumps(value, ensure_ascii=False)
    return "".join(one if one.isprintable() else json.dumps(one)[1:-1] for one in text)


def _shown(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
