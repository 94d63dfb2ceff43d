"""A seven-player round with a fault, recorded at a real port and replayed from either end over real ports."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from kit_support import replayed_device

from firmware_sim.control.setup import parse
from firmware_sim.machine.profile import load as load_profile
from firmware_sim.ports import Tcp
from firmware_sim.ports.serving import Location, background
from firmware_sim.unit.emulator import Build
from protocol import messages as m
from protocol.catalogue import Way
from protocol.codec import encode_body, number_of
from protocol.framing import Framer, pack_header, wrap
from protocol.roles import role_key
from protocol.vocabulary import Role
from shuffler.host.client import Client
from shuffler.host.dealing import Dealt, deal_round, ready_deck, wait_until_on
from shuffler.kit.recording.as_controller import ReplayedController
from shuffler.kit.recording.conversation import Opened, Said, conversation
from shuffler.kit.recording.errors import CannotReplay
from shuffler.kit.recording.file import Recorder, load
from shuffler.kit.recording.format import PieceKind, RecordedPiece, Recording
from shuffler.kit.recording.pace import ReplayPace
from shuffler.kit.recording.player import ReplayOutcome
from shuffler.kit.recording.ports import drive_controller

pytestmark = pytest.mark.slow

SEVEN = tuple(range(1, 8))
SEED = 11
JAM = parse("jam", 'about = "a jam in mid-round"\n[[fault]]\nname = "jam_exit"\nwhen = "group=3"\n')


def build() -> Build:
    return Build(profile=load_profile("i-deal-style"), serial="SB-REC-1", seed=SEED, speed=300.0, setup=JAM)


def play(url: str) -> Dealt:
    """One round as `shuffler deal` plays it."""
    with Client.open(url) as client:
        client.ask(m.GetInfo(), m.Info)
        wait_until_on(client)
        shuffled = ready_deck(client)
        *_, dealt = deal_round(client, 1, SEVEN, shuffled)
        return dealt


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recording, Dealt]:
    path = tmp_path_factory.mktemp("recording") / "round.shufrec"
    with Recorder(path, "a round with a jam") as recorder:
        place = Location(build=build(), ports=(Tcp(),), taps=(recorder,))
        with background([place]) as devices:
            dealt = play(devices.url)
    return load(path), dealt


def as_controller(recording: Recording, pace: ReplayPace | None = None) -> ReplayOutcome:
    player = ReplayedController(conversation(recording), pace or ReplayPace(), os.urandom)
    with background([Location(build=build(), ports=(Tcp(),))]) as devices:
        return drive_controller(player, devices.url)


def changed(recording: Recording, kind: type[m.Message], way: Way, **fields: object) -> Recording:
    """The recording with one field of the first message of a kind changed, its frame sound."""
    side = PieceKind.HOST if way is Way.HOST else PieceKind.DEVICE
    steps = [step for step in conversation(recording) if isinstance(step, Said) and step.way is way]
    said = next(step.message for step in steps if type(step.message) is kind)
    framer, pieces, done = Framer(), [], False
    for piece in recording.pieces:
        if piece.kind is not side or done:
            pieces.append(piece)
            continue
        lines = []
        for frame in framer.feed(piece.data):
            body = frame.body
            if not done and number_of(said) == frame.message:
                body, done = encode_body(replace(said, **fields)), True
            lines.append(wrap(pack_header(*frame[1:7], version=frame.version), body))
        pieces.append(RecordedPiece(piece.at_us, piece.kind, b"".join(lines)))
    assert done
    return replace(recording, pieces=tuple(pieces))


def test_the_round_was_recorded_with_its_fault(recorded: tuple[Recording, Dealt]) -> None:
    recording, dealt = recorded
    said = [type(step.message) for step in conversation(recording) if isinstance(step, Said)]
    assert said.count(m.GroupRemoved) == 8
    assert m.FaultRaised in said
    assert m.FaultCleared in said
    assert dealt.verified
    assert len(dealt.hands) == 8


def test_replayed_as_the_device_the_client_plays_the_same_round(recorded: tuple[Recording, Dealt]) -> None:
    recording, dealt = recorded
    with replayed_device(conversation(recording)) as (url, outcomes):
        again = play(url)
    assert again.hands == dealt.hands
    assert again.verified  # under another nonce: the commitment was made again
    assert again.shuffled.nonce != dealt.shuffled.nonce
    assert outcomes[0].stopped == ""
    assert outcomes[0].differences == ()
    assert outcomes[0].matches
    assert "Shuffle.nonce" in outcomes[0].masked.counts
    assert "Hello.instance" in outcomes[0].masked.counts


def test_replayed_as_the_controller_the_device_does_the_same(recorded: tuple[Recording, Dealt]) -> None:
    outcome = as_controller(recorded[0])
    assert outcome.stopped == ""
    assert [str(difference) for difference in outcome.differences] == []
    assert outcome.matches
    masked = set(outcome.masked.counts)
    assert {"Welcome.epoch", "GroupRemoved.time_ms", "ShuffleCompleted.root"} <= masked
    assert masked <= {
        "Welcome.epoch", "Welcome.host_nonce", "Welcome.nonce", "Welcome.last_event", "ShuffleCompleted.root",
        "GroupRemoved.opening.salts", "GroupRemoved.opening.proof", "HandDisclosed.opening.salts",
        "HandDisclosed.opening.proof", "CountersReported.log_head", *(f"{name}.time_ms" for name in EVENTS),
    }  # fmt: skip


EVENTS = (
    "PoweredUp", "DeckLoaded", "ShuffleCompleted", "GroupReady", "GroupRemoved", "HandDisclosed", "StubReady",
    "StubRemoved", "FaultRaised", "FaultCleared", "CountersReported", "DeckVerified",
)  # fmt: skip


def test_a_one_byte_change_is_reported_at_its_place(recorded: tuple[Recording, Dealt]) -> None:
    recording, _ = recorded
    said = {type(s.message): s for s in reversed(conversation(recording)) if isinstance(s, Said)}
    seats = changed(recording, m.BeginRound, Way.HOST, seats=0x7E)
    with replayed_device(conversation(seats)) as (url, outcomes):
        play(url)
    (difference,) = outcomes[0].differences
    assert difference.number == said[m.BeginRound].number
    assert (difference.message, difference.field) == ("BeginRound", "seats")
    assert (difference.recorded, difference.came) == ("126", "127")
    loaded = changed(recording, m.DeckLoaded, Way.DEVICE, count=51)
    (difference,) = as_controller(loaded).differences
    assert difference.number == said[m.DeckLoaded].number
    assert (difference.message, difference.field) == ("DeckLoaded", "count")
    assert (difference.recorded, difference.came) == ("51", "52")


def test_another_pace_gives_the_same(recorded: tuple[Recording, Dealt]) -> None:
    with replayed_device(conversation(recorded[0]), ReplayPace(speed=4.0)) as (url, outcomes):
        play(url)
    assert outcomes[0].matches
    assert as_controller(recorded[0], ReplayPace(speed=1.0)).matches


PULL = parse("pull", 'about = "the cable is pulled in mid-round"\n[[fault]]\nname = "cable_pulled"\nwhen = "group=4"\n')


def test_a_cable_that_was_pulled_is_pulled_again(tmp_path: Path) -> None:
    path = tmp_path / "pulled.shufrec"
    pulled = replace(build(), setup=PULL)
    with Recorder(path) as recorder, background([Location(build=pulled, ports=(Tcp(),), taps=(recorder,))]) as at:
        dealt = play(at.url)
    steps = conversation(load(path))
    assert sum(isinstance(step, Opened) for step in steps) == 2
    with replayed_device(steps) as (url, outcomes):
        again = play(url)
    assert again.hands == dealt.hands
    assert [str(difference) for difference in outcomes[0].differences] == []
    assert outcomes[0].matches
    player = ReplayedController(steps, ReplayPace(), os.urandom)
    with background([Location(build=pulled, ports=(Tcp(),))]) as at:
        outcome = drive_controller(player, at.url)
    assert [str(difference) for difference in outcome.differences] == []
    assert outcome.matches, outcome.stopped


def test_a_role_is_proved_anew_and_asked_for_where_its_words_are_missing(tmp_path: Path) -> None:
    path = tmp_path / "role.shufrec"
    with_role = replace(build(), setup=None, role_keys={Role.SUPERVISOR: role_key("the words")})
    with Recorder(path) as recorder:
        place = Location(build=with_role, ports=(Tcp(),), taps=(recorder,))
        with background([place]) as at, Client.open(at.url) as client:
            wait_until_on(client)
            client.prove_role(Role.SUPERVISOR, "the words")
            assert client.ask(m.GetStatus(), m.Status).role is Role.SUPERVISOR
    steps = conversation(load(path))
    for words, matches in (({Role.SUPERVISOR: "the words"}, True), ({}, False)):
        player = ReplayedController(steps, ReplayPace(), os.urandom, secrets=words)
        with background([Location(build=with_role, ports=(Tcp(),))]) as at:
            outcome = drive_controller(player, at.url)
        assert outcome.matches is matches, outcome
        assert matches or "--role supervisor=PASSPHRASE" in outcome.stopped


def test_a_peer_that_does_not_say_it_again_is_waited_for_and_then_named(recorded: tuple[Recording, Dealt]) -> None:
    with replayed_device(conversation(recorded[0]), ReplayPace(patience_us=1_000_000)) as (url, outcomes):  # noqa: SIM117
        with Client.open(url) as client:
            client.ask(m.GetInfo(), m.Info)
    assert not outcomes[0].matches
    assert "waited 1 s for frame" in outcomes[0].stopped


def test_a_recording_without_a_session_or_without_its_keys_can_not_be_replayed() -> None:
    with pytest.raises(CannotReplay, match="no session was opened"):
        ReplayedController((), ReplayPace(), os.urandom)
