"""A device in memory: every verb of the kit, in virtual time."""

import pytest

from protocol import messages as m
from protocol.vocabulary import ErrorCode, Role
from shuffler.errors import GaveUp, LinkLost, Refused, TimedOut
from shuffler.kit.controller import ControlledDevice
from shuffler.kit.dealing import RoundMisdealt
from shuffler.kit.settings import DeviceSettings


def device(**settings: object) -> ControlledDevice:
    return ControlledDevice(DeviceSettings.of({"port": "memory", **settings}))


@pytest.mark.parametrize("profile", ["i-deal-style", "i-deal-plus-style", "dealing-shoe"])
def test_a_rigged_hand_is_dealt_through_a_jam(profile: str) -> None:
    made = device(profile=profile)
    made.rig_hands({2: "Qs Ks As"}, seats=[1, 2, 3])
    made.inject("jam_exit", when="group=1")
    assert made.deal([1, 2, 3])[2] == "Q♠ K♠ A♠"


def test_the_first_cards_can_be_rigged_in_order() -> None:
    made = device()
    made.rig_deck("2c 3c 4c 5c")
    assert made.deal([4])[4] == "2♣ 3♣ 4♣"


def test_a_device_without_a_reader_names_places() -> None:
    assert device(profile="ace-style").deal([1])[1].startswith("place ")


def test_the_same_seed_deals_the_same_and_another_does_not() -> None:
    assert device(seed=5).deal() == device(seed=5).deal() != device(seed=6).deal()


def test_an_hour_passes_at_once_and_the_session_lasts() -> None:
    made = device()
    made.client.call(m.GetStatus())
    made.advance(3600)
    assert made.now_us >= 3600 * 1_000_000
    assert made.client.connected


def test_a_fault_stays_until_it_is_cleared_and_ok_is_pressed() -> None:
    made = device()
    made.inject("jam_exit", when="group=1", by_hand=True)
    with pytest.raises(GaveUp, match="no round in 100 s: the device stopped: JAM_EXIT at EXIT; its panel says"):
        made.deal([1, 2], limit_s=100)
    assert (made.panel().red, made.panel().top) == (True, "JAM AT EXIT")
    with pytest.raises(Refused) as refused:
        made.client.call(m.EjectStub())
    assert refused.value.code is ErrorCode.FAULTED
    assert made.clear("jam_exit") == 1
    made.press("OK")
    made.client.wait_for(m.FaultCleared)
    made.client.wait_for(m.GroupRemoved)


def test_a_misdeal_ends_the_round_with_its_reason() -> None:
    made = device()
    made.inject("lost_card", when="group=1")
    with pytest.raises(RoundMisdealt, match="misdeal at group"):
        made.deal([1, 2, 3])


def test_the_cable_out_is_silence_and_back_in_is_a_session() -> None:
    made = device()
    made.client.call(m.GetStatus())
    made.unplug()
    with pytest.raises(TimedOut, match="the device does not answer"):
        made.client.call(m.GetStatus(), 5)
    made.plug()
    assert made.client.ask(m.GetInfo(), m.Info).serial == "KIT-1"


def test_a_cable_that_an_injection_pulls_comes_back_by_itself() -> None:
    made = device()
    made.inject("cable_pulled", when="group=2")
    assert set(made.deal([1, 2, 3])) == {0, 1, 2, 3}


def test_a_switched_off_device_answers_nothing_and_goes_on_when_it_is_back() -> None:
    made = device()
    made.deal([1])
    made.switch_off()
    assert made.panel().top == ""
    made.switch_on()
    assert made.client.wait_for(m.PoweredUp).boots == 2
    made.cut_power()
    assert made.client.wait_for(m.PoweredUp).boots == 3


def test_a_role_is_proved_by_its_words() -> None:
    made = device(roles={"supervisor": "the pit boss knows"})
    made.client.prove_role(Role.SUPERVISOR, "the pit boss knows")
    assert made.client.ask(m.GetStatus(), m.Status).role is Role.SUPERVISOR


def test_secure_mode_is_a_setting() -> None:
    made = device(key=bytes(range(32)))
    assert made.deal([1])[1]
    assert any(frame.get("sealed") for frame in made.transcript.frames())


def test_hands_do_what_nobody_else_does() -> None:
    made = device(hands="manual")
    made.client.wait_for(m.PoweredUp)
    made.lay_in()
    made.client.call(m.Load())
    made.advance(1)
    made.open_door()
    assert made.client.wait_for(m.FaultRaised).code.name == "DOOR_OPEN"
    made.close_door()
    assert len(made.take_from_infeed()) == 104  # both decks of the table
    assert sum(len(getattr(made.truth(), name)) for name in made.truth().__slots__) == 104


def test_a_command_reaches_the_device_and_its_host_dies() -> None:
    made = device()
    made.client.wait_for(m.PoweredUp)
    request = made.deliver_and_kill(m.Load())
    reply = made.client.wait(request)
    assert isinstance(reply, m.FateTold)
    assert reply.fate.name == "DONE"


# ----------------------------------------------------------------------------------------------------------- the port


def test_a_port_in_memory_is_a_serial_port_on_the_virtual_clock() -> None:
    made = device()
    port = made.port(timeout=2.0)
    before = made.now_us
    assert port.read(1) == b""
    assert made.now_us - before == 2_000_000
    hello = ControlledDevice(DeviceSettings(port="memory"))
    hello.client.call(m.GetStatus())
    first = hello.transcript.frames()[0]
    port.write(bytes.fromhex(first["line"]))
    assert port.in_waiting > 0
    assert port.read(10_000)
    port.reset_input_buffer()
    port.close()
    assert made.transcript.frames()[1]["message"] == "Welcome"


def test_one_cable_at_a_time() -> None:
    made = device()
    made.port()
    with pytest.raises(LinkLost, match="one cable at a time"):
        _ = made.client
    other = device()
    other.client.call(m.GetStatus())
    with pytest.raises(LinkLost, match="one cable at a time"):
        other.port()
