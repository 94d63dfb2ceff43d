"""The wire, pure: cards, messages, framing, link, secure mode. No I/O, no clock, no chance."""

from protocol.cards import card_name
from protocol.catalogue import CATALOGUE, CatalogueEntry, fingerprint
from protocol.codec import decode_body, encode_body
from protocol.commitment import Commitment, Context, opens
from protocol.device_link import DeviceLink, Identity
from protocol.errors import (
    LocalProtocolError,
    Malformed,
    ProtocolError,
    QueueFull,
    RemoteProtocolError,
    Unencodable,
    UnknownMessage,
)
from protocol.framing import Frame, Framer
from protocol.host_link import HostLink
from protocol.link import LinkDown, LinkUp, Received, Undecodable
from protocol.messages import Event, Message, Opening
from protocol.vocabulary import ErrorCode, FaultCode, ResetReason, Role

__all__ = [
    "CATALOGUE",
    "CatalogueEntry",
    "Commitment",
    "Context",
    "DeviceLink",
    "ErrorCode",
    "Event",
    "FaultCode",
    "Frame",
    "Framer",
    "HostLink",
    "Identity",
    "LinkDown",
    "LinkUp",
    "LocalProtocolError",
    "Malformed",
    "Message",
    "Opening",
    "ProtocolError",
    "QueueFull",
    "Received",
    "RemoteProtocolError",
    "ResetReason",
    "Role",
    "Undecodable",
    "Unencodable",
    "UnknownMessage",
    "card_name",
    "decode_body",
    "encode_body",
    "fingerprint",
    "opens",
]
