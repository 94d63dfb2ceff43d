"""Frames as `shuffler protocol decode` prints them."""

from protocol.framing import RETRANSMITTED, SEALED
from protocol.render.examples import all_examples
from protocol.render.frames import frame_json, frame_lines
from protocol.render.handshake import handshake

EXAMPLE = next(it for it in all_examples() if it.entry.name == "BeginRound")


def test_a_frame_is_a_heading_and_its_fields() -> None:
    assert frame_lines(1, EXAMPLE.frame) == [
        "#1 BeginRound 0x30 host → device, session 0x5e551017, sequence 10, acknowledge 11, request 17",
        "    round                3021",
        "    seats                127",
    ]


def test_a_retransmission_is_marked() -> None:
    assert frame_lines(1, EXAMPLE.frame._replace(flags=RETRANSMITTED))[0].endswith(", retransmitted")


def test_a_sealed_frame_says_no_more_than_its_header() -> None:
    sealed = handshake().sealed[1]
    assert frame_lines(2, sealed.frame)[1:] == ["    sealed: packet 2, 1 bytes inside"]
    assert frame_json(sealed.frame)["sealed"] is True
    assert sealed.frame.flags & SEALED


def test_a_body_that_does_not_fit_is_shown_with_the_reason() -> None:
    lines = frame_lines(1, EXAMPLE.frame._replace(body=b"\x01\x02"))
    assert "not decodable: BeginRound" in lines[1]
    assert lines[2] == "    body 0102"
    assert "BeginRound" in frame_json(EXAMPLE.frame._replace(body=b""))["error"]


def test_a_message_that_is_not_known_and_a_version_that_is_not_known() -> None:
    assert frame_lines(1, EXAMPLE.frame._replace(message=0x7F))[0].startswith("#1 unknown 0x7F, session")
    assert frame_json(EXAMPLE.frame._replace(message=0x7F))["message"] is None
    assert "version 9 is not known" in frame_lines(1, EXAMPLE.frame._replace(version=9))[1]


def test_json_has_header_and_fields() -> None:
    assert frame_json(EXAMPLE.frame) == {
        "header": {
            "version": 2, "flags": 0, "message": 0x30, "session": 0x5E551017, "sequence": 10, "acknowledge": 11,
            "request": 17,
        },
        "message": "BeginRound",
        "body": "cd0b00007f00",
        "fields": {"round": 3021, "seats": 127},
    }  # fmt: skip
