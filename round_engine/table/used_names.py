"""Names that must never come twice, kept small: names that end in a number are kept as runs of numbers.

A table that has numbered a million rounds one after another remembers one run.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

_DIGITS = "0123456789"
_first = itemgetter(0)


class UsedNames:
    """A set of names that only grows."""

    __slots__ = ("runs",)

    def __init__(self, runs: Mapping[str, Sequence[Sequence[int]]] | None = None) -> None:
        """Start empty, or from what `plain` gave."""
        self.runs: dict[str, list[list[int]]] = {}
        for head, numbers in (runs or {}).items():
            for first, last in numbers:
                self._check(head, first, last)
            self.runs[head] = [list(run) for run in numbers]

    def _check(self, head: object, first: object, last: object) -> None:
        if type(head) is not str or type(first) is not int or type(last) is not int or first > last:
            raise ValueError(f"{head!r}: {first!r} to {last!r} is no run of names")

    def __contains__(self, name: str) -> bool:
        head, number = _parted(name)
        runs = self.runs.get(head, ())
        at = bisect_right(runs, number, key=_first) - 1
        return at >= 0 and number <= runs[at][1]

    def add(self, name: str) -> None:
        """Remember a name."""
        head, number = _parted(name)
        runs = self.runs.setdefault(head, [])
        at = bisect_right(runs, number, key=_first)
        if at > 0 and number <= runs[at - 1][1]:
            return
        joins_left = at > 0 and runs[at - 1][1] == number - 1
        joins_right = at < len(runs) and runs[at][0] == number + 1
        if joins_left and joins_right:
            runs[at - 1][1] = runs.pop(at)[1]
        elif joins_left:
            runs[at - 1][1] = number
        elif joins_right:
            runs[at][0] = number
        else:
            runs.insert(at, [number, number])

    def plain(self) -> dict[str, list[list[int]]]:
        """As plain data: by the text before the number, runs from first to last; -1 stands for no number."""
        return {head: [list(run) for run in runs] for head, runs in self.runs.items()}

    def copy(self) -> "UsedNames":
        """A set of its own."""
        return UsedNames(self.runs)

    def __iter__(self) -> Iterator[str]:
        for head, runs in self.runs.items():
            for first, last in runs:
                yield from (head if number < 0 else f"{head}{number}" for number in range(first, last + 1))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UsedNames) and self.runs == other.runs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"UsedNames({self.runs!r})"


def _parted(name: str) -> tuple[str, int]:
    """A name as the text before its number and the number; -1 where it does not end in one."""
    zeros_too = name[len(name.rstrip(_DIGITS)) :]
    if not zeros_too:
        return name, -1
    digits = zeros_too.lstrip("0") or "0"  # zeros before the number belong to the text
    return name[: -len(digits)], int(digits)
