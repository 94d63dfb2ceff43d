"""The chapters of the reference that are prose; every number in them comes from the code."""

from protocol.cards import FACES, SPECIAL
from protocol.commitment import HASH_BYTES, SALT_BYTES
from protocol.crc import CHECK
from protocol.device_link import HALF_OPEN_LIMIT
from protocol.framing import (
    HEADER_SIZE,
    MAX_ENCODED,
    MAX_RAW,
    MUST_UNDERSTAND,
    RETRANSMITTED,
    SEAL_OVERHEAD,
    SEALED,
    VERSION,
)
from protocol.host_link import HELLO_RETRY_MAX_US, HELLO_RETRY_US
from protocol.link import HEARTBEAT_MS, SILENT_INTERVALS
from protocol.secure import COUNTER_BYTES, KEY_BYTES, PROOF_BYTES, PUBLIC_BYTES, REPLAY_WINDOW
from protocol.stream import ACK_DELAY_US, FAST_RETRANSMIT_AFTER, MAX_TRIES, RTO_MAX_US, RTO_MIN_US, RTO_START_US, WINDOW
from protocol.wire import HEADER, MAX_BODY


def _ms(microseconds: int) -> str:
    return f"{microseconds // 1000:,} ms"


INTRODUCTION = f"""\
This is the wire between a table controller (the **host**) and an emulated shuffler or dealing shoe (the **device**).
It is this project's own protocol, made for the bench; it is not the protocol of any maker of such machines and is
not compatible with one. Version {VERSION}.

`shuffler protocol docs` renders this page from the message catalogue, together with
[`protocol/shuffler_protocol.h`](protocol/shuffler_protocol.h) (C99: numbers, packed layouts, decoders) and
[`protocol/vectors.json`](protocol/vectors.json) (frames, handshake, proofs and commitments with all intermediate
values, and the catalogue itself in machine-readable form). A test fails when any of the three is stale.
`shuffler protocol decode` reads frames from hex or from a byte stream."""

CONVENTIONS = f"""\
- Every number is unsigned and **little-endian**. There is no padding. `u8` … `u64` are numbers of 1 to 8 bytes, `bool` is
  a `u8` of 0 or 1.
- `u8 n, bytes[n]`: a length of one byte, then so many bytes. `UTF-8[n]` is text whose length is counted in bytes, without a
  terminating zero. A list is a count and then its records, one behind the other.
- Fields of fixed size come first in every body, fields of variable size last.
- A receiver refuses a body that is too short or too long, a `bool` above 1, a word that its enumeration lacks and text that
  is no UTF-8: the device answers `Error` MALFORMED. Unknown bits of a flags field are ignored.
- A **card** is a code: 0 … {FACES - 1} is a face with rank code % 13 (0 is the deuce, 12 the ace) and suit code // 13
  (clubs, diamonds, hearts, spades); {", ".join(f"{code} is {name}" for code, name in SPECIAL.items())}.
- A **seat** counts from 1 at the dealer's left; 0 is the dealer.
- Device times are milliseconds since power-up."""

FRAMING = f"""\
A frame on the byte stream is

```
00  COBS( header, body, check )  00
```

- **COBS** (consistent overhead byte stuffing) removes zeros from what stands between the delimiters. A delimiter stands
  before *and* after each frame, so that a damaged delimiter spoils one frame and not its neighbour. A receiver cuts the
  stream at zeros and ignores empty pieces.
- **Check**: CRC-32C (Castagnoli; polynomial 0x1EDC6F41, reflected in and out, initial value and final XOR
  0xFFFFFFFF; `crc-32c` in crcmod, CRC-32/ISCSI in the CRC catalogues) over header and body, 4 bytes little-endian. Over
  the ASCII digits `123456789` it gives **0x{CHECK:08X}**.
- **Bounds**: a body has at most {MAX_BODY:,} bytes (sealed: {SEAL_OVERHEAD} more), a frame before COBS at most
  {MAX_RAW:,}, after COBS at most {MAX_ENCODED:,} without delimiters. A receiver that has collected more throws all away up
  to the next zero.
- A piece that is no COBS, is shorter than header and check ({HEADER_SIZE + 4} bytes), or whose check is wrong is noise: it
  is counted and dropped, and nothing is sent because of it."""

