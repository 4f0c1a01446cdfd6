// What is asked, what a split is worth, and the search for the best one: a second writing of the library's
// arithmetic for a page without a server.  Every formula is that of equipoise.teams, and benchmarks/board.py
// holds both to the same numbers.  Nothing here touches the page.
"use strict";

/**
 * @typedef {{id: string, name?: string, mu: number | null, sigma: number, side: number, party: string | null,
 *   team: number | null, roles: string[]}} Player
 * @typedef {{weight: number | null, minimum: number, maximum: number | null, target: number}} Bots
 * @typedef {{players: Player[], teams: number, parties: string[][], apart: string[][],
 *   fixed: [string, number][], bots: Bots | null, roles: [string, number][], objective: string}} Asked
 * @typedef {{players: number[], size: number, row: number[], fixed: number}} Block
 * @typedef {{beta: number, zero: number, centre: number, prior: number, sideWeight: number,
 *   tolerance: number, signed: boolean}} Units
 * @typedef {{request: Asked, n: number, k: number, mu: number[], sigma: number[], blocks: Block[],
 *   blockOf: number[], apart: [number, number][], enemies: Set<number>[], seats: number, filler: number[] | null,
 *   least: number, most: number, units: Units, roles: [string, number][], interchangeable: boolean,
 *   looks: number[], looksText: string[]}} Problem
 * @typedef {(problem: Problem, totals: Float64Array) => number} Cost
 * @typedef {{cost: Cost, limit: number, error: number}} Limit
 * @typedef {{cost: number, labels: number[]}} Ranked
 * @typedef {{ranked: Ranked[], proven: boolean}} Found
 */

/** The slope of the logistic curve that is nearest to the normal distribution's. */
const SLOPE = 1.702;
const UNIT = 2 ** -53;
/** The features of a block: how many, their weights, squares around the centre, sigma², sides. */
const [COUNT, MU, SQUARE, VARIANCE, SIDE, WIDTH] = [0, 1, 2, 3, 4, 5];
const OBJECTIVES = ["spread", "difference", "win", "ratio", "indistinguishable"];
/** Part-splits of a half, splits looked at, and steps of an enumeration up to which a proof is sought. */
const [MOST_ROWS, MOST_LOOKS, MOST_STEPS, MOST_SWAPS] = [1 << 14, 4e7, 2e6, 3e5];

/** Something that was typed is at fault. */
class InputFault extends Error {}
/** What was asked contradicts itself. */
class Contradiction extends Error {}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
/** @param {string} name */
const quoted = (name) => `“${name}”`;

/** @param {Player} player */
const labelOf = (player) => player.name || player.id;

/** @param {Player[]} players @param {string} who @returns {number} */
function placeOf(players, who) {
  const byId = players.findIndex((player) => player.id === who);
  if (byId >= 0) return byId;
  const named = players.map((player, place) => (player.name === who ? place : -1)).filter((place) => place >= 0);
  if (named.length === 1) return named[0];
  throw new InputFault(named.length ? `${named.length} players are named ${quoted(who)}` :
    `there is no player ${quoted(who)}`);
}

/** Read a request as `--request` takes it.
 * @param {any} data @returns {{request: Asked, unknown: string[]}} */
function requestOf(data) {
  const known = ["players", "teams", "parties", "apart", "fixed", "bots", "roles", "objective"];
  const unknown = Object.keys(data).filter((key) => !known.includes(key));
  const rows = Array.isArray(data.players) ? data.players : Object.entries(data.players || {});
  const columns = ["name", "id", "weight", "mu", "sigma", "side", "party", "team", "roles"];
  const players = rows.map((/** @type {any} */ given) => {
    const row = typeof given === "string" ? { name: given } :
      Array.isArray(given) ? { name: given[0], weight: given[1] } : given;
    for (const key of Object.keys(row)) {
      if (!columns.includes(key) && !unknown.includes(key)) unknown.push(key);
    }
    const roles = Array.isArray(row.roles) ? row.roles : row.roles ? Object.keys(row.roles) : [];
    if (row.roles && !Array.isArray(row.roles)) unknown.push("ratings of roles");
    return { id: String(row.id ?? row.name), name: row.name === undefined ? "" : String(row.name),
      mu: numberIn(row.mu ?? row.weight, -1e15, 1e15, "a weight"), sigma: numberIn(row.sigma, 0, 1e15, "sigma") ?? 0,
      side: numberIn(row.side, 0, 1, "side") ?? 0.5, party: row.party ?? null,
      team: row.team === undefined || row.team === null ? null : Number(row.team) - 1, roles };
  });
  const bots = data.bots === true ? {} : data.bots;
  const request = {
    players, teams: data.teams ?? 2, parties: data.parties ?? [], apart: data.apart ?? [],
    fixed: /** @type {[string, number][]} */ (Object.entries(data.fixed ?? {}).map(([who, team]) => [who, Number(team) - 1])),
    bots: bots ? { weight: bots.weight ?? null, minimum: bots.minimum ?? 0, maximum: bots.maximum ?? null,
      target: bots.target ?? 0 } : null,
    roles: /** @type {[string, number][]} */ (Object.entries(data.roles ?? {})), objective: data.objective ?? "spread",
  };
  if (!OBJECTIVES.includes(request.objective)) unknown.push("objective");
  return { request, unknown };
}

/** @param {any} value @param {number} low @param {number} high @param {string} what @returns {number | null} */
function numberIn(value, low, high, what) {
  if (value === undefined || value === null || value === "") return null;
  const number = Number(value);
  if (!(number >= low && number <= high)) throw new InputFault(`${what} must be from ${low} to ${high}, got ${value}`);
  return number;
}

// --- the problem -------------------------------------------------------------------------------------------

/** Turn a request into blocks with additive features.
 * @param {Asked} request @returns {Problem} */
