"""The C header's hashes, roles, commitments and encoders against the vectors."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent.parent.parent / "docs" / "protocol"
VECTORS: dict[str, Any] = json.loads((DOCS / "vectors.json").read_text(encoding="utf-8"))
FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wconversion", "-fsanitize=address,undefined"]

PROGRAM = r"""
#include "shuffler_protocol.h"
#include <stdio.h>
#include <stdlib.h>

static shuf_bytes word(void)
{
    static char text[8192];
    shuf_bytes out;
    uint8_t *data;
    size_t i;
    if (scanf("%8191s", text) != 1)
        exit(0);
    out.length = strlen(text + 1) / 2; /* a sign stands before each, so that an empty one is a word too */
    data = malloc(out.length ? out.length : 1);
    for (i = 0; i < out.length; i++) {
        unsigned byte = 0;
        sscanf(text + 1 + 2 * i, "%2x", &byte);
        data[i] = (uint8_t)byte;
    }
    out.data = data;
    return out;
}

static void put(const uint8_t *data, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++)
        printf("%02x", data[i]);
    printf("\n");
}

int main(void)
{
    char kind[2];
    while (scanf("%1s", kind) == 1) {
        if (*kind == 'R') {
            shuf_bytes words = word(), serial = word(), nonce = word();
            unsigned long session, role;
            uint8_t key[32], proof[32];
            char secret[256] = { 0 };
            if (scanf("%lu %lu", &session, &role) != 2)
                return 1;
            memcpy(secret, words.data, words.length);
            shuf_role_key(secret, key);
            shuf_role_proof(key, serial, (uint32_t)session, (uint8_t)role, nonce.data, proof);
            put(key, 32);
            put(proof, 32);
        } else if (*kind == 'O') {
            shuf_context context = { 0 };
            shuf_opening opening = { 0 };
            shuf_bytes nonce, root;
            unsigned long long epoch, shuffle, game, count, first;
            context.serial = word();
            nonce = word();
            root = word();
            opening.cards = word();
            opening.places = word();
            opening.salts = word();
            opening.proof = word();
            if (scanf("%llu %llu %llu %llu %llu", &epoch, &shuffle, &game, &count, &first) != 5)
                return 1;
            memcpy(context.nonce, nonce.data, 16);
            context.epoch = epoch;
            context.shuffle = (uint32_t)shuffle;
            context.game = (uint8_t)game;
            context.count = (uint16_t)count;
            opening.first = (uint16_t)first;
            printf("%d\n", shuf_opening_opens(&context, root.data, &opening));
        } else if (*kind == 'H') {
            shuf_bytes body = word();
            shuf_hello hello;
            uint8_t out[512];
            size_t length = 0;
            if (shuf_hello_decode(&hello, body.data, body.length) != SHUF_OK)
                return 1;
            printf("%d ", (int)shuf_hello_encode(&hello, out, sizeof out, &length));
            put(out, length);
            printf("%d\n", (int)shuf_hello_encode(&hello, out, body.length - 1, &length));
        } else if (*kind == 'T') {
            shuf_receiver receiver = { 0 };
            shuf_bytes stream = word();
            size_t i;
            for (i = 0; i < stream.length; i++)
                shuf_receiver_push(&receiver, stream.data[i]);
            printf("%u\n", (unsigned)receiver.too_long);
        }
    }
    return 0;
}
"""


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("crypto")
    (folder / "main.c").write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", *FLAGS, "-I", DOCS, "-o", folder / "main", folder / "main.c"], check=True)
    return folder / "main"


def said(binary: Path, *words: str) -> list[str]:
    environment = {"ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([binary], input=" ".join(words), capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.mark.needs("gcc")
def test_c_makes_the_same_role_proof(binary: Path) -> None:
    role = VECTORS["role"]
    words = [role["secret"].encode().hex(), role["serial"].encode().hex(), role["nonce"]]
    found = said(binary, "R", *(f"x{word}" for word in words), str(role["session"]), str(role["role"]))
    assert found == [role["key"], role["proof"]]


@pytest.mark.needs("gcc")
@pytest.mark.parametrize("case", VECTORS["commitment"]["openings"], ids=lambda case: case.get("why", "good"))
def test_c_opens_what_opens_and_nothing_else(binary: Path, case: dict[str, Any]) -> None:
    made = VECTORS["commitment"]
    context = made["context"]
    words = [context["serial"].encode().hex(), context["nonce"], made["root"], bytes(case["cards"]).hex(),
             bytes(case["places"]).hex(), case["salts"], case["proof"]]  # fmt: skip
    numbers = [context["epoch"], context["shuffle"], context["game"], context["count"], case["first"]]
    assert said(binary, "O", *(f"x{word}" for word in words), *map(str, numbers)) == [str(int(case["opens"]))]


@pytest.mark.needs("gcc")
def test_c_writes_a_hello_byte_for_byte_and_never_past_its_room(binary: Path) -> None:
    for case in VECTORS["messages"]:
        if case["message"] == "Hello":
            assert said(binary, "H", f"x{case['body']}") == ["0", case["body"], "7"]


@pytest.mark.needs("gcc")
def test_c_counts_pieces_that_are_too_long(binary: Path) -> None:
    for case in VECTORS["streams"]:
        if len(case["stream"]) < 8000:
            assert said(binary, "T", f"x{case['stream']}") == [str(case["noise"]["too_long"])], case["name"]
