// Shows a page anew when the service tells of new ratings, unless somebody is filling in a form on it.
"use strict";

const news = new EventSource(new URL("v1/events", /** @type {HTMLScriptElement} */ (document.currentScript).src));
let later = 0;

news.addEventListener("ratings", () => { clearTimeout(later); void follow(60); });

/** The service makes its pages some moments after the ratings: ask until there are new ones. @param {number} times */
async function follow(times) {
  const main = document.getElementById("main");
  const answer = await fetch(location.href).catch(() => null);
  const text = answer?.ok ? await answer.text() : "";
  const page = new DOMParser().parseFromString(text, "text/html").getElementById("main");
  const busy = main?.querySelector("input:focus, button:focus");
  if (main && page && !busy && page.innerHTML !== main.innerHTML) main.replaceChildren(...page.childNodes);
  else if (times > 1) later = setTimeout(follow, 3000, times - 1);
}
