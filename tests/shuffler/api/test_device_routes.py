"""Devices over HTTP: whatever the control plane can do in process, a client in any language can."""

import socket
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from api_support import RunningBench, bench_process, running_bench

from firmware_sim.control.injections import INJECTIONS
from protocol import messages as m
from protocol.cards import card_name
from protocol.vocabulary import DeviceFlag
from shuffler.host.client import Client
from shuffler.host.dealing import deal_round, ready_deck, wait_until_on
from shuffler.host.store import MemoryStore

SEATS = tuple(range(1, 8))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningBench]:
    with running_bench(tmp_path_factory.mktemp("bench")) as running:
        yield running


@pytest.fixture
def api(bench: RunningBench) -> Iterator[httpx.Client]:
    with bench.client() as client:
        yield client
        for device in client.get("/devices").json():
            client.delete(f"/devices/{device['serial']}")


def made(api: httpx.Client, **wanted: object) -> str:
    answer = api.post("/devices", json={"seed": 7, "speed": 400, **wanted})
    assert answer.status_code == 201, answer.text
    serial: str = answer.json()["serial"]
    return f"/devices/{serial}"


def url_of(api: httpx.Client, device: str) -> str:
    url: str = api.get(device).json()["urls"][0]
    return url


def test_a_device_is_created_listed_shown_and_removed(api: httpx.Client) -> None:
    device = made(api, serial="SB-77", profile="ace-style")
    assert [one["serial"] for one in api.get("/devices").json()] == ["SB-77"]
    assert api.get(device).json()["profile"] == "ace-style"
    assert api.delete(device).status_code == 204
    assert api.get(device).status_code == 404


def test_a_rigged_hand_is_dealt_over_the_wire_and_marked(api: httpx.Client) -> None:
    device = made(api)
    answer = api.post(f"{device}/actions/rig_hands", json={"hands": {"2": "Qs Ks As", "dealer": "2c 4d 7h"}})
    assert answer.status_code == 200, answer.text
    with Client.open(url_of(api, device)) as client:
        wait_until_on(client)
        shuffled = ready_deck(client)
        *_, dealt = deal_round(client, 1, SEATS, shuffled)
    assert sorted(dealt.hands[2]) == sorted((10 + 39, 11 + 39, 12 + 39))
    assert DeviceFlag.RIGGED in shuffled.flags


def test_a_jam_is_seen_on_the_panel_and_cleared_by_hand(api: httpx.Client) -> None:
    device = made(api, hands="auto")
    assert api.post(f"{device}/actions/inject", json={"name": "jam_feeder", "by_hand": True}).status_code == 200
    with Client.open(url_of(api, device)) as client:
        wait_until_on(client)
        client.ask(m.Load(), m.Done)
        while not (faults := api.get(f"{device}/faults").json()["reported"]):
            client.ask(m.GetStatus(), m.Status)
        assert (faults[0]["code"], api.get(f"{device}/panel").json()["red"]) == ("jam_feeder", True)
        assert api.post(f"{device}/actions/clear", json={"name": "jam_feeder"}).json()["result"] == 1
        api.post(f"{device}/actions/press", json={"button": "OK"})
        api.post(f"{device}/actions/advance", json={"seconds": 30})
        assert api.get(f"{device}/faults").json()["reported"] == []


def test_hands_do_what_an_emulated_dealer_would(api: httpx.Client) -> None:
    device = made(api, hands="manual", speed=0)
    api.post(f"{device}/actions/advance", json={"seconds": 10})
    assert len(api.get(f"{device}/truth").json()["places"]["aside"]) == 104
    first = [card["id"] for card in api.get(f"{device}/truth").json()["cards"]][:52]
    assert api.post(f"{device}/actions/lay_in", json={"cards": first}).status_code == 200
    api.post(f"{device}/actions/press", json={"button": "LOAD"})
    api.post(f"{device}/actions/advance", json={"seconds": 60})
    assert api.get(f"{device}/panel").json()["top"] == "52 CARDS IN"
    assert len(api.get(f"{device}/truth").json()["places"]["stack"]) == 52


