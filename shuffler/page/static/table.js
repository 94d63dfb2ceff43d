// The table: seven seats and the dealer, chips, cards, decisions, settlement posting by posting, meters and keypads.

import { attr, capital, disable, dollars, flag, h, keyed, show, text, words } from "./dom.js";
import { post, put } from "./api.js";
import { perform } from "./actions.js";
import { theTable, theDevice } from "./store.js";
import { card, setCard } from "./cards.js";
import { act, motionOff } from "./acting.js";

const PHASES = {
  betting: "Place your bets", locked: "No more bets", dealing: "Dealing", decisions: "Players decide", reveal: "Dealer's hand",
  settlement: "Settlement", misdealt: "Misdeal", closed: "Round over", void: "Round void",
};
const WANTS = {
  device: "The shuffler prepares the next deck", wagers: "A fresh deck is ready", decisions: "Play or fold", faces: "Somebody must name the cards",
  keys: "An award waits at the keypad", attention: "The shuffler needs attention", backup: "The shuffler is not fit: put the backup in",
};
const KNOWN = { dealing: "groups come out of the shuffler" };

function chip(name, label) {
  const amount = h("b", {});
  const node = h("div", { class: `circle ${name}` }, h("span", { class: "chip", "aria-hidden": "true" }), h("small", {}, label), amount);
  node.amount = amount;
  return node;
}

class SeatNode {
  constructor(spot) {
    this.spot = spot;
    this.cards = [card(), card(), card()];
    this.name = h("b", { class: "who" });
    this.money = h("span", { class: "money" });
    this.hand = h("span", { class: "hand" });
    this.net = h("span", { class: "net" });
    this.circles = {};
    this.spots = h("div", { class: "spots" });
    const decide = (play) => act(() => post(`/tables/${theTable().id}/decisions`, { spot, play }));
    this.play = h("button", { class: "play", onclick: () => decide(true) }, "Play");
    this.fold = h("button", { class: "fold", onclick: () => decide(false) }, "Fold");
    this.sit = h("button", { class: "quiet small sit", onclick: () => this.sitDown() }, "Sit here");
    this.leave = h("button", { class: "quiet small leave", onclick: () => act(() => put(`/tables/${theTable().id}/seats/${spot}`, { kind: "empty" })), "aria-label": `Leave seat ${spot}` }, "Leave");
    this.decision = h("span", { class: "decision" });
    this.node = h("li", { class: `seat s${spot}`, "aria-label": `Seat ${spot}` },
      h("div", { class: "cards" }, this.cards), this.hand,
      this.spots,
      h("div", { class: "person" }, h("span", { class: "no", "aria-hidden": "true" }, String(spot)), this.name, this.money, this.net),
      h("div", { class: "choice" }, this.play, this.fold, this.decision, this.sit, this.leave));
  }

  sitDown() {
    act(() => put(`/tables/${theTable().id}/seats/${this.spot}`, { kind: "person", player: `Guest ${this.spot}` }));
  }

  update(view, shown) {
    const seat = view.seats.find((one) => one.spot === this.spot);
    const round = view.round;
    const held = round && round.spots[this.spot];
    const over = round && (round.phase === "closed" || round.phase === "void");
    flag(this.node, "empty", seat.kind === "empty" && !held);
    flag(this.node, "person-here", seat.kind === "person");
    text(this.name, seat.kind === "empty" ? "Empty seat" : seat.player);
    text(this.money, seat.kind === "empty" ? "" : dollars(seat.balance, true));
    flag(this.money, "minus", seat.balance < 0);
    const faces = held ? held.faces : [];
    this.cards.forEach((node, at) => setCard(node, held && held.dealt > at ? (faces[at] ?? null) : undefined));
    flag(this.node, "folded", held && held.decision === "fold");
    text(this.hand, held && held.hand ? handWords(held.hand) : "\u00a0");
    const stakes = held ? held.stakes : seat.kind === "empty" ? {} : seat.stakes;
    for (const { wager: name, short } of view.circles) {
      if (!this.circles[name]) this.spots.append((this.circles[name] = chip(name, short)));
      const node = this.circles[name];
      const amount = stakes[name] || 0;
      flag(node, "on", amount > 0);
      text(node.amount, amount ? dollars(amount) : "\u00a0");
      const result = shown.result(this.spot, name);
      flag(node, "won", result > 0);
      flag(node, "lost", result < 0);
    }
    const mine = seat.kind === "person" && held && !held.decision && held.faces.length === 3 && round.phase === "decisions";
    show(this.play, mine);
    show(this.fold, mine);
    show(this.decision, !!held && !!held.decision);
    text(this.decision, held && held.decision === "play" ? "plays" : held && held.decision === "fold" ? "folds" : "");
    show(this.sit, seat.kind === "empty" && !held);
    show(this.leave, seat.kind === "person" && !mine && (!held || over));
    flag(this.node, "turn", mine);
    const net = shown.net(this.spot);
    const told = over && round.phase === "closed" && net !== null && shown.done;
    flag(this.net, "on", told);
    text(this.net, told ? dollars(net, true) : "");
    flag(this.net, "minus", told && net < 0);
  }
}

