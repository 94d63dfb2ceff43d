"""Negative controls: planted defects that this build of the battery must find, under the plan of the run itself.

A pass means little from a battery that would pass anything. The plan names defects and a size for each, ample for it;
seeds come from the plan's digest, so the controls are the same wherever the plan is run.
"""

import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from randomness.certification.decision import Decision, Judged, Verdict, decide
from randomness.certification.generator_bits import generator_bits, run_bits
from randomness.certification.model import ControlPart
from randomness.certification.plan import NegativeControl, Plan
from randomness.certification.runs import KernelSubject, Run
from randomness.decks.faces import CARDS
from randomness.decks.kinds import STANDARD, DeckKind
from randomness.kernels import parse
from randomness.sources import make_source, names_a_weak_source

BITS_OF_A_SEQUENCE = 1_000_000
_FAVOURED, _RIFFLE = "defect:favoured-cell", "riffle:"
_MEMORY, _SWAP = "defect:memory", "defect:naive-swap"
# A bad source is described as a mechanism that shuffles with it; here its bits alone are looked at.
_WORDS = {"decks": ("PLANTED DEFECT: ", ""), "bits": ("PLANTED DEFECT: ideal shuffles from a", "bits of a")}


def run_controls(
    plan: Plan,
    judge: Callable[[Run], list[Judged]],
    *,
    kind: DeckKind = STANDARD,
    stop: Callable[[], bool] = lambda: False,
    progress: Callable[[int], None] = lambda _done: None,
) -> tuple[ControlPart, ...] | None:
    """What became of each control, in decks of the run's kind, counted and judged by `judge`.

    None when `stop` said so on the way.
    """
    rows = []
    for done, control in enumerate(fitted(plan.controls, kind), 1):
        if stop():
            return None
        on_bits = names_a_weak_source(control.mechanism)
        rows.append(_on_bits(plan, control) if on_bits else _on_decks(plan, control, judge, kind))
        progress(done)
    return tuple(rows)


def seed_of(plan: Plan, mechanism: str) -> int:
    """The seed of a control: nobody chose it."""
    return int.from_bytes(hashlib.sha256(f"{plan.digest()} {mechanism}".encode()).digest()[:16], "big")


def fitted(controls: Sequence[NegativeControl], kind: DeckKind) -> tuple[NegativeControl, ...]:
    """The controls for a kind of deck: a favoured cell is planted on a card that it has.

    In a shoe one card of many at one position is too small a defect for so few decks, and is left out. Where equal
    faces are not told apart, riffles show less: four of them are planted; and a card that keeps its place is one match
    among as many chance ones as there are decks in the shoe, so that as many times the shuffles are needed. A naive
    swap shows less in so many cards; four times the shuffles are ample up to eight decks.
    """
    if kind.standard:
        return tuple(controls)
    fitting = []
    for control in controls:
        if control.mechanism.startswith(_FAVOURED):
            if kind.shoe > 1:
                continue
            defect = f"{_FAVOURED}:card={kind.cards - 1},position=6,relative=1"
            control = NegativeControl(mechanism=defect, size=math.ceil(control.size * kind.cards / CARDS))
        elif control.mechanism.startswith(_RIFFLE) and not kind.simple:
            control = NegativeControl(mechanism=f"{_RIFFLE}passes=4", size=2 * control.size)
        elif control.mechanism.startswith(_MEMORY) and not kind.simple:
            control = replace(control, size=control.size * kind.shoe)
        elif control.mechanism == _SWAP and not kind.simple:
            control = replace(control, size=4 * control.size)
        fitting.append(control)
    return tuple(fitting)


def _on_decks(
    plan: Plan, control: NegativeControl, judge: Callable[[Run], list[Judged]], kind: DeckKind
) -> ControlPart:
    small = replace(plan, decks=control.size, starts=plan.starts[:1], bit_sequences=0, controls=())
    seed = seed_of(plan, control.mechanism)
    run = Run(plan=small, subject=KernelSubject(mechanism=control.mechanism, seed=seed, kind=kind))
    return _said(control, "decks", decide(small, judge(run)))


def _on_bits(plan: Plan, control: NegativeControl) -> ControlPart:
    bits = generator_bits(
        lambda: make_source(control.mechanism, seed=seed_of(plan, control.mechanism)),
        sequences=1,
        length=min(control.size, BITS_OF_A_SEQUENCE),
        describes=control.mechanism,
    )
    found = run_bits(bits)
    assert found is not None
    judged = [Judged(section="SP 800-22", result=result) for result in found.results]
    return _said(control, "bits", decide(plan, judged))


def _said(control: NegativeControl, of: str, decision: Decision) -> ControlPart:
    adjusted = decision.collective.adjusted
    best = min(decision.collective.rejected, key=adjusted.__getitem__, default="")
    return ControlPart(
        mechanism=control.mechanism,
        describes=parse(control.mechanism).describe().replace(*_WORDS[of]),
        size=control.size,
        of=of,
        found=decision.verdict is Verdict.FAILED,
        by=best or "; ".join(decision.failures),
        adjusted_p=adjusted.get(best),
    )
