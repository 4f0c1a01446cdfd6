// The page: what is typed becomes a request, the request teams, and every touch of a player new numbers.
"use strict";

/**
 * @typedef {{text: string, read: string | null, asked: Asked | null, problem: Problem | null, status: string,
 *   labels: number[], best: number[], others: number[][], locks: Set<string>, picked: number, unknown: string[],
 *   within: number, drag: {place: number, x: number, y: number, ghost: HTMLElement | null} | null}} State
 */

/** @type {State} */
const state = { text: "", read: null, asked: null, problem: null, status: "", labels: [], best: [], others: [],
  locks: new Set(), picked: -1, unknown: [], within: 0,
  drag: null };
const MOST_OTHERS = 6;

/** @param {string} id @returns {any} */
const $ = (id) => document.getElementById(id);

/** A text of the catalogue with its gaps filled. @param {string} key @param {Record<string, any>} [gaps] */
const say = (key, gaps = {}) => TEXTS[key].replace(/\{(\w+)\}/g, (_, gap) => String(gaps[gap]));

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
  if (!match) throw new InputFault(`${quoted(line)}: write a name and a number`);
  return [match[1].trim(), match[2]];
});
/** @param {string} id @returns {string[][]} */
const groupsIn = (id) => linesIn(id).map((line) => line.split(/\s*[,;+]\s*/).filter((name) => name));

