// A playing card as a node that turns over; faces are numbers 0 … 51, as everywhere on the bench.

import { attr, flag, h, text } from "./dom.js";

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const SUITS = ["♣", "♦", "♥", "♠"];
const SUIT_WORDS = ["clubs", "diamonds", "hearts", "spades"];
const RANK_WORDS = { J: "jack", Q: "queen", K: "king", A: "ace" };

export const faceName = (face) => `${RANKS[face % 13]}${SUITS[Math.floor(face / 13)]}`;
export const isRed = (face) => Math.floor(face / 13) === 1 || Math.floor(face / 13) === 2;
export const suitOf = (face) => Math.floor(face / 13);
export const spoken = (face) =>
  `${RANK_WORDS[RANKS[face % 13]] || RANKS[face % 13]} of ${SUIT_WORDS[Math.floor(face / 13)]}`;

export function card() {
  const rank = h("b");
  const suit = h("i");
  const big = h("span", { class: "pip" });
  const node = h("span", { class: "card", role: "img", "aria-label": "no card" },
    h("span", { class: "side back", "aria-hidden": "true" }),
    h("span", { class: "side face", "aria-hidden": "true" }, h("span", { class: "corner" }, rank, suit), big));
  node.parts = { rank, suit, big };
  return node;
}

// face: a number, null for a closed card, undefined for an empty place
export function setCard(node, face) {
  flag(node, "there", face !== undefined);
  const open = typeof face === "number" && face < 52;
  flag(node, "open", open);
  if (open) {
    flag(node, "red", isRed(face));
    text(node.parts.rank, RANKS[face % 13]);
    text(node.parts.suit, SUITS[suitOf(face)]);
    text(node.parts.big, SUITS[suitOf(face)]);
    attr(node, "aria-label", spoken(face));
  } else attr(node, "aria-label", face === undefined ? "no card" : "closed card");
}
