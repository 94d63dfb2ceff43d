"""The counts of tools/counts.py: what is a pass-through member, and that a round's calls are counted in order."""

from tools.counts import calls, pass_through, sources

SOURCE = '''
class Whole:
    @property
    def name(self):
        """Forwards."""
        return self._part.name
    def act(self, what, *more):
        self._part.act(what, *more)
    async def wait(self):
        await self._part.deep.wait()
    def own(self):
        return self._name
    def adds(self, amount):
        return self._part.add(amount + 1)
    def two(self):
        self._part.act(1)
        return self._part.name
'''


def test_members_that_only_forward_to_a_part_are_found() -> None:
    assert list(pass_through(SOURCE)) == ["Whole.name", "Whole.act", "Whole.wait"]


def test_calls_up_to_the_first_group_are_fewer_than_those_of_the_round() -> None:
    found = calls(1)
    assert 0 < found.to_first_group < found.all


def test_every_room_has_sources() -> None:
    assert {"protocol", "shuffler"} <= {path.parts[-3] for path in sources()} | {path.parts[-2] for path in sources()}
