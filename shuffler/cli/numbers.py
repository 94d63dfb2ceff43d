"""How numbers are written on the command line: lists with ranges, sizes with a suffix."""

import re

import typer

MAX_LIST = 1000

SUFFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def number_list(text: str, option: str, *, low: int, high: int) -> list[int]:
    """ "1-10", "5,7,9", "1-3,10": the numbers in order."""
    numbers: list[int] = []
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if first > last or len(numbers) + last - first >= MAX_LIST:
            raise typer.BadParameter(f"a list such as 7, 1-10 or 5,7,9 is wanted, not {text!r}", param_hint=option)
        numbers += range(first, last + 1)
    if min(numbers) < low or max(numbers) > high:
        raise typer.BadParameter(f"numbers from {low} to {high:,} are wanted, not {text!r}", param_hint=option)
    return numbers


def byte_count(text: str, option: str) -> int:
    """ "1000", "64k", "100M", "1G" (decimal) or "64Ki", "1Gi" (binary)."""
    match = re.fullmatch(r"\s*(\d+)\s*([kmgt]i?|)b?\s*", text, re.IGNORECASE)
    if match is None:
        raise typer.BadParameter(f"a size such as 1000, 64k, 100M or 1Gi is wanted, not {text!r}", param_hint=option)
    return int(match[1]) * SUFFIXES[match[2].lower()]
