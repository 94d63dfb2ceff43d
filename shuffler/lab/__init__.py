"""The laboratory's desk: decks and bits collected from a device or read from files, and the certificate of a run."""
