// Tester actions: names, labels and choices come from the API's table; the page has none of its own.

import { get, post } from "./api.js";
import { act } from "./acting.js";
import { text } from "./dom.js";
import { theDevice } from "./store.js";

let table = null;
export const actions = () => (table ||= get("/actions").then((rows) => Object.fromEntries(rows.map((one) => [one.name, one])), (problem) => {
  table = null;
  throw problem;
}));

export const perform = (name, values = {}, serial = theDevice().serial) => post(`/devices/${serial}/actions/${name}`, values);

// Gives a button the action's label and description.
export async function label(node, name) {
  const one = ((await act(actions)) || {})[name];
  if (!one) return;
  text(node, one.label);
  node.title = one.about;
}
