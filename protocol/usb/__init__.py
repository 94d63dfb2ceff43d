"""USB as it is on the wire, for both ends: descriptors, requests, transfers and the USB/IP protocol. Pure."""
