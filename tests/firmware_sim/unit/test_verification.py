"""Self-verification: a digest that only the very files and profile give, for a fresh challenge each time."""

import hmac
from hashlib import sha256
from pathlib import Path

import pytest
from device_support import powered

import firmware_sim
from firmware_sim.machine import profile as profiles
from firmware_sim.unit.verification import Image, installed_image
from protocol import messages as m

ONE, OTHER = b"1" * 32, b"2" * 32
FILES = (("a.py", b"alpha"), ("b.py", b"beta"))


def test_the_same_files_and_challenge_give_the_same_digest_and_another_challenge_another() -> None:
    assert Image(FILES).digest(ONE) == Image(FILES).digest(ONE)
    assert Image(FILES).digest(ONE) != Image(FILES).digest(OTHER)


@pytest.mark.parametrize(
    "files",
    [
        (("a.py", b"alphA"), ("b.py", b"beta")),
        (("a.py", b"alpha"), ("c.py", b"beta")),
        (("a.py", b"alpha"),),
        (("a.py", b"alphab"), (".py", b"beta")),
        (("a.py", b"alph"), ("b.py", b"abeta")),
        (("b.py", b"beta"), ("a.py", b"alpha")),
    ],
    ids=["a byte", "a name", "one missing", "bytes across a border", "bytes to the next file", "another order"],
)
def test_any_change_changes_the_digest(files: tuple[tuple[str, bytes], ...]) -> None:
    assert Image(files).digest(ONE) != Image(FILES).digest(ONE)


def test_it_is_what_the_reference_says_so_that_others_can_compute_it() -> None:
    parts = [b"shuffler-bench/verify/1\0"]
    for name, content in FILES:
        parts += [len(name).to_bytes(2, "little"), name.encode(), len(content).to_bytes(4, "little"), content]
    assert Image(FILES).digest(ONE) == hmac.new(ONE, b"".join(parts), sha256).digest()


def test_the_image_holds_every_source_of_the_device_and_its_profile() -> None:
    profile = profiles.load("ace-style")
    names = [name for name, _ in installed_image(profile.name, profile.text).files]
    here = Path(firmware_sim.__file__).parent
    assert {f"firmware_sim/{path.relative_to(here).as_posix()}" for path in here.rglob("*.py")} <= set(names)
    assert any(name.startswith("protocol/") for name in names)
    assert any(name.startswith("randomness/") for name in names)
    assert "profiles/ace-style.toml" in names
    assert names == sorted(names)


def test_another_profile_gives_another_digest() -> None:
    plain = installed_image("x", "timings = 1")
    assert plain.digest(ONE) != installed_image("x", "timings = 2").digest(ONE)


def test_the_device_answers_a_challenge_with_the_digest_of_what_is_installed() -> None:
    device = powered("ace-style")
    reply = device.do(m.Verify(challenge=ONE))
    image = installed_image("ace-style", profiles.load("ace-style").text)
    assert reply == m.Verified(digest=image.digest(ONE), files=len(image.files))