function build(request) {
  const { players, teams: k } = request;
  const n = players.length;
  if (!n) throw new InputFault("there are no players");
  if (!(Number.isInteger(k) && k >= 2 && k <= 100)) throw new InputFault(`teams must be from 2 to 100, got ${k}`);
  if (!request.bots && n < k) throw new InputFault(`${n} players are too few for ${k} teams`);
  const ids = new Set(players.map((player) => player.id));
  if (ids.size < n) throw new InputFault("two players have the same name");
  const known = /** @type {number[]} */ (players.map((player) => player.mu).filter((mu) => mu !== null));
  const usual = known.length ? sum(known) / known.length : 50;
  const mu = players.map((player) => player.mu ?? usual);
  const sigma = players.map((player) => player.sigma);
  const centre = sum(mu) / n;
  const fixedTeam = players.map((player) => player.team ?? -1);
  for (const [who, team] of request.fixed) {
    const place = placeOf(players, who);
    if (![-1, team].includes(fixedTeam[place])) throw new InputFault(`${quoted(who)} is fixed to two teams`);
    fixedTeam[place] = team;
  }
  if (fixedTeam.some((team) => !(team >= -1 && team < k))) throw new InputFault(`there are teams 1 to ${k}`);
  const blockOf = grouped(request);
  const blocks = /** @type {Block[]} */ ([]);
  blockOf.forEach((at, place) => {
    const offset = mu[place] - centre;
    const row = [1, mu[place], offset * offset, sigma[place] * sigma[place], players[place].side];
    const block = (blocks[at] ??= { players: [], size: 0, row: [0, 0, 0, 0, 0], fixed: -1 });
    block.players.push(place);
    block.size += 1;
    block.row = block.row.map((total, feature) => total + row[feature]);
    const team = fixedTeam[place];
    if (team >= 0 && ![-1, team].includes(block.fixed)) {
      throw new Contradiction(`${quoted(labelOf(players[place]))} is in a party with somebody fixed to another team`);
    }
    if (team >= 0) block.fixed = team;
  });
  const apart = apartPairs(request, blockOf, blocks);
  const enemies = blocks.map(() => new Set());
  for (const [one, other] of apart) enemies[one].add(other), enemies[other].add(one);
  const bots = request.bots;
  const weight = bots && (bots.weight ?? centre);
  const filler = weight === null ? null : [1, weight, (weight - centre) * (weight - centre), 0, 0.5];
  const size = bots ? Math.max(bots.maximum === null ? Math.max(bots.target, bots.minimum) :
    Math.min(bots.target, bots.maximum), bots.minimum) : 0;
  const looks = blocks.map((block, at) => (block.size === 1 ?
    [block.row, players[block.players[0]].roles].join() : `block ${at}`));
  /** @type {Map<string, number>} */
  const seen = new Map();
  return {
    request, n, k, mu, sigma, blocks, blockOf, apart, enemies: /** @type {Set<number>[]} */ (enemies),
    seats: Math.ceil(size / k), filler, least: Math.max(bots ? 0 : Math.min(n, 1), Math.ceil((n - k + 1) / k)),
    most: Math.floor((n + k - 1) / k), units: unitsOf(request, mu, sigma, centre), roles: request.roles,
    interchangeable: blocks.every((block) => block.fixed < 0), looksText: looks,
    looks: looks.map((look) => seen.get(look) ?? (seen.set(look, seen.size), seen.size - 1)),
  };
}

/** The block of each player: those in a party, directly or not, are one.
 * @param {Asked} request @returns {number[]} */
function grouped({ players, parties }) {
  const root = players.map((_, place) => place);
  const find = (/** @type {number} */ place) => {
    while (root[place] !== place) place = root[place];
    return place;
  };
  const first = /** @type {Map<string, number>} */ (new Map());
  players.forEach(({ party }, place) => {
    if (party === null) return;
    root[find(place)] = find(first.get(party) ?? place);
    if (!first.has(party)) first.set(party, place);
  });
  for (const party of parties) {
    const places = party.map((who) => placeOf(players, who));
    for (const place of places) root[find(place)] = find(places[0]);
  }
  /** @type {Map<number, number>} */
  const numbers = new Map();
  return players.map((_, place) => {
    const at = find(place);
    if (!numbers.has(at)) numbers.set(at, numbers.size);
    return /** @type {number} */ (numbers.get(at));
  });
}

/** @param {Asked} request @param {number[]} blockOf @param {Block[]} blocks @returns {[number, number][]} */
function apartPairs({ players, apart, teams }, blockOf, blocks) {
  const pairs = /** @type {[number, number][]} */ ([]);
  for (const group of apart) {
    const places = group.map((who) => placeOf(players, who));
    if (places.length > teams) throw new Contradiction(`${places.length} players must be apart, but there are ${teams} teams`);
    places.forEach((one, at) => places.slice(0, at).forEach((other) => {
      const [a, b] = [blockOf[one], blockOf[other]];
      const names = `${quoted(labelOf(players[other]))} and ${quoted(labelOf(players[one]))}`;
      if (one === other) throw new InputFault(`${names} come twice in one group`);
      if (a === b) throw new Contradiction(`${names} must be apart, but are in one party`);
      if (blocks[a].fixed >= 0 && blocks[a].fixed === blocks[b].fixed) {
        throw new Contradiction(`${names} must be apart, but are fixed to one team`);
      }
      pairs.push([b, a]);
    }));
  }
  return pairs;
}

/** The units a roster is judged in: the noise of one player and what one more is worth are its spread.
 * @param {Asked} request @param {number[]} mu @param {number[]} sigma @param {number} centre @returns {Units} */
