"""One strict reader for every TOML file of the product: rules, profiles, set-ups, plans, report covers.

Every key must be read, every refusal names file and line. It knows no game, device or statistic and imports no other
room; every room may import it and says which of its own errors a refusal is. Only `files` touches the disk.
"""

from strict_toml.document import Document, Refusal, Source, parse_toml
from strict_toml.files import read_bounded, read_bounded_text, read_source
from strict_toml.section import Section

__all__ = ["Document", "Refusal", "Section", "Source", "parse_toml", "read_bounded", "read_bounded_text", "read_source"]
