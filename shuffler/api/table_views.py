"""A table as plain data: seats, cards, decisions, money with its clauses, meters and keypads. State, never history."""

from dataclasses import asdict
from typing import Any

from protocol.cards import card_name
from protocol.commitment import Context
from protocol.vocabulary import DeviceFlag
from round_engine.hands import name_of_rank3
from round_engine.keypads import LOCKED
from round_engine.meters.jackpot import Jackpot
from round_engine.money.ledger import EntryKind, Posting
from round_engine.round.operations import PressKey, VerifyWin
from round_engine.round.showdown import dealer_qualifies, dealers_hand
from round_engine.round.state import UNKNOWN, DealtHand
from round_engine.rules.ruleset import WagerName
from round_engine.wagers import CIRCLES, WAGERS, offered, wager_label
from shuffler.api.loop_table import LoopTable
from shuffler.table import Want

PAID = (EntryKind.WON, EntryKind.AWARDED, EntryKind.ENVY)
BACK = (EntryKind.PUSHED, EntryKind.RETURNED, EntryKind.GIVEN_BACK, EntryKind.VOID)
GONE = (EntryKind.LOST, EntryKind.FORFEITED)


def table_view(live: LoopTable) -> dict[str, Any]:
    """Everything about a table, in one document."""
    core, table = live.core, live.table
    return {
        "id": live.name,
        "rules": table.rules.id,
        "title": table.rules.title,
        "document": table.rules.document,
        "device": live.served.place.build.serial,
        "wants": core.wants.value,
        "stopped": live.stopped,
        "session": live.host.link.is_up,
        "settled": core.round.settled,
        "void": core.round.void,
        "pace": {
            "deals": live.pace.deals, "between_s": live.pace.between_s, "think_s": live.pace.think_s,
            "keys": live.pace.keys,
        },
        "wagers": [wager.name for wager in offered(table.rules)],
        "circles": [
            {"wager": wager.name, "label": wager.label, "short": wager.short}
            for wager in CIRCLES
            if wager.is_offered(table.rules)
        ],
        "seats": [seat_view(live, spot) for spot in live.seating.seats],
        "round": round_view(live),
        "meters": [meter_view(live, wager, jackpot) for wager, jackpot in table.jackpots.items()],
        "staff": staff_view(live),
        "pending": live.award_pending,
        "lines": list(live.lines)[-12:],
    }  # fmt: skip


def staff_view(live: LoopTable) -> list[dict[str, Any]]:
    """Who works at the table, in which roles."""
    return [{"name": one.name, "roles": [role.value for role in one.roles]} for one in live.table.staff.members]


def seat_view(live: LoopTable, spot: int) -> dict[str, Any]:
    """One seat: who sits there, what lies there, what was dealt there."""
    seat = live.seating.seats[spot]
    found: dict[str, Any] = {
        "spot": spot, "kind": seat.kind, "player": seat.player, "strategy": seat.strategy, "stakes": dict(seat.stakes),
        "balance": live.table.ledger.balance(f"player:{seat.player}") if seat.kind != "empty" else 0,
    }  # fmt: skip
    return found


def round_view(live: LoopTable) -> dict[str, Any] | None:
    """The round on the table, open or just over."""
    state = live.table.round
    if state is None:
        return None
    return {
        "id": state.round_id,
        "phase": state.phase.value,
        "shuffle": state.shuffle,
        "rigged": bool(live.dealt_from is not None and live.dealt_from.rigged),
        "to_decide": live.core.round.to_decide,
        "spots": {
            str(number): {
                "player": spot.wagers.player, **hand_view(spot), "dealt": spot.dealt, "decision": spot.decision,
                "folded": spot.folded,
                "stakes": {name: amount for name, amount in spot.stakes.items() if WAGERS[name].short},
                "commitment": number in live.openings,
            }
            for number, spot in state.spots.items()
        },
        "dealer": {
            **(hand_view(state.dealer) if state.dealer.rank != UNKNOWN else {"cards": [], "faces": [], "hand": ""}),
            "dealt": state.dealer.dealt,
            "qualifies": dealer_qualifies(state) if state.dealer.rank != UNKNOWN else None,
            "call": dealers_hand(state) if state.dealer.rank != UNKNOWN else "",
            "commitment": 0 in live.openings,
        },
        "misdeal": state.misdeal_reason,
        "postings": [posting_view(one) for one in state.postings],
        "net": _net(state.postings),
        "dues": [
            {"wager": due.wager, "spot": due.spot, "hand": str(due.row.hand), "row": str(due.row)}
            for due in live.table.dues()
        ],
    }  # fmt: skip


def hand_view(hand: DealtHand) -> dict[str, Any]:
    """Cards by name, and what they are."""
    return {
        "cards": [card_name(card) for card in hand.cards],
        "faces": list(hand.cards),
        "hand": name_of_rank3(hand.rank) if hand.rank != UNKNOWN else "",
    }


