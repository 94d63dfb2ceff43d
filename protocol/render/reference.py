"""docs/protocol.md: prose from `chapters`, tables and example frames from the catalogue."""

from protocol.catalogue import CATALOGUE, RECORDS, CatalogueEntry, Chapter, Way, fingerprint
from protocol.layout import layout
from protocol.render import chapters, link_chapters, play_chapters
from protocol.render.examples import examples
from protocol.render.tables import rows, shown_fields
from protocol.vocabulary import VOCABULARY, FlagWord, Word

GROUP_TITLES = {
    Chapter.LINK: "Link",
    Chapter.SESSION: "Answers and fates",
    Chapter.DEVICE: "Device",
    Chapter.GAME: "Game",
    Chapter.DECK: "Deck",
    Chapter.DEAL: "Deal",
    Chapter.LOG: "Log",
    Chapter.MAINTENANCE: "Maintenance",
    Chapter.EVENT: "Events",
}

CHAPTERS = (
    ("What this is", chapters.INTRODUCTION),
    ("Conventions", chapters.CONVENTIONS),
    ("Framing", chapters.FRAMING),
    ("Header", chapters.HEADER_TEXT),
    ("Versions", link_chapters.VERSIONS),
    ("Session", link_chapters.SESSION),
    ("Delivery", link_chapters.DELIVERY),
    ("Small hosts", link_chapters.SMALL_HOST),
    ("Conversations", play_chapters.PLAY),
    ("Faults and refusals", play_chapters.FAULTS),
    ("Capacities", play_chapters.CAPACITIES),
    ("Secure mode", chapters.SECURE),
    ("Roles", chapters.ROLES),
    ("Commitment and openings", chapters.COMMITMENT),
    ("The log's chain", chapters.LOG),
)

BYTES_A_LINE = 32


def reference() -> str:
    """The whole page."""
    parts = [
        "# The shuffler bench's wire protocol",
        "<!-- Rendered by `shuffler protocol docs` from the message catalogue: change that, not this page. -->",
        _contents(),
        *(f"## {title}\n\n{text}" for title, text in CHAPTERS),
        "## Messages",
        f"{len(CATALOGUE)} messages; fingerprint of the catalogue: `{fingerprint().hex()}`. A reply that belongs to "
        "one command has that command's number with the high bit set. Example frames are typical ones and whole, "
        "delimiters included; more are in the vectors.",
        _overview(),
        "### Shared layouts",
        *(f"**{kind.__name__}**\n\n{_table(kind)}" for kind in RECORDS),
        *(_group(group) for group in GROUP_TITLES),
        "## Vocabulary",
        *(_words(name) for name in sorted(VOCABULARY, key=lambda kind: kind.__name__)),
    ]
    return "\n\n".join(parts) + "\n"


def anchor(title: str) -> str:
    """The link target that GitHub and its like make of a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-" or c == "_")


def _link(title: str) -> str:
    return f"[{title}](#{anchor(title)})"


def _contents() -> str:
    titles = [title for title, _ in CHAPTERS] + ["Messages", *GROUP_TITLES.values(), "Vocabulary"]
    return " · ".join(_link(title) for title in titles)


def _overview() -> str:
    lines = ["| number | message | way | reply | effect | roles | meaning |", "|---|---|---|---|---|---|---|"]
    for entry in CATALOGUE:
        reply = "" if entry.reply is None else entry.reply.__name__
        effect = "yes" if entry.effect else ""
        lines.append(
            f"| 0x{entry.number:02X} | {_link(entry.name)} | {entry.way.value} | {reply} | {effect} | "
            f"{_roles(entry)} | {entry.meaning} |"
        )
    return "\n".join(lines)


def _roles(entry: CatalogueEntry) -> str:
    return ", ".join(role.name.lower() for role in entry.roles)


def _group(group: Chapter) -> str:
    entries = [entry for entry in CATALOGUE if entry.group is group]
    return "\n\n".join([f"### {GROUP_TITLES[group]}", *(_message(entry) for entry in entries)])


def _message(entry: CatalogueEntry) -> str:
    kind: type = entry.body
    example = next(each for each in examples(entry) if each.name == "typical")
    fields = "\n".join(f"{name:<20} {value}" for name, value in shown_fields(example.message).items())
    header = (
        f"session 0x{example.frame.session:08x}, sequence {example.frame.sequence}, "
        f"acknowledge {example.frame.acknowledge}, request {example.frame.request}"
    )
    parts = [
        f"#### {entry.name}",
        f"`0x{entry.number:02X}` · {entry.way.value}{_terms(entry)}",
        entry.meaning,
        *([entry.details] if entry.details else []),
        _table(kind) if layout(kind) else "No fields.",
        f"Example: {header}",
        "```\n" + (fields + "\n\n" if fields else "") + hex_lines(example.line) + "\n```",
    ]
    return "\n\n".join(parts)


def _terms(entry: CatalogueEntry) -> str:
    terms = ""
    if entry.reply is not None:
        refusal = " or `Reset`" if entry.group is Chapter.LINK else " or `Error`"
        terms += f" · reply `{entry.reply.__name__}`{refusal}"
    elif entry.way is Way.HOST:
        terms += " · no reply; `Error` where it makes no sense"
    if entry.effect:
        terms += " · has an effect: remembered, never executed twice"
    if entry.roles:
        terms += f" · needs the role {' or '.join(role.name.lower() for role in entry.roles)}"
    return terms


def _table(kind: type) -> str:
    lines = ["| offset | size | type | field | meaning |", "|---:|---:|---|---|---|"]
    lines += [f"| {row.offset} | {row.size} | {row.type} | {row.name} | {row.meaning} |" for row in rows(kind)]
    return "\n".join(lines)


def hex_lines(data: bytes) -> str:
    """Bytes in hex, so many a line."""
    return "\n".join(data[at : at + BYTES_A_LINE].hex(" ") for at in range(0, len(data), BYTES_A_LINE))


def _words(kind: type[Word] | type[FlagWord]) -> str:
    flags = issubclass(kind, FlagWord)
    lines = [f"### {kind.__name__}", "", (kind.__doc__ or "").strip(), ""]
    lines += [f"| {'bit' if flags else 'number'} | word | meaning |", "|---:|---|---|"]
    for word in kind:
        lines.append(f"| {f'0x{word.value:04X}' if flags else word.value} | {word.name} | {word.meaning} |")
    return "\n".join(lines)
