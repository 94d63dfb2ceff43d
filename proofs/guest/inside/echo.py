"""An echo behind the serial port: enumeration, bytes both ways, closing, libusb, unplugging, detaching."""

import statistics
import termios
import time
from pathlib import Path

import kit
import serial
import usb.backend.libusb1
import usb.core
import usb.util
from serial.tools import list_ports

VENDOR, PRODUCT = 0x1209, 0x0001
SECOND = Path("/dev/ttyACM1")
HOSTS_PORT = kit.parameter("hosts_port")  # where the server listens on the machine outside
BIG = bytes(range(256)) * 256
COMPLAINTS = ("can't", "cannot", "couldn't", "unavailable", "error", "invalid", "warning", "unrecognized", "unknown")


def exchange(port: serial.Serial, data: bytes) -> None:
    port.write(data)
    got = port.read(len(data))
    assert got == data, f"sent {len(data)} bytes, got {len(got)}"


def talk_over_the_serial_port() -> None:
    with serial.Serial(str(kit.PORT), 115200, timeout=10) as port:
        exchange(port, b"hello over USB")
        exchange(port, bytes(range(256)))
        for size in (1, 63, 64, 65, 511, 512, 513, 1024, 4096):
            exchange(port, BIG[:size])
        kit.fact("carrier", port.cd)
        times = []
        for _ in range(200):
            start = time.perf_counter()
            exchange(port, bytes(64))
            times.append(time.perf_counter() - start)
        kit.fact("serial_round_trip_ms", f"{statistics.median(times) * 1000:.2f}")
        kit.fact("serial_round_trip_ms_worst", f"{max(times) * 1000:.2f}")
        start = time.perf_counter()
        for at in range(0, len(BIG), 4096):
            exchange(port, BIG[at : at + 4096])
        kit.fact("serial_kib_per_s", f"{len(BIG) / 1024 / (time.perf_counter() - start):.0f}")
        port.send_break(0.01)
        exchange(port, b"after a break")
    for _ in range(5):
        with serial.Serial(str(kit.PORT), 115200, timeout=10) as port:
            exchange(port, b"again")


def talk_over_libusb() -> None:
    backend = usb.backend.libusb1.get_backend(find_library=lambda _name: "libusb-1.0.so.0")
    device = usb.core.find(idVendor=VENDOR, idProduct=PRODUCT, backend=backend)
    assert device is not None
    kit.fact("strings", f"{device.manufacturer}, {device.product}, {device.serial_number}")
    text = str(device)
    assert "Error Accessing String" not in text, text
    assert device.is_kernel_driver_active(0)
    assert device.is_kernel_driver_active(1)
    device.detach_kernel_driver(0)  # cdc_acm holds both interfaces and lets go of both
    kit.until(lambda: not kit.PORT.exists(), "cdc_acm to let go")
    device.set_configuration()
    device.ctrl_transfer(0x21, 0x22, 3, 0)
    kit.fact("notification", bytes(device.read(0x81, 16, 2000)).hex())
    assert device.write(0x02, BIG[:3000]) == 3000
    got = b""
    while len(got) < 3000:
        got += bytes(device.read(0x82, 4096, 2000))
    assert got == BIG[:3000]
    try:
        device.read(0x82, 512, 100)
    except usb.core.USBTimeoutError:
        kit.fact("libusb_timeout")
    try:
        device.ctrl_transfer(0xC0, 0x51, 0, 0, 4)
    except usb.core.USBError as error:
        kit.fact("libusb_stall", error.errno)
    times = []
    for _ in range(100):
        start = time.perf_counter()
        device.write(0x02, bytes(64))
        device.read(0x82, 512, 2000)
        times.append(time.perf_counter() - start)
    kit.fact("libusb_round_trip_ms", f"{statistics.median(times) * 1000:.2f}")
    device.ctrl_transfer(0x21, 0x22, 0, 0)
    usb.util.dispose_resources(device)
    device.attach_kernel_driver(0)
    kit.until(kit.PORT.exists, "cdc_acm to come back")
    usb.util.dispose_resources(device)


def lose_and_find_the_device() -> None:
    """Pull the cable while the port is open: the kernel tells the reader, the port goes and comes back."""
    with serial.Serial(str(kit.PORT), 115200, timeout=20) as port:
        exchange(port, b"before")
        with kit.cable_pulled():
            try:
                lost = port.read(1) == b""
            except (serial.SerialException, OSError, termios.error):
                lost = True
            assert lost
            kit.fact("reader_told")
            port.close()
    with serial.Serial(str(kit.PORT), 115200, timeout=10) as port:
        exchange(port, b"after")


def read_descriptors() -> str:
    """Every descriptor of every device of ours, as lsusb tells them."""
    verbose = kit.run("lsusb", "-v", "-d", f"{VENDOR:04x}:{PRODUCT:04x}")
    print(verbose)
    return verbose


def complaints(verbose: str) -> int:
    return sum(word in line.lower() for line in verbose.splitlines() for word in COMPLAINTS)


def two_at_once() -> None:
    """A second device, at full speed, beside the first: what goes into one comes out of no other."""
    with kit.expecting(kit.FULL_SPEED):
        kit.attach("1-2", SECOND)
    kit.fact("second_speed", Path("/sys/bus/usb/devices/1-2/speed").read_text().strip())
    kit.fact("second_complaints", complaints(read_descriptors()))
    with serial.Serial(str(kit.PORT), 115200, timeout=10) as one, serial.Serial(str(SECOND), 115200, timeout=10) as two:
        one.write(b"to the first")
        two.write(b"to the second")
        assert two.read(13) == b"to the second"
        assert one.read(12) == b"to the first"
    kit.fact("two_at_once", sorted(port.serial_number for port in list_ports.comports() if port.serial_number))
    kit.detach(1, SECOND)


with kit.scenario():
    # The server's address, then the machine it runs on, its name server, and somebody outside.
    kit.fact("server_reached", kit.is_reached(kit.SERVER, 3240))
    others = (("10.0.2.2", HOSTS_PORT), ("10.0.2.3", 53), ("192.0.2.1", 80))
    kit.fact("others_reached", [host for host, port in others if kit.is_reached(host, port)])
    kit.fact("listed", "1-1: " in kit.run("usbip", "list", "-r", kit.SERVER))
    kit.attach()
    kit.fact("enumerated", any("New USB device found" in line.text for line in kit.kernel_log()))
    kit.fact("driver", [line.text for line in kit.kernel_log() if "ttyACM0" in line.text][-1:])
    kit.fact("list_ports", sorted(f"{port.device} {port.hwid}" for port in list_ports.comports()))
    kit.fact("speed", Path("/sys/bus/usb/devices/1-1/speed").read_text().strip())
    verbose = read_descriptors()
    kit.fact("lsusb_lines", len(verbose.splitlines()))
    kit.fact("lsusb_complaints", complaints(verbose))
    talk_over_the_serial_port()
    talk_over_libusb()
    two_at_once()
    lose_and_find_the_device()
    kit.detach()
    kit.attach()
    talk_again = serial.Serial(str(kit.PORT), 115200, timeout=10)
    exchange(talk_again, b"re-attached")
    talk_again.close()
    kit.detach()
