"""docs/validation.md, from the records in docs/evidence and the plans."""

import hashlib
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path

from proofs.pages.markdown import table
from randomness.certification import PLANS, load_plan

ROOT = Path(__file__).parent.parent.parent
EVIDENCE = ROOT / "docs" / "evidence"
MOST_LINES = 8
MOST_WORDS = 4

# evidence, what it validates, how
VALIDATED = (
    ("theory", "the shuffle kernels and the exact laws",
     "published distances and guesses of riffles and shelves, by formula and by a million decks of each kernel"),
    ("calibration", "the tests on decks and the verdict of a whole plan",
     "p-values on ideal shuffles against the uniform law, far into the tail; whole runs of a plan on an ideal device"),
    ("calibration-time", "the tests of what changes along a run, or by turns",
     "the same, at the size that the record states"),
    ("calibration-spread", "the tests of whole distributions", "the same, at the size that the record states"),
    ("calibration-places", "the tests of single places, seats and pairs",
     "the same, at the size that the record states"),
    ("plan-alarms", "false alarms of a whole plan", "complete runs on ideal devices at three sizes, controls included"),
    ("bit-calibration", "SP 800-22 on bits",
     "p-values of all fifteen tests on an ideal generator's bits against the uniform law"),
    ("draw-calibration", "the tests on drawn numbers",
     "p-values at the least number of draws of each test, below bounds from 2 on"),
    ("sensitivity", "what the battery finds",
     "planted defects on a ladder of sample sizes, each with a predicted number of decks"),
    ("laboratory", "stationarity, dispersion, repeats and finer places",
     "defect classes on a ladder with their predicted sizes, ten seeds each"),
    ("any-deck", "decks other than 52 cards",
     "p-values on ideal short decks, jokers and shoes; planted defects; whole runs on ideal files"),
    ("classical-generators", "what tests of bits find of classical generators",
     "each generator through SP 800-22 and the tests of linear recurrences"),
    ("dieharder", "the generator, by another's tests", "all of dieharder's tests on the generator behind the shuffles"),
)  # fmt: skip

# what is checked on every change, and where
CHECKED = (
    ("each count of the deck battery, in numpy and compiled, against a plain oracle", "tests/randomness/decks"),
    ("exact laws against enumeration of small decks and published tables", "tests/randomness/decks, theory"),
    ("SP 800-22 against the standard's worked examples", "tests/randomness/bits"),
    ("known answers of the generators (SP 800-90A)", "tests/randomness/drbg"),
    ("every estimator of SP 800-90B against the figures of NIST's own tool on the same files",
     "tests/randomness/assessment"),
    ("the same record from one process, several, a cluster, and after a stop", "tests/shuffler/cli"),
    ("planted defects fail, are located, and are never called unreadable", "tests/shuffler/cli"),
    ("every number of a report is a number of its record", "tests/shuffler/lab/certificate"),
    ("a report changed in one character is found out", "tests/shuffler/lab/certificate"),
    ("every form of file gives the same decks; what can't be read is refused", "tests/randomness/certification"),
)  # fmt: skip

LIMITS = (
    "A pass says what the tests of the plan would have found at this sample, no more. Section “Power” of each report has "
    "the least effect of each test; smaller ones are for code review.",
    "A statistical test of decks does not show that a generator can't be predicted: that is cryptography, source review "
    "(GLI-19 3.2.1, 3.3.2) and the SP 800-90 tests.",
    "Start orders and memory between shuffles are tested where a file gives the order before each shuffle, or its rows "
    "follow each other without gaps. Tests that need what the file does not have are listed as not applicable.",
    "Holm's rule holds whatever the dependence between tests. It is not the most powerful rule for tests that depend on "
    "each other.",
    "Every test counts each of the first 2,097,152 decks of a run. Of later decks costly tests count one segment of 4,096 "
    "in a fixed number: a longer run counts every deck that a shorter one does. The record says how many each saw "
    "(`sub_samples`).",
    "Of more decks than a plan remembers, repeats are looked for among the lowest fingerprints, as many as it remembers: "
    "a longer run never keeps fewer.",
    "Where every deck was shuffled from the one before, tests against the input and against the deck before are one "
    "statistic and are judged once.",
    "Defects of these families are found by tests of their own: classes of cards by region, lanes and groups that an "
    "earlier order leads to, suits and ranks by distance, memory up to 128 decks back. Not covered by a test of their own: "
    "orders that return with a few cards moved, periods that no plan names, short episodes after a start.",
    "A verdict is on the decks that were given. Whether they came from the device named on the cover is for the "
    "laboratory's chain of custody; collecting over the wire checks them against the device's commitments.",
    "A re-test is made once per record file: the note beside the record names the second file. A copy of the record "
    "elsewhere has no note; the digests in both reports show what was done.",
    "The emulated device and its mechanisms are models. Validation on them says that the tests work, not that a machine "
    "does.",
)  # fmt: skip

