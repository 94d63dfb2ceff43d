"""An auditor of journals that imports nothing of the product: written from docs/journal-format.md and docs/protocol.md.

    python -m proofs.auditor books.db [--shown screen.txt] [--device-groups 812]

`file.py` reads the SQLite file, `entries.py` makes named values of its records, `books.py` holds the checks,
`opening.py` the commitment, `shown.py` what a screen said.
"""

from proofs.auditor.books import Audited, audit

__all__ = ["Audited", "audit"]
