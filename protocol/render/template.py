"""Template files: text of C, JavaScript, TypeScript, Lua and Markdown with places that a renderer fills.

`@name@` is a place, `@name:,@` one with a format as in f-strings. A line that is the comment `@insert name@` is
replaced whole, so that a template is valid in its own language before it is filled.
"""

import re
from functools import cache
from importlib import resources

_INSERT = r"^[ \t]*(?:/\*|//|--|<!--) @insert (?P<line>\w+)@(?: \*/| -->)?\n"
_PLACE = re.compile(_INSERT + r"|@(?P<name>\w+)(?::(?P<format>[^@\s]+))?@", re.MULTILINE)


def fill(template: str, /, **places: object) -> str:
    """Return the text of a template with its places filled; raises KeyError for a place without a value."""

    def value(at: re.Match[str]) -> str:
        if at["line"] is None:
            return format(places[at["name"]], at["format"] or "")
        return f"{places[at['line']]}\n" if places[at["line"]] else ""

    return _PLACE.sub(value, _text(template)).removesuffix("\n")


@cache
def _text(template: str) -> str:
    return (resources.files("protocol.render") / "templates" / template).read_text(encoding="utf-8")
