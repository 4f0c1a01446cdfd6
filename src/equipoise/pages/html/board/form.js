// The page: what is typed becomes a request, the request teams, and every touch of a player new numbers.
"use strict";

/**
 * @typedef {{text: string, read: string | null, asked: Asked | null, problem: Problem | null, status: string,
 *   labels: number[], best: number[], others: number[][], locks: Set<string>, picked: number, unknown: string[],
 *   within: number, prices: string[], drag: {place: number, x: number, y: number, ghost: HTMLElement | null} | null}} State
 */

/** @type {State} */
const state = { text: "", read: null, asked: null, problem: null, status: "", labels: [], best: [], others: [],
  locks: new Set(), picked: -1, unknown: [], within: 0, prices: [], drag: null };
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

/** A name without what would change the text around it. @param {string} name */
const printable = (name) => name.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (sign) =>
  ("\u200c\u200d".includes(sign) ? sign : `\\u${(/** @type {number} */ (sign.codePointAt(0))).toString(16).padStart(4, "0")}`));

/** @param {string} tag @param {Record<string, any>} [fields] @param {(Node | string)[]} children @returns {HTMLElement} */
function make(tag, fields = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(fields)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made) /** @type {any} */ (made)[key] = value;
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** @param {number} team */
const teamName = (team) => say("team", { number: team + 1 });
/** @param {number} place */
const nameOf = (place) => (state.asked ? printable(labelOf(state.asked.players[place])) : "");
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
  for (const [who, side] of pairsIn("sides")) players[placeOf(players, who)].side = numberIn(side, 0, 1, say("side")) ?? 0.5;
  for (const line of linesIn("plays")) {
    const [who, roles] = line.split(":");
    players[placeOf(players, who.trim())].roles = (roles ?? "").split(",").map((role) => role.trim()).filter((role) => role);
  }
  const weight = numberIn($("bot-weight").value, -1e15, 1e15, say("bot_weight"));
  const target = numberIn($("bots").value, 0, 1e6, say("bots"));
  return { players, teams: Number($("teams").value), parties: groupsIn("parties"), apart: groupsIn("apart"),
    fixed: pairsIn("fixed").map(([who, team]) => [who, Number(team) - 1]),
    bots: target === null ? null : { weight, minimum: 0, maximum: null, target: Math.floor(target) },
    roles: pairsIn("roles").map(([role, count]) => [role, numberIn(count, 0, 100, role) ?? 0]),
    objective: $("objective").value };
}

/** A request as plain data, as `--request` takes it. @param {Asked} asked */
function dataOf(asked) {
  const players = asked.players.map((one) => {
    const row = /** @type {Record<string, any>} */ (one.name ? { name: one.name } : {});
    if (one.id !== one.name) row.id = one.id;
    if (one.mu !== null) row[one.mu < 0 ? "mu" : "weight"] = one.mu;
    if (one.sigma) row.sigma = one.sigma;
    if (one.side !== 0.5) row.side = one.side;
    if (one.party !== null) row.party = one.party;
    if (one.team !== null) row.team = one.team + 1;
    if (one.roles.length) row.roles = one.roles;
    return row;
  });
  const fixed = Object.fromEntries(asked.fixed.map(([who, team]) => [who, team + 1]));
  const { parties, apart, bots, objective } = asked;
  const fields = { parties, apart, fixed, roles: Object.fromEntries(asked.roles) };
  const filled = Object.entries(fields).filter(([, value]) => Object.keys(value).length);
  return { players, teams: asked.teams, ...Object.fromEntries(filled), ...(bots ? { bots: cleaned(bots) } : {}), objective };
}

/** @param {Record<string, any>} fields */
const cleaned = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== 0));

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
  state.picked = -1;
  try {
    state.asked = askedInForm();
    state.locks = new Set();
    fault(null);
    solved(state.asked);
  } catch (error) {
    fault(error);
  }
}

/** Show what is wrong with what was typed; ask where it can be read in several ways. @param {any} error */
function fault(error) {
  const ways = error instanceof AmbiguousFault ? error.ways : [];
  $("fault").hidden = !error;
  $("fault").textContent = error ? printable(String(error.message)) : "";
  $("text").setAttribute("aria-invalid", String(Boolean(error)));
  $("ways").hidden = !ways.length && state.read === null;
  $("ways").replaceChildren(...(ways.length ? ways : READS).map((way) => make("button", { type: "button",
    "aria-pressed": String(state.read === way), onclick: () => { state.read = state.read === way ? null : way; typed(); } },
  say(`read_${way.replace("-", "_")}`))));
}
