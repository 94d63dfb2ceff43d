"""Byte tables and values for people."""

from protocol import messages as m
from protocol.render.examples import typical
from protocol.render.tables import rows, shown_fields
from protocol.vocabulary import DeviceFlag


def test_offsets_count_up_to_the_first_field_of_variable_size() -> None:
    assert [(row.offset, row.size, row.name) for row in rows(m.Info)] == [
        ("0", "2", "flags"),
        ("2", "1", "commits"),
        ("3", "1", "decks"),
        ("4", "2", "deck_cards"),
        ("6", "1 + n", "model"),
        ("…", "1 + n", "serial"),
        ("…", "1 + n", "firmware"),
        ("…", "1 + n", "profile"),
    ]


def test_types_are_named() -> None:
    assert [row.type for row in rows(m.GroupRemoved)][-3:] == ["u32", "u8 bool", "Opening"]
    assert [row.type for row in rows(m.Games)] == ["u8", "u8 n, GameEntry[n]"]
    assert [row.type for row in rows(m.Opening)] == [
        "u16", "u16 n, u8[n] cards", "u16 n, u8[n] places", "u16 n, bytes[n]", "u16 n, bytes[n]"
    ]
    assert rows(m.AskChallenge)[0].type == "u8 Role"
    assert rows(m.Error)[1].type == "u8 n, UTF-8[n]"


def test_values_are_shown_by_their_words() -> None:
    status = shown_fields(typical(m.Status))
    assert status["power"] == "ON (2)"
    assert status["door_open"] == "false"
    assert shown_fields(typical(m.Info))["flags"] == "0x103 (READS_FACES|HAND_RECALL|SEEDED)"
    assert shown_fields(typical(m.Hello))["must"] == "0x0"
    assert shown_fields(typical(m.RecalledHand))["cards"] == "Q♣ Q♥ A♠"


def test_places_of_the_feed_are_shown_as_places_and_never_as_faces() -> None:
    blind = m.RecalledHand(round=1, seat=1, shuffle=1, cards=(), places=(10, 36, 51))
    assert shown_fields(blind)["places"] == "place 10 place 36 place 51"
    assert shown_fields(blind)["cards"] == "(none)"
    assert shown_fields(typical(m.Error))["text"] == "“no deck is ready”"


def test_long_bytes_are_cut_unless_all_are_wanted() -> None:
    verified = typical(m.Verified)
    assert isinstance(verified, m.Verified)
    assert shown_fields(verified)["digest"] == f"{verified.digest[:16].hex()}… (32 bytes)"
    assert shown_fields(verified, whole=True)["digest"] == verified.digest.hex()
    assert shown_fields(m.RandomBytes(data=b""))["data"] == "(empty)"


def test_flag_bits_without_a_name_are_shown_as_a_number() -> None:
    fields = {name: getattr(typical(m.Info), name) for name in typical(m.Info).__dataclass_fields__}
    assert shown_fields(m.Info(**(fields | {"flags": DeviceFlag(0x8001)})))["flags"].startswith("0x8001")
