// A controller's test in Node: rig a hand, jam a card, recover, while speaking to the device over its wire.
//
//     shuffler emulate --tcp 0 --control 7080 --speed 50
//     node examples/controller.mjs http://127.0.0.1:7080/api/v1 TOKEN_FILE SB-0001
//
// Needs nothing but Node 18. The messages come from docs/protocol/vectors.json, so none is written down twice here.

import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const [root, tokenFile, serial] = process.argv.slice(2);
const token = readFileSync(tokenFile, "ascii").trim();
const SCHEMA = JSON.parse(readFileSync(new URL("../docs/protocol/vectors.json", import.meta.url)));
const BY_NAME = Object.fromEntries(SCHEMA.catalogue.map((entry) => [entry.name, entry]));
const BY_NUMBER = Object.fromEntries(SCHEMA.catalogue.map((entry) => [entry.number, entry]));

// ---------------------------------------------------------------------------------------------------- the control plane

async function bench(method, path = "", body) {
  const answer = await fetch(`${root}/devices/${serial}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: body && JSON.stringify(body),
  });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.detail);
  return found;
}

// -------------------------------------------------------------------------------------------------------- bytes and back

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});
function crc32c(data) {
  let crc = 0xffffffff;
  for (const byte of data) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
function cobs(raw) {
  const out = [];
  let block = [];
  for (const byte of raw) {
    if (byte) block.push(byte);
    if (!byte || block.length === 254) {
      out.push(block.length + 1, ...block);
      block = [];
      if (byte) continue;
    }
  }
  out.push(block.length + 1, ...block);
  return Buffer.from(out);
}
function uncobs(encoded) {
  const out = [];
  for (let at = 0; at < encoded.length; ) {
    const code = encoded[at];
    out.push(...encoded.subarray(at + 1, at + code));
    at += code;
    if (code < 255 && at < encoded.length) out.push(0);
  }
  return Buffer.from(out);
}
const number = (value, size) => {
  const out = Buffer.alloc(size);
  out.writeUIntLE(value, 0, size);
  return out;
};

// "name:u8 other:bytes[16] last:u8 bytes" as the vectors write layouts
function encode(name, values) {
  const parts = [];
  for (const field of BY_NAME[name].fields) {
    const value = values[field.name] ?? 0;
    if (Buffer.isBuffer(value)) parts.push(field.type === "bytes" && field.size ? value : Buffer.concat([number(value.length, 1), value]));
    else parts.push(number(value, field.size));
  }
  return Buffer.concat(parts);
}

// --------------------------------------------------------------------------------------------------------------- the link

class Device {
  constructor(host, port) {
    this.socket = connect(port, host);
    this.session = 0;
    this.sequence = 0;
    this.heard = 0;
    this.request = 0;
    this.rest = Buffer.alloc(0);
    this.messages = [];
    this.waiting = null;
    this.socket.on("data", (data) => this.receive(data));
    this.beat = setInterval(() => this.session && this.send("Heartbeat", {}, { ordered: false }), 500);
  }

  send(name, values, { ordered = true, request = 0 } = {}) {
    const header = Buffer.concat([
      Buffer.from([SCHEMA.protocol.version, 0, BY_NAME[name].number]), number(this.session, 4),
      number(ordered ? ++this.sequence : 0, 4), number(this.heard, 4), number(request, 4)]);
    const raw = Buffer.concat([header, Buffer.isBuffer(values) ? values : name === "Heartbeat" ? Buffer.alloc(12) : encode(name, values)]);
    const zero = Buffer.from([0]);
    this.socket.write(Buffer.concat([zero, cobs(Buffer.concat([raw, number(crc32c(raw), 4)])), zero]));
  }

  command(name, values = {}) {
    this.send(name, values, { request: ++this.request });
  }

  receive(data) {
    let rest = Buffer.concat([this.rest, data]);
    for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) if (end) this.frame(uncobs(rest.subarray(0, end)));
    this.rest = rest;
  }

  frame(raw) {
    const body = raw.subarray(19, raw.length - 4);
    if (crc32c(raw.subarray(0, raw.length - 4)) !== raw.readUInt32LE(raw.length - 4)) return;
    const sequence = raw.readUInt32LE(7);
    if (sequence && sequence !== this.heard + 1) return;
    if (sequence) {
      this.heard = sequence;
      this.send("Ack", { early: 0 }, { ordered: false });
    }
    this.messages.push({ name: BY_NUMBER[raw[2]].name, session: raw.readUInt32LE(3), body });
    if (this.waiting) this.waiting();
  }

  async next() {
    while (!this.messages.length) await new Promise((go) => (this.waiting = go));
    return this.messages.shift();
  }

  async open() {
    const version = SCHEMA.protocol.version;
    this.send("Hello", {
      version_min: version, version_max: version, window: 16, max_body: SCHEMA.protocol.max_body ?? 2048,
      fingerprint: Buffer.alloc(8), instance: randomBytes(16), next_request: 1, nonce: randomBytes(16), ephemeral: Buffer.alloc(0),
    }, { ordered: false });
    for (;;) {
      const welcome = await this.next();
      if (welcome.name === "Reset") throw new Error(`refused: ${welcome.body.subarray(2)}`);
      if (welcome.name === "Welcome") {
        this.session = welcome.session;
        this.send("Heartbeat", {}, { ordered: false });
        return;
      }
    }
  }

  close() {
    clearInterval(this.beat);
    this.socket.destroy();
  }
}

// -------------------------------------------------------------------------------------------------------------- the story

await bench("POST", "/actions/rig_hands", { hands: { 2: "Qs Ks As" } });
await bench("POST", "/actions/inject", { name: "jam_exit", when: "group=1", by_hand: true });
const { urls } = await bench("GET");
const { hostname, port } = new URL(urls[0].replace("socket:", "http:"));
const device = new Device(hostname, Number(port));
await device.open();
device.command("GetStatus");
let asked = false;
for (let hand = null; !hand; ) {
  const { name, body } = await device.next();
  if (name === "Status") {
    if (body[0] !== 2) setTimeout(() => device.command("GetStatus"), 50); // the self-test runs
    else if (!asked) {
      asked = true;
      device.command("Load");
    }
  } else if (name === "DeckLoaded") device.command("Shuffle", { nonce: randomBytes(16) });
  else if (name === "ShuffleCompleted") {
    device.command("BeginRound", { round: 1, seats: 0b1111111 });
    device.command("DealGroup", { round: 1, groups: 0 });
  } else if (name === "FaultRaised") {
    const panel = await bench("GET", "/panel");
    if (!panel.top.startsWith("JAM AT EXIT")) throw new Error(panel.top);
    await bench("POST", "/actions/clear", { name: "jam_exit" }); // the card is freed
    await bench("POST", "/actions/press", { button: "OK" });
  } else if (name === "GroupRemoved" && body[17] === 2) {
    const first = 28; // behind the opening's first position and the number of its cards
    hand = [...body.subarray(first, first + 3)];
    if (hand.join() !== "49,50,51") throw new Error(`seat 2 got ${hand}`);
  } else if (name === "Error") throw new Error(`the device refused: ${body}`);
}
device.close();
console.log("seat 2 was dealt Q♠ K♠ A♠ after a jam at the exit was cleared");
