"""`shuffler protocol`: render the reference, list the messages, read frames."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from protocol.catalogue import CatalogueEntry
    from protocol.framing import Garbage

CHUNK = 65_536
LONGEST_LINE = 1_000_000
HEX_TEXT = frozenset(b"0123456789abcdefABCDEFxX \t\r\n:,-")

app = typer.Typer(
    name="protocol", help="The wire protocol: its reference, its messages, its frames.", no_args_is_help=True
)


# ---------------------------------------------------------------------------------------------------------------- docs


@app.command()
def docs(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit with code 1 if a file is out of date.")
    ] = False,
    out: Annotated[Path, typer.Option(help="Folder to write to.", file_okay=False)] = Path("docs"),
) -> None:
    """Render the reference, C header, JavaScript module, Wireshark dissector and vectors from the message catalogue."""
    from protocol.render import DOCUMENTS

    stale = 0
    for name, render in DOCUMENTS.items():
        path, text = out / name, render()
        try:
            if path.is_file() and path.read_bytes() == text.encode():
                typer.echo(f"{path}: up to date")
                continue
            stale += 1
            if check:
                typer.echo(f"{path}: {'stale' if path.exists() else 'missing'}")
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        except OSError as problem:
            _fail(f"{path}: {problem.strerror or problem}")
        typer.echo(f"{path}: written")
    if check and stale:
        _fail(f"{stale} of {len(DOCUMENTS)} files are not what the code renders: run `shuffler protocol docs`", code=1)


# ---------------------------------------------------------------------------------------------------------------- list


@app.command("list")
def list_messages(
    chapter: Annotated[str | None, typer.Option(help="Only this chapter: link, session, device, game, deck, …")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list with fields and types.")] = False,
) -> None:
    """List every message with number, direction, reply, effect, roles and meaning."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    from protocol.catalogue import CATALOGUE, Chapter

    if chapter is not None and chapter not in {each.value for each in Chapter}:
        _fail(f"no chapter {chapter!r}: there are {', '.join(each.value for each in Chapter)}")
    chosen = [entry for entry in CATALOGUE if chapter in (None, entry.chapter.value)]
    if as_json:
        from protocol.render.as_json import entry_json

        typer.echo(json.dumps([entry_json(entry) for entry in chosen], indent=1, ensure_ascii=False))
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in ("number", "message", "way", "reply", "effect", "roles", "meaning"):
        table.add_column(column, no_wrap=column != "meaning")
    for entry in chosen:
        table.add_row(
            f"0x{entry.number:02X}",
            entry.name,
            entry.way.value,
            entry.reply.__name__ if entry.reply is not None else "",
            "yes" if entry.effect else "",
            ", ".join(role.name.lower() for role in entry.roles),
            entry.meaning,
        )
    Console(width=None if sys.stdout.isatty() else 180).print(table)


# ---------------------------------------------------------------------------------------------------------------- show


@app.command()
def show(message: Annotated[str, typer.Argument(help="Name or number of a message: GroupRemoved, 0x67.")]) -> None:
    """Show one message: its bytes field by field, and example frames in hex."""
    from protocol.render.examples import examples
    from protocol.render.reference import hex_lines
    from protocol.render.tables import rows

    entry = _entry(message)
    kind: type = entry.body
    typer.echo(f"{entry.name} 0x{entry.number:02X}, {entry.way.value}: {entry.meaning}")
    for row in rows(kind):
        typer.echo(f"  {row.offset:>6}  {row.size:>6}  {row.type:<24} {row.name:<20} {row.meaning}")
    for example in examples(entry):
        typer.echo(f"\n{example.name}, {len(example.line)} bytes on the line:\n{hex_lines(example.line)}")


def _entry(message: str) -> "CatalogueEntry":
    from protocol.catalogue import BY_NUMBER, CATALOGUE

    by_name = {entry.name.lower(): entry for entry in CATALOGUE}
    try:
        found = by_name.get(message.lower()) or BY_NUMBER.get(int(message, 0))
    except ValueError:
        found = None
    if found is None:
        near = [entry.name for name, entry in by_name.items() if message.lower() in name]
        hint = f"did you mean {', '.join(near)}?" if near else "`shuffler protocol list` shows all"
        _fail(f"no message {message!r}: {hint}")
    return found


# -------------------------------------------------------------------------------------------------------------- decode


