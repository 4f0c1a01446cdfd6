// The page: what is typed becomes a request, the request teams, and every touch of a player new numbers.
"use strict";

/**
 * @typedef {{text: string, read: string | null, asked: Asked | null, problem: Problem | null, status: string,
 *   labels: number[], best: number[], others: number[][], locks: Set<string>, picked: number, unknown: string[], people: string,
 *   hand: number[] | null, within: number, prices: string[] | null, reported: {key: string, id: string, kept?: string} | null, drag: {place: number, x: number, y: number, ghost: HTMLElement | null} | null}} State
 */

/** @type {State} */
const state = { text: "", read: null, asked: null, problem: null, status: "", labels: [], best: [], others: [],
  locks: new Set(), picked: -1, unknown: [], people: "", hand: null, within: 0, prices: null, reported: null, drag: null };
const MOST_OTHERS = 6;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** A number with as many digits as help. @param {number} value */
function number(value) {
  if (Math.abs(value) >= 1e15) return value.toPrecision(4);
  if (Number.isInteger(value)) return String(value);
  return Math.abs(value) >= 1000 ? value.toFixed(1) : String(Number(value.toPrecision(4)));
}

/** @param {number} chance */
const percent = (chance) => `${(100 * chance).toFixed(Math.abs(chance - 0.5) < 0.0095 || chance < 0.01 ? 2 : 1)} %`;

const HIDDEN = new RegExp(String.raw`(${PASTES.joined})|[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]`, "gu");
/** A name without what would change the text around it. @param {string} name */
const printable = (name) => name.replace(HIDDEN, (sign, joined) =>
  joined ?? `\\u${(/** @type {number} */ (sign.codePointAt(0))).toString(16).padStart(4, "0")}`);

/** A copy of a template of the page. @param {string} id @returns {HTMLElement} */
const copyOf = (id) => $(id).content.firstElementChild.cloneNode(true);

/** The children of an element, which become as many copies of a template as are asked for: what stays is not
 * made anew, so that a browser lays out little and nobody loses the focus.
 * @param {string} id @param {number} count @param {string} template @returns {HTMLElement[]} */
function copies(id, count, template) {
  const parent = $(id);
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(copyOf(template));
  return [...parent.children];
}

/** Write a text where there is another. @param {Element} element @param {string} text */
function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** @param {string} id @param {string[]} lines @param {string} template */
const writeList = (id, lines, template) => copies(id, lines.length, template).forEach((one, at) => write(one.querySelector("button") ?? one, lines[at]));

/** @param {number} team */
const teamName = (team) => say("team", { number: team + 1 });
/** @param {number} place */
const nameOf = (place) => (state.problem ? printable(labelOf(state.problem.request.players[place])) : "");
/** The team of each player. @param {number[]} split @returns {number[]} */
const byPlayer = (split) => (state.problem ? state.problem.blockOf.map((block) => split[block]) : []);

// --- what is typed -----------------------------------------------------------------------------------------

/** @param {string} id @returns {string[]} */
const linesIn = (id) => $(id).value.split("\n").map((/** @type {string} */ line) => line.trim()).filter((/** @type {string} */ line) => line);
/** @param {string} id @returns {[string, string][]} */
const pairsIn = (id) => linesIn(id).map((line) => {
  const match = /^(.+?)\s*[\s:=,]\s*(\S+)$/su.exec(line);
  if (!match) throw new InputFault("pair", { line: quoted(line) });
  return [match[1].trim(), match[2]];
});
/** @param {string} id @returns {string[][]} */
const groupsIn = (id) => linesIn(id).map((line) => line.split(/\s*[,;+]\s*/).filter((name) => name));

/** The request that the form asks for. @returns {Asked} */
function askedInForm() {
  const players = readPaste($("text").value, state.read);
  writeList("heard", players.length ? readIn(players, heard) : [], "reason");
  for (const [who, side] of pairsIn("sides")) players[placeOf(players, who)].side = numberIn(side, 0, 1, say("side")) ?? 0.5;
  for (const line of linesIn("plays")) {
    const [who, roles] = line.split(":");
    players[placeOf(players, who.trim())].roles = (roles ?? "").split(",").map((role) => role.trim()).filter((role) => role);
  }
  const weight = numberIn($("bot-weight").value, -1e15, 1e15, say("bot_weight"));
  const target = numberIn($("bots").value, 0, 1e6, say("bots"));
  return { players, teams: Number($("teams").value), parties: groupsIn("parties"), apart: groupsIn("apart"),
    fixed: pairsIn("fixed").map(([who, team]) => [who, Number(team) - 1]),
    bots: target === null ? null : { weight, target },
    roles: pairsIn("roles").map(([role, count]) => [role, numberIn(count, 0, 100, role) ?? 0]),
    objective: $("objective").value };
}

