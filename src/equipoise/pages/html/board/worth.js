// What a split is worth: totals, chances, every objective, and how far it is from keeping the rules.
"use strict";

/** The totals of each team, bots included, from the team of each block.
 * @param {Problem} problem @param {number[]} labels @returns {Float64Array} */
const totalsOf = (problem, labels) => filled(problem, sumsOf(problem, labels));

/** The totals of each team without bots.
 * @param {Problem} problem @param {number[]} labels @returns {Float64Array} */
function sumsOf(problem, labels) {
  const totals = new Float64Array(problem.k * WIDTH);
  problem.blocks.forEach((block, at) => {
    for (let feature = 0; feature < WIDTH; feature++) totals[labels[at] * WIDTH + feature] += block.row[feature];
  });
  return totals;
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

/** How far apart a number of teams is at most.
 * @param {Float64Array} totals @param {(at: number) => number} number of the team whose totals begin there */
function rangeOf(totals, number) {
  let [low, high] = [Infinity, -Infinity];
  for (let at = 0; at < totals.length; at += WIDTH) {
    const own = number(at);
    low = Math.min(low, own);
    high = Math.max(high, own);
  }
  return high - low;
}

/** @type {Cost} */
const spreadCost = ({ units }, totals) =>
  rangeOf(totals, (at) => deviationOf(totals[at], totals[at + MU], totals[at + SQUARE], units.centre));

/** @type {Cost} */
const differenceCost = (_, totals) => rangeOf(totals, (at) => totals[at + MU]);

/** @type {Cost} */
const ratioCost = (problem, totals) => {
  const largest = Math.max(...column(totals, MU));
  return largest > 0 ? differenceCost(problem, totals) / largest : 0;
};

/** The logarithm of the variance of skills in a row of totals.
 * @param {Units} units @param {number} count @param {number} mu @param {number} squares */
function logVariance({ centre, prior }, count, mu, squares) {
  const offset = (count > 0 ? mu / count : 0) - centre;
  return Math.log(Math.max(squares / Math.max(count, 1) - offset * offset, 0) + prior);
}

/** One term of how far a share is from everyone's, in nats. @param {number} own @param {number} all */
const toldBy = (own, all) => (own > 0 && all > 0 ? own * (Math.log(own) - Math.log(all)) : 0);

/** How much a player's team tells of the skill, less how much of the side wanted, in nats.
 * @type {Cost} */
const likenessCost = ({ k, units }, totals) => {
  let [count, mu, squares, sides] = [0, 0, 0, 0];
  for (let at = 0; at < totals.length; at += WIDTH) {
    count += totals[at];
    mu += totals[at + MU];
    squares += totals[at + SQUARE] + totals[at + VARIANCE];
    sides += totals[at + SIDE];
  }
  const everyone = Math.min(Math.max(sides / count, 0), 1);
  const all = logVariance(units, count, mu, squares);
  let cost = 0;
  for (let team = 0, at = 0; team < k; team++, at += WIDTH) {
    const share = totals[at] / count;
    if (share > 0) cost += 0.5 * share * (all - logVariance(units, totals[at], totals[at + MU], totals[at + SQUARE] + totals[at + VARIANCE]));
    if (!units.sideWeight) continue;
    const side = totals[at + SIDE] / Math.max(totals[at], 1);
    const own = Math.min(Math.max(side, 0), 1);
    const right = units.signed ? Math.sign((side - sides / count) * ((2 * team) / (k - 1) - 1)) : 1;
    cost -= units.sideWeight * share * (toldBy(own, everyone) + toldBy(1 - own, 1 - everyone)) * right;
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
  let broken = 0;
  for (let at = 0; at < labels.length; at++) {
    const { size, fixed } = problem.blocks[at];
    counts[labels[at]] += size;
    if (fixed >= 0 && labels[at] !== fixed) broken += 1;
    for (const enemy of problem.enemies[at]) if (enemy < at && labels[at] === labels[enemy]) broken += 1;
  }
  let [low, high] = [Infinity, 0];
  for (const count of counts) {
    low = Math.min(low, count);
    high = Math.max(high, count);
    broken += Math.max(problem.least - count, 0);
  }
  broken += Math.max(high - low - 1, 0);
  if (problem.roles.length) {
    const size = Math.max(problem.seats, high);
    counts.forEach((count, team) => (broken += lacks(problem, labels, team, problem.filler ? size - count : 0)));
  }
  return broken;
}

/** Whether each block is where a rule about it does not let it be. @param {Problem} problem @param {number[]} labels */
const breaking = ({ blocks, enemies }, labels) => labels.map((team, at) =>
  (blocks[at].fixed >= 0 && team !== blocks[at].fixed) || enemies[at].some((enemy) => labels[enemy] === team));

/** What rounding may do to the distance of a chance from even, as equipoise.teams.problem.float_error has it.
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
