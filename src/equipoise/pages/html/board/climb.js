// The search where a proof would take too long: drafts, improved by moves and swaps.
"use strict";

/** As many looks at swaps take as long as a beginning. */
const DRAFT = 100;

/** Improve drafts, and what came of them with a few blocks exchanged at random, by moves and swaps.
 * @param {Problem} problem @param {Best} best */
function climb(problem, best) {
  let [looks, seed] = [0, 1];
  const random = () => ((seed = (Math.imul(seed, 1103515245) + 12345) >>> 0) >>> 8) / 2 ** 24;
  const begins = best.ranked.map((one) => one.labels);
  for (let round = 0; looks < MOST_SWAPS; round++, looks += DRAFT) {
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
  let rows = sumsOf(problem, labels);
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
          [now, better, rows] = [next, true, sumsOf(problem, labels)];
        } else {
          labels[one] = a;
          if (swap) labels[other] = b;
        }
      }
    }
  }
  return looks;
}

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
