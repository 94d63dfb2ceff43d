"""The table of pages: each with the function that renders it, imported when it is wanted."""

from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"

# page under docs/: (module, function that gives its text)
PAGES: dict[str, tuple[str, str]] = {
    "actions.md": ("proofs.pages.device", "actions_page"),
    "architecture.md": ("proofs.pages.architecture", "page"),
    "certification-record.schema.json": ("proofs.pages.certification", "record_schema"),
    "clauses.md": ("proofs.pages.certification", "clauses_page"),
    "bits-and-draws.md": ("proofs.pages.bits_and_draws", "page"),
    "command-line.md": ("proofs.pages.command_line", "page"),
    "deck-battery.md": ("proofs.pages.deck_battery", "page"),
    "faults.md": ("proofs.pages.device", "faults_page"),
    "journal-format.md": ("proofs.pages.journal", "page"),
    "monitoring.md": ("proofs.pages.monitoring", "page"),
    "odds.md": ("shuffler.odds", "page"),
    "profiles.md": ("proofs.pages.device", "profiles_page"),
    "proficiency.md": ("proofs.pages.proficiency", "page"),
    "protocol.md": ("protocol.render", "reference"),
    "protocol/shuffler_protocol.h": ("protocol.render", "c_header"),
    "protocol/package.json": ("protocol.render", "javascript_package"),
    "protocol/shuffler-protocol.d.ts": ("protocol.render", "javascript_types"),
    "protocol/shuffler-protocol.js": ("protocol.render", "javascript"),
    "protocol/shuffler.lua": ("protocol.render", "lua_dissector"),
    "protocol/vectors.json": ("protocol.render", "vectors"),
    "rules.md": ("proofs.pages.rules", "page"),
    "states.md": ("proofs.pages.device", "states_page"),
    "table.md": ("proofs.pages.timeouts", "page"),
    "validation.md": ("proofs.pages.validation", "page"),
}


def rendered(name: str) -> str:
    """A page as it should be."""
    module, function = PAGES[name]
    text: str = getattr(import_module(module), function)()
    return text


def stale(folder: Path = DOCS) -> list[str]:
    """The pages that are not what the code renders."""
    return [name for name in PAGES if _read(folder / name) != rendered(name)]


def write(folder: Path = DOCS) -> list[str]:
    """Write what is out of date; gives the names."""
    names = stale(folder)
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(rendered(name), encoding="utf-8")
    return names


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""
