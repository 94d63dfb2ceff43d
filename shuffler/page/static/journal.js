// The journal: every round that was played, replayed move by move, and exported; and whether its chain of hashes holds.

import { dollars, flag, h, keyed, text } from "./dom.js";
import { download, get } from "./api.js";
import { onKind, theTable } from "./store.js";
import { act, motionOff } from "./acting.js";

export class JournalView {
  constructor(root) {
    this.list = h("ol", { class: "rounds", "aria-label": "Rounds, newest first" });
    this.replayTitle = h("h2", {}, "Replay");
    this.steps = h("ol", { class: "replay", tabindex: "0", "aria-label": "Replay of a round" });
    this.verdict = h("p", { class: "verdict" });
    this.player = h("button", { onclick: () => this.play() }, "Play it again");
    this.stop = null;
    root.append(h("div", { class: "split" },
      h("section", { class: "card-panel" }, h("div", { class: "row spread" }, h("h2", {}, "Journal"), h("div", { class: "row" },
        h("button", { class: "quiet", onclick: () => this.verify() }, "Check the chain"),
        h("button", { class: "quiet", onclick: () => download(`/tables/${theTable().id}/journal/export`, `${theTable().id}.jsonl`) }, "Export"))), this.verdict, this.list),
      h("section", { class: "card-panel" }, h("div", { class: "row spread" }, this.replayTitle, this.player), this.steps)));
    this.known = null;
    onKind("entry", (entry) => {
      if (entry.op === "CloseRound" || entry.op === "DeclareMisdeal") this.known = null;
    });
    this.round = null;
  }

  update() {
    const view = theTable();
    if (!view) return;
    const key = `${view.id}:${view.settled}:${view.void}`;
    if (key === this.known || this.loading) return;
    this.loading = true;
    act(() => get(`/tables/${view.id}/journal/rounds?limit=100`)).then((rounds) => {
      this.loading = false;
      this.known = key;
      if (!rounds) return;
      keyed(this.list, rounds.length ? rounds : [{ id: "", outcome: "" }], (one) => one.id + one.outcome, (one) => one.id ? h("li", {}, h("button", { class: "roundline", onclick: () => this.open(one.id) },
        h("b", {}, one.id), h("span", { class: `outcome ${one.outcome}` }, one.outcome), h("span", {}, `${one.players} players`), h("span", { class: "paid" }, one.paid ? `${dollars(one.paid)} paid` : ""), h("time", {}, one.at.slice(11, 19)))) : h("li", { class: "none" }, "No round yet."));
    });
  }

  async verify() {
    const found = await act(() => get(`/tables/${theTable().id}/journal`));
    if (!found) return;
    text(this.verdict, found.holds ? `${found.records} records, each chained to the one before; head ${found.head.slice(0, 16)}…` : found.problem);
    flag(this.verdict, "good", found.holds);
    flag(this.verdict, "bad", !found.holds);
  }

  async open(id) {
    const found = await act(() => get(`/tables/${theTable().id}/journal/rounds/${id}`));
    if (!found) return;
    this.round = found;
    text(this.replayTitle, `Replay of ${id}`);
    this.show(found.replay.length);
  }

  play() {
    if (!this.round) return;
    clearInterval(this.stop);
    if (motionOff()) return this.show(this.round.replay.length);
    let at = 0;
    this.show(0);
    this.stop = setInterval(() => {
      at += 1;
      this.show(at);
      if (at >= this.round.replay.length) clearInterval(this.stop);
    }, 350);
  }

  show(upto) {
    const steps = this.round.replay.slice(0, upto).map((step, at) => ({ ...step, at }));
    keyed(this.steps, steps, (one) => `${this.round.id}-${one.at}`, (one) => h("li", {}, h("p", {}, one.text || one.op.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()),
      one.postings.length ? h("ul", {}, one.postings.map((posting) => h("li", {}, h("span", {}, `${posting.spot ? `seat ${posting.spot} ` : ""}${posting.what} ${posting.entry}`), h("b", {}, dollars(posting.amount)), h("em", {}, posting.clause)))) : null));
    this.steps.scrollTop = this.steps.scrollHeight;
  }
}
