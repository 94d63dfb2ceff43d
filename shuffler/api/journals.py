"""A table's journal as plain data: rounds in short, one round step by step for a replay, the whole file for others."""

import json
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from round_engine.round.operations import to_json
from shuffler.api.problems import not_found
from shuffler.journal import read, verify
from shuffler.journal.export import named
from shuffler.journal.reading import RoundEntries, rounds
from shuffler.table.narration import operation_text
from shuffler.table.view import posting_view


def newest_rounds(path: Path, limit: int) -> list[dict[str, Any]]:
    """The newest rounds in short, newest first."""
    kept = deque(rounds(path), maxlen=limit)
    return [_line(one) for one in reversed(kept)]


def _line(one: RoundEntries) -> dict[str, Any]:
    paid = sum(p.amount for op in one.operations for p in op.postings if p.source == "tray" and p.spot)
    return {
        "id": one.round_id, "at": one.at, "outcome": one.outcome, "players": len(one.opening.wagers),
        "steps": len(one.operations), "paid": paid,
    }  # fmt: skip


def one_round(path: Path, round_id: str) -> dict[str, Any]:
    """One round, move by move, with what each moved and in which words it is told."""
    found = next((one for one in rounds(path) if one.round_id == round_id), None)
    if found is None:
        raise not_found(f"this journal has no round {round_id!r}")
    return {
        **_line(found),
        "shuffle": found.opening.shuffle,
        "replay": [
            {
                "op": type(op.operation).__name__, "text": (operation_text(op.operation) or "").strip(),
                "operation": to_json(op.operation),
                "postings": msgspec.to_builtins([posting_view(one) for one in op.postings]),
            }
            for op in found.operations
        ],
        "events": [named(event) for event in found.events],
    }  # fmt: skip


def verdict(path: Path) -> dict[str, Any]:
    """Whether the chain holds."""
    result = verify(path)
    return {"records": result.records, "head": result.head, "problem": result.problem, "holds": not result.problem}


def export(path: Path) -> Iterator[str]:
    """Every record as a line of JSON."""
    for record in read(path):
        line = {"seq": record.seq, "at": record.at, "entries": [named(entry) for entry in record.entries]}
        yield json.dumps(line, ensure_ascii=False) + "\n"


