"""The same without a port and without waiting: both ends in memory, on a virtual clock."""

import pytest
from pit_controller import PitController


@pytest.mark.shuffler(port="memory", hands="manual")
def test_a_controller_waits_for_an_hour_in_no_time(shuffler_device):
    client = shuffler_device.client
    shuffler_device.advance(3600)
    assert shuffler_device.panel().top == "LOAD CARDS"
    assert client.connected


@pytest.mark.shuffler(port="memory")
def test_the_light_is_red_until_somebody_frees_the_card(shuffler_device):
    shuffler_device.inject("jam_exit", when="group=1", by_hand=True)

    def somebody_comes(_):
        assert shuffler_device.panel().red
        shuffler_device.advance(600)  # ten minutes later
        shuffler_device.clear("jam_exit")
        shuffler_device.press("OK")

    assert not PitController(shuffler_device.client, somebody_comes).deal(3).void


@pytest.mark.shuffler(port="memory")
def test_bytes_for_a_controller_with_its_own_protocol_stack(shuffler_device):
    port = shuffler_device.port(timeout=1.0)
    port.write(b"\x00not a frame\x00")
    assert port.read(1) == b""  # a second of virtual time: the device says nothing to noise
    assert shuffler_device.now_us == 1_000_000


@pytest.mark.shuffler_table(rules="south-dakota", seats=5, strategy="always")
def test_a_table_swaps_its_shuffler_and_pays_nothing_twice(shuffler_table):
    shuffler_table.play(2)
    shuffler_table.swap()
    shuffler_table.play(2)
    assert shuffler_table.settled == 4
    assert shuffler_table.out_of_balance == 0


def test_a_scenario_of_the_library_as_part_of_a_test(shuffler_scenario):
    assert shuffler_scenario("early-grab").virtual_s > 30
