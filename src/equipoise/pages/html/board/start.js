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
  const made = state.problem && state.labels.length && byHand() ? `.${byPlayer(state.labels).map((team) => team.toString(36)).join("")}` : "";
  return `${location.href.split("#")[0]}#${text.replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "")}${made}`;
}

/** Read the request in the address; false where there is none. @returns {boolean} */
function fromLink() {
  const [fragment, made] = location.hash.slice(1).split(".");
  if (!fragment) return false;
  try {
    const text = atob(fragment.replace(/-/g, "+").replace(/_/g, "/"));
    fill(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(text, (sign) => sign.charCodeAt(0)))));
  } catch (error) {
    fault(new InputFault("link", { why: error instanceof InputFault ? error.message : "" }));
    return false;
  }
  state.hand = made ? Array.from(made, (team) => parseInt(team, 36)) : null;
  return true;
}

/** Who is meant by names, as the service that served the page knows it. @param {string[]} names */
async function meant(names) {
  /** @typedef {{ id: string, name: string, weight: number }} Candidate */
  if (!document.body.dataset.people) return names.map((name) => ({ name, id: name, candidates: /** @type {Candidate[]} */ ([]) }));
  const answer = await fetch(`${document.body.dataset.people}who`, { method: "POST", headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ names, ruleset: $("ruleset").value }) });
  const data = await answer.json();
  if (!answer.ok) throw new Error(String(data.detail ?? data.title));
  return /** @type {{ name: string, id: string | null, candidates: Candidate[] }[]} */ (data.people);
}

/** The weights that the service knows, behind the names that were typed without one. */
async function rated() {
  const lines = $("text").value.split("\n");
  const bare = lines.filter((/** @type {string} */ line) => line.trim() && !/\s[\d.]+\s*$/.test(line));
  if (!bare.length) return;
  try {
    const found = new Map((await meant(bare.map((/** @type {string} */ line) => line.trim()))).map((one) => [one.name, one]));
    $("text").value = lines.map((/** @type {string} */ line) => {
      const one = found.get(line.trim());
      return one?.id ? `${line.trimEnd()} ${pointsOf(one.candidates[0])}` : line;
    }).join("\n");
    const open = [...found.values()].filter((one) => !one.id);
    const asks = open.filter((one) => one.candidates.length).map(question);
    const fresh = open.filter((one) => !one.candidates.length).map((one) => one.name);
    state.people = printable([...asks, fresh.length ? say("unknown_people", { names: fresh.join(", ") }) : ""].filter(Boolean).join(" "));
    $("said").textContent = state.people;
    typed();
  } catch (error) {
    $("said").textContent = printable(String(error));
  }
}

/** @param {{ name: string, candidates: { id: string, name: string }[] }} one */
const question = ({ name, candidates }) => say("several", { name, ids: candidates.map(({ id, name: last }) => (last === id ? id : `${id} (${last})`)).join(", ") });

/** Points, as every page has them. @param {{ weight: number }} one */
const pointsOf = ({ weight }) => Math.round(10 * weight);

/** Names that begin like the last line, as the service knows them. */
async function completed() {
  const last = $("complete").value.trim();
  if (last.length < 2) return;
  const answer = await fetch(`${document.body.dataset.people}players?limit=8&q=${encodeURIComponent(last)}`);
  if (!answer.ok) return;
  $("people").replaceChildren(...(await answer.json()).players.map((/** @type {{ id: string, name: string, weight: number }} */ one) => {
    const option = document.createElement("option");
    option.value = one.name || one.id;
    option.label = `${one.name || one.id} ${pointsOf(one)}`;
    return option;
  }));
}

/** Put the name that was chosen below the others, with its weight. */
function added() {
  const name = $("complete").value.trim();
  if (!name) return;
  $("text").value = `${$("text").value.trimEnd()}\n${name}`.trimStart();
  $("complete").value = "";
  void rated();
}

/** The rulesets that results may be of. */
async function rulesets() {
  const answer = await fetch(`${document.body.dataset.people}rulesets`);
  if (!answer.ok) return;
  $("ruleset").replaceChildren(...(await answer.json()).rulesets.map((/** @type {{ ruleset: string, game: string, game_type: string, mutators: string[] }} */ one) => {
    const option = document.createElement("option");
    option.value = option.textContent = one.ruleset;
    option.dataset.played = JSON.stringify({ game: one.game || "board", game_type: one.game_type, mutators: one.mutators });
    return option;
  }));
  const all = $("ruleset").options.length;
  if (all > 1) $("ruleset").selectedIndex = all - 1;
}

