// A queue: who somebody is, the party they gather, where their ticket is, and their answer to a match.
import { device, kept, random, told as heard } from "./device.js";
import { aloud, called, level, numbers, shape, whole } from "./level.js";
import { bdi, icon, listed, make, say, show, told } from "./page.js";

const [screen, bar, said] = ["screen", "bar", "said"].map((id) => /** @type {HTMLElement} */ (document.getElementById(id)));

/** The queue of this page, and where it keeps what is its own. */
const queue = decodeURIComponent(location.pathname.split("/").filter(Boolean)[1] ?? "");
const own = `equipoise:queue:${queue}:`;
const given = new URLSearchParams(location.hash.slice(1)).get("k");
if (given) kept.set(`${own}key`, given);
if (queue && location.hash.length > 1) history.replaceState(null, "", location.pathname);

/** @param {string} name @returns {any} */
function stored(name) {
  try { return JSON.parse(kept.get(name) ?? "null"); } catch { return null; }
}
/** @param {string} name @param {any} value */
const store = (name, value) => kept.set(name, value === null ? null : JSON.stringify(value));

/** What the page shows, and how it stands with the line. */
const state = {
  key: kept.get(`${own}key`) ?? "", online: true, over: "", note: "", busy: false,
  me: stored("equipoise:queue-me"), ticket: stored(`${own}ticket`), party: stored(`${own}party`),
  /** @type {any} */ about: null,
  /** @type {any} */ view: null,
  /** Seconds by which the service's clock is ahead. */ ahead: 0,
  /** @type {any[]} */ people: [],
  search: "", open: "", text: "", wasAloud: "",
};

/** @param {any} me */
function setMe(me) { state.me = me; store("equipoise:queue-me", me); }
/** @param {any} ticket */
function setTicket(ticket) { state.ticket = ticket; state.view = null; store(`${own}ticket`, ticket); }
/** @param {any} party */
function setParty(party) { state.party = party; store(`${own}party`, party && { code: party.code, token: party.token, you: party.you, leads: party.leads }); }

/** Ask the service; what it refuses is noted. @param {string} path @param {any} [body] @param {string} [method] @param {string} [token] @returns {Promise<any>} */
async function ask(path, body, method = body === undefined ? "GET" : "POST", token = state.key) {
  const answer = await fetch(`/v1/queues/${encodeURIComponent(queue)}${path}`, {
    method, headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
    body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store",
  }).catch(() => null);
  state.online = answer !== null && answer.status < 500;
  if (!answer || answer.status >= 500) return null;
  const content = await answer.json().catch(() => ({}));
  if (answer.ok) return content;
  if (answer.status === 401 && token === state.key) { state.over = "wrong"; paint(); }
  return { refused: answer.status, type: String(content.type ?? "").split("/").at(-1), detail: content.detail ?? "", candidates: content.candidates };
}

/** Do one thing after another, and show how it went. @param {() => Promise<void>} act */
async function doing(act) {
  if (state.busy) return;
  state.busy = true;
  state.note = "";
  paint();
  await act();
  state.busy = false;
  paint();
}

/** Say what was refused. @param {any} answer */
function refused(answer) {
  if (answer === null) { state.note = say("offline"); return; }
  if (answer.candidates) { state.people = answer.candidates; state.note = say("several", { name: state.me?.name ?? "" }); setMe(null); return; }
  const known = { "not-found": "no_party", full: "party_full", taken: "party_taken", "not-yours": "not_leader", changed: "party_changed", "too-many-requests": "too_fast", busy: "too_fast" };
  const key = known[/** @type {keyof typeof known} */ (answer.type)];
  state.note = key ? say(key) : say("refused", { why: answer.detail });
}

// What is done

async function join() {
  const { party } = state;
  const visit = state.ticket?.visit ?? random(8);
  const answer = await ask("/page/join", { device, visit, who: party ? party.you : state.me.id ?? state.me.name, ...(party ? { code: party.code, token: party.token, people: (party.people ?? []).map((/** @type {any} */ each) => each.id) } : {}) });
  if (!answer?.ticket) { refused(answer); return; }
  setMe({ id: answer.you, name: state.me.name });
  setTicket({ ticket: answer.ticket, capability: answer.capability });
  void listen();
}

