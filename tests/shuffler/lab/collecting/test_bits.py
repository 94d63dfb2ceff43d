"""Raw bits of a device's generator: to a laboratory, in service mode, and no shuffle uses them."""

from typing import Any

import pytest

from protocol import messages as m
from protocol.vocabulary import ErrorCode, Mode, Role
from randomness.sources import seeded_source
from shuffler.errors import Refused
from shuffler.host.client import Client
from shuffler.host.dealing import wait_until_on
from shuffler.lab.collecting import BitCollector, CannotCollect
from shuffler.lab.collecting.decks import prove

pytestmark = pytest.mark.slow


def collector(client: Client, **words: str) -> BitCollector:
    wait_until_on(client)
    return BitCollector(client, **{"technician": "oil", "laboratory": "ice", **words})


def mode(client: Client) -> Mode:
    return client.ask(m.GetStatus(), m.Status).mode


@pytest.mark.parametrize("size", [1, 1024, 20_001])
def test_the_bits_are_those_of_the_generator_behind_the_shuffles(serve: Any, size: int) -> None:
    with serve(seed=8) as devices, Client.open(devices.url) as client:
        with collector(client) as reading:
            assert mode(client) is Mode.SERVICE
            chunks = list(reading.chunks(size))
            assert reading.marks == ("seeded",)
        assert mode(client) is Mode.PLAY
        boots = devices.served[0].emulator.device.boots
    source = seeded_source(8, stream=(boots << 32) + (1 << 1))
    assert b"".join(chunks) == b"".join(source.generate(len(chunk)) for chunk in chunks)
    assert sum(map(len, chunks)) == size


def test_a_stop_ends_it_with_what_was_asked_for_and_the_device_is_as_before(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client:
        with collector(client) as reading:
            got: list[bytes] = []
            for chunk in reading.chunks(1 << 30, lambda: len(got) >= 5):
                got.append(chunk)
        assert 5 <= len(got) < 50
        assert mode(client) is Mode.PLAY


def test_without_the_laboratorys_words_nothing_is_read_and_the_device_is_as_before(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client:
        with pytest.raises(CannotCollect, match="for the laboratory's"), collector(client, laboratory="fire"):
            raise AssertionError("read without the words")
        assert mode(client) is Mode.PLAY


def test_the_device_gives_raw_bits_to_nobody_else_and_not_in_play(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client:
        wait_until_on(client)
        for role, words, code in (
            (Role.SUPERVISOR, "sun", ErrorCode.NOT_AUTHORISED),
            (Role.TECHNICIAN, "oil", ErrorCode.NOT_AUTHORISED),
            (Role.LABORATORY, "ice", ErrorCode.NOT_NOW),
        ):
            prove(client, role, words)
            with pytest.raises(Refused) as refusal:
                client.call(m.ReadRandom(count=16))
            assert refusal.value.code is code


@pytest.mark.parametrize("count", [0, 1025, 65535])
def test_too_much_at_once_is_refused(serve: Any, count: int) -> None:
    with (
        serve() as devices,
        Client.open(devices.url) as client,
        collector(client),
        pytest.raises(Refused, match="1 to 1,024 bytes"),
    ):
        client.call(m.ReadRandom(count=count))


def test_a_dead_noise_source_gives_a_fault_and_no_bits(serve: Any) -> None:
    with serve() as devices, Client.open(devices.url) as client, collector(client) as reading:
        devices.do(lambda one: setattr(one.emulator.machine.noise, "stuck_share", 1.0))
        with pytest.raises(CannotCollect, match="RANDOM_SOURCE"):
            list(reading.chunks(100))
        assert client.ask(m.GetStatus(), m.Status).fault_code.name == "RANDOM_SOURCE"
