// Certification from the page: what shuffles just now goes through a plan, in a process of its own, up to its report.

import { attr, capital, disable, flag, h, show, text } from "./dom.js";
import { del, download, post } from "./api.js";
import { state } from "./store.js";
import { act } from "./acting.js";

const SAID = { passed: "Passed", failed: "Failed", inconclusive: "Inconclusive", stopped: "Stopped", broken: "No verdict" };

export class CertificationPanel {
  constructor() {
    this.start = h("button", { class: "certify", onclick: () => this.begin() }, "Certify");
    this.stop = h("button", { class: "quiet", onclick: () => act(() => del(`/certifications/${this.run.id}`)) }, "Stop");
    this.save = h("button", { class: "quiet", onclick: () => act(() => download(`/certifications/${this.run.id}/report`, `certificate-${this.run.id}.html`)) }, "Save the report");
    this.bar = h("progress", { max: "1", value: "0", "aria-label": "Progress of the certification run" });
    this.stage = h("p", { class: "note stage" });
    this.verdict = h("p", { class: "verdict", role: "status" });
    this.places = h("p", { class: "note places" });
    this.node = h("section", { class: "card-panel certification", "aria-label": "Certification" },
      h("div", { class: "row spread" }, h("h2", {}, "Certify it"), h("div", { class: "row" }, this.start, this.stop, this.save)),
      this.bar, this.stage, this.verdict, this.places);
  }

  begin() {
    const mechanism = state.lab.subjects.find((one) => one.name === state.lab.subject).mechanism;
    act(() => post("/certifications", { mechanism, plan: "quick" }));
  }

  update() {
    const runs = Object.values(state.certifications);
    const run = (this.run = runs[runs.length - 1] || null);
    const running = !!run && run.state === "running";
    disable(this.start, running);
    show(this.stop, running);
    show(this.save, !!run && run.report);
    if (running && run.total) attr(this.bar, "value", String(Math.min(1, run.done / run.total)));
    else if (running) attr(this.bar, "value", null);
    else attr(this.bar, "value", run ? "1" : "0");
    text(this.stage, !run ? "The quick plan: 30,000 decks of what shuffles above, the generator's bits, planted defects that must be found." : `${run.id} · ${run.mechanism} · plan ${run.plan} · ${running ? run.stage + (run.total ? ` ${run.done.toLocaleString("en-US")} of ${run.total.toLocaleString("en-US")}` : "") : run.problem || `${(run.verdict || { decks: 0 }).decks.toLocaleString("en-US")} decks`}`);
    text(this.verdict, !run || running ? "" : SAID[run.state] || capital(run.state));
    flag(this.verdict, "good", !!run && run.state === "passed");
    flag(this.verdict, "bad", !!run && run.state === "failed");
    text(this.places, run && run.verdict ? run.verdict.where_to_look[0] || run.verdict.missing[0] || `${run.verdict.statistics} statistics, none rejected.` : "");
  }
}
