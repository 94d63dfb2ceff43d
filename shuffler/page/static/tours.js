// Guided tours: lists of steps that the page plays by itself, one for each of the three users; also what kiosk mode loops.

import { $, flag, h, show, text } from "./dom.js";
import { post, put } from "./api.js";
import { perform } from "./actions.js";
import { state, theDevice, theTable } from "./store.js";

// How long the page waits so that people can read along, as a share of the usual time.
export const reading = { pace: 1 };
const steady = (seconds) => new Promise((go) => setTimeout(go, seconds * 1000));
const pause = (seconds) => steady(seconds * reading.pace);

async function until(holds, seconds = 45) {
  const end = performance.now() + seconds * 1000;
  while (!holds()) {
    if (performance.now() > end) throw new Error("the tour waited too long");
    await steady(0.05);
  }
}
const round = () => theTable() && theTable().round;
const idle = () => !round() || ["closed", "void"].includes(round().phase);
const seats = () => theTable().seats.filter((seat) => seat.kind !== "empty").map((seat) => seat.spot);
const you = () => theTable().seats.find((seat) => seat.kind === "person");
async function ready() {
  await until(() => idle() && theTable().wants === "wagers", 120);
}
async function deal() {
  await ready();
  const before = round() ? round().id : null;
  if (theTable().pace.deals === "hand") await post(`/tables/${theTable().id}/deal`);
  await until(() => round() && round().id !== before, 60);
}
async function decideAll(play = true) {
  await until(() => idle() || (round().phase === "decisions" && (!you() || !round().spots[you().spot] || round().spots[you().spot].faces.length === 3)) || theTable().wants === "keys", 90);
  const seat = you();
  if (seat && round() && round().phase === "decisions" && !round().spots[seat.spot].decision) await post(`/tables/${theTable().id}/decisions`, { spot: seat.spot, play });
}
async function clear() {
  await perform("clear");
  await pause(2);
  await perform("press", { button: "OK" });
  await until(() => !theDevice().faults.reported.length, 60);
}
async function keyAwards() {
  await until(() => idle() || theTable().wants === "keys", 90);
  while (theTable().wants === "keys") {
    const meter = theTable().meters.find((one) => one.keypad.next);
    if (!meter) break;
    const before = JSON.stringify(meter.keypad);
    await pause(1);
    await post(`/tables/${theTable().id}/keys`, { wager: meter.wager, ...meter.keypad.next });
    await until(() => theTable().wants !== "keys" || JSON.stringify(theTable().meters.find((one) => one.wager === meter.wager).keypad) !== before, 30);
  }
  await until(idle, 60);
}

