// The wire, decoded live: frame by frame, with filter, pause, bytes, copy as test vector, and how good the line is.

import { attr, flag, h, keyed, text } from "./dom.js";
import { download } from "./api.js";
import { state, theDevice } from "./store.js";
import { toast } from "./acting.js";

const SHOWN = 120;
const REDRAW_MS = 100; // nobody reads faster, and at × 50 every frame of the screen would bring new rows
const QUIET = new Set(["Ack", "Heartbeat", "Alive"]);

export class WireView {
  constructor(root) {
    this.filter = h("input", { type: "search", id: "filter", placeholder: "message, field or bytes", autocomplete: "off", oninput: () => this.update(true) });
    this.pause = h("button", { class: "quiet", "aria-pressed": "false", onclick: () => this.togglePause() }, "Pause");
    this.quiet = h("input", { type: "checkbox", id: "quiet", checked: true, onchange: () => this.update(true) });
    this.list = h("ol", { class: "frames", tabindex: "0", "aria-label": "Frames, newest first" });
    this.detail = h("div", { class: "detail" });
    this.figures = {};
    const figure = (name, label) => (this.figures[name] = h("b", {}, "0"), h("div", { class: "figure" }, this.figures[name], h("span", {}, label)));
    root.append(h("section", { class: "card-panel wire" },
      h("div", { class: "row spread" }, h("h2", {}, "On the wire"),
        h("div", { class: "row" }, h("label", { for: "filter" }, "Filter"), this.filter, h("label", { class: "check" }, this.quiet, "hide acknowledgements"), this.pause,
          h("button", { class: "quiet", onclick: () => download(`/devices/${theDevice().serial}/capture`, `${theDevice().serial}.pcapng`) }, "Save capture"))),
      h("div", { class: "figures" }, figure("frames", "frames"), figure("bytes", "bytes"), figure("again", "sent again"), figure("rate", "frames a second")),
      h("div", { class: "split wide" }, this.list, this.detail)));
    this.chosen = null;
    this.paused = null;
    this.drawn = { at: -REDRAW_MS, newest: null, serial: null };
    this.timer = 0;
    this.detail.append(h("p", { class: "note" }, "Choose a frame to see its fields and every byte of it."));
  }

  togglePause() {
    this.paused = this.paused ? null : state.frames.slice();
    attr(this.pause, "aria-pressed", String(!!this.paused));
    text(this.pause, this.paused ? "Go on" : "Pause");
    this.update(true);
  }

  update(atOnce = false) {
    const device = theDevice();
    if (!device) return;
    const newest = state.frames[state.frames.length - 1];
    const now = performance.now();
    if (!atOnce) {
      if (newest === this.drawn.newest && device.serial === this.drawn.serial) return;
      if (now - this.drawn.at < REDRAW_MS) {
        this.timer ||= setTimeout(() => this.update(true), REDRAW_MS);
        return;
      }
    }
    clearTimeout(this.timer);
    this.timer = 0;
    this.drawn = { at: now, newest, serial: device.serial };
    const all = (this.paused || state.frames).filter((one) => one.serial === device.serial);
    const wanted = this.filter.value.trim().toLowerCase();
    const frames = [];
    for (let at = all.length - 1; at >= 0 && frames.length < SHOWN; at--) {
      const one = all[at];
      if (this.quiet.checked && QUIET.has(one.message)) continue;
      if (wanted && !haystack(one).includes(wanted)) continue;
      frames.push(one);
    }
    keyed(this.list, frames, (one) => `${one.serial}-${one.number}`, (one) => {
      const button = h("button", { class: "frame", onclick: () => this.choose(one) },
        h("span", { class: "time" }, clockOf(one.at_us)), h("span", { class: `way ${one.way}`, "aria-label": one.way === "host" ? "to the device" : one.way === "device" ? "to the host" : "cable" }, one.way === "host" ? "→" : one.way === "device" ? "←" : "×"),
        h("b", {}, one.message || "unknown"), h("span", { class: "brief" }, brief(one)));
      return h("li", {}, button);
    }, (node, one) => flag(node, "chosen", this.chosen && this.chosen.number === one.number));
    const last = all[all.length - 1];
    text(this.figures.frames, (last ? last.number : 0).toLocaleString("en-US"));
    text(this.figures.bytes, all.reduce((sum, one) => sum + (one.line ? (one.line.length + 1) / 3 : 0), 0).toLocaleString("en-US"));
    text(this.figures.again, all.filter((one) => one.header && one.header.flags & 1).length);
    const span = all.length > 1 ? (all[all.length - 1].at_us - all[0].at_us) / 1e6 : 0;
    text(this.figures.rate, span > 0 ? Math.round(all.length / span).toLocaleString("en-US") : "0");
  }

  choose(one) {
    this.chosen = one;
    const bytes = (one.line || "").split(" ").filter(Boolean);
    const rows = [];
    for (let at = 0; at < bytes.length; at += 16) rows.push(`${at.toString(16).padStart(4, "0")}  ${bytes.slice(at, at + 16).join(" ")}`);
    const vector = { message: one.message, header: one.header, fields: one.fields, line: bytes.join("") };
    this.detail.replaceChildren(
      h("div", { class: "row spread" }, h("h3", {}, one.message || "Cable"),
        one.line ? h("button", { class: "quiet small", onclick: async () => {
          try {
            await navigator.clipboard.writeText(JSON.stringify(vector, null, 1));
            toast("Copied as a test vector.");
          } catch {
            toast("The browser did not allow the copy.", true);
          }
        } }, "Copy as test vector") : null),
      h("p", { class: "note" }, one.meaning || "The cable's end."),
      one.fields ? h("dl", { class: "fields" }, Object.entries({ ...one.header, ...one.fields }).map(([name, value]) => [h("dt", {}, name), h("dd", {}, shown(value))])) : null,
      h("pre", { class: "hex", tabindex: "0", "aria-label": "Bytes in hexadecimal" }, rows.join("\n")));
    this.update(true);
  }
}

function brief(one) {
  if (!one.fields) return one.sealed ? "sealed" : "";
  return Object.entries(one.fields).slice(0, 5).map(([name, value]) => `${name} ${shown(value, 18)}`).join("  ");
}
function shown(value, most = 64) {
  const said = typeof value === "object" ? JSON.stringify(value) : String(value);
  return said.length > most ? `${said.slice(0, most)}…` : said;
}
const found = new WeakMap();
function haystack(one) {
  if (!found.has(one)) found.set(one, `${one.message} ${JSON.stringify(one.fields || {})} ${one.line || ""}`.toLowerCase());
  return found.get(one);
}
function clockOf(us) {
  const when = new Date(us / 1000);
  return `${String(when.getMinutes()).padStart(2, "0")}:${String(when.getSeconds()).padStart(2, "0")}.${String(when.getMilliseconds()).padStart(3, "0")}`;
}
