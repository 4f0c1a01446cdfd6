// Elements from plain values: text is always a text node, so that a name is never markup.
import texts from "./texts.js";

// A link that is opened where its page is open already changes nothing else than this.
addEventListener("hashchange", () => { if (/^#[okt]=/.test(location.hash)) location.reload(); });

const SVG = "http://www.w3.org/2000/svg";

/** What an element may hold. @typedef {Node | string | number | false | null | undefined} Piece */

/** Make an element. A property that is a function listens; `key` lets focus find the element again.
 * @param {string} kind @param {Record<string, any>} [given] @param {...(Piece | Piece[])} pieces */
export function make(kind, given = {}, ...pieces) {
  const [tag, ...classes] = kind.split(".");
  const one = document.createElement(tag);
  if (classes.length) one.className = classes.join(" ");
  return filled(one, given, pieces);
}

/** @param {string} tag @param {Record<string, any>} [given] @param {...Piece} pieces @returns {SVGElement} */
export const draw = (tag, given = {}, ...pieces) => filled(document.createElementNS(SVG, tag), given, pieces);

/** @template {Element} T @param {T} one @param {Record<string, any>} given @param {(Piece | Piece[])[]} pieces @returns {T} */
function filled(one, given, pieces) {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") one.addEventListener(name, value);
    else if (name === "value") /** @type {any} */ (one).value = value;
    else if (name === "key") one.setAttribute("data-key", value);
    else if (name === "class") one.setAttribute("class", `${one.getAttribute("class") ?? ""} ${value}`.trim());
    else one.setAttribute(name, value === true ? "" : String(value));
  }
  for (const piece of pieces.flat()) if (piece || piece === 0) one.append(typeof piece === "number" ? String(piece) : piece);
  return one;
}

/** A name as it may stand in a sentence. @param {string} name */
export const bdi = (name) => make("bdi", { title: name }, name);

/** A text of the catalogue. @param {string} key @param {Record<string, string | number>} [given] @returns {string} */
export const say = (key, given = {}) => texts[key].replace(/\{(\w+)\}/g, (/** @type {string} */ _, /** @type {string} */ name) => String(given[name]));

/** A text of the catalogue with elements in the place of some words. @param {string} key @param {Record<string, Piece | Piece[]>} given @returns {Piece[]} */
export const told = (key, given) => texts[key].split(/\{(\w+)\}/).flatMap((/** @type {string} */ part, /** @type {number} */ at) => (at % 2 ? given[part] : part));

/** Names as a list in a sentence. @param {string[]} names @returns {Piece[]} */
export function listed(names) {
  const last = names.length - 1;
  return names.flatMap((name, at) => (at ? [at < last ? ", " : ` ${say("and")} `, bdi(name)] : [bdi(name)]));
}

const PATHS = {
  lock: "M5 9h10v8H5zM7 9V6a3 3 0 0 1 6 0v3", link: "M8 12l4-4M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2",
  undo: "M7 4L3 8l4 4M3 8h8a5 5 0 0 1 0 10H8", redo: "M13 4l4 4-4 4M17 8H9a5 5 0 0 0 0 10h3", share: "M10 13V3M6.500 6L10 2.500 13.500 6M4 11v6h12v-6",
  qr: "M3 3h5v5H3zM12 3h5v5h-5zM3 12h5v5H3zM12 12h2v2M17 12v2M12 17h2M17 17h0", shuffle: "M3 6h3l8 8h3M3 14h3l2-2M12 8l2-2h3M15 4l2 2-2 2M15 12l2 2-2 2",
  check: "M4 11l4 4 8-9", out: "M5 10h10", copy: "M7 7h9v9H7zM13 7V4H4v9h3", plus: "M10 4v12M4 10h12", play: "M6 4l9 6-9 6z",
  picture: "M3 4h14v12H3zM3 14l4-4 4 4 3-3 3 3M13 8h0",
};

/** @param {keyof typeof PATHS} name */
export const icon = (name) => draw("svg", { class: "icon", viewBox: "0 0 20 20", "aria-hidden": "true" }, draw("path", { d: PATHS[name] }));

/** Put pieces in the place of what an element holds; who had the focus has it again, or has it on the screen. @param {Element} place @param {Piece[]} pieces */
export function show(place, pieces) {
  const had = /** @type {HTMLInputElement | null} */ (place.contains(document.activeElement) ? document.activeElement : null);
  const key = had?.getAttribute("data-key");
  const [from, to] = had && "selectionStart" in had && had.type !== "number" ? [had.selectionStart, had.selectionEnd] : [null, null];
  place.replaceChildren(...pieces.filter((each) => each instanceof Node));
  if (!had || !key) return;
  const again = /** @type {HTMLInputElement | null} */ (place.querySelector(`[data-key="${CSS.escape(key)}"]:not(:disabled)`));
  (again ?? document.getElementById("screen"))?.focus({ preventScroll: true });
  if (again && from !== null) again.setSelectionRange(from, to);
}
