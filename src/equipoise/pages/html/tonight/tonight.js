// The evening: which screen is shown, and what each tap does.
import { aloud, called, chances, isEven, larger, level, numbers, shape, teamName, whole } from "./level.js";
import { bdi, draw, icon, listed, make, say, show, told } from "./page.js";
import { ask, evening, guestsLink, keys, linked, listen, outbox, seat, send, state, tap, wake, whenever } from "./wire.js";

const [screen, bar, said] = ["screen", "bar", "said"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));

/** What only this page knows: who is held for a swap, what is typed, what is open. */
const ui = {
  /** @type {string | null} */ held: null,
  /** @type {(string | number)[]} */ score: [],
  /** @type {string[][] | null} */ links: linked,
  /** @type {string[] | null} */ qr: null,
  /** @type {any[]} */ regulars: [],
  /** @type {string[]} */ captains: [],
  open: "", text: "", search: "", code: "", wasAloud: "", old: "", next: "", copied: "", picture: "", at: "", coming: "",
};

const organiser = () => state.role === "organiser";
/** @param {string} id */
const person = (id) => state.view.people.find((/** @type {any} */ each) => each.id === id) ?? { id, name: id, points: 500, low: 500, high: 500, mu: 0, sigma: 0, games: 0 };
const mine = () => state.view?.people.find((/** @type {any} */ each) => state.seat && each.seat === state.seat);
const here = () => state.view.people.filter((/** @type {any} */ each) => each.status === "in");
/** @param {string[]} ids */
const namesOf = (ids) => ids.map((id) => person(id).name);
/** @param {number} games */
const isNew = (games) => games < 10;

/** What is waiting here for one's own seat, until the line is back. */
const waiting = () => outbox.filter((each) => each.type === "status" || each.type === "claim").at(-1);

// Pieces

/** @param {any} each what is known of somebody @param {boolean} [bare] */
function points(each, bare) {
  const mark = isNew(each.games) ? "~" : "";
  const shown = make("span.points", {}, `${mark}${each.points}`);
  if (!bare) {
    const [low, high] = [Math.max(0, each.low) / 10, Math.min(1000, each.high) / 10];
    shown.append(draw("svg", { class: "band", "aria-hidden": "true" }, draw("rect", { x: `${low}%`, width: `${Math.max(high - low, 4)}%`, height: 5, rx: 2.5 })));
  }
  return shown;
}

/** @param {string} text @param {() => void} act @param {Record<string, any>} [more] @param {...any} pieces */
const button = (text, act, more = {}, ...pieces) => make("button", { type: "button", click: act, key: text, ...more }, ...(pieces.length ? pieces : [text]));

/** The line of what was done last, and Undo. @param {any} step */
function deed(step) {
  const names = step.names.map((/** @type {string} */ name) => bdi(name));
  const key = step.type === "status" || step.type === "claim" ? `did_${step.type === "claim" ? "in" : step.status}` : `did_${step.type}`;
  return told(key, { one: names[0] ?? "", other: names[1] ?? "" });
}
/** @param {any} step */
const deedText = (step) => make("span", {}, ...deed(step)).textContent ?? "";

function notes() {
  const found = [];
  if (!state.online) found.push(make("p.note", {}, say(outbox.length ? "offline_kept" : "offline")));
  if (state.note) found.push(make("p.note.fault", { role: "alert" }, state.note));
  if (ui.copied) found.push(make("p.note", { role: "status" }, ui.copied));
  const question = state.question;
  if (question?.why === "near")
    found.push(make("div.ask", { role: "alert" }, make("p", {}, ...told("near", { name: bdi(question.name), known: bdi(question.known) })),
      make("div.row", {}, button("yes", () => tap({ type: "claim", who: question.who }), {}, make("span", {}, ...told("near_yes", { known: bdi(question.known) }))),
        button("no", () => tap({ type: "claim", name: question.name, sure: true }), {}, make("span", {}, ...told("near_no", { name: bdi(question.name) }))))));
  if (question?.why === "paste") found.push(make("div.ask", { role: "alert" }, make("p", {}, make("b", {}, say("paste_question")), " ", question.text),
      make("div.row", {}, ...Object.entries(question.ways ?? {}).map(([way, name]) => button(`way ${way}`, () => tap({ type: "add", text: question.paste, read: way }), {}, ...told("read_as", { name: bdi(String(name)) }))), button("leave", () => { state.question = null; paint(); }, {}, say("cancel")))));
  for (const each of state.view?.people ?? []) {
    if (!each.asked) continue;
    if (each.seat === state.seat || organiser())
      found.push(make("div.ask", { role: "alert" }, make("p", {}, ...told("asks", { name: bdi(each.name) })),
        make("div.row", {}, button(`allow ${each.id}`, () => tap({ type: "allow", who: each.id }), {}, say("allow")), button(`deny ${each.id}`, () => tap({ type: "deny", who: each.id }), {}, say("deny")))));
    else if (each.asked === state.seat) found.push(make("div.ask", {}, make("p", {}, ...told("asked", { name: bdi(each.name) })), make("div.row", {}, button("not you", () => open("who"), {}, say("not_you")))));
  }
  return found;
}

/** The card of who one is. */
function you() {
  const me = mine();
  if (!me) return organiser() ? make("p.note", {}, say("no_seat"), " ", button("pick", () => open("who"), { class: "plain" }, say("pick_name"))) : null;
  const pending = waiting();
  const status = pending?.type === "status" ? pending.status : me.status;
  /** @param {string} wanted */
  const set = (wanted) => () => tap({ type: "status", who: me.id, status: wanted });
  return make("section.card.you", { "aria-label": say("you") },
    make("header", {}, make("strong", {}, ...told("you_are", { name: bdi(me.name) })), button("not you", () => open("who"), {}, say("not_you"))),
    make("div.three", {},
      ...[["in", say("im_in")], ["maybe", say("maybe")], ["out", say("out")]].map(([wanted, text]) =>
        button(`set ${wanted}`, set(wanted), { "aria-pressed": String(status === wanted) }, status === wanted ? icon("check") : null, text))),
    linking(me.id),
    pending && !state.online ? make("p.quiet", {}, say("saved_here")) : null);
}

