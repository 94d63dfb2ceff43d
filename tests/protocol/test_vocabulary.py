"""The vocabulary: every word has a number and a meaning."""

import copy
import pickle

import pytest

from protocol.vocabulary import VOCABULARY, DeviceFlag, FaultCode, FlagWord, Role, Word

every_kind = pytest.mark.parametrize("kind", VOCABULARY, ids=lambda kind: kind.__name__)


@every_kind
def test_every_word_has_a_meaning(kind: type[Word] | type[FlagWord]) -> None:
    assert kind.__doc__
    assert not [word.name for word in kind if not word.meaning]


@pytest.mark.parametrize("kind", [it for it in VOCABULARY if issubclass(it, Word)], ids=lambda kind: kind.__name__)
def test_numbers_have_no_gaps(kind: type[Word]) -> None:
    numbers = [word.value for word in kind]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_words_are_found_by_number_and_survive_copies() -> None:
    assert Role(1) is Role.SUPERVISOR
    assert pickle.loads(pickle.dumps(FaultCode.JAM_EXIT)) is FaultCode.JAM_EXIT
    assert copy.deepcopy(Role.DEALER) is Role.DEALER
    both = DeviceFlag.SEEDED | DeviceFlag.RIGGED
    assert pickle.loads(pickle.dumps(both)) == both == 0x0300
    assert DeviceFlag(0x8000) == 0x8000


def test_the_first_and_the_last_enumeration_are_there() -> None:
    assert VOCABULARY[0].__name__ == "Capability"
    assert VOCABULARY[-1] is DeviceFlag
    assert len(VOCABULARY) == 19
