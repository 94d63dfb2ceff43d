"""The answers on endpoint zero: one function a request, one table that finds it. Not in the table means stall.

A handler gets the device, the setup packet and the data stage of an OUT request; it returns the data stage of an IN
request (empty for none), or None to stall. USB 2.0, 9.4; PSTN 1.2, 6.3.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from firmware_sim.ports.usb.acm import LineCoding
from firmware_sim.ports.usb.descriptors import (
    CONFIGURATION_VALUE,
    CONTROL_INTERFACE,
    INTERFACE_NUMBERS,
    LANGUAGE_ENGLISH_US,
    OTHER_SPEED,
    StringIndex,
    configuration_descriptor,
    device_descriptor,
    device_qualifier,
    string_descriptors,
)
from firmware_sim.ports.usb.events import BreakSent, ControlLinesSet, LineCodingSet
from firmware_sim.ports.usb.identity import Speed
from protocol.usb.layouts import DescriptorType
from protocol.usb.requests import Feature, RequestKey, SetupPacket

if TYPE_CHECKING:
    from firmware_sim.ports.usb.device import UsbDevice

Handler = Callable[["UsbDevice", SetupPacket, bytes], bytes | None]

DONE = b""
STALL = None

ADDRESS_MAX = 127
BREAK_UNTIL_TOLD = 0xFFFF
SELF_POWERED = 0x01
REMOTE_WAKEUP = 0x02


def answer(device: "UsbDevice", setup: SetupPacket, data: bytes) -> bytes | None:
    """Carry out one request; None stalls it."""
    handler = HANDLERS.get((setup.request_type, setup.request))
    if handler is None or (not setup.is_in and len(data) != setup.length):
        return STALL
    reply = handler(device, setup, data)
    return reply if reply is None else reply[: setup.length]


# ---- standard requests -----------------------------------------------------------------------------------------------


def get_device_status(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if (setup.value, setup.index) != (0, 0):
        return STALL
    return bytes((SELF_POWERED | (REMOTE_WAKEUP if device.remote_wakeup else 0), 0))


def get_interface_status(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != 0 or not _active_interface(device, setup.index):
        return STALL
    return bytes((0, 0))


def get_endpoint_status(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != 0:
        return STALL
    if setup.index & 0x7F == 0:
        return bytes((0, 0))
    if device.shape(setup.index) is None:
        return STALL
    return bytes((1 if setup.index in device.halted else 0, 0))


def clear_device_feature(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != Feature.DEVICE_REMOTE_WAKEUP or setup.index != 0:
        return STALL
    device.remote_wakeup = False
    return DONE


def set_device_feature(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != Feature.DEVICE_REMOTE_WAKEUP or setup.index != 0:
        return STALL
    device.remote_wakeup = True
    return DONE


def clear_endpoint_feature(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != Feature.ENDPOINT_HALT:
        return STALL
    if setup.index & 0x7F == 0:
        return DONE
    return DONE if device.clear_halt(setup.index) else STALL


def set_endpoint_feature(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != Feature.ENDPOINT_HALT:
        return STALL
    return DONE if device.halt(setup.index) else STALL


def set_address(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value > ADDRESS_MAX or setup.index != 0 or device.configuration != 0:
        return STALL
    device.address = setup.value
    return DONE


def get_descriptor(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    kind, index = setup.value >> 8, setup.value & 0xFF
    if kind == DescriptorType.STRING:
        if index != StringIndex.LANGUAGES and setup.index != LANGUAGE_ENGLISH_US:
            return STALL
        return string_descriptors(device.identity).get(index, STALL)
    if index != 0 or setup.index != 0:
        return STALL
    speed = device.identity.speed
    if kind == DescriptorType.DEVICE:
        return device_descriptor(device.identity)
    if kind == DescriptorType.CONFIGURATION:
        return configuration_descriptor(speed)
    # A device that knows one speed only must stall these two: USB 2.0, 9.6.2.
    if speed is Speed.HIGH and kind == DescriptorType.DEVICE_QUALIFIER:
        return device_qualifier()
    if speed is Speed.HIGH and kind == DescriptorType.OTHER_SPEED_CONFIGURATION:
        return configuration_descriptor(OTHER_SPEED[speed], DescriptorType.OTHER_SPEED_CONFIGURATION)
    return STALL


def get_configuration(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    return bytes((device.configuration,)) if (setup.value, setup.index) == (0, 0) else STALL


def set_configuration(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.index != 0 or setup.value not in (0, CONFIGURATION_VALUE):
        return STALL
    device.set_configuration(setup.value)
    return DONE


def get_interface(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    return bytes((0,)) if setup.value == 0 and _active_interface(device, setup.index) else STALL


def set_interface(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if setup.value != 0 or not _active_interface(device, setup.index):
        return STALL
    device.set_interface(setup.index)
    return DONE


# ---- class requests of the serial function ---------------------------------------------------------------------------


def set_line_coding(device: "UsbDevice", setup: SetupPacket, data: bytes) -> bytes | None:
    coding = LineCoding.parse(data)
    if coding is None or not _for_the_serial_port(device, setup):
        return STALL
    device.function.line_coding = coding
    device.note(LineCodingSet(coding=coding))
    return DONE


def get_line_coding(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    return device.function.line_coding.build() if _for_the_serial_port(device, setup) else STALL


def set_control_line_state(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if not _for_the_serial_port(device, setup):
        return STALL
    dtr, rts = setup.value & 1 != 0, setup.value & 2 != 0  # PSTN 1.2, table 18
    device.note(ControlLinesSet(dtr=dtr, rts=rts))
    device.function.set_lines(dtr=dtr, rts=rts)
    return DONE


def send_break(device: "UsbDevice", setup: SetupPacket, _data: bytes) -> bytes | None:
    if not _for_the_serial_port(device, setup):
        return STALL
    endless = setup.value == BREAK_UNTIL_TOLD
    device.function.breaking = endless
    device.note(BreakSent(milliseconds=None if endless else setup.value))
    return DONE


def _active_interface(device: "UsbDevice", index: int) -> bool:
    return device.configuration != 0 and index in INTERFACE_NUMBERS


def _for_the_serial_port(device: "UsbDevice", setup: SetupPacket) -> bool:
    return device.configuration != 0 and setup.index == CONTROL_INTERFACE


HANDLERS: dict[tuple[int, int], Handler] = {
    RequestKey.GET_DEVICE_STATUS.value:      get_device_status,
    RequestKey.GET_INTERFACE_STATUS.value:   get_interface_status,
    RequestKey.GET_ENDPOINT_STATUS.value:    get_endpoint_status,
    RequestKey.CLEAR_DEVICE_FEATURE.value:   clear_device_feature,
    RequestKey.CLEAR_ENDPOINT_FEATURE.value: clear_endpoint_feature,
    RequestKey.SET_DEVICE_FEATURE.value:     set_device_feature,
    RequestKey.SET_ENDPOINT_FEATURE.value:   set_endpoint_feature,
    RequestKey.SET_ADDRESS.value:            set_address,
    RequestKey.GET_DESCRIPTOR.value:         get_descriptor,
    RequestKey.GET_CONFIGURATION.value:      get_configuration,
    RequestKey.SET_CONFIGURATION.value:      set_configuration,
    RequestKey.GET_INTERFACE.value:          get_interface,
    RequestKey.SET_INTERFACE.value:          set_interface,
    RequestKey.SET_LINE_CODING.value:        set_line_coding,
    RequestKey.GET_LINE_CODING.value:        get_line_coding,
    RequestKey.SET_CONTROL_LINE_STATE.value: set_control_line_state,
    RequestKey.SEND_BREAK.value:             send_break,
}  # fmt: skip