HEADER_NOTES = {
    "version": f"{VERSION}; a frame of another version is dropped",
    "flags": "see below",
    "message": "message number",
    "session": "session number, random, chosen by the device; 0 in a hello and in what refuses one",
    "sequence": "number of the frame within its direction of the session, from 1; 0 outside the order",
    "acknowledge": "every frame of the other direction up to this number has been received",
    "request": "id of the command; its reply carries the same; 0 on events",
}


def _header_table() -> str:
    lines = ["| offset | size | field | meaning |", "|---:|---:|---|---|"]
    offset = 0
    for field in HEADER.subcons:
        lines.append(f"| {offset} | {field.sizeof()} | {field.name} | {HEADER_NOTES[field.name or '']} |")
        offset += field.sizeof()
    return "\n".join(lines)


HEADER_TEXT = f"""\
The header has {HEADER_SIZE} bytes:

{_header_table()}

Flags: bits of the upper half (0x{MUST_UNDERSTAND:02X}) must be understood, a frame with an unknown one of them is dropped;
bits of the lower half may be ignored.

| bit | name | meaning |
|---|---|---|
| 0x{SEALED:02X} | SEALED | the body is a packet counter and an AEAD ciphertext (secure mode) |
| 0x{RETRANSMITTED:02X} | RETRANSMITTED | sent before under the same sequence number |"""

SESSION = f"""\
**Opening.** The host sends `Hello` with session, sequence, acknowledgement and request 0. It repeats it, the same bytes,
after {_ms(HELLO_RETRY_US)} and then at doubled intervals of at most {_ms(HELLO_RETRY_MAX_US)}. The device answers with
`Welcome` in a frame whose header carries the new session's number (sequence 0), or refuses with `Reset` in session 0. A
hello that is repeated (same nonce) gets the same welcome. The welcome echoes the hello's nonce: a host drops one that
echoes another.

The session is then half-open on the device: the first frame of the host with its number (in secure mode: the first whose
seal holds) makes it the session in use and ends the one before. So an old hello, delayed or replayed, ends nothing. The
host therefore sends a `Heartbeat` at once. The device keeps at most {HALF_OPEN_LIMIT} half-open sessions.

**Versions.** The hello names the lowest and highest version the host speaks; its header always says {VERSION}, the version
in which hellos are written. The welcome names the one chosen.

**Capabilities.** A `must` bit that the device lacks refuses the hello (CAPABILITY). The welcome says which capabilities of
`must` and `may` both ends have.

**Fingerprint.** Eight bytes of SHA-256 over the catalogue: both ends can tell at once whether they were made from the same
definitions. It is told, not enforced. The text hashed has one line a message in the order of this page,
`number-in-hex name layout`, joined by line feeds; the `layout` strings are in the vectors.

**Order.** Within a session each direction numbers its frames from 1 without gaps and never starts over. At most `window`
frames (the welcome's; {WINDOW} by default) are in flight unacknowledged. The receiver gives messages on in order, keeps
those that came early (within the window) and drops those that it has. `acknowledge` says the highest number up to which
all have come; it is in every frame. `Ack` (sequence 0, empty body) carries it alone when nothing else is to be sent:

- at once on a frame that came early or twice, and when half a window is unacknowledged;
- else within {_ms(ACK_DELAY_US)}.

**Retransmission.** The oldest unacknowledged frame is sent again when the time-out is over, or at once on the
{FAST_RETRANSMIT_AFTER}rd equal acknowledgement in a row. The time-out follows RFC 6298 with Karn's rule (no measurement of
retransmitted frames): it starts at {_ms(RTO_START_US)}, stays between {_ms(RTO_MIN_US)} and {_ms(RTO_MAX_US)} and doubles
with each time-out. A frame that was sent {MAX_TRIES} times in vain ends the session.

**Heartbeat.** An end that has sent nothing for `heartbeat_ms` ({HEARTBEAT_MS:,} by default) sends `Heartbeat` (sequence 0).
An end that has heard nothing for {SILENT_INTERVALS} intervals takes the session for lost.

**Reset.** Either end ends the session with `Reset` (sequence 0, the session's number) and a reason. A device that receives
a frame of a session it does not know answers `Reset` UNKNOWN_SESSION in that session, except to a reset and except where a
key is set. Frames of other sessions are dropped by the host."""

