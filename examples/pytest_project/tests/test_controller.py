"""The pit's controller on a real port: whatever can happen to its shuffler, five lines at a time."""

import pytest
from pit_controller import PitController

from shuffler import Client


@pytest.fixture
def pit(shuffler_device):
    """The controller, connected, and what it called the pit for."""
    called = []
    with Client.open(shuffler_device.url) as client:
        controller = PitController(client, called.append)
        controller.called = called
        yield controller


def test_a_rigged_hand_comes_to_its_seat(shuffler_device, pit):
    shuffler_device.rig_hands({2: "Qs Ks As"}, seats=[1, 2, 3])
    assert pit.deal(3).hands[2] == "Q♠ K♠ A♠"


def test_a_jam_calls_the_pit_and_the_round_goes_on(shuffler_device, pit):
    shuffler_device.inject("jam_exit", when="group=1")
    dealt = pit.deal(3)
    assert pit.called == ["JAM_EXIT"]
    assert set(dealt.hands) == {0, 1, 2, 3}


@pytest.mark.shuffler(profile="i-deal-plus-style", setup="wrong-back")
def test_a_card_of_the_other_deck_is_found_before_the_deal(pit):
    assert not pit.deal(2).void
    assert pit.deal(2).hands.keys() == {0, 1, 2}
    assert pit.called == ["WRONG_BACK"]


def test_an_opened_door_voids_the_round(shuffler_device, pit):
    shuffler_device.inject("door_open", when="group=2", clear_after_s=5)
    assert pit.deal(3).void == "MECHANISM"


@pytest.mark.parametrize("port", ["tcp", "pty", "usbip"])
def test_every_cable_deals_alike(port, shuffler_devices):
    device = shuffler_devices(port=port, seed=7)
    with Client.open(device.url) as client:
        assert PitController(client, print).deal(2).hands[1] == "A♦ A♠ Q♣"


def test_the_backup_is_another_device_on_another_port(shuffler_device, shuffler_backup):
    assert shuffler_backup.url != shuffler_device.url
    shuffler_device.switch_off()
    with Client.open(shuffler_backup.url) as client:
        assert not PitController(client, print).deal(1).void