/** @param {any} more */
async function gather(more) {
  const answer = await ask("/page/party", { who: state.me.id ?? state.me.name, ...more });
  if (!answer?.code) {
    if (answer && more.token) setParty(null);
    refused(answer);
    return;
  }
  setMe({ id: answer.you, name: state.me.name });
  setParty(answer);
  if (answer.ticket && !state.ticket) { setTicket({ ticket: answer.ticket, capability: answer.capability }); void listen(); }
}

/** Say again and again that one is in a party, so that it holds, and hear when it has joined. */
async function attend() {
  const { party } = state;
  if (party && !document.hidden && !state.busy && !state.over && (!state.ticket || party.leads)) {
    const answer = await ask("/page/party", { who: party.you, code: party.code, token: party.token, ...(party.leads && state.ticket ? { ticket: state.ticket.ticket, capability: state.ticket.capability } : {}) });
    if (state.party?.code !== party.code) return;
    if (answer?.refused) setParty(null);
    else if (answer) {
      const changed = JSON.stringify(answer) !== JSON.stringify(state.party);
      setParty(answer);
      if (answer.ticket && !state.ticket) { setTicket({ ticket: answer.ticket, capability: answer.capability }); void listen(); }
      if (!changed) return;
    }
    paint();
  }
}

/** @param {string} what @param {any} [body] @param {string} [method] */
const answerIt = (what, body, method) => () => void doing(async () => {
  const answer = await ask(`/tickets/${state.ticket.ticket}${what}`, body, method, state.ticket.capability);
  if (answer === null || answer.refused) refused(answer);
  else if (state.view) state.view = { ...state.view, ...answer };
});

function again() {
  setTicket(null);
  if (state.party && !state.party.leads) setParty(null);
  state.note = "";
  void about();
  paint();
}

let listening = 0;
let hearing = new AbortController();

/** Hear where the ticket is, until it is gone. */
async function listen() {
  const mine = ++listening;
  hearing.abort();
  let pause = 300;
  while (mine === listening && state.ticket) {
    const gone = hearing = new AbortController();
    let quiet = setTimeout(() => gone.abort(), 40_000);
    try {
      const { ticket, capability } = state.ticket;
      const answer = await fetch(`/v1/queues/${encodeURIComponent(queue)}/tickets/${ticket}/stream`, { headers: { Authorization: `Bearer ${capability}`, ...(state.view ? { "Last-Event-ID": String(state.view.revision) } : {}) }, signal: gone.signal, cache: "no-store" });
      if ([401, 403, 404].includes(answer.status)) { again(); return; }
      if (!answer.ok || !answer.body) throw new Error(String(answer.status));
      state.online = true;
      pause = 300;
      await heard(answer.body, (kind, data) => {
        if (mine !== listening || !state.ticket) return;
        if (kind === "over") { again(); return; }
        if (kind !== "ticket") return;
        const was = state.view?.place;
        const view = JSON.parse(data);
        if (view.ticket !== state.ticket.ticket || view.revision < state.view?.revision) return; // late
        state.view = view;
        state.ahead = state.view.now - Date.now() / 1000;
        if (was !== state.view.place && state.view.place === "proposed" && navigator.userActivation?.hasBeenActive) navigator.vibrate?.([200, 100, 200]);
        paint();
      }, () => { clearTimeout(quiet); quiet = setTimeout(() => gone.abort(), 40_000); });
    } catch {
      if (mine === listening) { state.online = false; paint(); }
    } finally { clearTimeout(quiet); gone.abort(); }
    if (state.view?.place === "gone") return;
    await new Promise((go) => setTimeout(go, pause));
    pause = Math.min(2 * pause, 5000);
  }
}

async function about() {
  const answer = await ask("/page");
  if (answer && !answer.refused) state.about = answer;
  paint();
}

let searched = 0;

async function find() {
  const mine = ++searched;
  const answer = await ask(`/page/people${state.search ? `?q=${encodeURIComponent(state.search)}` : ""}`);
  if (mine === searched && answer?.people) { state.people = answer.people; paint(); }
}

// Pieces

/** @param {string} text @param {() => void} act @param {Record<string, any>} [more] @param {...any} pieces */
const button = (text, act, more = {}, ...pieces) => make("button", { type: "button", click: act, key: text, disabled: state.busy || undefined, ...more }, ...(pieces.length ? pieces : [text]));