const handWords = (name) => name.replace(/^high card/, "").trim();

// Postings of a settlement, told one after another; the server has them all, the page only takes its time.
class Settlement {
  constructor() {
    this.list = h("ol", { class: "postings", tabindex: "0", "aria-label": "Postings, in the order of settlement" });
    this.title = h("h3", {}, "Settlement");
    this.node = h("section", { class: "settlement", "aria-label": "Settlement" }, this.title, this.list);
    this.round = null;
    this.told = 0;
    this.timer = 0;
    this.done = false;
  }

  postings(round) {
    if (!round) return [];
    return round.postings.filter((one) => one.spot && (one.sign !== 0 || one.entry === "pushed" || one.entry === "void" || one.entry === "given back"));
  }

  update(view, again) {
    const round = view.round;
    const key = round ? round.id : null;
    if (key !== this.round) {
      this.round = key;
      this.told = 0;
      this.done = false;
      clearTimeout(this.timer);
      this.timer = 0;
    }
    const all = this.postings(round);
    const over = round && (round.phase === "closed" || round.phase === "void");
    if (motionOff() || all.length > 60) this.told = all.length;
    if (this.told < all.length && !this.timer) {
      this.timer = setTimeout(() => {
        this.timer = 0;
        this.told += 1;
        again();
      }, round.phase === "void" ? 60 : 220);
    }
    if (this.told > all.length) this.told = all.length;
    this.done = !!over && this.told >= all.length;
    this.shown = all.slice(0, this.told);
    text(this.title, !round ? "Settlement" : round.phase === "void" ? "Misdeal: everything is given back" : `Settlement ${round.id}`);
    keyed(this.list, this.shown.map((one, at) => ({ ...one, at })), (one) => `${key}-${one.at}`, (one) => {
      const sign = one.sign > 0 ? "plus" : one.sign < 0 ? "minus" : "even";
      return h("li", { class: sign },
        h("span", { class: "seatno", "aria-label": `seat ${one.spot}` }, String(one.spot)),
        h("span", { class: "what" }, one.what, h("em", {}, reason(one))),
        h("span", { class: "amount" }, dollars(one.sign * one.amount || 0, true).replace("$0", one.entry === "void" || one.entry === "given back" ? `${dollars(one.amount)} back` : "push")),
        h("span", { class: "clause", title: "the clause that this posting answers to" }, one.clause));
    });
    if (!all.length && !this.list.childElementCount) this.list.append(this.empty || (this.empty = h("li", { class: "none" }, "Each posting will be told here with its clause.")));
    else if (all.length && this.empty) this.empty.remove();
    if (this.list.lastElementChild && this.shown.length !== this.before) {
      this.before = this.shown.length;
      this.list.scrollTop = this.list.scrollHeight;
    }
  }

  result(spot, wager) {
    return (this.shown || []).filter((one) => one.spot === spot && one.wager === wager).reduce((sum, one) => sum + one.sign * one.amount, 0);
  }

  net(spot) {
    const view = theTable();
    const held = view && view.round && view.round.spots[spot];
    return held ? (view.round.net[held.player] ?? 0) : null;
  }
}

const holding = (view, role) => (view.staff.find((one) => one.roles.includes(role)) || { name: role }).name;

// A losing row pays nothing; beside the stake that goes, "loses" is the whole of it.
const reason = (one) => words(one.row && one.row !== "stake" ? one.row : one.entry).replace(/ ?nothing$/, "") || "loses";

class Keypad {
  constructor() {
    this.title = h("h3", {});
    this.mode = h("span", { class: "mode" });
    this.keys = h("div", { class: "padkeys" });
    this.hint = h("p", { class: "hint", role: "status" });
    this.people = h("ul", { class: "people", "aria-label": "Who works at this table" });
    this.node = h("section", { class: "keypad", "aria-label": "Keypad" }, h("header", {}, this.title, this.mode), this.keys, this.hint, this.people);
  }

