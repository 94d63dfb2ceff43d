"""The echo at the end of a cable."""

from proofs.echo_pipe import EchoPipe


def test_an_echo_sends_back_what_it_took_and_no_more_than_it_holds() -> None:
    echo = EchoPipe(capacity=4)
    woken = []
    echo.on_ready(lambda: woken.append(1))
    echo.opened()
    assert echo.receive(b"abcdef") == 4
    assert echo.receive(b"x") == 0
    assert (echo.data_to_send(3), echo.data_to_send(3), echo.data_to_send(3)) == (b"abc", b"d", b"")
    assert len(woken) == 3  # once for what came, twice for the room


def test_closing_empties_it() -> None:
    echo = EchoPipe()
    echo.opened()
    echo.receive(b"left")
    echo.closed()
    assert not echo.is_open
    assert echo.data_to_send(10) == b""
