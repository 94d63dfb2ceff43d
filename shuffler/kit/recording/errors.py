"""What can be wrong with a recording."""

from shuffler.errors import ShufflerError


class BadRecording(ShufflerError):
    """The file is no recording, is damaged or was cut off: the text says where and what to do."""


class CannotReplay(ShufflerError):
    """The recording is sound, but has nothing that this end could say again: the text says why."""
