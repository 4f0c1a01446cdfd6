// Shows a page anew when the service tells of new ratings or of running games, unless somebody is filling in a form on it.
"use strict";

const news = new EventSource(new URL("v1/events", /** @type {HTMLScriptElement} */ (document.currentScript).src));

const anew = async () => {
  const main = document.getElementById("main");
  if (!main || main.querySelector("input:focus, button:focus")) return;
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("main");
  if (page) main.replaceChildren(...page.childNodes);
};

news.addEventListener("ratings", anew);
if (location.pathname.includes("/servers/")) news.addEventListener("session", anew);
