// Shows a page anew when matches come that it shows, unless somebody is filling in a form on it.
"use strict";

const news = new EventSource(new URL("v1/events", /** @type {HTMLScriptElement} */ (document.currentScript).src));
const [kind, ...rest] = (document.getElementById("main")?.dataset.news ?? "").split(" ");
const own = rest.join(" ");

/** Who played in matches that came since the last ratings. @type {Set<string>} */
let since = new Set();
let later = 0;

news.addEventListener("match", (event) => {
  for (const contest of JSON.parse(event.data).contests) {
    for (const team of contest.teams) for (const member of team) since.add(typeof member === "string" ? member : member[0] ?? member.player);
  }
});

news.addEventListener("ratings", (event) => {
  const came = since;
  since = new Set();
  // Without matches it is a correction, or there were too many to list.
  const listed = came.size > 0;
  if (!kind || (listed && kind === "match") || (listed && kind === "player" && !came.has(own))) return;
  clearTimeout(later);
  // Not all who look at a page ask at the same moment.
  later = setTimeout(follow, 400 * Math.random(), JSON.parse(event.data).revision, 8);
});

/** Take over the page as it is at a revision; the service may be on its way to it. @param {number} revision @param {number} times */
async function follow(revision, times) {
  const main = document.getElementById("main");
  const answer = await fetch(location.href, { cache: "no-cache" }).catch(() => null);
  const busy = main?.querySelector("input:focus, details[open]");
  if (answer?.ok && !busy) {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
    if (main && page && page.innerHTML !== main.innerHTML) main.replaceChildren(...page.childNodes);
  }
  const there = Number(answer?.headers.get("x-revision") ?? 0) >= revision;
  if (times && (busy || !there)) later = setTimeout(follow, busy ? 5000 : 300, revision, times - 1);
}
