"""Both ends in one process on a virtual clock: the in-memory wire, the virtual table, and soaks of many rounds."""
