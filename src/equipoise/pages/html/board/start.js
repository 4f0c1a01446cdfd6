// What the teams are taken along as, and the beginning of the page.
"use strict";

/** Signs that would call people or mark up text in a chat are made harmless. @param {string} name */
const inChat = (name) => name.replace(/@/g, "@\u200b").replace(/[`*_~|<>]/g, "\\$&").slice(0, 80);

/** The teams as a message. */
function chatOf() {
  const said = judged(state.labels);
  const teams = byPlayer(state.labels);
  const lines = said.chances.map((chance, team) => {
    const names = teams.flatMap((own, place) => (own === team ? [inChat(nameOf(place))] : []));
    const bots = said.bots[team] ? [say("bots_in", { count: said.bots[team] })] : [];
    return `${teamName(team)} (${percent(chance)}): ${[...names, ...bots].join(", ")}`;
  });
  return [...lines, $("status").textContent].join("\n");
}

/** The page's address with the request in its fragment. */
function linkOf() {
  const bytes = new TextEncoder().encode(JSON.stringify(dataOf(withLocks())));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return `${location.href.split("#")[0]}#${text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}`;
}

/** Read the request in the address; false where there is none. @returns {boolean} */
function fromLink() {
  const fragment = location.hash.slice(1);
  if (!fragment) return false;
  try {
    const text = atob(fragment.replace(/-/g, "+").replace(/_/g, "/"));
    fill(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0)))));
  } catch (error) {
    fault(new InputFault("link", { why: error instanceof InputFault ? error.message : "" }));
    return false;
  }
  return true;
}

/** Report who won to the service that served the page. @param {number} winner -1 for nobody */
async function report(winner) {
  const { players } = /** @type {Problem} */ (state.problem).request;
  const now = byPlayer(state.labels);
  const ids = judged(state.labels).chances.map((_, team) => players.filter((_one, place) => now[place] === team).map((one) => one.id));
  const body = { id: `board-${crypto.randomUUID()}`, game: "board", teams: ids, ranks: ids.map((_, team) => (winner < 0 || team === winner ? 1 : 2)) };
  try {
    const answer = await fetch(/** @type {string} */ (document.body.dataset.results), { method: "POST", body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${$("token").value}` } });
    const said = await answer.json();
    $("said").textContent = answer.ok ? say("reported") : say("not_reported", { why: printable(String(said.detail ?? said.title)) });
  } catch (error) {
    $("said").textContent = say("not_reported", { why: printable(String(error)) });
  }
}

/** @param {string} text */
async function copied(text) {
  const out = $("out");
  out.value = text;
  try {
    await navigator.clipboard.writeText(text);
    out.hidden = true;
    $("said").textContent = say("copied");
  } catch {
    out.hidden = false;
    out.select();
    $("said").textContent = say("copy_failed");
  }
}

/** What is done with the number of the button that was pressed in a list. @param {(at: number) => void} step */
const numbered = (step) => (/** @type {any} */ { target, currentTarget }) => {
  const at = [...currentTarget.querySelectorAll("button")].indexOf(target);
  if (at >= 0) step(at);
};

/** Wire the page. */
function start() {
  let later = 0;
  $("ask").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  $("ask").addEventListener("input", () => { clearTimeout(later); later = setTimeout(typed, 150); });
  $("ways").addEventListener("click", (/** @type {any} */ { target: { dataset: { way } } }) => {
    if (!way) return;
    const chosen = choicesOf(state.read), others = questionOf(way).filter((one) => one !== way);
    const kept = [...chosen].filter((one) => one !== way && !others.includes(one));
    state.read = [...kept, ...(chosen.has(way) ? [] : [way])].join() || null;
    typed();
  });
  for (const kind of ["click", "keydown", "pointerdown"]) $("board").addEventListener(kind, touched);
  $("alternatives").addEventListener("click", numbered((at) => { state.labels = state.others[at] ?? state.labels; show(); }));
  $("played")?.addEventListener("click", numbered((at) => report(at < judged(state.labels).chances.length ? at : -1)));
  $("solve").addEventListener("click", () => state.asked && attempt(() => solved(withLocks(), state.asked ?? undefined)));
  $("unlock").addEventListener("click", () => { state.locks.clear(); show(); });
  const takes = { copy: chatOf, link: linkOf, request: () => JSON.stringify(dataOf(withLocks()), null, 1) };
  for (const [id, text] of Object.entries(takes)) $(id).addEventListener("click", () => state.problem && copied(text()));
  $("print").addEventListener("click", () => print());
  addEventListener("pointermove", dragging);
  addEventListener("pointerup", (event) => letGo(event, true));
  addEventListener("pointercancel", (event) => letGo(event, false));
  addEventListener("hashchange", () => fromLink() && typed());
  if (fromLink() || !location.hash) typed();
}

if (typeof document !== "undefined") start();