function unitsOf(request, mu, sigma, centre) {
  const n = mu.length;
  const largest = Math.max(...mu.map(Math.abs), 1e-88);
  let spread = Math.sqrt(sum(mu.map((one) => (one - centre) ** 2)) / n);
  if (!(spread > 1e-12 * largest)) {
    const unsure = Math.sqrt(sum(sigma.map((one) => one * one)) / n);
    const bot = request.bots && request.bots.weight;
    if (bot !== null && Math.abs(bot - centre) > 1e-12 * Math.max(Math.abs(centre), Math.abs(bot))) spread = Math.abs(bot - centre);
    else if (unsure > Math.max(1e-12 * Math.abs(centre), 1e-100)) spread = unsure;
    else spread = Math.abs(centre) > 1e-100 ? Math.abs(centre) : 1;
  }
  const sided = request.players.some((player) => player.side !== 0.5);
  const named = request.fixed.length > 0 || request.players.some((player) => player.team !== null);
  return { beta: spread, zero: request.objective === "ratio" ? 0 : centre - spread, centre,
    prior: (spread * spread) / 64, sideWeight: sided ? 0.01 : 0, tolerance: n <= 17 ? 0.0025 : 0.001, signed: named };
}

// --- what a split is worth ---------------------------------------------------------------------------------

/** The totals of each team, bots included, from the team of each block.
 * @param {Problem} problem @param {number[]} labels @returns {Float64Array} */
function totalsOf(problem, labels) {
  const totals = new Float64Array(problem.k * WIDTH);
  problem.blocks.forEach((block, at) => {
    for (let feature = 0; feature < WIDTH; feature++) totals[labels[at] * WIDTH + feature] += block.row[feature];
  });
  return filled(problem, totals);
}

/** Add the bots to totals of players.
 * @param {Problem} problem @param {Float64Array} totals @returns {Float64Array} */
function filled({ k, filler, seats }, totals) {
  if (!filler) return totals;
  let size = seats;
  for (let team = 0; team < k; team++) size = Math.max(size, totals[team * WIDTH]);
  for (let team = 0; team < k; team++) {
    const bots = size - totals[team * WIDTH];
    for (let feature = 0; feature < WIDTH; feature++) totals[team * WIDTH + feature] += bots * filler[feature];
  }
  return totals;
}

/** @param {Float64Array} totals @param {number} feature @returns {number[]} */
function column(totals, feature) {
  const numbers = [];
  for (let at = feature; at < totals.length; at += WIDTH) numbers.push(totals[at]);
  return numbers;
}

/** The standard deviation of the performance difference of an average pair of teams.
 * @param {Units} units @param {number} players @param {number} variance @param {number} k */
const noiseOf = (units, players, variance, k) =>
  Math.sqrt((variance + units.beta * units.beta * Math.max(players, 1)) * (2 / k));

/** Where powers are kept while a softmax is worked out: a search does so a million times. */
const POWERS = new Float64Array(100);

/** Work out the softmax of what teams are strong above the zero of the scale; return the sum of its powers.
 * @param {Problem} problem @param {Float64Array} totals @returns {number} */
function powersOf({ units, k }, totals) {
  let [players, variance, least, most, whole] = [0, 0, Infinity, -Infinity, 0];
  for (let at = 0; at < k * WIDTH; at += WIDTH) {
    players += totals[at];
    variance += totals[at + VARIANCE];
    least = Math.min(least, totals[at]);
  }
  const noise = noiseOf(units, players, variance, k);
  for (let team = 0; team < k; team++) {
    const strength = totals[team * WIDTH + MU] - units.zero * (totals[team * WIDTH] - least);
    POWERS[team] = (strength * SLOPE) / noise;
    most = Math.max(most, POWERS[team]);
  }
  for (let team = 0; team < k; team++) whole += POWERS[team] = Math.exp(POWERS[team] - most);
  return whole;
}

/** The chances of each team. @param {Problem} problem @param {Float64Array} totals @returns {number[]} */
function chancesOf(problem, totals) {
  const whole = powersOf(problem, totals);
  return Array.from(POWERS.subarray(0, problem.k), (power) => power / whole);
}

/** @type {Cost} */
const winCost = (problem, totals) => {
  const whole = powersOf(problem, totals);
  let cost = 0;
  for (let team = 0; team < problem.k; team++) cost = Math.max(cost, Math.abs(POWERS[team] / whole - 1 / problem.k));
  return cost;
};

/** The standard deviation within a team: 0 where it is no more than rounding.
 * @param {number} count @param {number} mu @param {number} square @param {number} centre */
function deviationOf(count, mu, square, centre) {
  if (!count) return 0;
  const mean = square / count;
  const offset = mu / count - centre;
  const variance = mean - offset * offset;
  if (variance <= 1e-6 * mean) {
    const size = mean + Math.abs(offset) * (Math.abs(offset) + Math.abs(offset + centre));
    if (variance <= 2 * (count + 8) * UNIT * size) return 0;
  }
  return Math.sqrt(variance);
}

/** @type {Cost} */
const spreadCost = ({ k, units }, totals) => {
  let [low, high] = [Infinity, 0];
  for (let at = 0; at < k * WIDTH; at += WIDTH) {
    const deviation = deviationOf(totals[at], totals[at + MU], totals[at + SQUARE], units.centre);
    low = Math.min(low, deviation);
    high = Math.max(high, deviation);
  }
  return high - low;
};

/** @type {Cost} */
const differenceCost = (_, totals) => {
  let [low, high] = [Infinity, -Infinity];
  for (let at = MU; at < totals.length; at += WIDTH) {
    low = Math.min(low, totals[at]);
    high = Math.max(high, totals[at]);
  }
  return high - low;
};

/** @type {Cost} */
const ratioCost = (problem, totals) => {
  const largest = Math.max(...column(totals, MU));
  return largest > 0 ? differenceCost(problem, totals) / largest : 0;
};

/** How much a player's team tells of the skill, less how much of the side wanted, in nats.
 * @type {Cost} */
