"""The chapters of the reference that are prose; every number in them comes from the code."""

from protocol.cards import FACES, SPECIAL
from protocol.commitment import HASH_BYTES, SALT_BYTES
from protocol.crc import CHECK
from protocol.framing import (
    HEADER,
    HEADER_SIZE,
    HEADER_SIZES,
    MAX_ENCODED,
    MAX_RAW,
    MUST_UNDERSTAND,
    RETRANSMITTED,
    SEAL_OVERHEAD,
    SEALED,
    VERSION,
)
from protocol.limits import FREE_FAILURES, LOCK_OUT_MAX_S, LOCK_OUT_S, MAX_BODY
from protocol.secure import COUNTER_BYTES, KEY_BYTES, PROOF_BYTES, PUBLIC_BYTES, REPLAY_WINDOW

INTRODUCTION = f"""\
This is the wire between a table controller (the **host**) and an emulated shuffler or dealing shoe (the **device**).
It is this project's own protocol, made for the bench; it is not the protocol of any maker of such machines and is
not compatible with one. Version {VERSION}.

`shuffler protocol docs` renders this page from the message catalogue, together with
[`protocol/shuffler_protocol.h`](protocol/shuffler_protocol.h) (C99: numbers, packed layouts, encoders and decoders, hashes) and
[`protocol/vectors.json`](protocol/vectors.json) (frames, handshake, proofs and commitments with all intermediate
values, and the catalogue itself in machine-readable form). A test fails when any of the three is stale.
`shuffler protocol decode` reads frames from hex or from a byte stream. Rules have numbers (F-1, H-2, …) by which tests and
suites refer to them; a number is never given to another rule. `examples/c` and `examples/node` are clients written from this
page alone."""

CONVENTIONS = f"""\
- **B-1** Every number is unsigned and **little-endian**. There is no padding. `u8` … `u64` are numbers of 1 to 8 bytes, `bool` is
  a `u8` of 0 or 1.
- **B-2** `u8 n, bytes[n]`: a length of one byte, then so many bytes. `UTF-8[n]` is text whose length is counted in bytes, without a
  terminating zero. A list is a count and then its records, one behind the other.
- **B-3** Fields of fixed size come first in every body, fields of variable size last.
- **B-4** A receiver refuses a body that is too short or too long, a `bool` above 1, a word that its enumeration lacks and text that
  is no UTF-8: the device answers `Error` MALFORMED. Unknown bits of a flags field are ignored.
- **B-5** A **card** is a code: 0 … {FACES - 1} is a face; the remainder of the code by 13 is its rank (0 is the deuce, 12 the ace), the
  quotient its suit (clubs, diamonds, hearts, spades); {", ".join(f"{code} is {name}" for code, name in SPECIAL.items())}.
- **B-6** A **place** in the feed counts the cards as they lay in the infeed tray, from 0. A device that reads no faces names places,
  always in a field of their own.
- **B-7** A **seat** counts from 1 at the dealer's left; 0 is the dealer.
- **B-8** Device times are milliseconds since power-up."""

FRAMING = f"""\
A frame on the byte stream is

```
00  COBS( header, body, check )  00
```

- **F-1** COBS (consistent overhead byte stuffing) removes zeros from what stands between the delimiters. A delimiter stands
  before *and* after each frame, so that a damaged delimiter spoils one frame and not its neighbour. A receiver cuts the
  stream at zeros and ignores empty pieces.
- **F-2** The check is CRC-32C (Castagnoli; polynomial 0x1EDC6F41, reflected in and out, initial value and final XOR
  0xFFFFFFFF; CRC-32/ISCSI in the CRC catalogues) over header and body, 4 bytes little-endian. Over
  the ASCII digits `123456789` it gives **0x{CHECK:08X}**.
- **F-3** A body has at most {MAX_BODY:,} bytes (sealed: {SEAL_OVERHEAD} more), a frame before COBS at most
  {MAX_RAW:,}, after COBS at most {MAX_ENCODED:,} without delimiters. A receiver that has collected more throws all away up
  to the next zero.
- **F-4** A piece that is no COBS, is shorter than header and check ({HEADER_SIZE + 4} bytes), or whose check is wrong is noise: it
  is counted and dropped, and nothing is sent because of it."""

def _header_table() -> str:
    lines = ["| offset | size | field | meaning |", "|---:|---:|---|---|"]
    offset = 0
    for field, size in zip(HEADER, HEADER_SIZES, strict=True):
        lines.append(f"| {offset} | {size} | {field.name} | {field.meaning} |")
        offset += size
    return "\n".join(lines)


HEADER_TEXT = f"""\
The header has {HEADER_SIZE} bytes:

{_header_table()}

**F-5** Flags: bits of the upper half (0x{MUST_UNDERSTAND:02X}) must be understood, a frame with an unknown one of them is dropped;
bits of the lower half may be ignored.

| bit | name | meaning |
|---|---|---|
| 0x{SEALED:02X} | SEALED | the body is a packet counter and an AEAD ciphertext (secure mode) |
| 0x{RETRANSMITTED:02X} | RETRANSMITTED | sent before under the same sequence number |"""

