"""One table's evening as messages: a typical value of every message, consistent with each other.

The root in `ShuffleCompleted` is the root of the deck whose cards `GroupRemoved`, `HandDisclosed` and `Stub` open, so
that the reference and the vectors can be checked against themselves. Made-up bytes come from SHAKE-128 over their name.
"""

import hashlib
from functools import cache

from protocol import messages as m
from protocol import vocabulary as v
from protocol.catalogue import fingerprint
from protocol.commitment import SALT_BYTES, Commitment, Context
from protocol.framing import VERSION
from protocol.log_chain import chain
from protocol.roles import proof, role_key
from protocol.stream import WINDOW
from protocol.wire import MAX_BODY

SERIAL = "SB-000042"
EPOCH = 0x0123456789ABCDEF
SESSION = 0x5E551017
SHUFFLE = 1207
GAME = 1
ROUND = 3021
ROLE_SECRET = "a supervisor's words"


def made_up(name: str, count: int) -> bytes:
    """So many bytes that look random and are the same in every run."""
    return hashlib.shake_128(f"shuffler-bench/example/{name}".encode()).digest(count)


SHUFFLE_NONCE = made_up("shuffle nonce", 16)
ROLE_NONCE = made_up("role nonce", 32)
CONTEXT = Context(serial=SERIAL, epoch=EPOCH, shuffle=SHUFFLE, game=GAME, count=52, nonce=SHUFFLE_NONCE)
DECK = tuple(sorted(range(52), key=lambda card: made_up(f"card {card}", 8)))
SALTS = made_up("salts", SALT_BYTES * len(DECK))
LOG_TEXTS = ("shuffle 1207 complete", "round 3021 begun")
LOG_BEFORE = made_up("log 4408", 32)
LOG_HASHES = (
    chain(LOG_BEFORE, 4409, 5_020_000, LOG_TEXTS[0]),
    chain(chain(LOG_BEFORE, 4409, 5_020_000, LOG_TEXTS[0]), 4410, 5_024_000, LOG_TEXTS[1]),
)


@cache
def commitment() -> Commitment:
    """The commitment of the deck in this story."""
    return Commitment(CONTEXT, DECK, SALTS)