const likenessCost = ({ k, units }, totals) => {
  const whole = Array.from({ length: WIDTH }, (_, feature) => sum(column(totals, feature)));
  const varianceOf = (/** @type {number[]} */ row) => {
    const offset = (row[COUNT] > 0 ? row[MU] / row[COUNT] : 0) - units.centre;
    return Math.max((row[SQUARE] + row[VARIANCE]) / Math.max(row[COUNT], 1) - offset * offset, 0) + units.prior;
  };
  const between = (/** @type {number} */ own, /** @type {number} */ all) => (own > 0 && all > 0 ? own * (Math.log(own) - Math.log(all)) : 0);
  const everyone = Math.min(Math.max(whole[SIDE] / whole[COUNT], 0), 1);
  const all = Math.log(varianceOf(whole));
  let cost = 0;
  for (let team = 0; team < k; team++) {
    const row = Array.from(totals.subarray(team * WIDTH, (team + 1) * WIDTH));
    const share = row[COUNT] / whole[COUNT];
    if (share > 0) cost += 0.5 * share * (all - Math.log(varianceOf(row)));
    if (!units.sideWeight) continue;
    const side = row[SIDE] / Math.max(row[COUNT], 1);
    const own = Math.min(Math.max(side, 0), 1);
    const told = between(own, everyone) + between(1 - own, 1 - everyone);
    const right = units.signed ? Math.sign((side - whole[SIDE] / whole[COUNT]) * ((2 * team) / (k - 1) - 1)) : 1;
    cost -= units.sideWeight * share * told * right;
  }
  return cost;
};

/** @type {Record<string, Cost>} */
const COSTS = { spread: spreadCost, difference: differenceCost, win: winCost, ratio: ratioCost, indistinguishable: likenessCost };

/** The number an objective is known by. @param {string} objective @param {number} cost */
const shown = (objective, cost) => (objective === "ratio" ? 1 - cost : cost);

/** How many roles a team lacks: those that no matching of its players fills, bots taking what is left.
 * @param {Problem} problem @param {number[]} labels @param {number} team @param {number} bots */
function lacks(problem, labels, team, bots) {
  const slots = problem.roles.flatMap(([role, needed]) => Array(needed).fill(role));
  const members = problem.request.players.filter((_, place) => labels[problem.blockOf[place]] === team);
  const taken = /** @type {number[]} */ (Array(members.length).fill(-1));
  const fill = (/** @type {number} */ slot, /** @type {Set<number>} */ tried) => members.some((player, at) => {
    if (tried.has(at) || (player.roles.length && !player.roles.includes(slots[slot]))) return false;
    tried.add(at);
    if (taken[at] >= 0 && !fill(taken[at], tried)) return false;
    taken[at] = slot;
    return true;
  });
  const free = slots.filter((_, slot) => !fill(slot, new Set())).length;
  return Math.max(free - bots, 0);
}

/** How far a split is from keeping every rule.
 * @param {Problem} problem @param {number[]} labels @returns {number} */
function violation(problem, labels) {
  const counts = Array(problem.k).fill(0);
  problem.blocks.forEach((block, at) => (counts[labels[at]] += block.size));
  const size = Math.max(problem.seats, ...counts);
  let broken = Math.max(Math.max(...counts) - Math.min(...counts) - 1, 0);
  for (const count of counts) broken += Math.max(problem.least - count, 0);
  for (const [one, other] of problem.apart) broken += Number(labels[one] === labels[other]);
  problem.blocks.forEach((block, at) => (broken += Number(block.fixed >= 0 && labels[at] !== block.fixed)));
  if (problem.roles.length) {
    counts.forEach((count, team) => (broken += lacks(problem, labels, team, problem.filler ? size - count : 0)));
  }
  return broken;
}

/** What rounding may do to the distance of a chance from even, as equipoise.teams.problem.rounding has it.
 * @param {Problem} problem @returns {number} */
function winError(problem) {
  const { n, k, units, filler, seats } = problem;
  const count = filler ? k * (seats + n) : n;
  const unit = (count + 8) * UNIT;
  const squares = sum(problem.blocks.map((block) => block.row[SQUARE])) + (filler ? filler[SQUARE] * count : 0);
  const total = unit * (count * Math.abs(units.centre) + Math.sqrt(count * squares));
  const uneven = filler || n % k === 0 ? 0 : 1;
  const strength = total + uneven * unit * (Math.abs(units.zero) + 2 * Math.abs(units.centre));
  return (0.5 * SLOPE * strength) / (units.beta * Math.sqrt((Math.max(n, 1) * 2) / k)) + 2 * unit;
}

// --- the search --------------------------------------------------------------------------------------------

/** The best splits that were seen, each once. */
class Best {
  /** @param {Problem} problem @param {Cost} cost @param {Limit[]} limits @param {number} keep */
  constructor(problem, cost, limits, keep) {
    this.problem = problem;
    this.cost = cost;
    this.limits = limits;
    this.keep = keep;
    /** @type {(Ranked & {key: string})[]} */
    this.ranked = [];
  }

  /** The cost that a split must be below to be of interest. */
  get worst() {
    return this.ranked.length < this.keep ? Infinity : this.ranked[this.ranked.length - 1].cost;
  }

  /** Take in a legal split if it is within the limits, good enough and new. @param {number[]} labels */
  offer(labels) {
    const totals = totalsOf(this.problem, labels);
    if (this.limits.some(({ cost, limit }) => cost(this.problem, totals) > limit)) return;
    const cost = this.cost(this.problem, totals);
    if (!(cost < this.worst)) return;
    const key = signature(this.problem, labels);
    if (this.ranked.some((one) => one.key === key)) return;
    let at = this.ranked.length;
    while (at && this.ranked[at - 1].cost > cost) at--;
    this.ranked.splice(at, 0, { cost, labels: labels.slice(), key });
    if (this.ranked.length > this.keep) this.ranked.pop();
  }
}

