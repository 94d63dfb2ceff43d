"""The auditor on a command line: 0 when nothing is wrong, 1 when something is."""

import argparse
from pathlib import Path

from proofs.auditor.books import audit
from proofs.auditor.shown import shown_rounds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("journal", type=Path)
    parser.add_argument("--shown", type=Path, help="what the table's screen said")
    parser.add_argument("--device-groups", type=int, help="how many groups the device counts")
    parser.add_argument("--head", help="a hash that must be in it")
    parser.add_argument("--key", action="append", default=[], help="the operator's public key, 64 hexadecimal digits")
    options = parser.parse_args()
    shown = None
    if options.shown is not None:
        with options.shown.open(encoding="utf-8") as file:
            shown = shown_rounds(file)
    keys = frozenset(map(bytes.fromhex, options.key))
    found = audit(options.journal, shown=shown, device_groups=options.device_groups, head=options.head, keys=keys)
    print(f"{found.records} records, {found.rounds} rounds ({found.settled} settled, {found.void} void)")
    print(f"{found.groups} groups, {found.openings} openings against their roots, {found.gaps} gaps on record")
    print(f"{found.signatures} signatures; head {found.head}")
    for problem in found.problems:
        print(f"PROBLEM: {problem}")
    raise SystemExit(bool(found.problems))


if __name__ == "__main__":
    main()
