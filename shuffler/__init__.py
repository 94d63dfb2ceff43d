"""The host: client, bridge, journal, command line."""
