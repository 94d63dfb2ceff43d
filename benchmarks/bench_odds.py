"""All exact odds of every rule set against a brute-force enumeration in C of the same deals."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks import Section, brute_force

REPEATS = 5

# Each in a process of its own, so that nothing is left from the run before; the clock starts after the imports.
TABLE = """
import time
from shuffler.odds import Query, answer
start = time.perf_counter()
given = answer(Query())
print(time.perf_counter() - start, len(given.odds))
"""
TOGETHER = """
import time
from shuffler.odds import Query, answer
start = time.perf_counter()
answer(Query(rules=("ten-dollar-house",), together="ante=10,pair_plus=10,six_card_bonus=10"))
print(time.perf_counter() - start, 1)
"""
PRINTED = """
import time
from shuffler.odds import Query, answer
start = time.perf_counter()
given = answer(Query(printed=True))
print(time.perf_counter() - start, len(given.data))
"""


def in_python(program: str) -> float:
    """Seconds of the quickest run after the imports."""
    runs = [
        subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
        for _ in range(REPEATS)
    ]
    return min(float(seconds) for seconds, _ in runs)


def in_c(program: Path, mode: str) -> float:
    """Seconds of the quickest run, the start of the process included."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        brute_force.counts(program, mode)
        best = min(best, time.perf_counter() - start)
    return best


def run() -> list[Section]:
    with tempfile.TemporaryDirectory() as folder:
        program = brute_force.compile_to(Path(folder), "-O3", "-march=native")
        deals, sixes = in_c(program, "deals"), in_c(program, "sixes")
    brute = deals + sixes
    rows = [
        ("brute force in C (-O3 -march=native): 407,170,400 deals", deals),
        ("brute force in C (-O3 -march=native): 20,358,520 sets of six", sixes),
        ("both: one wager of each kind, counts only", brute),
        ("`shuffler odds`: every wager and paytable of every rule set, exact fractions, rules read", in_python(TABLE)),
        ("`shuffler odds --printed`: the printed figures", in_python(PRINTED)),
        ("`shuffler odds --together`: joint distribution of three wagers under a cap", in_python(TOGETHER)),
    ]
    return [
        Section(
            title="Exact odds",
            columns=("what", "seconds", "of the brute force"),
            rows=tuple((what, f"{seconds:.3f}", f"{seconds / brute:.2f}") for what, seconds in rows),
            note=(
                "Reach: the whole table within the time of the brute force. A new process for each run, the clock "
                "starts after the imports, best of five."
            ),
        )
    ]