@cache
def typical() -> dict[type[m.Message], m.Message]:
    """One value of every message."""
    deck = commitment()
    event = {"number": 71, "time_ms": 5_025_250}
    values: tuple[m.Message, ...] = (
        m.Hello(
            version_min=VERSION, version_max=VERSION, must=v.Capability(0),
            may=v.Capability.EVENT_REPLAY | v.Capability.COMMITMENTS, window=WINDOW, max_body=MAX_BODY,
            fingerprint=fingerprint(), instance=made_up("instance", 16), next_request=17,
            nonce=made_up("host nonce", 16), ephemeral=b"",
        ),
        m.Welcome(
            version=VERSION, capabilities=v.Capability.EVENT_REPLAY | v.Capability.COMMITMENTS, window=WINDOW,
            max_body=MAX_BODY, heartbeat_ms=1000, fingerprint=fingerprint(), epoch=EPOCH, boots=12, last_event=70,
            acknowledged_event=68, command_memory=64, known_instance=True, host_nonce=made_up("host nonce", 16),
            nonce=made_up("device nonce", 16), serial=SERIAL, ephemeral=b"", proof=b"",
        ),
        m.Reset(reason=v.ResetReason.UNKNOWN_SESSION, text="this device knows no such session: say hello"),
        m.Ack(early=0b101),
        m.Heartbeat(uptime_ms=5_025_000, last_event=70),
        m.Done(),
        m.Error(code=v.ErrorCode.NOT_NOW, text="no deck is ready"),
        m.AskFate(command=17),
        m.FateTold(command=17, fate=v.Fate.REFUSED, code=v.ErrorCode.NOT_NOW),
        m.GetInfo(),
        m.Info(
            flags=v.DeviceFlag.READS_FACES | v.DeviceFlag.HAND_RECALL | v.DeviceFlag.SEEDED,
            commits=v.CommitKind.ORDER, decks=1, deck_cards=52, model="bench shuffler", serial=SERIAL,
            firmware="0.1.0", profile="single-deck",
        ),
        m.GetStatus(),
        m.Status(
            power=v.PowerState.ON, infeed=v.InfeedState.STAGED, deal=v.DealState.GROUP_IN_TRAY,
            round_state=v.RoundState.DEALING,
            fault=v.FaultState.CLEAR, mode=v.Mode.PLAY, fault_code=v.FaultCode.NONE, game=GAME, round=ROUND, group=2,
            groups=8, shuffle=SHUFFLE, door_open=False, role=v.Role.DEALER, last_event=70,
        ),
        m.SelfTest(),
        m.SelfTestResult(passed=False, fault=v.FaultCode.TRAY_SENSOR_STUCK, text="the tray sensor never changes"),
        m.Verify(challenge=made_up("challenge", 32)),
        m.Verified(digest=made_up("digest", 32), files=31),
        m.SetTime(unix_ms=1_767_225_600_000),
        m.Time(uptime_ms=5_025_100, unix_ms=1_767_225_600_000),
        m.GetCounters(),
        m.Counters(
            shuffles=SHUFFLE, rounds=ROUND, groups=19_870, cards=59_610, misdeals=4, faults=23, power_ups=12,
            log_length=4410, log_head=LOG_HASHES[1],
        ),
        m.ListGames(),
        m.Games(
            selected=GAME,
            games=(
                m.GameEntry(
                    game=1, cards_per_group=3, dealer_cards=3, groups=7, dealer_first=False, deck_cards=52,
                    name="Three Card Poker",
                ),
                m.GameEntry(
                    game=2, cards_per_group=5, dealer_cards=5, groups=6, dealer_first=True, deck_cards=52,
                    name="Five-card stud",
                ),
            ),
        ),
        m.SelectGame(game=GAME),
        m.Load(),
        m.Shuffle(nonce=SHUFFLE_NONCE),
        m.Sort(),
        m.VerifyDeck(),
        m.EjectStub(),
        m.ReadStub(),
        m.Stub(shuffle=SHUFFLE, opening=deck.opening(48, 4)),
        m.BeginRound(round=ROUND, seats=0b1111111),
        m.DealGroup(round=ROUND, groups=0),
        m.CloseDecisions(round=ROUND),
        m.VoidRound(round=ROUND),
        m.RecallHand(round=ROUND - 1, seat=3),
        m.RecalledHand(round=ROUND - 1, seat=3, shuffle=SHUFFLE - 1, cards=(10, 36, 51)),
        m.AckEvents(upto=70),
        m.ReadLog(after=4408, limit=2),
        m.LogPage(
            length=4410,
            lines=(
                m.LogLine(number=4409, time_ms=5_020_000, hash=LOG_HASHES[0], text=LOG_TEXTS[0]),
                m.LogLine(number=4410, time_ms=5_024_000, hash=LOG_HASHES[1], text=LOG_TEXTS[1]),
            ),
        ),
        m.NoteHead(journal=made_up("instance", 16), record=60_420, hash=made_up("journal head", 32)),
        m.AskChallenge(role=v.Role.SUPERVISOR),
        m.Challenge(role=v.Role.SUPERVISOR, nonce=ROLE_NONCE),
        m.ProveRole(
            role=v.Role.SUPERVISOR,
            proof=proof(
                role_key(ROLE_SECRET), serial=SERIAL, session=SESSION, role=v.Role.SUPERVISOR, nonce=ROLE_NONCE
            ),
        ),
        m.DropRole(),
        m.ClearFault(code=v.FaultCode.JAM_EXIT),
        m.ServiceMode(on=True),
        m.ReadRandom(count=16),
        m.RandomBytes(data=made_up("random", 16)),
        m.PoweredUp(
            **event, boots=12, cause=v.PowerUpCause.POWER_RETURNED, interrupted=v.Interrupted.VOIDED, round=ROUND - 1
        ),
        m.DeckLoaded(**event, count=52),
        m.ShuffleProgressed(number=0, time_ms=5_025_250, done=26, total=52),
        m.ShuffleCompleted(
            **event, shuffle=SHUFFLE, count=52, game=GAME, kind=v.CommitKind.ORDER, flags=v.DeviceFlag.SEEDED,
            nonce=SHUFFLE_NONCE, root=deck.root,
        ),
        m.DeckSorted(**event, count=52),
        m.DeckVerified(**event, count=52, complete=True),
        m.GroupReady(**event, round=ROUND, group=2, seat=2, count=3),
        m.GroupRemoved(
            **event, round=ROUND, group=2, seat=2, count=3, shuffle=SHUFFLE, withheld=False, opening=deck.opening(3, 3)
        ),
        m.HandDisclosed(**event, round=ROUND, group=8, seat=0, shuffle=SHUFFLE, opening=deck.opening(21, 3)),
        m.CardExposed(**event, round=ROUND, group=2, seat=2),
        m.StubReady(**event, round=ROUND, count=28),
        m.StubRemoved(**event, round=ROUND, count=28),
        m.FaultRaised(**event, code=v.FaultCode.JAM_EXIT, place=v.Place.EXIT, detail=7),
        m.FaultCleared(**event, code=v.FaultCode.JAM_EXIT, how=v.Cleared.BY_DEALER),
        m.Misdealt(**event, round=ROUND, reason=v.MisdealReason.GROUP_COUNT, group=3, expected=3, seen=4),
        m.DoorMoved(**event, open=True),
        m.ModeChanged(**event, mode=v.Mode.SERVICE),
        m.CountersReported(
            **event, shuffles=SHUFFLE, rounds=ROUND, misdeals=4, faults=23, log_length=4410,
            log_head=LOG_HASHES[1],
        ),
    )  # fmt: skip
    return {type(value): value for value in values}
