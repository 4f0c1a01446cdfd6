// Moving and swapping by drag, tap and keyboard.
"use strict";

/** What the page was before each step, and before those that were undone. @type {any[]} */
const past = [];
/** @type {any[]} */
const ahead = [];

/** Note how the page is, before something is changed by hand. */
function note() {
  past.push({ ...state, locks: new Set(state.locks), picked: -1 });
  ahead.length = 0;
}

/** Undo or do again. @param {any[]} from @param {any[]} to */
function back(from, to) {
  const was = from.pop();
  if (!was) return;
  to.push({ ...state, locks: new Set(state.locks), picked: -1 });
  Object.assign(state, was, { reported: state.reported });
  show();
}

/** Say what happened. @param {string} key @param {Record<string, any>} gaps */
function tell(key, gaps) {
  const broken = state.problem ? violation(state.problem, state.labels) : 0;
  $("said").textContent = `${say(key, gaps)} ${broken ? say("breaks", { count: broken }) : ""}`.trim();
}

/** Move a player, and the party along, to a team. @param {number} place @param {number} team */
function move(place, team) {
  const problem = /** @type {Problem} */ (state.problem);
  const name = nameOf(place);
  state.picked = -1;
  if (state.locks.has(problem.request.players[place].id)) return show(), tell("is_locked", { name, team: teamName(byPlayer(state.labels)[place]) });
  note();
  state.labels = state.labels.map((now, block) => (block === problem.blockOf[place] ? team : now));
  show();
  tell("moved", { name, team: teamName(team) });
}

/** The teams with two players in each other's place, and their parties along. @param {number} one @param {number} other */
function exchanged(one, other) {
  const { blockOf } = /** @type {Problem} */ (state.problem);
  const teams = byPlayer(state.labels);
  return state.labels.map((now, block) => (block === blockOf[one] ? teams[other] : block === blockOf[other] ? teams[one] : now));
}

/** Exchange two players. @param {number} one @param {number} other */
function swap(one, other) {
  const { request } = /** @type {Problem} */ (state.problem);
  const held = [one, other].find((place) => state.locks.has(request.players[place].id));
  const teams = byPlayer(state.labels);
  state.picked = -1;
  if (held !== undefined) return show(), tell("is_locked", { name: nameOf(held), team: teamName(teams[held]) });
  note();
  state.labels = exchanged(one, other);
  show();
  tell("swapped", { name: nameOf(one), other: nameOf(other) });
}

/** Pick up, put down or exchange. @param {number} place */
function tap(place) {
  const teams = byPlayer(state.labels);
  if (state.picked >= 0 && teams[state.picked] !== teams[place]) return swap(state.picked, place);
  state.picked = state.picked === place ? -1 : place;
  show();
  tell(state.picked < 0 ? "dropped" : "picked", { name: nameOf(place) });
}

/** @param {number} place */
function toggle(place) {
  const { id } = /** @type {Problem} */ (state.problem).request.players[place];
  note();
  if (!state.locks.delete(id)) state.locks.add(id);
  show();
}

/** @param {KeyboardEvent} event @param {number} place */
function pressed(event, place) {
  const { k } = /** @type {Problem} */ (state.problem);
  const step = { ArrowLeft: k - 1, ArrowRight: 1 }[event.key];
  if (step) move(place, (byPlayer(state.labels)[place] + step) % k);
  else if (event.key === "Escape" && state.picked >= 0) tap(state.picked);
  else if (event.key.toLowerCase() === "l" && !event.ctrlKey && !event.metaKey) toggle(place);
  else if (event.key.toLowerCase() === "u") back(past, ahead);
  else return;
  event.preventDefault();
}

/** How near to the edge of the window a drag scrolls it. */
const EDGE = 48;

/** @param {string} mark */
const unmark = (mark) => document.querySelectorAll(`.${mark}`).forEach((one) => one.classList.remove(mark));

/** @param {PointerEvent} event @param {number} place */
function grab(event, place) {
  if (event.button !== 0) return;
  if (event.pointerType !== "mouse") event.preventDefault();
  /** @type {HTMLElement} */ (event.target).releasePointerCapture?.(event.pointerId);
  state.drag = { place, x: event.clientX, y: event.clientY, ghost: null };
}

/** What is under a pointer. @param {PointerEvent} event */
function under(event) {
  const at = document.elementFromPoint(event.clientX, event.clientY);
  return { item: /** @type {HTMLElement | null} */ (at?.closest("li[data-place]") ?? null),
    team: /** @type {HTMLElement | null} */ (at?.closest(".team") ?? null) };
}

/** @param {PointerEvent} event */
function dragging(event) {
  const { drag } = state;
  if (!drag) return;
  if (!drag.ghost) {
    if (Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 6) return;
    document.body.append(drag.ghost = copyOf("ghost"));
    write(drag.ghost, nameOf(drag.place));
    chips[drag.place].classList.add("dragged");
  }
  drag.ghost.style.left = `${event.clientX + 8}px`;
  drag.ghost.style.top = `${event.clientY + 8}px`;
  unmark("over");
  scrollBy(0, Math.min(event.clientY - EDGE, 0) / 4 + Math.max(event.clientY + EDGE - innerHeight, 0) / 4);
  const { item, team } = under(event);
  (item ?? team)?.classList.add("over");
  event.preventDefault();
}

/** @param {PointerEvent} event @param {boolean} take */
function letGo(event, take) {
  const { drag } = state;
  state.drag = null;
  if (!drag?.ghost) return;
  drag.ghost.remove();
  unmark("over");
  unmark("dragged");
  addEventListener("click", (click) => click.stopPropagation(), { capture: true, once: true });
  setTimeout(() => dispatchEvent(new Event("click")), 0);
  const { item, team } = under(event);
  const now = byPlayer(state.labels);
  const to = item ? now[Number(item.dataset.place)] : team ? Number(team.dataset.team) : now[drag.place];
  if (!take || to === now[drag.place]) return show();
  return item ? swap(drag.place, Number(item.dataset.place)) : move(drag.place, to);
}

/** What a touch of the board is for. @param {Event} event */
function touched(event) {
  const at = /** @type {Element} */ (event.target);
  const on = (/** @type {string} */ part) => at.closest(part);
  const place = Number(/** @type {HTMLElement | null} */ (on("li"))?.dataset.place ?? -1);
  if (event instanceof KeyboardEvent) return on(".player") && pressed(event, place);
  if (event.type === "pointerdown") {
    const mouse = /** @type {PointerEvent} */ (event).pointerType === "mouse";
    return on(mouse ? ".grip, .player" : ".grip") && grab(/** @type {PointerEvent} */ (event), place);
  }
  if (on(".player")) tap(place);
  else if (on(".lock")) toggle(place);
  else if (on(".move")) {
    const [{ picked }, team] = [state, Number(/** @type {HTMLElement} */ (on(".team")).dataset.team)];
    move(picked, team);
    /** @type {HTMLElement | null} */ (chips[picked].querySelector(".player"))?.focus();
  }
}
