// The control API: requests with the token, and the stream of what happens. All state of the page comes from here.

const ROOT = "/api/v1";

// The token is behind the #, which browsers never send; it stays in this tab and leaves the address bar.
function takeToken() {
  const said = new URLSearchParams(location.hash.slice(1));
  if (said.has("token")) {
    sessionStorage.setItem("token", said.get("token"));
    if (said.has("kiosk")) sessionStorage.setItem("kiosk", "1");
    history.replaceState(null, "", location.pathname + location.search);
  }
  return sessionStorage.getItem("token") || "";
}

export const token = takeToken();
export const kiosk = sessionStorage.getItem("kiosk") === "1";

export class Problem extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

export async function call(method, path, body) {
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(ROOT + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Problem(0, "The bench does not answer: is it still running?");
  }
  if (answer.status === 204) return null;
  const type = answer.headers.get("content-type") || "";
  const found = type.includes("json") && !type.includes("ndjson") ? await answer.json() : await answer.blob();
  if (!answer.ok) throw new Problem(answer.status, found.detail || `${answer.status}`);
  return found;
}
export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body ?? {});
export const put = (path, body) => call("PUT", path, body);
export const del = (path) => call("DELETE", path);

export async function download(path, name) {
  const found = await get(path);
  const blob = found instanceof Blob ? found : new Blob([JSON.stringify(found, null, 1)]);
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A line that has said nothing for so long is dead, whatever the socket thinks: the server sends a beat every 15 s.
export const line = { patience: 40000 };

// Server-sent events by fetch, because EventSource can't carry the token. Comes back by itself and catches up, also
// after the machine has slept: only the steady clock is asked, never the time of day.
export function stream(onEvent, onState) {
  let last = null;
  let wait = 250;
  let stopped = false;
  let heard = performance.now();
  let current = null;
  setInterval(() => {
    if (current && performance.now() - heard > line.patience) current.abort();
  }, 500);
  async function run() {
    while (!stopped) {
      try {
        onState("connecting");
        const headers = { authorization: `Bearer ${token}` };
        if (last !== null) headers["last-event-id"] = String(last);
        current = new AbortController();
        heard = performance.now();
        const answer = await fetch(`${ROOT}/events`, { headers, cache: "no-store", signal: current.signal });
        if (answer.status === 401) {
          onState("refused");
          return;
        }
        if (!answer.ok) throw new Problem(answer.status, "no stream");
        onState("live");
        wait = 250;
        const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (;;) {
          const { value, done } = await reader.read();
          if (done) break;
          heard = performance.now();
          rest += value;
          const blocks = rest.split("\n\n");
          rest = blocks.pop();
          for (const block of blocks) {
            let kind = null;
            let data = null;
            let number = null;
            for (const line of block.split("\n")) {
              if (line.startsWith("event: ")) kind = line.slice(7);
              else if (line.startsWith("id: ")) number = Number(line.slice(4));
              else if (line.startsWith("data: ")) data = JSON.parse(line.slice(6));
            }
            if (kind) {
              onEvent(kind, data);
              last = number;
            }
          }
        }
      } catch {
        /* the network's end is the same as the stream's */
      }
      current = null;
      onState("lost");
      await new Promise((go) => setTimeout(go, wait));
      wait = Math.min(wait * 2, 4000);
    }
  }
  run();
  return () => {
    stopped = true;
  };
}
