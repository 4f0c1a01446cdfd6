// Looks for players by a part of their name, in a folder of files: what a service would do.
"use strict";

const field = /** @type {HTMLInputElement} */ (document.getElementById("q"));
const list = /** @type {HTMLElement} */ (document.getElementById("found"));
const said = /** @type {HTMLElement} */ (document.getElementById("said"));

/** How a name is compared: without marks of its letters, and in lower case. @param {string} name */
const folded = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** @type {[string, string, number, number][]} */
const people = /** @type {any} */ (self).people;

function look() {
  const wanted = folded(field.value.trim());
  const found = wanted ? people.filter((each) => folded(each[0]).includes(wanted)) : [];
  list.replaceChildren(...found.slice(0, 50).map(([name, page, games, points]) => {
    const [row, link, more] = [document.createElement("li"), document.createElement("a"), document.createElement("span")];
    link.href = `../player/${page}.html`;
    link.append(Object.assign(document.createElement("bdi"), { textContent: name }));
    more.className = "hint";
    more.textContent = (list.dataset.row ?? "").replace("{points}", String(points)).replace("{games}", String(games));
    row.append(link, " ", more);
    return row;
  }));
  said.textContent = wanted && !found.length ? list.dataset.none ?? "" : "";
}

field.value = new URLSearchParams(location.search).get("q") ?? "";
field.addEventListener("input", look);
field.form?.addEventListener("submit", (event) => { event.preventDefault(); look(); });
look();
