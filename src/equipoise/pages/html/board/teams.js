// The teams that are shown, their numbers, and why they are these.
"use strict";

/** Milliseconds that a search takes before the page is given a turn. */
const TURN = 100;

/** How many searches were begun: one that is not the last has nothing to say any more. */
let begun = 0;

/** Solve a request and show it; what was asked is that without who is locked.
 * @param {Asked} request @param {Asked} [asked] */
function solved(request, asked = request) {
  const mine = ++begun;
  const problem = build(request);
  const steps = solving(problem, MOST_OTHERS + 1);
  const turn = () => {
    if (mine !== begun) return;
    const end = performance.now() + TURN;
    let step = steps.next();
    while (!step.done && performance.now() < end) step = steps.next();
    if (step.done) return take(problem, request, asked, step.value);
    write($("status"), say("searching"));
    setTimeout(turn);
  };
  turn();
}

/** Take in what a search has found, and show it.
 * @param {Problem} problem @param {Asked} request @param {Asked} asked @param {Solved} found */
function take(problem, request, asked, { status, labels, within }) {
  const best = labels[0] ?? [];
  const others = labels.slice(1).map((one) => renumbered(problem, best, one));
  if (request === asked) {
    state.locks = new Set();
    past.length = ahead.length = 0;
    state.reported = null;
  }
  Object.assign(state, { asked, problem, status, best, others, within, labels: best, picked: -1, prices: null });
  if (state.hand && best.length && state.hand.length === problem.n && state.hand.every((team) => team < problem.k)) {
    const made = state.hand;
    state.labels = problem.blocks.map((block) => made[block.players[0]]);
  }
  state.hand = null;
  show();
  if (document.body.dataset.server && (status !== "optimal" || state.unknown.length)) void askServer(problem);
}