/** A key that is equal for splits that differ only by an exchange of equals.
 * @param {Problem} problem @param {number[]} labels */
function signature({ k, looks, interchangeable }, labels) {
  const teams = Array.from({ length: k }, () => /** @type {number[]} */ ([]));
  labels.forEach((team, at) => teams[team].push(looks[at]));
  const keys = teams.map((team) => team.sort((a, b) => a - b).join());
  return (interchangeable ? keys.sort() : keys).join(";");
}

/** Bring the objective to its optimum: chances first where that is asked, then the rest within the tolerance.
 * @param {Problem} problem @param {number} [keep]
 * @returns {{status: "optimal" | "feasible" | "infeasible" | "unknown", labels: number[][], within: number}} */
function solve(problem, keep = 1) {
  const name = problem.request.objective;
  if (name === "ratio" && (Math.min(...problem.mu) < 0 || (problem.filler && problem.filler[MU] < 0))) {
    throw new InputFault("the ratio needs weights of 0 and above; difference and win do without");
  }
  const search = searchFor(problem);
  let found = search(name === "spread" ? winCost : COSTS[name], [], name === "spread" ? 1 : keep);
  let proven = found.proven;
  if (!found.ranked.length) return { status: proven ? "infeasible" : "unknown", labels: [], within: 0 };
  if (name === "spread") {
    const error = winError(problem);
    const limit = found.ranked[0].cost + problem.units.tolerance + 2 * error;
    const start = found.ranked;
    found = search(spreadCost, [{ cost: winCost, limit, error }], keep, start);
    proven = proven && found.proven;
  }
  const labels = found.ranked.map((one) => one.labels);
  const within = labels.length;
  if (within < keep && name === "spread") {
    const seen = new Set(labels.map((one) => signature(problem, one)));
    for (const one of search(winCost, [], keep).ranked) {
      if (labels.length < keep && !seen.has(signature(problem, one.labels))) labels.push(one.labels);
    }
  }
  return { status: proven ? "optimal" : "feasible", labels: labels.map((one) => oriented(problem, one)), within };
}

/** @param {Problem} problem
 * @returns {(cost: Cost, limits: Limit[], keep: number, start?: Ranked[]) => Found} */
function searchFor(problem) {
  const name = problem.request.objective;
  if (problem.k === 2 && !problem.roles.length && name !== "indistinguishable") {
    const halves = halvesOf(problem);
    if (halves.rows[0] <= MOST_ROWS && halves.rows[1] <= MOST_ROWS) {
      return (cost, limits, keep) => meet(problem, halves, cost, limits, keep);
    }
  }
  return (cost, limits, keep, start = []) => {
    const best = new Best(problem, cost, limits, keep);
    // As many labellings as of 12 players in four teams: beyond, most steps would be in vain.
    if (problem.blocks.length * Math.log2(problem.k) <= 24 && enumerate(problem, best)) return { ranked: best.ranked, proven: true };
    const rest = new Best(problem, cost, limits, keep);
    for (const one of [...start, ...best.ranked]) rest.offer(one.labels);
    climb(problem, rest);
    return { ranked: rest.ranked, proven: false };
  };
}

/** Number teams by who comes first, or so that more players are on the side they like.
 * @param {Problem} problem @param {number[]} labels @returns {number[]} */
function oriented(problem, labels) {
  if (!problem.interchangeable) return labels;
  /** @type {Map<number, number>} */
  const names = new Map();
  const renamed = labels.map((team) => names.get(team) ?? (names.set(team, names.size), names.size - 1));
  if (problem.k > 2) return renamed;
  const totals = totalsOf(problem, renamed);
  const wanted = [0, WIDTH].map((at) => totals[at + SIDE] - totals[at] * 0.5);
  return wanted[1] < wanted[0] ? renamed.map((team) => 1 - team) : renamed;
}

/** Look at every legal split, equals and interchangeable teams once; false if there are too many.
 * @param {Problem} problem @param {Best} best @returns {boolean} */
function enumerate(problem, best) {
  const { blocks, k, most, least, enemies, interchangeable } = problem;
  const order = blocks.map((_, at) => at).sort((a, b) => blocks[b].size - blocks[a].size || problem.looks[a] - problem.looks[b]);
  const bound = blocks.map((block, at) => block.size > 1 || block.fixed >= 0 || enemies[at].size > 0);
  const labels = /** @type {number[]} */ (Array(blocks.length).fill(-1));
  const counts = /** @type {number[]} */ (Array(k).fill(0));
  let [steps, left] = [0, problem.n];
  const visit = (/** @type {number} */ depth, /** @type {number} */ used) => {
    if (++steps > MOST_STEPS) return false;
    if (depth === order.length) {
      if (violation(problem, labels) === 0) best.offer(labels);
      return true;
    }
    const at = order[depth];
    const { size, fixed } = blocks[at];
    const before = depth ? order[depth - 1] : at;
    const equal = depth > 0 && !bound[at] && !bound[before] && problem.looks[at] === problem.looks[before];
    const last = interchangeable ? Math.min(used, k - 1) : k - 1;
    left -= size;
    for (let team = equal ? labels[before] : 0; team <= last; team++) {
      if ((fixed >= 0 && fixed !== team) || counts[team] + size > most) continue;
      let clash = false;
      for (const enemy of enemies[at]) clash ||= labels[enemy] === team;
      if (clash) continue;
      counts[team] += size;
      labels[at] = team;
      let missing = 0;
      for (const count of counts) missing += Math.max(least - count, 0);
      if (missing <= left && !visit(depth + 1, Math.max(used, team + 1))) return false;
      counts[team] -= size;
      labels[at] = -1;
    }
    left += size;
    return true;
  };
  return visit(0, 0);
}