/** The request with who is locked as fixed. @returns {Asked} */
function withLocks() {
  const asked = /** @type {Asked} */ (state.asked);
  const held = asked.players.flatMap((one, place) => (state.locks.has(one.id) && one.team === null &&
    !asked.fixed.some(([who]) => placeOf(asked.players, who) === place) ?
    [/** @type {[string, number]} */ ([one.id, byPlayer(state.labels)[place]])] : []));
  return { ...asked, fixed: [...asked.fixed, ...held] };
}

/** Write a request into the form. @param {any} data */
function fill(data) {
  const { request, unknown } = requestOf(data);
  build(request);
  const cell = (/** @type {any} */ value) => (/[",;\t|\n]|^\s|\s$/.test(String(value)) ? `"${String(value).replace(/"/g, '""')}"` : String(value));
  const has = (/** @type {(one: Player) => any} */ test) => request.players.some(test);
  const columns = /** @type {[string, (one: Player) => any][]} */ ([
    ["name", (one) => one.name || one.id], [has((one) => (one.mu ?? 0) < 0) ? "mu" : "weight", (one) => one.mu ?? ""],
    ...(has((one) => one.name && one.id !== one.name) ? [["id", (/** @type {Player} */ one) => one.id]] : []),
    ...(has((one) => one.sigma) ? [["sigma", (/** @type {Player} */ one) => one.sigma]] : []),
    ...(has((one) => one.side !== 0.5) ? [["side", (/** @type {Player} */ one) => one.side]] : []),
    ...(has((one) => one.party !== null) ? [["party", (/** @type {Player} */ one) => one.party ?? ""]] : []),
    ...(has((one) => one.team !== null) ? [["team", (/** @type {Player} */ one) => (one.team === null ? "" : one.team + 1)]] : []),
    ...(has((one) => one.roles.length) ? [["roles", (/** @type {Player} */ one) => one.roles.join(";")]] : []),
  ]);
  $("text").value = [columns.map(([name]) => name).join(","),
    ...request.players.map((one) => columns.map(([, value]) => cell(value(one))).join(","))].join("\n");
  $("teams").value = request.teams;
  $("objective").value = OBJECTIVES.includes(request.objective) ? request.objective : "spread";
  $("bots").value = request.bots ? request.bots.target : "";
  $("bot-weight").value = request.bots?.weight ?? "";
  $("parties").value = request.parties.map((group) => group.join(", ")).join("\n");
  $("apart").value = request.apart.map((group) => group.join(", ")).join("\n");
  $("fixed").value = request.fixed.map(([who, team]) => `${who} ${team + 1}`).join("\n");
  $("roles").value = request.roles.map(([role, count]) => `${role} ${count}`).join("\n");
  for (const id of ["sides", "plays"]) $(id).value = "";
  state.unknown = unknown;
}

/** Take in what is typed and solve it. */
function typed() {
  attempt(() => solved(askedInForm()));
}

/** Do something, and show what it finds to be at fault. @param {() => void} step */
function attempt(step) {
  try {
    step();
    fault(null);
  } catch (error) {
    fault(error);
  }
}

/** Show what is wrong with what was typed; ask where it can be read in several ways. @param {any} error */
function fault(error) {
  const ways = error instanceof AmbiguousFault ? error.ways : [];
  $("board").ariaBusy = "false";
  $("fault").hidden = !error;
  write($("fault"), error ? printable(String(error.message)) : "");
  $("text").setAttribute("aria-invalid", String(Boolean(error)));
  $("board").closest("section").classList.toggle("stale", Boolean(error));
  for (const id of ["copy", "link", "request", "print"]) $(id).disabled = Boolean(error);
  for (const button of $("played")?.querySelectorAll("button") ?? []) button.disabled = Boolean(error);
  const chosen = choicesOf(state.read);
  $("ways").hidden = !ways.length && state.read === null;
  for (const button of $("ways").children) {
    button.hidden = ways.length > 0 ? !ways.includes(button.dataset.way) : !questionOf(button.dataset.way).some((way) => chosen.has(way));
    button.ariaPressed = String(chosen.has(button.dataset.way));
  }
}
