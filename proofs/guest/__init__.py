"""A Debian guest in QEMU: the Linux kernel's own USB stack as the judge of the emulated device."""
