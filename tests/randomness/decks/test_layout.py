"""The tallies: every view, every size."""

from randomness.decks.kinds import STANDARD
from randomness.decks.layout import SEGMENT, TALLIES, TallySource, View


def test_every_permutation_tally_exists_in_three_views() -> None:
    views = {}
    for tally in TALLIES.values():
        if "." in tally.name:
            views.setdefault(tally.function, set()).add(tally.view)
    assert all(seen == set(View) for seen in views.values())
    assert len(views) == 20


def test_only_the_input_view_needs_the_input() -> None:
    assert {tally.view for tally in TALLIES.values() if tally.needs_input} == {View.INPUT}


def test_sub_samples_of_the_previous_view_skip_whole_segments_together() -> None:
    previous = {tally.every for tally in TALLIES.values() if tally.view is View.PREVIOUS}
    assert min(previous) == 4
    assert all(every % 4 == 0 for every in previous)


def test_counts_have_room() -> None:
    assert sum(tally.cells(STANDARD).nbytes for tally in TALLIES.values()) < 16_500_000
    assert {tally.source for tally in TALLIES.values()} == set(TallySource)
    assert SEGMENT % 256 == 0
