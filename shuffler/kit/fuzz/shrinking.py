"""Making what broke a peer small: steps are left out as long as the rest still breaks it."""

from collections.abc import Callable, Sequence

from shuffler.kit.fuzz.steps import FuzzStep

MOST_ATTEMPTS = 200


def shrunk(steps: Sequence[FuzzStep], breaks: Callable[[Sequence[FuzzStep]], bool]) -> list[FuzzStep]:
    """The fewest steps found that still break it, by leaving out halves, quarters and so on, in bounded tries."""
    kept, size, attempts = list(steps), max(1, len(steps) // 2), 0
    while attempts < MOST_ATTEMPTS:
        at, smaller = 0, False
        while at < len(kept) and attempts < MOST_ATTEMPTS:
            fewer = kept[:at] + kept[at + size :]
            attempts += 1
            if fewer and breaks(fewer):
                kept, smaller = fewer, True
            else:
                at += size
        if size == 1 and not smaller:
            break
        size = max(1, size // 2) if not smaller or size > 1 else 1
    return kept
