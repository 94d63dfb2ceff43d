"""The edge where settings are read from disk: regular files of a bounded size, or a refusal that says why not."""

from pathlib import Path

from strict_toml.document import Refusal, Source

MOST_BYTES = 4 << 20  # no settings file comes near; a device node or a mistaken data file goes past it


def read_source(path: Path | str, refusal: Refusal) -> Source:
    """A file's text under its own name; raises FileNotFoundError where there is none, else the caller's own error."""
    try:
        return Source(str(path), read_bounded_text(path))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as problem:
        told = problem.strerror if isinstance(problem, OSError) and problem.strerror else problem
        raise refusal(str(path), None, f"can't be read: {told}") from None


def read_bounded_text(path: Path | str, most: int = MOST_BYTES) -> str:
    """As `read_bounded`, as text; ValueError, too, for what is none."""
    content = read_bounded(path, most)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as problem:
        line = content[: problem.start].count(b"\n") + 1
        raise ValueError(f"it is not text in UTF-8 (line {line})") from None


def read_bounded(path: Path | str, most: int = MOST_BYTES) -> bytes:
    """All of a regular file; raises OSError, or ValueError for anything else than a file of at most so many bytes."""
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ValueError("it is not a regular file")
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise ValueError(f"it is larger than {most:,} bytes")
    return content
