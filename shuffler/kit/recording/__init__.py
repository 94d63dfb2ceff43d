"""Recordings of conversations: one file format, what was said in it, how two differ, and replaying either end.

Format, reading, comparing and replaying are pure; `file` has the disk, `ports` the ports.
"""
