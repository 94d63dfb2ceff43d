"""The chapters on sessions, versions, delivery and small hosts; every number in them comes from the code."""

from protocol.device_link import HALF_OPEN_LIMIT
from protocol.framing import HELLO_VERSION, VERSION
from protocol.host_link import HELLO_RETRY_MAX_US, HELLO_RETRY_US
from protocol.limits import COMMAND_MEMORY, EVENTS, FENCES, GUESTS, INSTANCES, MAX_BODY, MIN_BODY
from protocol.link import HEARTBEAT_MS, SILENT_INTERVALS
from protocol.stream import (
    ACK_DELAY_US,
    AT_ONCE,
    EARLY_BITS,
    MAX_TRIES,
    RTO_MAX_US,
    RTO_MIN_US,
    RTO_START_US,
    TRIES_A_WAIT,
    WINDOW,
)


def _ms(microseconds: int) -> str:
    return f"{microseconds // 1000:,} ms"


VERSIONS = f"""\
This page describes version **{VERSION}**. Each version is one set of layouts and rules; there are no dialects within one.

- **V-1** The hello, the welcome, and the reset that refuses a hello are framed with header version {HELLO_VERSION} in every
  version, and the layouts of `Hello` and `Reset` never change. So any two ends can tell each other what they speak.
- **V-2** All other frames carry the version of their session in the header: the one that the welcome names. A frame of
  another version is dropped.
- **V-3** The hello names the lowest and the highest version that the host speaks. A device that speaks none of them refuses
  with `Reset` VERSION and a sentence that names its own; it never guesses.
- **V-4** A host that is welcomed in a version that it did not offer ends the session with `Reset` VERSION.
- **V-5** A number, a field, a word or a rule that changes what a peer must do makes a new version. A message or a word that
  is only added also does, since a receiver refuses what it does not know.
- **V-6** The fingerprint (8 bytes of SHA-256 over the catalogue) differs wherever layouts differ. It is told, not enforced:
  two ends of one version with different fingerprints were made from different states of this page. The text hashed has one
  line a message in the order of this page, `number-in-hex name layout`, joined by line feeds; the `layout` strings are in
  the vectors.

| host | device | what happens |
|---|---|---|
| 0.1.0 (version 1) | this one | `Reset` VERSION: "this device speaks version {VERSION} of the protocol, the host 1: update the older one" |
| this one | 0.1.0 (version 1) | `Reset` VERSION: "this device speaks version 1" |

Version 1 could not tell a forgotten command from one that was never executed, showed feed places as card faces, and had no
selective acknowledgement; it is refused, not imitated."""

SESSION = f"""\
**Opening.**

- **H-1** The host sends `Hello` with session, sequence, acknowledgement and request 0. It repeats it, the same bytes, after
  {_ms(HELLO_RETRY_US)} and then at doubled intervals of at most {_ms(HELLO_RETRY_MAX_US)}.
- **H-2** The device answers with `Welcome` in a frame whose header carries the new session's number (sequence 0), or refuses
  with `Reset` in session 0. A hello that is repeated (same nonce) gets the same welcome.
- **H-3** The welcome echoes the hello's nonce: a host drops one that echoes another.
- **H-4** The session is then half-open on the device: the first frame of the host with its number (in secure mode: the first
  whose seal holds) makes it the session in use and ends the one before. So an old hello, delayed or replayed, ends nothing.
  The device keeps at most {HALF_OPEN_LIMIT} half-open sessions.
- **H-5** The host sends a `Heartbeat` at once when it is welcomed.
- **H-6** A `must` bit that the device lacks refuses the hello (CAPABILITY). The welcome says which capabilities of `must` and
  `may` both ends have.
- **H-7** `Welcome.window` is the smaller of both ends' windows, `Welcome.max_body` the smaller of both ends' longest bodies;
  both bind both ends.
- **H-8** The host compares `Welcome.last_event` with the newest event that it has stored under (serial, epoch). Where it is
  lower, the device's memory was set back: the host ends the session with `Reset` SET_BACK, takes nothing from it, and tells
  people. The same where an event that is told again differs from the one stored under its number.
- **H-9** The host stores every event up to `Welcome.last_event` before it sends a command with an effect: until then it does
  not know what the machine has done meanwhile.

**Order.**

- **S-1** Within a session each direction numbers its frames from 1 without gaps and never starts over.
- **S-2** At most `window` frames beyond the last acknowledged one ({WINDOW} by default) are in flight.
- **S-3** The receiver gives messages on in order, keeps those that came early (within the window; with a window of 1 there are
  none) and drops those that it has.
- **S-4** `acknowledge` says the highest number up to which all have come; it is in every frame.
- **S-5** `Ack` (sequence 0) carries it when nothing else is to be sent, and says in `early` which frames beyond the first
  missing one have come: bit n is frame `acknowledge` + 2 + n, {EARLY_BITS} bits. It goes out at once on a frame that came
  early or twice and when half a window is unacknowledged, else within {_ms(ACK_DELAY_US)}.
- **S-6** A command, a reply or an event with sequence 0 is not taken; the device answers a command so sent with `Error`
  MALFORMED. Only `Ack`, `Heartbeat`, `Reset`, `Hello` and `Welcome` stand outside the order.

**Sending again.** S-7 to S-10 are what this project does; a sender may be simpler (one frame a time-out) and is slower then.

- **S-7** A frame is sent again as soon as one that was sent after it has come. The flag RETRANSMITTED says so.
- **S-8** When the time-out is over, the {AT_ONCE} oldest missing frames are sent again; after that, {AT_ONCE} more of those sent
  before it with every acknowledgement that advances.
- **S-9** The time-out follows RFC 6298 with Karn's rule (frames sent again are not measured): it starts at
  {_ms(RTO_START_US)}, stays between {_ms(RTO_MIN_US)} and {_ms(RTO_MAX_US)}, and doubles after {TRIES_A_WAIT} time-outs in a row.
- **S-10** A frame that was sent {MAX_TRIES} times in vain ends the session.

**Life and end.**

- **L-1** An end that has sent nothing for `heartbeat_ms` ({HEARTBEAT_MS:,} by default) sends `Heartbeat` (sequence 0).
- **L-2** An end that has heard nothing for {SILENT_INTERVALS} intervals takes the session for lost.
- **L-3** Either end ends the session with `Reset` (sequence 0, the session's number) and a reason.
- **L-4** A device that receives a frame of a session it does not know answers `Reset` UNKNOWN_SESSION in that session, except
  to a reset and except where a key is set. A host drops frames of other sessions."""

