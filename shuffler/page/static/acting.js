// What every part of the page needs to act: say what went wrong, and know whether things may move.

import { $ } from "./dom.js";

let timer = 0;

export function toast(message, bad = false) {
  const node = $("#toast");
  node.textContent = message;
  node.classList.toggle("bad", bad);
  node.classList.add("on");
  clearTimeout(timer);
  timer = setTimeout(() => node.classList.remove("on"), 5000);
}

export async function act(action, said) {
  try {
    const result = await action();
    if (said) toast(said);
    return result;
  } catch (problem) {
    toast(problem.message, true);
    return null;
  }
}

export const motionOff = () => document.documentElement.dataset.motion === "off";
