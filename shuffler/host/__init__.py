"""A table controller's end of the wire: session core, host store, and the blocking and asyncio clients on top of it.

It knows the protocol and nothing of games, tables or books.
"""