KEPT = (
    ("raw decks", "the files that were certified, unchanged; their SHA-256 stands in the record"),
    ("raw bits", "where `--bits` was used, with the provenance file beside them"),
    ("records", "`--json` of every run, failed, inconclusive and re-tested ones included, and `RECORD.retest` beside"),
    ("reports", "`--html`, as handed in: each carries its record and its seal"),
    ("plans and covers", "the TOML files that were given; built-in plans are in the program"),
    ("the program", "the source at the commit used, and the installed versions that the record lists under `tool`"),
    ("keys", "the public key of every signature; the private key under the laboratory's own rules, never with the records"),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """One record of a proof, as it lies on disk."""

    name: str
    command: str
    seed: str
    commit: str
    python: str
    sha256: str
    found: tuple[str, ...]


def read(name: str, folder: Path = EVIDENCE) -> Evidence | None:
    """The head of a record, and its summary; None where the proof has not been run."""
    path = folder / f"{name}.md"
    if not path.is_file():
        return None
    data = path.read_bytes()
    lines = data.decode("utf-8").splitlines()
    said = {key: value for line in lines[:9] if (key := line[2:].partition(":")[0]) and (value := _after(line))}
    python = next((line.removeprefix("- ") for line in lines[:9] if line.startswith("- Python")), "")
    return Evidence(
        name=name,
        command=said.get("command", ""),
        seed=said.get("seed", ""),
        commit=said.get("commit", "")[:12],
        python=python,
        sha256=hashlib.sha256(data).hexdigest(),
        found=tuple(_summary(lines)),
    )


def _after(line: str) -> str:
    return line.partition(": ")[2].strip() if line.startswith("- ") else ""


def _summary(lines: list[str]) -> list[str]:
    """The bullets of a record after its head; its first paragraph where it has none."""
    head = next((n for n, line in enumerate(lines) if line.startswith("- Python")), 0)
    body = lines[head + 1 :]
    bullets = [line.removeprefix("- ") for line in body if line.startswith("- ")]
    if bullets:
        return bullets[:MOST_LINES]
    paragraph: list[str] = []
    for line in body:
        if line.startswith(("|", "#", "!")) or (not line and paragraph):
            break
        paragraph += [line] if line else []
    return ([" ".join(paragraph)] if paragraph else []) + _tallied(body)


def _tallied(lines: list[str]) -> list[str]:
    """What the last column of the first table says, where that is a few words."""
    first = next((n for n, line in enumerate(lines) if line.startswith("|")), len(lines))
    whole = takewhile(lambda line: line.startswith("|"), lines[first:])
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in whole]
    if len(rows) < 3:
        return []
    head, many = rows[0][-1], Counter(row[-1] for row in rows[2:])
    if len(many) > MOST_WORDS or not head:
        return [f"table of {len(rows) - 2} rows"]
    return [f"table of {len(rows) - 2} rows, “{head}”: " + ", ".join(f"{word or '–'} {n}×" for word, n in many.items())]


# ----- the page -------------------------------------------------------------------------------------------------------


def page(folder: Path = EVIDENCE) -> str:
    """The whole page."""
    there = [(row, found) for row in VALIDATED if (found := read(row[0], folder)) is not None]
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    what = table(
        ("evidence", "what", "how", "command", "seed", "commit"),
        [
            (f"[{one.name}](evidence/{one.name}.md)", row[1], row[2], one.command, one.seed, f"`{one.commit}`")
            for row, one in there
        ],
    )
    digests = table(
        ("evidence", "made with", "SHA-256 of the record"),
        [(one.name, one.python, f"`{one.sha256}`") for _, one in there],
    )
    results = "\n\n".join(
        f"**{one.name}**\n\n" + "\n".join(f"- {_linked(line)}" for line in one.found) for _, one in there if one.found
    )
    plans = table(
        ("plan", "level", "least decks", "SHA-256"),
        [(name, f"{plan.level:g}", f"{plan.least_decks:,}", f"`{plan.digest()}`") for name in PLANS if (plan := load_plan(name))],
    )  # fmt: skip
    return f"""# Validation

Made by `make docs` from the records in [evidence](evidence) and the plans; edit those. For the file of a laboratory that
certifies shufflers with this program: what was validated, how, with which versions, what it can't show, and what to keep.

Program: shuffler-bench {version}. Every record states the version, the interpreter and libraries, and a SHA-256 over the
source of everything that counts and judges (`tool.code_sha256`).

## What was validated

{what}

Each is repeated with its command; the record says on which commit it was made. Records and their digests:

{digests}

## What came out

{results}

## What is checked on every change

{table(("what", "where"), list(CHECKED))}

`make check` runs all of it; `make proof-NAME` repeats a row of the first table at full size.

## Plans

{plans}

A plan file may bear one of these names only if its digest is the same. The digest stands on the cover of every report.

## Known limits

{chr(10).join(f"- {line}" for line in LIMITS)}

## What a laboratory keeps

For as long as its own rules and the jurisdiction ask; the program needs nothing else to repeat a run.

{table(("what", "which"), list(KEPT))}

## Repeating a run years later

1. Check the report: `shuffler certify verify REPORT --key LAB.pub`.
2. Check out the source at the commit kept, and install the versions under `tool` of the record.
3. Check the raw decks against the SHA-256 in the record: `sha256sum FILE`.
4. Run the command under “How to repeat it” with `--json AGAIN.json`.
5. Compare: the same program, plan and source give the same record, byte for byte, on any number of workers. A later
   version gives another `code_sha256`, and may add tests; statistics of the same name have the same values unless the
   changelog says otherwise.
"""


def _linked(line: str) -> str:
    """Links of a record are relative to its own folder."""
    return re.sub(r"\]\((?!https?:|#)([^)]+)\)", r"](evidence/\1)", line)
