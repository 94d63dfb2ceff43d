"""A re-test is made once: a small file beside the record names the second file before anything of it is judged.

The same second file may be judged again, which gives the same report; another one may not.
"""

import json
from pathlib import Path

from randomness.certification import RetestError

ENDING = ".retest"


def claim(record: Path, record_sha256: str, second_sha256: str) -> None:
    """Name the second file; raises RetestError where another one was named before."""
    said = {"record_sha256": record_sha256, "second_sha256": second_sha256}
    beside = record.with_name(record.name + ENDING)
    try:
        with open(beside, "x", encoding="utf-8") as file:
            file.write(json.dumps(said, indent=1) + "\n")
        return
    except FileExistsError:
        pass
    except OSError as error:
        raise RetestError(f"can't note the re-test in {beside}: {error.strerror}") from None
    try:
        before = json.loads(beside.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise RetestError(f"{beside} can't be read: whether the re-test has been made is not known") from None
    if before != said:
        raise RetestError(
            f"{record.name} has been re-tested, on a file with SHA-256 {str(before.get('second_sha256'))[:16]}…: "
            "a re-test is made once"
        )