/**
 * @typedef {{side: number[], component: number[], members: number[][], steps: number[][], base: number[],
 *   kinds: [number[][], number[][]], rows: [number, number], free: boolean[],
 *   parts?: [Map<number, Part>, Map<number, Part>]}} Halves
 */

/** Two teams: blocks bound together or apart are components with one free sign, dealt into two halves.
 * @param {Problem} problem @returns {Halves} */
function halvesOf(problem) {
  const { blocks, apart } = problem;
  const side = blocks.map(() => 0);
  const component = blocks.map(() => -1);
  const members = /** @type {number[][]} */ ([]);
  const free = /** @type {boolean[]} */ ([]);
  const order = blocks.map((_, at) => at).sort((a, b) => Number(blocks[b].fixed >= 0) - Number(blocks[a].fixed >= 0));
  for (const root of order) {
    const stack = component[root] < 0 ? [[root, 1]] : [];
    if (!stack.length) continue;
    const at = members.push([]) - 1;
    if (blocks[root].fixed >= 0) blocks.forEach(({ fixed }, one) => fixed >= 0 && stack.push([one, 1 - 2 * fixed]));
    if (blocks[root].fixed >= 0) stack.shift();
    free.push(blocks[root].fixed < 0);
    for (let next = stack.pop(); next; next = stack.pop()) {
      const [block, sign] = next;
      if (component[block] >= 0) {
        if (side[block] === sign) continue;
        const name = labelOf(problem.request.players[blocks[block].players[0]]);
        throw new Contradiction(`${quoted(name)} would have to be in both teams to keep all who must be apart so`);
      }
      component[block] = at;
      side[block] = sign;
      members[at].push(block);
      for (const [one, other] of apart) {
        if (one === block) stack.push([other, -sign]);
        if (other === block) stack.push([one, -sign]);
      }
    }
  }
  const steps = members.map((list) => sumRows(list.map((at) => blocks[at].row.map((one) => one * side[at]))));
  const base = sumRows(blocks.filter((_, at) => (free[component[at]] ? side[at] < 0 : side[at] > 0)).map((block) => block.row));
  return { side, component, members, steps, base, free, ...dealt(problem, members, free) };
}

/** @param {number[][]} rows @returns {number[]} */
const sumRows = (rows) => rows.reduce((total, row) => total.map((one, feature) => one + row[feature]), [0, 0, 0, 0, 0]);

/** Deal the free components into halves with about equally many part-splits; of equals only the number counts.
 * @param {Problem} problem @param {number[][]} members @param {boolean[]} free
 * @returns {{kinds: [number[][], number[][]], rows: [number, number]}} */
function dealt(problem, members, free) {
  /** @type {Map<string, number[]>} */
  const kinds = new Map();
  members.forEach((list, at) => {
    if (!free[at]) return;
    const alone = list.length === 1 && problem.blocks[list[0]].size === 1;
    const key = alone ? problem.looksText[list[0]] : `component ${at}`;
    kinds.set(key, [...(kinds.get(key) ?? []), at]);
  });
  const lists = [...kinds.values()].sort((a, b) => b.length - a.length);
  const held = problem.interchangeable ? lists.findIndex((list) => list.length === 1) : -1;
  const halves = /** @type {[number[][], number[][]]} */ ([[], []]);
  const rows = /** @type {[number, number]} */ ([1, 1]);
  lists.forEach((list, at) => {
    const half = rows[1] < rows[0] ? 1 : 0;
    halves[half].push(at === held ? list.concat([-1]) : list);
    rows[half] *= at === held ? 1 : list.length + 1;
  });
  return { kinds: halves, rows };
}

/** @typedef {{mu: Float64Array, square: Float64Array, code: Float64Array}} Part */

/** The part-splits of a half, by how many players they add to the first team, each sorted by weight.
 * @param {Halves} halves @param {number} half @returns {Map<number, Part>} */
function partSplits({ kinds, steps }, half) {
  let [count, mu, square, code] = [[0], [0], [0], [0]].map((one) => Float64Array.from(one));
  for (const kind of kinds[half]) {
    const choices = kind.includes(-1) ? [1] : kind.map((_, at) => at + 1).concat([0]);
    const [step, base, n] = [steps[kind[0]], kind.includes(-1) ? 2 : kind.length + 1, mu.length];
    const grown = (/** @type {Float64Array} */ old, /** @type {(times: number) => number} */ add, factor = 1) => {
      const next = new Float64Array(n * choices.length);
      choices.forEach((times, at) => { for (let row = 0, plus = add(times); row < n; row++) next[at * n + row] = old[row] * factor + plus; });
      return next;
    };
    count = grown(count, (times) => times * step[COUNT]);
    mu = grown(mu, (times) => times * step[MU]);
    square = grown(square, (times) => times * step[SQUARE]);
    code = grown(code, (times) => times, base);
  }
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  for (let row = 0; row < mu.length; row++) {
    const group = groups.get(count[row]);
    if (group) group.push(row);
    else groups.set(count[row], [row]);
  }
  return new Map([...groups].map(([size, group]) => {
    const order = Uint32Array.from(group).sort((a, b) => mu[a] - mu[b]);
    const picked = (/** @type {Float64Array} */ from) => Float64Array.from(order, (row) => from[row]);
    return [size, { mu: picked(mu), square: picked(square), code: picked(code) }];
  }));
}

/** The team of each block for two codes of part-splits.
 * @param {Halves} halves @param {number[]} codes @returns {number[]} */
function decoded({ kinds, component, side, members, free }, codes) {
  const signs = members.map((_, at) => (free[at] ? -1 : 1));
  kinds.forEach((half, at) => {
    let code = codes[at];
    for (const kind of half.slice().reverse()) {
      const base = kind.includes(-1) ? 2 : kind.length + 1;
      const times = code % base;
      code = (code - times) / base;
      for (let one = 0; one < times; one++) signs[kind[one]] = 1;
    }
  });
  return component.map((at, block) => (signs[at] * side[block] < 0 ? 1 : 0));
}