SECURE = f"""\
**X-1** Off unless a key is set. With a key of {KEY_BYTES} bytes shared by both ends beforehand, every session is authenticated both
ways and sealed; a device with a key set opens no other, and believes no unsealed frame but a hello.

**X-2 Handshake.** Each end draws an ephemeral X25519 key pair (RFC 7748) for each handshake and puts the public key
({PUBLIC_BYTES} bytes) into `ephemeral`; the hello demands SECURE in `must`. A device without a key refuses it with SECURE_UNAVAILABLE; one with a key
refuses a hello without SECURE with SECURE_REQUIRED, and one whose public key has another length with BAD_HELLO.

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

**X-3 Frames.** Every frame after the welcome has the flag SEALED and the body

```
u64 packet counter, ciphertext, tag[16]
```

made by ChaCha20-Poly1305 (RFC 8439) with the sender's key, the nonce `00 00 00 00` + counter (8 bytes, little-endian), the
body in clear as plaintext and the {HEADER_SIZE} bytes of the header as associated data. The counter starts at 1 in each
direction and goes up with every frame sent; a retransmission takes a new one. ({COUNTER_BYTES} + 16 = {SEAL_OVERHEAD}
bytes more than in clear.)

**X-4 Refused**: a tag that is wrong (another key, a flipped bit in header or body, a frame reflected to its sender), a counter that
was received before or is {REPLAY_WINDOW:,} or more behind the newest, a frame that is not sealed, a plain reset. A refused
frame is dropped and counted; the session goes on. Keys are used for one session only, and the ephemeral keys are forgotten:
the pre-shared key does not open recorded sessions."""

ROLES = f"""\
**R-1** Commands that need a role are refused with NOT_AUTHORISED until the session has proved it. Everyone is a dealer.
`AskChallenge` gives a nonce of 32 bytes that is good for one answer; the answer in `ProveRole` is

```
key   = SHA-256("shuffler-bench/role/1" 00 + secret words in UTF-8)
proof = HMAC-SHA-256(key, "shuffler-bench/role/1" 00 + serial number in UTF-8 + 00
                          + session number (u32) + role (u8) + nonce (32 bytes))
```

**R-2** A role holds until the session ends or `DropRole`. Wrong answers are counted per role, also across power cycles; after
more than {FREE_FAILURES} the device answers LOCKED_OUT for {LOCK_OUT_S} s of real time, doubling with each further one up to
{LOCK_OUT_MAX_S:,} s; a right answer ends the count. Roles work in plain and in secure mode; in plain
mode a listener can try secrets against a recorded proof, so the words must not be guessable."""

COMMITMENT = f"""\
**K-1** Before the first group of a deck the device publishes one hash (`ShuffleCompleted.root`) over all its cards. Each group comes
with an `Opening` that shows its cards to be those committed to and tells nothing of the others. It proves that the order was
fixed before the deal, not that it was random. What the root is made over depends on `kind`: card codes in dealt order (ORDER)
or, where the machine reads no faces, places in the feed (SLOTS). The opening names the former in `cards` and the latter in
`places`; one of the two is empty.

```
prefix  = "shuffler-bench/commitment/1/leaf" 00
          + u8 length of serial + serial + epoch (u64) + shuffle (u32) + game (u8) + count (u16)
          + u8 length of nonce + nonce
leaf i  = SHA-256(prefix + i (u16) + code of card i, or its place (u8) + salt i ({SALT_BYTES} random bytes))
empty   = SHA-256("shuffler-bench/commitment/1/empty" 00)
node    = SHA-256("shuffler-bench/commitment/1/node" 00 + left + right)
```

The leaves are filled up with `empty` to the next power of two (at least one); pairs are hashed level by level up to the one
`root`. Serial and epoch are the welcome's; shuffle, game, count and the host's nonce are in `ShuffleCompleted`.

**K-2 Checking an opening** of n cards or places from position `first`, with low = `first` and high = `first` + n: make their leaves; then on
each level below the root: if low is odd, take the next hash of `proof` ({HASH_BYTES} bytes) and put it on the left; if high is
odd, take the next and put it on the right; hash the pairs; low = low / 2 rounded down, high = high / 2 rounded up. At the end
one hash must be left, equal to the root, and no hash of `proof` unused. An opening of nothing proves nothing; one with
both cards and places is refused."""

LOG = """\
Each line of the device's log carries a hash over itself and the line before:

```
hash of line n = SHA-256("shuffler-bench/log/1" 00 + hash of line n - 1 (32 bytes; zeros before line 1)
                         + n (u32) + time_ms (u64) + text in UTF-8)
```

A changed, missing or inserted line breaks the chain. A cut tail shows by the head, which goes out in `Counters` and
`CountersReported` and belongs into the host's journal.

The other way round `NoteHead` puts the head of the host's journal into the log, so that each side holds the other's:

```
journal <journal, 32 hex digits> record <record, decimal> head <hash, 64 hex digits>
```

The device does not judge it: any host may note any head. It is a line like any other, under the log's capacity; the
same head twice in a row makes one line."""
