"""Fuzzing for users: malformed and out-of-order traffic at a device or a controller, and what broke it made small.

A run is a list of steps drawn from a seed; each step is bytes and a wait. After every few the peer is asked whether it
still answers and is still right. Pure but for `live`.
"""
