"""Fields that are random by nature, or tell when something was asked: left out when conversations are compared.

One table, by message or record and field, each with its reason; whoever compares lists what it has masked.
"""

from protocol import messages as m

RANDOM = "random"
TIME = "a time"
FROM_RANDOM = "computed from random fields"
WHEN_ASKED = "depends on when it was asked"
PATH = "the link's own numbering"

MASKED: dict[type, dict[str, str]] = {
    m.Hello: {"instance": RANDOM, "nonce": RANDOM, "ephemeral": RANDOM, "next_request": WHEN_ASKED},
    m.Welcome: {
        "epoch": RANDOM,
        "host_nonce": RANDOM,
        "nonce": RANDOM,
        "ephemeral": RANDOM,
        "proof": FROM_RANDOM,
        "last_event": WHEN_ASKED,
        "acknowledged_event": WHEN_ASKED,
        "known_instance": WHEN_ASKED,
    },
    m.Status: {"last_event": WHEN_ASKED},
    m.Shuffle: {"nonce": RANDOM},
    m.ShuffleCompleted: {"nonce": RANDOM, "root": FROM_RANDOM},
    m.Opening: {"salts": RANDOM, "proof": FROM_RANDOM},
    m.Challenge: {"nonce": RANDOM},
    m.ProveRole: {"proof": FROM_RANDOM},
    m.Verify: {"challenge": RANDOM},
    m.Verified: {"digest": FROM_RANDOM},
    m.SetTime: {"unix_ms": TIME},
    m.Time: {"uptime_ms": TIME, "unix_ms": TIME},
    m.LogLine: {"time_ms": TIME, "hash": FROM_RANDOM},
    m.Counters: {"log_head": FROM_RANDOM},
    m.CountersReported: {"log_head": FROM_RANDOM},
    m.NoteHead: {"journal": RANDOM, "hash": FROM_RANDOM},
    m.RandomBytes: {"data": RANDOM},
}
OF_EVERY_EVENT = {"time_ms": TIME}

# Fields of the header that are never compared: how messages were cut into frames is not what was said.
HEADER = {"session": RANDOM, "sequence": PATH, "acknowledge": PATH, "request": PATH}


def reason(kind: type, field: str) -> str | None:
    """Why a field is not compared; None where it is."""
    of_events = OF_EVERY_EVENT.get(field) if issubclass(kind, m.Event) else None
    return of_events or MASKED.get(kind, {}).get(field)
