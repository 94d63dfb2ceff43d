// A host in Node without dependencies: one round over TCP, from docs/protocol.md and docs/protocol/vectors.json alone.
//
//     node examples/node/client.mjs 127.0.0.1 7001
//
// Layouts are read from the catalogue in the vectors, so that this file knows no message's bytes by heart. The rules it
// follows are named by their numbers. Exit code 0: a whole round, every opening checked.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect } from "node:net";

const vectors = JSON.parse(readFileSync(new URL("../../docs/protocol/vectors.json", import.meta.url)));
const { protocol, enums } = vectors;
const byName = Object.fromEntries(vectors.catalogue.map((entry) => [entry.name, entry]));
const byNumber = Object.fromEntries(vectors.catalogue.map((entry) => [entry.number, entry]));
const HELLO_VERSION = 1; // V-1
const MUST_UNDERSTAND = 0xf0; // F-5
const WINDOW = 16;
const SEATS = 7;
const HAND = 3;

// ------------------------------------------------------------------------------------------------------------- framing

const TABLE = Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc >>> 0;
});

const crc32c = (data) => {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ TABLE[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
};

function cobs(raw) {
  const out = [0];
  let mark = 0;
  let code = 1;
  raw.forEach((byte, at) => {
    if (byte) {
      out.push(byte);
      code++;
    }
    if (!byte || (code === 255 && at + 1 < raw.length)) {
      out[mark] = code;
      code = 1;
      mark = out.push(0) - 1;
    }
  });
  out[mark] = code;
  return Buffer.from(out);
}

function uncobs(piece) {
  const out = [];
  for (let at = 0; at < piece.length; ) {
    const code = piece[at];
    if (code === 0 || at + code > piece.length) return null;
    out.push(...piece.subarray(at + 1, at + code));
    at += code;
    if (code < 255 && at < piece.length) out.push(0);
  }
  return Buffer.from(out);
}

function frame(version, flags, number, session, sequence, acknowledge, request, body) {
  const header = Buffer.alloc(19);
  header.set([version, flags, number]);
  [session, sequence, acknowledge, request].forEach((value, at) => header.writeUInt32LE(value, 3 + 4 * at));
  const raw = Buffer.concat([header, body]);
  const check = Buffer.alloc(4);
  check.writeUInt32LE(crc32c(raw));
  return Buffer.concat([Buffer.of(0), cobs(Buffer.concat([raw, check])), Buffer.of(0)]);
}

function parse(piece) {
  const raw = piece.length <= protocol.max_encoded ? uncobs(piece) : null;
  if (raw === null || raw.length < 23) return null; // F-4
  const end = raw.length - 4;
  if (crc32c(raw.subarray(0, end)) !== raw.readUInt32LE(end)) return null;
  const [session, sequence, acknowledge, request] = [3, 7, 11, 15].map((at) => raw.readUInt32LE(at));
  return { version: raw[0], flags: raw[1], number: raw[2], session, sequence, acknowledge, request, body: raw.subarray(19, end) };
}

// -------------------------------------------------------------------------------------------------------------- bodies

function encode(name, values = {}) {
  const parts = [];
  const number = (value, size) => {
    const bytes = Buffer.alloc(size);
    for (let at = 0, left = BigInt(value ?? 0); at < size; at++, left >>= 8n) bytes[at] = Number(left & 255n);
    parts.push(bytes);
  };
  for (const field of byName[name].fields) {
    const value = values[field.name];
    if (field.type === "bytes") parts.push(value);
    else if (field.type === "blob" || field.type === "text") {
      const bytes = Buffer.from(value ?? "");
      number(bytes.length, field.prefix);
      parts.push(bytes);
    } else number(Number(value ?? 0), field.size);
  }
  return Buffer.concat(parts);
}

function decode(name, body) {
  let at = 0;
  const number = (size) => {
    let value = 0n;
    for (let byte = size - 1; byte >= 0; byte--) value = (value << 8n) | BigInt(body[at + byte]);
    at += size;
    return size === 8 ? value : Number(value);
  };
  const take = (count) => body.subarray(at, (at += count));
  const fields = (list) => Object.fromEntries(list.map((field) => [field.name, one(field)]));
  const one = (field) => {
    if (field.type === "bytes") return take(field.size);
    if (field.type === "blob") return take(number(field.prefix));
    if (field.type === "text") return take(number(field.prefix)).toString();
    if (field.type === "cards" || field.type === "places") return [...take(number(field.prefix))];
    if (field.type === "record") return fields(vectors.records[field.of]);
    if (field.type === "list") return Array.from({ length: number(field.prefix) }, () => fields(vectors.records[field.of]));
    return number(field.size);
  };
  const found = fields(byName[name].fields);
  if (at !== body.length) throw new Error(`${name}: ${body.length} bytes do not fit`);
  return found;
}

// ------------------------------------------------------------------------------------------------------------- session

const said = { queue: [], flight: new Map(), next: 1, peerHas: 0, expected: 1, early: new Map() };
const events = [];
const answers = new Map();
let wake = () => {};
let session = 0;
let welcome = null;
let request = 0;
let stored = 0;
let heard = Date.now();
let spoken = 0;
let nonce = randomBytes(16);
let pending = Buffer.alloc(0);

const fail = (why) => {
  console.error(why);
  process.exit(1);
};

const line = connect(Number(process.argv[3]), process.argv[2]);
line.setNoDelay(true);
line.on("error", (problem) => fail(`the line: ${problem.message}`));
line.on("close", () => fail("the device closed the line"));

const write = (number, sequence, request, body, flags = 0) => {
  line.write(frame(protocol.version, flags, number, session, sequence, said.expected - 1, request, body));
  spoken = Date.now();
};

const acknowledge = () => {
  let early = 0; // S-5
  for (const sequence of said.early.keys()) early |= 1 << (sequence - said.expected - 1);
  write(byName.Ack.number, 0, 0, encode("Ack", { early: early & 0xffff }));
};

function flush() {
  while (said.queue.length && said.next <= said.peerHas + Math.min(WINDOW, welcome.window)) { // S-2
    const [number, id, body] = said.queue.shift();
    said.flight.set(said.next, { number, id, body, at: Date.now(), tries: 1 });
    write(number, said.next++, id, body);
  }
}

const post = (name, values, id = 0) => {
  said.queue.push([byName[name].number, id, encode(name, values)]);
  flush();
};

function receive(found) {
  if (welcome === null) {
    if (found.number === byName.Reset.number && found.session === 0) fail(`refused: ${decode("Reset", found.body).text}`);
    if (found.number !== byName.Welcome.number) return;
    const answer = decode("Welcome", found.body);
    if (!answer.host_nonce.equals(nonce)) return; // H-3
    session = found.session;
    if (answer.version !== protocol.version) { // V-4: reason 2 is VERSION
      const reset = frame(HELLO_VERSION, 0, byName.Reset.number, session, 0, 0, 0, encode("Reset", { reason: 2 }));
      return line.write(reset, () => fail(`the device chose version ${answer.version}`));
    }
    welcome = answer;
    stored = welcome.acknowledged_event;
    heard = Date.now();
    write(byName.Heartbeat.number, 0, 0, encode("Heartbeat", { uptime_ms: 0, last_event: stored })); // H-5
    return wake();
  }
  if (found.session !== session || found.version !== protocol.version || found.flags & MUST_UNDERSTAND) return; // F-5
  heard = Date.now();
  if (found.number === byName.Reset.number) fail(`the device ended the session: ${decode("Reset", found.body).text}`);
  for (; said.peerHas < found.acknowledge; said.peerHas++) said.flight.delete(said.peerHas + 1); // S-4
  if (found.number === byName.Ack.number) {
    const { early } = decode("Ack", found.body);
    const there = [...said.flight.keys()].filter((sequence) => (early >> (sequence - found.acknowledge - 2)) & 1);
    for (const [sequence, sent] of said.flight) { // S-7, once a time-out at most
      if (sequence < Math.max(0, ...there) && !there.includes(sequence) && Date.now() - sent.at > 50) again(sequence, sent);
    }
  }
  flush();
  if (found.sequence === 0) return;
  if (found.sequence >= said.expected && found.sequence < said.expected + WINDOW) said.early.set(found.sequence, found); // S-3
  for (let next; (next = said.early.get(said.expected)); said.expected++) {
    said.early.delete(said.expected);
    deliver(next);
  }
  acknowledge();
  wake();
}

const again = (sequence, sent) => {
  if (++sent.tries > 12) fail("the device does not acknowledge"); // S-10
  sent.at = Date.now();
  write(sent.number, sequence, sent.id, sent.body, 1);
};

function deliver(found) {
  const name = byNumber[found.number].name;
  const body = decode(name, found.body);
  if (found.request !== 0) return answers.set(found.request, { name, ...body });
  if (body.number !== 0 && body.number <= stored) return; // E-3
  if (body.number !== 0) {
    stored = body.number; // a host with books writes them here
    post("AckEvents", { upto: stored }); // E-1
  }
  events.push({ name, ...body });
}

line.on("data", (data) => {
  pending = Buffer.concat([pending, data]);
  for (let end; (end = pending.indexOf(0)) >= 0; pending = pending.subarray(end + 1)) {
    const found = end > 0 ? parse(pending.subarray(0, end)) : null;
    if (found !== null) receive(found);
  }
  if (pending.length > protocol.max_encoded) pending = Buffer.alloc(0); // F-3
});

let helloAt = 0, helloWait = 250;
const clock = setInterval(() => {
  if (welcome === null) {
    if (Date.now() >= helloAt) { // H-1
      helloAt = Date.now() + helloWait;
      helloWait = Math.min(2000, 2 * helloWait);
      const fingerprint = Buffer.from(protocol.fingerprint, "hex");
      const hello = { version_min: protocol.version, version_max: protocol.version, window: WINDOW, next_request: 1 };
      const body = encode("Hello", { ...hello, max_body: protocol.max_body, fingerprint, instance, nonce });
      line.write(frame(HELLO_VERSION, 0, byName.Hello.number, 0, 0, 0, 0, body));
    }
    return;
  }
  for (const [sequence, sent] of said.flight) if (Date.now() - sent.at > 150 * Math.min(8, sent.tries)) again(sequence, sent);
  if (Date.now() - spoken >= welcome.heartbeat_ms) write(byName.Heartbeat.number, 0, 0, encode("Heartbeat", { last_event: stored }));
  if (Date.now() - heard >= 3 * welcome.heartbeat_ms) fail("the device is silent"); // L-2
}, 20);
const instance = randomBytes(16);

// ----------------------------------------------------------------------------------------------------------- the round

async function until(found, what) {
  const end = Date.now() + 60_000;
  for (let value; ; ) {
    if ((value = found()) !== undefined) return value;
    if (Date.now() > end) fail(`no ${what} in a minute`);
    await new Promise((resolve) => ((wake = resolve), setTimeout(resolve, 200)));
  }
}

async function call(name, values) {
  const id = ++request; // C-1
  post(name, values, id);
  const answer = await until(() => answers.get(id), `answer to ${name}`);
  if (answer.name === "Error") fail(`${name} was refused (${answer.code}): ${answer.text}`);
  return answer;
}

const event = (wanted) =>
  until(() => {
    for (let next; (next = events.shift()); ) {
      if (next.name === "Misdealt") fail("misdeal: all wagers back, all cards collected, a new round"); // D-13
      if (next.name === wanted) return next;
    }
  }, wanted);

const sha256 = (...parts) => createHash("sha256").update(Buffer.concat(parts)).digest();
const little = (value, size) => Buffer.from(Array.from({ length: size }, (_, at) => Number((BigInt(value) >> BigInt(8 * at)) & 255n)));

function opens(shuffled, opening) { // K-2
  const codes = opening.cards.length ? opening.cards : opening.places;
  const serial = Buffer.from(welcome.serial);
  const prefix = [
    Buffer.from("shuffler-bench/commitment/1/leaf\0"), Buffer.of(serial.length), serial, little(welcome.epoch, 8),
    little(shuffled.shuffle, 4), Buffer.of(shuffled.game), little(shuffled.count, 2), Buffer.of(16), shuffled.nonce,
  ];
  let low = opening.first;
  let high = low + codes.length;
  let proof = opening.proof;
  let level = codes.map((code, at) =>
    sha256(...prefix, little(low + at, 2), Buffer.of(code), opening.salts.subarray(32 * at, 32 * at + 32)));
  for (let width = 1; width < shuffled.count; width *= 2) {
    if (low % 2) level.unshift(proof.subarray(0, 32)), (proof = proof.subarray(32));
    if (high % 2) level.push(proof.subarray(0, 32)), (proof = proof.subarray(32));
    const pairs = level.length / 2;
    level = Array.from({ length: pairs }, (_, at) =>
      sha256(Buffer.from("shuffler-bench/commitment/1/node\0"), level[2 * at], level[2 * at + 1]));
    [low, high] = [low >> 1, (high + 1) >> 1];
  }
  return codes.length > 0 && level.length === 1 && proof.length === 0 && level[0].equals(shuffled.root);
}

const named = (opening) =>
  opening.cards.length
    ? opening.cards.map((card) => (card < 52 ? "23456789TJQKA"[card % 13] + "cdhs"[Math.floor(card / 13)] : `code ${card}`))
    : opening.places.map((place) => `place ${place}`); // B-6

function show(seat, opening, shuffled) {
  if (shuffled.kind !== enums.CommitKind.NOTHING && !opens(shuffled, opening)) fail(`seat ${seat}: not what was committed to`);
  if (named(opening).length !== HAND) fail(`seat ${seat}: ${named(opening).length} cards`);
  console.log(`seat ${seat}: ${named(opening).join(" ")}`);
}

await until(() => welcome ?? undefined, "welcome");
console.log(`session ${session.toString(16)} with ${welcome.serial}`);
let status;
do status = await call("GetStatus");
while (status.power !== enums.PowerState.ON);
await until(() => (stored >= status.last_event ? true : undefined), "events of before"); // H-9
events.length = 0;
await call("Load"); // D-2
await event("DeckLoaded");
nonce = randomBytes(16);
await call("Shuffle", { nonce }); // D-3
const shuffled = await event("ShuffleCompleted");
if (!shuffled.nonce.equals(nonce)) fail("the shuffle is not bound to our nonce");
console.log(`shuffle ${shuffled.shuffle} of ${shuffled.count} cards`);
const round = status.round + 1;
await call("BeginRound", { round, seats: (1 << SEATS) - 1 }); // D-4
await call("DealGroup", { round, groups: 0 });
for (let group = 0; group <= SEATS; group++) { // D-5
  const removed = await event("GroupRemoved");
  if (!removed.withheld) show(removed.seat, removed.opening, shuffled);
}
await call("CloseDecisions", { round }); // D-6
show(0, (await event("HandDisclosed")).opening, shuffled);
await call("EjectStub"); // D-7
const stub = await event("StubRemoved");
if (stub.count + (SEATS + 1) * HAND !== shuffled.count) fail(`${stub.count} cards are in the stub`);
console.log(`round ${round}: every hand opens the commitment`);
await until(() => (said.flight.size || said.queue.length ? undefined : true), "last acknowledgement");
clearInterval(clock);
line.removeAllListeners("close");
write(byName.Reset.number, 0, 0, encode("Reset", { reason: enums.ResetReason.CLOSED })); // L-3
line.end();