def posting_view(posting: Posting) -> dict[str, Any]:
    """A move of money in words, with its clause."""
    return {
        "entry": posting.entry.value, "spot": posting.spot, "wager": posting.wager,
        "what": wager_label(posting.wager), "amount": posting.amount, "from": posting.source,
        "to": posting.target, "row": posting.row, "clause": posting.clause, "note": posting.note,
        "sign": 1 if posting.entry in PAID else -1 if posting.entry in GONE else 0,
    }  # fmt: skip


def _net(postings: list[Posting]) -> dict[str, int]:
    """What each player has gained in this round so far."""
    net: dict[str, int] = {}
    for one in postings:
        for account, sign in ((one.source, -1), (one.target, 1)):
            if account.startswith("player:"):
                net[account[7:]] = net.get(account[7:], 0) + sign * one.amount
    return net


def meter_view(live: LoopTable, wager: WagerName, jackpot: Jackpot) -> dict[str, Any]:
    """A progressive: its meter, its pays, its keypad."""
    keypad, shared = jackpot.keypad, _shared_view(live, wager)
    amount = shared["amount"] if shared is not None and not live.core.round.is_open else None
    return {
        "wager": wager, "what": wager_label(wager), "shared": shared,
        "amount": jackpot.meter.amount if amount is None else amount,
        "seed": jackpot.rules.seed, "stake": jackpot.rules.denomination,
        "rows": [{"hand": str(row.hand), "pays": str(row), "clause": row.clause} for row in jackpot.paytable.rows],
        "keypad": {
            "dialect": jackpot.dialect.name, "mode": keypad.mode, "lit": list(keypad.lit),
            "hand": _word(keypad.hand), "spot": keypad.spot, "keys": list(jackpot.dialect.keys),
            "next": _next_key(live, wager),
        },
        "records": [
            {"spot": record.spot, "hand": record.hand, "prize": record.prize, "by": record.by,
             "backed_out": record.backed_out}
            for record in jackpot.records
        ],
    }  # fmt: skip


def _shared_view(live: LoopTable, wager: WagerName) -> dict[str, Any] | None:
    """The meter's other end, where it is shared; None for the table's own."""
    meters = live.core.round.meters
    shown = None if meters is None else meters.shown(wager)
    return None if shown is None else asdict(shown)


def _next_key(live: LoopTable, wager: WagerName) -> dict[str, Any] | None:
    """The key that records the award in turn; None where none waits."""
    if live.core.wants is not Want.KEYS or live.award_pending:
        return None
    table, jackpot = live.table, live.table.jackpots[wager]
    due = next((one for one in table.dues() if one.wager == wager), None)
    script = table.keys_for(due, supervisor=live.core.round.supervisor) if due is not None else []
    wanted = jackpot.dialect.next_keys.get(jackpot.keypad.mode, ())
    fitting: list[PressKey | VerifyWin] = [
        one
        for one in script
        if (isinstance(one, VerifyWin) and (one.spot, one.hand) not in jackpot.verified)
        or (isinstance(one, PressKey) and one.key in wanted)
    ]
    if not fitting and wanted and jackpot.keypad.mode != LOCKED:
        fitting = [PressKey(wager=wager, key=wanted[0], by=live.core.round.supervisor)]
    if not fitting:
        return None
    said = {name: _word(getattr(fitting[0], name, None)) for name in ("key", "hand", "spot", "by")}
    return said | ({"key": "VERIFY"} if isinstance(fitting[0], VerifyWin) else {})


def _word(value: Any) -> Any:
    return getattr(value, "value", value)


def commitment_view(live: LoopTable, seat: int) -> dict[str, Any] | None:
    """What opens the hand of a seat: everything that somebody needs to fold the hashes up to the root alone."""
    event = live.openings.get(seat)
    if event is None or live.dealt_from is None:
        return None
    dealt = live.dealt_from
    shuffled = live.shuffles.get((dealt.serial, dealt.epoch, event.shuffle))
    if shuffled is None or not event.opening.salts:
        return None
    context = Context(
        serial=dealt.serial, epoch=dealt.epoch, shuffle=shuffled.shuffle, game=shuffled.game, count=shuffled.count,
        nonce=shuffled.nonce,
    )  # fmt: skip
    opening = event.opening
    return {
        "seat": seat, "serial": dealt.serial, "epoch": f"{dealt.epoch:016x}", "shuffle": shuffled.shuffle,
        "count": shuffled.count, "nonce": shuffled.nonce.hex(), "root": shuffled.root.hex(),
        "rigged": bool(shuffled.flags & (DeviceFlag.RIGGED | DeviceFlag.SEEDED)),
        "kind": shuffled.kind.name.lower(), "prefix": context.prefix.hex(), "first": opening.first,
        "faces": list(opening.cards), "cards": [card_name(card) for card in opening.cards],
        "salts": [opening.salts[at : at + 32].hex() for at in range(0, len(opening.salts), 32)],
        "proof": [opening.proof[at : at + 32].hex() for at in range(0, len(opening.proof), 32)],
    }  # fmt: skip
