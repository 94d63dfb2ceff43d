// Small tools for building and changing the document; nothing here knows what the page shows.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "rect", "circle", "path", "text", "line", "polyline", "use", "defs", "title"]);

export function h(tag, props = {}, ...children) {
  const svg = SVG_TAGS.has(tag);
  const node = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "class") node.setAttribute("class", value);
    else if (name === "text") node.textContent = value;
    else if (!svg && name in node && typeof value !== "string") node[name] = value;
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : document.createTextNode(child));
  }
  return node;
}

export const $ = (selector, root = document) => root.querySelector(selector);

// Changes only what is different, so that nothing flickers and a screen reader is not told twice.
export function text(node, value) {
  const wanted = String(value ?? "");
  if (node.textContent !== wanted) node.textContent = wanted;
}
export function flag(node, name, on) {
  if (node.classList.contains(name) !== !!on) node.classList.toggle(name, !!on);
}
export function attr(node, name, value) {
  if (value === null || value === undefined || value === false) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else {
    const wanted = value === true ? "" : String(value);
    if (node.getAttribute(name) !== wanted) node.setAttribute(name, wanted);
  }
}
export function show(node, on) {
  if (node.hidden === !!on) node.hidden = !on;
}
export function disable(node, off) {
  if (node.disabled !== !!off) node.disabled = !!off;
}

// Keyed children: nodes that stay are kept, with their focus.
export function keyed(parent, items, key, make, update) {
  const known = parent.__keyed || (parent.__keyed = new Map());
  const wanted = new Set();
  let before = null;
  for (const item of items) {
    const id = String(key(item));
    wanted.add(id);
    let node = known.get(id);
    if (!node) {
      node = make(item);
      known.set(id, node);
    }
    const place = before ? before.nextSibling : parent.firstChild;
    if (place !== node) parent.insertBefore(node, place);
    if (update) update(node, item);
    before = node;
  }
  for (const [id, node] of known) {
    if (!wanted.has(id)) {
      node.remove();
      known.delete(id);
    }
  }
}

export function dollars(cents, signed = false) {
  const sign = cents < 0 ? "−" : signed && cents > 0 ? "+" : "";
  const whole = Math.floor(Math.abs(cents) / 100);
  const rest = Math.abs(cents) % 100;
  return `${sign}$${whole.toLocaleString("en-US")}${rest ? "." + String(rest).padStart(2, "0") : ""}`;
}

export const words = (name) => String(name ?? "").replaceAll("_", " ");
export const capital = (name) => words(name).replace(/^./, (c) => c.toUpperCase());
