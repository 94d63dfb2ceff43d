"""The arrows between the rooms, and what may touch the world: the edges are listed, everything else is pure."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
ROOMS = ("strict_toml", "protocol", "randomness", "round_engine", "firmware_sim", "shuffler")

MAY_IMPORT = {
    "strict_toml": set(),
    "protocol": set(),
    "round_engine": {"strict_toml"},
    "randomness": {"round_engine.hands", "strict_toml"},
    "firmware_sim": {"protocol", "randomness", "strict_toml"},
    "shuffler": {"strict_toml", "protocol", "randomness", "round_engine", "firmware_sim"},
}

# Within a room: what a folder must not import, however convenient it would be.
MUST_NOT_IMPORT = {
    "firmware_sim/machine": ("firmware_sim.program", "firmware_sim.control", "firmware_sim.unit", "firmware_sim.ports"),
    "firmware_sim/program": ("firmware_sim.control", "firmware_sim.unit", "firmware_sim.ports"),
    "firmware_sim/control": ("firmware_sim.unit", "firmware_sim.ports"),
    "firmware_sim/unit": ("firmware_sim.ports",),
    "shuffler/host": ("shuffler.table", "shuffler.journal", "shuffler.virtual", "shuffler.lab", "shuffler.cli"),
    "shuffler/transports": (
        "firmware_sim", "shuffler.host", "shuffler.table", "shuffler.journal", "shuffler.lab", "shuffler.cli",
    ),
    "shuffler/journal": ("shuffler.host", "shuffler.table", "shuffler.virtual", "shuffler.lab", "shuffler.cli"),
    "shuffler/meters": ("shuffler.virtual", "shuffler.lab", "shuffler.cli", "shuffler.table.live"),
    "shuffler/table": ("firmware_sim", "shuffler.meters", "shuffler.virtual", "shuffler.lab", "shuffler.cli"),
    "shuffler/virtual": ("shuffler.lab", "shuffler.cli"),
    "shuffler/lab": ("shuffler.table", "shuffler.cli", "shuffler.api"),
    "shuffler/api": ("shuffler.cli",),
    "shuffler/kit": ("shuffler.api", "shuffler.cli", "shuffler.lab"),
}

TOUCHES = {
    "clock": {"time", "datetime"},
    "chance": {"secrets", "SystemRandom", "urandom"},
    "files": {
        "io", "os", "pathlib", "pkgutil", "resources", "rich", "shutil", "sqlite3", "sys", "tempfile", "open()",
        "print()", "input()",
    },
    "network": {"asyncio", "distributed", "select", "psycopg", "psycopg_pool", "selectors", "serial", "socket", "usb"},
    "threads": {"concurrent", "multiprocessing", "signal", "subprocess", "threading"},
}  # fmt: skip
KIND_OF = {name: kind for kind, names in TOUCHES.items() for name in names}

# What a pure module may import besides our own. A module that is on neither list is refused until somebody has decided.
PURE = {
    "abc", "base64", "binascii", "bisect", "bz2", "cmath", "cobs", "collections", "construct", "contextlib",
    "crcmod", "cryptography", "dataclasses", "decimal", "difflib", "enum", "fnmatch", "fractions", "functools",
    "hashlib", "heapq", "hmac", "html", "importlib", "ipaddress", "itertools", "json", "llvmlite", "math", "msgspec",
    "mypy_extensions", "numba", "numpy", "operator", "platform", "random", "re", "statistics", "string", "struct",
    "shlex", "textwrap", "tokenize", "tomllib", "types", "typing", "unicodedata", "xml", "zipfile", "zlib", "zstandard",
}  # fmt: skip

# The edges: a folder (with all below it) or a file, and what it may touch. Whatever is not here touches nothing.
EDGES = {
    "strict_toml/files.py": {"files"},
    "protocol/render/template.py": {"files"},
    "randomness/certification/checkpoint.py": {"files"},
    "randomness/certification/clauses.py": {"files"},
    "randomness/certification/cluster.py": {"network"},
    "randomness/certification/engines.py": {"threads"},
    "randomness/certification/plan.py": {"files"},
    "randomness/certification/recorded": {"files"},
    "randomness/certification/retest.py": {"files"},
    "randomness/certification/runs.py": {"clock", "files"},
    "randomness/certification/whole_run.py": {"files"},
    "randomness/decks/lis.py": {"files"},
    "randomness/entropy.py": {"chance", "files"},
    "randomness/kernels/engines.py": {"files"},
    "randomness/outside/drive.py": {"clock", "files", "threads"},
    "randomness/sources.py": {"files"},
    "round_engine/keypads/__init__.py": {"files"},
    "round_engine/rules/rulebook.py": {"files"},
    "firmware_sim/control/setup.py": {"files"},
    "firmware_sim/machine/profile.py": {"files"},
    "firmware_sim/unit/memory_file.py": {"files"},
    "firmware_sim/unit/verification.py": {"files"},
    "firmware_sim/ports/capture/file.py": {"clock", "files"},
    "firmware_sim/ports/clockwork.py": {"clock", "network"},
    "firmware_sim/ports/keep_alive.py": {"network"},
    "firmware_sim/ports/pacing.py": {"clock", "network"},
    "firmware_sim/ports/pty.py": {"files", "network"},
    "firmware_sim/ports/rfc2217.py": {"network"},
    "firmware_sim/ports/serving.py": {"files", "network", "threads"},
    "firmware_sim/ports/tcp.py": {"network"},
    "firmware_sim/ports/usb/bus.py": {"clock"},
    "firmware_sim/ports/usb/port.py": {"clock"},
    "firmware_sim/pyusb/backend.py": {"clock", "network", "threads"},
    "firmware_sim/pyusb/failures.py": {"network"},
    "firmware_sim/ports/usb/runner_pipe.py": {"network", "threads"},
    "firmware_sim/ports/usb/usbip_server.py": {"network", "threads"},
    "shuffler/api": {"chance", "clock", "files", "network"},
    "shuffler/cli": {"chance", "clock", "files", "network", "threads"},
    "shuffler/host/aio.py": {"chance", "clock", "files", "network", "threads"},
    "shuffler/host/client.py": {"chance", "clock", "files", "threads"},
    "shuffler/host/dealing.py": {"chance", "clock", "files"},
    "shuffler/journal/anchors.py": {"files", "threads"},
    "shuffler/journal/file.py": {"files"},
    "shuffler/journal/following.py": {"files"},
    "shuffler/journal/owner.py": {"files", "network"},
    "shuffler/journal/reading.py": {"files"},
    "shuffler/journal/reconcile.py": {"files"},
    "shuffler/journal/sqlite.py": {"chance", "files"},
    "shuffler/kit/plugin.py": {"files"},
    "shuffler/kit/proxy/serving.py": {"files", "network", "threads"},
    "shuffler/kit/recording/file.py": {"clock", "files"},
    "shuffler/kit/recording/ports.py": {"clock", "files", "network"},
    "shuffler/kit/scenarios/scenario.py": {"files"},
    "shuffler/kit/served.py": {"chance", "clock", "files"},
    "shuffler/kit/conformance/live.py": {"chance", "clock", "files"},
    "shuffler/kit/fuzz/live.py": {"chance", "clock", "files"},
    "shuffler/lab/bundle.py": {"files"},
    "shuffler/lab/certificate/cover.py": {"clock", "files"},
    "shuffler/lab/certificate/page.py": {"files"},
    "shuffler/lab/certificate/sealing.py": {"files"},
    "shuffler/lab/certificate/timestamps.py": {"chance", "files", "threads"},
    "shuffler/lab/certifying.py": {"chance", "files"},
    "shuffler/lab/collecting/decks.py": {"chance", "clock", "files"},
    "shuffler/lab/collecting/files.py": {"clock", "files"},
    "shuffler/lab/collecting/provenance.py": {"chance", "clock", "files"},
    "shuffler/lab/proficiency/files.py": {"files"},
    "shuffler/lab/recomputing.py": {"files"},
    "shuffler/lab/recorded_bits.py": {"files"},
    "shuffler/lab/register.py": {"files"},
    "shuffler/meters/audit.py": {"files"},
    "shuffler/meters/database.py": {"clock", "files", "network"},
    "shuffler/meters/follower.py": {"files"},
    "shuffler/meters/sender.py": {"clock", "files", "network", "threads"},
    "shuffler/monitoring/keeping.py": {"files"},
    "shuffler/monitoring/sources.py": {"files", "threads"},
    "shuffler/odds/query.py": {"files"},
    "shuffler/odds/text_tables.py": {"files"},
    "shuffler/table/live.py": {"clock"},
    "shuffler/transports": {"clock", "files", "network", "threads"},
    "shuffler/virtual/soak/crew.py": {"threads"},
}


def python_files(folder: str) -> Iterator[Path]:
    yield from sorted((ROOT / folder).rglob("*.py"))


@cache
def running(source: str) -> tuple[ast.AST, ...]:
    """Every node that runs: all but the imports that only a type checker sees."""
    return tuple(_running(ast.parse(source)))


def _running(tree: ast.AST) -> Iterator[ast.AST]:
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            todo.extend(node.orelse)
            continue
        yield node
        todo.extend(ast.iter_child_nodes(node))


def called(call: ast.Call) -> str:
    """The last part of the name that is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def imports(source: str) -> Iterator[str]:
    for node in running(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) == "import_module" and isinstance(node.args[0], ast.Constant):
            yield str(node.args[0].value)


