"""`make proof-example-reports` writes the reports under docs/examples: passed, failed, inconclusive."""

import argparse
from pathlib import Path

from randomness.certification import KernelSubject, Run, RunSettings, certify, load_plan, local_engine
from shuffler.lab.certificate import load_cover, write

FOLDER = Path(__file__).parent.parent / "docs" / "examples"
COVER = "cover.toml"
# file, mechanism, profile, seed, decks (None: the plan's)
EXAMPLES = (
    ("passed.html",       "ejection",                                           "i-deal-style", 7, None),
    ("failed.html",       "defect:favoured-cell:card=36,position=6,relative=1", "",             7, None),
    ("inconclusive.html", "ejection",                                           "i-deal-style", 8, 6_000),
)  # fmt: skip


def make(folder: Path, plan: str = "quick") -> None:
    """All reports."""
    cover = load_cover(FOLDER / COVER, ())
    for name, mechanism, profile, seed, decks in EXAMPLES:
        subject = KernelSubject(mechanism=mechanism, seed=seed, profile=profile)
        run = Run(plan=load_plan(plan), subject=subject, cover=cover, settings=RunSettings(decks=decks))
        record = certify(run, local_engine(1))
        write(record, html_file=folder / name)
        print(folder / name)


def main() -> None:
    """Write them."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    make(FOLDER)


if __name__ == "__main__":
    main()
