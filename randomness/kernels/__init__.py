"""Shuffle mechanisms as batch kernels over random draws: the same code deals in the device and is certified."""

from randomness.kernels.catalogue import MECHANISMS, make, parse
from randomness.kernels.engines import Backend
from randomness.kernels.kernel import MAX_CARDS, Kernel

__all__ = ["MAX_CARDS", "MECHANISMS", "Backend", "Kernel", "make", "parse"]