const now = () => Date.now() / 1000 + state.ahead;
/** A time as people say it: 7:05. @param {number} seconds */
function clock(seconds) {
  const left = Math.max(0, Math.round(seconds));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
}
/** A clock that goes on by itself: since or until a moment. @param {number} at @param {number} way 1 since, -1 until */
const ticking = (at, way) => make("span", { "data-at": at, "data-way": way, role: "timer" }, clock(way * (now() - at)));
/** @param {number} at */
const hour = (at) => new Date(1000 * (at - state.ahead)).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
/** @param {string} id */
const nameOf = (id) => state.view?.names?.[id] ?? id;

function notes() {
  const found = [];
  if (!state.online) found.push(make("p.note", {}, say("offline")));
  if (state.note) found.push(make("p.note.fault", { role: "alert" }, state.note));
  return found;
}

function you() {
  return make("section.card.you", { "aria-label": say("you") }, make("header", {}, make("strong", {}, ...told("you_are", { name: bdi(state.me.name) })),
    button("not you", () => { setMe(null); setParty(null); void find(); paint(); }, {}, say("not_you"))));
}

// Screens

function shut() {
  return [make("h1", {}, say("queue_join")), make("p.lead", {}, say(state.over === "wrong" ? "queue_wrong" : "queue_link"))];
}

function visit() {
  /** @param {any} me */
  const take = (me) => () => { setMe(me); state.search = state.open = ""; state.note = ""; void about(); paint(); };
  return [make("h1", {}, say("who_are_you")), make("p.lead", {}, say("queue_tap")),
    make("input.search", { type: "search", key: "search", maxlength: 40, "aria-label": say("find_name"), placeholder: say("find_name"), value: state.search, input: (/** @type {any} */ event) => { state.search = event.target.value; void find(); } }),
    make("div.two.names", {}, ...state.people.slice(0, state.search ? 60 : 24).map((each) => button(`me ${each.id}`, take({ id: each.id, name: each.name }), {}, bdi(each.name)))),
    state.open === "new" || !state.people.length
      ? make("form.card", { submit: (/** @type {any} */ event) => { event.preventDefault(); const name = state.text.trim(); if (name) { state.text = ""; take({ name })(); } } },
        make("label", { for: "name" }, say("your_name")), make("div.row", {}, make("input", { id: "name", key: "name", maxlength: 40, autocomplete: "nickname", required: true, value: state.text, input: (/** @type {any} */ event) => { state.text = event.target.value; } }), make("button.filled", {}, say("queue_me"))))
      : button("new", () => { state.open = "new"; state.text = state.search; paint(); document.getElementById("name")?.focus(); }, { class: "dashed" }, icon("plus"), say("new_here")),
    make("p.quiet", {}, say("queue_no_account"))];
}

function standing() {
  const { about: shown } = state;
  if (!shown) return make("p.lead", {}, say("loading"));
  const teams = shown.team_size === 1 && shown.teams === 2 ? say("queue_duels") : say("queue_teams", { teams: shown.teams, size: shown.team_size });
  const waits = say(shown.waiting === 0 ? "queue_nobody" : shown.waiting === 1 ? "queue_one" : "queue_many", { count: shown.waiting });
  return make("p.lead", {}, `${teams} ${shown.closed ? say("queue_closed") : shown.paused ? say("queue_paused") : waits}`);
}

function ready() {
  const size = state.about?.team_size ?? 2;
  return [make("h1", {}, bdi(queue)), standing(), you(),
    size < 2 ? null : make("section.card", { "aria-label": say("with_others") }, make("h2", {}, say("with_others")),
      make("p.quiet", {}, say("party_lead", { size })),
      make("div.actions", {}, button("party", () => void doing(() => gather({})), {}, icon("plus"), say("party_begin")), button("code", () => { state.open = state.open === "code" ? "" : "code"; paint(); document.getElementById("code")?.focus(); }, { "aria-expanded": String(state.open === "code") }, icon("link"), say("party_code"))),
      state.open === "code" ? make("form", { submit: (/** @type {any} */ event) => { event.preventDefault(); const code = state.text.trim(); state.text = state.open = ""; void doing(() => gather({ code })); } },
        make("label", { for: "code" }, say("code")), make("div.row", {}, make("input", { id: "code", key: "code input", maxlength: 20, required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: "false", value: state.text, input: (/** @type {any} */ event) => { state.text = event.target.value; } }), make("button.filled", {}, say("party_join")))) : null)];
}

