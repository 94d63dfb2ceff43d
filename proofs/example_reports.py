"""`make proof-example-reports` writes the reports under docs/examples: one that passed and one that failed."""

import argparse
from pathlib import Path

from randomness.certification import KernelSubject, Run, certify, load_plan, local_engine
from shuffler.lab.certificate import load_cover, write

FOLDER = Path(__file__).parent.parent / "docs" / "examples"
COVER = "cover.toml"
# file, mechanism, profile, seed
EXAMPLES = (
    ("passed.html", "ejection",                                           "i-deal-style", 7),
    ("failed.html", "defect:favoured-cell:card=36,position=6,relative=1", "",             7),
)  # fmt: skip


def make(folder: Path, plan: str = "quick") -> None:
    """Both reports."""
    cover = load_cover(FOLDER / COVER, ())
    for name, mechanism, profile, seed in EXAMPLES:
        subject = KernelSubject(mechanism=mechanism, seed=seed, profile=profile)
        record = certify(Run(plan=load_plan(plan), subject=subject), local_engine(1))
        write(record | {"cover": cover}, None, html_file=folder / name)
        print(folder / name)


def main() -> None:
    """Write them."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    make(FOLDER)


if __name__ == "__main__":
    main()