/** The request that the form asks for. @returns {Asked} */
function askedInForm() {
  const players = readPaste($("text").value, state.read);
  for (const [who, side] of pairsIn("sides")) players[placeOf(players, who)].side = numberIn(side, 0, 1, "side") ?? 0.5;
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

// --- solving -----------------------------------------------------------------------------------------------

/** Solve a request and show it. @param {Asked} asked */
function solved(asked) {
  state.problem = build(asked);
  const { status, labels, within } = solve(state.problem, MOST_OTHERS + 1);
  state.status = status;
  [state.best, ...state.others] = labels.length ? labels : [[]];
  state.labels = state.best;
  state.within = within;
  show();
  if (document.body.dataset.server && (status !== "optimal" || state.unknown.length)) void askServer(asked);
}

/** Ask the service that served the page for what is not proven here. @param {Asked} asked */
async function askServer(asked) {
  try {
    const answer = await fetch(/** @type {string} */ (document.body.dataset.server), { method: "POST",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify(dataOf(asked)) });
    const data = await answer.json();
    if (!answer.ok || asked !== state.asked || !state.problem || !data.splits?.length) return;
    const ids = data.splits[0].teams.map((/** @type {string[]} */ team) => new Set(team));
    const labels = state.problem.blocks.map((block) => ids.findIndex((/** @type {Set<string>} */ team) => team.has(asked.players[block.players[0]].id)));
    if (labels.includes(-1)) return;
    if (data.status !== "optimal" && !(betterThan(labels, state.best) || state.unknown.length)) return;
    state.best = state.labels = labels;
    state.status = data.status === "optimal" ? "server" : "server_found";
    show();
  } catch {
    // Without the service the page says what it found itself.
  }
}

/** Whether a split is judged better than another. @param {number[]} one @param {number[]} other */
function betterThan(one, other) {
  if (!other.length) return true;
  const sign = state.asked?.objective === "ratio" ? -1 : 1;
  return sign * judged(one).value < sign * judged(other).value;
}

/** @param {number[]} labels */
const judged = (labels) => judge(/** @type {Problem} */ (state.problem), labels);
/** @param {number[]} chances */
const chancesIn = (chances) => chances.map(percent).join(" : ");

/** What would change from one split to another, in words. @param {number[]} from @param {number[]} to */
function changeOf(from, to) {
  const k = state.asked ? state.asked.teams : 2;
  const [before, after] = [byPlayer(from), byPlayer(to)];
  const turned = k === 2 ? [after, after.map((team) => 1 - team)] : [after];
  const moves = turned.map((teams) => before.flatMap((team, place) => (team === teams[place] ? [] : [place])));
  const least = moves.reduce((a, b) => (b.length < a.length ? b : a));
  const names = (/** @type {boolean} */ first) => least.filter((place) => (before[place] === before[least[0]]) === first).map(nameOf).join(", ");
  return names(false) ? say("exchange", { one: names(true), other: names(false) }) : names(true);
}

// --- showing -----------------------------------------------------------------------------------------------

/** Show the teams, the numbers and the reasons. */
function show() {
  const { problem, labels, best, status } = state;
  if (!problem || !state.asked) return;
  const { objective } = state.asked;
  const none = !labels.length;
  const value = none ? "" : number(judged(labels).value);
  const hand = !none && signature(problem, labels) !== signature(problem, best);
  const key = none ? status : hand ? "by_hand" : { optimal: "proven", server: "server", server_found: "server_found" }[status] ?? "found";
  $("status").textContent = say(key, { objective, value, best: hand ? number(judged(best).value) : "" });
  const left = state.unknown.length ? say("unsupported", { fields: state.unknown.map(printable).join(", ") }) : "";
  const broken = none ? 0 : violation(problem, labels);
  $("said").textContent = broken ? say("breaks", { count: broken }) : left;
  const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset?.place;
  $("board").replaceChildren(...(none ? [] : teamCards()));
  if (focused !== undefined) /** @type {HTMLElement | null} */ (document.querySelector(`.player[data-place="${focused}"]`))?.focus();
  $("why").replaceChildren(...(none ? [] : reasons(hand)).map((words) => make("li", {}, words)));
  $("alternatives").replaceChildren(...state.others.map((other, at) => make("li", {}, make("button", { type: "button",
    onclick: () => { state.labels = other; show(); } }, nextWords(other, at)))));
  $("played")?.replaceChildren(...(none ? [] : [...judged(labels).chances.keys(), -1]).map((team) => make("button", { type: "button",
    onclick: () => report(team) }, team < 0 ? say("drew") : say("won", { team: teamName(team) }))));
  history.replaceState(null, "", linkOf());
}

/** @param {number[]} other @param {number} at */
function nextWords(other, at) {
  const said = judged(other);
  const far = at + 1 >= state.within ? `, ${say("beyond")}` : "";
  return `${changeOf(state.best, other)}: ${state.asked?.objective} ${number(said.value)}, ${chancesIn(said.chances)}${far}`;
}

/** @returns {HTMLElement[]} */
function teamCards() {
  const said = judged(state.labels);
  const teams = byPlayer(state.labels);
  return said.chances.map((chance, team) => {
    const members = teams.map((_, place) => place).filter((place) => teams[place] === team)
      .sort((a, b) => (state.problem?.mu[b] ?? 0) - (state.problem?.mu[a] ?? 0));
    const facts = [["total", said.totals], ["mean", said.means], ["deviation", said.deviations]];
    const bots = said.bots[team];
    return make("section", { className: "team", "data-team": team, "aria-label": teamName(team) },
      make("header", {}, make("h3", {}, teamName(team)), make("span", { className: "chance", title: say("chance") }, percent(chance))),
      make("meter", { min: 0, max: 1, value: chance, "aria-label": `${teamName(team)}: ${say("chance")}` }),
      make("dl", {}, ...facts.map(([key, numbers]) => make("div", {}, make("dt", {}, say(String(key))), make("dd", {}, number(Number(numbers[team])))))),
      make("ul", {}, ...members.map(chip)),
      ...(bots ? [make("p", { className: "bots" }, bots === 1 ? say("one_bot") : say("bots_in", { count: bots }))] : []),
      ...(state.picked >= 0 && teams[state.picked] !== team ?
        [make("button", { type: "button", className: "move", onclick: () => move(state.picked, team) }, say("move_here", { name: nameOf(state.picked) }))] : []));
  });
}

/** @param {number} place @returns {HTMLElement} */
function chip(place) {
  const { players } = /** @type {Asked} */ (state.asked);
  const locked = state.locks.has(players[place].id);
  const grip = make("span", { className: "grip", "aria-hidden": "true", onpointerdown: (/** @type {PointerEvent} */ event) => grab(event, place) }, "⠿");
  const name = make("bdi", {}, nameOf(place));
  const button = make("button", { type: "button", className: "player", "data-place": place, "aria-pressed": String(state.picked === place),
    onclick: () => tap(place), onkeydown: (/** @type {KeyboardEvent} */ event) => pressed(event, place),
    onpointerdown: (/** @type {PointerEvent} */ event) => event.pointerType === "mouse" && grab(event, place) },
  name, make("span", {}, number(state.problem?.mu[place] ?? 0)));
  const lock = make("button", { type: "button", className: "lock no-print", "aria-pressed": String(locked),
    "aria-label": say("lock", { name: nameOf(place) }), onclick: () => toggle(place) }, padlock(locked));
  return make("li", { "data-place": place }, grip, button, lock);
}

/** @param {boolean} closed @returns {Node} */
const padlock = (closed) => $(closed ? "closed" : "open").content.cloneNode(true);

/** Why these teams: the numbers, the next best, what rules cost, and what is assumed. @param {boolean} hand @returns {string[]} */
function reasons(hand) {
  const problem = /** @type {Problem} */ (state.problem);
  const asked = /** @type {Asked} */ (state.asked);
  const said = judged(state.labels);
  const { objective } = asked;
  const words = [say("reason_chances", { chances: chancesIn(said.chances), difference: number(said.difference) })];
  if (objective === "spread" && !hand && state.status === "optimal") {
    words.push(say("reason_spread", { tolerance: percent(problem.units.tolerance), spread: number(said.spread) }));
  }
  if (state.others.length && !hand) {
    const next = judged(state.others[0]);
    words.push(say("reason_next", { change: changeOf(state.best, state.others[0]), objective, value: number(next.value), chances: chancesIn(next.chances) }));
  }
  if (state.picked >= 0) words.push(...whyThere(state.picked));
  if (state.status === "optimal" && !hand) words.push(...priced(asked));
  words.push(say("reason_noise", { beta: number(problem.units.beta) }));
  return words;
}

/** What the best teams are with a player elsewhere. @param {number} place @returns {string[]} */
function whyThere(place) {
  const asked = withLocks();
  const here = byPlayer(state.labels)[place];
  const teams = Array.from({ length: asked.teams }, (_, team) => team).filter((team) => team !== here).slice(0, 3);
  return teams.map((team) => {
    const gaps = { name: nameOf(place), team: teamName(team), objective: asked.objective };
    const free = asked.fixed.filter(([who]) => placeOf(asked.players, who) !== place);
    try {
      // Somebody of the team is held where they are, so that the teams keep their numbers.
      const problem = build({ ...asked, fixed: [...free, [asked.players[place].id, team]] });
      const { labels } = solve(problem);
      if (!labels.length) return say("reason_never", gaps);
      const said = judge(problem, labels[0]);
      return say("reason_there", { ...gaps, value: number(said.value), chances: chancesIn(said.chances) });
    } catch {
      return say("reason_never", gaps);
    }
  });
}

/** What rules cost: how much more even the best chances are without each. @param {Asked} asked @returns {string[]} */
function priced(asked) {
  const { players } = asked;
  const list = (/** @type {string[]} */ names) => names.map(printable).join(` ${say("and")} `);
  const tags = [...new Set(players.map((one) => one.party).filter((party) => party !== null))];
  const without = (/** @type {string | null} */ party) => players.map((one) => (one.party === party ? { ...one, party: null } : one));
  const rules = /** @type {[string, Asked][]} */ ([
    ...tags.map((tag) => [say("rule_together", { names: list(players.filter((one) => one.party === tag).map(labelOf)) }), { ...asked, players: without(tag) }]),
    ...asked.parties.map((group, at) => [say("rule_together", { names: list(group) }), { ...asked, parties: asked.parties.filter((_, one) => one !== at) }]),
    ...asked.apart.map((group, at) => [say("rule_apart", { names: list(group) }), { ...asked, apart: asked.apart.filter((_, one) => one !== at) }]),
    ...asked.fixed.map(([who, team], at) => [say("rule_fixed", { names: list([who]), team: teamName(team) }), { ...asked, fixed: asked.fixed.filter((_, one) => one !== at) }]),
  ]);
  if (!rules.length || rules.length > 8) return [];
  const now = judged(state.best).imbalance;
  const costs = rules.map(([rule, free]) => {
    const problem = build(free);
    const { labels } = solve(problem);
    return { rule, cost: labels.length ? now - judge(problem, labels[0]).imbalance : 0 };
  });
  const dear = costs.filter(({ cost }) => cost >= 0.001);
  return dear.length ? dear.map(({ rule, cost }) => say("reason_rule", { rule, cost: percent(cost) })) : [say("reason_free")];
}

// --- moving ------------------------------------------------------------------------------------------------

/** Say what happened. @param {string} key @param {Record<string, any>} gaps */
function tell(key, gaps) {
  const broken = state.problem ? violation(state.problem, state.labels) : 0;
  $("said").textContent = `${say(key, gaps)} ${broken ? say("breaks", { count: broken }) : ""}`.trim();
}

/** Move a player, and the party along, to a team. @param {number} place @param {number} team */
function move(place, team) {
  const problem = /** @type {Problem} */ (state.problem);
  const name = nameOf(place);
  state.picked = -1;
  if (state.locks.has(problem.request.players[place].id)) return show(), tell("is_locked", { name, team: teamName(byPlayer(state.labels)[place]) });
  state.labels = state.labels.map((now, block) => (block === problem.blockOf[place] ? team : now));
  show();
  tell("moved", { name, team: teamName(team) });
}

/** Exchange two players, and their parties along. @param {number} one @param {number} other */
function swap(one, other) {
  const { blockOf, request } = /** @type {Problem} */ (state.problem);
  const held = [one, other].find((place) => state.locks.has(request.players[place].id));
  const teams = byPlayer(state.labels);
  state.picked = -1;
  if (held !== undefined) return show(), tell("is_locked", { name: nameOf(held), team: teamName(teams[held]) });
  state.labels = state.labels.map((now, block) => (block === blockOf[one] ? teams[other] : block === blockOf[other] ? teams[one] : now));
  show();
  tell("swapped", { name: nameOf(one), other: nameOf(other) });
}

/** Pick up, put down or exchange. @param {number} place */
function tap(place) {
  const teams = byPlayer(state.labels);
  if (state.picked >= 0 && teams[state.picked] !== teams[place]) return swap(state.picked, place);
  state.picked = state.picked === place ? -1 : place;
  show();
  tell(state.picked < 0 ? "dropped" : "picked", { name: nameOf(place) });
}

/** @param {number} place */
function toggle(place) {
  const { id } = /** @type {Asked} */ (state.asked).players[place];
  if (!state.locks.delete(id)) state.locks.add(id);
  show();
  /** @type {HTMLElement | null} */ (document.querySelector(`li[data-place="${place}"] .lock`))?.focus();
}

/** @param {KeyboardEvent} event @param {number} place */
function pressed(event, place) {
  const k = state.asked ? state.asked.teams : 2;
  const step = { ArrowLeft: k - 1, ArrowRight: 1 }[event.key];
  if (step) move(place, (byPlayer(state.labels)[place] + step) % k);
  else if (event.key === "Escape" && state.picked >= 0) tap(state.picked);
  else if (event.key.toLowerCase() === "l" && !event.ctrlKey && !event.metaKey) {
    toggle(place);
    /** @type {HTMLElement | null} */ (document.querySelector(`.player[data-place="${place}"]`))?.focus();
  } else return;
  event.preventDefault();
}

/** @param {PointerEvent} event @param {number} place */
function grab(event, place) {
  if (event.button !== 0) return;
  if (event.pointerType !== "mouse") event.preventDefault();
  /** @type {HTMLElement} */ (event.target).releasePointerCapture?.(event.pointerId);
  state.drag = { place, x: event.clientX, y: event.clientY, ghost: null };
}

/** What is under a pointer. @param {PointerEvent} event */
function under(event) {
  const at = document.elementFromPoint(event.clientX, event.clientY);
  return { item: /** @type {HTMLElement | null} */ (at?.closest("li[data-place]") ?? null),
    team: /** @type {HTMLElement | null} */ (at?.closest(".team") ?? null) };
}

/** @param {PointerEvent} event */
function dragging(event) {
  const { drag } = state;
  if (!drag) return;
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
    drag.ghost = make("div", { className: "ghost", "aria-hidden": "true" }, nameOf(drag.place));
    document.body.append(drag.ghost);
    document.querySelector(`li[data-place="${drag.place}"]`)?.classList.add("dragged");
  }
  drag.ghost.style.left = `${event.clientX + 8}px`;
  drag.ghost.style.top = `${event.clientY + 8}px`;
  document.querySelectorAll(".over").forEach((one) => one.classList.remove("over"));
  const { item, team } = under(event);
  (item ?? team)?.classList.add("over");
  event.preventDefault();
}

