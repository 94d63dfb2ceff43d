"""The emulated device: mechanism, sensors, faults, firmware, non-volatile memory, and its ports."""
