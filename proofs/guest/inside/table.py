"""A table controller in the guest: our client over the serial port and over libusb, its cable pulled in mid-deal."""

import sys
import time

import kit
import usb.backend.libusb1

sys.path.insert(0, "/app")

from protocol import messages as m
from shuffler.host.client import Client
from shuffler.host.dealing import Dealt, deal_round, ready_deck, wait_until_on
from shuffler.transports import usb as usb_transport

SEATS = tuple(range(1, 8))
URL = "usb://1209:0001/SB-0001"


def tell(name: str, dealt: Dealt) -> None:
    cards = [card for hand in dealt.hands.values() for card in hand]
    verified = "verified" if dealt.verified else "NOT VERIFIED"
    kit.fact(name, f"{len(dealt.hands)} hands, {len(set(cards))} cards, stub of {dealt.stub}, {verified}")


with kit.scenario():
    kit.attach()
    with Client.open(str(kit.PORT), timeout_s=30) as client:
        info = client.ask(m.GetInfo(), m.Info)
        kit.fact("hello", f"{info.serial}, {info.profile}")
        wait_until_on(client)
        times = []
        for _ in range(50):
            start = time.perf_counter()
            client.call(m.GetStatus())
            times.append(time.perf_counter() - start)
        kit.fact("command_ms", f"{sorted(times)[25] * 1000:.2f}")
        shuffled = ready_deck(client)
        kit.fact("shuffled", f"{shuffled.count} cards")
        for group, dealt in enumerate(deal_round(client, 1, SEATS, shuffled)):
            if group == 2:
                kit.fact("pulled_after_hands", len(dealt.hands))
                with kit.cable_pulled():
                    pass
        tell("round_with_a_pulled_cable", dealt)
        kit.fact("events_missing", len(client.gaps))
        kit.fact("link_was_lost", bool(client.connection.lost))
    backend = usb.backend.libusb1.get_backend(find_library=lambda _name: "libusb-1.0.so.0")
    usb_transport.use_backend(backend)
    with Client.open(URL, timeout_s=30) as client:
        kit.until(lambda: not kit.PORT.exists(), "cdc_acm to let go")
        tell("round_over_libusb", list(deal_round(client, 2, SEATS, ready_deck(client)))[-1])
    kit.until(kit.PORT.exists, "cdc_acm to have its device back")
    kit.detach()