def test_power_cable_and_door_are_as_they_are_put(api: httpx.Client) -> None:
    device = made(api)
    assert api.post(f"{device}/actions/switch_off").json()["device"]["on"] is False
    assert api.get(f"{device}/status").json() == {"power": "off"}
    assert api.post(f"{device}/actions/switch_on").json()["device"]["on"] is True
    boots = api.get(f"{device}/status").json()["boots"]
    assert api.post(f"{device}/actions/cut_power").json()["device"]["status"]["boots"] == boots + 1
    assert api.post(f"{device}/actions/unplug").json()["device"]["plugged"] is False
    assert api.post(f"{device}/actions/plug").json()["device"]["plugged"] is True
    assert api.post(f"{device}/actions/open_door").json()["device"]["sensors"]["door_open"] is True
    assert api.post(f"{device}/actions/close_door").json()["device"]["sensors"]["door_open"] is False


def test_a_paused_clock_moves_only_as_told(api: httpx.Client) -> None:
    device = made(api, speed=0)
    assert api.get(f"{device}/status").json()["power"] == "self_test"
    assert api.post(f"{device}/actions/step", json={}).json()["result"] > 0
    assert api.get(f"{device}/status").json()["power"] == "on"
    before = api.get(f"{device}/clock").json()["machine_us"]
    assert api.get(f"{device}/clock").json()["machine_us"] == before
    assert api.post(f"{device}/actions/run_at", json={"rate": 50}).json()["device"]["clock"]["rate"] == 50


@pytest.mark.parametrize("kind", INJECTIONS, ids=lambda kind: kind.name)
def test_every_injection_of_the_catalogue_is_taken_and_cleared(api: httpx.Client, kind) -> None:
    device = made(api, speed=0)
    wanted = {"name": kind.name, "when": "deal=group_in_tray"}
    answer = api.post(f"{device}/actions/inject", json=wanted)
    assert answer.status_code == 200, answer.text
    assert [one["name"] for one in answer.json()["device"]["faults"]["armed"]] == [kind.name]
    assert api.post(f"{device}/actions/clear").json()["result"] == 1


