"""The JavaScript module, judged by Node against the vectors."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from protocol.catalogue import CATALOGUE
from protocol.layout import layout
from protocol.render.javascript import javascript, javascript_types

DOCS = Path(__file__).parents[3] / "docs" / "protocol"

CHECK = """
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as p from "MODULE";

const v = JSON.parse(readFileSync("VECTORS"));
const hex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
const text = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
const TYPES = Object.fromEntries(v.catalogue.map((entry) => [entry.name, entry.fields]));

// vectors write bytes as hex and long numbers as text; the module has Uint8Array and bigint
const given = (fields, values) => Object.fromEntries(fields.map((f) => [f.name, one(f, values[f.name])]));
const one = (f, value) =>
  f.type === "bytes" || f.type === "blob" ? hex(value)
  : f.type === "record" ? given(v.records[f.of], value)
  : f.type === "list" ? value.map((item) => given(v.records[f.of], item))
  : f.size === 8 ? BigInt(value) : value;

const done = {};
const count = (what) => (done[what] = (done[what] ?? 0) + 1);

assert.equal(p.VERSION, v.protocol.version);
assert.equal(p.FINGERPRINT, v.protocol.fingerprint);
for (const [name, words] of Object.entries(v.enums)) assert.deepEqual({ ...p[name] }, words);
for (const entry of v.catalogue) {
  assert.equal(p.numberOf(entry.name), entry.number);
  assert.equal(p.nameOf(entry.number), entry.name);
  assert.equal(p.replyTo(entry.name), entry.reply);
  assert.equal(p.hasEffect(entry.name), entry.effect);
}
for (const { data, crc } of v.crc) assert.equal(p.crc32c(hex(data)), parseInt(crc, 16)), count("crc");
for (const { raw, encoded } of v.cobs) {
  assert.equal(text(p.cobsEncode(hex(raw))), encoded);
  assert.equal(text(p.cobsDecode(hex(encoded))), raw);
  count("cobs");
}
for (const each of v.messages) {
  const fields = given(TYPES[each.message], each.fields);
  assert.equal(text(p.encodeBody(each.message, fields)), each.body);
  assert.deepEqual(p.decodeBody(each.header.message, hex(each.body)), { name: each.message, fields });
  assert.equal(text(p.wrap({ ...each.header, body: hex(each.body) })), each.frame);
  assert.deepEqual(new p.Framer().feed(hex(each.frame)), [{ ...each.header, body: hex(each.body) }]);
  count("messages");
}
for (const { number, body } of v.refused_bodies) {
  assert.throws(() => p.decodeBody(number, hex(body)), p.Malformed);
  count("refused");
}
for (const { stream, frames, noise } of v.streams) {
  const wanted = frames.map(({ header, body }) => ({ ...header, body: hex(body) }));
  for (const size of [1, 7, 1 << 20]) {
    const framer = new p.Framer();
    const found = [];
    const data = hex(stream);
    for (let at = 0; at < data.length; at += size) found.push(...framer.feed(data.subarray(at, at + size)));
    assert.deepEqual(found, wanted);
    assert.deepEqual(framer.noise, noise);
  }
  count("streams");
}
for (const [raw, digest] of HASHES) assert.equal(text(p.sha256(hex(raw))), digest), count("hashes");
const role = v.role;
assert.equal(text(p.roleKey(role.secret)), role.key);
assert.equal(text(p.roleProof(hex(role.key), { ...role, nonce: hex(role.nonce) })), role.proof);
const c = v.commitment;
const context = { ...c.context, epoch: BigInt(c.context.epoch), nonce: hex(c.context.nonce) };
assert.equal(text(p.commitmentRoot(context, c.cards, hex(c.salts))), c.root);
for (const { opens, why, ...opening } of c.openings) {
  assert.equal(p.opens(context, hex(c.root), given(v.records.Opening, opening)), opens, why);
  count(opens ? "opens" : "does not open");
}
for (const [name, values] of [["SelectGame", { game: 256 }], ["SelectGame", {}], ["ServiceMode", { on: 2 }],
  ["AskChallenge", { role: 9 }], ["Shuffle", { nonce: new Uint8Array(3) }], ["Nothing", {}]])
  assert.throws(() => p.encodeBody(name, values), p.Unencodable);
console.log(JSON.stringify(done));
"""


@pytest.mark.slow
@pytest.mark.needs("node")
def test_node_reads_and_writes_every_vector(tmp_path: Path) -> None:
    from hashlib import sha256

    inputs = [b"", b"abc", bytes(55), bytes(56), bytes(63), bytes(64), bytes(range(256)) * 5]
    hashes = [[data.hex(), sha256(data).hexdigest()] for data in inputs]
    module = DOCS / "shuffler-protocol.js"
    script = CHECK.replace("MODULE", module.as_uri()).replace("VECTORS", str(DOCS / "vectors.json"))
    check = tmp_path / "check.mjs"
    check.write_text(script.replace("HASHES", json.dumps(hashes)), encoding="utf-8")
    told = subprocess.run(["node", str(check)], capture_output=True, text=True, timeout=120)
    assert told.returncode == 0, told.stderr
    vectors = json.loads((DOCS / "vectors.json").read_text(encoding="utf-8"))
    done = json.loads(told.stdout)
    assert done["messages"] == len(vectors["messages"])
    assert done["refused"] == len(vectors["refused_bodies"])
    assert done["streams"] == len(vectors["streams"])
    assert done["hashes"] == len(hashes)
    assert done["opens"] + done["does not open"] == len(vectors["commitment"]["openings"])


def test_the_types_have_every_message_and_field() -> None:
    types = javascript_types()
    for entry in CATALOGUE:
        found = re.search(rf"export interface {entry.name} {{(.*?)\n}}", types, re.DOTALL)
        assert found is not None, entry.name
        assert re.findall(r"^  (\w+): ", found[1], re.MULTILINE) == [field.name for field in layout(entry.body)]


def test_everything_that_the_module_exports_has_a_type() -> None:
    exported = re.findall(r"^export (?:const|function|class) (\w+)", javascript(), re.MULTILINE)
    declared = re.findall(r"^export (?:const|function|class) (\w+)", javascript_types(), re.MULTILINE)
    assert sorted(exported) == sorted(declared)


def test_the_module_imports_nothing() -> None:
    assert not re.search(r"^\s*import |require\(", javascript(), re.MULTILINE)
