"""Tables over HTTP: a round from wagers to settlement, by people; keypads, misdeals, backups, journal and replay."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from api_support import RunningBench, running_bench

from protocol.commitment import Context, opens
from protocol.messages import Opening

TABLE = "/tables/t"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running:
        yield running


@pytest.fixture
def api(bench: RunningBench) -> Iterator[httpx.Client]:
    with bench.client() as client:
        for serial in ("SB-1", "SB-2"):
            client.post("/devices", json={"serial": serial, "speed": 500, "tcp": False}).raise_for_status()
        yield client
        for table in client.get("/tables").json():
            client.delete(f"/tables/{table['id']}")
        for device in client.get("/devices").json():
            client.delete(f"/devices/{device['serial']}")


def opened(api: httpx.Client, *people: int, rigged: dict[str, str] | None = None, **more: Any) -> None:
    seats = sorted({*people, 2})
    if rigged is not None:
        answer = api.post("/devices/SB-1/actions/rig_hands", json={"hands": rigged, "seats": seats})
        assert answer.status_code == 200, answer.text
    answer = api.post("/tables", json={"id": "t", "device": "SB-1", **more})
    assert answer.status_code == 201, answer.text
    api.put(f"{TABLE}/pace", json={"deals": "hand", "think_s": 0, "keys": "people"}).raise_for_status()
    for spot in seats:
        kind = "person" if spot in people else "bot"
        api.put(f"{TABLE}/seats/{spot}", json={"kind": kind, "player": f"p{spot}"}).raise_for_status()


def until(api: httpx.Client, holds: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    deadline = time.monotonic() + 120
    while not holds(view := api.get(TABLE).json()):
        assert time.monotonic() < deadline, view
        assert not view["stopped"], view["stopped"]
        time.sleep(0.01)
    return view


def wants(word: str) -> Callable[[dict[str, Any]], bool]:
    return lambda view: view["wants"] == word


def test_a_round_is_played_by_people_to_the_last_posting(api: httpx.Client) -> None:
    opened(api, 4)
    assert api.post(f"{TABLE}/deal").status_code == 200
    view = until(api, lambda view: view["wants"] == "decisions" and view["round"]["to_decide"] == [4])
    assert view["round"]["dealer"]["cards"] == [], "the dealer's hand stays closed"
    assert len(view["round"]["spots"]["4"]["cards"]) == 3
    assert api.post(f"{TABLE}/decisions", json={"spot": 4, "play": True}).status_code == 200
    view = until(api, lambda view: view["settled"] == 1 or view["wants"] == "keys")
    if view["wants"] == "keys":  # a random hand may have won an award
        key_all(api, view)
        view = until(api, lambda view: view["settled"] == 1)
    paid = view["round"]["postings"]
    assert sum(one["amount"] for one in paid if one["source"] == "player:p4") > 0
    assert all(one["clause"] for one in paid)
    assert view["round"]["phase"] == "closed"


def key_all(api: httpx.Client, view: dict[str, Any]) -> list[str]:
    pressed = []
    while (key := next((one for meter in view["meters"] if (one := meter["keypad"]["next"])), None)) is not None:
        wager = next(meter["wager"] for meter in view["meters"] if meter["keypad"]["next"])
        answer = api.post(f"{TABLE}/keys", json={"wager": wager, **key})
        assert answer.status_code == 200, answer.text
        pressed.append(key["key"])
        view = answer.json()
        assert len(pressed) < 20
    return pressed


@pytest.mark.parametrize(
    ("keypad", "keys"),
    [
        ("game-manager", ["HAND", "KEY TO JPH", "J-POT", "KEY TO RUN"]),
        ("nexus", ["POSITION", "HAND", "CONFIRM", "EXECUTIVE CARD"]),
    ],
)
def test_a_rigged_progressive_is_keyed_by_people_and_paid(api: httpx.Client, keypad: str, keys: list[str]) -> None:
    opened(api, 1, rigged={"1": "Qs Ks As", "2": "2d 5h 9c", "dealer": "2c 4d 7h"}, keypad=keypad)
    meter = api.get(TABLE).json()["meters"][0]["amount"]
    api.post(f"{TABLE}/deal")
    until(api, lambda view: view["wants"] == "decisions" and 1 in view["round"]["to_decide"])
    api.post(f"{TABLE}/decisions", json={"spot": 1, "play": True})
    view = until(api, wants("keys"))
    assert view["round"]["rigged"] is True
    refused = api.post(f"{TABLE}/keys", json={"wager": "progressive", "key": "NO SUCH", "by": "dealer"})
    assert refused.status_code == 409
    assert key_all(api, view) == keys
    view = until(api, lambda view: view["settled"] == 1)
    award = next(one for one in view["round"]["postings"] if one["entry"] == "awarded")
    assert (award["spot"], award["amount"] >= meter) == (1, True)


def test_two_bad_beats_in_one_round_are_each_verified_before_they_are_entered(api: httpx.Client) -> None:
    rigged = {"1": "4d 5h 6c", "2": "5d 6h 7c", "dealer": "As Ks Qs"}
    opened(api, 1, rigged=rigged, rules="south-dakota", sides=["bad-beat"])
    api.post(f"{TABLE}/deal")
    until(api, lambda view: view["wants"] == "decisions" and 1 in view["round"]["to_decide"])
    api.post(f"{TABLE}/decisions", json={"spot": 1, "play": True})
    pressed = key_all(api, until(api, wants("keys")))
    assert [key for key in pressed if key in ("VERIFY", "ENTER")] == ["VERIFY", "ENTER"] * 2
    view = until(api, lambda view: view["settled"] == 1)
    assert {one["spot"] for one in view["round"]["postings"] if one["entry"] == "awarded"} >= {1, 2}


def test_a_misdeal_voids_the_round_and_gives_everything_back(api: httpx.Client) -> None:
    opened(api, 4)
    api.post(f"{TABLE}/deal")
    until(api, wants("decisions"))
    assert api.post(f"{TABLE}/misdeal", json={"reason": "a hand was exposed"}).status_code == 200
    view = until(api, lambda view: view["void"] == 1)
    assert (view["round"]["phase"], view["round"]["misdeal"]) == ("void", "a hand was exposed")
    assert [seat["balance"] for seat in view["seats"] if seat["spot"] == 4] == [0]


def test_a_cable_that_is_pulled_and_put_back_costs_nothing(api: httpx.Client) -> None:
    opened(api, 4)
    api.post(f"{TABLE}/deal")
    until(api, wants("decisions"))
    api.post("/devices/SB-1/actions/unplug")
    view = until(api, lambda view: not view["session"])
    assert view["round"]["phase"] == "decisions"
    api.post("/devices/SB-1/actions/plug")
    until(api, lambda view: view["session"])
    api.post(f"{TABLE}/decisions", json={"spot": 4, "play": False})
    until(api, lambda view: view["settled"] == 1 or view["wants"] == "keys")


def test_the_backup_takes_over_and_the_half_dealt_round_is_void(api: httpx.Client) -> None:
    opened(api, 4)
    api.post(f"{TABLE}/deal")
    until(api, wants("decisions"))
    assert api.post(f"{TABLE}/swap", json={"device": "SB-2"}).status_code == 200
    view = until(api, lambda view: view["wants"] == "wagers")
    assert (view["device"], view["void"]) == ("SB-2", 1)
    assert api.get("/devices/SB-1").json()["on"] is False
    assert api.delete("/devices/SB-2").status_code == 409, "a device at a table stays"
    api.post(f"{TABLE}/deal")
    until(api, wants("decisions"))


def test_an_opening_folds_up_to_the_root_by_the_published_check(api: httpx.Client) -> None:
    opened(api, 4)
    api.post(f"{TABLE}/deal")
    until(api, wants("decisions"))
    assert api.get(f"{TABLE}/commitments/0").status_code == 404, "the dealer's hand is closed"
    found = api.get(f"{TABLE}/commitments/4").json()
    opening = Opening(
        first=found["first"], cards=tuple(found["faces"]), salts=bytes.fromhex("".join(found["salts"])),
        proof=bytes.fromhex("".join(found["proof"])),
    )  # fmt: skip
    context = Context(
        serial=found["serial"], epoch=int(found["epoch"], 16), shuffle=found["shuffle"], game=1, count=found["count"],
        nonce=bytes.fromhex(found["nonce"]),
    )  # fmt: skip
    assert context.prefix.hex() == found["prefix"]
    assert opens(context, bytes.fromhex(found["root"]), opening)


STAFF = [
    {"name": "Dana", "roles": ["dealer"]},
    {"name": "Sam", "roles": ["supervisor", "executive"]},
    {"name": "link", "roles": ["system"]},
]


def test_other_people_take_over_and_their_roles_are_kept_to(api: httpx.Client) -> None:
    opened(api, 4)
    assert [one["name"] for one in api.get(f"{TABLE}/staff").json()] == ["dealer", "supervisor", "link"]
    view = api.put(f"{TABLE}/staff", json={"members": STAFF}).json()
    assert [(one["name"], one["roles"]) for one in view["staff"]] == [(one["name"], one["roles"]) for one in STAFF]
    api.post(f"{TABLE}/deal")
    until(api, lambda view: view["round"] is not None and view["round"]["phase"] == "decisions")
    refused = api.put(f"{TABLE}/staff", json={"members": STAFF[1:]})
    assert (refused.status_code, "dealer" in refused.json()["detail"]) == (409, True)
    api.post(f"{TABLE}/misdeal", json={"reason": "shown"})
    until(api, lambda view: view["void"] == 1)
    replay = api.get(f"{TABLE}/journal/rounds/R1").json()["replay"]
    assert (replay[0]["op"], replay[0]["operation"]["dealer"]) == ("OpenRound", "Dana")


def test_the_journal_is_told_round_by_round_and_holds(api: httpx.Client) -> None:
    opened(api)
    api.post(f"{TABLE}/deal")
    view = until(api, lambda view: view["settled"] == 1 or view["wants"] == "keys")
    key_all(api, view)
    until(api, lambda view: view["settled"] == 1)
    (line,) = api.get(f"{TABLE}/journal/rounds").json()
    assert (line["id"], line["outcome"], line["players"]) == ("R1", "settled", 1)
    replay = api.get(f"{TABLE}/journal/rounds/R1").json()["replay"]
    assert [step["op"] for step in replay][:2] == ["OpenRound", "LockWagers"]
    assert replay[-1]["op"] == "CloseRound"
    assert api.get(f"{TABLE}/journal/rounds/R99").status_code == 404
    assert api.get(f"{TABLE}/journal").json()["holds"] is True
    assert all(line.startswith('{"seq":') for line in api.get(f"{TABLE}/journal/export").text.splitlines())


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "says"),
    [
        ("POST", "/tables", {"device": "SB-1", "rules": "/etc/passwd"}, 422, "no rule set is called"),
        ("POST", "/tables", {"device": "SB-9"}, 404, "no device"),
        ("POST", "/tables", {"device": "SB-1"}, 409, "is at t already"),
        ("PUT", f"{TABLE}/seats/9", {"kind": "bot"}, 404, "seats 1 to 7"),
        ("PUT", f"{TABLE}/seats/3", {"kind": "bot", "stakes": {"ante": 1}}, 409, "minimum"),
        ("PUT", f"{TABLE}/seats/3", {"kind": "bot", "strategy": "hope"}, 409, "no strategy"),
        ("POST", f"{TABLE}/decisions", {"spot": 4, "play": True}, 409, "no hand in play"),
        ("POST", f"{TABLE}/keys", {"wager": "progressive", "key": "HAND", "by": "dealer"}, 409, "no award waits"),
        ("POST", f"{TABLE}/misdeal", {}, 409, "no round is open"),
        ("PUT", f"{TABLE}/staff", {"members": [{"name": "Ann", "roles": ["dealer"]}]}, 409, "supervisor"),
        ("PUT", f"{TABLE}/staff", {"members": [{"name": "Ann", "roles": ["king"]}]}, 422, "roles"),
        ("PUT", f"{TABLE}/staff", {"members": STAFF, "by": "Zed"}, 409, "Zed"),
        ("POST", f"{TABLE}/swap", {"device": "SB-1"}, 409, "already"),
        ("POST", "/reset", None, 409, "shuffler live"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    api: httpx.Client, method: str, path: str, body: object, status: int, says: str
) -> None:
    opened(api, 4)
    answer = api.request(method, path, json=body)
    assert answer.status_code == status, answer.text
    assert says in answer.json()["detail"], answer.text
