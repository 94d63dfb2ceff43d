"""Two short rounds, one dealt out and one voided, and the checks that read them: D and K. People handle the cards."""

from collections.abc import Callable
from typing import TypeVar

from protocol import messages as m
from protocol.commitment import Context, opens
from protocol.vocabulary import (
    CommitKind,
    DealState,
    DeviceFlag,
    FaultState,
    InfeedState,
    MisdealReason,
    PowerState,
    RoundState,
)
from shuffler.kit.conformance.device.bench import SuiteBench
from shuffler.kit.conformance.device.talk import Talk
from shuffler.kit.conformance.verdict import Failed, NotApplicable, NotSeen, expect

SEATS = 0b11
PEOPLE_US = 180_000_000  # for the machine and whoever handles the cards
E = TypeVar("E", bound=m.Event)


# ----------------------------------------------------------------------------------------------------------- the rounds


def play(bench: SuiteBench) -> None:
    """Deal one round and void another; what stood in the way is kept as a sentence, and judged by nobody."""
    if not bench.deals:
        bench.round_problem = "no round was dealt: leave out --no-deal"
        return
    try:
        talk = bench.open()
        bench.round = talk
        _rounds(bench, talk)
    except (NotSeen, Failed) as problem:
        bench.round_problem = f"the round was not dealt out: {problem}"


def _rounds(bench: SuiteBench, talk: Talk) -> None:
    status = _ready(talk)
    number = status.round + 1
    info = talk.ask(m.GetInfo())
    if not isinstance(info, m.Info):
        raise NotSeen(f"GetInfo got {info}")
    bench.info, is_shoe = info, bool(info.flags & DeviceFlag.SHOE)
    if status.infeed is not InfeedState.LOADED:
        _do(talk, m.Load())
        _wait(talk, m.DeckLoaded)
    if not is_shoe:
        _do(talk, m.Shuffle(nonce=bench.new_nonce()))
        _wait(talk, m.ShuffleCompleted)
    _do(talk, m.BeginRound(round=number, seats=SEATS))
    _do(talk, m.DealGroup(round=number, groups=0))
    _wait(talk, m.GroupRemoved, lambda one: one.seat == 0)
    _do(talk, m.CloseDecisions(round=number))
    _wait(talk, m.HandDisclosed)
    _do(talk, m.EjectStub())
    _wait(talk, m.StubRemoved)
    if is_shoe:
        return
    _ready(talk)
    _do(talk, m.Load())
    _wait(talk, m.DeckLoaded, count=2)
    _do(talk, m.Shuffle(nonce=bench.new_nonce()))
    _wait(talk, m.ShuffleCompleted, count=2)
    _do(talk, m.BeginRound(round=number + 1, seats=SEATS))
    _do(talk, m.VoidRound(round=number + 1))
    _wait(talk, m.Misdealt)
    talk.ask(m.DealGroup(round=number + 1, groups=0))
    _do(talk, m.EjectStub())
    _wait(talk, m.StubRemoved, count=2)


def _ready(talk: Talk) -> m.Status:
    def looked() -> m.Status | None:
        status = talk.ask(m.GetStatus())
        free = isinstance(status, m.Status) and status.power is PowerState.ON and status.deal is DealState.NO_DECK
        talk.quiet(300_000)
        return status if free else None  # type: ignore[return-value]

    status = talk.until(looked, PEOPLE_US)
    if status is None:
        raise NotSeen("the device is not ready for a deck")
    if status.fault is not FaultState.CLEAR or status.round_state is not RoundState.NO_ROUND:
        raise NotSeen(f"the device has a fault or an open round: {status.fault_code.name}, {status.round_state.name}")
    return status


def _do(talk: Talk, command: m.Message) -> None:
    answer = talk.ask(command)
    if not isinstance(answer, m.Done):
        raise NotSeen(f"{type(command).__name__} got {answer}")


def _any(_: m.Event) -> bool:
    return True


