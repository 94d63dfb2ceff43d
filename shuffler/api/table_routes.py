"""Tables over HTTP: seats, wagers, decisions, keypads, pace, backup, journal."""

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import StreamingResponse
from starlette.concurrency import run_in_threadpool

from firmware_sim.control.control import Control
from round_engine.round.operations import PressKey, VerifyWin
from round_engine.rules.rulebook import RULE_SETS, SIDE_WAGERS, VARIANTS
from round_engine.rules.ruleset import Hand
from round_engine.staff import Member, StaffRole
from shuffler.api import journals
from shuffler.api import requests as body
from shuffler.api.devices import Devices
from shuffler.api.loop_table import LoopTable, changed_pace
from shuffler.api.monitors import Monitors
from shuffler.api.problems import RESPONSES, bad_input, not_found
from shuffler.api.seating import Seat
from shuffler.api.table_views import commitment_view, staff_view, table_view
from shuffler.api.tables import Tables
from shuffler.table.rule_names import rules_by_name, with_sides

VERIFY = "VERIFY"
Result = TypeVar("Result")
TablePath = Annotated[str, Path(max_length=64, description="The table's name.")]
RoundPath = Annotated[str, Path(max_length=32, description="A round of the journal, such as R12.")]


def table_router(tables: Tables, devices: Devices, monitors: Monitors) -> APIRouter:
    """Paths under /tables."""
    router = APIRouter(tags=["tables"], responses=RESPONSES)

    @router.get("/rule-sets", summary="Rule sets and side wagers", tags=["reference"])
    async def rule_sets() -> dict[str, Any]:
        return {
            "rule_sets": [{"name": name, "title": rules_by_name(name).title} for name in (*RULE_SETS, *VARIANTS)],
            "sides": list(SIDE_WAGERS),
        }

    @router.get("/tables", summary="All tables")
    async def list_tables() -> list[dict[str, Any]]:
        return [
            {"id": live.name, "device": live.served.place.build.serial, "rules": live.table.rules.id} for live in tables
        ]

    @router.post("/tables", status_code=201, summary="Open a table on a device")
    async def create_table(new: body.NewTable) -> dict[str, Any]:
        if new.rules not in (*RULE_SETS, *VARIANTS):
            raise bad_input(f"no rule set is called {new.rules!r}; there are {', '.join((*RULE_SETS, *VARIANTS))}")
        if unknown := sorted(set(new.sides) - set(SIDE_WAGERS)):
            raise bad_input(f"no side wager is called {unknown[0]!r}; there are {', '.join(SIDE_WAGERS)}")
        name = with_sides(new.rules, new.sides)
        return table_view(tables.create(new.id, new.device, name, rules_by_name(name, keypad=new.keypad), None))

    @router.get("/tables/{table}", summary="Everything about a table, in one document")
    async def show_table(table: TablePath) -> dict[str, Any]:
        return table_view(tables.get(table))

    @router.delete("/tables/{table}", status_code=204, response_class=Response, summary="Close a table")
    async def remove_table(table: TablePath) -> None:
        await tables.remove(table)

    # ----------------------------------------------------------------------------------------------------- the game

    @router.put("/tables/{table}/seats/{spot}", summary="Sit somebody down, change stakes, or leave a seat")
    async def seat(table: TablePath, spot: Annotated[int, Path(ge=1, le=16)], wanted: body.SeatBody) -> dict[str, Any]:
        live = tables.get(table)
        player = wanted.player.strip() or f"player {spot}"
        stakes = {str(name): amount for name, amount in wanted.stakes.items()}
        live.seating.put(Seat(spot=spot, kind=wanted.kind, player=player, strategy=wanted.strategy, stakes=stakes))
        return _shown(live, lambda: live.set_pace(live.pace))

    @router.put("/tables/{table}/pace", summary="Who starts rounds, and how long things take")
    async def pace(table: TablePath, wanted: body.PaceBody) -> dict[str, Any]:
        live = tables.get(table)
        return _shown(live, lambda: live.set_pace(changed_pace(live.pace, **wanted.model_dump())))

    @router.post("/tables/{table}/deal", summary="No more bets: deal the round")
    async def deal(table: TablePath) -> dict[str, Any]:
        live = tables.get(table)
        return _shown(live, live.deal)

    @router.post("/tables/{table}/decisions", summary="A player plays or folds")
    async def decide(table: TablePath, wanted: body.DecisionBody) -> dict[str, Any]:
        live = tables.get(table)
        return _shown(live, lambda: live.take_decision(wanted.spot, wanted.play))

    @router.post("/tables/{table}/keys", summary="Press a key of a progressive's keypad")
    async def key(table: TablePath, wanted: body.KeyBody) -> dict[str, Any]:
        live = tables.get(table)
        return _shown(live, lambda: live.press(_operation(wanted)))

    @router.get("/tables/{table}/staff", summary="Who works at the table, in which roles")
    async def staff(table: TablePath) -> list[dict[str, Any]]:
        return staff_view(tables.get(table))

    @router.put("/tables/{table}/staff", summary="Other people at the table, or other roles; a supervisor says so")
    async def change_staff(table: TablePath, wanted: body.StaffBody) -> dict[str, Any]:
        live = tables.get(table)
        members = tuple(Member(name=one.name, roles=tuple(map(StaffRole, one.roles))) for one in wanted.members)
        return _shown(live, lambda: live.change_staff(members, wanted.by))

    @router.post("/tables/{table}/misdeal", summary="Call a misdeal: the round is void")
    async def misdeal(table: TablePath, wanted: body.Misdeal) -> dict[str, Any]:
        live = tables.get(table)
        return _shown(live, lambda: live.misdeal(wanted.reason))

    @router.post("/tables/{table}/swap", summary="Put the backup in the place of the device")
    async def swap(table: TablePath, wanted: body.Swap) -> dict[str, Any]:
        live, backup = tables.get(table), devices.get(wanted.device)
        if (other := tables.on(wanted.device)) is not None and other is not live:
            raise bad_input(f"{wanted.device} is at {other.name}")
        old = live.served
        backup.do(Control.switch_on)
        backup.do(Control.plug)
        shown = _shown(live, lambda: live.swap(backup.served, wanted.reason))
        old.do(Control.switch_off)
        return shown

    @router.get("/tables/{table}/commitments/{spot}", summary="What opens a hand of the round on the table")
    async def commitment(table: TablePath, spot: Annotated[int, Path(ge=0, le=16)]) -> dict[str, Any]:
        found = commitment_view(tables.get(table), spot)
        if found is None:
            raise not_found("that hand has no opening yet: the dealer's is given after the decisions")
        return found

    # -------------------------------------------------------------------------------------------------- the journal

    @router.get("/tables/{table}/journal", summary="Whether the journal's chain holds")
    async def journal(table: TablePath) -> dict[str, Any]:
        return await run_in_threadpool(journals.verdict, tables.get(table).books.path)

    @router.get("/tables/{table}/journal/rounds", summary="The newest rounds, newest first")
    async def rounds(table: TablePath, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> list[dict[str, Any]]:
        return await run_in_threadpool(journals.newest_rounds, tables.get(table).books.path, limit)

    @router.get("/tables/{table}/journal/rounds/{round_id}", summary="One round, move by move, for a replay")
    async def one_round(table: TablePath, round_id: RoundPath) -> dict[str, Any]:
        return await run_in_threadpool(journals.one_round, tables.get(table).books.path, round_id)

    @router.get("/tables/{table}/monitor", summary="Evidence against a fair shuffle, from the table's journal")
    async def monitor(table: TablePath) -> dict[str, Any]:
        return await monitors.view(tables.get(table))

    @router.get(
        "/tables/{table}/journal/export",
        summary="The whole journal, a line of JSON for each record",
        response_class=StreamingResponse,
        responses={200: {"content": {"application/x-ndjson": {}}, "description": "Lines of JSON."}},
    )
    async def export(table: TablePath) -> StreamingResponse:
        live = tables.get(table)
        headers = {"content-disposition": f'attachment; filename="{live.name}.jsonl"'}
        return StreamingResponse(journals.export(live.books.path), media_type="application/x-ndjson", headers=headers)

    return router


def _shown(live: LoopTable, action: Callable[[], None]) -> dict[str, Any]:
    action()
    return table_view(live)


def _operation(wanted: body.KeyBody) -> PressKey | VerifyWin:
    wager = wanted.wager
    hand = None
    if wanted.hand is not None:
        if wanted.hand not in list(Hand):
            raise bad_input(f"{wanted.hand!r} is no hand; there are {', '.join(Hand)}")
        hand = Hand(wanted.hand)
    if wanted.key == VERIFY:
        if hand is None or wanted.spot is None:
            raise bad_input("a verification names the hand and the position")
        return VerifyWin(wager=wager, spot=wanted.spot, hand=hand, by=wanted.by)
    return PressKey(wager=wager, key=wanted.key, by=wanted.by, hand=hand, spot=wanted.spot)
