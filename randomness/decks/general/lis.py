"""The exact law of the longest increasing subsequence for decks that are usual: worked out once and kept.

For other numbers of cards up to 40 it is worked out when asked for; `python -m randomness.decks.general.lis` writes the
file again.
"""

import json
from functools import lru_cache
from importlib import resources
from pathlib import Path

from randomness.decks import lis
from randomness.decks.laws import Counts

_FILE = "longest.json"
_KEPT = (40, 48, 53, 54)
LONGEST_KNOWN = frozenset({*range(24, 41), 48, 52, 53, 54})


@lru_cache
def longest_increasing(n: int) -> Counts:
    """`counts[k]`: orders of n cards whose longest increasing subsequence has k cards."""
    if n not in _KEPT:
        return lis.longest_increasing(n)
    kept = json.loads(resources.files("randomness.decks.general").joinpath(_FILE).read_text(encoding="utf-8"))
    return tuple(int(count) for count in kept[str(n)])


def main() -> None:
    kept = {str(n): [str(count) for count in lis.by_hook_lengths(n)] for n in _KEPT}
    Path(__file__).with_name(_FILE).write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
