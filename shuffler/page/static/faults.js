// Faults: any of the catalogue by a click, and what happens then told as a story with the next thing to do.

import { attr, capital, disable, flag, h, keyed, show, text } from "./dom.js";
import { get, post } from "./api.js";
import { label, perform } from "./actions.js";
import { state, theDevice, theTable } from "./store.js";
import { act } from "./acting.js";

const GROUPS = ["cards on their way", "the deck that is laid in", "hands at the output tray", "a card inside the machine", "a part of the machine", "power, cable, memory"];
const WHEN = [["", "now"], ["when:group=1", "while the second hand comes"], ["when:deal=delivering", "while a hand is delivered"], ["when:event=ShuffleCompleted", "when a deck is shuffled"], ["at_card:10", "at the 10th card of a pass"]];

export class FaultView {
  constructor(root) {
    this.catalogue = [];
    this.list = h("div", { class: "catalogue" });
    this.when = h("select", { id: "when" }, WHEN.map(([value, label]) => h("option", { value }, label)));
    this.byHand = h("input", { type: "checkbox", id: "byhand", checked: true });
    this.story = h("ol", { class: "story" });
    this.title = h("h2", {}, "Nothing is wrong");
    this.note = h("p", { class: "note" });
    this.clear = h("button", { class: "clear", onclick: () => this.recover() });
    this.press = h("button", { onclick: () => act(() => perform("press", { button: "OK" })) }, "Press OK");
    this.door = h("button", { onclick: () => act(() => perform(theDevice().sensors.door_open ? "close_door" : "open_door")) });
    this.lift = h("button", { onclick: () => act(() => perform("lift")) });
    this.cycle = h("button", { onclick: () => act(() => perform("cut_power")) });
    for (const [node, name] of [[this.clear, "clear"], [this.lift, "lift"], [this.cycle, "cut_power"]]) label(node, name);
    this.backups = h("div", { class: "backups" });
    this.armed = h("ul", { class: "armed" });
    root.append(h("div", { class: "split" },
      h("section", { class: "card-panel recovery", "aria-label": "Recovery" }, this.title, this.note, this.story,
        h("div", { class: "row" }, this.clear, this.press, this.door, this.lift, this.cycle),
        h("h3", {}, "Scheduled and active faults"), this.armed,
        h("h3", {}, "Backup"), h("p", { class: "note" }, "The shuffler is switched off and unplugged, the backup takes its place. A half-dealt round is void; nothing is dealt twice."), this.backups),
      h("section", { class: "card-panel", "aria-label": "Injections" },
        h("div", { class: "row spread" }, h("h2", {}, "Make something go wrong"),
          h("div", { class: "row" }, h("label", { for: "when" }, "When"), this.when, h("label", { class: "check" }, this.byHand, "only I clear it"))),
        this.list)));
    this.load();
  }

  async load() {
    this.catalogue = (await act(() => get("/injections"))) || [];
    this.list.replaceChildren(...GROUPS.map((group) => h("div", { class: "group" }, h("h3", {}, capital(group)),
      h("div", { class: "buttons" }, this.catalogue.filter((one) => one.nature === group).map((one) =>
        h("button", { class: "inject", "data-name": one.name, title: one.meaning, onclick: () => this.inject(one) },
          h("b", {}, capital(one.name)), h("small", {}, one.meaning)))))));
  }

  inject(one) {
    const body = { name: one.name, by_hand: this.byHand.checked };
    const [kind, value] = this.when.value.split(/:(.*)/s);
    if (kind === "when") body.when = value;
    if (kind === "at_card") body.at_card = Number(value);
    if (one.name === "worn_reader") body.level = 0.2;
    act(() => perform("inject", body), `${capital(one.name)}: ${one.meaning}.`);
  }

  // What a dealer or a technician would do, step by step; the page does one thing at a time so that it can be followed.
  async recover() {
    const device = theDevice();
    await act(() => perform("clear"));
    if (device.sensors.door_open) await act(() => perform("close_door"));
    const fault = device.faults.reported[0];
    if (!fault) return;
    if (fault.place === "tray") await act(() => perform("lift"));
    if (fault.clears.includes("by_dealer")) await act(() => perform("press", { button: "OK" }));
    else if (fault.clears.includes("by_power_cycle")) await act(() => perform("cut_power"));
  }

  update() {
    const device = theDevice();
    if (!device) return;
    const fault = device.faults.reported[0];
    const table = theTable();
    const misdealt = device.status.deal === "misdealt" || (table && table.round && table.round.phase === "void");
    text(this.title, fault ? capital(fault.code) : misdealt ? "The round is void" : device.faults.armed.length ? "A fault is scheduled" : "Nothing is wrong");
    text(this.note, fault ? `The panel says ${fault.panel}. All motion has stopped.` : misdealt && table.round ? table.round.misdeal || "A misdeal: all cards go back and are shuffled again." : "Choose an injection. It is a cause in the world; whether the machine notices is for its sensors to find out.");
    const steps = fault ? [
      { key: "cause", label: "What happened", what: fault.cause, done: true },
      { key: "sensed", label: "What the sensors saw", what: fault.sensed, done: true },
      { key: "cure", label: "What to do", what: fault.cure, done: false },
      { key: "after", label: "And then", what: fault.after, done: false },
    ] : misdealt ? [
      { key: "m1", label: "What happened", what: (table && table.round && table.round.misdeal) || "the machine called a misdeal", done: true },
      { key: "m2", label: "The money", what: "every wager is given back, posting by posting", done: true },
      { key: "m3", label: "The cards", what: "all cards return, are counted, and are shuffled again", done: device.status.deal !== "misdealt" },
    ] : [];
    keyed(this.story, steps, (one) => (fault ? fault.code : "m") + one.key, (one) => h("li", {}, h("b", {}, one.label), h("span", {})), (node, one) => {
      text(node.lastChild, capital(one.what));
      flag(node, "done", one.done);
      flag(node, "now", one.label === "What to do");
    });
    disable(this.clear, !fault && !device.faults.active.length && !device.faults.armed.length && !device.sensors.door_open);
    disable(this.press, !device.on);
    label(this.door, device.sensors.door_open ? "close_door" : "open_door");
    const waiting = [...device.faults.active.map((one) => ({ ...one, how: "active" })), ...device.faults.armed.map((one) => ({ ...one, how: "scheduled" }))];
    keyed(this.armed, waiting.length ? waiting.map((one, at) => ({ ...one, at })) : [{ name: "", how: "", at: 0 }], (one) => `${one.name}${one.how}${one.at}`, (one) =>
      one.name ? h("li", {}, h("b", {}, capital(one.name)), h("span", {}, one.how === "active" ? " active until it is cleared" : ` scheduled${one.trigger && one.trigger.when ? " for " + one.trigger.when : ""}`),
        h("button", { class: "quiet small", onclick: () => act(() => perform("clear", { name: one.name })) }, "Clear")) : h("li", { class: "none" }, "Nothing."));
    const others = Object.values(state.devices).filter((one) => table && one.serial !== table.device);
    keyed(this.backups, others, (one) => one.serial, (one) => h("button", { onclick: () => act(() => post(`/tables/${theTable().id}/swap`, { device: one.serial, reason: "swapped at the bench" }), `${one.serial} deals from here on.`) }, `Put ${one.serial} in its place`));
    flag(this.title, "alarm", !!fault);
    attr(this.backups, "data-count", others.length);
    show(this.backups, others.length > 0);
  }
}
