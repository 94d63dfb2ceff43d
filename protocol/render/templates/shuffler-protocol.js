// The shuffler bench's wire protocol, version @version@, catalogue @fingerprint@: encode, decode, framing, commitment,
// role proof. No dependencies; runs in Node and in browsers.
//
// Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/protocol.md is the
// reference, docs/protocol/vectors.json has bytes to test with.

// @insert constants@
export const FINGERPRINT = "@fingerprint@";

// @insert words@

const RECORDS = {
// @insert records@
};

const CATALOGUE = [
// @insert catalogue@
];

/** A message or a field that does not fit the wire. */
export class Unencodable extends Error {}

/** A body that does not match its message, or an unknown number. */
export class Malformed extends Error {}

// ---------------------------------------------------------------------------------------------------------- catalogue

const BY_NAME = new Map(CATALOGUE.map((entry) => [entry.name, entry]));
const BY_NUMBER = new Map(CATALOGUE.map((entry) => [entry.number, entry]));
const ENUMS = {
  // @insert enums@
};
const VALUES = Object.fromEntries(Object.entries(ENUMS).map(([name, words]) => [name, new Set(Object.values(words))]));

/** The number of a message. */
export function numberOf(name) {
  const entry = BY_NAME.get(name);
  if (entry === undefined) throw new Unencodable(`${name} is no message of the catalogue`);
  return entry.number;
}

/** The name of a message; undefined if there is none. */
export function nameOf(number) {
  return BY_NUMBER.get(number)?.name;
}

/** The name of the reply to a command; null if it has none. */
export function replyTo(name) {
  return BY_NUMBER.get(numberOf(name)).reply;
}

/** Whether the device remembers a command and never executes it twice. */
export function hasEffect(name) {
  return BY_NUMBER.get(numberOf(name)).effect;
}

