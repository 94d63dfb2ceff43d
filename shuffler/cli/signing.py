"""Keys for signatures: `[ROLE=]FILE`, encrypted ones with their pass phrase from the environment or the terminal."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shuffler.lab.certificate import Signer

PASSPHRASE = "SHUFFLER_KEY_PASSPHRASE"
ROLES = ("author", "reviewer")


def signers(given: Sequence[str]) -> tuple[Signer, ...]:
    """One for each key; the first signs as author, the second as reviewer, unless a role is named."""
    from shuffler.lab.certificate import Signer, load_key

    made = []
    for number, each in enumerate(given):
        role, equals, file = each.partition("=")
        if not equals or Path(each).exists():
            role, file = ROLES[min(number, len(ROLES) - 1)], each
        path = Path(file)
        made.append(Signer(key=load_key(path, partial(passphrase, path)), role=role))
    return tuple(made)


def passphrase(path: Path) -> str:
    """The pass phrase of a key."""
    if (said := os.environ.get(PASSPHRASE)) is not None:
        return said
    if not sys.stdin.isatty():
        from randomness.certification.errors import ReportError

        raise ReportError(f"{path} is encrypted: give its pass phrase in {PASSPHRASE}")
    import getpass

    return getpass.getpass(f"pass phrase of {path}: ")
