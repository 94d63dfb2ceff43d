"""A table as plain data for the API and the page: the table's view, and what the bench adds to it."""

from typing import Any

import msgspec

from protocol.cards import card_name
from protocol.commitment import Context
from protocol.vocabulary import DeviceFlag
from round_engine.wagers import CIRCLES, offered
from shuffler.api.loop_table import LoopTable
from shuffler.table.view import view_of


def table_view(live: LoopTable) -> dict[str, Any]:
    """Everything about a table, in one document."""
    rules, dealt_from = live.table.rules, live.dealt_from
    view = view_of(
        live.core, opened=live.openings, rigged=dealt_from is not None and dealt_from.rigged,
        award_pending=live.award_pending,
    )  # fmt: skip
    shown: dict[str, Any] = msgspec.to_builtins(view, str_keys=True)
    return shown | {
        "id": live.name,
        "device": live.served.place.build.serial,
        "stopped": live.stopped,
        "session": live.host.link.is_up,
        "pace": msgspec.to_builtins(live.pace),
        "wagers": [wager.name for wager in offered(rules)],
        "circles": [
            {"wager": wager.name, "label": wager.label, "short": wager.short}
            for wager in CIRCLES
            if wager.is_offered(rules)
        ],
        "seats": [seat_view(live, spot) for spot in live.seating.seats],
        "pending": live.award_pending,
        "lines": list(live.lines)[-12:],
    }


def staff_view(live: LoopTable) -> list[dict[str, Any]]:
    """Who works at the table, in which roles."""
    return [msgspec.to_builtins(one) for one in live.table.staff.members]


def seat_view(live: LoopTable, spot: int) -> dict[str, Any]:
    """One seat: who sits there, what lies there, what was dealt there."""
    seat = live.seating.seats[spot]
    found: dict[str, Any] = {
        "spot": spot, "kind": seat.kind, "player": seat.player, "strategy": seat.strategy, "stakes": dict(seat.stakes),
        "balance": live.table.ledger.balance(f"player:{seat.player}") if seat.kind != "empty" else 0,
    }  # fmt: skip
    return found


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
