"""The physical machine: cards, mechanism, sensors, shuffling, the emulated dealer, and the profiles that describe it.

Pure but for reading profile files. It knows where every card is; it must not know rounds, hosts or the wire.
"""
