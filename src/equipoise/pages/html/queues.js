// Shows how the queues of the service stand that sent this page, every other second while it is looked at.
"use strict";

/** @typedef {{queue: string, waiting: number, oldest: number, bands: Record<string, number>, proposed: number, running: number, openings: number, players: number, paused: boolean, closed: boolean, words: string[], recent: Record<string, number>}} Queue */

const PAUSE = 2000;
const shown = /** @type {HTMLElement} */ (document.getElementById("queues"));
const state = /** @type {HTMLElement} */ (document.getElementById("state"));
const waiting = state.textContent;
/** The order of the bands, from the lowest. @param {string} band */
const low = (band) => (band.startsWith("below") ? -99 : parseFloat(band));

/** A time as people say it. @param {number} seconds */
function time(seconds) {
  return seconds < 120 ? `${seconds.toFixed(seconds < 10 ? 1 : 0)} s` : `${(seconds / 60).toFixed(0)} min`;
}

/** Fills in one queue. @param {Element} section @param {Queue} queue */
function fill(section, queue) {
  /** @param {string} name */
  const at = (name) => /** @type {HTMLElement} */ (section.querySelector(`[data-is="${name}"]`));
  at("queue").textContent = queue.queue;
  for (const name of /** @type {const} */ (["paused", "closed"])) at(name).hidden = !queue[name];
  for (const name of /** @type {const} */ (["waiting", "proposed", "running", "openings", "players"])) {
    at(name).textContent = String(queue[name]);
  }
  at("oldest").textContent = time(queue.oldest);
  const { matches, wait, p95, imbalance, relaxed } = queue.recent;
  at("recent_matches").textContent = String(matches);
  at("recent_wait").textContent = matches ? time(wait ?? 0) : "–";
  at("recent_p95").textContent = matches ? time(p95 ?? 0) : "–";
  const strong = 50 + 100 * (imbalance ?? 0);
  at("recent_imbalance").textContent = matches ? `${strong.toFixed(1)} : ${(100 - strong).toFixed(1)}` : "–";
  at("recent_relaxed").textContent = String(relaxed);
  at("bands").replaceChildren(
    ...Object.entries(queue.bands).sort(([one], [other]) => low(one) - low(other)).map(([band, count]) => {
      const row = document.createElement("tr");
      row.append(document.createElement("td"), document.createElement("td"));
      /** @type {Element} */ (row.firstChild).textContent = band;
      const cell = /** @type {Element} */ (row.lastChild);
      cell.textContent = String(count);
      cell.className = "number";
      return row;
    }),
  );
  at("words").replaceChildren(...queue.words.map((line) => {
    const item = document.createElement("li");
    item.textContent = line;
    return item;
  }));
}

async function show() {
  if (!document.hidden) {
    const answer = await fetch("v1/queues").catch(() => null);
    if (answer?.ok) {
      const { queues } = /** @type {{queues: Queue[]}} */ (await answer.json());
      const template = /** @type {HTMLTemplateElement} */ (document.getElementById("queue"));
      while (shown.children.length < queues.length) shown.append(template.content.cloneNode(true));
      queues.forEach((queue, n) => fill(/** @type {Element} */ (shown.children[n]), queue));
      /** @type {HTMLElement} */ (document.getElementById("none")).hidden = queues.length > 0;
      state.textContent = new Date().toLocaleTimeString();
    } else {
      state.textContent = waiting;
    }
  }
  setTimeout(show, PAUSE);
}

void show();