DELIVERY = f"""\
**Commands: at most once.** A command with an effect (marked below) is keyed by the host's `instance` (in the hello) and its
request id. The device keeps the last {COMMAND_MEMORY} answers of an instance (`Welcome.command_memory`) in non-volatile
memory, together with the effect, in one step.

- **C-1** Ids of an instance rise from 1 and are never used again, also across sessions and restarts: a host that can't
  remember its numbering draws a new instance. Questions use ids too and cost no memory. Request id 0 is for messages without
  an answer; a command with an effect under id 0 gets `Error` MALFORMED.
- **C-2** An id above the newest one executed is executed, and its answer remembered.
- **C-3** A repeat gets the first answer and has no second effect.
- **C-4** Another command under an id that was executed gets `Error` CONFLICT and has no effect.
- **C-5** An id that a later one has overtaken gets `Error` STALE_REQUEST: it was not executed and never will be.
- **C-6** An id whose answer the device has dropped, because {COMMAND_MEMORY} later commands of the instance had effects, gets
  `Error` FORGOTTEN: it may have been executed, and will not be again.
- **C-7** An instance that the device does not remember starts at the hello's `next_request`: lower ids are forgotten.
- **C-8** The answers of {INSTANCES} instances are kept. An instance gets its place by its first command with an effect; the one
  whose last effect is longest ago loses it, but never the one that began the last round. One that loses its place is kept
  among {GUESTS} guests: its used ids are forgotten, its unused ones are still new. Sessions that only ask are guests too and
  displace nobody with answers.
- **C-9** A host leaves fewer than {COMMAND_MEMORY} commands with an effect between its oldest unanswered one and its newest. After
  a lost session it sends unanswered commands again under their ids, in order. Commands without an effect may simply be asked
  again.
- **C-10** `AskFate` settles a command whose answer was never seen, for example after a crash: the device says DONE, REFUSED
  (with the error code), NEVER_EXECUTED or FORGOTTEN. A command that has not come by then is fenced off: a late copy of it is
  refused (STALE_REQUEST), and of no other. An id that was asked after counts as used.
- **C-11** At most {FENCES} ids above the newest executed one are fenced off at a time; the next such question gets `Error`
  NOT_NOW, and a command above them makes room.
- **C-12** Every fate that is told is true. FORGOTTEN is no fate to act on: ask for the status, and void the round where the
  command belonged to one.

**Events: kept until stored.** Events are numbered from 1 without gaps within a store epoch (`Welcome.epoch`, random, new
whenever the device's event memory starts anew).

- **E-1** An event is kept in non-volatile memory until the host has acknowledged it by `AckEvents`. The link's acknowledgement
  says that a frame has arrived; only `AckEvents` says that an event is stored.
- **E-2** When a session opens, the device sends every event after the last acknowledged one, in order; then new ones as they
  happen.
- **E-3** The host stores an event under (serial, epoch, number) first and acknowledges it after, so that a replay changes
  nothing: each event takes effect once.
- **E-4** Only a host that keeps events acknowledges them. One that just asks leaves them to the host whose table it is.
- **E-5** The event memory holds {EVENTS}; when it is full the dealing stops with the fault EVENTS_FULL, and nothing is dropped.
- **E-6** Passing events (number 0) tell of progress, are not kept and not replayed.
- **E-7** A number that is not the next is a gap: another host has acknowledged events in between. The books must say so."""

SMALL_HOST = f"""\
A host with little memory needs one frame at a time and short bodies. `examples/c/small_host.c` is one, in about 400 lines with its comments.

- **P-1** Such a host says `window` 1 and a `max_body` of at least {MIN_BODY} (the most is {MAX_BODY:,}) in its hello; less is
  refused with CAPABILITY. The welcome repeats both; they bind both ends.
- **P-2** With a window of 1 no frame comes early: the host takes the frame whose sequence is the next, drops every other,
  and acknowledges each at once. It needs no queue.
- **P-3** A reply that would be longer is `Error` TOO_LONG instead; `LogPage` comes with fewer lines.
- **P-4** An event that would be longer ends the session with `Reset` TOO_LONG and stays with the device. With {MIN_BODY} bytes
  every event of groups of up to seven cards fits.
- **P-5** It may send a frame again on a fixed time-out of 300 ms and needs none of S-7 to S-9."""