/** Meet in the middle: for each legal size of the first team, pairs of part-splits near what would be even.
 * @param {Problem} problem @param {Halves} halves @param {Cost} cost @param {Limit[]} limits @param {number} keep
 * @returns {Found} */
function meet(problem, halves, cost, limits, keep) {
  const best = new Best(problem, cost, limits, keep);
  const [left, right] = halves.parts ??= [partSplits(halves, 0), partSplits(halves, 1)];
  const sizes = sizesOf(problem, limits.length ? winCost : cost);
  const pad = 8 * (problem.n + 16) * UNIT * sum(problem.mu.map(Math.abs));
  let looks = 0;
  const pairs = (/** @type {(first: number, a: Part, b: Part) => void} */ use) => sizes.forEach((_, first) => {
    for (const [count, a] of left) {
      const b = right.get(first - halves.base[COUNT] - count);
      if (b) use(first, a, b);
    }
  });
  if (!limits.length) {
    pairs((first, a, b) => {
      const target = sizes[first].target - halves.base[MU];
      let [j, nearest, at] = [b.mu.length - 1, Infinity, /** @type {number[]} */ ([])];
      for (let i = 0; i < a.mu.length; i++) {
        while (j > 0 && a.mu[i] + b.mu[j] > target) j--;
        for (let near = j; near < Math.min(j + 2, b.mu.length); near++) {
          const off = Math.abs(a.mu[i] + b.mu[near] - target);
          if (off < nearest) [nearest, at] = [off, [a.code[i], b.code[near]]];
        }
      }
      best.offer(decoded(halves, at));
    });
    if (keep === 1 || !best.ranked.length) return { ranked: best.ranked, proven: true };
  }
  let level = limits.length ? limits[0].limit : best.ranked[0].cost;
  for (let whole = false; !whole; level = Math.max(level * 2, 1e-9)) {
    whole = true;
    pairs((first, a, b) => {
      const reach = sizes[first].reach(level) + pad;
      const target = sizes[first].target - halves.base[MU];
      whole &&= limits.length > 0 || reach >= sizes[first].most;
      let high = b.mu.length;
      for (let i = 0; i < a.mu.length; i++) {
        while (high > 0 && a.mu[i] + b.mu[high - 1] > target + reach) high--;
        for (let j = high - 1; j >= 0 && a.mu[i] + b.mu[j] >= target - reach; j--) {
          if (++looks > MOST_LOOKS) return;
          const rough = sizes[first].cost(a.mu[i] + b.mu[j] + halves.base[MU], a.square[i] + b.square[j] + halves.base[SQUARE]);
          if (rough * (1 - 1e-9) < best.worst) best.offer(decoded(halves, [a.code[i], b.code[j]]));
        }
      }
    });
    if (limits.length || best.ranked.length >= keep || looks > MOST_LOOKS) break;
  }
  return { ranked: best.ranked, proven: looks <= MOST_LOOKS };
}

/** For each legal number of players in the first of two teams: the weight that makes it even, how far from it
 * a cost allows, and a quick judgement.
 * @param {Problem} problem @param {Cost} cost */
function sizesOf(problem, cost) {
  const { units, filler, n } = problem;
  const all = sumRows(problem.blocks.map((block) => block.row));
  const zero = cost === winCost ? units.zero : 0;
  const sizes = /** @type {{target: number, most: number, reach: (cost: number) => number,
    cost: (mu: number, square: number) => number}[]} */ ([]);
  for (let first = problem.least; first <= Math.min(problem.most, n - problem.least); first++) {
    const size = Math.max(problem.seats, first, n - first);
    const bots = filler ? [size - first, size - n + first] : [0, 0];
    const counts = [first + bots[0], n - first + bots[1]];
    const weight = filler ? filler[MU] : 0;
    const total = all[MU] + (bots[0] + bots[1]) * weight;
    const noise = noiseOf(units, counts[0] + counts[1], all[VARIANCE], 2);
    const reach = (/** @type {number} */ level) => {
      if (cost === winCost) return level >= 0.5 ? Infinity : (noise / SLOPE / 2) * Math.log((0.5 + level) / (0.5 - level));
      if (cost === ratioCost) return (total * Math.min(level, 1)) / (2 - Math.min(level, 1)) / 2;
      return level / 2;
    };
    const square = filler ? filler[SQUARE] : 0;
    const target = (total + zero * (counts[0] - counts[1])) / 2 - bots[0] * weight;
    sizes[first] = { target, reach, most: sum(problem.mu.map(Math.abs)) + Math.abs(target),
      cost: (mu, squares) => (problem.request.objective !== "spread" ? 0 : Math.abs(
        deviationOf(counts[0], mu + bots[0] * weight, squares + bots[0] * square, units.centre) -
        deviationOf(counts[1], all[MU] - mu + bots[1] * weight, all[SQUARE] - squares + bots[1] * square, units.centre))) };
  }
  return sizes;
}

/** Improve drafts, and what came of them with a few blocks exchanged at random, by moves and swaps.
 * @param {Problem} problem @param {Best} best */
function climb(problem, best) {
  let [looks, seed] = [0, 1];
  const random = () => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) / 2 ** 24;
  const begins = best.ranked.map((one) => one.labels);
  for (let round = 0; looks < MOST_SWAPS; round++) {
    const begin = begins.shift() ?? (best.ranked.length && round % 4 ? best.ranked[0].labels : null);
    const labels = begin ? begin.slice() : drafted(problem, random);
    if (begin && round) kick(problem, labels, random);
    looks += descend(problem, labels, () => [violation(problem, labels), 0], false);
    if (violation(problem, labels) > 0) continue;
    looks += descend(problem, labels, (totals) => {
      let over = 0;
      for (const { cost, limit } of best.limits) over += Math.max(cost(problem, totals) - limit, 0);
      return [over, best.cost(problem, totals)];
    }, true);
    best.offer(labels);
  }
}