function gathering() {
  const { party } = state;
  const people = party.people ?? [];
  return [make("h1", {}, say("party")), make("p.lead", {}, say(party.leads ? "party_tell" : "party_waits")),
    make("section.card", {}, make("span.code", { "aria-label": say("party_code_is", { code: [...party.code].join(" ") }) }, party.code),
      make("p.quiet", {}, say("party_size", { count: people.length, size: party.size ?? "" }))),
    make("ul.steps", {}, ...people.map((/** @type {any} */ each) => make("li", { class: each.id === party.you ? "me" : "" }, make("span", {}, bdi(each.name), each.id === party.you ? ` ${say("and_you")}` : null)))),
    make("div.actions", {}, button("leave party", () => void doing(async () => { await ask("/page/party", { who: party.you, code: party.code, token: party.token, leave: true }); setParty(null); }), {}, icon("out"), say("party_leave")))];
}

function waiting() {
  const { view } = state;
  const short = view.short;
  const mates = view.players.filter((/** @type {string} */ each) => each !== view.you);
  const until = short ? view.now + short.anybody_in : 0;
  const came = { "a match was declined by others": "back_declined", "a match was not answered by others": "back_silent", "a match was cancelled by others": "back_left", "the match was not played": "back_unplayed" };
  return [make("div.head", {}, make("div", {}, make("h1", {}, say("you_wait")), make("p.lead", {}, bdi(queue))), make("p.quiet", {}, make("span.big", {}, ticking(view.since, 1)), make("span", {}, say("since", { time: hour(view.since) })))),
    view.why ? make("p.note", {}, say(came[/** @type {keyof typeof came} */ (view.why)] ?? "back_other")) : null,
    short ? make("section.card", {}, make("h2", {}, say("what_is_short")), make("p", {}, say(`short_${short.kind}`, { here: short.here, wanted: short.wanted, roles: short.roles.join(", ") })),
      short.ahead ? make("p.quiet", {}, say(short.ahead === 1 ? "one_ahead" : "some_ahead", { count: short.ahead })) : null,
      make("p.quiet", {}, ...(short.anybody_in > 0 ? told("widens", { time: ticking(until, -1) }) : [say("anybody_now")]), ` ${say("accepts", { now: odds(short.imbalance) })}`)) : null,
    mates.length ? make("p.note", {}, ...told("with_you", { names: listed(mates.map(nameOf)) })) : null,
    make("p.quiet", {}, say("keep_open"))];
}

/** @param {number} imbalance */
function odds(imbalance) {
  const strong = Math.round(50 + 100 * imbalance);
  return `${strong}\u00a0:\u00a0${100 - strong}`;
}

/** The verdict, the level and the teams of a match. @param {any} match */
function teams(match) {
  const chances = match.chances ?? [];
  const pieces = [];
  if (chances.length > 1) {
    const label = aloud(chances, "");
    pieces.push(make("div.verdict", {}, make("h2", {}, numbers(chances))), level(chances, null, Math.max(240, Math.min(innerWidth, 1120) - 32), label),
      chances.length === 2 ? make("div.ends", {}, make("span.teamname.t1", {}, shape(0), `${called(0)} ${whole(chances)[0]}`), make("span", {}, say("in_100_games")), make("span.teamname.t2", {}, shape(1), `${whole(chances)[1]} ${called(1)}`)) : null);
  }
  return [...pieces, make("div.teams", { class: `k${match.players.length}` }, ...match.players.map((/** @type {string[]} */ team, /** @type {number} */ n) => make("section.team", { class: `t${(n % 4) + 1}`, "aria-label": called(n) }, make("header", {}, make("h2", {}, shape(n), called(n))),
    make("ul", {}, ...team.map((id) => make("li", {}, make("span.chip", { class: id === state.view.you ? "seat mine" : "seat" }, make("span.name", {}, bdi(nameOf(id)))))))))),
  match.region || match.maps?.length ? make("p.note", {}, [match.region ? say("in_region", { region: match.region }) : "", match.maps?.length ? say("on_maps", { maps: match.maps.join(", ") }) : ""].filter(Boolean).join(" ")) : null];
}

function proposed() {
  const { view } = state;
  const asked = (view.asked ?? []).includes(view.you);
  return [make("div.head", {}, make("div", {}, make("h1", {}, say(asked ? "match_found" : "you_said_yes")), make("p.lead", {}, say(asked ? "match_asks" : "others_asked"))), make("p.quiet", {}, make("span.big", {}, ticking(view.until ?? view.now, -1)), make("span", {}, say("left_to_answer")))),
    ...teams(view.match)];
}