DELIVERY = """\
**Commands: at most once.** A command with an effect (marked below) is keyed by the host's `instance` (in the hello) and its
request id. Ids of an instance rise by one from 1 and are never used again, also across sessions and restarts: a host that
can't remember its numbering draws a new instance. The device keeps the last answers of an instance (`command_memory` of
them) in non-volatile memory, together with the effect, in one step.

- An id above the newest one executed is executed, and its answer remembered.
- A repeat gets the first answer and has no second effect.
- An id that is neither new nor remembered gets `Error` STALE_REQUEST: it was not executed and never will be.
- An instance that the device does not remember starts at the hello's `next_request`: lower ids count as never executed.

A host leaves fewer than `command_memory` ids between its oldest unanswered command and its newest, so that a command it
still wonders about is remembered or was never executed. After a lost session it sends unanswered commands again under their
ids, in order. Commands without an effect may simply be asked again.

**AskFate** settles a command whose answer was never seen, for example after a crash: the device says DONE, REFUSED (with the
error code) or NEVER_EXECUTED; in the last case it also fences the id off, so that a late copy of the command is refused. So
each command ends known as done, refused or never executed.

**Events: kept until stored.** Events are numbered from 1 without gaps within a store epoch (`Welcome.epoch`, random, new
whenever the device's event memory starts anew) and kept in non-volatile memory until the host has acknowledged them. When a
session opens, the device sends every event after the last acknowledged one, in order; then new ones as they happen. The
host stores an event under (serial, epoch, number) first and sends `AckEvents` after, so a replay changes nothing: each event
takes effect once. An event memory that is full stops the dealing with a fault; nothing is dropped. Passing events (number
0) tell of progress, are not kept and not replayed.

The link's acknowledgement says that a frame has arrived; only `AckEvents` says that an event is stored."""

SECURE = f"""\
Off unless a key is set. With a key of {KEY_BYTES} bytes shared by both ends beforehand, every session is authenticated both
ways and sealed; a device with a key set opens no other, and believes no unsealed frame but a hello.

**Handshake.** Each end draws an ephemeral X25519 key pair (RFC 7748) for each handshake and puts the public key
({PUBLIC_BYTES} bytes) into `ephemeral`; the hello demands SECURE in `must`.

```
transcript = part(hello body) + part(welcome body with an empty proof) + part(session number, u32)
part(x)    = u32 length of x + x
digest     = SHA-256(transcript)
shared     = X25519(own private key, peer's public key)          (all zeros: refuse)
okm        = HKDF-SHA-256(salt = pre-shared key, input = shared,
                          info = "shuffler-bench/secure/1" + digest, length = {3 * KEY_BYTES})
host key   = okm[0 … {KEY_BYTES - 1}]       seals what the host sends
device key = okm[{KEY_BYTES} … {2 * KEY_BYTES - 1}]      seals what the device sends
proof key  = okm[{2 * KEY_BYTES} … {3 * KEY_BYTES - 1}]
proof      = HMAC-SHA-256(proof key, "device" + digest)          ({PROOF_BYTES} bytes, in the welcome)
```

The strings are ASCII without a terminating zero. The host checks the proof and so knows that the device holds the key; the
device knows the same of the host by the first frame whose seal holds. A welcome whose proof is wrong is dropped, not
taken for an answer.

**Frames.** Every frame after the welcome has the flag SEALED and the body

```
u64 packet counter, ciphertext, tag[16]
```

made by ChaCha20-Poly1305 (RFC 8439) with the sender's key, the nonce `00 00 00 00` + counter (8 bytes, little-endian), the
body in clear as plaintext and the {HEADER_SIZE} bytes of the header as associated data. The counter starts at 1 in each
direction and goes up with every frame sent; a retransmission takes a new one. ({COUNTER_BYTES} + 16 = {SEAL_OVERHEAD}
bytes more than in clear.)

**Refused**: a tag that is wrong (another key, a flipped bit in header or body, a frame reflected to its sender), a counter that
was received before or is {REPLAY_WINDOW:,} or more behind the newest, a frame that is not sealed, a plain reset. A refused
frame is dropped and counted; the session goes on. Keys are used for one session only, and the ephemeral keys are forgotten:
the pre-shared key does not open recorded sessions."""

