"""docs/protocol.md: prose from template files, tables and example frames from the declared messages."""

import re
from functools import cache
from types import ModuleType

from protocol import cards, commitment, crc, device_link, framing, host_link, limits, link, secure, stream
from protocol import messages as m
from protocol.catalogue import CATALOGUE, RECORDS, CatalogueEntry, Chapter, Needs, Way, fingerprint, needing
from protocol.layout import layout
from protocol.render.examples import examples
from protocol.render.tables import rows, shown_fields
from protocol.render.template import fill
from protocol.vocabulary import VOCABULARY, FlagWord, Word

CHAPTERS = (
    "introduction",
    "conventions",
    "framing",
    "header",
    "versions",
    "session",
    "delivery",
    "small-hosts",
    "conversations",
    "faults",
    "capacities",
    "secure-mode",
    "roles",
    "commitment",
    "log-chain",
)

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

BYTES_A_LINE = 32


def reference() -> str:
    """Return the whole page."""
    return (
        fill(
            "protocol.md",
            contents=_contents(),
            chapters=prose(),
            count=len(CATALOGUE),
            fingerprint=fingerprint().hex(),
            overview="\n".join(_overview(entry) for entry in CATALOGUE),
            records="\n\n".join(f"**{kind.__name__}**\n\n{_table(kind)}" for kind in RECORDS),
            messages="\n\n".join(_group(group) for group in GROUP_TITLES),
            words="\n\n".join(_words(kind) for kind in sorted(VOCABULARY, key=lambda kind: kind.__name__)),
        )
        + "\n"
    )


@cache
def prose() -> str:
    """Return the chapters with every number filled in from the code."""
    places = {
        **_constants(cards, commitment, crc, device_link, framing, host_link, limits, link, secure, stream),
        "last_face": cards.FACES - 1,
        "special_cards": ", ".join(f"{code} is {name}" for code, name in cards.SPECIAL.items()),
        "shortest_frame": framing.HEADER_SIZE + crc.SIZE,
        "header_table": _header_table(),
        "need_health": _names(needing(Needs.HEALTH)),
        "need_power_only": _names(needing(Needs.POWER) - needing(Needs.PLAY)),
        "okm_bytes": 3 * secure.KEY_BYTES,
        "host_key_end": secure.KEY_BYTES - 1,
        "device_key_end": 2 * secure.KEY_BYTES - 1,
        "proof_key_start": 2 * secure.KEY_BYTES,
        "proof_key_end": 3 * secure.KEY_BYTES - 1,
    }
    return "\n\n".join(fill(f"reference/{name}.md", **places) for name in CHAPTERS)


def _constants(*modules: ModuleType) -> dict[str, int]:
    """The numbers of these modules by name; microseconds also in milliseconds."""
    found = {name: value for module in modules for name, value in vars(module).items() if type(value) is int}
    return found | {f"{name[:-3]}_MS": value // 1000 for name, value in found.items() if name.endswith("_US")}


def _names(kinds: frozenset[type[m.Message]]) -> str:
    return ", ".join(f"`{entry.name}`" for entry in CATALOGUE if entry.body in kinds)


def _header_table() -> str:
    lines = ["| offset | size | field | meaning |", "|---:|---:|---|---|"]
    offset = 0
    for field, size in zip(framing.HEADER, framing.HEADER_SIZES, strict=True):
        lines.append(f"| {offset} | {size} | {field.name} | {field.meaning} |")
        offset += size
    return "\n".join(lines)


def anchor(title: str) -> str:
    """Return the link target that GitHub makes from a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-" or c == "_")


def _link(title: str) -> str:
    return f"[{title}](#{anchor(title)})"


def _contents() -> str:
    titles = [*re.findall(r"^## (.+)$", prose(), re.MULTILINE), "Messages", *GROUP_TITLES.values(), "Vocabulary"]
    return " · ".join(_link(title) for title in titles)


def _overview(entry: CatalogueEntry) -> str:
    reply = "" if entry.reply is None else entry.reply.__name__
    effect = "yes" if entry.effect else ""
    cells = (f"0x{entry.number:02X}", _link(entry.name), entry.way.value, reply, effect, _roles(entry), entry.meaning)
    return "| " + " | ".join(cells) + " |"


def _roles(entry: CatalogueEntry) -> str:
    return ", ".join(role.name.lower() for role in entry.roles)


def _group(group: Chapter) -> str:
    entries = [entry for entry in CATALOGUE if entry.chapter is group]
    return "\n\n".join([f"### {GROUP_TITLES[group]}", *(_message(entry) for entry in entries)])


def _message(entry: CatalogueEntry) -> str:
    kind: type = entry.body
    example = next(each for each in examples(entry) if each.name == "typical")
    shown = "\n".join(f"{name:<20} {value}" for name, value in shown_fields(example.message).items())
    header: dict[str, object] = example.frame._asdict()
    return fill(
        "reference/message.md",
        **header,
        name=entry.name,
        number=entry.number,
        terms=entry.way.value + _terms(entry),
        meaning="\n\n".join(part for part in (entry.meaning, entry.details) if part),
        fields=_table(kind) if layout(kind) else "No fields.",
        example=shown and shown + "\n",
        line=hex_lines(example.line),
    )


def _terms(entry: CatalogueEntry) -> str:
    terms = ""
    if entry.reply is not None:
        refusal = " or `Reset`" if entry.chapter is Chapter.LINK else " or `Error`"
        terms += f" · reply `{entry.reply.__name__}`{refusal}"
    elif entry.way is Way.HOST:
        terms += " · no reply; `Error` if it is refused"
    if entry.effect:
        terms += " · has an effect: the device executes it at most once"
    if entry.roles:
        terms += f" · needs the role {' or '.join(role.name.lower() for role in entry.roles)}"
    return terms


def _table(kind: type) -> str:
    cells = [(row.offset, row.size, row.type, row.name, row.meaning) for row in rows(kind)]
    return fill("reference/layout.md", rows="\n".join("| " + " | ".join(row) + " |" for row in cells))


def hex_lines(data: bytes) -> str:
    """Return bytes in hex, 32 in a line."""
    return "\n".join(data[at : at + BYTES_A_LINE].hex(" ") for at in range(0, len(data), BYTES_A_LINE))


def _words(kind: type[Word] | type[FlagWord]) -> str:
    flags = issubclass(kind, FlagWord)
    lines = [
        f"| {f'0x{word.value:04X}' if flags else word.value} | {word.name} | {word.meaning} |" for word in kind
    ]
    column = "bit" if flags else "number"
    return fill("reference/words.md", name=kind.__name__, meaning=kind.__doc__, column=column, rows="\n".join(lines))