// ------------------------------------------------------------------------------------------------------------- bodies

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function joined(parts) {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function little(value, size) {
  let left = BigInt(value);
  if (left < 0n || left >> BigInt(8 * size) !== 0n) throw new Unencodable(`${value} does not fit ${size} bytes`);
  const out = new Uint8Array(size);
  for (let at = 0; at < size; at++, left >>= 8n) out[at] = Number(left & 255n);
  return out;
}

function bytesOf(value, name) {
  if (!(value instanceof Uint8Array)) throw new Unencodable(`${name}: expected a Uint8Array`);
  return value;
}

function encodeFields(fields, values, where, parts) {
  for (const field of fields) {
    const value = values[field.name];
    const name = `${where}.${field.name}`;
    if (value === undefined || value === null) throw new Unencodable(`${name} is missing`);
    switch (field.type) {
      case "bool":
        if (typeof value !== "boolean") throw new Unencodable(`${name}: expected true or false`);
        parts.push(little(value ? 1 : 0, field.size));
        break;
      case "enum":
        if (!VALUES[field.of].has(value)) throw new Unencodable(`${name}: ${value} is no ${field.of}`);
        parts.push(little(value, field.size));
        break;
      case "uint":
      case "flags":
        if (typeof value !== "bigint" && !Number.isInteger(value)) throw new Unencodable(`${name}: no whole number`);
        parts.push(little(value, field.size));
        break;
      case "bytes":
        if (bytesOf(value, name).length !== field.size) throw new Unencodable(`${name} must have ${field.size} bytes`);
        parts.push(value);
        break;
      case "blob":
        parts.push(little(bytesOf(value, name).length, field.prefix), value);
        break;
      case "text": {
        const text = encoder.encode(value);
        parts.push(little(text.length, field.prefix), text);
        break;
      }
      case "record":
        encodeFields(RECORDS[field.of], value, name, parts);
        break;
      case "list":
        parts.push(little(value.length, field.prefix));
        for (const item of value) encodeFields(RECORDS[field.of], item, name, parts);
        break;
      default:
        parts.push(little(value.length, field.prefix));
        for (const code of value) parts.push(little(code, 1));
    }
  }
}

/** The bytes of a message's body; throws Unencodable. */
export function encodeBody(name, values = {}) {
  const parts = [];
  encodeFields(BY_NUMBER.get(numberOf(name)).fields, values, name, parts);
  const body = joined(parts);
  if (body.length > MAX_BODY) throw new Unencodable(`${name} takes ${body.length} bytes, a body may have ${MAX_BODY}`);
  return body;
}

class Cursor {
  constructor(body, name) {
    this.body = body;
    this.name = name;
    this.at = 0;
  }

  take(size) {
    if (this.at + size > this.body.length) throw new Malformed(`${this.name}: it ends before its fields do`);
    this.at += size;
    return this.body.slice(this.at - size, this.at);
  }

  number(size) {
    let value = 0n;
    const bytes = this.take(size);
    for (let at = size - 1; at >= 0; at--) value = (value << 8n) | BigInt(bytes[at]);
    return size === 8 ? value : Number(value);
  }

  text(size) {
    try {
      return decoder.decode(this.take(size));
    } catch (problem) {
      if (problem instanceof Malformed) throw problem;
      throw new Malformed(`${this.name}: a text is not UTF-8`);
    }
  }

  fields(list) {
    const values = {};
    for (const field of list) values[field.name] = this.field(field);
    return values;
  }

  field(field) {
    switch (field.type) {
      case "uint":
      case "flags":
        return this.number(field.size);
      case "bool": {
        const value = this.number(field.size);
        if (value > 1) throw new Malformed(`${this.name}.${field.name}: ${value} is no truth value (0 or 1)`);
        return value === 1;
      }
      case "enum": {
        const value = this.number(field.size);
        if (!VALUES[field.of].has(value)) throw new Malformed(`${this.name}.${field.name}: ${value} is no ${field.of}`);
        return value;
      }
      case "bytes":
        return this.take(field.size);
      case "blob":
        return this.take(this.number(field.prefix));
      case "text":
        return this.text(this.number(field.prefix));
      case "record":
        return this.fields(RECORDS[field.of]);
      case "list": {
        const items = [];
        for (let left = this.number(field.prefix); left > 0; left--) items.push(this.fields(RECORDS[field.of]));
        return items;
      }
      default:
        return [...this.take(this.number(field.prefix))];
    }
  }
}

/** A message's name and fields; throws Malformed. */
export function decodeBody(number, body) {
  const entry = BY_NUMBER.get(number);
  if (entry === undefined) throw new Malformed(`no message has the number ${number}`);
  if (body.length > MAX_BODY) throw new Malformed(`${entry.name}: a body of ${body.length} bytes is too long`);
  const cursor = new Cursor(body, entry.name);
  const fields = cursor.fields(entry.fields);
  if (cursor.at !== body.length) throw new Malformed(`${entry.name}: ${body.length - cursor.at} bytes too many`);
  return { name: entry.name, fields };
}

// ------------------------------------------------------------------------------------------------------------ framing

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** CRC-32C (Castagnoli). */
export function crc32c(data) {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ CRC[(crc ^ byte) & 255];
  return (crc ^ 0xffffffff) >>> 0;
}

/** COBS: bytes without a zero. */
export function cobsEncode(raw) {
  const out = [0];
  let mark = 0;
  raw.forEach((byte, at) => {
    if (byte) out.push(byte);
    if (!byte || (out.length - mark === 255 && at + 1 < raw.length)) {
      out[mark] = out.length - mark;
      mark = out.push(0) - 1;
    }
  });
  out[mark] = out.length - mark;
  return Uint8Array.from(out);
}

/** The decoded bytes; null if they are not COBS. */
export function cobsDecode(piece) {
  const out = [];
  for (let at = 0; at < piece.length; ) {
    const code = piece[at];
    if (code === 0 || at + code > piece.length) return null;
    for (let next = at + 1; next < at + code; next++) out.push(piece[next]);
    at += code;
    if (code < 255 && at < piece.length) out.push(0);
  }
  return Uint8Array.from(out);
}

/** A frame as bytes, with both delimiters. */
export function wrap({ version = VERSION, flags = 0, message, body, ...numbers }) {
  const { session = 0, sequence = 0, acknowledge = 0, request = 0 } = numbers;
  const head = [version, flags, message].map((value) => little(value, 1));
  const raw = joined([...head, ...[session, sequence, acknowledge, request].map((value) => little(value, 4)), body]);
  const zero = new Uint8Array(1);
  return joined([zero, cobsEncode(joined([raw, little(crc32c(raw), 4)])), zero]);
}

/** Finds the frames in a byte stream, however it is split. Buffers less than one frame and never throws. */
export class Framer {
  constructor() {
    this.noise = { too_long: 0, not_cobs: 0, too_short: 0, bad_crc: 0 };
    this.pending = new Uint8Array(0);
    this.skipping = false;
  }

  /** All frames that end within these bytes. */
  feed(data) {
    const frames = [];
    let rest = joined([this.pending, data]);
    for (let end; (end = rest.indexOf(0)) >= 0; rest = rest.subarray(end + 1)) {
      if (this.skipping) {
        this.skipping = false;
        this.noise.too_long++;
      } else if (end > 0) {
        const frame = this.unpack(rest.subarray(0, end));
        if (frame !== null) frames.push(frame);
      }
    }
    if (this.skipping || rest.length > MAX_ENCODED) {
      this.skipping = true;
      rest = new Uint8Array(0);
    }
    this.pending = rest.slice();
    return frames;
  }

  unpack(piece) {
    if (piece.length > MAX_ENCODED) return this.spoiled("too_long");
    const raw = cobsDecode(piece);
    if (raw === null) return this.spoiled("not_cobs");
    const end = raw.length - 4;
    if (end < HEADER_SIZE) return this.spoiled("too_short");
    const view = new DataView(raw.buffer);
    if (crc32c(raw.subarray(0, end)) !== view.getUint32(end, true)) return this.spoiled("bad_crc");
    const [session, sequence, acknowledge, request] = [3, 7, 11, 15].map((at) => view.getUint32(at, true));
    const body = raw.slice(HEADER_SIZE, end);
    return { version: raw[0], flags: raw[1], message: raw[2], session, sequence, acknowledge, request, body };
  }

  spoiled(how) {
    this.noise[how]++;
    return null;
  }
}

// ------------------------------------------------------------------------------------------------------------- hashes

function fractions(root, count) {
  const out = [];
  for (let candidate = 2; out.length < count; candidate++) {
    let prime = true;
    for (let by = 2; by * by <= candidate && prime; by++) prime = candidate % by !== 0;
    if (prime) out.push(((candidate ** (1 / root)) * 2 ** 32) >>> 0);
  }
  return Uint32Array.from(out);
}

const SHA_START = fractions(2, 8); // FIPS 180-4, 5.3.3: fractional parts of the square roots of the first 8 primes
const SHA_ROUNDS = fractions(3, 64); // 4.2.2: of the cube roots of the first 64

const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** SHA-256. */
export function sha256(data) {
  const padded = new Uint8Array((((data.length + 8) >> 6) + 1) << 6);
  padded.set(data);
  padded[data.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, 8n * BigInt(data.length));
  const state = SHA_START.slice();
  const w = new Uint32Array(64);
  for (let block = 0; block < padded.length; block += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getUint32(block + 4 * i);
    for (let i = 16; i < 64; i++) {
      const small = turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ (w[i - 15] >>> 3);
      const large = turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ (w[i - 2] >>> 10);
      w[i] = w[i - 16] + small + w[i - 7] + large;
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i++) {
      const mixed = (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g));
      const one = (h + mixed + SHA_ROUNDS[i] + w[i]) | 0;
      const two = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => (state[i] += word));
  }
  const out = new DataView(new ArrayBuffer(32));
  state.forEach((word, i) => out.setUint32(4 * i, word));
  return new Uint8Array(out.buffer);
}

