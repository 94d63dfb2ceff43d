// The shuffler: its front panel as a dealer sees it, and a cut-away in which every card is where it really is.

import { attr, disable, flag, h, text, words } from "./dom.js";
import { actions, perform } from "./actions.js";
import { machineNow, theDevice } from "./store.js";
import { isRed, faceName, suitOf } from "./cards.js";
import { act, motionOff } from "./acting.js";

const W = 66; // of a card's edge
const EDGE = 2.1;

// Where piles stand in the drawing: left end, bottom, step from card to card, slope.
const PILES = {
  infeed: { x: 34, y: 148, dy: -2.05, tilt: -8 },
  stack: { x: 44, y: 300, dy: -2.05, tilt: 0 },
  rack: { x: 146, y: 250, dy: -2.5, tilt: 0 },
  play: { x: 247, y: 216, dy: -2.05, tilt: 0 },
  tray: { x: 262, y: 338, dy: -4.2, tilt: 4 },
  table: { x: 216, y: 407, dy: 0, dx: 4.6, tilt: 0 },
  aside: { x: 20, y: 407, dy: -0.9, tilt: 0 },
  dropped: { x: 150, y: 410, dy: -2, tilt: 20 },
};
const TO = { intake: ["infeed", "stack"], shuffle: ["stack", "rack"], sort: ["stack", "infeed"], read: ["stack", "stack"],
  deliver: ["play", "tray"], stub: ["play", "tray"] };
const HOME = { feeder: [104, 176], transport: [128, 296], compartment: [182, 140], exit: [282, 268], tray: [298, 322],
  door: [205, 46], motor: [116, 262], reader: [86, 214], random: [190, 300], memory: [210, 300], clock: [230, 300], power: [330, 398], cable: [346, 398] };
const SENSORS = [["infeed", 26, 96, "feeder"], ["next_deck", 132, 292, "stack"], ["play_deck", 326, 150, "deck in play"], ["tray", 338, 318, "tray"]];

export class Machine {
  constructor(root) {
    this.cards = new Map();
    this.top = h("div", { class: "line" });
    this.bottom = h("div", { class: "line second" });
    this.lights = {};
    for (const colour of ["green", "amber", "red"]) this.lights[colour] = h("i", { class: `lamp ${colour}` });
    this.lightText = h("span", { class: "sr", role: "status" });
    this.buttons = {};
    this.keys = h("div", { class: "keys", role: "group", "aria-label": "Panel buttons" });
    this.addKeys();
    this.serialText = h("span", { class: "serial" });
    this.model = h("h2", {}, "");
    this.svg = this.draw();
    this.xray = h("button", { class: "quiet small", "aria-pressed": "false", onclick: () => this.toggleXray() }, "X-ray");
    this.doing = h("p", { class: "doing" });
    this.switches = {
      power: h("button", { class: "switch", onclick: () => act(() => perform(theDevice().on ? "switch_off" : "switch_on")) }, h("i"), h("span", {}, "Power")),
      cable: h("button", { class: "switch", onclick: () => act(() => perform(theDevice().plugged ? "unplug" : "plug")) }, h("i"), h("span", {}, "Cable")),
      door: h("button", { class: "switch", onclick: () => act(() => perform(theDevice().sensors.door_open ? "close_door" : "open_door")) }, h("i"), h("span", {}, "Door")),
    };
    root.append(
      h("div", { class: "device" },
        h("div", { class: "badge" }, this.model, this.serialText),
        h("div", { class: "panel" },
          h("div", { class: "lcd", role: "img", "aria-label": "panel" }, this.top, this.bottom),
          h("div", { class: "lamps" }, Object.values(this.lights), this.lightText)),
        this.keys),
      h("div", { class: "cutaway" }, this.svg,
        h("div", { class: "below" }, this.doing, this.xray)),
      h("div", { class: "switches", role: "group", "aria-label": "Power, cable, door" }, Object.values(this.switches)));
    this.root = root;
    this.lcd = root.querySelector(".lcd");
    this.frame = this.frame.bind(this);
    this.running = false;
  }

  async addKeys() {
    const { press } = (await act(actions)) || {};
    if (!press) return;
    for (const button of press.parameters.properties.button.enum) {
      this.buttons[button] = h("button", { class: "key", onclick: () => act(() => perform("press", { button })) }, button);
      this.keys.append(this.buttons[button]);
    }
    this.update();
  }

