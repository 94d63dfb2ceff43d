"""Writing: the text that JSON would give, whatever is in it, and bytes in the tail as they are."""

import json
import zlib
from typing import Any, cast

import pytest

from protocol import messages as m
from protocol.vocabulary import CommitKind, DeviceFlag
from round_engine.money.ledger import EntryKind, Posting
from round_engine.round.operations import DealGroup, Play
from shuffler.journal.codec import MOST_STORED, decode_record, encode_record, unpacked
from shuffler.journal.entries import DeviceSaid, Entry, HeadSigned, Operated, Remark
from shuffler.journal.writing import written

SHUFFLED = m.ShuffleCompleted(
    number=3, time_ms=5, shuffle=2, count=52, game=1, kind=CommitKind.ORDER, flags=DeviceFlag.SEEDED, nonce=bytes(16),
    root=bytes(range(32)),
)  # fmt: skip


def text(*entries: Entry) -> Any:
    return json.loads(written(entries, []))


def test_numbers_words_flags_and_counts_of_bytes() -> None:
    tail: list[bytes] = []
    plain = json.loads(written([DeviceSaid("S", 2**64 - 1, SHUFFLED)], tail))
    flags = int(DeviceFlag.SEEDED)
    said = ["ShuffleCompleted", 3, 5, 2, 52, 1, int(CommitKind.ORDER), flags, 16, 32]
    assert plain == [["DeviceSaid", "S", 2**64 - 1, said]]
    assert tail == [bytes(16), bytes(range(32))]


@pytest.mark.parametrize("words", ['say "no"', "100 % s %d", "back\\slash", "ü\n\0\u2028", "", "]],["])
def test_any_words(words: str) -> None:
    assert text(Remark(words, "kind", words)) == [["Remark", words, "kind", words]]


def test_what_is_left_out_is_null() -> None:
    assert text(Operated(DealGroup(spot=0), ())) == [["Operated", ["DealGroup", "", None, 0, None, 3, None], []]]


def test_postings_that_differ_in_one_field_are_told_apart() -> None:
    one = Posting(EntryKind.WON, 7, "play", 1000, "tray", "player:a", "pair 1 to 1", "004 Rules (1)")
    other = one._replace(amount=1001)
    found = text(Operated(Play(spot=7, amount=1000), (one, other, one)))
    assert found[0][2] == [list(one), list(other), list(one)]


def test_a_number_that_is_none_is_not_written() -> None:
    with pytest.raises(TypeError):
        written([Operated(Play(spot=cast("Any", "three"), amount=1000), ())], [])


def test_what_is_no_entry_is_not_written() -> None:
    with pytest.raises(AssertionError, match="Play is not of the journal's entries"):
        written([cast("Any", Play(spot=3, amount=1000))], [])


@pytest.mark.parametrize("size", [0, 1, MOST_STORED, MOST_STORED + 1, 200_000])
def test_a_tail_of_any_length_comes_back(size: int) -> None:
    entry = HeadSigned(seq=1, head=bytes(size), key=b"k", signature=b"")
    assert decode_record(1, encode_record([entry])) == [entry]


def test_a_body_is_one_stream_of_zlib_whose_tail_is_stored() -> None:
    body = encode_record([DeviceSaid("S", 7, SHUFFLED), Remark("R1", "a", "again " * 100)])
    assert bytes(range(32)) in body
    assert len(body) < 300
    assert zlib.decompress(body[1:]).endswith(bytes(16) + bytes(range(32)))
    plains, tail = unpacked(body)
    assert plains[1][3] == "again " * 100
    assert tail.take(48) == bytes(16) + bytes(range(32))