@app.command()
def decode(
    data: Annotated[str, typer.Argument(help="Bytes in hex, or - to read hex or raw bytes from standard input.")],
    body: Annotated[
        str | None, typer.Option(help="Treat the bytes as the body of this message, without frame and checksum.")
    ] = None,
    whole: Annotated[bool, typer.Option("--whole", help="Show long byte strings in full.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object per line.")] = False,
) -> None:
    """Find frames in bytes and print them field by field; noise between them is counted.

    Hex digits may be separated by spaces, colons, commas or dashes. Frames from standard input are printed as they
    arrive, so a port can be watched: `cat /dev/pts/3 | shuffler protocol decode -`. Exit code 1 if no frame was found.
    """
    from protocol.framing import DELIMITER, Framer
    from protocol.render.frames import frame_json, frame_lines
    from shuffler.host.printable import json_line, printable

    source = _standard_input() if data == "-" else iter([_from_hex(data)])
    if body is not None:
        _decode_body(body, b"".join(source), whole=whole, as_json=as_json)
        return
    framer, found = Framer(), 0
    try:
        for piece in _delimited(source, DELIMITER):
            for frame in framer.feed(piece):
                found += 1
                if as_json:
                    typer.echo(json_line(frame_json(frame)))
                else:
                    title, *fields = frame_lines(found, frame, whole=whole)
                    typer.secho(title, bold=True)
                    typer.echo("\n".join(map(printable, fields)) + "\n" if fields else "")
    except KeyboardInterrupt:
        typer.echo(err=True)
    if framer.garbage.total:
        typer.echo(_noise(framer.garbage), err=True)
    if not found:
        _fail("no frame found: a frame is 00, COBS bytes, 00; for the bytes of a body alone say --body NAME", code=1)


def _decode_body(name: str, data: bytes, *, whole: bool, as_json: bool) -> None:
    from protocol.codec import decode_body
    from protocol.errors import RemoteProtocolError
    from protocol.render.as_json import plain
    from protocol.render.tables import shown_fields
    from shuffler.host.printable import json_line, printable

    entry = _entry(name)
    try:
        message = decode_body(entry.number, data)
    except RemoteProtocolError as problem:
        _fail(str(problem), code=1)
    if as_json:
        typer.echo(json_line({"message": entry.name, "fields": plain(message)}))
        return
    typer.secho(entry.name, bold=True)
    for field, value in shown_fields(message, whole=whole).items():
        typer.echo(printable(f"    {field:<20} {value}"))


def _noise(garbage: "Garbage") -> str:
    kinds = {
        "too long": garbage.too_long,
        "no COBS": garbage.not_cobs,
        "too short": garbage.too_short,
        "wrong check": garbage.bad_crc,
    }
    return "noise: " + ", ".join(f"{count} {kind}" for kind, count in kinds.items() if count)


def _delimited(source: Iterator[bytes], delimiter: bytes) -> Iterator[bytes]:
    """The bytes with a delimiter at both ends, so that a frame copied without them is found."""
    yield delimiter
    yield from source
    yield delimiter


def _standard_input() -> Iterator[bytes]:
    """Standard input as bytes, as they come; text of hex digits is taken as hex, line by line."""
    stream: Any = sys.stdin.buffer
    first = stream.read1(CHUNK)
    if not first or not HEX_TEXT.issuperset(first):
        while first:
            yield first
            first = stream.read1(CHUNK)
        return
    rest = b""
    while first:
        *lines, rest = (rest + first).split(b"\n")
        for line in lines:
            yield _from_hex(line.decode("latin-1"))
        if len(rest) > LONGEST_LINE:
            _fail(f"a line of more than {LONGEST_LINE:,} hex digits: break it up")
        first = stream.read1(CHUNK)
    yield _from_hex(rest.decode("latin-1"))


def _from_hex(text: str) -> bytes:
    plain = text.replace("0x", " ").replace("0X", " ")
    for separator in ":,-":
        plain = plain.replace(separator, " ")
    try:
        return bytes.fromhex("".join(plain.split()))
    except ValueError:
        shown = text.strip()
        _fail(f"no hex: {shown[:40]!r}{'…' if len(shown) > 40 else ''}; give pairs of digits, as 00 02 01 …")


def _fail(text: str, code: int = 2) -> NoReturn:
    typer.secho(f"shuffler protocol: {text}", err=True, fg="red")
    raise typer.Exit(code)
