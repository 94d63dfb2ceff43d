"""The same verbs on ports of the operating system."""

import pytest

from protocol import messages as m
from shuffler.kit.report import picture
from shuffler.kit.served import served
from shuffler.kit.settings import DeviceSettings


@pytest.mark.parametrize("port", ["tcp", "pty", "usbip"])
def test_a_device_on_a_port_deals_what_was_rigged_and_comes_back_after_power_and_cable(port: str) -> None:
    with served(DeviceSettings(port=port)) as device:
        device.rig_hands({2: "Qs Ks As"}, seats=[1, 2, 3])
        device.inject("jam_exit", when="group=1")
        assert device.deal()[2] == "Q♠ K♠ A♠"
        device.unplug()
        device.plug()
        device.switch_off()
        assert device.panel().top == ""
        device.switch_on()
        device.cut_power()
        device.advance(60)
        with device.connect() as client:
            assert client.ask(m.GetCounters(), m.Counters).power_ups == 3
        assert device.clear() == 0
        shown = picture(device)
    assert f"port {port}" in shown
    assert "GetCounters" in shown
