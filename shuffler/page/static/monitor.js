// The monitor: evidence against a fair shuffle as a curve with its alarm level, from the present journal.

import { flag, h, keyed, text } from "./dom.js";
import { get } from "./api.js";
import { theTable } from "./store.js";
import { act } from "./acting.js";
import { ProficiencyPanel } from "./proficiency.js";

const WIDTH = 520;
const HEIGHT = 280;
const LEFT = 56;
const RIGHT = 12;
const TOP = 14;
const BOTTOM = 34;
const AGAIN_MS = 1000;
const LOWEST = -2; // log10 of the smallest evidence that is drawn

const number = (value) => value.toLocaleString("en-US");
const short = (value) => (value >= 1e6 ? value.toExponential(1) : value >= 100 ? number(Math.round(value)) : value.toPrecision(2));

export class MonitorView {
  constructor(root) {
    this.chart = h("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart evidence", role: "img", "aria-label": "Evidence against a fair shuffle, by rounds, logarithmic" });
    this.rounds = h("b", { class: "digits" }, "0");
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.about = h("p", { class: "note" });
    this.questions = h("ul", { class: "tests questions" });
    root.append(h("div", { class: "split" },
      h("section", { class: "card-panel" }, h("div", { class: "row spread" }, h("h2", {}, "Evidence"), h("div", { class: "figure" }, this.rounds, h("span", {}, "rounds watched"))), this.chart, this.verdict, this.about),
      h("section", { class: "card-panel" }, h("h2", {}, "Questions"), h("p", { class: "note" }, "Each question bets on the next card. A fair shuffle leaves every bet at 1 on average; a defect makes one of them grow."), this.questions,
        h("h3", {}, "What dealt cards don't show"), h("p", { class: "note" }, "The stub is never seen: its order, and any defect that stays inside it, can't be found here. Certification looks at whole decks.")), new ProficiencyPanel().node));
    this.known = null;
    this.waits = null;
  }

  update() {
    const view = theTable();
    if (!view || this.loading) return;
    const key = `${view.id}:${view.settled}:${view.void}`;
    if (key === this.known && !this.waits) return;
    this.loading = true;
    clearTimeout(this.waits);
    this.waits = null;
    act(() => get(`/tables/${view.id}/monitor`)).then((found) => {
      this.loading = false;
      this.known = key;
      if (!found) return;
      this.show(found);
      // A round is watched when its stub comes out, a moment after it is settled.
      const seen = found.devices.reduce((sum, one) => sum + one.rounds, 0);
      if (found.behind || seen < view.settled) this.waits = setTimeout(() => this.update(), found.behind ? 0 : AGAIN_MS);
    });
  }

  show(found) {
    const devices = found.devices;
    const one = devices.reduce((best, next) => (!best || next.peak > best.peak ? next : best), null);
    text(this.rounds, number(devices.reduce((sum, next) => sum + next.rounds, 0)));
    if (!one) {
      text(this.verdict, "No round yet.");
      text(this.about, `The alarm is raised at an evidence of ${number(found.threshold)}.`);
      this.plot([], found.threshold);
      return;
    }
    const alarm = devices.find((next) => next.alarmed);
    text(this.verdict, alarm ? `Alarm in ${alarm.alarm_in}: ${alarm.impossible[0] || alarm.questions[0].asks}` : `No alarm. Evidence ${short(one.evidence)}, alarm at ${number(found.threshold)}.`);
    flag(this.verdict, "bad", !!alarm);
    flag(this.verdict, "good", !alarm);
    text(this.about, `A fair shuffler raises this alarm with a probability of at most ${found.level}, however long it is watched.${one.rigged ? ` ${number(one.rigged)} rounds are marked as rigged.` : ""}${one.unusable ? ` ${number(one.unusable)} rounds not used: ${one.why_unusable}.` : ""}`);
    this.plot(devices, found.threshold);
    keyed(this.questions, one.questions, (question) => question.name, (question) => h("li", {}, h("i", { class: "l0" }), h("b", {}, question.name), h("span", {}), h("em", {})), (node, question) => {
      const top = question.top;
      text(node.children[2], top && top.trials ? `${top.cell}: ${number(top.seen)} seen, ${top.expected.toFixed(1)} expected` : question.asks);
      text(node.lastChild, short(question.evidence));
      flag(node, "bad", question.proven);
    });
  }

  plot(devices, threshold) {
    const most = Math.max(10, ...devices.map((one) => one.rounds));
    const highest = Math.max(Math.log10(threshold) + 1, ...devices.map((one) => Math.log10(one.peak) + 0.5));
    const x = (rounds) => LEFT + (rounds / most) * (WIDTH - LEFT - RIGHT);
    const y = (value) => TOP + ((highest - Math.max(LOWEST, Math.log10(Math.max(value, 1e-300)))) / (highest - LOWEST)) * (HEIGHT - TOP - BOTTOM);
    const step = Math.max(1, Math.ceil((highest - LOWEST) / 8));
    const nodes = [];
    for (let power = LOWEST; power <= highest; power += step) {
      const at = y(10 ** power);
      nodes.push(h("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: at, y2: at, class: "grid" }), h("text", { x: LEFT - 6, y: at + 4, "text-anchor": "end", class: "tick", text: power >= 0 && power < 4 ? number(10 ** power) : power < 0 ? String(10 ** power) : `1e${power}` }));
    }
    for (const share of [0, 0.5, 1]) nodes.push(h("text", { x: x(share * most), y: HEIGHT - 12, "text-anchor": share === 0 ? "start" : share === 1 ? "end" : "middle", class: "tick", text: `${number(Math.round(share * most))}${share === 1 ? " rounds" : ""}` }));
    const limit = y(threshold);
    nodes.push(h("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: limit, y2: limit, class: "alarm" }), h("text", { x: LEFT + 6, y: limit - 6, class: "tick", text: `alarm at ${number(threshold)}` }));
    for (const [at, one] of devices.entries()) nodes.push(h("polyline", { points: one.curve.map(([rounds, value]) => `${x(rounds).toFixed(1)},${y(value).toFixed(1)}`).join(" "), class: `line l${at % 8}` }));
    this.chart.replaceChildren(...nodes);
  }
}
