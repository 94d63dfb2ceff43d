// Randomness, live: every card against every position, categories against exact odds, p-values as they grow.

import { attr, capital, flag, h, keyed, text } from "./dom.js";
import { put } from "./api.js";
import { state } from "./store.js";
import { act } from "./acting.js";
import { faceName } from "./cards.js";
import { CertificationPanel } from "./certification.js";

const SIDE = 520;
const ABOUT = {
  "card-by-position": "every card equally often at every position", "suit-by-position": "every suit equally often at every position",
  "input-adjacencies": "neighbours before the shuffle that are neighbours after", "input-rising-sequences": "rising sequences: the trace of a riffle",
  "input-by-position": "where a card lay against where it came to lie", "hand-categories": "hands of seven seats against exact odds",
  "suit-runs": "runs of one suit", "serial-correlation": "one deck against the next",
};

export class RandomView {
  constructor(root) {
    this.canvas = h("canvas", { width: SIDE, height: SIDE, role: "img", "aria-label": "Heat map: card by position" });
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.cell = h("p", { class: "note cell" }, "Each square is one card at one position. Grey is what chance gives; a pattern is what it does not.");
    this.subjects = h("div", { class: "subjects", role: "group", "aria-label": "What shuffles" });
    this.run = h("button", { class: "deal", onclick: () => act(() => put("/laboratory", { running: !state.lab.running })) }, "Shuffle");
    this.again = h("button", { class: "quiet", onclick: () => act(() => put("/laboratory", { subject: state.lab.subject, running: true })) }, "From no deck on");
    this.decks = h("b", { class: "digits" }, "0");
    this.verdict = h("p", { class: "verdict lab-verdict", role: "status" });
    this.categories = h("div", { class: "bars" });
    this.chart = h("svg", { viewBox: "0 0 600 240", class: "chart", role: "img", "aria-label": "p-values as decks are added, logarithmic" });
    this.tests = h("ul", { class: "tests" });
    this.certification = new CertificationPanel();
    root.append(h("div", { class: "split lab" },
      h("div", { class: "stack" }, h("section", { class: "card-panel" }, h("div", { class: "row spread" }, h("h2", {}, "Card × position"), h("div", { class: "figure" }, this.decks, h("span", {}, "decks shuffled"))), this.canvas, this.cell), this.certification.node),
      h("section", { class: "card-panel" }, h("h2", {}, "Rig it"), h("p", { class: "note" }, "The same battery that certifies the shuffler looks at each of these. What is wrong shows long before an eye could see it."), this.subjects,
        h("div", { class: "row" }, this.run, this.again), this.verdict,
        h("h3", {}, "p-values as decks are added"), this.chart, this.tests,
        h("h3", {}, "Hands against exact odds"), this.categories)));
    this.drawn = -1;
  }

  hover(event) {
    const lab = state.lab;
    if (!lab || !lab.decks) return;
    const box = this.canvas.getBoundingClientRect();
    const position = Math.min(51, Math.floor(((event.clientX - box.left) / box.width) * 52));
    const face = Math.min(51, Math.floor(((event.clientY - box.top) / box.height) * 52));
    const seen = lab.cells[position * 52 + face];
    text(this.cell, `${faceName(face)} at position ${position + 1}: ${seen.toLocaleString("en-US")} times, expected ${lab.expected.toFixed(1)}`);
  }

