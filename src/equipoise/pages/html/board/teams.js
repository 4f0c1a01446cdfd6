// The teams that are shown, their numbers, and why they are these.
"use strict";

/** Solve a request and show it. @param {Asked} asked */
function solved(asked) {
  state.problem = build(asked);
  const { status, labels, within } = solve(state.problem, MOST_OTHERS + 1);
  state.status = status;
  [state.best, ...state.others] = labels.length ? labels : [[]];
  state.labels = state.best;
  state.within = within;
  state.prices = status === "optimal" ? priced(asked) : [];
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
  if (!hand) words.push(...state.prices);
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
  const objective = asked.objective === "spread" ? "win" : asked.objective;
  const evenness = (/** @type {Asked} */ request) => {
    const problem = build({ ...request, objective });
    const { labels } = solve(problem);
    return labels.length ? judge(problem, labels[0]).imbalance : Infinity;
  };
  const now = evenness(asked);
  const costs = rules.map(([rule, free]) => ({ rule, cost: now - evenness(free) }));
  const dear = costs.filter(({ cost }) => cost >= 0.001);
  return dear.length ? dear.map(({ rule, cost }) => say("reason_rule", { rule, cost: percent(cost) })) : [say("reason_free")];
}
