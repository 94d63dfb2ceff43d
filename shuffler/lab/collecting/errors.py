"""What can go wrong while collecting.

ShufflerError
├── CannotCollect    the device can't give what is asked for, or gave what it must not; the text says what to do
└── CollectionFile   the file can't be written, or belongs to another device
"""

from shuffler.errors import ShufflerError


class CannotCollect(ShufflerError):
    """The device can't give what is asked for."""


class CollectionFile(ShufflerError):
    """The file can't be written or gone on with."""
