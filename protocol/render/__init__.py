"""Renders reference, C header, dissector, JavaScript module and test vectors from the declared messages."""

from collections.abc import Callable

from protocol.render.c_header import c_header
from protocol.render.javascript import javascript, javascript_package, javascript_types
from protocol.render.lua_dissector import lua_dissector
from protocol.render.reference import reference
from protocol.render.vectors import vectors

# Paths below docs/ and what renders each.
DOCUMENTS: dict[str, Callable[[], str]] = {
    "protocol.md": reference,
    "protocol/shuffler_protocol.h": c_header,
    "protocol/package.json": javascript_package,
    "protocol/shuffler-protocol.js": javascript,
    "protocol/shuffler-protocol.d.ts": javascript_types,
    "protocol/shuffler.lua": lua_dissector,
    "protocol/vectors.json": vectors,
}

__all__ = [
    "DOCUMENTS",
    "c_header",
    "javascript",
    "javascript_package",
    "javascript_types",
    "lua_dissector",
    "reference",
    "vectors",
]
