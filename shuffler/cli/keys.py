"""Key files and role secrets on the command line."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from shuffler.cli.output import fail
from strict_toml import read_bounded

if TYPE_CHECKING:
    from protocol.vocabulary import Role

KEY_BYTES = 32
MOST_BYTES = 4096  # of a key file, with any white space


def read_key(path: Path) -> bytes:
    """The pre-shared key in a file: 64 hexadecimal digits."""
    try:
        key = bytes.fromhex(read_bounded(path, MOST_BYTES).decode("ascii").strip())
    except OSError as problem:
        raise fail(f"{path}: {problem.strerror}") from None
    except ValueError:
        raise fail(f"{path}: expected {2 * KEY_BYTES} hexadecimal digits") from None
    if len(key) != KEY_BYTES:
        raise fail(f"{path}: expected {2 * KEY_BYTES} hexadecimal digits, found {2 * len(key)}")
    return key


def read_or_make_key(path: Path) -> bytes:
    """As `read_key`; a file that is not there is made with a fresh key that only its owner can read."""
    if not path.exists():
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as problem:
            raise fail(f"{path}: {problem.strerror}") from None
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(os.urandom(KEY_BYTES).hex() + "\n")
    return read_key(path)


def role_keys(settings: list[str]) -> "dict[Role, bytes]":
    """`supervisor=words` and the like as keys."""
    from protocol.roles import role_key

    return {role: role_key(words) for role, words in role_words(settings).items()}


def role_words(settings: list[str]) -> "dict[Role, str]":
    """`supervisor=words` and the like as they are."""
    from protocol.vocabulary import Role

    keys: dict[Role, str] = {}
    names = {role.name.lower(): role for role in Role if role is not Role.DEALER}
    for setting in settings:
        name, _, words = setting.partition("=")
        if name not in names or not words:
            raise fail(f"--role {setting}: expected ROLE=WORDS with ROLE one of {', '.join(names)}")
        keys[names[name]] = words
    return keys
