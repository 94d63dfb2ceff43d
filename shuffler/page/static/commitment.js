// Commitment: this browser folds a dealt hand's hashes up to the root by itself; a changed card shows that it can't.

import { flag, h, text } from "./dom.js";
import { get } from "./api.js";
import { theTable } from "./store.js";
import { act } from "./acting.js";
import { card, setCard, faceName } from "./cards.js";

const NODE = new TextEncoder().encode("shuffler-bench/commitment/1/node\0");
const bytes = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
const hex = (data) => [...data].map((one) => one.toString(16).padStart(2, "0")).join("");
const joined = (...parts) => {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
};
const sha = async (data) => new Uint8Array(await crypto.subtle.digest("SHA-256", data));

// The same check as protocol/commitment.py: leaves, then level by level with the siblings that the proof gives.
export async function fold(found, faces) {
  const prefix = bytes(found.prefix);
  let level = [];
  for (const [at, face] of faces.entries()) {
    const position = found.first + at;
    level.push({ hash: await sha(joined(prefix, Uint8Array.of(position & 255, position >> 8, face), bytes(found.salts[at]))), from: "card", at });
  }
  const levels = [level];
  let low = found.first;
  let high = found.first + faces.length;
  let used = 0;
  const depth = Math.ceil(Math.log2(found.count));
  for (let up = 0; up < depth; up++) {
    const row = level.slice();
    if (low & 1) row.unshift({ hash: bytes(found.proof[used++]), from: "proof" });
    if (high & 1) row.push({ hash: bytes(found.proof[used++]), from: "proof" });
    levels[levels.length - 1] = row;
    level = [];
    for (let at = 0; at < row.length; at += 2) level.push({ hash: await sha(joined(NODE, row[at].hash, row[at + 1].hash)), from: "node" });
    levels.push(level);
    low >>= 1;
    high = (high + 1) >> 1;
  }
  return { levels, root: hex(level[0].hash), holds: hex(level[0].hash) === found.root && used === found.proof.length };
}

export class CommitmentView {
  constructor(root) {
    this.seats = h("div", { class: "row", role: "group", "aria-label": "Whose hand" });
    this.cards = [card(), card(), card()];
    this.pickers = this.cards.map((node, at) => h("button", { class: "cardbutton", "aria-label": `Change card ${at + 1}`, onclick: () => this.change(at) }, node));
    this.undo = h("button", { class: "quiet", onclick: () => this.restore() }, "Put the dealt cards back");
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.tree = h("div", { class: "tree" });
    this.about = h("p", { class: "note" });
    root.append(h("section", { class: "card-panel commitment" },
      h("h2", {}, "The deck was fixed before the first hand"),
      h("p", { class: "note" }, "Before anything was dealt the shuffler published one hash, the root. Each hand comes with what opens it: its salts and its neighbours' hashes. Your browser folds them up to the root now; nobody's word is needed."),
      this.seats, h("div", { class: "row opened" }, this.pickers, this.undo), this.verdict, this.tree, this.about));
    this.found = null;
    this.key = null;
  }

  update() {
    const view = theTable();
    const round = view && view.round;
    const seats = round ? [...Object.entries(round.spots).filter(([, one]) => one.commitment).map(([spot]) => Number(spot)), ...(round.dealer.commitment ? [0] : [])] : [];
    const key = round ? `${round.id}:${seats.join()}` : "";
    if (key === this.key) return;
    this.key = key;
    this.seats.replaceChildren(...seats.map((seat) => h("button", { class: "quiet", "data-seat": String(seat), onclick: () => this.open(seat) }, seat ? `Seat ${seat}` : "Dealer")));
    if (!seats.length) {
      text(this.verdict, "No hand is open yet: deal a round, then come back.");
      flag(this.verdict, "bad", false);
      this.tree.replaceChildren();
      this.cards.forEach((node) => setCard(node, undefined));
      this.found = null;
    } else if (!this.found || this.round !== round.id) {
      this.round = round.id;
      this.open(seats[0]);
    }
  }

  async open(seat) {
    const found = await act(() => get(`/tables/${theTable().id}/commitments/${seat}`));
    if (!found) return;
    this.found = found;
    this.faces = found.faces.slice();
    await this.check();
  }

  change(at) {
    if (!this.found) return;
    do this.faces[at] = (this.faces[at] + 1) % 52;
    while (this.faces.some((face, other) => other !== at && face === this.faces[at]));
    this.check();
  }

  restore() {
    if (!this.found) return;
    this.faces = this.found.faces.slice();
    this.check();
  }

  async check() {
    const { found, faces } = this;
    const result = await fold(found, faces);
    if (found !== this.found) return;
    faces.forEach((face, at) => {
      setCard(this.cards[at], face);
      flag(this.cards[at], "changed", face !== found.faces[at]);
    });
    for (const button of this.seats.children) flag(button, "on", Number(button.dataset.seat) === found.seat);
    text(this.verdict, result.holds ? "It folds up to the root that was published before the deal." : "It does not fold up to the root: this is not what was shuffled.");
    flag(this.verdict, "bad", !result.holds);
    flag(this.verdict, "good", result.holds);
    const short = (data) => hex(data).slice(0, 12);
    const rows = result.levels.map((level, up) => h("div", { class: `level ${up === result.levels.length - 1 ? "top" : ""}` },
      h("span", { class: "depth" }, up === 0 ? "cards" : up === result.levels.length - 1 ? "root" : `level ${up}`),
      h("div", { class: "hashes" }, level.map((one) => h("code", { class: one.from, title: hex(one.hash) }, one.from === "card" ? `${faceName(faces[one.at])} ` : one.from === "proof" ? "given " : "", short(one.hash))))));
    rows.reverse();
    rows.unshift(h("div", { class: "level published" }, h("span", { class: "depth" }, "published"), h("div", { class: "hashes" }, h("code", { class: result.holds ? "same" : "differs", title: found.root }, found.root.slice(0, 12)))));
    this.tree.replaceChildren(...rows);
    text(this.about, `${found.serial}, epoch ${found.epoch}, shuffle ${found.shuffle}, ${found.count} cards; the host's nonce ${found.nonce.slice(0, 16)}… is bound into every leaf, so no root can be used twice.${found.rigged ? " This deck is marked as rigged or seeded: a root proves that the order was fixed, not that it was random." : ""}`);
  }
}