/** @param {PointerEvent} event @param {boolean} take */
function letGo(event, take) {
  const { drag } = state;
  state.drag = null;
  if (!drag?.ghost) return;
  drag.ghost.remove();
  addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
  setTimeout(() => dispatchEvent(new Event("click")), 0);
  const { item, team } = under(event);
  const now = byPlayer(state.labels);
  const to = item ? now[Number(item.dataset.place)] : team ? Number(team.dataset.team) : now[drag.place];
  if (!take || to === now[drag.place]) return show();
  return item ? swap(drag.place, Number(item.dataset.place)) : move(drag.place, to);
}

// --- taking it along ---------------------------------------------------------------------------------------

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
    fault(new InputFault(`${say("bad_link")} ${error instanceof InputFault || error instanceof Contradiction ? error.message : ""}`));
    return false;
  }
  return true;
}

/** Report who won to the service that served the page. @param {number} winner -1 for nobody */
async function report(winner) {
  const { players } = /** @type {Asked} */ (state.asked);
  const now = byPlayer(state.labels);
  const ids = judged(state.labels).chances.map((_, team) => players.filter((_one, place) => now[place] === team).map((one) => one.id));
  const body = { id: `board-${crypto.randomUUID()}`, teams: ids, ranks: ids.map((_, team) => (winner < 0 || team === winner ? 1 : 2)) };
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

/** Wire the page. */
function start() {
  let later = 0;
  $("ask").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  $("ask").addEventListener("input", () => { clearTimeout(later); later = setTimeout(typed, 150); });
  $("solve").addEventListener("click", () => state.asked && attempt(() => solved(withLocks())));
  $("unlock").addEventListener("click", () => { state.locks.clear(); show(); });
  $("copy").addEventListener("click", () => copied(chatOf()));
  $("link").addEventListener("click", () => copied(linkOf()));
  $("request").addEventListener("click", () => copied(JSON.stringify(dataOf(withLocks()), null, 1)));
  $("print").addEventListener("click", () => print());
  addEventListener("pointermove", dragging);
  addEventListener("pointerup", (event) => letGo(event, true));
  addEventListener("pointercancel", (event) => letGo(event, false));
  addEventListener("hashchange", () => fromLink() && typed());
  if (fromLink() || !location.hash) typed();
}

/** @param {() => void} step */
function attempt(step) {
  try {
    fault(null);
    step();
  } catch (error) {
    fault(error);
  }
}

if (typeof document !== "undefined") start();
