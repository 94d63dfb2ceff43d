"""The story: the examples of the messages agree with each other."""

from protocol import messages as m
from protocol.commitment import opens
from protocol.framing import VERSION
from protocol.log_chain import chain, first_broken
from protocol.render.examples import typical
from protocol.roles import is_proof, role_key
from protocol.story import LOG_BEFORE, ROLE_SECRET, SERIAL, SESSION, commitment, context, made_up
from protocol.stream import WINDOW
from protocol.vocabulary import Role


def test_the_story_holds_together() -> None:
    root = typical(m.ShuffleCompleted).root
    for opening in (typical(m.GroupRemoved).opening, typical(m.HandDisclosed).opening, typical(m.Stub).opening):
        assert opens(context(), root, opening)
        assert opening.cards == commitment().codes[opening.first : opening.first + len(opening.cards)]
    assert first_broken(typical(m.LogPage).lines) is None
    assert typical(m.Counters).log_head == typical(m.LogPage).lines[-1].hash
    assert typical(m.Hello).version_max == typical(m.Welcome).version == VERSION
    assert typical(m.Hello).window == typical(m.Welcome).window == WINDOW


def test_the_log_continues_from_the_line_before() -> None:
    first = typical(m.LogPage).lines[0]
    assert first.hash == chain(LOG_BEFORE, first.number, first.time_ms, first.text)


def test_the_supervisor_answers_the_challenge() -> None:
    key, nonce = role_key(ROLE_SECRET), typical(m.Challenge).nonce
    proof = typical(m.ProveRole).proof
    assert is_proof(key, proof, serial=SERIAL, session=SESSION, role=Role.SUPERVISOR, nonce=nonce)


def test_made_up_bytes_are_the_same_in_every_run() -> None:
    assert made_up("a", 4) == made_up("a", 8)[:4] != made_up("b", 4)