@pytest.mark.parametrize(
    ("path", "body", "status", "says"),
    [
        ("/devices", {"profile": "../../etc/passwd"}, 422, "no profile is called"),
        ("/devices", {"setup": "/etc/passwd"}, 422, "no set-up is called"),
        ("/devices", {"setup_text": "nonsense = 1"}, 422, "nonsense"),
        ("/devices", {"serial": "SB-1", "colour": "red"}, 422, "colour"),
        ("/devices", {"serial": "../x"}, 422, "serial"),
        ("/devices/SB-9/actions/inject", {"name": "no_such"}, 422, "name must be one of jam_feeder"),
        ("/devices/SB-9/actions/inject", {"name": "jam_exit", "at_card": 1, "at_s": 2}, 422, "give one of"),
        ("/devices/SB-9/actions/inject", {"name": "swapped_card", "face": "1x"}, 422, "is not a card"),
        ("/devices/SB-9/actions/inject", {"name": "lost_card"}, 409, "the deck in play has 0 cards"),
        ("/devices/SB-9/actions/rig_deck", {"order": "As As"}, 409, "more often"),
        ("/devices/SB-9/actions/rig_hands", {"hands": {"9": "As Ks Qs"}}, 409, "seat 9 gets 0"),
        ("/devices/SB-9/actions/rig_hands", {"hands": {"ann": "As"}}, 422, "a seat is a number"),
        ("/devices/SB-9/actions/empty_inside", {}, 409, "open it first"),
        ("/devices/SB-9/actions/lay_in", {"cards": [999]}, 409, "no such cards"),
        ("/devices/SB-9/actions/press", {"button": "SELF DESTRUCT"}, 422, "button"),
        ("/devices/SB-9/actions/advance", {"seconds": -1}, 422, "seconds"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(
    api: httpx.Client, path: str, body: object, status: int, says: str
) -> None:
    made(api, serial="SB-9", speed=0)
    answer = api.post(path, json=body)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    assert says in answer.json()["detail"], answer.text


def test_a_mechanism_that_is_worn_says_so_and_is_unrigged(api: httpx.Client) -> None:
    device = made(api)
    worn = {"mechanism": {"sticky": 0.5}}
    assert api.post(f"{device}/actions/wear", json=worn).json()["device"]["rig"]["mechanism"] == worn["mechanism"]
    assert api.post(f"{device}/actions/wear", json={"mechanism": {"no_such": 1}}).status_code in (409, 422)
    assert api.post(f"{device}/actions/unrig").json()["device"]["rig"] == {"decks": [], "mechanism": {}}


def test_the_line_is_told_frame_by_frame_and_as_a_capture(api: httpx.Client, tmp_path: Path) -> None:
    device = made(api)
    with Client.open(url_of(api, device)) as client:
        wait_until_on(client)
    frames = api.get(f"{device}/transcript").json()
    assert [frame["message"] for frame in frames[:2]] == ["Hello", "Welcome"]
    assert bytes.fromhex(frames[0]["line"])[:1] == b"\0"
    later = api.get(f"{device}/transcript", params={"after": frames[-1]["number"]}).json()
    assert all(frame["number"] > frames[-1]["number"] for frame in later)
    capture = api.get(f"{device}/capture").content
    assert capture[:4] == b"\x0a\x0d\x0d\x0a"
    assert bytes.fromhex(frames[0]["line"]) in capture
    assert 'shuffler_device_frames_total{serial="' in api.get("/metrics").text


def test_every_change_is_in_the_audit_log_and_no_token_is(api: httpx.Client, bench: RunningBench) -> None:
    made(api, serial="SB-5")
    lines = api.get("/audit").json()
    assert any(line["path"] == "/api/v1/devices" and '"SB-5"' in line["body"] for line in lines)
    assert bench.address.token not in str(lines)


def test_nothing_of_the_control_plane_is_on_the_device_plane(api: httpx.Client) -> None:
    device = made(api)
    host, port = url_of(api, device).removeprefix("socket://").split(":")
    with socket.create_connection((host, int(port)), 60) as line:
        line.sendall(b"GET /api/v1/devices HTTP/1.1\r\nHost: x\r\n\r\n")
        line.settimeout(0.3)
        with pytest.raises(TimeoutError):
            assert not line.recv(1)


@pytest.mark.slow
def test_a_round_goes_on_in_another_process_with_the_same_cards_under_a_new_epoch(
    api: httpx.Client, tmp_path: Path
) -> None:
    device = made(api, serial="SB-8", hands="manual", speed=0)
    with Client.open(url_of(api, device)) as client:
        step = partial(api.post, f"{device}/actions/advance", json={"seconds": 60})
        step()
        first = [card["id"] for card in api.get(f"{device}/truth").json()["cards"]][:52]
        api.post(f"{device}/actions/lay_in", json={"cards": first})
        client.ask(m.Load(), m.Done)
        step()
        client.ask(m.Shuffle(nonce=bytes(16)), m.Done)
        step()
        client.ask(m.BeginRound(round=1, seats=0b111), m.Done)
        client.ask(m.DealGroup(round=1, groups=0), m.Done)
        step()
        api.post(f"{device}/actions/lift")
        step()
    coming = api.get(f"{device}/truth").json()["places"]
    before = api.get(f"{device}/status").json()
    assert (len(coming["tray"]), len(coming["table"])) == (3, 3)
    saved = api.get(f"{device}/snapshot").json()
    with bench_process(tmp_path) as elsewhere:
        answer = elsewhere.post("/devices/restore", json={"snapshot": saved, "speed": 0})
        assert answer.status_code == 201, answer.text
        again = partial(elsewhere.post, f"{device}/actions/advance", json={"seconds": 60})
        again()
        assert elsewhere.get(f"{device}/truth").json()["places"] == coming
        after = elsewhere.get(f"{device}/status").json()
        assert after["epoch"] != before["epoch"]
        assert (after["round"], after["deal"], after["group"]) == (1, before["deal"], before["group"])
        assert any("restored from a snapshot" in line["text"] for line in elsewhere.get(f"{device}/log").json())
        elsewhere.post(f"{device}/actions/lift")
        again()
        with Client.open(url_of(elsewhere, device), store=MemoryStore(bytes(range(16)))) as client:
            told = [client.next_event(120) for _ in range(2)]
        assert isinstance(told[0], m.PoweredUp)
        assert told[0].number == 1, "numbers begin anew with the epoch"
        assert isinstance(told[1], m.GroupRemoved)
        assert [card_name(face) for face in told[1].opening.cards] == coming["tray"]


@pytest.mark.parametrize("wrong", [{}, {"format": "x"}, {"format": "shuffler-bench/snapshot/2", "faces": [1]}])
def test_what_is_no_snapshot_is_refused(api: httpx.Client, wrong: dict[str, object]) -> None:
    answer = api.post("/devices/restore", json={"snapshot": wrong})
    assert (answer.status_code, "snapshot" in answer.json()["detail"]) == (409, True)