def _wait(talk: Talk, kind: type[E], wanted: Callable[[E], bool] = _any, count: int = 1) -> None:
    def found() -> bool | None:
        fault = next((one for one in talk.events() if isinstance(one, m.FaultRaised)), None)
        if fault is not None:
            raise NotSeen(f"the machine stopped: {fault.code.name}")
        since = talk.events()
        return True if sum(isinstance(one, kind) and wanted(one) for one in since) >= count else None

    if talk.until(found, PEOPLE_US) is None:
        raise NotSeen(f"no {kind.__name__} came; does anybody handle the cards?")


# ---------------------------------------------------------------------------------------------------- what they showed


def _events(bench: SuiteBench, kind: type[E], least: int = 1) -> list[E]:
    """The events of that kind in the rounds; raises NotSeen where they did not get so far."""
    if bench.round is None:
        raise NotSeen(bench.round_problem)
    found = [one for one in bench.round.events() if isinstance(one, kind)]
    if len(found) < least:
        raise NotSeen(bench.round_problem or f"no {kind.__name__} came")
    return found


def a_load_is_counted(bench: SuiteBench) -> str:
    """D-2"""
    (loaded, *_) = _events(bench, m.DeckLoaded)
    cards = loaded.count if bench.info is None else bench.info.deck_cards
    expect(loaded.count == cards, f"{loaded.count} cards were loaded, a deck has {cards}")
    return f"DeckLoaded with {loaded.count} cards"


def a_shuffle_is_bound_to_the_nonce(bench: SuiteBench) -> str:
    """D-3"""
    if (problem := _no_commitment(bench)) is not None:
        raise problem
    shuffles = _events(bench, m.ShuffleCompleted)
    expect(len({one.nonce for one in shuffles}) == len(shuffles), "two shuffles have the same nonce")
    for shuffled in shuffles:
        expect(
            shuffled.nonce in bench.nonces,
            f"the shuffle has the nonce {shuffled.nonce.hex()}, which no Shuffle carried",
        )
    return f"{len(shuffles)} shuffles of {shuffles[0].count} cards, each with the nonce of its Shuffle"


def groups_come_in_order(bench: SuiteBench) -> str:
    """D-5"""
    removed = _events(bench, m.GroupRemoved, 3)
    ready = _events(bench, m.GroupReady, 3)
    seats = [one.seat for one in removed]
    if _shoe_seen(bench):
        raise NotApplicable("a shoe deals cards, not groups: D-10")
    expect(seats == [1, 2, 0], f"seats 1, 2 and the dealer got theirs in the order {seats}")
    expect(
        [one.group for one in removed] == [one.group for one in ready][: len(removed)],
        "a group was removed that was not ready",
    )
    dealer = removed[-1]
    expect(
        dealer.withheld and not dealer.opening.codes, "the dealer's cards were named before the decisions were closed"
    )
    expect(all(not one.withheld and one.opening.codes for one in removed[:-1]), "a player's cards were not named")
    return f"seats {seats}, {removed[0].count} cards each, the dealer's withheld"


def the_dealers_hand_waits_for_the_decisions(bench: SuiteBench) -> str:
    """D-6"""
    disclosed = _events(bench, m.HandDisclosed)
    removed = _events(bench, m.GroupRemoved)
    expect(disclosed[0].seat == 0, f"the hand of seat {disclosed[0].seat} was disclosed")
    expect(disclosed[0].number > removed[-1].number, "the dealer's hand was disclosed before it was taken")
    return f"HandDisclosed is event {disclosed[0].number}, behind the last group's {removed[-1].number}"


def cards_and_stub_make_up_the_deck(bench: SuiteBench) -> str:
    """D-7"""
    stub = _events(bench, m.StubRemoved)[0]
    loaded = _events(bench, m.DeckLoaded)[0]
    dealt = sum(one.count for one in _events(bench, m.GroupRemoved) if one.number < stub.number)
    expect(dealt + stub.count == loaded.count, f"{dealt} dealt and {stub.count} in the stub do not make {loaded.count}")
    return f"{dealt} dealt and {stub.count} in the stub make {loaded.count}"


def a_void_round_is_over(bench: SuiteBench) -> str:
    """D-13"""
    misdealt = _events(bench, m.Misdealt)[0]
    assert bench.round is not None
    late = [one for one in bench.round.events() if isinstance(one, m.GroupReady) and one.number > misdealt.number]
    expect(not late, "a group came after the misdeal")
    last = [one.message for one in bench.round.in_order if one.frame.request]
    refused = [one for one in last if isinstance(one, m.Error)]
    expect(bool(refused), "DealGroup of a void round was not refused")
    return f"DealGroup of the void round got {refused[-1].code.name}; no group came"