/** The form for a code that somebody was given in a chat. @param {string} who */
function linking(who) {
  const panel = `link ${who}`;
  if (ui.open !== panel) return button(panel, () => { ui.text = ""; open(panel); }, { class: "plain" }, icon("link"), say("link"));
  return make("form", { "data-panel": panel, submit: (/** @type {any} */ event) => { event.preventDefault(); const code = ui.text.trim(); ui.text = ""; ui.open = ""; tap({ type: "link", who, code }); } },
    make("label", { for: "code" }, say("link")), make("div.row", {}, make("input", { id: "code", key: panel, maxlength: 40, required: true, autocomplete: "off", value: ui.text, input: (/** @type {any} */ event) => { ui.text = event.target.value; } }), make("button.filled", {}, say("link_do"))));
}

/** @param {string} what */
function open(what) {
  ui.open = ui.open === what ? "" : what;
  ui.copied = "";
  if (ui.open === "who") void loadRegulars();
  if (ui.open === "share" && !ui.qr) void loadQr();
  paint();
  if (ui.open) screen.querySelector(`[data-panel="${ui.open}"]`)?.scrollIntoView({ block: "nearest" });
}

async function loadRegulars() {
  const answer = await ask("/regulars").catch(() => null);
  if (answer?.ok) ui.regulars = (await answer.json()).people;
  paint();
}

async function loadQr() {
  const answer = await ask("/qr", { link: guestsLink() }).catch(() => null);
  if (answer?.ok) ui.qr = (await answer.json()).rows;
  paint();
}

// Who are you?

/** @param {any} who */
const claim = (who) => () => { ui.open = ""; tap({ type: "claim", ...who }); };

function visit() {
  const view = state.view;
  const known = [...view.people, ...ui.regulars.filter((each) => !view.people.some((/** @type {any} */ one) => one.id === each.id))];
  const wanted = ui.search.toLowerCase();
  const shown = known.filter((each) => each.name.toLowerCase().includes(wanted)).slice(0, wanted ? 60 : Math.max(24, view.people.length));
  const full = view.size && here().length >= view.size * view.teams;
  return [
    make("h1", {}, say(organiser() ? "who_are_you" : "playing")),
    make("p.lead", {}, view.title ? [bdi(view.title), when(view) ? `, ${when(view)}. ` : ". "] : null, say(full ? "full" : "tap_name")),
    known.length > 12 ? make("input.search", { type: "search", key: "search", "aria-label": say("find_name"), placeholder: say("find_name"), value: ui.search, input: (/** @type {any} */ event) => { ui.search = event.target.value; paint(); } }) : null,
    make("div.two.names", {}, ...shown.map((each) => button(`claim ${each.id}`, claim({ who: each.id }), {}, bdi(each.name),
      each.status ? make("em", {}, say(each.seat && each.seat !== state.seat ? (each.status === "in" ? "seat_in" : "seat_taken") : `is_${each.status}`)) : null))),
    ui.open === "new" || !known.length
      ? make("form.card", { submit: (/** @type {any} */ event) => { event.preventDefault(); const name = ui.text.trim(); if (name) { ui.text = ""; claim({ name })(); } } },
        make("label", { for: "name" }, say("your_name")),
        make("div.row", {}, make("input", { id: "name", key: "name", maxlength: 40, autocomplete: "nickname", required: true, value: ui.text, input: (/** @type {any} */ event) => { ui.text = event.target.value; } }), make("button.filled", {}, say("im_in"))))
      : button("new", () => { ui.open = "new"; paint(); document.getElementById("name")?.focus(); }, { class: "dashed" }, icon("plus"), say("new_here")),
    make("p.quiet", {}, say("no_account")),
    mine() || organiser() ? button("back", () => open(""), {}, say("back")) : null,
  ];
}

/** @param {any} view */
function when(view) {
  return view.starts ? new Date(1000 * view.starts).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : "";
}

// Who is in

function gathering() {
  const view = state.view;
  const maybe = view.people.filter((/** @type {any} */ each) => each.status === "maybe");
  const out = view.people.filter((/** @type {any} */ each) => each.status === "out");
  return [make("div.columns", {}, make("div", {},
    make("div.head", {}, make("div", {}, make("h1", {}, when(view) ? say("tonight_at", { time: when(view) }) : say("tonight")), make("p.lead", {}, bdi(view.title))),
      make("p.quiet", {}, make("span.big", {}, String(here().length)), make("span", {}, maybe.length ? say("in_maybe", { count: maybe.length }) : say("in_now")))),
    you(),
    make("h2", {}, say("in_list"), make("small", {}, String(here().length))),
    here().length ? roster(here()) : make("p.quiet", {}, say("nobody_yet")),
    ...[[maybe, "maybe_list"], [out, "out_list"]].map(([list, title]) => list.length ? [make("h2", {}, say(String(title)), make("small", {}, String(list.length))),
      make("div.pills", {}, ...(/** @type {any[]} */ (list)).map((each) => organiser()
        ? button(`in ${each.id}`, () => tap({ type: "status", who: each.id, status: "in" }), { class: "pill", "aria-label": say("bring_in", { name: each.name }) }, bdi(each.name), each.until ? `, ${each.until}` : null)
        : make("span.pill", {}, bdi(each.name), each.until ? `, ${each.until}` : null)))] : null).flat(),
    organiser() ? [adding(), settings()] : null, activity()), make("aside.aside", {}, sharing()))];
}

/** @param {any[]} people */
function roster(people) {
  const order = [...people].sort((one, other) => (one.party ?? 1e9) - (other.party ?? 1e9) || other.points - one.points);
  return make("ul.list", {}, ...order.map((each) => {
    const me = each.seat && each.seat === state.seat;
    const name = [bdi(each.name), me ? ` ${say("and_you")}` : null];
    const small = isNew(each.games) ? say(each.games === 1 ? "new_one" : "new_games", { games: each.games }) : each.out ? say(each.out === 1 ? "sat_out" : "sat_out_many", { count: each.out }) : null;
    return make("li", { class: me ? "me" : "" }, make("span.who", {}, organiser() ? button(`who ${each.id}`, () => open(`person ${each.id}`), { "aria-expanded": String(ui.open === `person ${each.id}`) }, make("span", {}, ...name)) : make("span", {}, ...name),
      small ? make("small", {}, small) : null, ui.open === `person ${each.id}` ? personal(each) : ui.open === `link ${each.id}` && !me ? linking(each.id) : null), each.party !== null ? icon("link") : null, points(each));
  }));
}

