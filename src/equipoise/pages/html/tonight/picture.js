// The picture of teams or a result, drawn on the device that shares it: 1200 by 630.
import { called, numbers, whole } from "./level.js";
import { say } from "./page.js";

const [WIDTH, HIGH, EDGE] = [1200, 630, 64];
const COLOURS = ["#b02e2e", "#2b62a8", "#17705f", "#755300"];
const SERIF = "ui-serif, Charter, Georgia, serif";

/** A name that fits, cut with dots. @param {CanvasRenderingContext2D} at @param {string} text @param {number} width */
function cut(at, text, width) {
  if (at.measureText(text).width <= width) return text;
  const signs = [...text];
  while (signs.length && at.measureText(`${signs.join("")}…`).width > width) signs.pop();
  return `${signs.join("")}…`;
}

/** @param {{title: string, round: number, teams: string[][], chances: number[], scores: number[], best: number, badge: string}} given @returns {Promise<Blob>} */
export function drawn(given) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HIGH];
  const at = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  /** @param {string} text @param {number} x @param {number} y @param {string} font @param {string} [colour] @param {CanvasTextAlign} [align] @param {number} [most] */
  const write = (text, x, y, font, colour = "#221e18", align = "left", most = 460) => { at.font = font; at.fillStyle = colour; at.textAlign = align; at.fillText(cut(at, text, most), x, y); };
  at.fillStyle = "#faf6ee";
  at.fillRect(0, 0, WIDTH, HIGH);
  write(given.title || "equipoise", EDGE, 74, `600 30px ${SERIF}`, "#221e18", "left", 700);
  write(say("round_n", { round: given.round }), WIDTH - EDGE, 74, "26px system-ui, sans-serif", "#5e574a", "right");
  const two = given.teams.length === 2;
  given.teams.forEach((team, n) => {
    const right = two && n === 1;
    const [x, align] = [right ? WIDTH - EDGE : two ? EDGE : EDGE + n * ((WIDTH - 2 * EDGE) / given.teams.length), /** @type {CanvasTextAlign} */ (right ? "right" : "left")];
    const most = two ? 330 : (WIDTH - 2 * EDGE) / given.teams.length - 16;
    write(`${["●", "◆", "▲", "■"][n % 4]} ${called(n)}`, x, 150, `600 40px ${SERIF}`, COLOURS[n % 4], align, most);
    const step = Math.min(40, 290 / Math.max(team.length, 1));
    team.forEach((name, row) => write(name, x, 205 + row * step, `${Math.min(28, step - 6)}px system-ui, sans-serif`, "#221e18", align, most));
  });
  if (two && given.scores.length) write(given.scores.join(" : "), WIDTH / 2, 270, `600 120px ${SERIF}`, "#221e18", "center", 420);
  if (given.best >= 0) write(say("team_won", { team: called(given.best) }), WIDTH / 2, 330, "28px system-ui, sans-serif", "#5e574a", "center", 420);
  const [x, y, wide, high] = [EDGE, 512, 726, 58];
  const glass = at.createLinearGradient(0, y, 0, y + high);
  glass.addColorStop(0, "#e4ec9a");
  glass.addColorStop(1, "#c6d352");
  at.fillStyle = glass;
  at.strokeStyle = "#7d8a2b";
  at.lineWidth = 2;
  at.beginPath();
  at.roundRect(x, y, wide, high, 29);
  at.fill();
  at.stroke();
  at.strokeStyle = "#3b4a10";
  const [room, rx] = [wide / 2 - 33, 30];
  for (const sign of [-1, 1]) { at.beginPath(); at.moveTo(x + wide / 2 + sign * (room / 8 + rx), y + 1); at.lineTo(x + wide / 2 + sign * (room / 8 + rx), y + high - 1); at.stroke(); }
  const k = given.chances.length;
  (two ? [given.chances[1]] : given.chances).forEach((chance, n) => {
    at.beginPath();
    at.ellipse(x + wide / 2 + room * Math.max(-1, Math.min(1, ((chance - 1 / k) * k) / 0.4)), y + high / 2, two ? rx : 16, two ? 18 : 13, 0, 0, 7);
    at.fillStyle = two ? "#fbfdeb" : COLOURS[n % 4];
    at.fill();
    at.stroke();
  });
  write(numbers(given.chances), WIDTH - EDGE, 536, `600 34px ${SERIF}`, "#221e18", "right", 320);
  write(given.badge || whole(given.chances).map((each, n) => `${called(n)} ${each}`).join(", "), WIDTH - EDGE, 570, "24px system-ui, sans-serif", "#5e574a", "right", 320);
  return new Promise((done) => canvas.toBlob((blob) => done(/** @type {Blob} */ (blob)), "image/png"));
}