function playing() {
  const done = !plays();
  return [make("h1", {}, say(done ? "you_finished" : "you_play")), make("p.lead", {}, say(done ? "mates_play" : "play_lead")), ...teams(state.view.match)];
}

/** Whether one is still in the match. */
const plays = () => state.view.match.players.flat().includes(state.view.you);

function gone() {
  const { view } = state;
  const whys = { cancelled: "gone_cancelled", declined: "gone_declined", "not answered": "gone_silent", "not heard of": "gone_unheard", played: "gone_played", "left the match": "gone_played" };
  const until = view.kept_out?.[view.you];
  return [make("h1", {}, say("gone")), make("p.lead", {}, say(whys[/** @type {keyof typeof whys} */ (view.why)] ?? "gone_other")),
    until ? make("p.ask", {}, ...told("kept_out", { time: ticking(until, -1) })) : null];
}

function barPieces() {
  const { view } = state;
  /** @param {string} text @param {() => void} act @param {any} [more] */
  const go = (text, act, more = {}) => button("bar go", act, { class: "filled go", ...more }, text);
  /** @param {string} text @param {() => void} act */
  const other = (text, act) => button("bar other", act, {}, text);
  if (!queue || state.over || !state.key) return [];
  if (state.ticket) {
    if (!view) return [];
    if (view.place === "gone") return [go(say("join_again"), again)];
    if (view.place === "playing") return plays() ? [go(say("finished"), answerIt("/finish", {}))] : [];
    if (view.place === "waiting") return [button("bar leave", answerIt("", undefined, "DELETE"), { class: "go" }, say("leave_queue"))];
    const match = view.match.match;
    return (view.asked ?? []).includes(view.you) ? [other(say("decline"), answerIt("/decline", { match })), go(say("accept"), answerIt("/accept", { match }))] : [other(say("decline"), answerIt("/decline", { match }))];
  }
  if (!state.me) return [];
  const shut = state.about?.closed || false;
  if (state.party) return state.party.leads ? [go(say("join_as", { count: state.party.people?.length ?? 1 }), () => void doing(join), { disabled: shut || state.busy || undefined })] : [];
  return [go(say("join_queue"), () => void doing(join), { disabled: shut || state.busy || undefined })];
}

function paint() {
  const { view } = state;
  const place = !queue || !state.key || state.over ? "shut" : state.ticket ? view?.place ?? "loading" : !state.me ? "who" : state.party ? "party" : "ready";
  const pieces = { shut, waiting, proposed, accepted: proposed, playing, gone, who: visit, party: gathering, ready, loading: () => [make("h1", {}, bdi(queue)), make("p.lead", {}, say(state.online ? "loading" : "offline"))] }[/** @type {"shut"} */ (place)]();
  show(screen, [make("div", {}, ...notes()), ...pieces.flat(3)]);
  const title = { waiting: "you_wait", proposed: "match_found", accepted: "you_said_yes", playing: "you_play" }[/** @type {"waiting"} */ (place)];
  document.title = title ? `${say(title)} · ${queue}` : queue || say("title");
  const spoken = title ? say(title) : "";
  if (spoken !== state.wasAloud) { state.wasAloud = spoken; said.textContent = spoken; scrollTo(0, 0); }
  const below = barPieces();
  bar.hidden = !below.length;
  show(bar, below.length ? [make("div.page", {}, ...below)] : []);
}

setInterval(() => {
  for (const each of document.querySelectorAll("[data-at]")) {
    const text = clock(Number(each.getAttribute("data-way")) * (now() - Number(each.getAttribute("data-at"))));
    if (each.textContent !== text) each.textContent = text;
  }
}, 500);
setInterval(() => void attend(), 2500);
setInterval(() => { if (!state.ticket && state.me && !document.hidden && !state.over) void about(); }, 10_000);
for (const name of ["online", "focus", "pageshow"]) addEventListener(name, () => { if (!state.online && state.ticket) void listen(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && state.ticket && state.view?.place !== "gone") void listen(); });
let resized = 0;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(paint, 100); });

paint();
if (queue && state.key) {
  if (state.ticket) void listen();
  else if (state.me) void about();
  if (!state.me) void find();
}
