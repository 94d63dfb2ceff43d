"""The stream's memory: numbered, bounded, and honest about what it has forgotten."""

from shuffler.api.hub import Hub


def test_events_are_numbered_and_told_in_order() -> None:
    hub = Hub()
    for word in ("a", "b", "c"):
        hub.publish("frame", "SB-1", word)
    assert [(event.number, event.to_json()["data"]) for event in hub.after(1)] == [(2, "b"), (3, "c")]


def test_of_views_only_the_newest_of_each_subject_is_told() -> None:
    hub = Hub()
    for number in range(5):
        hub.publish("device", "SB-1", number, latest=True)
        hub.publish("device", "SB-2", number, latest=True)
        hub.publish("frame", "SB-1", number)
    told = [(event.kind, event.subject, event.to_json()["data"]) for event in hub.after(0)]
    assert [one for one in told if one[0] == "device"] == [("device", "SB-1", 4), ("device", "SB-2", 4)]
    assert [data for kind, _, data in told if kind == "frame"] == [0, 1, 2, 3, 4]


def test_it_forgets_the_oldest_and_says_so() -> None:
    hub = Hub(keep=3)
    for number in range(10):
        hub.publish("frame", "", number)
    assert hub.first == 8
    assert not hub.has_all_after(5)
    assert hub.has_all_after(7)
    assert not hub.has_all_after(11), "a number from the future is somebody else's"


def test_large_events_push_older_ones_out_and_one_always_stays() -> None:
    hub = Hub(keep_bytes=100)
    for _ in range(4):
        hub.publish("frame", "", "x" * 400)
    assert (hub.first, hub.last) == (4, 4)


def test_whoever_waits_is_woken() -> None:
    hub, woken = Hub(), []
    hub.wakers.add(lambda: woken.append(hub.last))
    hub.publish("frame", "", 1)
    assert woken == [1]


def test_an_event_for_the_stream_is_one_block_of_lines() -> None:
    hub = Hub()
    hub.publish("notice", 'a"b\n', {"text": "line\nbreak ♠"})
    (event,) = hub.after(0)
    assert event.to_sse().decode().count("\n\n") == 1
    assert event.to_sse().startswith(b"id: 1\nevent: notice\ndata: {")
