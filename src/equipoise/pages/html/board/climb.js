// The search where a proof would take too long: drafts, improved by moves and swaps.
"use strict";

/** As many looks at swaps take as long as a beginning. */
const DRAFT = 100;
/** Looks between two pauses: some milliseconds. */
const PAUSE = 500;

/** From so many teams on only moves and swaps of the teams that are furthest from the others are looked at. */
const MANY_TEAMS = 9;

/** Improve drafts, and what came of them with a few blocks exchanged at random, by moves and swaps; whoever draws
 * the steps may pause between them.
 * @param {Problem} problem @param {Best} best @returns {Generator<void, void, void>} */
function* climb(problem, best) {
  let [looks, seed] = [0, 1];
  const random = () => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) / 2 ** 24;
  const begins = best.ranked.map((one) => one.labels);
  for (let round = 0; looks < MOST_SWAPS; round++, looks += DRAFT) {
    const begin = begins.shift() ?? (best.ranked.length && round % 4 ? best.ranked[0].labels : null);
    const labels = begin ? begin.slice() : drafted(problem, random);
    if (begin && round) kick(problem, labels, random);
    looks += yield* descend(problem, labels, best, MOST_SWAPS - looks);
    if (violation(problem, labels) === 0) best.offer(labels);
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

/** Move and swap blocks while that breaks less, exceeds the limits by less or costs less, in this order; return
 * how many were looked at.
 * @param {Problem} problem @param {number[]} labels @param {Best} best
 * @param {number} most looks, where there are many teams; a descent from few is finished
 * @returns {Generator<void, number, void>} */
function* descend(problem, labels, { cost, limits }, most) {
  const { blocks, enemies, roles, k } = problem;
  const scratch = new Float64Array(k * WIDTH);
  let rows = sumsOf(problem, labels);
  /** @type {(most: number, one: number, other: number, from: number) => number[] | null} */
  const score = (most, one, other, from) => {
    // An exchange of equally many who have no enemies breaks what was broken before.
    const alike = blocks[one].size === blocks[other]?.size && !enemies[one].length && !enemies[other].length && !roles.length;
    const broken = alike && most < Infinity ? most : violation(problem, labels);
    if (broken > most) return null;
    scratch.set(rows);
    for (let feature = 0; feature < WIDTH; feature++) {
      const change = blocks[one].row[feature] - (blocks[other]?.row[feature] ?? 0);
      scratch[from * WIDTH + feature] -= change;
      scratch[labels[one] * WIDTH + feature] += change;
    }
    const totals = filled(problem, scratch);
    return [broken, sum(limits.map((one) => Math.max(one.cost(problem, totals) - one.limit, 0))), cost(problem, totals)];
  };
  let [now, looks] = [/** @type {number[]} */ (score(Infinity, 0, 0, labels[0])), 1];
  const many = k >= MANY_TEAMS && cost !== likenessCost;
  let edges = many ? edgesOf(problem, rows) : null;
  for (let better = true; better && now.some((one) => one !== 0); ) {
    better = false;
    for (let one = 0; one < blocks.length; one++) {
      for (let other = one + 1; other < blocks.length + k && blocks[one].fixed < 0; other++) {
        const [swap, a] = [other < blocks.length, labels[one]];
        const b = swap ? labels[other] : other - blocks.length;
        if (a === b || (swap && blocks[other].fixed >= 0)) continue;
        if (edges && !edges.has(a) && !edges.has(b)) continue;
        labels[one] = b;
        if (swap) labels[other] = a;
        if (++looks % PAUSE === 0) yield;
        const next = score(now[0], one, other, a);
        const at = next ? next.findIndex((part, place) => part !== now[place]) : -1;
        if (next && at >= 0 && next[at] < now[at] - 1e-12 * Math.abs(now[at])) {
          [now, better, rows] = [next, true, sumsOf(problem, labels)];
          if (many) edges = edgesOf(problem, rows);
        } else {
          labels[one] = a;
          if (swap) labels[other] = b;
        }
        if (many && looks >= most) return looks;
      }
    }
  }
  return looks;
}

/** The teams that are strongest and weakest, and those whose players differ most and least in skill: what is no
 * matter of these can make no range smaller. @param {Problem} problem @param {Float64Array} rows */
function edgesOf(problem, rows) {
  const { k, units } = problem;
  const totals = filled(problem, rows.slice());
  const at = Array.from({ length: k }, (_, team) => team * WIDTH);
  const strengths = at.map((row) => totals[row + MU] - units.zero * totals[row]);
  const deviations = at.map((row) => deviationOf(totals[row], totals[row + MU], totals[row + SQUARE], units.centre));
  return new Set([strengths, deviations].flatMap((of) => [of.indexOf(Math.max(...of)), of.indexOf(Math.min(...of))]));
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
      size: size + 1000 * enemies[at].filter((enemy) => labels[enemy] === team).length }));
    place(at, rank.sort((a, b) => a.size - b.size || a.mu - b.mu)[0].team);
  }
  return labels;
}