/** HMAC-SHA-256. */
export function hmacSha256(key, data) {
  const block = new Uint8Array(64);
  block.set(key.length > 64 ? sha256(key) : key);
  const inner = sha256(joined([block.map((byte) => byte ^ 0x36), data]));
  return sha256(joined([block.map((byte) => byte ^ 0x5c), inner]));
}

// -------------------------------------------------------------------------------------------------------------- roles

const ROLE_DOMAIN = encoder.encode("shuffler-bench/role/1\0");

/** A role's key from its secret words. */
export function roleKey(secret) {
  return sha256(joined([ROLE_DOMAIN, encoder.encode(secret)]));
}

/** The answer to a Challenge, for ProveRole. */
export function roleProof(key, { serial, session, role, nonce }) {
  const who = joined([encoder.encode(serial), new Uint8Array(1), little(session, 4), little(role, 1), nonce]);
  return hmacSha256(key, joined([ROLE_DOMAIN, who]));
}

// --------------------------------------------------------------------------------------------------------- commitment

const LEAF = encoder.encode("shuffler-bench/commitment/1/leaf\0");
const NODE = encoder.encode("shuffler-bench/commitment/1/node\0");
const EMPTY = sha256(encoder.encode("shuffler-bench/commitment/1/empty\0"));
const SALT = 32;

function leafPrefix({ serial, epoch, shuffle, game, count, nonce }) {
  const name = encoder.encode(serial);
  const numbers = [little(epoch, 8), little(shuffle, 4), little(game, 1), little(count, 2), little(nonce.length, 1)];
  return joined([LEAF, little(name.length, 1), name, ...numbers, nonce]);
}

function leaves(prefix, first, codes, salts) {
  return codes.map((code, at) =>
    sha256(joined([prefix, little(first + at, 2), little(code, 1), salts.subarray(SALT * at, SALT * at + SALT)])));
}

function levelAbove(level) {
  return Array.from({ length: level.length / 2 }, (_, at) => sha256(joined([NODE, level[2 * at], level[2 * at + 1]])));
}

/** The root of a shuffle's commitment, from every card and every salt. */
export function commitmentRoot(context, codes, salts) {
  let level = leaves(leafPrefix(context), 0, codes, salts);
  let width = 1;
  while (width < codes.length) width *= 2;
  while (level.length < width) level.push(EMPTY);
  while (level.length > 1) level = levelAbove(level);
  return level[0];
}

const same = (one, other) => one.length === other.length && one.every((byte, at) => byte === other[at]);

/** Whether the root commits to the cards of an opening. */
export function opens(context, root, opening) {
  const codes = opening.cards.length ? opening.cards : opening.places;
  if (codes.length === 0 || (opening.cards.length && opening.places.length)) return false;
  let low = opening.first;
  let high = low + codes.length;
  if (high > context.count || opening.salts.length !== SALT * codes.length) return false;
  let level = leaves(leafPrefix(context), low, codes, opening.salts);
  let at = 0;
  for (let width = 1; width < context.count; width *= 2) {
    if (low & 1) level.unshift(opening.proof.subarray(at, (at += 32)));
    if (high & 1) level.push(opening.proof.subarray(at, (at += 32)));
    level = levelAbove(level);
    [low, high] = [low >> 1, (high + 1) >> 1];
  }
  return at === opening.proof.length && level.length === 1 && same(level[0], root);
}
