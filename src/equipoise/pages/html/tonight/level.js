// The spirit level, the verdict in words, and the chances they are made from.
import { draw, make, say } from "./page.js";

/** The logistic curve with this slope is nearly the normal distribution. */
const SLOPE = 1.702;

/** The shape of each team beside its colour. */
const SHAPES = ["M5 0a5 5 0 1 0 .01 0z", "M5-.5L10.500 5 5 10.500-.5 5z", "M5 0l5.500 10H-.5z", "M0 0h10v10H0z"];

/** @param {number} team */
export const shape = (team) =>
  draw("svg", { class: `shape t${(team % 4) + 1}`, viewBox: "-1 -1 12 12", "aria-hidden": "true" }, draw("path", { d: SHAPES[team % 4] }));

/** What a team is called. @param {number} team */
export const called = (team) => (team < 4 ? say(`team_${team + 1}`) : say("team_n", { number: team + 1 }));

/** @param {number} team */
export const teamName = (team) => make("span.teamname", { class: `t${(team % 4) + 1}` }, shape(team), called(team));

/** @typedef {{mu: number, sigma: number}} Skill */

/** The chance of each team: see the win probability of the library.
 * @param {Skill[][]} teams @param {number} beta @param {number} zero @returns {number[]} */
export function chances(teams, beta, zero) {
  let [players, variance, least] = [0, 0, Infinity];
  for (const team of teams) {
    players += team.length;
    least = Math.min(least, team.length);
    for (const each of team) variance += each.sigma * each.sigma;
  }
  const noise = Math.sqrt((variance + beta * beta * Math.max(players, 1)) * (2 / teams.length));
  const powers = teams.map((team) => ((team.reduce((sum, each) => sum + each.mu, 0) - zero * (team.length - least)) * SLOPE) / noise);
  const most = Math.max(...powers);
  const grown = powers.map((power) => Math.exp(power - most));
  const whole = grown.reduce((sum, each) => sum + each, 0);
  return grown.map((each) => each / whole);
}

/** Chances as whole numbers that add up to 100. @param {number[]} given @returns {number[]} */
export function whole(given) {
  const found = given.map((each) => Math.floor(100 * each + 1e-9));
  const order = given.map((each, at) => [100 * each - found[at], at]).sort((one, other) => other[0] - one[0] || one[1] - other[1]);
  for (let left = 100 - found.reduce((sum, each) => sum + each, 0), at = 0; left > 0; left--, at++) found[order[at % order.length][1]]++;
  return found;
}

/** How far the furthest team is off its fair share, in hundredths of it. @param {number[]} given */
const off = (given) => Math.max(...given.map((each) => Math.abs(100 * each * given.length - 100)));

/** Whether the bubble is within the lines. @param {number[]} given */
export const isEven = (given) => off(given) <= 5 + 1e-9;

/** The verdict: "Even", "Close", "Red ahead" or "Red far ahead". @param {number[]} given */
export function verdict(given) {
  const far = off(given);
  if (far <= 5 + 1e-9) return say("even");
  if (far <= 20) return say("close");
  const first = called(given.indexOf(Math.max(...given)));
  return say(far <= 40 ? "ahead" : "far_ahead", { team: first });
}

/** The verdict with its numbers: "Even: 49 : 51", of more teams "Close: 22 to 28". @param {number[]} given */
export function numbers(given) {
  const [parts, word] = [whole(given), verdict(given)];
  return given.length === 2 ? `${word}: ${parts[0]}\u00a0:\u00a0${parts[1]}` : `${word}: ${Math.min(...parts)} ${say("to")} ${Math.max(...parts)}`;
}

/** Which teams have more players; nothing where none has. @param {string[][]} teams */
export function larger(teams) {
  const sizes = teams.map((team) => team.length);
  const [most, least] = [Math.max(...sizes), Math.min(...sizes)];
  if (most === least || !least) return "";
  const which = sizes.flatMap((size, at) => (size === most ? [called(at)] : [])).join(", ");
  return say(most - least === 1 ? "larger_by_one" : "larger_by", { count: most - least, teams: which });
}

/** All of it as one sentence, for those who hear it. @param {number[]} given @param {string} badge */
export function aloud(given, badge) {
  const parts = whole(given).map((each, at) => `${called(at)} ${each}`);
  return `${verdict(given)}. ${parts.join(", ")} ${say("in_100")}. ${badge}`;
}

/** The level. @param {number[]} given @param {number[] | null} best where a dashed ghost stays @param {number} width @param {string} label */
export function level(given, best, width, label) {
  const k = given.length;
  const [high, rx] = [40, k === 2 ? 20 : 11];
  const room = width / 2 - rx - 3;
  /** @param {number} chance */
  const at = (chance) => width / 2 + room * Math.max(-1, Math.min(1, ((chance - 1 / k) * k) / 0.4));
  const line = room / 8 + rx;
  const parts = [
    draw("defs", {}, draw("linearGradient", { id: "glass", x2: "0", y2: "1" }, draw("stop", { offset: "0" }), draw("stop", { offset: "1" }))),
    draw("rect", { class: "glass", fill: "url(#glass)", x: 1, y: 1, width: width - 2, height: high - 2, rx: 19 }),
    draw("rect", { class: "shine", x: 16, y: 4, width: Math.max(width - 32, 0), height: 6, rx: 3 }),
    draw("path", { class: "mark", d: `M${width / 2 - line} 1.500v37M${width / 2 + line} 1.500v37` }),
  ];
  if (best && k === 2) parts.push(draw("ellipse", { class: "ghost", cx: at(best[1]), cy: 20, rx, ry: 12.5 }));
  if (k === 2) parts.push(draw("ellipse", { class: "bubble", cx: at(given[1]), cy: 20, rx, ry: 12.5 }));
  else {
    given.forEach((chance, team) => {
      const beside = given.slice(0, team).filter((other) => Math.abs(at(other) - at(chance)) < 2 * rx - 2).length;
      const y = [20, 11, 29, 20][beside] ?? 20;
      parts.push(draw("ellipse", { class: "bubble", cx: at(chance), cy: y, rx: 10, ry: 8.5 }));
      parts.push(draw("path", { class: `t${(team % 4) + 1}`, fill: "var(--own)", d: SHAPES[team % 4], transform: `translate(${at(chance) - 4} ${y - 4}) scale(.8)` }));
    });
  }
  return draw("svg", { class: "level", role: "img", "aria-label": label, viewBox: `0 0 ${width} ${high}`, preserveAspectRatio: "none" }, ...parts);
}