def the_host_voids_a_round(bench: SuiteBench) -> str:
    """D-14"""
    misdealt = _events(bench, m.Misdealt)[0]
    expect(misdealt.reason is MisdealReason.HOST_VOID, f"VoidRound brought a misdeal for {misdealt.reason.name}")
    return f"Misdealt HOST_VOID for round {misdealt.round}"


def events_are_numbered_without_gaps(bench: SuiteBench) -> str:
    """E-7"""
    if bench.round is None:
        raise NotSeen(bench.round_problem)
    numbers = [one.number for one in bench.round.events() if one.number]
    if not numbers:
        raise NotSeen(bench.round_problem or "no event came")
    expect(numbers == list(range(numbers[0], numbers[0] + len(numbers))), f"events came as {numbers[:40]}")
    return f"events {numbers[0]} to {numbers[-1]} without a gap"


def times_go_forward(bench: SuiteBench) -> str:
    """B-8"""
    if bench.round is None:
        raise NotSeen(bench.round_problem)
    events = [one for one in bench.round.events() if one.number]
    since = max((at for at, one in enumerate(events) if isinstance(one, m.PoweredUp)), default=0)
    times = [one.time_ms for one in events[since:]]
    if len(times) < 2:
        raise NotSeen(bench.round_problem or "no two events came")
    expect(times == sorted(times), "an event is older than the one before it")
    return f"times from {times[0]:,} to {times[-1]:,} ms"


# ----------------------------------------------------------------------------------------------------------- commitment


def _shoe_seen(bench: SuiteBench) -> bool:
    return bench.info is not None and bool(bench.info.flags & DeviceFlag.SHOE)


def _no_commitment(bench: SuiteBench) -> Exception | None:
    _events(bench, m.DeckLoaded)
    if _shoe_seen(bench):
        return NotApplicable("a shoe's decks are shuffled elsewhere: D-9")
    return None


def _commitment(bench: SuiteBench) -> tuple[Context, m.ShuffleCompleted]:
    if (problem := _no_commitment(bench)) is not None:
        raise problem
    shuffled = _events(bench, m.ShuffleCompleted)[0]
    if shuffled.kind is CommitKind.NOTHING:
        raise NotApplicable("this device commits to nothing, and says so")
    assert bench.round is not None
    welcome = bench.round.welcome
    context = Context(
        serial=welcome.serial, epoch=welcome.epoch, shuffle=shuffled.shuffle, game=shuffled.game,
        count=shuffled.count, nonce=shuffled.nonce,
    )  # fmt: skip
    return context, shuffled


def _opened(bench: SuiteBench) -> list[m.GroupRemoved | m.HandDisclosed]:
    return [*_events(bench, m.GroupRemoved), *_events(bench, m.HandDisclosed)]


def the_root_comes_before_the_first_group(bench: SuiteBench) -> str:
    """K-1"""
    _, shuffled = _commitment(bench)
    first = _events(bench, m.GroupReady)[0]
    expect(shuffled.number < first.number, "the first group came before the root")
    seen: dict[int, int] = {}
    for one in _opened(bench):
        for at, code in enumerate(one.opening.codes, one.opening.first):
            expect(at not in seen, f"position {at} was dealt twice")
            seen[at] = code
    expect(len(set(seen.values())) == len(seen), "a card was dealt twice")
    return f"root {shuffled.root.hex()[:16]}… before the first group; {len(seen)} different positions and cards"


def every_opening_opens_the_root(bench: SuiteBench) -> str:
    """K-2"""
    context, shuffled = _commitment(bench)
    checked = 0
    for one in _opened(bench):
        if one.shuffle == shuffled.shuffle and one.opening.codes:
            expect(
                opens(context, shuffled.root, one.opening),
                f"the cards of seat {one.seat} are not what the shuffle was committed to",
            )
            checked += 1
    expect(checked >= 3, f"{checked} of 3 hands were opened")
    return f"{checked} openings lead to the root"