export const TOURS = [
  { name: "controller", title: "You build table controllers", about: "a round, a jam, a pulled cable, the wire under it all", steps: [
    { view: "table", say: "This is a shuffler you don't have, at a table that is real to the last frame. Watch a round.", act: deal },
    { view: "table", say: "Hands come out of the machine one by one. Your controller hears of each as an event.", act: () => decideAll() },
    { view: "table", say: "Every posting is settled to the cent, with the clause it answers to.", act: keyAwards },
    { view: "wire", say: "Here is what went over the line: every frame decoded, every byte there, ready to copy as a test vector.", act: () => pause(5) },
    { view: "faults", say: "Now a card sticks at the exit in the middle of a deal.", act: async () => { await ready(); await perform("inject", { name: "jam_exit", when: "group=1", by_hand: true }); await deal(); await until(() => theDevice().faults.reported.length, 60); await pause(4); } },
    { view: "faults", say: "The panel says what to do. Free the card, press OK, and the deal goes on where it stopped.", act: async () => { await clear(); } },
    { view: "table", say: "And the cable? Pulled, and put back: nothing is dealt twice, nothing dealt is lost.", act: async () => { await perform("unplug"); await pause(3); await perform("plug"); await decideAll(); await keyAwards(); } },
    { view: "table", say: "All of this is one HTTP API. docs/control.md tells the same story in curl, Python, Node and C.", act: () => pause(5) },
  ] },
  { name: "laboratory", title: "You test shuffles", about: "heat map, exact odds, and a battery that catches what is rigged", steps: [
    { view: "randomness", say: "The shuffler's own kernel, thousands of decks at a time. Grey noise is what chance looks like.", act: async () => { await put("/laboratory", { subject: "device", running: true }); await until(() => state.lab.decks > 3000, 40); } },
    { view: "randomness", say: "Now seven riffles, as careful as a hand can be. The map still looks grey …", act: async () => { await put("/laboratory", { subject: "riffle", running: true }); await until(() => state.lab.decks > 1500, 40); } },
    { view: "randomness", say: "… and yet rising sequences give it away within moments.", act: () => pause(5) },
    { view: "randomness", say: "A feeder that leaves a card behind paints a stripe you can see.", act: async () => { await put("/laboratory", { subject: "feed", running: true }); await until(() => state.lab.decks > 3000, 40); await pause(4); await put("/laboratory", { running: false }); } },
    { view: "commitment", say: "And each deck is fixed before the first hand: this browser folds the hashes up to the root by itself.", act: async () => { if (!round()) { await deal(); await decideAll(); await keyAwards(); } await pause(5); } },
    { view: "commitment", say: "Change one card, and it can't.", act: async () => { await pause(0.5); const button = $(".cardbutton"); if (button) button.click(); await pause(5); } },
  ] },
  { name: "casino", title: "You run tables", about: "a progressive won, the keypad, a misdeal, the backup, the books", steps: [
    { view: "table", say: "The next deck is rigged on purpose: seat four gets a suited ace, king and queen. It is marked as rigged everywhere.", act: async () => { await ready(); const spot = you() ? you().spot : seats()[0]; await perform("rig_hands", { hands: { [spot]: "As Ks Qs", dealer: "Qd 8c 4h" }, seats: seats() }); await pause(2); } },
    { view: "table", say: "A deck that lies ready is dealt first; the rigged one is shuffled behind it.", act: async () => { for (let turn = 0; turn < 3 && !(round() && round().rigged && !idle()); turn++) { await deal(); if (round().rigged) break; await decideAll(); await keyAwards(); } } },
    { view: "table", say: "The whole meter. It has to be keyed before it is paid: by the dealer, then by the supervisor.", act: async () => { await decideAll(); await keyAwards(); } },
    { view: "table", say: "The meter is seeded again; every cent is in the postings.", act: () => pause(5) },
    { view: "faults", say: "Somebody opens the door in the middle of a deal. The round can't be finished: it is void.", act: async () => { await ready(); await perform("inject", { name: "door_open", when: "group=1", by_hand: true }); await deal(); await until(() => theDevice().faults.reported.length, 60); await pause(3); await clear(); await until(() => round().phase === "void", 60); } },
    { view: "table", say: "Wagers are given back, and the machine goes on with a fresh deck. Or the backup takes its place.", act: async () => { const other = Object.values(state.devices).find((one) => one.serial !== theTable().device); if (other) await post(`/tables/${theTable().id}/swap`, { device: other.serial, reason: "shown in a tour" }); await pause(5); } },
    { view: "journal", say: "The journal has it all, chained by hashes: replay any round, or take the file with you.", act: () => pause(6) },
  ] },
];

export class Guide {
  constructor(root, open) {
    this.root = root;
    this.open = open;
    this.running = null;
    this.last = null; // how the newest tour went
    this.loops = 0;
    this.played = [];
    this.say = h("p", { class: "say" });
    this.count = h("span", { class: "count" });
    this.end = h("button", { class: "quiet small", onclick: () => this.stop() }, "End the tour");
    this.menu = h("div", { class: "tourmenu" }, h("h2", {}, "Guided tours"), TOURS.map((tour) => h("button", { "data-tour": tour.name, onclick: () => this.play(tour) }, h("b", {}, tour.title), h("small", {}, tour.about))), h("button", { class: "quiet small", onclick: () => show(this.root, false) }, "Close"));
    this.talk = h("div", { class: "talk" }, this.count, this.say, this.end);
    root.append(this.menu, this.talk);
  }

  choose() {
    show(this.root, true);
    show(this.menu, true);
    show(this.talk, false);
    $("button", this.menu).focus();
  }

  stop() {
    this.running = null;
    this.looping = false;
    show(this.root, false);
  }

  async play(tour) {
    const mine = (this.running = this.last = { tour: tour.name, step: 0, steps: tour.steps.length, done: false, problem: null });
    show(this.root, true);
    show(this.menu, false);
    show(this.talk, true);
    flag(this.root, "playing", true);
    for (const [at, step] of tour.steps.entries()) {
      if (this.running !== mine) return false;
      mine.step = at;
      this.open(step.view);
      text(this.count, `${at + 1} of ${tour.steps.length}`);
      text(this.say, step.say);
      try {
        await step.act();
        await pause(2.5);
      } catch (problem) {
        if (this.running !== mine) return false;
        text(this.say, `${step.say} (${problem.message})`);
        mine.problem = problem.message;
        await pause(2);
      }
    }
    mine.done = true;
    if (this.running === mine && !this.looping) this.stop();
    return true;
  }

  // Kiosk: every tour in turn, for days; after each the bench is put back as it was.
  async loop() {
    this.looping = true;
    while (this.looping) {
      await until(() => state.link === "live" && theTable() && theDevice(), 600).catch(() => null);
      await this.play(TOURS[this.loops % TOURS.length]);
      await post("/reset").catch(() => null);
      this.played.push(this.last);
      if (this.played.length > 2 * TOURS.length) this.played.shift();
      this.loops += 1;
      await pause(3);
    }
  }
}
