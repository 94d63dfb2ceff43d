"""`make docs`."""

import argparse
import sys

from proofs.pages import stale, write


def main() -> None:
    parser = argparse.ArgumentParser(description="Render the pages under docs/ that are made from the code.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where a page is out of date")
    if parser.parse_args().check:
        sys.exit("".join(f"docs/{name} is out of date: make docs\n" for name in stale()) or None)
    for name in write():
        print(f"docs/{name}: written")


if __name__ == "__main__":
    main()
