"""A reader of Prometheus' text format, as strict about labels as the real one."""

import re

_LINE = re.compile(r'(\w+)(?:\{((?:\w+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)')
_LABEL = re.compile(r'(\w+)="((?:[^"\\\n]|\\.)*)"')


def samples(text: str) -> list[tuple[str, dict[str, str], float]]:
    """Every sample: name, labels, value."""
    found = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        assert match is not None, line
        labels = {name: re.sub(r"\\.", _plain, value) for name, value in _LABEL.findall(match[2] or "")}
        found.append((match[1], labels, float(match[3])))
    return found


def _plain(match: re.Match[str]) -> str:
    return {"n": "\n", "r": "\r"}.get(match[0][1], match[0][1])