ROLES = """\
Commands that need a role are refused with NOT_AUTHORISED until the session has proved it. Everyone is a dealer.
`AskChallenge` gives a nonce of 32 bytes that is good for one answer; the answer in `ProveRole` is

```
key   = SHA-256("shuffler-bench/role/1" 00 + secret words in UTF-8)
proof = HMAC-SHA-256(key, "shuffler-bench/role/1" 00 + serial number in UTF-8 + 00
                          + session number (u32) + role (u8) + nonce (32 bytes))
```

A role holds until the session ends or `DropRole`. Wrong answers are counted per role, also across power cycles; after a few
the device answers LOCKED_OUT for a time that doubles with each further one. Roles work in plain and in secure mode; in plain
mode a listener can try secrets against a recorded proof, so the words must not be guessable."""

COMMITMENT = f"""\
Before the first group of a deck the device publishes one hash (`ShuffleCompleted.root`) over all its cards. Each group comes
with an `Opening` that shows its cards to be those committed to and tells nothing of the others. It proves that the order was
fixed before the deal, not that it was random. What the root is made over depends on `kind`: card codes in dealt order (ORDER)
or, where the machine reads no faces, places in the infeed (SLOTS).

```
prefix  = "shuffler-bench/commitment/1/leaf" 00
          + u8 length of serial + serial + epoch (u64) + shuffle (u32) + game (u8) + count (u16)
          + u8 length of nonce + nonce
leaf i  = SHA-256(prefix + i (u16) + code of card i (u8) + salt i ({SALT_BYTES} random bytes))
empty   = SHA-256("shuffler-bench/commitment/1/empty" 00)
node    = SHA-256("shuffler-bench/commitment/1/node" 00 + left + right)
```

The leaves are filled up with `empty` to the next power of two (at least one); pairs are hashed level by level up to the one
`root`. Serial and epoch are the welcome's; shuffle, game, count and the host's nonce are in `ShuffleCompleted`.

**Checking an opening** of n cards from position `first`, with low = `first` and high = `first` + n: make their leaves; then on
each level below the root: if low is odd, take the next hash of `proof` ({HASH_BYTES} bytes) and put it on the left; if high is
odd, take the next and put it on the right; hash the pairs; low = low / 2 rounded down, high = high / 2 rounded up. At the end
one hash must be left, equal to the root, and no hash of `proof` unused. An opening without cards proves nothing."""

LOG = """\
Each line of the device's log carries a hash over itself and the line before:

```
hash of line n = SHA-256("shuffler-bench/log/1" 00 + hash of line n - 1 (32 bytes; zeros before line 1)
                         + n (u32) + time_ms (u64) + text in UTF-8)
```

A changed, missing or inserted line breaks the chain. A cut tail shows by the head, which goes out in `Counters` and
`CountersReported` and belongs into the host's journal."""
