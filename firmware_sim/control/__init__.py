"""The control plane in process: rigged decks, injected faults, ground truth, and set-up files that schedule them.

It may look into everything; nothing in `program` or `machine` may look at it.
"""