LAST_PART_TELLS = ("importlib.resources", "os.urandom", "random.SystemRandom")


def touched(source: str) -> dict[str, str]:
    """What a module touches, each with the name that does it; a seeded `Random` is a value, an unseeded one chance."""
    found: dict[str, str] = {}
    names = set()
    for name in imports(source):
        names |= {name.split(".")[0], name.split(".")[-1] if name in LAST_PART_TELLS else ""}
        if name == "random" or (name.startswith("random.") and name != "random.Random"):
            found["chance"] = name
    for node in running(source):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names.add(f"{node.func.id}()")
        if isinstance(node, ast.Call) and not node.args and not node.keywords:
            if called(node) in ("Random", "RandomState", "SeedSequence", "default_rng"):
                found["chance"] = f"{called(node)}() without a seed"
        elif isinstance(node, ast.Attribute) and node.attr == "urandom":
            names.add("urandom")
    return found | {KIND_OF[name]: name for name in sorted(names) if name in KIND_OF}


def allowed_at(path: str) -> set[str]:
    return set().union(*(kinds for edge, kinds in EDGES.items() if path == edge or path.startswith(edge + "/")))


def objections(path: str, source: str) -> list[str]:
    """What a module touches that its place does not allow."""
    allowed = allowed_at(path)
    found = [f"{path} touches {kind} ({name})" for kind, name in touched(source).items() if kind not in allowed]
    if not allowed:
        known = PURE | KIND_OF.keys() | set(ROOMS)
        found += [f"{path} imports {name}" for name in imports(source) if name.split(".")[0] not in known]
    return found


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_the_rooms_below_it(room: str) -> None:
    def allowed(name: str) -> bool:
        return any(name == door or name.startswith(door + ".") for door in MAY_IMPORT[room])

    broken = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in python_files(room)
        for name in imports(path.read_text(encoding="utf-8"))
        if name.split(".")[0] in ROOMS and name.split(".")[0] != room and not allowed(name)
    ]
    assert not broken


