// What is asked, as blocks with additive features.  This and what follows is a second writing of the library's
// arithmetic for a page without a server.  Every formula is that of equipoise.teams, and benchmarks/pages/board.py
// holds both to the same numbers.  Nothing here touches the page.
"use strict";

/**
 * @typedef {{id: string, name?: string, mu: number | null, sigma: number, side: number, party: string | null,
 *   team: number | null, roles: string[]}} Player
 * @typedef {{weight: number | null, target: number}} Bots
 * @typedef {{players: Player[], teams: number, parties: string[][], apart: string[][],
 *   fixed: [string, number][], bots: Bots | null, roles: [string, number][], objective: string}} Asked
 * @typedef {{players: number[], size: number, row: number[], fixed: number}} Block
 * @typedef {{beta: number, zero: number, centre: number, prior: number, sideWeight: number,
 *   tolerance: number, signed: boolean}} Units
 * @typedef {{request: Asked, n: number, k: number, mu: number[], sigma: number[], blocks: Block[],
 *   blockOf: number[], enemies: number[][], seats: number, filler: number[] | null, least: number, most: number,
 *   units: Units, roles: [string, number][], interchangeable: boolean, looks: number[]}} Problem
 * @typedef {(problem: Problem, totals: Float64Array) => number} Cost
 * @typedef {{cost: Cost, limit: number}} Limit
 * @typedef {{cost: number, labels: number[]}} Ranked
 * @typedef {{ranked: Ranked[], proven: boolean}} Found
 */

/** The slope of the logistic curve that is nearest to the normal distribution's. */
const SLOPE = 1.702;
const UNIT = 2 ** -53;
/** The features of a block: how many, their weights, squares around the centre, sigma², sides. */
const [COUNT, MU, SQUARE, VARIANCE, SIDE, WIDTH] = [0, 1, 2, 3, 4, 5];
const OBJECTIVES = ["spread", "difference", "win", "ratio", "indistinguishable"];
/** Part-splits of a half, pairs of them, splits and steps of an enumeration up to which a proof is sought; swaps. */
const [MOST_ROWS, MOST_LOOKS, MOST_SPLITS, MOST_STEPS, MOST_SWAPS] = [1 << 14, 4e7, 1.5e5, 2e6, 1e5];

/** A text of the catalogue with its gaps filled. @param {string} key @param {Record<string, any>} [gaps] */
const say = (key, gaps = {}) => TEXTS[key].replace(/\{(\w+)\}/g, (_, gap) => String(gaps[gap]));

/** Something that was typed is at fault, in a sentence of the catalogue. */
class InputFault extends Error {
  /** @param {string} key @param {Record<string, any>} [gaps] */
  constructor(key, gaps) {
    super(say(`fault_${key}`, gaps));
  }
}
/** What was asked contradicts itself. */
class Contradiction extends InputFault {}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0);
/** @param {string} name */
const quoted = (name) => say("quoted", { name });

/** @param {Player} player */
const labelOf = (player) => player.name || player.id;

/** @param {Player[]} players @param {string} who @returns {number} */
function placeOf(players, who) {
  const byId = players.findIndex((player) => player.id === who);
  if (byId >= 0) return byId;
  const named = players.map((player, place) => (player.name === who ? place : -1)).filter((place) => place >= 0);
  if (named.length === 1) return named[0];
  throw new InputFault(named.length ? "namesakes" : "nobody", { count: named.length, name: quoted(who) });
}

/** Refuse a team that there is not, and counts that are not whole, wherever they were written.
 * @param {Asked} request */
function checkWhole({ players, teams, fixed, bots, roles }) {
  const named = [...fixed.map(([, team]) => team), ...players.flatMap(({ team }) => (team === null ? [] : [team]))];
  if (named.some((team) => !(Number.isInteger(team) && team >= 0 && team < teams))) throw new InputFault("no_team", { teams });
  const counts = /** @type {[string, number, number][]} */ ([...roles.map(([role, count]) => [role, count, 100]), ...(bots ? [[say("bots"), bots.target, 1e6]] : [])]);
  for (const [what, count, high] of counts) {
    if (!(Number.isInteger(count) && count >= 0 && count <= high)) throw new InputFault("whole", { what, low: 0, high, value: count });
  }
}

/** Turn a request into blocks with additive features.
 * @param {Asked} request @returns {Problem} */
function build(request) {
  const { players, teams: k } = request;
  const n = players.length;
  if (!n) throw new InputFault("no_players");
  if (!(Number.isInteger(k) && k >= 2 && k <= 100)) throw new InputFault("range", { what: say("teams"), low: 2, high: 100, value: k });
  if (!request.bots && n < k) throw new InputFault("too_few", { count: n, teams: k });
  const known = /** @type {number[]} */ (players.map((player) => player.mu).filter((mu) => mu !== null));
  const usual = known.length ? sum(known) / known.length : 50;
  const mu = players.map((player) => player.mu ?? usual);
  const sigma = players.map((player) => player.sigma);
  const centre = sum(mu) / n;
  checkWhole(request);
  const fixedTeam = players.map((player) => player.team ?? -1);
  for (const [who, team] of request.fixed) {
    const place = placeOf(players, who);
    if (![-1, team].includes(fixedTeam[place])) throw new InputFault("fixed_twice", { name: quoted(who) });
    fixedTeam[place] = team;
  }
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
      throw new Contradiction("party_fixed", { name: quoted(labelOf(players[place])) });
    }
    if (team >= 0) block.fixed = team;
  });
  const bots = request.bots;
  const weight = bots && (bots.weight ?? centre);
  const filler = weight === null ? null : [1, weight, (weight - centre) * (weight - centre), 0, 0.5];
  const looks = blocks.map((block, at) => (block.size === 1 ?
    [block.row, players[block.players[0]].roles].join() : `block ${at}`));
  /** @type {Map<string, number>} */
  const seen = new Map();
  return {
    request, n, k, mu, sigma, blocks, blockOf, enemies: enemiesOf(request, blockOf, blocks),
    seats: bots ? Math.ceil(bots.target / k) : 0, filler, least: Math.max(bots ? 0 : Math.min(n, 1), Math.ceil((n - k + 1) / k)),
    most: Math.floor((n + k - 1) / k), units: unitsOf(request, mu, sigma, centre), roles: request.roles,
    interchangeable: blocks.every((block) => block.fixed < 0),
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

/** The blocks that each must be apart from.
 * @param {Asked} request @param {number[]} blockOf @param {Block[]} blocks @returns {number[][]} */
function enemiesOf({ players, apart, teams }, blockOf, blocks) {
  const enemies = blocks.map(() => /** @type {number[]} */ ([]));
  for (const group of apart) {
    const places = group.map((who) => placeOf(players, who));
    if (places.length > teams) throw new Contradiction("apart_teams", { count: places.length, teams });
    places.forEach((one, at) => places.slice(0, at).forEach((other) => {
      const [a, b] = [blockOf[one], blockOf[other]];
      const names = [other, one].map((place) => quoted(labelOf(players[place]))).join(` ${say("and")} `);
      if (one === other) throw new InputFault("group_twice", { names });
      if (a === b) throw new Contradiction("apart_party", { names });
      if (blocks[a].fixed >= 0 && blocks[a].fixed === blocks[b].fixed) {
        throw new Contradiction("apart_fixed", { names });
      }
      if (enemies[a].includes(b)) return;
      enemies[a].push(b);
      enemies[b].push(a);
    }));
  }
  return enemies;
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