/** @param {any} each */
function personal(each) {
  /** @param {string} status */
  const set = (status) => () => { ui.open = ""; tap({ type: "status", who: each.id, status }); };
  const party = ui.captains.includes(each.id);
  return make("span.row", {}, button("p maybe", set("maybe"), {}, say("maybe")), button("p out", set("out"), {}, say("out")),
    button("p party", () => { ui.captains = party ? ui.captains.filter((one) => one !== each.id) : [...ui.captains, each.id]; if (ui.captains.length === 2) { tap({ type: "party", who: ui.captains }); ui.captains = []; ui.open = ""; } paint(); }, { "aria-pressed": String(party) }, say(party ? "party_with" : "party")),
    each.party !== null ? button("p alone", () => { ui.open = ""; tap({ type: "party", who: [each.id] }); }, {}, say("alone")) : null,
    button("p link", () => { ui.text = ""; open(`link ${each.id}`); }, {}, say("link")));
}

function adding() {
  if (ui.open !== "add") return button("add", () => open("add"), { class: "dashed" }, icon("plus"), say("add_names"));
  return make("form.card", { "data-panel": "add", submit: (/** @type {any} */ event) => { event.preventDefault(); const text = ui.text; ui.text = ""; ui.open = ""; tap({ type: "add", text }); } },
    make("label", { for: "paste" }, say("names")), make("textarea", { id: "paste", key: "paste", rows: 5, required: true, spellcheck: "false", placeholder: say("example"), value: ui.text, input: (/** @type {any} */ event) => { ui.text = event.target.value; } }),
    make("div.actions", {}, make("button.filled", {}, say("add")), button("cancel", () => open("add"), {}, say("cancel"))));
}

function settings() {
  const view = state.view;
  /** @param {any} more */
  const set = (more) => tap({ type: "settings", teams: view.teams, size: view.size, ...more });
  /** @param {string} text @param {string} how */
  const setMaps = (text, how) => { const maps = text.split(",").map((each) => each.trim()).filter(Boolean); tap({ type: "maps", maps, how: maps.length > 1 ? how : "turn" }); };
  return make("details", { open: ui.open === "settings", toggle: (/** @type {any} */ event) => { ui.open = event.target.open ? "settings" : ui.open === "settings" ? "" : ui.open; } }, make("summary", {}, say("settings")),
    make("div.row", {},
      make("label", {}, say("how_many_teams"), make("select", { key: "teams", change: (/** @type {any} */ event) => set({ teams: Number(event.target.value) }) }, ...[2, 3, 4].map((k) => make("option", { value: k, selected: k === view.teams }, String(k))))),
      make("label", {}, say("at_most"), make("select", { key: "size", change: (/** @type {any} */ event) => set({ size: Number(event.target.value) }) }, ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12].map((size) => make("option", { value: size, selected: size === view.size }, size ? String(size) : say("everyone"))))),
      make("label", {}, say("maps"), make("input", { key: "maps", value: view.maps.join(", "), autocomplete: "off", change: (/** @type {any} */ event) => setMaps(event.target.value, view.map_by) })),
      make("label", {}, say("map_by"), make("select", { key: "map by", disabled: view.maps.length < 2, change: (/** @type {any} */ event) => setMaps(view.maps.join(","), event.target.value) }, ...["turn", "veto", "vote"].map((how) => make("option", { value: how, selected: how === view.map_by }, say(`by_${how}`))))),
      button("draft", () => open("draft"), {}, say("draft"))),
    ui.open === "draft" ? null : null);
}

function drafting() {
  const view = state.view;
  return make("section.card", { "data-panel": "draft" }, make("h1", {}, say("captains")), make("p.quiet", {}, say("captains_lead", { count: view.teams })),
    make("div.two", {}, ...here().map((/** @type {any} */ each) => button(`captain ${each.id}`, () => {
      ui.captains = ui.captains.includes(each.id) ? ui.captains.filter((one) => one !== each.id) : [...ui.captains, each.id].slice(-view.teams);
      paint();
    }, { "aria-pressed": String(ui.captains.includes(each.id)) }, bdi(each.name)))),
    make("div.actions", {}, button("begin draft", () => { tap({ type: "draft", captains: ui.captains }); ui.captains = []; ui.open = ""; }, { class: "filled", disabled: ui.captains.length !== view.teams }, say("begin_draft")), button("cancel", () => open(""), {}, say("cancel"))));
}

function activity() {
  const steps = state.view.steps.slice(-6).reverse();
  if (!steps.length) return null;
  return make("details", { open: ui.open === "steps" }, make("summary", {}, say("just_now")), make("ul.steps", {}, ...steps.map((/** @type {any} */ step) => {
    const may = step.by === "guest" ? organiser() || step.device === state.seat : organiser() && state.view.undo?.id === step.id;
    return make("li", {}, make("span", {}, ...deed(step)), may ? button(`undo ${step.id}`, () => tap({ type: "undo", of: step.id }), {}, icon("undo"), say("undo")) : null);
  })));
}

// The link and its code

function sharing() {
  const link = guestsLink();
  const { host } = new URL(link);
  const local = /^(localhost|127\.|\[::1\])/.test(host);
  return make("section.card.share", { "data-panel": "share", "aria-label": say("scan") }, make("h2", {}, say("scan")),
    ui.qr ? qrPicture(ui.qr) : button("show qr", () => { void loadQr(); }, {}, icon("qr"), say("show_code")),
    make("p.quiet", {}, say("nobody_needs")),
    make("div.actions", {}, button("copy link", () => copy(link), {}, icon("copy"), say("copy_link"))),
    ui.open === "text" ? make("label", {}, say("this_text"), make("input", { readonly: true, value: ui.text, key: "copied", focus: (/** @type {any} */ event) => event.target.select() })) : null,
    make("p.quiet", {}, say(local ? "unreachable_here" : "unreachable", { host })));
}

