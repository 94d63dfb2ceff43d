"""The chapters on what is said when: a round, a shoe's round, misdeals, faults, capacities."""

from protocol import messages as m
from protocol.catalogue import CATALOGUE, Needs, needing
from protocol.framing import MAX_ENCODED
from protocol.limits import (
    COMMAND_MEMORY,
    EVENTS,
    FENCES,
    FREE_FAILURES,
    GUESTS,
    INSTANCES,
    LOCK_OUT_MAX_S,
    LOCK_OUT_S,
    MAX_BODY,
    MIN_BODY,
    RANDOM_BYTES,
)
from protocol.stream import QUEUE_LIMIT, WINDOW

PLAY = """\
**A round of a shuffler.** D-1 to D-8 in order; `→` is the host, `←` the device.

- **D-1** After the welcome the host stores and acknowledges every event up to `Welcome.last_event` (H-9), then asks
  `GetInfo` and `GetStatus`. `Status.round` is the highest round number used: the next must be higher.
- **D-2** → `Load`, ← `Done`, ← `DeckLoaded`: the cards in the infeed tray were taken in and counted.
- **D-3** → `Shuffle` with a fresh random nonce, ← `Done`, ← `ShuffleProgressed` (passing), ← `ShuffleCompleted` with the root.
  The host checks `count`, that `kind` is what `Info.commits` promised, and that `nonce` is its own.
- **D-4** → `BeginRound` with the seats, ← `Done`. → `DealGroup` with `groups` 0, ← `Done`.
- **D-5** For each group in order: ← `GroupReady` when it lies in the tray, ← `GroupRemoved` when it was taken, with its opening;
  the host checks it against the root. The dealer's group comes with `withheld` and an empty opening.
- **D-6** When every player has decided: → `CloseDecisions`, ← `Done`, ← `HandDisclosed` with the dealer's opening.
- **D-7** → `EjectStub`, ← `Done`, ← `StubReady`, ← `StubRemoved`. Cards dealt and the stub's `count` make up the deck.
- **D-8** The next deck may be loaded and shuffled as soon as the infeed is empty, on a device with PRESTAGES also during a round.

**A round of a shoe** (`Info.flags` has SHOE) differs:

- **D-9** Decks are shuffled elsewhere. → `Load`, ← `Done`, ← `DeckLoaded`; there is no `Shuffle` (UNSUPPORTED), no
  `ShuffleCompleted` and no commitment: openings carry cards without salts and proof. `Status.shuffle` numbers the load.
- **D-10** It gives one card at a time: every `GroupReady` and `GroupRemoved` has `count` 1, and `group` counts cards. The seats
  get theirs in rotation, the dealer last in each turn, as often as the game has cards in a hand. Further rounds may be dealt
  from the same cards until `EjectStub`.
- **D-11** The dealer's cards are withheld one by one and named by one `HandDisclosed` each after `CloseDecisions`.
- **D-12** A card that the reader can't name as it is drawn has the code unreadable or face up; a person names it.

**When it goes wrong.**

- **D-13** After `Misdealt` the round is over for the device: no further group comes, `CloseDecisions` and `DealGroup` of that
  round get `Error`. The host gives all wagers back, has every card of the round collected, sends `EjectStub` where a deck is
  still inside (`Status.deal` MISDEALT), waits for `StubRemoved`, and starts again at D-2 with a new round number. The deck is
  never dealt on.
- **D-14** The host itself voids a round with `VoidRound`: ← `Done`, ← `Misdealt` HOST_VOID; then D-13.
- **D-15** After `FaultRaised` the machine stands still until `FaultCleared`. It then goes on by itself with what was
  interrupted, or has said `Misdealt`. A host does nothing but show the fault, and asks `GetStatus` after `FaultCleared`.
- **D-16** After `PoweredUp` the field `interrupted` says whether an open round goes on (RESUMED) or is void (VOIDED: then
  `Misdealt` follows, and D-13 holds).
- **D-17** After a lost session: hello, H-8 and H-9, then unanswered commands again (C-9), then `GetStatus`. A round whose
  number or shuffle is not the one in the books is void."""


def _names(kinds: frozenset[type[m.Message]]) -> str:
    return ", ".join(f"`{entry.name}`" for entry in CATALOGUE if entry.body in kinds)


FAULTS = f"""\
- **A-1** While a fault holds the machine (`Status.fault` FAULTED or RECOVERING) these are refused with `Error` FAULTED, where the
  event memory is full with EVENTS_FULL: {_names(needing(Needs.HEALTH))}; `SelectGame` likewise, unless the faults are of the
  deck in the infeed tray alone, which is then counted anew for that game.
- **A-2** All others are carried out also then: questions, {_names(needing(Needs.POWER) - needing(Needs.PLAY))}, roles, fates, `AckEvents`.
- **A-3** During the power-up self-test (`Status.power` SELF_TEST) all of A-1 and {_names(needing(Needs.POWER) - needing(Needs.PLAY))} are refused
  with NOT_NOW until `PoweredUp`.
- **A-4** In any mode but PLAY all of A-1 are refused with NOT_NOW until `ModeChanged` says PLAY.
- **A-5** Most faults are cleared by hands at the machine; `ClearFault` says that a cause is mended where the display asks for it."""

CAPACITIES = f"""\
| what | how much |
|---|---:|
| body | {MAX_BODY:,} bytes; a host may ask for less, down to {MIN_BODY} |
| frame in COBS, without delimiters | {MAX_ENCODED:,} bytes |
| frames in flight (window) | {WINDOW} |
| messages queued in an end for the peer's acknowledgement | {QUEUE_LIMIT} |
| text | 255 bytes |
| events kept until acknowledged | {EVENTS} |
| answers remembered of an instance | {COMMAND_MEMORY} |
| instances with answers | {INSTANCES} |
| instances known without answers | {GUESTS} |
| ids fenced off above the newest | {FENCES} |
| seats | 16 bits in `BeginRound`; the game menu says how many groups |
| round and shuffle numbers, event numbers, request ids | 1 … 4,294,967,295 within an epoch or an instance |
| bytes of one `ReadRandom` | {RANDOM_BYTES:,} |
| wrong proofs of a role without a wait | {FREE_FAILURES} |
| wait after the next one | {LOCK_OUT_S} s of real time, doubling up to {LOCK_OUT_MAX_S:,} s |
| log lines, rounds recalled | as the device's profile says |"""
