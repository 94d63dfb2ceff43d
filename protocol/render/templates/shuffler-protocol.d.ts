// The shuffler bench's wire protocol, version @version@, catalogue @fingerprint@: encode, decode, framing, commitment,
// role proof. No dependencies; runs in Node and in browsers.
//
// Rendered by `shuffler protocol docs` from the declared messages: change those, not this file. docs/protocol.md is the
// reference, docs/protocol/vectors.json has bytes to test with.

// @insert constants@
export const FINGERPRINT: string;

// @insert words@

// @insert records@

// @insert messages@

/** Every message by its name. */
export interface Messages {
// @insert names@
}

export type MessageName = keyof Messages;
export type HostMessageName = @host_names@;
export type DeviceMessageName = @device_names@;

/** A message or a field that does not fit the wire. */
export class Unencodable extends Error {}
/** A body that does not match its message, or an unknown number. */
export class Malformed extends Error {}

/** The number of a message. */
export function numberOf(name: MessageName): number;
/** The name of a message; undefined if there is none. */
export function nameOf(number: number): MessageName | undefined;
/** The name of the reply to a command; null if it has none. */
export function replyTo(name: MessageName): MessageName | null;
/** Whether the device remembers a command and never executes it twice. */
export function hasEffect(name: MessageName): boolean;

/** A message by name, with its fields. */
export type Decoded = { [Name in MessageName]: { name: Name; fields: Messages[Name] } }[MessageName];
/** The bytes of a message's body; throws Unencodable. */
export function encodeBody<Name extends MessageName>(name: Name, values?: Messages[Name]): Uint8Array;
/** A message's name and fields; throws Malformed. */
export function decodeBody(number: number, body: Uint8Array): Decoded;

/** CRC-32C (Castagnoli). */
export function crc32c(data: Uint8Array): number;
/** COBS: bytes without a zero. */
export function cobsEncode(raw: Uint8Array): Uint8Array;
/** The decoded bytes; null if they are not COBS. */
export function cobsDecode(piece: Uint8Array): Uint8Array | null;

/** A frame: header fields as on the wire, then the body. */
export interface Frame {
  version: number;
  flags: number;
  message: number;
  session: number;
  sequence: number;
  acknowledge: number;
  request: number;
  body: Uint8Array;
}
/** A frame as bytes, with both delimiters. */
export function wrap(frame: Partial<Frame> & Pick<Frame, "message" | "body">): Uint8Array;
/** Finds the frames in a byte stream, however it is split. Buffers less than one frame and never throws. */
export class Framer {
  /** Counts of noise by its kind. */
  readonly noise: { too_long: number; not_cobs: number; too_short: number; bad_crc: number };
  /** All frames that end within these bytes. */
  feed(data: Uint8Array): Frame[];
}

/** SHA-256. */
export function sha256(data: Uint8Array): Uint8Array;
/** HMAC-SHA-256. */
export function hmacSha256(key: Uint8Array, data: Uint8Array): Uint8Array;
/** A role's key from its secret words. */
export function roleKey(secret: string): Uint8Array;
/** The answer to a Challenge, for ProveRole. */
export function roleProof(
  key: Uint8Array,
  asked: { serial: string; session: number; role: Role; nonce: Uint8Array },
): Uint8Array;

/** The values that a root is bound to. */
export interface Context {
  serial: string;
  epoch: bigint;
  shuffle: number;
  game: number;
  count: number;
  nonce: Uint8Array;
}
/** The root of a shuffle's commitment, from every card and every salt. */
export function commitmentRoot(context: Context, codes: number[], salts: Uint8Array): Uint8Array;
/** Whether the root commits to the cards of an opening. */
export function opens(context: Context, root: Uint8Array, opening: Opening): boolean;
