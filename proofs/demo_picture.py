"""The picture on the front page: `shuffler demo` as a terminal shows it, drawn as docs/demo.svg."""

import argparse
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

from rich.console import Console
from rich.text import Text

COLUMNS, LINES = 100, 46
PICTURE = Path(__file__).parent.parent / "docs" / "demo.svg"


def shown(columns: int = COLUMNS) -> str:
    """What the demo writes to a terminal of that width."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns), "LINES": str(LINES)}
    running = subprocess.Popen([sys.executable, "-m", "shuffler", "demo"], stdout=theirs, stdin=theirs, env=env)
    os.close(theirs)
    pieces = []
    while True:
        try:
            pieces.append(os.read(ours, 65536))
        except OSError:  # the other end is closed
            break
    running.wait()
    return b"".join(pieces).decode(errors="replace")


def draw(text: str, columns: int = COLUMNS, lines: int = LINES) -> str:
    """The first lines as SVG: the dealt hands, and the table's first round."""
    kept = [Text.from_ansi(line.split("\r")[-1]) for line in text.replace("\r\n", "\n").split("\n")]
    story = [line for line in kept if not line.plain.startswith("shuffling")]
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        console = Console(record=True, width=columns, file=nowhere, force_terminal=True, color_system="256")
        console.print(Text("$ shuffler demo", style="bold"))
        for line in story[:lines]:
            console.print(line, soft_wrap=True)
    return console.export_svg(title="shuffler demo", unique_id="demo")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PICTURE)
    given = parser.parse_args()
    given.out.write_text(draw(shown()), encoding="utf-8")
    print(f"drawn in {given.out}")


if __name__ == "__main__":
    main()
