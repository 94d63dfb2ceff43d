"""Where a full-size proof leaves its record: docs/evidence/NAME.md with command, seed, commit and machine."""

import platform
import subprocess
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "docs" / "evidence"


def commit() -> str:
    """The commit the proof ran on, marked where the tree was not clean; records made on the way do not count."""
    git = ["git", "-C", str(FOLDER.parent.parent)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
    what = ["status", "--porcelain", "--untracked-files=no", "--", ".", ":(exclude)docs/evidence"]
    dirty = subprocess.run([*git, *what], capture_output=True, text=True, check=True)
    return head + (" with uncommitted changes" if dirty.stdout.strip() else "")


def record(name: str, *, command: str, seed: int | str, body: str) -> Path:
    """Write the record of one proof and say where it went."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.md"
    head = [
        f"# Proof: {name}",
        "",
        f"- command: `{command}`",
        f"- seed: {seed}",
        f"- commit: {commit()}",
        f"- Python {platform.python_version()} on {platform.system()} {platform.machine()}",
        "",
    ]
    path.write_text("\n".join(head) + "\n" + body.rstrip() + "\n", encoding="utf-8")
    print(f"recorded in {path.relative_to(FOLDER.parent.parent)}")
    return path