  update(view, meter) {
    const pad = meter.keypad;
    this.painted = view;
    text(this.title, `${meter.what} keypad`);
    text(this.mode, `${pad.dialect} · ${pad.mode}`);
    const next = pad.next;
    flag(this.node, "waiting", !!next);
    const list = [];
    for (const key of pad.keys) {
      if (key === "HAND") for (const row of meter.rows) list.push({ key, hand: row.hand, label: words(row.hand).toUpperCase() });
      else if (key === "POSITION") for (const seat of view.seats) list.push({ key, spot: seat.spot, label: `POS ${seat.spot}` });
      else list.push({ key, label: key });
    }
    if (next && next.key === "VERIFY") list.push({ key: "VERIFY", hand: next.hand, spot: next.spot, label: "VERIFY WIN" });
    keyed(this.keys, list, (one) => one.label, (one) => {
      const node = h("button", { class: "padkey" }, one.label);
      node.addEventListener("click", async () => {
        const now = theTable();
        if (now !== this.painted || now === this.pressed) return; // a second click on the same picture: that key is no longer the one shown
        this.pressed = now;
        const found = now.meters.find((m) => m.wager === meter.wager).keypad.next;
        const by = found && found.key === one.key ? found.by : holding(now, one.key === "HAND" || one.key === "POSITION" || one.key === "ENTER" ? "dealer" : "supervisor");
        const taken = await act(() => post(`/tables/${now.id}/keys`, { wager: meter.wager, key: one.key, by, hand: one.hand, spot: one.spot }));
        setTimeout(() => { if (this.pressed === now) this.pressed = null; }, taken === null ? 0 : 1000); // a key that changes nothing
      });
      return node;
    }, (node, one) => {
      const wanted = next && next.key === one.key && (one.hand === undefined || one.hand === next.hand) && (one.spot === undefined || one.spot === next.spot);
      flag(node, "next", wanted);
      flag(node, "lit", (one.hand && pad.hand === one.hand) || (one.spot && (pad.spot === one.spot || pad.lit.includes(one.spot))));
      disable(node, view.wants !== "keys");
    });
    text(this.hint, next ? `${capital(next.by)} presses ${next.hand ? words(next.hand).toUpperCase() : next.spot ? `position ${next.spot}` : next.key}` : pad.lit.length ? `Wagers locked in at ${pad.lit.join(", ")}` : view.pending ? "The award is pending: the meter's server fixes its prize" : "No award waits");
    keyed(this.people, view.staff, (one) => `${one.name}:${one.roles.join()}`, (one) => h("li", {}, h("b", {}, one.name), h("span", {}, one.roles.filter((role) => role !== one.name).map(words).join(", "))), (node, one) => flag(node, "now", !!next && next.by === one.name));
  }
}

export class TableView {
  constructor(root) {
    this.root = root;
    this.dealerCards = [card(), card(), card()];
    this.dealerCall = h("p", { class: "call", role: "status" });
    this.phase = h("p", { class: "phase" });
    this.sub = h("p", { class: "sub", role: "status" });
    this.rules = h("span", { class: "rules" });
    this.meters = h("div", { class: "meters" });
    this.seats = Array.from({ length: 7 }, (_, at) => new SeatNode(at + 1));
    this.settlement = new Settlement();
    this.pads = h("div", { class: "pads" });
    this.deal = h("button", { class: "deal", onclick: () => act(() => post(`/tables/${theTable().id}/deal`)) }, "Deal");
    this.auto = h("button", { class: "quiet", "aria-pressed": "false", onclick: () => this.toggleAuto() }, "Deal by itself");
    this.misdeal = h("button", { class: "quiet danger", onclick: () => act(() => post(`/tables/${theTable().id}/misdeal`, { reason: "called by the floor" })) }, "Call a misdeal");
    this.rigger = h("button", { class: "quiet", onclick: () => this.rigJackpot() }, "Rig a mini-royal");
    this.rigged = h("span", { class: "mark" }, "rigged deck");
    root.append(
      h("div", { class: "felt" },
        h("div", { class: "head" },
          h("div", { class: "where" }, this.rules, this.phase, this.sub),
          h("div", { class: "dealer", "aria-label": "Dealer" }, h("div", { class: "cards" }, this.dealerCards), this.dealerCall),
          this.meters),
        h("ul", { class: "seats" }, this.seats.map((seat) => seat.node)),
        h("div", { class: "controls" }, this.deal, this.auto, this.rigger, this.misdeal, this.rigged)),
      h("div", { class: "under" }, this.settlement.node, this.pads));
    this.padNodes = new Map();
  }

