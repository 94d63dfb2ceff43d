"""The wire, pure: cards, messages, framing, link, secure mode. No I/O, no clock, no chance."""