  update() {
    const lab = state.lab;
    if (!lab) return;
    this.certification.update();
    text(this.decks, lab.decks.toLocaleString("en-US"));
    text(this.run, lab.running ? "Stop" : lab.decks ? "Go on" : "Shuffle");
    keyed(this.subjects, lab.subjects, (one) => one.name, (one) => h("button", { class: "subject", "data-name": one.name, onclick: () => act(() => put("/laboratory", { subject: one.name, running: true })) }, h("b", {}, one.title), h("small", {}, one.about)),
      (node, one) => {
        flag(node, "on", one.name === lab.subject);
        attr(node, "aria-pressed", String(one.name === lab.subject));
      });
    text(this.verdict, !lab.decks ? "No deck yet." : lab.verdict === "defect" ? `Caught: ${lab.worst} says this can't be chance.` : `Nothing found in ${lab.decks.toLocaleString("en-US")} decks.`);
    flag(this.verdict, "bad", lab.verdict === "defect");
    if (this.drawn !== lab.decks || this.subject !== lab.subject) {
      this.drawn = lab.decks;
      this.subject = lab.subject;
      this.paint(lab);
      this.plot(lab);
    }
    const most = Math.max(...lab.categories.map((one) => one.expected), 1);
    keyed(this.categories, lab.categories, (one) => one.name, (one) => h("div", { class: "bar" }, h("span", { class: "name" }, capital(one.name)), h("span", { class: "track" }, h("i"), h("u")), h("span", { class: "n" })), (node, one) => {
      const scale = (value) => `${Math.max(0.4, Math.sqrt(value / most) * 100)}%`;
      node.children[1].children[0].style.width = scale(one.seen);
      node.children[1].children[1].style.left = scale(one.expected);
      const off = one.expected ? (100 * (one.seen - one.expected)) / one.expected : 0;
      text(node.lastChild, one.expected >= 1 ? `${one.seen.toLocaleString("en-US")} (${off >= 0 ? "+" : "−"}${Math.abs(off).toFixed(1)}%)` : "—");
    });
  }

  paint(lab) {
    const context = this.canvas.getContext("2d");
    const image = context.createImageData(52, 52);
    const spread = Math.sqrt(lab.expected || 1);
    for (let position = 0; position < 52; position++)
      for (let face = 0; face < 52; face++) {
        const z = lab.decks ? (lab.cells[position * 52 + face] - lab.expected) / spread : 0;
        const k = Math.max(-1, Math.min(1, z / 6));
        const at = (face * 52 + position) * 4;
        const base = 118;
        image.data[at] = k > 0 ? base + k * 130 : base + k * 84;
        image.data[at + 1] = base - Math.abs(k) * 46 + (k > 0 ? k * 40 : 0);
        image.data[at + 2] = k > 0 ? base - k * 100 : base - k * 130;
        image.data[at + 3] = 255;
      }
    const small = document.createElement("canvas");
    small.width = small.height = 52;
    small.getContext("2d").putImageData(image, 0, 0);
    context.imageSmoothingEnabled = false;
    context.drawImage(small, 0, 0, SIDE, SIDE);
  }

  plot(lab) {
    const most = Math.max(1, lab.decks);
    const y = (p) => 16 + (Math.min(20, -Math.log10(Math.max(p, 1e-20))) / 20) * 200;
    const x = (decks) => 40 + (decks / most) * 552;
    const lines = [0, 5, 10, 15, 20].map((power) => [h("line", { x1: 40, x2: 592, y1: 16 + power * 10, y2: 16 + power * 10, class: "grid" }), h("text", { x: 34, y: 20 + power * 10, "text-anchor": "end", class: "tick", text: power ? `10⁻${[...String(power)].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}` : "1" })]);
    lines.push(h("line", { x1: 40, x2: 592, y1: y(1e-6), y2: y(1e-6), class: "alarm" }));
    for (const [at, test] of lab.tests.entries()) {
      const points = lab.history.filter((one) => one.p[test.name] !== null && one.p[test.name] !== undefined).map((one) => `${x(one.decks).toFixed(1)},${y(one.p[test.name]).toFixed(1)}`);
      lines.push(h("polyline", { points: points.join(" "), class: `line l${at}` }));
    }
    this.chart.replaceChildren(...lines.flat());
    keyed(this.tests, lab.tests.map((one, at) => ({ ...one, at })), (one) => one.name, (one) => h("li", {}, h("i", { class: `l${one.at}` }), h("b", {}, one.name), h("span", {}, ABOUT[one.name] || ""), h("em", {})), (node, one) => {
      text(node.lastChild, one.p === null ? "too few" : one.p < 1e-4 ? `p ${one.p.toExponential(0)}` : `p ${one.p.toFixed(3)}`);
      flag(node, "bad", one.p !== null && one.p * lab.tests.length < 1e-6);
    });
  }
}