  share(node, meter) {
    const shared = meter.shared;
    show(node.link, !!shared);
    if (!shared) return;
    const waits = shared.unsent ? ` · ${shared.unsent} to send` : "";
    text(node.link, shared.connected ? `shared · ${shared.meter}${shared.held ? ` · ${dollars(shared.held)} held` : ""}${waits}` : `${shared.meter} · server away${waits}`);
    attr(node.link, "title", shared.trouble || null);
    flag(node.link, "away", !shared.connected);
  }

  toggleAuto() {
    const view = theTable();
    const auto = view.pace.deals !== "auto";
    act(() => put(`/tables/${view.id}/pace`, { deals: auto ? "auto" : "hand" }));
  }

  rigJackpot() {
    const view = theTable();
    const seats = view.seats.filter((seat) => seat.kind !== "empty").map((seat) => seat.spot);
    const you = view.seats.find((seat) => seat.kind === "person") || view.seats.find((seat) => seat.kind !== "empty");
    act(() => perform("rig_hands", { hands: { [you.spot]: "As Ks Qs", dealer: "Qd 8c 4h" }, seats }, view.device),
      `The next shuffle gives seat ${you.spot} a suited A-K-Q. It is marked as rigged everywhere.`);
  }

  // The machine says something in almost every frame of the screen; the table is drawn anew only when it has changed.
  update(again = false) {
    const view = theTable();
    show(this.root, true);
    if (!view) return;
    const device = theDevice();
    const waiting = !!device && device.rig.decks.length > 0;
    const seeded = !!device && device.seeded;
    if (!again && view === this.drawn?.view && waiting === this.drawn.waiting && seeded === this.drawn.seeded) return;
    this.drawn = { view, waiting, seeded };
    const round = view.round;
    text(this.rules, view.title);
    const idle = !round || round.phase === "closed" || round.phase === "void";
    const between = idle && (view.wants === "wagers" || view.wants === "device" || view.wants === "attention" || view.wants === "backup");
    text(this.phase, view.stopped ? "Stopped" : round && !between ? PHASES[round.phase] : round && round.phase !== "closed" && idle ? PHASES[round.phase] : between && round && !this.settlement.done ? PHASES[round.phase] : WANTS_SHORT[view.wants] || "");
    const away = !view.session ? "No session with the shuffler: is the cable in?" : null;
    text(this.sub, view.stopped || away || (round && round.phase === "void" && idle ? round.misdeal : round && KNOWN[round.phase]) || WANTS[view.wants] || "");
    flag(this.root, "alarm", view.wants === "attention" || view.wants === "backup" || !!away);
    this.settlement.update(view, () => this.update(true));
    const dealer = round ? round.dealer : null;
    this.dealerCards.forEach((node, at) => setCard(node, dealer && dealer.dealt > at ? (dealer.faces[at] ?? null) : undefined));
    text(this.dealerCall, dealer && dealer.call ? dealer.call : "Dealer");
    keyed(this.meters, view.meters, (meter) => meter.wager, (meter) => {
      const amount = h("b", { class: "digits" });
      const link = h("small", { class: "shared" });
      const node = h("div", { class: "meter" }, h("span", {}, `${meter.what} meter`), amount, link);
      Object.assign(node, { amount, link });
      return node;
    }, (node, meter) => {
      this.share(node, meter);
      text(node.amount, dollars(meter.amount).includes(".") ? dollars(meter.amount) : `${dollars(meter.amount)}.00`);
    });
    for (const seat of this.seats) seat.update(view, this.settlement);
    keyed(this.pads, view.meters, (meter) => meter.wager, (meter) => {
      const pad = new Keypad();
      this.padNodes.set(meter.wager, pad);
      return pad.node;
    }, (_, meter) => this.padNodes.get(meter.wager).update(view, meter));
    const seated = view.seats.some((seat) => seat.kind !== "empty");
    disable(this.deal, !idle || !seated || view.pace.deals === "auto" || !!view.stopped);
    flag(this.deal, "ready", view.wants === "wagers" && idle);
    text(this.deal, round && !idle ? "In play" : view.wants === "wagers" ? "Deal" : "Deal when ready");
    attr(this.auto, "aria-pressed", String(view.pace.deals === "auto"));
    disable(this.misdeal, idle);
    flag(this.rigged, "on", waiting || (round && round.rigged && !idle));
    text(this.rigged, waiting ? "next deck is rigged" : seeded ? "this deck is seeded" : "this deck is rigged");
  }
}

const WANTS_SHORT = { device: "Shuffling", wagers: "Place your bets", attention: "Attention", backup: "Backup wanted", keys: "Award", faces: "Name the cards", decisions: "Players decide" };
