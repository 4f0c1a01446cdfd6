// A request as plain data, as `--request` and the page's link have it.
"use strict";

/** Read a request as `--request` takes it.
 * @param {any} data @returns {{request: Asked, unknown: string[]}} */
function requestOf(data) {
  const unknown = Object.keys(data).filter((key) => key !== "players" && !FIELDS.includes(key));
  const rows = Array.isArray(data.players) ? data.players : Object.entries(data.players || {});
  const columns = ["name", "id", "weight", "mu", "sigma", "side", "party", "team", "roles"];
  const players = checked(rows.map((/** @type {any} */ given) => {
    const row = typeof given === "string" ? { name: given } :
      Array.isArray(given) ? { name: given[0], weight: given[1] } : given;
    for (const key of Object.keys(row)) {
      if (!columns.includes(key) && !unknown.includes(key)) unknown.push(key);
    }
    const roles = Array.isArray(row.roles) ? row.roles : row.roles ? Object.keys(row.roles) : [];
    if (row.roles && !Array.isArray(row.roles)) unknown.push(say("role_ratings"));
    return { id: String(row.id ?? row.name ?? ""), name: row.name === undefined ? "" : String(row.name),
      mu: numberIn(row.mu, -1e15, 1e15, "mu") ?? numberIn(row.weight, 0, 1e15, say("weight")), sigma: numberIn(row.sigma, 0, 1e15, "sigma") ?? 0,
      side: numberIn(row.side, 0, 1, say("side")) ?? 0.5, party: row.party ?? null,
      team: row.team === undefined || row.team === null ? null : Number(row.team) - 1, roles };
  }));
  const bots = data.bots === true ? {} : data.bots;
  const count = (/** @type {string} */ field) => numberIn(bots[field], 0, 1e6, say("bots"));
  const request = {
    players, teams: data.teams ?? 2, parties: data.parties ?? [], apart: data.apart ?? [],
    fixed: /** @type {[string, number][]} */ (Object.entries(data.fixed ?? {}).map(([who, team]) => [who, Number(team) - 1])),
    bots: bots ? { weight: bots.weight ?? null,
      target: Math.max(Math.min(count("target") ?? 0, count("maximum") ?? Infinity), count("minimum") ?? 0) } : null,
    roles: /** @type {[string, number][]} */ (Object.entries(data.roles ?? {})), objective: data.objective ?? "spread",
  };
  if (!OBJECTIVES.includes(request.objective)) unknown.push("objective");
  return { request, unknown };
}

/** @param {any} value @param {number} low @param {number} high @param {string} what @returns {number | null} */
function numberIn(value, low, high, what) {
  if (value === undefined || value === null || value === "") return null;
  const number = Number(value);
  if (!(number >= low && number <= high)) throw new InputFault("range", { what, low, high, value });
  return number;
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
  return { players, teams: asked.teams, ...Object.fromEntries(filled), ...(bots ? { bots: bots.weight === null ? { target: bots.target } : bots } : {}), objective };
}