/** @param {string[]} rows */
function qrPicture(rows) {
  const path = rows.flatMap((row, y) => [...row].map((dark, x) => (dark === "1" ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return draw("svg", { class: "qr", viewBox: `0 0 ${rows.length} ${rows.length}`, role: "img", "aria-label": say("qr_label"), "shape-rendering": "crispEdges" }, draw("path", { d: path, fill: "#221e18" }));
}

/** Copy a text: by the clipboard, by the way of old, or by hand where a page may do neither. @param {string} text */
async function copy(text) {
  let done = false;
  try { await navigator.clipboard.writeText(text); done = true; } catch { done = false; }
  if (!done) {
    const area = /** @type {HTMLTextAreaElement} */ (make("textarea", { value: text, readonly: true, "aria-hidden": "true" }));
    document.body.append(area);
    area.select();
    done = document.execCommand("copy");
    area.remove();
  }
  ui.copied = say(done ? "copied" : "copy_by_hand");
  if (!done) { ui.open = "text"; ui.text = text; }
  paint();
}

// Teams

/** The teams in view: of the evening, or of the link that was opened. */
function shown() {
  const view = state.view;
  if (!ui.links) return view.division;
  const teams = ui.links;
  const [beta, zero] = [view.division?.beta ?? view.people[0]?.sigma ?? 1, view.division?.zero ?? view.people[0]?.mu ?? 0];
  return { id: "link", teams, chances: chances(teams.map((/** @type {string[]} */ team) => team.map(person)), beta, zero), out: [], proof: "hand", best: [], hand: true, even: 0, others: 0, locks: [], why: {}, ratings: {}, beta, zero };
}

/** @param {any} division */
function badge(division) {
  if (division.hand) return ["", say("badge_hand")];
  if (division.proof === "proven") return ["good", say("badge_proven")];
  if (division.proof === "near") return ["near", say("badge_near")];
  return ["", say(division.proof === "captains" ? "badge_captains" : "badge_found")];
}

/** One sentence why. @param {any} division */
function reason(division) {
  const [why, best] = [division.why, division.best];
  if (ui.links) return told("why_link", {});
  if (division.hand && best.length) return told("why_hand", { now: whole(division.chances).join("\u00a0:\u00a0"), best: whole(best).join("\u00a0:\u00a0") });
  if (division.hand) return told("why_link", {});
  if (division.proof === "captains") return told("why_captains", {});
  if (why.came?.length) return told(why.came.length === 1 ? "why_came" : "why_came_many", { names: listed(namesOf(why.came)), team: called(Math.max(0, division.teams.findIndex((/** @type {string[]} */ team) => team.includes(why.came[0])))), chances: whole(division.chances).join("\u00a0:\u00a0") });
  if (why.left?.length) return told("why_left", { names: listed(namesOf(why.left)), chances: whole(division.chances).join("\u00a0:\u00a0") });
  if (why.repeated) return told("why_repeated", {});
  const together = (why.together ?? []).map((/** @type {string[]} */ party) => listed(namesOf(party)));
  const keeps = together.length ? [say("that_keep"), ...together.flatMap((/** @type {any[]} */ names, /** @type {number} */ at) => (at ? [", ", ...names] : names)), say("together")] : [];
  if (division.proof === "proven" && why.count > 1 && !why.locks?.length) return told(why.closest ? "why_count" : "why_count_within", { count: why.count.toLocaleString(), keeps });
  if (division.proof === "proven") return told("why_none", { keeps });
  if (why.fresh) return told("why_fresh", {});
  return told(division.proof === "near" ? "why_near" : "why_found", {});
}

/** The one whose skill is known least, and what the game could be. @param {any} division */
function unsure(division) {
  const known = (/** @type {string} */ id) => division.ratings[id] ?? person(id);
  const all = division.teams.flat().map((/** @type {string} */ id) => ({ id, ...known(id) }));
  const least = all.filter((/** @type {any} */ each) => isNew(each.games)).sort((/** @type {any} */ one, /** @type {any} */ other) => other.sigma - one.sigma)[0];
  if (!least) return null;
  const could = [-1.3, 1.3].map((sign) => chances(division.teams.map((/** @type {string[]} */ team) => team.map((id) => ({ mu: known(id).mu + (id === least.id ? sign * known(id).sigma : 0), sigma: id === least.id ? 0 : known(id).sigma }))), division.beta, division.zero));
  const worst = could.sort((one, other) => Math.max(...other) - Math.max(...one))[0];
  return { least, worst: whole(worst) };
}

/** The chances with two players swapped; null where that breaks what holds. @param {any} division @param {string} one @param {string} other */
function swapped(division, one, other) {
  const place = { [one]: other, [other]: one };
  const teams = division.teams.map((/** @type {string[]} */ team) => team.map((id) => place[id] ?? id));
  return chances(teams.map((/** @type {string[]} */ team) => team.map((id) => division.ratings[id] ?? person(id))), division.beta, division.zero);
}

/** The names of a party that a swap would part. @param {any} division @param {string} one @param {string} other */
function parts(division, one, other) {
  for (const id of [one, other]) {
    const party = person(id).party;
    const mates = party === null || party === undefined ? [] : state.view.people.filter((/** @type {any} */ each) => each.party === party && each.id !== id && division.teams.flat().includes(each.id));
    if (mates.length && !mates.every((/** @type {any} */ each) => each.id === one || each.id === other)) return [person(id).name, mates[0].name];
  }
  return null;
}

function verdictHead(/** @type {any} */ division) {
  const [kind, text] = badge(division);
  const parts = whole(division.chances);
  const head = numbers(division.chances);
  const [before, after] = head.split("\u00a0:\u00a0");
  const label = aloud(division.chances, [larger(division.teams), `${text}.`].filter(Boolean).join(" "));
  if (label !== ui.wasAloud) { ui.wasAloud = label; said.textContent = label; }
  return [
    make("div.verdict", {}, make("h1", {}, ...(after === undefined ? [head] : [before, make("i", {}, "\u00a0:\u00a0"), after])),
      make("span.badge", { class: kind }, kind === "good" ? icon("check") : null, text)),
    level(division.chances, division.hand && division.best.length ? division.best : null, levelWidth(), label),
    parts.length === 2
      ? make("div.ends", {}, make("span.teamname.t1", {}, shape(0), `${called(0)} ${parts[0]}`), make("span", {}, say("in_100_games")), make("span.teamname.t2", {}, shape(1), `${parts[1]} ${called(1)}`))
      : make("div.ends", {}, make("span", {}, say("less")), make("span", {}, say("more"))),
    larger(division.teams) ? make("p.note", {}, larger(division.teams)) : null,
  ];
}

const levelWidth = () => Math.max(240, Math.min(innerWidth, 1120) - 32 - (innerWidth >= 900 ? 360 : 0));

function teams() {
  const view = state.view;
  const division = shown();
  const may = organiser() && view.phase === "teams" && !ui.links;
  if (ui.held && (!may || !division.teams.flat().concat(division.out).includes(ui.held))) ui.held = null;
  const held = ui.held;
  const many = division.teams.some((/** @type {string[]} */ team) => team.length > 14);
  const best = held ? bestSwap(division, held) : null;
  const broken = ui.next ? make("p.ask", { role: "alert" }, ui.next) : null;
  const lead = held
    ? make("p.why", {}, make("b", {}, ...told("swaps_with", { name: bdi(person(held).name) })), " ", say("each_number"), " ", ...(best ? told(isEven(best.chances) ? "stays_level" : "comes_closest", { name: make("b", {}, bdi(person(best.id).name)) }) : []))
    : make("p.why", {}, ...reason(division));
  const uncertain = unsure(division);
  const side = make("aside.aside", {}, make("h2", {}, say("why_these")), make("ul.steps", {},
    division.proof === "proven" && !division.hand ? make("li", {}, make("span", {}, make("b", {}, say("nothing_closer")), " ", ...reason(division))) : null,
    uncertain ? make("li", {}, make("span", {}, make("b", {}, ...told("is_new", { name: bdi(uncertain.least.name ?? person(uncertain.least.id).name) })), " ", ...told("could_be", { name: bdi(person(uncertain.least.id).name), chances: uncertain.worst.join("\u00a0:\u00a0") }))) : null,
    division.why.owed?.length ? make("li", {}, make("span", {}, ...told("owed", { names: listed(namesOf(division.why.owed)) }))) : null));
  return [make("div.columns", {}, make("div", {}, ...verdictHead(division), lead,
    make("div.teams", { class: `k${division.teams.length}${held ? " swapping" : ""}${many ? " many" : ""}` }, ...division.teams.map((/** @type {string[]} */ team, /** @type {number} */ n) =>
      make("section.team", { class: `t${(n % 4) + 1}`, "aria-label": called(n) }, make("header", {}, make("h2", {}, shape(n), called(n)), make("span", {}, division.teams.length > 2 ? say("share", { chance: whole(division.chances)[n] }) : say(team.length === 1 ? "one_player" : "players", { count: team.length }))),
        make("ul", {}, ...team.map((id) => make("li", {}, chip(division, id, n, held, may, many))))))),
    broken, waitingForMap(division),
    division.out.length ? make("p.note", {}, ...told(division.out.length === 1 ? "sits_out" : "sit_out", { names: listed(namesOf(division.out)) })) : null,
    held ? heldActions(division, held) : make("div.actions", {}, may ? button("next", () => tap({ type: "next", match: division.id }), { disabled: division.others < 2 }, icon("shuffle"), nextText(division)) : null, button("chat", () => copy(chatText(division)), {}, icon("copy"), say("copy_chat"))),
    may && !held ? make("p.quiet", { class: "centred" }, say("tap_to_swap")) : null,
    ui.links ? make("div.actions", {}, organiser() ? button("use", () => { tap({ type: "exactly", teams: ui.links }); ui.links = null; }, { class: "filled" }, say("use_these")) : null, button("leave link", () => { ui.links = null; paint(); }, {}, say("back"))) : null,
    view.phase === "playing" && !organiser() ? make("p.note", {}, say("round_on", { round: view.round })) : null,
    ui.open === "share" ? [sharing(), make("div.actions", {}, button("teams link", () => copy(guestsLink(`&t=${encodeURIComponent(JSON.stringify(division.teams))}`)), {}, icon("link"), say("link_teams")), button("picture", () => { void picture(division); }, {}, icon("picture"), say("share_picture")))] : null,
    ui.picture ? make("img.card", { src: ui.picture, alt: chatText(division), width: "100%" }) : null,
    you(), organiser() ? [adding(), substitution(division), activity()] : null), side)];
}

/** The map, or those that wait for a veto or votes. @param {any} division */
function waitingForMap(division) {
  const strike = Boolean(division.strike?.length);
  /** @type {string[]} */ const maps = (strike ? division.strike : division.ballot) ?? [];
  if (ui.links || !maps.length) return division.map ? make("p.note", {}, ...told("on_map", { map: bdi(division.map) })) : null;
  const me = mine();
  const may = strike ? organiser() || division.teams[division.side].includes(me?.id) : division.teams.flat().includes(me?.id);
  return make("section.card", {}, make("h2", {}, strike ? say("strike_map", { team: called(division.side) }) : say("vote_map")), make("div.two", {}, ...maps.map((map) =>
    button(`map ${map}`, () => may && tap(strike ? { type: "veto", map } : { type: "vote", choice: map, who: me.id }), { disabled: !may, "aria-pressed": strike ? undefined : String(division.votes[me?.id] === map) }, bdi(map)))));
}

/** @param {any} division @param {string} held */
function bestSwap(division, held) {
  const own = division.teams.findIndex((/** @type {string[]} */ team) => team.includes(held));
  const others = division.teams.flatMap((/** @type {string[]} */ team, /** @type {number} */ n) => (n === own ? [] : team)).filter((/** @type {string} */ id) => !division.locks.includes(id) && !parts(division, held, id));
  return others.map((/** @type {string} */ id) => ({ id, chances: swapped(division, held, id) })).sort((/** @type {any} */ one, /** @type {any} */ other) => far(one.chances) - far(other.chances))[0];
}
/** @param {number[]} given */
const far = (given) => Math.max(...given.map((each) => Math.abs(each - 1 / given.length)));

/** @param {any} division @param {string} id @param {number} n @param {string | null} held @param {boolean} may @param {boolean} many */
function chip(division, id, n, held, may, many) {
  const [each, known] = [person(id), division.ratings[id] ?? person(id)];
  const locked = division.locks.includes(id);
  const ownTeam = held !== null && (division.teams[n].includes(held) || division.out.includes(held) === false && division.teams.findIndex((/** @type {string[]} */ team) => team.includes(held)) === n);
  const other = held && held !== id && !ownTeam;
  const partyBroken = other && held ? parts(division, held, id) : null;
  const would = other && held ? swapped(division, held, id) : null;
  const shownWould = would ? (would.length === 2 ? whole(would).join("\u00a0:\u00a0") : `${Math.min(...whole(would))}–${Math.max(...whole(would))}`) : "";
  const mark = isNew(known.games) ? say("about", { points: known.points }) : String(known.points);
  const label = would ? say("chip_would", { name: each.name, chances: shownWould }) : say("chip", { name: each.name, points: mark, team: called(n) });
  const inside = [make("span.name", {}, bdi(each.name), locked ? icon("lock") : null, each.party !== null && each.party !== undefined && division.teams[n].some((/** @type {string} */ mate) => mate !== id && person(mate).party === each.party) ? icon("link") : null), " ",
    would ? make("span.would", { class: partyBroken || locked ? "no" : isEven(would) ? "even" : "" }, shownWould) : many ? make("span.points", {}, isNew(known.games) ? "~" : "") : points(known)];
  const inParty = each.party !== null && each.party !== undefined && division.teams[n].some((/** @type {string} */ mate) => mate !== id && person(mate).party === each.party);
  const kind = `${inParty ? "party " : ""}${held === id ? "held" : other ? "other" : ""}`;
  return make("button.chip", { type: "button", class: kind, key: `chip ${id}`, "data-id": id, "aria-label": label, "aria-pressed": may ? String(held === id) : undefined, disabled: !may && !would ? undefined : undefined, click: () => may && touched(division, id, n) }, ...inside);
}

/** @param {any} division @param {string} id @param {number} n */
function touched(division, id, n) {
  const held = ui.held;
  ui.next = "";
  if (!held || held === id) { ui.held = held === id ? null : id; paint(); return; }
  const own = division.teams.findIndex((/** @type {string[]} */ team) => team.includes(held));
  if (own === n) { ui.held = id; paint(); return; }
  const broken = parts(division, held, id);
  if (broken) { ui.next = say("parts_them", { one: broken[0], other: broken[1] }); paint(); return; }
  if (division.locks.includes(id) || division.locks.includes(held)) { ui.next = say("is_locked", { name: person(division.locks.includes(id) ? id : held).name }); paint(); return; }
  ui.held = null;
  tap({ type: "swap", match: division.id, one: held, other: id });
}

/** @param {any} division @param {string} held */
function heldActions(division, held) {
  const locked = division.locks.includes(held);
  const out = division.out.includes(held);
  return make("div.actions", {},
    out ? null : button("keep", () => { ui.held = null; tap({ type: "lock", match: division.id, who: held, on: !locked }); }, {}, icon("lock"), say(locked ? "let_go" : "keep_here")),
    out ? null : button("sit out", () => { ui.held = null; tap({ type: "sitout", match: division.id, who: held }); }, {}, icon("out"), say("sit_out_button")),
    button("done", () => { ui.held = null; paint(); }, {}, say("done")));
}

/** @param {any} division */
function nextText(division) {
  const more = division.even - 1;
  return more > 0 && isEven(division.others ? division.chances : []) ? say(more === 1 ? "more_as_even_one" : "more_as_even", { count: more }) : say("next_best");
}

/** What people paste into a chat. @param {any} division */
function chatText(division) {
  const lines = division.teams.map((/** @type {string[]} */ team, /** @type {number} */ n) => `${called(n)}: ${namesOf(team).map(plain).join(", ")}`);
  const out = division.out.length ? `\n${say("out_list")}: ${namesOf(division.out).map(plain).join(", ")}` : "";
  return `${[`${numbers(division.chances)}.`, larger(division.teams), `${badge(division)[1]}.`].filter(Boolean).join(" ")}\n${lines.join("\n")}${out}`;
}
/** A name that calls nobody and changes nothing in a chat. @param {string} name */
const plain = (name) => name.replace(/[\u200b-\u200f\u202a-\u202e\u2066-\u2069]/g, "").replace(/@/g, "@\u200b").replace(/[*_~`|>]/g, "\\$&");

/** @param {any} division */
function substitution(division) {
  const view = state.view;
  const playing = division.teams.flat();
  const others = view.people.filter((/** @type {any} */ each) => !playing.includes(each.id));
  if (!["teams", "playing"].includes(view.phase) || !others.length || ui.links) return null;
  /** @param {string} key @param {any[]} people */
  const choose = (key, people) => make("select", { key, "aria-label": say(key), change: (/** @type {any} */ event) => { ui[/** @type {"old"} */ (key)] = event.target.value; } },
    make("option", { value: "" }, say(key)), ...people.map((/** @type {any} */ each) => make("option", { value: each.id, selected: /** @type {any} */ (ui)[key] === each.id }, each.name)));
  return make("details", {}, make("summary", {}, say("substitute")), make("div.row", {}, choose("old", playing.map(person)), choose("coming", others),
    button("substitute now", () => { const [old, coming] = [ui.old, ui.coming]; if (old && coming) tap({ type: "substitute", match: division.id, old, new: coming, leaves: true }); }, {}, say("substitute_now"))));
}

// A draft

function draft() {
  const view = state.view;
  const division = view.division;
  const captain = person(view.captains[view.turn]);
  const may = organiser() || (captain.seat && captain.seat === state.seat);
  return [make("h1", {}, ...told(captain.seat === state.seat ? "your_pick" : "picks", { name: bdi(captain.name) })), make("p.lead", {}, say("pick_lead")),
    make("div.teams", {}, ...division.teams.map((/** @type {string[]} */ team, /** @type {number} */ n) => make("section.team", { class: `t${(n % 4) + 1}`, "aria-label": called(n) }, make("header", {}, make("h2", {}, shape(n), called(n))),
      make("ul", {}, ...team.map((id) => make("li", {}, make("span.chip", { class: "row" }, bdi(person(id).name), points(person(id))))))))),
    make("h2", {}, say("unpicked")),
    make("div.two", {}, ...view.unpicked.map((/** @type {string} */ id) => button(`pick ${id}`, () => may && tap({ type: "pick", who: id }), { disabled: !may }, bdi(person(id).name), points(person(id))))), you()];
}

// Results

function result() {
  const view = state.view;
  const division = view.division;
  const k = division.teams.length;
  while (ui.score.length < k) ui.score.push("");
  /** @param {number} n */
  const won = (n) => () => { const scores = typed(); tap({ type: "result", match: division.id, ranks: division.teams.map((/** @type {any} */ _, /** @type {number} */ at) => (at === n ? 1 : 2)), ...(scores && winner(scores) === n ? { scores } : {}) }); };
  /** @param {number} n @param {number} by */
  const step = (n, by) => () => { ui.score[n] = Math.max(0, Number(ui.score[n] || 0) + by); paint(); };
  return [make("h1", {}, say("who_won", { round: view.round })), make("p.lead", {}, say("tap_winner")),
    make("div.wins", {}, ...division.teams.map((/** @type {string[]} */ team, /** @type {number} */ n) => make("button", { type: "button", class: `t${(n % 4) + 1}`, key: `won ${n}`, click: won(n) }, teamName(n), make("p", {}, ...listed(namesOf(team))), make("strong", {}, say("team_won", { team: called(n) }))))),
    k === 2 ? button("draw", () => tap({ type: "result", match: division.id, ranks: [1, 1] }), { class: "wide" }, say("a_draw")) : null,
    make("h2", {}, say("score"), make("small", {}, say("if_you_like"))),
    make("div.score", {}, ...division.teams.slice(0, 4).flatMap((/** @type {string[]} */ _, /** @type {number} */ n) => [n % 2 ? make("i", {}, ":") : null, make("div", {}, teamName(n), make("div.stepper", {},
      button(`less ${n}`, step(n, -1), { "aria-label": say("one_less", { team: called(n) }) }, "−"),
      make("input", { type: "number", inputmode: "numeric", min: 0, key: `score ${n}`, "aria-label": say("score_of", { team: called(n) }), value: ui.score[n], input: (/** @type {any} */ event) => { ui.score[n] = event.target.value; paintBar(); } }),
      button(`more ${n}`, step(n, 1), { "aria-label": say("one_more", { team: called(n) }) }, "+")))])),
    substitution(division), you(), activity()];
}

/** The scores as typed, null where one is missing. @returns {number[] | null} */
function typed() {
  const k = state.view.division.teams.length;
  const scores = ui.score.slice(0, k).map((each) => (each === "" ? NaN : Number(each)));
  return scores.length === k && scores.every(Number.isFinite) ? scores : null;
}
/** The team with most, -1 for a draw. @param {number[]} scores */
const winner = (scores) => { const most = Math.max(...scores); return scores.filter((each) => each === most).length > 1 ? -1 : scores.indexOf(most); };

function after() {
  const last = state.view.last;
  const parts = whole(last.chances);
  const best = last.ranks.indexOf(Math.min(...last.ranks));
  const drawn = last.ranks.filter((/** @type {number} */ each) => each === last.ranks[best]).length > 1;
  const chance = parts[best];
  const word = drawn ? say("was_draw") : Math.abs(chance - 100 / parts.length) <= 5 / parts.length ? say("open_game") : chance < 100 / parts.length - 10 ? say("upset", { team: called(best), chance }) : say(chance > 50 ? "expected" : "little_upset", { team: called(best), chance });
  const changes = last.changes;
  const owed = last.out;
  return [make("p.saved", { role: "status" }, make("span.row", {}, icon("check"), say("saved")), organiser() && state.view.undo?.type === "result" ? button("undo result", () => tap({ type: "undo", of: state.view.undo.id }), {}, icon("undo"), say("undo")) : null),
    make("section.card.final", { "aria-label": say("result_of", { round: state.view.round }) }, ...finalPieces(last, parts, best, drawn)),
    make("h1.lead", {}, word),
    changes ? make("h2", {}, say("what_changed"), make("small", {}, say("points_rank", { count: changes.of }))) : null,
    changes ? make("table.changes", {}, make("tbody", {}, ...changes.rows.map((/** @type {any} */ row) => {
      const [team, each] = [last.teams.findIndex((/** @type {string[]} */ one) => one.includes(row.id)), person(row.id)];
      const rank = isNew(each.games) ? say("new_moves") : row.up ? `${row.up > 0 ? "▲" : "▼"} ${row.place + row.up} ${say("to")} ${row.place}` : String(row.place);
      return make("tr", {}, make("td", {}, shape(Math.max(team, 0))), make("td", {}, bdi(each.name)), make("td", {}, rank), make("td", { class: row.change < 0 ? "loss" : "gain" }, `${row.change < 0 ? "−" : "+"}${Math.abs(row.change)}`));
    }))) : make("p.quiet", {}, say("learning")),
    owed.length ? make("p.note", {}, ...told(owed.length === 1 ? "plays_next" : "play_next", { names: listed(namesOf(owed)) })) : null,
    ui.picture ? make("img.card", { src: ui.picture, alt: word, width: "100%" }) : null,
    you(), organiser() ? [adding(), settings(), activity()] : null];
}

/** @param {any} last @param {number[]} parts @param {number} best @param {boolean} drawn */
function finalPieces(last, parts, best, drawn) {
  /** @param {number} n */
  const end = (n) => make("div", {}, teamName(n), make("small", {}, say("share", { chance: parts[n] })));
  const text = last.scores.length ? last.scores.join("\u00a0:\u00a0") : drawn ? "=" : last.teams.length === 2 ? (best === 0 ? "1 : 0" : "0 : 1") : called(best);
  return last.teams.length === 2 ? [end(0), make("b", {}, text), end(1)] : [make("div", {}, ...last.teams.map((/** @type {any} */ _, /** @type {number} */ n) => end(n))), make("b", {}, text), make("span", {})];
}

/** Draw the picture on this device, for its share sheet or, without one, to be saved. @param {any} division */
async function picture(division) {
  const { drawn } = await import("./picture.js");
  const last = state.view.phase === "saved" ? state.view.last : null;
  const shownNow = last ?? division;
  const blob = await drawn({
    title: state.view.title, round: state.view.round, teams: shownNow.teams.map(namesOf), chances: shownNow.chances,
    scores: last ? last.scores : [], best: last ? last.ranks.indexOf(Math.min(...last.ranks)) : -1, badge: last ? "" : badge(division)[1],
  });
  const file = new File([blob], "teams.png", { type: "image/png" });
  if (navigator.canShare?.({ files: [file] })) { await navigator.share({ files: [file] }).catch(() => {}); return; }
  ui.picture = URL.createObjectURL(blob);
  ui.copied = say("picture_by_hand");
  paint();
}

// The bar

/** Say how many teams of how many. */
function makeText() {
  const [view, count] = [state.view, here().length];
  const playing = view.size ? Math.min(count, view.size * view.teams) : count;
  const [small, large] = [Math.floor(playing / view.teams), Math.ceil(playing / view.teams)];
  const word = say(`count_${view.teams}`);
  return small === large ? say("make_teams", { teams: word, size: small }) : say("make_uneven", { teams: word, small, large });
}

function barPieces() {
  const view = state.view;
  if (!view || state.over || !organiser() || view.phase === "ended") return [];
  const undo = view.undo ? button("bar undo", () => { ui.held = null; tap({ type: "undo", of: view.undo.id }); }, { class: "square", "aria-label": say("undo_what", { what: deedText(view.undo) }) }, icon("undo")) : button("bar undo", () => {}, { class: "square", "aria-label": say("undo"), disabled: true }, icon("undo"));
  const redo = view.redo ? button("bar redo", () => tap({ type: "redo", of: view.redo.id }), { class: "square", "aria-label": say("redo_what", { what: deedText(view.redo) }) }, icon("redo")) : null;
  const share = button("bar share", () => open("share"), { class: "square", "aria-label": say("scan"), "aria-expanded": String(ui.open === "share") }, icon(view.phase === "gathering" ? "qr" : "share"));
  /** @param {string} text @param {() => void} act @param {any} [more] @param {any} [sign] */
  const go = (text, act, more = {}, sign = null) => button("bar go", act, { class: "filled go", ...more }, sign, text);
  const pictureButton = view.phase === "saved" || view.phase === "teams" ? button("bar picture", () => { void picture(view.division); }, { class: "square", "aria-label": say("share_picture") }, icon("picture")) : null;
  const enough = here().length >= view.teams;
  const last = view.phase === "gathering" ? go(enough ? makeText() : say("too_few", { count: say(`count_${Math.min(view.teams, 4)}`) }), () => tap({ type: "divide", round: view.round }), { disabled: !enough })
    : view.phase === "teams" ? go(say("play_round", { round: view.round }), () => tap({ type: "play", match: view.division.id }), {}, icon("play"))
      : view.phase === "saved" ? go(say("next_round", { round: view.round + 1 }), () => { ui.picture = ""; tap({ type: "divide", round: view.round + 1 }); }, { disabled: !enough }, icon("shuffle"))
        : view.phase === "playing" ? goResult(go) : go(say("stop_draft"), () => view.undo && tap({ type: "undo", of: view.undo.id }));
  const says = make("span.says", {}, say("you_organise"));
  return [make("div.page", {}, undo, redo, view.phase === "saved" ? null : share, view.phase === "saved" ? pictureButton : null, says, last)];
}

/** @param {(text: string, act: () => void, more?: any) => HTMLElement} go */
function goResult(go) {
  const scores = typed();
  if (!scores) return go(say("tap_winner_short"), () => {}, { disabled: true });
  const best = winner(scores);
  const text = best < 0 ? say("save_draw", { score: scores.join("\u00a0:\u00a0") }) : say("save_won", { team: called(best), score: [...scores].sort((one, other) => other - one).join("\u00a0:\u00a0") });
  return go(text, () => tap({ type: "result", match: state.view.division.id, scores }));
}

function paintBar() {
  const pieces = barPieces();
  bar.hidden = !pieces.length;
  show(bar, pieces);
}

// All of it

function joining() {
  return [make("h1", {}, say("join")), make("p.lead", {}, say(state.over === "expired" ? "expired" : state.over === "wrong" ? "wrong_link" : "type_code")),
    make("form.card", { submit: (/** @type {any} */ event) => { event.preventDefault(); void find(); } }, make("label", { for: "code" }, say("code")), make("div.row", {},
      make("input", { id: "code", key: "code", autocomplete: "off", autocapitalize: "off", spellcheck: "false", required: true, minlength: 4, value: ui.code, input: (/** @type {any} */ event) => { ui.code = event.target.value; } }), make("button.filled", {}, say("open")))),
    state.note ? make("p.note.fault", { role: "alert" }, state.note) : null];
}

async function find() {
  const answer = await fetch("/v1/tonight", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ code: ui.code }) }).catch(() => null);
  if (answer?.ok) { const name = (await answer.json()).evening; location.assign(`/tonight/${name}#k=${encodeURIComponent(ui.code)}`); if (name === evening) location.reload(); } else { state.note = say("no_code"); paint(); }
}

function paint() {
  const view = state.view;
  const at = `${view?.phase} ${view?.round} ${ui.links ? "link" : ""}`;
  if (at !== ui.at) { Object.assign(ui, { at, next: "", score: [], old: "", coming: "" }); scrollTo(0, 0); }
  const pieces = !evening || state.over ? joining() : !view ? [make("h1", {}, say("tonight")), make("p.lead", {}, say(state.online ? "loading" : "offline"))]
    : view.phase === "ended" ? [make("h1", {}, say("ended")), make("p.lead", {}, say("ended_lead"))]
      : ui.open === "who" || ui.open === "new" || (!mine() && !organiser() && !asking()) ? visit()
        : ui.open === "draft" ? [drafting()]
          : ui.links ? teams() : view.phase === "drafting" ? draft() : view.phase === "playing" && organiser() ? result() : view.phase === "saved" && view.last ? after() : view.division && view.phase !== "gathering" ? teams() : gathering();
  show(screen, [make("div", {}, ...notes()), ...pieces.flat(3)]);
  document.title = view?.title ? `${view.title} · ${say("title")}` : say("title");
  paintBar();
}

/** Whether this device waits for a seat. */
const asking = () => state.view.people.some((/** @type {any} */ each) => each.asked && each.asked === state.seat);

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|TEXTAREA|SELECT)$/.test(/** @type {Element} */ (event.target).tagName)) return;
  const id = document.activeElement?.getAttribute("data-id");
  if (event.key === "Escape" && ui.held) { ui.held = null; paint(); }
  if ((event.key === "u" || event.key === "U") && organiser() && state.view?.undo) tap({ type: "undo", of: state.view.undo.id });
  if ((event.key === "l" || event.key === "L") && id && organiser() && state.view?.phase === "teams") tap({ type: "lock", match: state.view.division.id, who: id, on: !state.view.division.locks.includes(id) });
  const chips = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".chip[data-id]")]);
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step && id) { event.preventDefault(); chips[(chips.findIndex((each) => each.dataset.id === id) + step + chips.length) % chips.length].focus(); }
});
for (const heard of ["online", "focus", "pageshow"]) addEventListener(heard, () => { if (!state.online) wake(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) wake(); });
let resized = 0;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(paint, 100); });

whenever(paint);
if (evening && !keys.organiser && !keys.guests) state.over = "no_key";
try { paint(); } catch { state.view = null; paint(); }  // what was kept is of another version of this page
if (evening && !state.over) {
  void listen();
  const sit = () => void seat().then((own) => { state.seat = own; paint(); if (!mine()) void loadRegulars(); if (innerWidth >= 900 && keys.guests) void loadQr(); }).catch(() => setTimeout(sit, 3000));
  sit();
  void send();
}
