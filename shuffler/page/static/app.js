// The page: views, the machine's clock, light and dark, motion, tours. Everything it shows comes from the server.

import { $, attr, disable, flag, h, text } from "./dom.js";
import { kiosk, line, post, token } from "./api.js";
import { perform } from "./actions.js";
import { connect, onChange, state, theDevice, theTable } from "./store.js";
import { act, toast } from "./acting.js";
import { Machine } from "./machine.js";
import { TableView } from "./table.js";
import { FaultView } from "./faults.js";
import { WireView } from "./wire.js";
import { RandomView } from "./randomness.js";
import { CommitmentView } from "./commitment.js";
import { JournalView } from "./journal.js";
import { MonitorView } from "./monitor.js";
import { Guide, reading } from "./tours.js";

const VIEWS = [["machine", "Machine"], ["table", "Table"], ["faults", "Faults"], ["wire", "Wire"], ["randomness", "Randomness"], ["commitment", "Commitment"], ["journal", "Journal"], ["monitor", "Monitor"]];
const MAKERS = { table: TableView, faults: FaultView, wire: WireView, randomness: RandomView, commitment: CommitmentView, journal: JournalView, monitor: MonitorView };
const RATES = [1, 4, 20, 50];
const views = {};
let current = "table";
let lastRate = 4;

const machine = new Machine($("#machine"));

function open(name, focus = false) {
  current = name;
  document.body.dataset.view = name;
  for (const [id] of VIEWS) {
    const tab = $(`#tab-${id}`);
    const on = id === name;
    attr(tab, "aria-selected", String(on));
    tab.tabIndex = on ? 0 : -1;
    if (id !== "machine") $(`#view-${id}`).hidden = !on && !(name === "machine" && id === "table");
  }
  if (MAKERS[name] && !views[name]) views[name] = new MAKERS[name]($(`#view-${name}`));
  if (focus) $(`#tab-${name}`).focus();
  render();
}

for (const [name, label] of VIEWS) {
  $("#tabs").append(h("button", { role: "tab", id: `tab-${name}`, class: `tab tab-${name}`, "aria-controls": name === "machine" ? "machine" : `view-${name}`, onclick: () => open(name) }, label));
  if (name !== "machine") $("#stage").append(h("section", { class: `view view-${name}`, id: `view-${name}`, role: "tabpanel", "aria-labelledby": `tab-${name}`, hidden: true }));
}
$("#tabs").addEventListener("keydown", (event) => {
  const names = VIEWS.map(([name]) => name).filter((name) => $(`#tab-${name}`).offsetParent !== null);
  const at = names.indexOf(current);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  open(names[(to + names.length) % names.length], true);
});

// ------------------------------------------------------------------------------------------------------------ the clock

const everyDevice = (action) => act(() => Promise.all(Object.keys(state.devices).map(action)));
for (const rate of RATES) $("#rates").append(h("button", { class: "rate", "data-rate": String(rate), onclick: () => setRate(rate) }, `×${rate}`));
function setRate(rate) {
  if (rate) lastRate = rate;
  everyDevice((serial) => perform("run_at", { rate }, serial));
}
$("#pause").addEventListener("click", () => setRate(theDevice().clock.rate ? 0 : lastRate));
$("#step").addEventListener("click", () => act(() => perform("step")));

// ------------------------------------------------------------------------------------------------- light, dark, motion

const root = document.documentElement;
function applyTheme(theme) {
  root.dataset.theme = theme;
}
applyTheme(localStorage.getItem("theme") || "auto");
$("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme === "dark" || (root.dataset.theme === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  applyTheme(dark ? "light" : "dark");
  localStorage.setItem("theme", root.dataset.theme);
});
function applyMotion(off) {
  root.dataset.motion = off ? "off" : "on";
  attr($("#motion"), "aria-pressed", String(off));
}
applyMotion(localStorage.getItem("motion") === "off" || matchMedia("(prefers-reduced-motion: reduce)").matches);
$("#motion").addEventListener("click", () => {
  const off = root.dataset.motion !== "off";
  applyMotion(off);
  localStorage.setItem("motion", off ? "off" : "on");
  toast(off ? "Motion is off." : "Motion is on.");
});
$("#reset").addEventListener("click", () => act(() => post("/reset"), "The bench is as it was at the start."));

// --------------------------------------------------------------------------------------------------------------- tours

const guide = new Guide($("#guide"), open);
$("#tour").addEventListener("click", () => guide.choose());

// -------------------------------------------------------------------------------------------------------------- render

const LINK = { live: "live", connecting: "connecting", lost: "reconnecting", refused: "no token" };
function render() {
  const device = theDevice();
  text($("#link").lastChild, LINK[state.link]);
  attr($("#link"), "data-state", state.link);
  if (device) {
    const rate = device.clock.rate;
    if (rate) lastRate = rate;
    attr($("#pause"), "aria-pressed", String(rate === 0));
    flag($("#pause"), "paused", rate === 0);
    attr($("#pause"), "title", rate ? "Pause the machine" : "Let the machine run");
    for (const button of $("#rates").children) attr(button, "aria-pressed", String(Number(button.dataset.rate) === rate));
    machine.update();
  }
  disable($("#step"), !device);
  const view = views[current] || (current === "machine" ? views.table : null);
  if (view && (theTable() || current === "wire" || current === "randomness" || current === "faults")) view.update();
}

onChange(render);
views.table = new TableView($("#view-table"));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) render();
});
const named = new URLSearchParams(location.search).get("view");
open(VIEWS.some(([name]) => name === named) ? named : "table");
if (!token) {
  state.link = "refused";
  toast("Open the address that `shuffler live` printed: it carries the token.", true);
  render();
} else {
  connect();
  if (kiosk) guide.loop();
}
window.bench = { state, open, guide, line, reading }; // for the console and the tests