  draw() {
    const label = (x, y, word, anchor = "start") => h("text", { x, y, class: "label", "text-anchor": anchor, text: word });
    this.cardLayer = h("g", { class: "edges" });
    this.sensorNodes = {};
    const sensors = SENSORS.map(([name, x, y, word]) => {
      const node = h("g", { class: "sensor" }, h("circle", { cx: x, cy: y, r: 4.2 }), h("title", { text: `${word} sensor` }));
      this.sensorNodes[name] = node;
      return node;
    });
    this.doorNode = h("path", { class: "door", d: "M120 40H300" });
    this.trouble = h("g", { class: "trouble" }, h("circle", { r: 15 }), h("path", { d: "M0 -7V2M0 6v.500" }));
    this.rollers = [[92, 170], [112, 180], [120, 300], [138, 300], [236, 236], [300, 262], [280, 262]].map(([x, y], at) =>
      h("g", { class: `roller r${at}`, transform: `translate(${x} ${y})` }, h("g", { class: "turn" }, h("circle", { r: 6.500 }), h("path", { d: "M0 -5V5M-5 0H5" }))));
    this.slots = h("g", { class: "slots" });
    return h("svg", { viewBox: "0 0 360 430", class: "inside", role: "img", "aria-label": "Cut-away of the shuffler with every card" },
      h("defs", {}),
      h("path", { class: "shell", d: "M10 66 L120 40 H330 Q344 40 344 56 V268 L352 350 Q352 364 338 364 H24 Q10 364 10 350 Z" }),
      h("path", { class: "floor", d: "M4 378H356" }),
      h("path", { class: "guide", d: "M30 154 L108 148 M104 186 V296 H40 M40 304 H118 M146 300 Q140 262 140 252 H216 M236 244 L246 226 M246 222 H322 M290 240 V262 Q290 300 266 330" }),
      this.slots, this.doorNode,
      label(112, 150, "FEEDER"), label(44, 316, "STACK"), label(146, 268, "SHUFFLED"), label(247, 234, "IN PLAY"), label(262, 354, "TRAY"),
      label(20, 424, "BESIDE"), label(216, 424, "TABLE"),
      this.rollers, this.cardLayer, sensors, this.trouble);
  }

  toggleXray() {
    this.showFaces = !this.showFaces;
    attr(this.xray, "aria-pressed", String(this.showFaces));
    flag(this.svg, "xray", this.showFaces);
    for (const [id, one] of this.cards) this.dress(id, one);
  }

  dress(id, one) {
    const device = theDevice();
    const face = device ? device.faces[id] : undefined;
    const known = typeof face === "number" && face < 52;
    attr(one.node, "class", this.showFaces && known ? `edge suit${suitOf(face)}` : "edge");
    text(one.title, this.showFaces && known ? faceName(face) : "a card");
    text(one.label, known ? faceName(face) : "");
    flag(one.label, "red", known && isRed(face));
  }

  update() {
    const device = theDevice();
    if (!device) return;
    text(this.model, device.model);
    text(this.serialText, `${device.serial} · ${device.profile}${device.seeded ? " · seeded" : ""}${device.rig.decks.length || Object.keys(device.rig.mechanism).length ? " · rigged" : ""}`);
    const panel = device.panel;
    text(this.top, panel.top || "\u00a0");
    text(this.bottom, panel.bottom ? panel.bottom.toUpperCase() : "\u00a0");
    attr(this.lcd, "aria-label", device.on ? `Panel: ${panel.top}. ${panel.bottom}` : "Panel: dark");
    flag(this.lcd, "dark", !device.on);
    flag(this.lcd, "alarm", panel.red);
    const lit = [];
    for (const colour of ["green", "amber", "red"]) {
      flag(this.lights[colour], "on", panel[colour]);
      if (panel[colour]) lit.push(colour);
    }
    text(this.lightText, lit.length ? `${lit.join(" and ")} light` : "no light");
    for (const [name, button] of Object.entries(this.buttons)) {
      const on = panel.buttons.includes(name);
      flag(button, "offered", on);
      disable(button, !device.on);
    }
    flag(this.switches.power, "on", device.on);
    attr(this.switches.power, "aria-pressed", String(device.on));
    flag(this.switches.cable, "on", device.plugged);
    attr(this.switches.cable, "aria-pressed", String(device.plugged));
    text(this.switches.cable.lastChild, device.plugged ? (device.connected ? "Cable · host on" : "Cable in") : "Cable out");
    const open = device.sensors.door_open;
    flag(this.switches.door, "on", !open);
    flag(this.switches.door, "warn", open);
    attr(this.switches.door, "aria-pressed", String(open));
    text(this.switches.door.lastChild, open ? "Door open" : "Door closed");
    attr(this.doorNode, "d", open ? "M120 40L270 -4" : "M120 40H300");
    for (const [name] of SENSORS) flag(this.sensorNodes[name], "on", device.sensors[name] && device.on);
    const fault = device.faults.reported[0];
    const place = fault ? HOME[fault.place] || HOME.transport : null;
    flag(this.trouble, "on", !!fault);
    if (place) attr(this.trouble, "transform", `translate(${place[0]} ${place[1]})`);
    const moving = device.motions[0];
    text(this.doing, !device.on ? "Switched off." : fault ? capitalised(fault.cause) + "." : moving ? MOTION_WORDS[moving.work] : device.clock.rate === 0 ? "Paused." : IDLE[device.sensors.call] || "Waiting for the host.");
    flag(this.svg, "busy", device.motions.length > 0 && device.clock.rate > 0);
    this.slotsFor(device);
    this.sync(device);
    this.start();
  }

  slotsFor(device) {
    const racked = device.kernel === "rack";
    const wanted = racked ? device.compartments : 0;
    if (this.slots.childElementCount === wanted) return;
    this.slots.replaceChildren(...Array.from({ length: wanted }, (_, at) => h("path", { class: "slot", d: `M142 ${252 - at * 14}H216` })));
  }