/** Exchange three pairs of free blocks of one size. @param {Problem} problem @param {number[]} labels @param {() => number} random */
function kick({ blocks }, labels, random) {
  for (let times = 0; times < 12; times++) {
    const [one, other] = [0, 0].map(() => Math.floor(random() * blocks.length));
    if (blocks[one].size !== blocks[other].size || Math.max(blocks[one].fixed, blocks[other].fixed) >= 0) continue;
    [labels[one], labels[other]] = [labels[other], labels[one]];
    if (times % 4 === 3) return;
  }
}

/** Move and swap blocks while that lowers a score; return how many were looked at.
 * @param {Problem} problem @param {number[]} labels @param {(totals: Float64Array) => [number, number]} score
 * @param {boolean} legal whether only legal splits are looked at */
function descend(problem, labels, score, legal) {
  const { blocks, k } = problem;
  const scratch = new Float64Array(k * WIDTH);
  let rows = rowsIn(problem, labels);
  scratch.set(rows);
  let [now, looks] = [score(filled(problem, scratch)), 1];
  for (let better = true; better && now[0] + now[1] > 0; ) {
    better = false;
    for (let one = 0; one < blocks.length; one++) {
      for (let other = one + 1; other < blocks.length + k && blocks[one].fixed < 0; other++) {
        const [swap, a] = [other < blocks.length, labels[one]];
        const b = swap ? labels[other] : other - blocks.length;
        if (a === b || (swap && blocks[other].fixed >= 0)) continue;
        labels[one] = b;
        if (swap) labels[other] = a;
        let next = null;
        if (!legal || fits(problem, rows, labels, one, swap ? other : -1, a)) {
          scratch.set(rows);
          for (let feature = 0; feature < WIDTH; feature++) {
            const change = blocks[one].row[feature] - (swap ? blocks[other].row[feature] : 0);
            scratch[a * WIDTH + feature] -= change;
            scratch[b * WIDTH + feature] += change;
          }
          next = score(filled(problem, scratch));
        }
        looks += 1;
        if (next && (next[0] < now[0] || (next[0] === now[0] && next[1] < now[1] - 1e-12 * Math.abs(now[1])))) {
          [now, better, rows] = [next, true, rowsIn(problem, labels)];
        } else {
          labels[one] = a;
          if (swap) labels[other] = b;
        }
      }
    }
  }
  return looks;
}

/** The totals of each team without bots. @param {Problem} problem @param {number[]} labels */
const rowsIn = (problem, labels) => totalsOf({ ...problem, filler: null }, labels);

/** Whether a legal split stays so after a move or swap that the labels have made already.
 * @param {Problem} problem @param {Float64Array} rows before it @param {number[]} labels
 * @param {number} one @param {number} other -1 for a move @param {number} from the team that one comes from */
function fits(problem, rows, labels, one, other, from) {
  const { blocks, enemies, k } = problem;
  const change = blocks[one].size - (other < 0 ? 0 : blocks[other].size);
  if (change) {
    let [low, high] = [Infinity, 0];
    for (let team = 0; team < k; team++) {
      const count = rows[team * WIDTH] + (team === labels[one] ? change : team === from ? -change : 0);
      low = Math.min(low, count);
      high = Math.max(high, count);
    }
    if (high - low > 1 || low < problem.least) return false;
  }
  for (const enemy of enemies[one]) if (labels[enemy] === labels[one]) return false;
  if (other >= 0) for (const enemy of enemies[other]) if (labels[enemy] === labels[other]) return false;
  return !problem.roles.length || violation(problem, labels) === 0;
}

/** A beginning: large blocks first, each to the team that has the fewest players, then the least weight.
 * @param {Problem} problem @param {() => number} random @returns {number[]} */
function drafted({ blocks, k, units, enemies }, random) {
  const labels = blocks.map((block) => block.fixed);
  const teams = Array.from({ length: k }, () => [0, 0]);
  const place = (/** @type {number} */ at, /** @type {number} */ team) => {
    labels[at] = team;
    teams[team][0] += blocks[at].size;
    teams[team][1] += blocks[at].row[MU];
  };
  blocks.forEach((block, at) => block.fixed >= 0 && place(at, block.fixed));
  const order = blocks.map((block, at) => ({ at, size: block.size, key: block.row[MU] + units.beta * random() }));
  for (const { at } of order.sort((a, b) => b.size - a.size || b.key - a.key)) {
    if (labels[at] >= 0) continue;
    const rank = teams.map(([size, mu], team) => ({ team, mu,
      size: size + 1000 * [...enemies[at]].filter((enemy) => labels[enemy] === team).length }));
    place(at, rank.sort((a, b) => a.size - b.size || a.mu - b.mu)[0].team);
  }
  return labels;
}

/** Everything that is to be said of one split, the teams given by player.
 * @param {Problem} problem @param {number[]} labels @param {string} [objective] */
function judge(problem, labels, objective = problem.request.objective) {
  const totals = totalsOf(problem, labels);
  const counts = column(totals, COUNT);
  const chances = chancesOf(problem, totals);
  const own = Array(problem.k).fill(0);
  problem.blocks.forEach((block, at) => (own[labels[at]] += block.size));
  return {
    value: shown(objective, COSTS[objective](problem, totals)), chances, totals: column(totals, MU), counts,
    bots: counts.map((count, team) => count - own[team]),
    means: column(totals, MU).map((mu, team) => (counts[team] ? mu / counts[team] : 0)),
    deviations: counts.map((count, team) => deviationOf(count, totals[team * WIDTH + MU], totals[team * WIDTH + SQUARE], problem.units.centre)),
    difference: differenceCost(problem, totals), spread: spreadCost(problem, totals), imbalance: winCost(problem, totals),
  };
}