@pytest.mark.parametrize("folder", MUST_NOT_IMPORT)
def test_a_folder_does_not_know_what_is_above_it(folder: str) -> None:
    broken = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in python_files(folder)
        for name in imports(path.read_text(encoding="utf-8"))
        if any(name == other or name.startswith(other + ".") for other in MUST_NOT_IMPORT[folder])
    ]
    assert not broken


@pytest.mark.parametrize("room", ROOMS)
def test_only_the_edges_touch_clock_chance_files_network_and_threads(room: str) -> None:
    broken = [
        objection
        for path in python_files(room)
        for objection in objections(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8"))
    ]
    assert not broken


def test_no_edge_may_touch_what_it_does_not_need() -> None:
    unused = []
    for edge, kinds in EDGES.items():
        paths = python_files(edge) if (ROOT / edge).is_dir() else [ROOT / edge]
        needed = set().union(*(touched(path.read_text(encoding="utf-8")) for path in paths))
        unused += [f"{edge}: {kind}" for kind in kinds - needed]
    assert not unused


CORES = sorted(
    {path.parent.relative_to(ROOT).as_posix() for room in ROOMS for path in python_files(room)}
    - {edge for edge in EDGES if not edge.endswith(".py")}
)
PLANTED = {
    "clock": "import time\n",
    "chance": "import numpy as np\nLUCK = np.random.default_rng()\n",
    "files": "def look(path):\n    return open(path).read()\n",
    "network": "def later():\n    from socket import create_connection\n    return create_connection\n",
    "threads": "from importlib import import_module\nPOOL = import_module('concurrent.futures')\n",
}


@pytest.mark.parametrize("folder", CORES)
def test_an_impure_module_planted_in_a_core_is_found(folder: str) -> None:
    allowed = allowed_at(f"{folder}/planted.py")
    for kind, source in PLANTED.items():
        assert kind in allowed or objections(f"{folder}/planted.py", source), kind
    assert not objections(f"{folder}/planted.py", "from random import Random\n\ndef draw(luck: Random): ...\n")
    assert objections(f"{folder}/planted.py", "from random import Random\nLUCK = Random()\n")
    assert allowed or objections(f"{folder}/planted.py", "import ctypes\n")  # on no list


# Names that two classes share on purpose, because both are written down outside the code.
SAME_NAME = {
    "Held": "what a wager, and what a meter, must know of a spot: each file says its own part",
    "Play": "the wager, and the move that places it",
    "DealGroup": "a command of the wire, and the operation of a round that it becomes in the journal",
}
# Words of a language of their own, read with its name before them (`s.Cable`).
VOCABULARIES = ("shuffler/kit/scenarios/steps.py",)


def test_a_class_name_means_one_class_in_the_whole_product() -> None:
    homes: dict[str, list[str]] = {}
    for room in ROOMS:
        for path in python_files(room):
            place = path.relative_to(ROOT).as_posix()
            if place in VOCABULARIES:
                continue
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes.setdefault(node.name, []).append(place)
    shared = {name: places for name, places in homes.items() if len(places) > 1}
    assert shared.keys() == SAME_NAME.keys(), shared


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_the_words_of_a_vocabulary_are_always_read_with_its_name(vocabulary: str) -> None:
    module = vocabulary.removesuffix(".py").replace("/", ".")
    users = [path for room in ROOMS for path in python_files(room)]
    named = {path: [n for n in imports(path.read_text(encoding="utf-8")) if n.startswith(module)] for path in users}
    assert any(module in names for names in named.values())
    assert not [path for path, names in named.items() if set(names) - {module, f"{module}.ScenarioStep"}]