  sync(device) {
    const there = new Set();
    for (const place of Object.keys(PILES)) for (const id of device.places[place]) there.add(id);
    for (const id of there) {
      if (this.cards.has(id)) continue;
      const title = h("title", { text: "a card" });
      const label = h("text", { class: "name", x: W / 2, y: -3, "text-anchor": "middle" });
      const node = h("g", { class: "edge" }, h("rect", { width: W, height: EDGE, rx: 1 }), label, title);
      this.cardLayer.append(node);
      const one = { node, title, label, x: 150, y: 407, t: 0, fresh: true };
      this.cards.set(id, one);
      this.dress(id, one);
    }
    for (const [id, one] of this.cards) {
      if (there.has(id)) continue;
      one.node.remove();
      this.cards.delete(id);
    }
  }

  // Where every card should be drawn now: its place, or on its way by the law of the pass that moves it.
  targets(device) {
    const places = Object.fromEntries(Object.entries(device.places).map(([name, ids]) => [name, ids.slice()]));
    const now = machineNow(device);
    let flying = null;
    for (const motion of device.motions) {
      const way = TO[motion.work];
      if (!way || way[0] === way[1] || !motion.card_us) continue;
      const progress = Math.max(0, Math.min(motion.cards, (now - motion.start_us) / motion.card_us));
      const whole = Math.floor(progress);
      const moved = places[way[0]].splice(0, whole);
      places[way[1]].push(...moved);
      const part = progress - whole;
      if (places[way[0]].length && progress < motion.cards && now >= motion.start_us) flying = { id: places[way[0]][0], from: way[0], to: way[1], part, size: [places[way[0]].length, places[way[1]].length] };
    }
    const out = new Map();
    for (const [name, pile] of Object.entries(PILES)) {
      const ids = places[name];
      const count = ids.length;
      ids.forEach((id, at) => {
        // The next card to move lies on top of a pile, the first that came lies at the bottom of what grows.
        const level = name === "infeed" || name === "stack" || name === "play" ? count - 1 - at : at;
        const group = name === "rack" && device.kernel === "rack" ? Math.floor(at / 3) * 6.500 : 0;
        const dx = pile.dx ? (at % 26) * pile.dx * 0.62 + Math.floor(at / 26) * 3 : 0;
        const dy = pile.dx ? -Math.floor(at / 26) * 5 : 0;
        out.set(id, { x: pile.x + dx, y: pile.y + level * pile.dy - group + dy, t: pile.tilt, z: name });
      });
    }
    if (flying && out.has(flying.id)) {
      const from = out.get(flying.id);
      const pile = PILES[flying.to];
      const to = { x: pile.x, y: pile.y + flying.size[1] * pile.dy, t: pile.tilt };
      const k = flying.part * flying.part * (3 - 2 * flying.part);
      out.set(flying.id, { x: from.x + (to.x - from.x) * k, y: from.y + (to.y - from.y) * k - Math.sin(k * Math.PI) * 10, t: from.t + (to.t - from.t) * k, z: "flying" });
    }
    return out;
  }

  start() {
    if (this.running) return;
    this.running = true;
    requestAnimationFrame(this.frame);
  }

  frame() {
    const device = theDevice();
    if (!device || document.hidden) {
      this.running = false;
      return;
    }
    const ease = motionOff() ? 1 : 0.28;
    let unsettled = false;
    for (const [id, goal] of this.targets(device)) {
      const one = this.cards.get(id);
      if (!one) continue;
      if (one.fresh) Object.assign(one, { x: goal.x, y: goal.y, t: goal.t, fresh: false });
      else {
        one.x += (goal.x - one.x) * ease;
        one.y += (goal.y - one.y) * ease;
        one.t += (goal.t - one.t) * ease;
        if (Math.abs(goal.x - one.x) + Math.abs(goal.y - one.y) > 0.3) unsettled = true;
      }
      const place = `translate(${one.x.toFixed(1)} ${one.y.toFixed(1)}) rotate(${one.t.toFixed(1)})`;
      if (one.place !== place) {
        one.place = place;
        one.node.setAttribute("transform", place);
      }
      flag(one.node, "out", goal.z === "tray" || goal.z === "flying");
    }
    if (unsettled || (device.motions.length && device.clock.rate > 0)) requestAnimationFrame(this.frame);
    else this.running = false;
  }
}

const MOTION_WORDS = { intake: "Taking the deck in, card by card.", shuffle: "Shuffling: each card goes where chance sends it.", sort: "Sorting the deck into factory order.", read: "Reading every face.", deliver: "Delivering a hand to the tray.", stub: "Delivering the rest of the deck." };
const IDLE = { load_cards: "Waiting for a deck in the feeder.", take_group: "A hand lies in the tray: take it.", take_stub: "The rest of the deck lies in the tray: take it.", collect: "Round dealt: the dealer collects the cards.", take_sorted: "A sorted deck waits to be taken out.", attend: "Attention: see the display." };
const capitalised = (text) => words(text).replace(/^./, (c) => c.toUpperCase());
