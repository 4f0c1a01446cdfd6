// The search for the best splits: every split where they are few, and two halves that meet in the middle.
"use strict";

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

/** @typedef {{status: "optimal" | "feasible" | "infeasible" | "unknown", labels: number[][], within: number}} Solved */

/** Bring the objective to its optimum at once; see {@link solving}.
 * @param {Problem} problem @param {number} [keep] @returns {Solved} */
function solve(problem, keep = 1) {
  const steps = solving(problem, keep);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Bring the objective to its optimum: chances first where that is asked, then the rest within the tolerance.
 * Where that takes long, it pauses again and again.
 * @param {Problem} problem @param {number} keep @returns {Generator<void, Solved, void>} */
function* solving(problem, keep) {
  const name = problem.request.objective;
  if (name === "ratio" && (Math.min(...problem.mu) < 0 || (problem.filler && problem.filler[MU] < 0))) {
    throw new InputFault("ratio");
  }
  const search = searchFor(problem);
  let found = yield* search(name === "spread" ? winCost : COSTS[name], [], name === "spread" ? 1 : keep);
  let proven = found.proven;
  if (!found.ranked.length) return { status: proven ? "infeasible" : "unknown", labels: [], within: 0 };
  if (name === "spread") {
    const limit = found.ranked[0].cost + problem.units.tolerance + 2 * winError(problem);
    const start = found.ranked;
    found = yield* search(spreadCost, [{ cost: winCost, limit }], keep, start);
    proven = proven && found.proven;
  }
  const labels = found.ranked.map((one) => one.labels);
  const within = labels.length;
  if (within < keep && name === "spread") {
    const seen = new Set(labels.map((one) => signature(problem, one)));
    for (const one of (yield* search(winCost, [], keep)).ranked) {
      if (labels.length < keep && !seen.has(signature(problem, one.labels))) labels.push(one.labels);
    }
  }
  return { status: proven ? "optimal" : "feasible", labels: labels.map((one) => oriented(problem, one)), within };
}

/** @param {Problem} problem
 * @returns {(cost: Cost, limits: Limit[], keep: number, start?: Ranked[]) => Generator<void, Found, void>} */
function searchFor(problem) {
  const name = problem.request.objective;
  if (problem.k === 2 && !problem.roles.length && name !== "indistinguishable") {
    const halves = halvesOf(problem);
    if (halves.rows[0] <= MOST_ROWS && halves.rows[1] <= MOST_ROWS) {
      return function* (cost, limits, keep) { return meet(problem, halves, cost, limits, keep); };
    }
  }
  return function* (cost, limits, keep, start = []) {
    const best = new Best(problem, cost, limits, keep);
    // Where many are alike there are far fewer splits than labellings, which soon shows.
    const steps = splitsOf(problem) <= MOST_SPLITS ? MOST_STEPS : MOST_STEPS / 100;
    if (enumerate(problem, best, steps)) return { ranked: best.ranked, proven: true };
    const rest = new Best(problem, cost, limits, keep);
    // Of many teams the first splits of an enumeration are further off than any draft.
    for (const one of problem.k < MANY_TEAMS ? [...start, ...best.ranked] : start) rest.offer(one.labels);
    yield* climb(problem, rest);
    return { ranked: rest.ranked, proven: false };
  };
}

/** About how many splits there are. @param {Problem} problem */
function splitsOf({ blocks, k, interchangeable }) {
  const free = blocks.filter((block) => block.fixed < 0).length;
  let splits = 1;
  // A multinomial coefficient, as a product: the n-th block takes a seat in row n / k of a team.
  for (let n = 1; n <= free; n++) splits *= n / Math.ceil(n / k);
  for (let team = 2; interchangeable && team <= k; team++) splits /= team;
  return splits;
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
 * @param {Problem} problem @param {Best} best @param {number} most @returns {boolean} */
function enumerate(problem, best, most) {
  const { blocks, k, most: largest, least, enemies, interchangeable } = problem;
  const order = blocks.map((_, at) => at).sort((a, b) => blocks[b].size - blocks[a].size || problem.looks[a] - problem.looks[b]);
  const bound = blocks.map((block, at) => block.size > 1 || block.fixed >= 0 || enemies[at].length > 0);
  const labels = /** @type {number[]} */ (Array(blocks.length).fill(-1));
  const counts = /** @type {number[]} */ (Array(k).fill(0));
  let [steps, left] = [0, problem.n];
  const visit = (/** @type {number} */ depth, /** @type {number} */ used) => {
    if (++steps > most) return false;
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
      if ((fixed >= 0 && fixed !== team) || counts[team] + size > largest) continue;
      if (enemies[at].some((enemy) => labels[enemy] === team)) continue;
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
 * @typedef {{side: number[], component: number[], steps: number[][], base: number[], kinds: [number[][], number[][]],
 *   rows: [number, number], parts?: [Map<number, Part>, Map<number, Part>]}} Halves
 * @typedef {{mu: Float64Array, square: Float64Array, code: Float64Array}} Part
 */

/** Two teams: blocks that are apart are a component with one free sign, and components are dealt into two halves.
 * The first component has no free sign: it holds who is fixed, or, where teams are interchangeable, anybody.
 * @param {Problem} problem @returns {Halves} */
function halvesOf({ blocks, enemies, request, looks }) {
  const side = blocks.map(() => 0);
  const component = blocks.map(() => -1);
  const members = /** @type {number[][]} */ ([[]]);
  const join = (/** @type {number} */ block, /** @type {number} */ sign, /** @type {number} */ to) => {
    if (component[block] >= 0) {
      if (side[block] === sign) return;
      throw new Contradiction("apart_ring", { name: quoted(labelOf(request.players[blocks[block].players[0]])) });
    }
    [component[block], side[block]] = [to, sign];
    members[to].push(block);
    for (const enemy of enemies[block]) join(enemy, -sign, to);
  };
  blocks.forEach(({ fixed }, at) => fixed >= 0 && join(at, 1 - 2 * fixed, 0));
  blocks.forEach((_, at) => component[at] < 0 && join(at, 1, members[0].length ? members.push([]) - 1 : 0));
  const steps = members.map((list) => sumRows(list.map((at) => blocks[at].row.map((one) => one * side[at]))));
  const base = sumRows(blocks.filter((_, at) => side[at] < 0 === component[at] > 0).map((block) => block.row));
  const alone = (/** @type {number[]} */ list) => list.length === 1 && blocks[list[0]].size === 1;
  return { side, component, steps, base, ...dealt(members.map((list, at) => (alone(list) ? looks[list[0]] : -at))) };
}

/** @param {number[][]} rows */
const sumRows = (rows) => rows.reduce((total, row) => total.map((one, at) => one + row[at]), [0, 0, 0, 0, 0]);

/** Deal the components but the first into halves with about equally many part-splits; of equals only the number counts.
 * @param {number[]} looks of each component @returns {{kinds: [number[][], number[][]], rows: [number, number]}} */
function dealt(looks) {
  /** @type {Map<number, number[]>} */
  const kinds = new Map();
  looks.forEach((look, at) => at > 0 && kinds.set(look, [...(kinds.get(look) ?? []), at]));
  const halves = /** @type {[number[][], number[][]]} */ ([[], []]);
  const rows = /** @type {[number, number]} */ ([1, 1]);
  for (const list of [...kinds.values()].sort((a, b) => b.length - a.length)) {
    const half = rows[1] < rows[0] ? 1 : 0;
    halves[half].push(list);
    rows[half] *= list.length + 1;
  }
  return { kinds: halves, rows };
}

/** The part-splits of a half, by how many players they add to the first team, each sorted by weight.
 * @param {Halves} halves @param {number} half @returns {Map<number, Part>} */
function partSplits({ kinds, steps }, half) {
  let [count, mu, square, code] = [0, 0, 0, 0].map(() => new Float64Array(1));
  for (const kind of kinds[half]) {
    const step = steps[kind[0]];
    const grown = (/** @type {Float64Array} */ old, /** @type {(one: number, times: number) => number} */ add) => {
      const next = new Float64Array(old.length * (kind.length + 1));
      for (let times = 0; times <= kind.length; times++) next.set(old.map((one) => add(one, times)), times * old.length);
      return next;
    };
    count = grown(count, (one, times) => one + times * step[COUNT]);
    mu = grown(mu, (one, times) => one + times * step[MU]);
    square = grown(square, (one, times) => one + times * step[SQUARE]);
    code = grown(code, (one, times) => one * (kind.length + 1) + times);
  }
  /** @type {Map<number, number[]>} */
  const groups = new Map();
  count.forEach((one, row) => groups.get(one)?.push(row) ?? groups.set(one, [row]));
  return new Map([...groups].map(([size, group]) => {
    const order = Uint32Array.from(group).sort((a, b) => mu[a] - mu[b]);
    const [ordered, squares, codes] = [mu, square, code].map((from) => Float64Array.from(order, (at) => from[at]));
    return [size, { mu: ordered, square: squares, code: codes }];
  }));
}

/** The team of each block for two codes of part-splits.
 * @param {Halves} halves @param {number[]} codes @returns {number[]} */
function decoded({ kinds, component, side, steps }, codes) {
  const signs = steps.map((_, at) => (at ? -1 : 1));
  kinds.forEach((half, at) => {
    let code = codes[at];
    for (const kind of half.slice().reverse()) {
      const times = code % (kind.length + 1);
      code = (code - times) / (kind.length + 1);
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
  const pairs = (/** @type {(first: number, a: Part, b: Part) => void} */ use) => sizes.forEach((_, first) => {
    for (const [count, a] of left) {
      const b = right.get(first - halves.base[COUNT] - count);
      if (b) use(first, a, b);
    }
  });
  if (!limits.length) {
    pairs((first, a, b) => best.offer(decoded(halves, nearest(a, b, sizes[first].target - halves.base[MU]))));
    if (keep === 1 || !best.ranked.length) return { ranked: best.ranked, proven: true };
  }
  let [looks, whole] = [0, false];
  for (let level = limits.length ? limits[0].limit : best.ranked[0].cost; !whole; level = Math.max(level * 2, 1e-9)) {
    whole = true;
    pairs((first, a, b) => {
      const { target, reach, most, cost: rough } = sizes[first];
      const aim = target - halves.base[MU];
      let worst = best.worst;
      // What is no better than the worst that is kept, but for rounding, need not be looked at.
      let far = limits.length ? reach(level) + pad : Math.min(reach(level) + pad, reach(worst) - pad);
      whole &&= limits.length > 0 || reach(level) + pad >= most;
      let high = b.mu.length;
      // Splits that are all alike but for rounding have none that is better.
      for (let i = 0; i < a.mu.length && (!limits.length || worst > pad); i++) {
        while (high > 0 && a.mu[i] + b.mu[high - 1] > aim + far) high--;
        for (let j = high - 1; j >= 0 && a.mu[i] + b.mu[j] >= aim - far; j--) {
          if (++looks > MOST_LOOKS) return;
          if (limits.length && rough(a.mu[i] + b.mu[j] + halves.base[MU], a.square[i] + b.square[j] + halves.base[SQUARE]) >= worst - pad) continue;
          looks += 100;
          best.offer(decoded(halves, [a.code[i], b.code[j]]));
          if (best.worst === worst) continue;
          worst = best.worst;
          if (!limits.length) far = Math.min(far, reach(worst) - pad);
        }
      }
    });
    if (limits.length || best.ranked.length >= keep || looks > MOST_LOOKS) break;
  }
  return { ranked: best.ranked, proven: looks <= MOST_LOOKS };
}

/** The codes of the two part-splits whose weights add up to what is nearest to a target.
 * @param {Part} a @param {Part} b @param {number} target @returns {number[]} */
function nearest(a, b, target) {
  let [j, least, at] = [b.mu.length - 1, Infinity, /** @type {number[]} */ ([])];
  for (let i = 0; i < a.mu.length; i++) {
    while (j > 0 && a.mu[i] + b.mu[j] > target) j--;
    for (let near = j; near < Math.min(j + 2, b.mu.length); near++) {
      const off = Math.abs(a.mu[i] + b.mu[near] - target);
      if (off < least) [least, at] = [off, [a.code[i], b.code[near]]];
    }
  }
  return at;
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
      if (cost === ratioCost) return level >= 1 ? Infinity : (total * level) / (2 - level) / 2;
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
