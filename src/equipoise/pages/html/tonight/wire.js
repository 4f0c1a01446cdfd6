// What a device keeps, sends and hears: its keys, taps that are sent once, and the newest view.
import { device, kept, random, told } from "./device.js";
import { say } from "./page.js";

/** The evening of this page. */
export const evening = decodeURIComponent(location.pathname.split("/").filter(Boolean)[1] ?? "");

const given = new URLSearchParams(location.hash.slice(1));
const own = `equipoise:${evening}:`;
for (const [name, part] of [["o", "organiser"], ["k", "guests"]]) if (given.get(name)) kept.set(own + part, given.get(name));

/** Teams that the link holds, if any. @type {string[][] | null} */
export let linked = null;
try { if (given.get("t")) linked = JSON.parse(/** @type {string} */ (given.get("t"))); } catch { linked = null; }
if (evening && location.hash.length > 1) history.replaceState(null, "", location.pathname);

export const keys = { get organiser() { return kept.get(own + "organiser"); }, get guests() { return kept.get(own + "guests"); } };

/** The guests' link, which may be passed on. @param {string} [more] */
export const guestsLink = (more = "") => `${state.base || location.origin}/tonight/${evening}#k=${keys.guests ?? ""}${more}`;

/** What the page shows, and how it stands with the line. */
export const state = {
  /** @type {any} */ view: null,
  role: keys.organiser ? "organiser" : "guest", online: true, over: "", seat: "", note: "",
  /** @type {any} */ question: null,
  /** Where others open links, if not where this page is. */ base: "",
};

/** @type {() => void} */
let draw = () => {};

/** @param {() => void} drawn */
export function whenever(drawn) { draw = drawn; }

const auth = () => ({ Authorization: `Bearer ${(state.role === "organiser" && keys.organiser) || keys.guests || ""}` });

/** @param {string} path @param {any} [body] @param {boolean} [open] */
export async function ask(path, body, open = true) {
  const answer = await fetch(`/v1/tonight/${evening}${path}`, {
    method: body === undefined ? "GET" : "POST", headers: { ...auth(), ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
  });
  if (open && (answer.status === 401 || answer.status === 403)) await shut(answer);
  return answer;
}

/** A key that is no longer good: the organiser's gives way to the guests'. @param {Response} answer */
async function shut(answer) {
  if (state.role === "organiser" && keys.organiser) {
    kept.set(own + "organiser", null);
    state.role = "guest";
    if (keys.guests) return;
  }
  const problem = await answer.json().catch(() => ({}));
  state.over = problem.type?.endsWith("expired") || answer.status === 403 ? "expired" : keys.guests ? "wrong" : "no_key";
}

// Taps

/** Hours after which a tap that was never sent is of an evening that is over. */
const LONGEST_WAIT = 12;

/** What this device keeps: taps of other tabs too. @returns {any[]} */
function stored() {
  try { return JSON.parse(kept.get(own + "outbox") ?? "[]").filter((/** @type {any} */ each) => Date.now() - each.kept < 3.6e6 * LONGEST_WAIT); } catch { return []; }
}

/** @type {any[]} */
export const outbox = stored();
let sending = false;

/** Most taps that are sent together. */
const MOST = 32;

/** How many are: one where several were refused, until none is left, as one of them alone may be why. */
let together = MOST;

/** Keep no longer what was answered. @param {any[]} taps */
function forget(taps) {
  const ids = taps.map((each) => each.id);
  outbox.splice(0, taps.length);
  if (!outbox.length) together = MOST;
  kept.set(own + "outbox", JSON.stringify(stored().filter((each) => !ids.includes(each.id))));
}

/** Keep a tap, and send it as soon as that can be. @param {Record<string, any>} step */
export function tap(step) {
  state.note = "";
  state.question = null;
  const one = { id: random(8), ...step, kept: Date.now() };
  outbox.push(one);
  kept.set(own + "outbox", JSON.stringify([...stored(), one]));
  draw();
  void send();
}

/** Send what is kept, in order; what is not answered stays. */
export async function send() {
  if (sending || state.over) return;
  outbox.push(...stored().filter((each) => !outbox.some((one) => one.id === each.id)));
  if (!outbox.length) return;
  sending = true;
  try {
    const taps = outbox.slice(0, together);
    const answer = await ask("/taps", { device, taps: taps.map(({ kept: _, ...tap }) => tap) });
    if (answer.ok || answer.status === 409) {  // of taps whose ids were used the others are done all the same
      const said = await answer.json();
      forget(taps);
      for (const [at, each] of said.taps.entries()) {
        if (["refused", "conflict"].includes(each.status) || (each.status === "done" && each.why)) state.note = each.why;
        if (each.status === "asked") state.question = { why: each.why, tap: taps[at], ...each.more };
      }
      state.online = true;
    } else if ([408, 429].includes(answer.status) || answer.status >= 500) setTimeout(send, 1000);
    else if (![401, 403].includes(answer.status)) {  // it would be refused again, and hold up all behind it
      if (taps.length > 1) together = 1;
      else {
        forget(taps);
        state.note = say("not_taken");
      }
    }
  } catch {
    state.online = false;
    setTimeout(send, 3000);
  }
  sending = false;
  draw();
  if (outbox.length && state.online) setTimeout(send, 0);
}

// The newest view

let listening = 0;

/** Listen without end; whoever slept hears the newest view first. */
export async function listen() {
  const mine = ++listening;
  let pause = 300;
  while (mine === listening && !state.over) {
    const gone = new AbortController();
    let quiet = setTimeout(() => gone.abort(), 40_000);
    try {
      const answer = await fetch(`/v1/tonight/${evening}/stream`, {
        headers: { ...auth(), ...(state.view ? { "Last-Event-ID": String(state.view.revision) } : {}) }, signal: gone.signal, cache: "no-store",
      });
      if (answer.status === 401 || answer.status === 403) { await shut(answer); draw(); continue; }
      if (!answer.ok || !answer.body) throw new Error(String(answer.status));
      state.role = answer.headers.get("x-role") ?? state.role;
      state.base = answer.headers.get("x-reached-at") ?? "";
      state.online = true;
      pause = 300;
      void send();
      draw();
      await told(answer.body, (kind, data) => {
        if (kind === "over") state.over = "expired";
        if (kind !== "tonight") return;
        state.view = JSON.parse(data);
        kept.set(own + "view", data);
        draw();
      }, () => { clearTimeout(quiet); quiet = setTimeout(() => gone.abort(), 40_000); });
    } catch {
      state.online = false;
      draw();
    } finally { clearTimeout(quiet); gone.abort(); }
    await new Promise((go) => setTimeout(go, pause));
    pause = Math.min(2 * pause, 5000);
  }
  draw();
}

/** Hear at once what a phone that slept has missed. */
export function wake() {
  if (state.over) return;
  void listen();
  void send();
}

export const remembered = kept.get(own + "view");
if (remembered) try { state.view = JSON.parse(remembered); } catch { state.view = null; }

/** How others see this device, so that it knows its own seat; the service tells it once, and is asked again while it has no time. */
export async function seat() {
  const known = kept.get("equipoise:seat");
  if (known) return known;
  const answer = await ask("/seat", { device });
  if (answer.status === 429 || answer.status >= 500) throw new Error("later");
  if (!answer.ok) return "";
  const said = (await answer.json()).seat;
  kept.set("equipoise:seat", said);
  return said;
}
