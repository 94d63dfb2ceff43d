// What the server has said, and who wants to know. Nothing is computed here that two browsers could disagree about.

import { stream } from "./api.js";

export const state = {
  link: "connecting",
  devices: {},
  tables: {},
  frames: [],
  entries: [],
  lab: null,
  certifications: {}, // runs by id, oldest first
  device: null, // serial of the one that is looked at
  table: null,
  seen: 0, // when the device's view came, on this browser's clock
};
const KEEP_FRAMES = 600;
const listeners = new Set();
const doers = new Map();
let planned = false;

export function onChange(listener) {
  listeners.add(listener);
}
export function onKind(kind, doer) {
  if (!doers.has(kind)) doers.set(kind, []);
  doers.get(kind).push(doer);
}
export function changed() {
  if (planned) return;
  planned = true;
  requestAnimationFrame(() => {
    planned = false;
    for (const listener of listeners) listener(state);
  });
}

export const theDevice = () => state.devices[state.device] || null;
export const theTable = () => state.tables[state.table] || null;

function take(kind, said) {
  const { subject, data } = said;
  if (kind === "begin") {
    const known = new Set(said.devices);
    for (const serial of Object.keys(state.devices)) if (!known.has(serial)) delete state.devices[serial];
    if (said.missed) state.frames.length = 0;
    state.certifications = {};
  } else if (kind === "devices") {
    for (const serial of Object.keys(state.devices)) if (!data.includes(serial)) delete state.devices[serial];
  } else if (kind === "tables") {
    for (const name of Object.keys(state.tables)) if (!data.includes(name)) delete state.tables[name];
  } else if (kind === "device") {
    data.seenAt = performance.now();
    state.devices[subject] = data;
  } else if (kind === "table") {
    state.tables[subject] = data;
  } else if (kind === "frame") {
    state.frames.push({ serial: subject, ...data });
    if (state.frames.length > KEEP_FRAMES) state.frames.splice(0, state.frames.length - KEEP_FRAMES);
  } else if (kind === "randomness") {
    state.lab = data;
  } else if (kind === "certification") {
    state.certifications[subject] = data;
  } else if (kind === "certifications") {
    for (const id of Object.keys(state.certifications)) if (!data.includes(id)) delete state.certifications[id];
  }
  for (const doer of doers.get(kind) || []) doer(data, subject);
  const names = Object.keys(state.tables);
  if (!state.tables[state.table]) state.table = names[0] || null;
  const atTable = state.table ? state.tables[state.table].device : null;
  if (atTable && state.devices[atTable]) state.device = atTable;
  else if (!state.devices[state.device]) state.device = Object.keys(state.devices)[0] || null;
  changed();
}

export function connect() {
  stream(take, (link) => {
    state.link = link;
    changed();
  });
}

// The machine's clock as it runs on in between two messages.
export function machineNow(device) {
  if (!device || !device.on) return 0;
  return device.clock.machine_us + (performance.now() - device.seenAt) * 1000 * device.clock.rate;
}
