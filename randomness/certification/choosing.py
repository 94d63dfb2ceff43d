"""Which plan a file is certified by when none is named: the strongest that its size allows, chosen by size alone."""

from dataclasses import dataclass

from randomness.certification.plan import Plan, load_plan

# Strongest first. `full` has the tests of `standard` in shards that pay from its own sample on.
_BY_STRENGTH = ("full", "standard", "quick")
_WHOLE_SAMPLE = ("full",)


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A plan and why it was chosen, in words."""

    plan: Plan
    why: str


def strongest(decks: int | None) -> Choice:
    """The plan for so many decks; None where nobody knows how many will come."""
    if decks is None:
        return Choice(plan=load_plan("standard"), why="chosen before the first deck of a pipe: every test there is")
    for name in _BY_STRENGTH:
        plan = load_plan(name)
        least = plan.decks if name in _WHOLE_SAMPLE else plan.least_decks
        if decks >= least:
            why = f"chosen by size before the first deck: the strongest for about {decks:,} decks"
            return Choice(plan=plan, why=why)
    plan = load_plan(_BY_STRENGTH[-1])
    return Choice(
        plan=plan, why=f"about {decks:,} decks are below the least sample of every plan ({plan.least_decks:,})"
    )
