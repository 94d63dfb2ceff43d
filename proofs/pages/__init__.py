"""Everything under docs/ that is made from the code: one table of pages, one way to write and to check them.

`python -m proofs.pages` writes what is out of date; `--check` writes nothing and fails where something is.
"""

from proofs.pages.registry import PAGES, stale, write

__all__ = ["PAGES", "stale", "write"]
