"""What a failed test shows of its device."""

from protocol import messages as m
from shuffler.kit.controller import ControlledDevice
from shuffler.kit.report import last_frames, picture
from shuffler.kit.settings import DeviceSettings


def made(**settings: object) -> ControlledDevice:
    return ControlledDevice(DeviceSettings.of({"port": "memory", "seed": 4711, **settings}))


def test_the_picture_has_profile_seed_panel_and_frames_by_name_and_field() -> None:
    device = made(profile="ace-style")
    device.inject("jam_exit", when="group=1")
    device.deal([1, 2])
    shown = picture(device)
    assert "KIT-1: profile ace-style, port memory (memory:KIT-1), hands auto\nseed 4711\npanel [" in shown
    assert "host  →  CloseDecisions round 1" in shown
    assert "device ← FaultCleared number" in shown
    assert "code JAM_EXIT (4), how BY_DEALER (1)" in shown


def test_nothing_said_is_said() -> None:
    assert picture(made()).endswith("last 0 frames: nothing was said on its line")


def test_acknowledgements_heartbeats_and_a_status_without_news_are_left_out() -> None:
    device = made()
    device.client.wait_for(m.PoweredUp)
    for _ in range(5):
        device.client.call(m.GetStatus())
    device.advance(30)
    frames = last_frames(device, 100)
    assert sum(" Status " in line for line in frames) == 1
    assert not any("Heartbeat" in line or "GetStatus" in line or "Ack" in line for line in frames)


def test_a_pulled_cable_and_sealed_frames_are_lines_too() -> None:
    device = made(key=bytes(32))
    device.client.call(m.GetStatus())
    device.unplug()
    frames = last_frames(device)
    assert any(line.endswith("(sealed)") for line in frames)
    assert frames[-1].endswith("cable  × cable out")
