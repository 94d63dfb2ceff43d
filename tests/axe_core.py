"""Where axe-core's script lies, if it does: `npm install axe-core` in this folder, or AXE_CORE names the file."""

import os
from pathlib import Path

_PLACES = (
    Path(__file__).parent.parent / "node_modules",
    Path("/usr/lib/node_modules"),
    Path("/usr/local/lib/node_modules"),
    Path("/usr/share/nodejs"),
)


def script() -> Path | None:
    """The minified script."""
    named = os.environ.get("AXE_CORE")
    candidates = [Path(named)] if named else [place / "axe-core" / "axe.min.js" for place in _PLACES]
    return next((path for path in candidates if path.is_file()), None)
