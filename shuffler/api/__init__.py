"""The control API over HTTP: testers in any language drive devices and tables, and the page is its first client.

    bench = Bench()
    server = await ApiServer.open(bench, port=7080)

Never reachable from the device plane: nothing in `firmware_sim` or `protocol` knows of it.
"""

from shuffler.api.bench import Bench
from shuffler.api.server import Address, ApiServer

__all__ = ["Address", "ApiServer", "Bench"]
