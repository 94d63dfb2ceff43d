"""A controller's test in Python: rig a hand, jam a card, recover, while speaking to the device over its wire.

    shuffler emulate --tcp 0 --control 7080 --speed 50
    python examples/controller.py http://127.0.0.1:7080/api/v1 TOKEN_FILE SB-0001
"""

import json
import sys
import urllib.request
from pathlib import Path

from protocol import messages as m
from shuffler import Client
from shuffler.host.dealing import ready_deck, wait_until_on

SEATS = 0b1111111
WANTED = (49, 50, 51)  # Q♠ K♠ A♠


class Bench:
    """The control plane: what no table controller could do."""

    def __init__(self, root: str, token: str, serial: str) -> None:
        self._root, self._token, self._device = root, token, f"/devices/{serial}"

    def ask(self, method: str, path: str = "", body: object = None) -> dict:
        request = urllib.request.Request(self._root + self._device + path, method=method)
        request.add_header("Authorization", f"Bearer {self._token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)


def main() -> None:
    root, token_file, serial = sys.argv[1:]
    bench = Bench(root, Path(token_file).read_text(encoding="ascii").strip(), serial)
    bench.ask("POST", "/actions/rig_hands", {"hands": {"2": "Qs Ks As"}})
    bench.ask("POST", "/actions/inject", {"name": "jam_exit", "when": "group=1", "by_hand": True})

    with Client.open(bench.ask("GET")["urls"][0]) as device:
        wait_until_on(device)
        ready_deck(device)
        device.ask(m.BeginRound(round=1, seats=SEATS), m.Done)
        device.ask(m.DealGroup(round=1, groups=0), m.Done)
        hand = None
        while hand is None:
            event = device.next_event(30)
            if isinstance(event, m.FaultRaised):
                assert bench.ask("GET", "/panel")["top"].startswith("JAM AT EXIT")
                bench.ask("POST", "/actions/clear", {"name": "jam_exit"})  # the card is freed
                bench.ask("POST", "/actions/press", {"button": "OK"})
            elif isinstance(event, m.GroupRemoved) and event.seat == 2:
                hand = event.opening.cards
        assert hand == WANTED, hand
    print("seat 2 was dealt Q♠ K♠ A♠ after a jam at the exit was cleared")


if __name__ == "__main__":
    main()
