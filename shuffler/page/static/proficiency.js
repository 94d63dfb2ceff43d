// The proficiency kit: score a laboratory's answers. The files are read in this browser; the bench checks the key.

import { flag, h, text } from "./dom.js";
import { post } from "./api.js";
import { act } from "./acting.js";

const BAR = 160;
const percent = (value) => `${(100 * value).toFixed(0)} %`;

const FILES = [["manifest", "Manifest", "manifest.json of the kit", ".json"], ["key", "Key", "the key file beside the kit", ".json"], ["answers", "Answers", "set, verdict, reason", ".csv"]];

export class ProficiencyPanel {
  constructor() {
    this.inputs = {};
    const rows = FILES.map(([name, label, about, kind]) => {
      this.inputs[name] = h("input", { type: "file", id: `kit-${name}`, accept: kind });
      return h("div", { class: "row kit-file" }, h("label", { for: `kit-${name}` }, h("b", {}, label), ` ${about}`), this.inputs[name]);
    });
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.rows = h("ul", { class: "tests plants" });
    this.node = h("section", { class: "card-panel proficiency", "aria-label": "Proficiency kit" },
      h("div", { class: "row spread" }, h("h2", {}, "Score a laboratory"), h("button", { class: "score", onclick: () => act(() => this.score()) }, "Score")),
      h("p", { class: "note" }, "Make a kit with ", h("code", {}, "shuffler proficiency make kit"), ". A bar is the share found, with its 95 % interval; the line is the predicted power."),
      rows, this.verdict, this.rows);
  }

  async score() {
    const files = {};
    for (const [name, label] of FILES) {
      const file = this.inputs[name].files[0];
      if (!file) throw new Error(`Choose a file for “${label}” first.`);
      files[name] = await file.text();
    }
    const manifest = parsed(files.manifest, "the manifest");
    const sealed = parsed(files.key, "the key");
    this.show(await post("/proficiency/score", { commitment: manifest.key_commitment, salt: sealed.salt, key: sealed.key, answers: answered(files.answers) }));
  }

  show(found) {
    const missing = found.unanswered.length ? ` ${found.unanswered.length} sets have no answer.` : "";
    text(this.verdict, `Found ${found.found.hits} of ${found.found.of} defects (${percent(found.found.low)} to ${percent(found.found.high)}), predicted ${percent(found.predicted)}. False alarms: ${found.false_alarms.hits} of ${found.false_alarms.of}.${missing}`);
    const agrees = found.plants.every((one) => one.agrees);
    flag(this.verdict, "good", agrees);
    flag(this.verdict, "bad", !agrees);
    this.rows.replaceChildren(...found.plants.map((one) => h("li", { class: one.agrees ? "" : "bad" }, h("i", { class: "l0" }), h("b", {}, one.plant), bar(one), h("em", {}, `${one.found.hits} of ${one.found.of}`))));
  }
}

function bar(one) {
  const { hits, of, low, high } = one.found;
  return h("svg", { viewBox: `0 0 ${BAR} 16`, class: "chart interval", preserveAspectRatio: "none", role: "img", "aria-label": `${one.what}: found ${percent(hits / of)}, ${percent(low)} to ${percent(high)}; predicted ${percent(one.predicted)}` },
    h("rect", { x: 0, y: 5, width: (BAR * hits) / of, height: 6, class: "share" }),
    h("line", { x1: BAR * low, x2: BAR * high, y1: 8, y2: 8, class: "grid" }),
    h("line", { x1: BAR * one.predicted, x2: BAR * one.predicted, y1: 1, y2: 15, class: "alarm" }));
}

function parsed(content, name) {
  try {
    return JSON.parse(content);
  } catch {
    throw new Error(`The file for ${name} is not JSON.`);
  }
}

// The rows of answers.csv: set, verdict, reason; a heading and empty lines are skipped.
function answered(content) {
  const rows = content.split(/\r?\n/).map((line) => line.split(",").map((cell) => cell.trim().replace(/^"|"$/g, "")));
  return rows.filter(([set]) => set && set !== "set").map(([set, verdict, ...because]) => ({ set, verdict, because: because.join(",").slice(0, 200) }));
}