/** Report who won to the service that served the page; the same teams count once. @param {number} winner -1 for nobody */
async function report(winner) {
  const problem = /** @type {Problem} */ (state.problem);
  const { players } = problem.request;
  const now = byPlayer(state.labels);
  const teams = judged(state.labels).chances.map((_, team) => players.filter((_one, place) => now[place] === team).map((one) => one.id));
  rest(true);
  try {
    const people = await meant(teams.flat());
    const several = people.filter((one) => !one.id && one.candidates.length);
    if (several.length) {
      $("said").textContent = printable(several.map(question).join(" "));
      return rest(false);
    }
    const ids = new Map(people.map((one) => [one.name, one.id ?? one.name]));
    const key = namesOf(state.labels);
    if (state.reported?.key !== key) state.reported = { key, id: `board-${[...crypto.getRandomValues(new Uint32Array(4))].join("-")}` };
    const played = JSON.parse($("ruleset")?.selectedOptions[0]?.dataset.played ?? '{"game":"board"}');
    const body = { ...played, id: state.reported.id, teams: teams.map((team) => team.map((name) => ({ id: ids.get(name), name }))),
      ranks: teams.map((_, team) => (winner < 0 || team === winner ? 1 : 2)) };
    const answer = await fetch(/** @type {string} */ (document.body.dataset.results), { method: "POST", body: JSON.stringify(body),
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${$("token").value}` } });
    const said = await answer.json();
    const why = printable(String(said.detail ?? said.title));
    if (answer.ok) state.reported.kept = key;
    rest(answer.ok);
    $("said").textContent = !answer.ok ? say("not_reported", { why }) : !said.new ? say("reported_before")
      : said.new_players?.length ? `${say("reported")} ${say("new", { names: printable(said.new_players.join(", ")) })}` : say("reported");
  } catch (error) {
    rest(false);
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
  $("ask").addEventListener("input", () => { clearTimeout(later); state.people = ""; later = setTimeout(typed, 150); });
  $("ways").addEventListener("click", (/** @type {any} */ { target: { dataset: { way } } }) => {
    if (!way) return;
    const chosen = choicesOf(state.read), others = questionOf(way).filter((one) => one !== way);
    const kept = [...chosen].filter((one) => one !== way && !others.includes(one));
    state.read = [...kept, ...(chosen.has(way) ? [] : [way])].join() || null;
    typed();
  });
  for (const kind of ["click", "keydown", "pointerdown"]) $("board").addEventListener(kind, touched);
  $("alternatives").addEventListener("click", numbered((at) => { note(); state.labels = state.others[at] ?? state.labels; show(); }));
  $("played")?.addEventListener("click", numbered((at) => report(at < judged(state.labels).chances.length ? at : -1)));
  if (document.body.dataset.people) {
    void rulesets();
    $("complete").addEventListener("input", completed);
    $("complete").addEventListener("change", added);
    $("rated").addEventListener("click", rated);
  }
  $("jump").addEventListener("click", () => $("text").focus());
  $("solve").addEventListener("click", () => state.asked && attempt(() => { note(); solved(withLocks(), state.asked ?? undefined); }));
  $("unlock").addEventListener("click", () => { note(); state.locks.clear(); show(); });
  $("undo").addEventListener("click", () => back(past, ahead));
  $("redo").addEventListener("click", () => back(ahead, past));
  const takes = { copy: chatOf, link: linkOf, request: () => JSON.stringify(dataOf(withLocks()), null, 1) };
  for (const [id, text] of Object.entries(takes)) $(id).addEventListener("click", () => state.problem && copied(text()));
  $("print").addEventListener("click", () => print());
  addEventListener("pointermove", dragging);
  addEventListener("pointerup", (event) => letGo(event, true));
  addEventListener("pointercancel", (event) => letGo(event, false));
  addEventListener("hashchange", () => fromLink() && typed());
  if (fromLink() || !location.hash) typed();
}

// Names within the script are short once it is minified; these stay, for who asks it from outside.
Object.assign(globalThis, { AmbiguousFault, Contradiction, askedInForm, build, byPlayer, chatOf, chips, dataOf, exchanged,
  fill, judge, judged, linkOf, move, rated, readPaste, report, requestOf, say, showReasons, solve, state, tap, toggle,
  typed, verdictOf, violation, wholeOf, withLocks });
if (typeof document !== "undefined") start();
