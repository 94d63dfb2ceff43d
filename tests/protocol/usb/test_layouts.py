"""Taking descriptors apart, on a configuration that is not ours."""

from protocol.usb.layouts import STRING, parse_configuration

# A webcam-like device: an association first, a class-specific descriptor after an interface, one after an endpoint, an
# alternate setting with no endpoints, and bytes behind the end that do not belong to it.
FOREIGN = """
09 02  36 00  02 01 00 80 fa
08 0b  00 02 0e 03 00 00
09 04  00 00 01 0e 01 00 00
05 24 01 aa bb
07 05  83 03  10 00  06
05 25 03 10 00
09 04  01 00 00 0e 02 00 00
02 ff
ee ee
"""


def test_what_is_not_an_interface_or_an_endpoint_belongs_to_what_precedes_it() -> None:
    tree = parse_configuration(bytes.fromhex(FOREIGN))
    assert tree.descriptor.wTotalLength == 54
    assert tree.extra == bytes.fromhex("08 0b  00 02 0e 03 00 00")
    first, second = tree.interfaces
    assert first.extra == bytes.fromhex("05 24 01 aa bb  05 25 03 10 00")
    assert [endpoint.bEndpointAddress for endpoint in first.endpoints] == [0x83]
    assert (second.descriptor.bInterfaceNumber, second.endpoints, second.extra) == (1, (), bytes.fromhex("02 ff"))


def test_a_string_counts_its_own_header() -> None:
    assert STRING.build({"units": b"A\0"}) == bytes.fromhex("04 03 41 00")
    assert STRING.parse(bytes.fromhex("04 03 41 00")).units == b"A\0"
