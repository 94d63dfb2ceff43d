"""The Wireshark dissector, judged by tshark itself: every field of every message over every line, and fuzzed frames."""

from pathlib import Path
from random import Random

import pytest

from proofs import dissector
from protocol.catalogue import CATALOGUE
from protocol.framing import pack_header, wrap
from protocol.layout import Nested, Records, layout
from protocol.render.c_header import snake

pytestmark = [pytest.mark.slow, pytest.mark.needs("tshark")]

LONGEST_PIECE = {"TCP": 40, "serial": 90, "USB": 400}


@pytest.mark.parametrize("where", dissector.CAPTURES)
def test_every_field_of_every_message_is_shown_as_the_codec_reads_it(where: str, tmp_path: Path) -> None:
    lines = dissector.every_line()
    pieces = dissector.cut(b"".join(lines), Random(1), LONGEST_PIECE[where])
    compared = dissector.compare(where, tmp_path, lines, pieces=pieces)
    assert compared.differences == []
    assert compared.frames == len(lines) * (2 if where == "USB" else 1)


def test_fuzzed_frames_get_our_verdict_and_no_lua_error(tmp_path: Path) -> None:
    counted, differences = dissector.fuzz(1500, 7, tmp_path)
    assert differences == []
    assert set(counted) == {
        "not COBS", "too short", "too long", "wrong CRC", "sealed", "unknown", "malformed", "sound",
    }  # fmt: skip


def test_a_lua_error_would_be_noticed(tmp_path: Path) -> None:
    source = dissector.SCRIPT.read_text(encoding="utf-8")
    planted = source.replace("if not is_utf8(range:raw())", "if nil + 1")
    assert planted != source
    script = tmp_path / "planted.lua"
    script.write_text(planted, encoding="utf-8")
    capture = tmp_path / "c.pcapng"
    dissector.serial_capture(capture, dissector.every_line())
    with pytest.raises(dissector.Stumbled, match="Lua"):
        dissector.frames_seen(capture, script=script)


def test_another_tcp_port_is_known_by_its_first_sound_frame(tmp_path: Path) -> None:
    lines = dissector.every_line()[:20]
    capture = tmp_path / "c.pcapng"
    dissector.tcp_capture(capture, lines, port=dissector.OTHER_PORT)
    assert dissector.frames_seen(capture) == [dissector.expected(line.strip(b"\0")) for line in lines]


def test_a_wrong_crc_is_flagged_and_can_be_filtered_for(tmp_path: Path) -> None:
    good = wrap(pack_header(0, 0x11, 5, 1, 0, 1), b"")
    bad = good[:-2] + bytes((good[-2] ^ 0x40 or 1,)) + good[-1:]
    capture = tmp_path / "c.pcapng"
    dissector.serial_capture(capture, [good, bad, good])
    shown = dissector.tshark(capture, "-Y", "shuffler.bad_crc", "-T", "fields", "-e", "shuffler.crc.status")
    assert shown.split() == ["0"]
    named = dissector.tshark(capture, "-Y", 'shuffler.message == "GetStatus" && shuffler.crc.status == 1')
    assert len(named.splitlines()) == 2


def names_of(prefix: str, kind: type) -> list[str]:
    names = []
    for field in layout(kind):
        names.append(f"{prefix}.{field.name}")
        if isinstance(field.kind, Nested | Records):
            names += names_of(names[-1], field.kind.type)
    return names


def test_one_can_filter_on_every_field_of_every_message(tmp_path: Path) -> None:
    capture = tmp_path / "c.pcapng"
    dissector.serial_capture(capture, dissector.every_line())
    names = [name for entry in CATALOGUE for name in names_of(f"shuffler.{snake(entry.name)}", entry.body)]
    shown = dissector.tshark(capture, "-Y", " || ".join(names)).splitlines()
    lines = [dissector.expected(line.strip(b"\0")) for line in dissector.every_line()]
    with_fields = [shown for shown in lines if any(name in names for name, _ in shown)]
    assert len(shown) == len(with_fields)
    with pytest.raises(dissector.Stumbled, match="no_such_field"):
        dissector.tshark(capture, "-Y", "shuffler.hello.no_such_field")
