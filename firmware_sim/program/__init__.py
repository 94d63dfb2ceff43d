"""The firmware: its state machines, command handlers, event queue, command memory, log and panel.

Pure. It knows the machine only through passes it starts and signals it gets, and must not know ports, files or whoever
is testing it.
"""