/** Ask the service that served the page for what is not proven here. @param {Problem} problem */
async function askServer(problem) {
  const { blocks, request } = problem;
  try {
    const answer = await fetch(/** @type {string} */ (document.body.dataset.server), { method: "POST",
      headers: { "Content-Type": "application/json" }, body: JSON.stringify(dataOf(request)) });
    const data = await answer.json();
    if (!answer.ok || problem !== state.problem || !data.splits?.length) return;
    const ids = data.splits[0].teams.map((/** @type {string[]} */ team) => new Set(team));
    const labels = blocks.map((block) => ids.findIndex((/** @type {Set<string>} */ team) => team.has(request.players[block.players[0]].id)));
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

/** A split with its teams numbered so that most players stay where they are in another.
 * @param {Problem} problem @param {number[]} from @param {number[]} to @returns {number[]} */
function renumbered({ k, blocks, interchangeable, units }, from, to) {
  if (!interchangeable || units.sideWeight) return to;
  const pairs = Array.from({ length: k * k }, (_, at) => ({ own: Math.floor(at / k), as: at % k, shared: 0 }));
  blocks.forEach(({ size }, at) => { pairs[to[at] * k + from[at]].shared += size; });
  const names = /** @type {number[]} */ (Array(k).fill(-1));
  for (const { own, as } of pairs.sort((a, b) => b.shared - a.shared)) if (names[own] < 0 && !names.includes(as)) names[own] = as;
  return to.map((team) => names[team]);
}

/** More moves than these are counted. */
const MOST_MOVES = 8;

/** What would change from one split to another, in words. @param {number[]} from @param {number[]} to */
function changeOf(from, to) {
  const [before, after] = [byPlayer(from), byPlayer(to)];
  const moved = before.flatMap((team, place) => (team === after[place] ? [] : [place]));
  const [one, other] = [0, 1].map((team) => moved.filter((place) => before[place] === team).map(nameOf).join(", "));
  if (moved.length > MOST_MOVES) return say("many_moves", { count: moved.length });
  if (state.problem?.k === 2 && one && other) return say("exchange", { one, other });
  return moved.map((place) => say("goes", { name: nameOf(place), team: teamName(after[place]) })).join(", ");
}

// --- showing -----------------------------------------------------------------------------------------------

/** Chances as whole numbers that add up to 100. @param {number[]} chances @returns {number[]} */
function wholeOf(chances) {
  const found = chances.map((one) => Math.floor(100 * one + 1e-9));
  const order = chances.map((one, at) => [100 * one - found[at], at]).sort((one, other) => other[0] - one[0] || one[1] - other[1]);
  for (let left = 100 - sum(found), at = 0; left > 0; left--, at++) found[order[at % order.length][1]]++;
  return found;
}

/** What is said first: how even the teams are. @param {number[]} chances */
function verdictOf(chances) {
  const far = Math.max(...chances.map((one) => Math.abs(100 * one * chances.length - 100))), whole = wholeOf(chances);
  const team = teamName(chances.indexOf(Math.max(...chances)));
  const word = far <= 5 + 1e-9 ? say("even") : far <= 20 ? say("close") : say(far <= 40 ? "ahead" : "far_ahead", { team });
  return `${word}: ${chances.length === 2 ? whole.join(" : ") : `${Math.min(...whole)} ${say("to")} ${Math.max(...whole)}`}`;
}

/** Whether the teams are other than the best. */
const byHand = () => state.problem !== null && signature(state.problem, state.labels) !== signature(state.problem, state.best);

/** Show the teams and their numbers, and when these are on the screen what is said of them. */
function show() {
  const { problem, labels, best, status } = state;
  if (!problem) return;
  const none = !labels.length;
  const chances = none ? [] : judged(labels).chances;
  const key = none ? status : byHand() ? "by_hand" : { optimal: "proven", server: "server", server_found: "server_found" }[status] ?? "found";
  const words = say(key, { best: best.length ? wholeOf(judged(best).chances).join(" : ") : "" });
  write($("status"), none ? words : `${verdictOf(chances)}. ${words}`);
  showLevel(chances);
  $("undo").disabled = !past.length;
  $("redo").disabled = !ahead.length;
  const left = state.unknown.length ? say("unsupported", { fields: state.unknown.map(printable).join(", ") }) : "";
  const broken = none ? 0 : violation(problem, labels);
  write($("said"), [broken ? say("breaks", { count: broken }) : left, state.people].filter((one) => one).join(" "));
  showTeams(problem);
  cancelAnimationFrame(frame);
  frame = requestAnimationFrame(() => { frame = requestAnimationFrame(showReasons); });
}

/** Show the chances as a spirit level: of two teams a bubble that leans to the favourite, else one for each.
 * @param {number[]} chances */
function showLevel(chances) {
  const two = chances.length === 2;
  $("level").ariaLabel = chances.length ? verdictOf(chances) : "";
  $("level").querySelectorAll("ellipse").forEach((/** @type {Element} */ bubble, /** @type {number} */ team) => {
    const shown = two ? team === 1 : team < chances.length;
    const lean = Math.max(-1, Math.min(1, (chances[team] * chances.length - 1) / 0.4));
    const place = { cx: shown ? 160 + 137 * lean : 160, rx: shown ? (two ? 20 : 10) : 0, ry: two ? 12.5 : 8 };
    for (const [name, value] of Object.entries(place)) bubble.setAttribute(name, String(value));
  });
}

/** What waits until the teams are on the screen; what is asked for later replaces it. */
let frame = 0;

/** Who is in each team, as a text. @param {number[]} labels */
const namesOf = (labels) => JSON.stringify(byPlayer(labels).map((team, place) => [team, nameOf(place)]));

/** Let the buttons that report rest, so that a game is reported once. @param {boolean} resting */
const rest = (resting) => $("played").querySelectorAll("button").forEach((/** @type {any} */ one) => { one.disabled = resting; });

/** Show why the teams are these, the next best ones and whom to report, and put the request into the address. */
function showReasons() {
  const none = !state.labels.length;
  writeList("why", none ? [] : reasons(), "reason");
  writeList("alternatives", state.others.map(nextWords), "other");
  const teams = none ? [] : judged(state.labels).chances.map((_, team) => say("won", { team: teamName(team) }));
  if ($("played")) {
    writeList("played", none ? [] : [...teams, say("drew")], "winner");
    rest(state.reported?.kept === namesOf(state.labels));
  }
  history.replaceState(null, "", linkOf());
}

/** @param {number[]} other @param {number} at */
function nextWords(other, at) {
  const said = judged(other);
  const far = at + 1 >= state.within ? `, ${say("beyond")}` : "";
  return `${changeOf(state.best, other)}: ${state.asked?.objective} ${number(said.value)}, ${chancesIn(said.chances)}${far}`;
}

/** What shows each player. @type {HTMLElement[]} */
const chips = [];

/** @param {Problem} problem */
function showTeams({ n, k, mu }) {
  const held = /** @type {HTMLElement | null} */ (document.activeElement);
  const cards = copies("board", state.labels.length ? k : 0, "card");
  for (const chip of chips.splice(n)) chip.remove();
  while (chips.length < n) {
    const chip = copyOf("chip");
    chip.dataset.place = String(chips.push(chip) - 1);
  }
  if (!cards.length) return;
  chips.forEach(showChip);
  const broken = breaking(/** @type {Problem} */ (state.problem), state.labels);
  chips.forEach((chip, place) => chip.classList.toggle("broken", broken[/** @type {Problem} */ (state.problem).blockOf[place]]));
  const said = judged(state.labels);
  const teams = byPlayer(state.labels);
  const order = mu.map((_, place) => place).sort((a, b) => mu[b] - mu[a]);
  cards.forEach((card, team) => {
    showCard(card, team, said);
    const list = /** @type {HTMLElement} */ (card.querySelector("ul"));
    order.filter((place) => teams[place] === team).forEach((place, at) => {
      if (list.children[at] !== chips[place]) list.insertBefore(chips[place], list.children[at] ?? null);
    });
  });
  if (held?.isConnected && held !== document.activeElement) held.focus({ preventScroll: true });
}

/** @param {HTMLElement} card @param {number} team @param {ReturnType<typeof judge>} said */
function showCard(card, team, said) {
  const [heading, chance, meter, bots, move] = /** @type {any[]} */ (["h3", ".chance", "meter", ".bots", ".move"].map((part) => card.querySelector(part)));
  card.dataset.team = String(team);
  card.ariaLabel = teamName(team);
  write(heading, teamName(team));
  write(chance, percent(said.chances[team]));
  meter.value = said.chances[team];
  meter.ariaLabel = `${teamName(team)}: ${say("chance")}`;
  const facts = [said.totals, said.means, said.deviations];
  card.querySelectorAll("dd").forEach((fact, at) => write(fact, number(facts[at][team])));
  bots.hidden = !said.bots[team];
  write(bots, said.bots[team] === 1 ? say("one_bot") : say("bots_in", { count: said.bots[team] }));
  move.hidden = state.picked < 0 || byPlayer(state.labels)[state.picked] === team;
  write(move, move.hidden ? "" : say("move_here", { name: nameOf(state.picked) }));
}

/** @param {HTMLElement} chip @param {number} place */
function showChip(chip, place) {
  const { mu, request } = /** @type {Problem} */ (state.problem);
  const [name, weight, player, lock] = /** @type {Element[]} */ (["bdi", ".player span", ".player", ".lock"].map((part) => chip.querySelector(part)));
  write(name, nameOf(place));
  const preview = state.picked >= 0 ? previewOf(place) : null;
  write(weight, preview?.words ?? number(mu[place]));
  weight.className = preview?.breaks ? "no" : "";
  player.ariaPressed = String(state.picked === place);
  lock.ariaPressed = String(state.locks.has(request.players[place].id));
  lock.ariaLabel = say("lock", { name: nameOf(place) });
}

/** The chances after a swap with the player who is picked up, null where there is none. @param {number} place */
function previewOf(place) {
  const teams = byPlayer(state.labels), problem = /** @type {Problem} */ (state.problem);
  if (teams[place] === teams[state.picked]) return null;
  const swapped = exchanged(state.picked, place);
  return { words: wholeOf(judged(swapped).chances).join(" : "), breaks: violation(problem, swapped) > violation(problem, state.labels) };
}

/** Why these teams: the numbers, the next best, what rules cost, and what is assumed. @returns {string[]} */
function reasons() {
  const hand = byHand();
  const problem = /** @type {Problem} */ (state.problem);
  const said = judged(state.labels);
  const { objective } = problem.request;
  const words = [say("reason_chances", { chances: chancesIn(said.chances), difference: number(said.difference) })];
  if (objective === "spread" && !hand && state.status === "optimal") {
    words.push(say("reason_spread", { tolerance: percent(problem.units.tolerance), spread: number(said.spread) }));
  }
  if (state.others.length && !hand) {
    const next = judged(state.others[0]);
    words.push(say("reason_next", { change: changeOf(state.best, state.others[0]), objective, value: number(next.value), chances: chancesIn(next.chances) }));
  }
  if (state.picked >= 0 && state.status === "optimal") words.push(...whyThere(state.picked));
  if (!hand && state.status === "optimal") words.push(...(state.prices ??= priced(problem.request)));
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
