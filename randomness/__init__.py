"""Entropy, DRBG, unbiased sampling, shuffle kernels, statistical battery, certification runs. No device, no wire."""
