"""The protocol reference, the C header and the test vectors, rendered from the catalogue. Pure: text comes out."""

from collections.abc import Callable

from protocol.render.c_header import c_header
from protocol.render.reference import reference
from protocol.render.vectors import vectors

# Paths below docs/ and what renders each.
DOCUMENTS: dict[str, Callable[[], str]] = {
    "protocol.md": reference,
    "protocol/shuffler_protocol.h": c_header,
    "protocol/vectors.json": vectors,
}

__all__ = ["DOCUMENTS", "c_header", "reference", "vectors"]
